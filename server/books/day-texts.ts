// The texts of a day's close on paper.
import type { DayStatus, ExplanationReason } from '../../shared/books.ts';
import type { Language } from '../../shared/language.ts';
import type { PaymentMethod } from '../../shared/methods.ts';

const pt = {
  title: 'Fecho do dia {day}',
  test: 'AMBIENTE DE TESTES · não há dinheiro a receber',
  closed: 'Fechado em {at}',
  running: 'O dia ainda decorre: estes montantes podem mudar.',
  taken: 'Recebido',
  fees: 'Comissões',
  bankFees: 'Comissões do banco',
  refunded: 'Devolvido',
  manual: 'Devolvido por outra via',
  expected: 'O banco deve creditar',
  credited: 'Creditado',
  awaited: 'Por creditar',
  difference: 'Diferença',
  explained: 'Diferença explicada',
  unexplained: 'Diferença por explicar',
  count: 'Mov.',
  accounts: 'Por conta',
  account: 'Conta',
  methods: 'Por forma de pagamento',
  method: 'Forma de pagamento',
  cashiers: 'Por quem cobrou',
  cashier: 'Quem cobrou',
  payer: 'Clientes (links e páginas)',
  unknown: 'Pessoa retirada',
  differences: 'Diferenças e explicações',
  notExplained: 'Por explicar.',
  explainedBy: '{reason} {note} — {name}, {at}',
  changed: 'Mudou depois do fecho: {n} movimentos. Antes eram esperados {amount}.',
  period: 'período {period}',
  checked: 'Conferido por',
  date: 'Data',
  page: 'Página {n} de {all}',
  made: 'Emitido em {at}. As horas são as de Luanda. O dia fecha às 20:00.',
};

type Texts = typeof pt;

const en: Texts = {
  title: 'Daily close of {day}',
  test: 'TEST ENVIRONMENT · no money is due',
  closed: 'Closed on {at}',
  running: 'The day is still in progress: these amounts may change.',
  taken: 'Received',
  fees: 'Fees',
  bankFees: 'Bank fees',
  refunded: 'Refunded',
  manual: 'Refunded another way',
  expected: 'The bank should credit',
  credited: 'Credited',
  awaited: 'Awaited credit',
  difference: 'Difference',
  explained: 'Explained difference',
  unexplained: 'Unexplained difference',
  count: 'No.',
  accounts: 'By account',
  account: 'Account',
  methods: 'By payment method',
  method: 'Payment method',
  cashiers: 'By cashier',
  cashier: 'Cashier',
  payer: 'Customers (links and pages)',
  unknown: 'Removed person',
  differences: 'Differences and explanations',
  notExplained: 'Not explained.',
  explainedBy: '{reason} {note} — {name}, {at}',
  changed: 'Changed after the close: {n} movements. The expected amount was {amount}.',
  period: 'period {period}',
  checked: 'Checked by',
  date: 'Date',
  page: 'Page {n} of {all}',
  made: 'Issued on {at}. Times are those of Luanda. The day closes at 20:00.',
};

const fr: Texts = {
  title: 'Clôture du {day}',
  test: 'ENVIRONNEMENT DE TEST · aucune somme n’est due',
  closed: 'Clôturée le {at}',
  running: 'La journée est en cours : ces montants peuvent changer.',
  taken: 'Reçu',
  fees: 'Commissions',
  bankFees: 'Commissions de la banque',
  refunded: 'Remboursé',
  manual: 'Remboursé autrement',
  expected: 'La banque doit créditer',
  credited: 'Crédité',
  awaited: 'Crédit à venir',
  difference: 'Écart',
  explained: 'Écart expliqué',
  unexplained: 'Écart à expliquer',
  count: 'Nb',
  accounts: 'Par compte',
  account: 'Compte',
  methods: 'Par moyen de paiement',
  method: 'Moyen de paiement',
  cashiers: 'Par personne',
  cashier: 'Personne',
  payer: 'Clients (liens et pages)',
  unknown: 'Personne retirée',
  differences: 'Écarts et explications',
  notExplained: 'À expliquer.',
  explainedBy: '{reason} {note} — {name}, {at}',
  changed: 'Modifiée après la clôture : {n} mouvements. Le montant attendu était de {amount}.',
  period: 'période {period}',
  checked: 'Vérifié par',
  date: 'Date',
  page: 'Page {n} sur {all}',
  made: 'Émis le {at}. Les heures sont celles de Luanda. La journée se clôt à 20 h.',
};

export const DAY_TEXTS: Record<Language, Texts> = { pt, en, fr };

type Words<Name extends string> = Record<Name, Record<Language, string>>;

/** The status of a day in words. */
export const STATUS_WORDS = {
  differs: { pt: 'Não confere', en: 'Does not match', fr: 'Non conforme' },
  open: { pt: 'A decorrer', en: 'In progress', fr: 'En cours' },
  waiting: { pt: 'À espera do crédito', en: 'Awaiting credit', fr: 'En attente du crédit' },
  explained: { pt: 'Diferença explicada', en: 'Difference explained', fr: 'Écart expliqué' },
  balanced: { pt: 'Confere', en: 'Matches', fr: 'Conforme' },
} as const satisfies Words<DayStatus>;

/** The reason of an explanation in words. */
export const REASON_WORDS: Words<ExplanationReason> = {
  next_period: {
    pt: 'O banco credita com outro dia.',
    en: 'The bank credits it with another day.',
    fr: 'La banque le crédite avec un autre jour.',
  },
  refund: {
    pt: 'Uma devolução que só um dos lados registou.',
    en: 'A refund that only one side has recorded.',
    fr: 'Un remboursement enregistré d’un seul côté.',
  },
  rail: { pt: 'O prestador corrige.', en: 'The provider corrects it.', fr: 'Le prestataire corrige.' },
  bank: { pt: 'O banco corrige.', en: 'The bank corrects it.', fr: 'La banque corrige.' },
  other: { pt: 'Outro motivo:', en: 'Another reason:', fr: 'Autre motif :' },
};

export const METHOD_WORDS: Words<PaymentMethod> = {
  webframe: { pt: 'Página de pagamento', en: 'Payment page', fr: 'Page de paiement' },
  onetimepurchase: { pt: 'Multicaixa Express', en: 'Multicaixa Express', fr: 'Multicaixa Express' },
  authorization: { pt: 'Reserva', en: 'Reservation', fr: 'Réservation' },
  capture: { pt: 'Cobrança de reserva', en: 'Capture', fr: 'Encaissement' },
  qrcode: { pt: 'Código QR', en: 'QR code', fr: 'Code QR' },
  reference: { pt: 'Referência', en: 'Reference', fr: 'Référence' },
};

/** The names of the gateway's own accounts, which have no label. */
export const OWN_ACCOUNTS: Partial<Record<string, Record<Language, string>>> = {
  gpo: { pt: 'Multicaixa Express', en: 'Multicaixa Express', fr: 'Multicaixa Express' },
  ppr: { pt: 'Referências', en: 'References', fr: 'Références' },
};
