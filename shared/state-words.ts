// The words of values that only the gateway writes: statuses, types, methods. The console and the CSV files show them.
// The words of a payment's standing are in standing.ts.
import type { DayStatus, ExplanationReason, MovementType, SettlementStatus } from './books.ts';
import type { Language } from './language.ts';
import type { PaymentMethod, PaymentType } from './methods.ts';
import type { ReferenceStatus, ReferenceType } from './reference.ts';
import type { RefundMethod, RefundStatus } from './refund.ts';
import type { ShiftStatus } from './shift.ts';
import { STANDING_WORDS } from './standing.ts';
import type { FailureCode, PaymentStatus } from './status.ts';

/** A word in each language. */
export type Words = Readonly<Record<Language, string>>;

/** The words of each value of a type. */
export type WordTable<Value extends string = string> = Readonly<Record<Value, Words>>;

export const PAYMENT_STATUS_WORDS = {
  Pending: STANDING_WORDS.pending,
  Processing: STANDING_WORDS.processing,
  Authorized: STANDING_WORDS.authorized,
  Captured: STANDING_WORDS.captured,
  Paid: STANDING_WORDS.paid,
  Failed: STANDING_WORDS.failed,
  Canceled: STANDING_WORDS.canceled,
  Expired: STANDING_WORDS.expired,
} as const satisfies WordTable<PaymentStatus>;

export const PAYMENT_METHOD_WORDS = {
  webframe: { pt: 'Página de pagamento', en: 'Payment page', fr: 'Page de paiement' },
  onetimepurchase: { pt: 'Multicaixa Express', en: 'Multicaixa Express', fr: 'Multicaixa Express' },
  authorization: { pt: 'Reserva', en: 'Reservation', fr: 'Réservation' },
  capture: { pt: 'Cobrança de reserva', en: 'Capture', fr: 'Encaissement' },
  qrcode: { pt: 'Código QR', en: 'QR code', fr: 'Code QR' },
  reference: { pt: 'Referência', en: 'Reference', fr: 'Référence' },
} as const satisfies WordTable<PaymentMethod>;

export const PAYMENT_TYPE_WORDS = {
  GPO: { pt: 'Multicaixa Express', en: 'Multicaixa Express', fr: 'Multicaixa Express' },
  PPR: { pt: 'Referência', en: 'Reference', fr: 'Référence' },
} as const satisfies WordTable<PaymentType>;

/** The accounts of the node itself, by their ids. A merchant's own account has the label of the merchant. */
export const OWN_ACCOUNT_WORDS = {
  gpo: { pt: 'Multicaixa Express', en: 'Multicaixa Express', fr: 'Multicaixa Express' },
  ppr: { pt: 'Referências', en: 'References', fr: 'Références' },
} as const satisfies WordTable;

export const REFERENCE_STATUS_WORDS = {
  Pending: { pt: 'Por pagar', en: 'Unpaid', fr: 'À payer' },
  Paid: { pt: 'Paga', en: 'Paid', fr: 'Payée' },
  Canceled: { pt: 'Retirada', en: 'Withdrawn', fr: 'Retirée' },
  Expired: { pt: 'Fora do prazo', en: 'Expired', fr: 'Expirée' },
} as const satisfies WordTable<ReferenceStatus>;

export const REFERENCE_TYPE_WORDS = {
  Dynamic: { pt: 'Pagamento único', en: 'Single payment', fr: 'Paiement unique' },
  Charging: { pt: 'Pagamento repetido', en: 'Repeated payment', fr: 'Paiement répété' },
} as const satisfies WordTable<ReferenceType>;

/** The API's contract of a reference. */
export const CONTRACT_WORDS = {
  current: { pt: 'actual', en: 'current', fr: 'actuel' },
  legacy: { pt: 'antigo, sem callbacks', en: 'old, without callbacks', fr: 'ancien, sans callbacks' },
} as const satisfies WordTable;

export const REFUND_STATUS_WORDS = {
  Pending: { pt: 'A aguardar', en: 'Waiting', fr: 'En attente' },
  Processing: { pt: 'Em curso', en: 'In progress', fr: 'En cours' },
  Succeeded: { pt: 'Devolvido', en: 'Refunded', fr: 'Remboursé' },
  Failed: { pt: 'Recusada', en: 'Declined', fr: 'Refusé' },
  Canceled: { pt: 'Retirada', en: 'Withdrawn', fr: 'Retiré' },
} as const satisfies WordTable<RefundStatus>;

export const REFUND_METHOD_WORDS = {
  rail: { pt: 'pelo prestador', en: 'by the provider', fr: 'par le prestataire' },
  manual: { pt: 'por outra via', en: 'another way', fr: 'autrement' },
} as const satisfies WordTable<RefundMethod>;

export const MOVEMENT_WORDS = {
  payment: { pt: 'pagamento', en: 'payment', fr: 'paiement' },
  capture: { pt: 'cobrança de reserva', en: 'capture', fr: 'encaissement' },
  scan: { pt: 'código QR', en: 'QR code', fr: 'code QR' },
  reference: { pt: 'referência', en: 'reference', fr: 'référence' },
  refund: { pt: 'devolvido', en: 'refunded', fr: 'remboursé' },
  manual: { pt: 'devolvido por outra via', en: 'refunded another way', fr: 'remboursé autrement' },
} as const satisfies WordTable<MovementType>;

export const SETTLEMENT_WORDS = {
  open: { pt: 'Por conferir', en: 'To check', fr: 'À vérifier' },
  balanced: { pt: 'Confere', en: 'Matches', fr: 'Conforme' },
  differs: { pt: 'Não confere', en: 'Does not match', fr: 'Non conforme' },
  explained: { pt: 'Diferença explicada', en: 'Difference explained', fr: 'Écart expliqué' },
} as const satisfies WordTable<SettlementStatus>;

export const DAY_STATUS_WORDS = {
  differs: SETTLEMENT_WORDS.differs,
  open: { pt: 'A decorrer', en: 'In progress', fr: 'En cours' },
  waiting: { pt: 'À espera do crédito', en: 'Awaiting credit', fr: 'En attente du crédit' },
  explained: SETTLEMENT_WORDS.explained,
  balanced: SETTLEMENT_WORDS.balanced,
} as const satisfies WordTable<DayStatus>;

export const SHIFT_STATUS_WORDS = {
  open: { pt: 'Aberto', en: 'Open', fr: 'Ouvert' },
  closed: { pt: 'Fechado', en: 'Closed', fr: 'Fermé' },
} as const satisfies WordTable<ShiftStatus>;

/** The reasons of explained differences. */
export const EXPLANATION_WORDS = {
  next_period: {
    pt: 'O banco credita com outro dia',
    en: 'The bank credits it with another day',
    fr: 'La banque le crédite avec un autre jour',
  },
  refund: {
    pt: 'Uma devolução que só um dos lados registou',
    en: 'A refund that only one side has recorded',
    fr: 'Un remboursement enregistré d’un seul côté',
  },
  rail: { pt: 'O prestador corrige', en: 'The provider corrects it', fr: 'Le prestataire corrige' },
  bank: { pt: 'O banco corrige', en: 'The bank corrects it', fr: 'La banque corrige' },
  other: { pt: 'Outro motivo', en: 'Another reason', fr: 'Autre motif' },
} as const satisfies WordTable<ExplanationReason>;

export const FAILURE_WORDS = {
  customer_refused: { pt: 'o cliente recusou', en: 'the customer declined', fr: 'le client a refusé' },
  insufficient_funds: { pt: 'saldo insuficiente', en: 'insufficient balance', fr: 'solde insuffisant' },
  limit_exceeded: {
    pt: 'acima do limite do cliente',
    en: 'above the customer’s limit',
    fr: 'au-delà de la limite du client',
  },
  number_not_active: {
    pt: 'o número não tem Multicaixa Express',
    en: 'the number has no Multicaixa Express',
    fr: 'le numéro n’a pas Multicaixa Express',
  },
  timed_out: {
    pt: 'o cliente não respondeu a tempo',
    en: 'the customer did not answer in time',
    fr: 'le client n’a pas répondu à temps',
  },
  terminal_closed: { pt: 'o terminal está fechado', en: 'the terminal is closed', fr: 'le terminal est fermé' },
  issuer_refused: {
    pt: 'o banco do cliente recusou',
    en: 'the customer’s bank declined',
    fr: 'la banque du client a refusé',
  },
  rail_unavailable: {
    pt: 'o prestador não respondeu; nada foi cobrado',
    en: 'the provider did not answer; nothing was charged',
    fr: 'le prestataire n’a pas répondu\u00a0; rien n’a été encaissé',
  },
  acquirer_setup: {
    pt: 'o contrato ainda não está preparado no prestador',
    en: 'the contract is not ready at the provider',
    fr: 'le contrat n’est pas prêt chez le prestataire',
  },
} as const satisfies WordTable<FailureCode>;

/** The statuses of an SMS, by their names in the API. */
export const SMS_STATUS_WORDS = {
  Pendente: { pt: 'A enviar', en: 'Sending', fr: 'En cours' },
  Enviado: { pt: 'Na rede', en: 'On the network', fr: 'Sur le réseau' },
  Entregue: { pt: 'Entregue', en: 'Delivered', fr: 'Remis' },
  Falhado: { pt: 'Não entregue', en: 'Not delivered', fr: 'Non remis' },
} as const satisfies WordTable;

/** The ways in which a person refused SMS. */
export const OPT_OUT_WORDS = {
  reply: { pt: 'resposta por SMS', en: 'reply by SMS', fr: 'réponse par SMS' },
  page: { pt: 'página da mensagem', en: 'page of the message', fr: 'page du message' },
  merchant: { pt: 'registado pela loja', en: 'recorded by the shop', fr: 'enregistré par la boutique' },
} as const satisfies WordTable;

/** Returns a table's words in one language. The key of each word is the prefix and the value. */
export function textsOfWords<Prefix extends string, Value extends string>(
  prefix: Prefix,
  table: WordTable<Value>,
  language: Language,
) {
  const entries = Object.entries<Words>(table).map(([value, words]) => [`${prefix}${value}`, words[language]]);
  return Object.fromEntries(entries) as Record<`${Prefix}${Value}`, string>;
}
