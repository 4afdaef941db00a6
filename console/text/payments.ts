// Texts of the list of payments, in every language. `{names}` are placeholders.
import type { Language } from '../../shared/language.ts';
import { PAYMENT_METHOD_WORDS, PAYMENT_STATUS_WORDS, textsOfWords } from '../../shared/state-words.ts';

const pt = {
  'payments.title': 'Pagamentos',
  'payments.search.hint': 'Nome, telemóvel, referência, montante, descrição ou id',
  'payments.none': 'Ainda não há pagamentos.',
  'payments.none.found': 'Nada corresponde ao que procura.',
  'payments.export': 'Exportar CSV',
  'payments.all': 'Todos',
  'payments.filter': 'Estado',
  ...textsOfWords('status.', PAYMENT_STATUS_WORDS, 'pt'),
  'status.late': 'Fora do prazo',
  'status.overpaid': 'Pago a mais',
  'status.amount_mismatch': 'Pago a menos ou outro montante',
  'status.late_money': 'Fora do prazo, por resolver',
  'status.canceled_with_money': 'Cancelado com dinheiro',
  ...textsOfWords('method.', PAYMENT_METHOD_WORDS, 'pt'),
};

const en: Record<keyof typeof pt, string> = {
  'payments.title': 'Payments',
  'payments.search.hint': 'Name, mobile number, reference, amount, description or id',
  'payments.none': 'There are no payments yet.',
  'payments.none.found': 'Nothing matches your search.',
  'payments.export': 'Export CSV',
  'payments.all': 'All',
  'payments.filter': 'Status',
  ...textsOfWords('status.', PAYMENT_STATUS_WORDS, 'en'),
  'status.late': 'Late',
  'status.overpaid': 'Overpaid',
  'status.amount_mismatch': 'Underpaid or another amount',
  'status.late_money': 'Late, to resolve',
  'status.canceled_with_money': 'Canceled, money in',
  ...textsOfWords('method.', PAYMENT_METHOD_WORDS, 'en'),
};

const fr: Record<keyof typeof pt, string> = {
  'payments.title': 'Paiements',
  'payments.search.hint': 'Nom, mobile, référence, montant, description ou id',
  'payments.none': 'Il n’y a pas encore de paiements.',
  'payments.none.found': 'Rien ne correspond à votre recherche.',
  'payments.export': 'Exporter en CSV',
  'payments.all': 'Tous',
  'payments.filter': 'État',
  ...textsOfWords('status.', PAYMENT_STATUS_WORDS, 'fr'),
  'status.late': 'Hors délai',
  'status.overpaid': 'Trop payé',
  'status.amount_mismatch': 'En partie ou autre montant',
  'status.late_money': 'Hors délai, à traiter',
  'status.canceled_with_money': 'Annulé, argent reçu',
  ...textsOfWords('method.', PAYMENT_METHOD_WORDS, 'fr'),
};

export const paymentsTexts: Record<Language, Record<keyof typeof pt, string>> = { pt, en, fr };
