// The API's types and operations. Generated from /openapi.json by `npm run client`: do not edit by hand.
import type { CallOptions, Listing } from './call.ts';

export type TokenRequest = {
  grant_type: 'client_credentials' | 'password' | 'refresh_token' | 'urn:balcao:params:oauth:grant-type:mfa-otp';
  /** `web` is the platform’s own client, without secret, for people */
  client_id?: string;
  client_secret?: string;
  /** Scopes separated by spaces. Absent: all allowed scopes */
  scope?: string;
  /** With `password`: the e-mail address */
  username?: string;
  password?: string;
  /** `password` with `web`: the merchant. Absent: the oldest access */
  merchant_id?: string;
  refresh_token?: string;
  mfa_token?: string;
  /** A code of the authenticator, or a recovery code */
  otp?: string;
};

export type RevokeRequest = {
  token: string;
  token_type_hint?: string;
  client_id?: string;
  client_secret?: string;
};

export type GpoCreation = {
  /** Major units, 0.01 to 10000000 */
  amount: number;
  /** Three capital letters, such as `AOA` */
  currency: string;
  paymentType: 'GPO';
  /** 1 to 15 characters: unaccented letters, digits and `. _ / -`, with spaces only between them */
  reference: string;
  /** At most 4000 characters */
  description?: string | null;
  metadata?: GpoCreationMetadata | null;
};

export type PprCreation = {
  /** Dynamic: required, 0.01 to 10000000. Charging: 0 or absent lets the payer choose */
  amount?: number | null;
  /** Three capital letters, such as `AOA` */
  currency: string;
  paymentType: 'PPR';
  /** 9 to 15 digits; absent or empty: 9 digits are generated */
  reference?: string | null;
  /** At most 4000 characters */
  description?: string | null;
  metadata?: PprCreationMetadata | null;
};

export type BankMapping = {
  /** Default: the sign that separates most lines of the file */
  separator?: '\t' | ';' | ',' | '|';
  /** If set, amounts with another decimal sign are refused */
  decimal?: ',' | '.';
  /** Number of the column, from 1, or its heading */
  date?: number | string;
  /** Unused if `debit` or `credit` is set */
  amount?: number | string;
  description?: number | string;
  /** Column of debits, if they have their own */
  debit?: number | string;
  credit?: number | string;
};

export type ReferenceCallback = {
  /** The rail’s id of the transaction */
  idTransacao: string;
  /** The rail’s number of the transaction */
  numLogSistema: string | null;
  /** The clearing period of the transaction */
  idLogSistema: string | null;
  /** When the payer paid */
  dataTransaccaoCliente: string;
  /** The paid amount in major units. Compare it with the amount that you requested */
  montantePago: number;
  /** The channel: `ATM`, `POS`, `IB` (internet banking), `MB` (the app) */
  tipoTerminal: string | null;
  iIdentTerminal: string | null;
  localidadeTerminal: string | null;
  /** The reference, with leading zeros */
  refPagamento: string;
  /** The permanent id of the transaction: `transactions[].id` of the payment */
  Id: string;
  /** The payer’s account, if the rail reports it */
  nib: string | null;
  /** The payer’s bank, if the rail reports it */
  banco: string | null;
  paymentMethod: 'reference';
  /**
   * The payer’s document number, mostly the tax number (NIF), from the payment request or from the
   * payer
   */
  documentNumber: string | null;
};

export type QrCallback = {
  /** When the payer scanned the code */
  creationDate: string;
  /** When the rail accepted the scan */
  updatedDate: string;
  /** The rail’s permanent id of the transaction */
  id: string;
  /** The paid amount in major units */
  amount: number;
  clearingPeriod: string | null;
  transactionNumber: string | null;
  /** No callback is sent for a refused scan */
  status: 'ACCEPTED';
  transactionType: string | null;
  orderOrigin: string | null;
  currency: string;
  /** The payment’s `reference`, from your request */
  merchantReferenceNumber: string;
  paymentMethod: 'qrcode';
  /**
   * The payer’s document number, mostly the tax number (NIF), from the payment request or from the
   * payer
   */
  documentNumber: string | null;
};

export type PaymentEvent = {
  /** The event’s id, the same in feed, stream and webhooks. Use it to detect repeats */
  id: string;
  type:
    | 'payment.created'
    | 'payment.processing'
    | 'payment.authorized'
    | 'payment.captured'
    | 'payment.paid'
    | 'payment.failed'
    | 'payment.canceled'
    | 'payment.expired'
    | 'payment.attempt_failed'
    | 'payment.failed_over'
    | 'payment.transaction_accepted'
    | 'payment.amount_mismatch'
    | 'payment.overpaid'
    | 'payment.resolved'
    | 'payment.stuck';
  occurredAt: string;
  paymentId: string;
  /** The status after the event */
  status: string | null;
  /** Further fields by type, for instance the transactionId of received money */
  details: Record<string, unknown>;
  /**
   * The payment’s details right after the event, with its newest 20 transactions. null: the event
   * concerns no payment. Two parts show the current state instead: the payment of `callback.*`
   * events, and the fields `referenceStatus` and `registeredAt`.
   */
  data: Payment;
};

export type RefundEvent = {
  /** The event’s id, the same in feed, stream and webhooks. Use it to detect repeats */
  id: string;
  type:
    | 'refund.created'
    | 'refund.processing'
    | 'refund.succeeded'
    | 'refund.failed'
    | 'refund.canceled'
    | 'refund.stuck'
    | 'refund.excess';
  occurredAt: string;
  paymentId: string;
  /** The status after the event */
  status: string | null;
  /** Further fields by type, for instance the transactionId of received money */
  details: Record<string, unknown>;
  /**
   * The payment’s details right after the event, with its newest 20 transactions. null: the event
   * concerns no payment. Two parts show the current state instead: the payment of `callback.*`
   * events, and the fields `referenceStatus` and `registeredAt`.
   */
  data: Payment;
};

export type ReferenceEvent = {
  /** The event’s id, the same in feed, stream and webhooks. Use it to detect repeats */
  id: string;
  type:
    | 'reference.registered'
    | 'reference.registration_failed'
    | 'reference.paid'
    | 'reference.canceled'
    | 'reference.expired'
    | 'reference.withdrawn'
    | 'reference.withdrawal_failed'
    | 'reference.unknown_paid';
  occurredAt: string;
  paymentId: string | null;
  /** The status after the event */
  status: string | null;
  /** Further fields by type, for instance the transactionId of received money */
  details: Record<string, unknown>;
  /**
   * The payment’s details right after the event, with its newest 20 transactions. null: the event
   * concerns no payment. Two parts show the current state instead: the payment of `callback.*`
   * events, and the fields `referenceStatus` and `registeredAt`.
   */
  data: Payment | null;
};

export type LinkEvent = {
  /** The event’s id, the same in feed, stream and webhooks. Use it to detect repeats */
  id: string;
  type: 'link.created' | 'link.changed' | 'link.withdrawn' | 'link.sold_out' | 'link.oversold';
  occurredAt: string;
  paymentId: null;
  /** The status after the event */
  status: string | null;
  /** Further fields by type, for instance the transactionId of received money */
  details: Record<string, unknown>;
  /** The event concerns no payment */
  data: null;
};

export type TerminalEvent = {
  /** The event’s id, the same in feed, stream and webhooks. Use it to detect repeats */
  id: string;
  type: 'terminal.opening' | 'terminal.open' | 'terminal.closing' | 'terminal.closed' | 'terminal.stuck';
  occurredAt: string;
  paymentId: null;
  /** The status after the event */
  status: string | null;
  /** Further fields by type, for instance the transactionId of received money */
  details: Record<string, unknown>;
  /** The event concerns no payment */
  data: null;
};

export type CallbackEvent = {
  /** The event’s id, the same in feed, stream and webhooks. Use it to detect repeats */
  id: string;
  type:
    | 'callback.delivered'
    | 'callback.failed'
    | 'callback.abandoned'
    | 'callback.endpoint_failing'
    | 'callback.endpoint_recovered';
  occurredAt: string;
  paymentId: string | null;
  /** The status after the event */
  status: string | null;
  /** Further fields by type, for instance the transactionId of received money */
  details: Record<string, unknown>;
  /**
   * The payment’s details right after the event, with its newest 20 transactions. null: the event
   * concerns no payment. Two parts show the current state instead: the payment of `callback.*`
   * events, and the fields `referenceStatus` and `registeredAt`.
   */
  data: Payment | null;
};

export type WebhookEndpointEvent = {
  /** The event’s id, the same in feed, stream and webhooks. Use it to detect repeats */
  id: string;
  type: 'webhook.endpoint_failing' | 'webhook.endpoint_recovered' | 'webhook.test';
  occurredAt: string;
  paymentId: null;
  /** The status after the event */
  status: string | null;
  /** Further fields by type, for instance the transactionId of received money */
  details: Record<string, unknown>;
  /** The event concerns no payment */
  data: null;
};

export type AccessEvent = {
  /** The event’s id, the same in feed, stream and webhooks. Use it to detect repeats */
  id: string;
  type: 'access.granted' | 'access.changed' | 'access.revoked';
  occurredAt: string;
  paymentId: null;
  /** The status after the event */
  status: string | null;
  /** Further fields by type, for instance the transactionId of received money */
  details: Record<string, unknown>;
  /** The event concerns no payment */
  data: null;
};

export type ClientEvent = {
  /** The event’s id, the same in feed, stream and webhooks. Use it to detect repeats */
  id: string;
  type: 'client.created' | 'client.rotated' | 'client.revoked';
  occurredAt: string;
  paymentId: null;
  /** The status after the event */
  status: string | null;
  /** Further fields by type, for instance the transactionId of received money */
  details: Record<string, unknown>;
  /** The event concerns no payment */
  data: null;
};

export type InvoiceEvent = {
  /** The event’s id, the same in feed, stream and webhooks. Use it to detect repeats */
  id: string;
  type: 'invoice.issued' | 'invoice.certified' | 'invoice.credited';
  occurredAt: string;
  paymentId: null;
  /** The status after the event */
  status: string | null;
  /** Further fields by type, for instance the transactionId of received money */
  details: Record<string, unknown>;
  /** The event concerns no payment */
  data: null;
};

export type SmsEvent = {
  /** The event’s id, the same in feed, stream and webhooks. Use it to detect repeats */
  id: string;
  type: 'sms.balance_low';
  occurredAt: string;
  paymentId: null;
  /** The status after the event */
  status: string | null;
  /** Further fields by type, for instance the transactionId of received money */
  details: Record<string, unknown>;
  /** The event concerns no payment */
  data: null;
};

export type SettlementEvent = {
  /** The event’s id, the same in feed, stream and webhooks. Use it to detect repeats */
  id: string;
  type: 'settlement.difference';
  occurredAt: string;
  paymentId: null;
  /** The status after the event */
  status: string | null;
  /** Further fields by type, for instance the transactionId of received money */
  details: Record<string, unknown>;
  /** The event concerns no payment */
  data: null;
};

export type TokenAnswer = {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  scope: string;
  /** People only: gets the next access token; works once */
  refresh_token?: string;
  /** The merchant of the token. Null for a person without a merchant */
  merchant_id: string | null;
};

export type OAuthError = {
  error: string;
  error_description: string;
  /** With `mfa_required`: send it with the code */
  mfa_token?: string;
  /** With `mfa_required`: lifetime of mfa_token in seconds */
  expires_in?: number;
};

/** An RFC 9457 problem. `code` is stable. `errors` names every wrong field by its JSON pointer. */
export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code:
    | 'link_invalid'
    | 'user_required'
    | 'role_not_grantable'
    | 'last_owner'
    | 'too_many_clients'
    | 'too_many_members'
    | 'too_many_merchants'
    | 'mfa_enabled'
    | 'mfa_not_enrolled'
    | 'client_not_grantable'
    | 'too_many_failures'
    | 'insufficient_sms_balance'
    | 'sms_unavailable'
    | 'schedule_not_cancelable'
    | 'opt_out_theirs'
    | 'recipient_opted_out'
    | 'sms_list_full'
    | 'callback_not_configured'
    | 'endpoint_not_configured'
    | 'too_many_webhooks'
    | 'capture_exceeds_authorization'
    | 'payment_not_paid'
    | 'nothing_to_refund'
    | 'refund_unsupported'
    | 'refund_in_progress'
    | 'refund_not_cancelable'
    | 'refund_exceeds'
    | 'refund_whole_only'
    | 'transaction_required'
    | 'nothing_to_resolve'
    | 'cashier_limit'
    | 'period_open'
    | 'bank_file_known'
    | 'bank_line_unclear'
    | 'credit_not_reversible'
    | 'no_difference'
    | 'difference_changed'
    | 'link_changed'
    | 'link_withdrawn'
    | 'too_many_articles'
    | 'article_name_taken'
    | 'shift_closed'
    | 'cash_not_taken'
    | 'receipt_unavailable'
    | 'too_many_receipts'
    | 'malformed_json'
    | 'nesting_too_deep'
    | 'validation_failed'
    | 'invalid_text'
    | 'custom_metadata_not_allowed'
    | 'amount_precision'
    | 'amount_out_of_range'
    | 'rail_account_in_use'
    | 'too_many_rail_accounts'
    | 'method_not_supported'
    | 'payment_method_unavailable'
    | 'gpo_id_not_assigned'
    | 'gpo_id_required'
    | 'origin_not_registered'
    | 'currency_not_supported'
    | 'invalid_reference'
    | 'reference_in_use'
    | 'entity_not_assigned'
    | 'authorization_not_found'
    | 'url_not_allowed'
    | 'cursor_invalid'
    | 'supervisor_required'
    | 'prefetch_refused'
    | 'idempotency_key_invalid'
    | 'invalid_token'
    | 'insufficient_scope'
    | 'supervisor_refused'
    | 'not_found'
    | 'method_not_allowed'
    | 'reference_in_flight'
    | 'idempotency_in_progress'
    | 'state_conflict'
    | 'payment_not_payable'
    | 'payment_in_progress'
    | 'payment_not_replaceable'
    | 'authorization_busy'
    | 'authorization_not_capturable'
    | 'payment_not_cancelable'
    | 'reference_not_cancelable'
    | 'terminal_closed'
    | 'terminal_busy'
    | 'reference_not_offered'
    | 'payment_replaced'
    | 'attempts_exhausted'
    | 'precondition_failed'
    | 'body_too_large'
    | 'too_many_references'
    | 'unsupported_media_type'
    | 'idempotency_key_reused'
    | 'too_many_requests'
    | 'too_many_exports'
    | 'too_many_erasures'
    | 'too_many_pushes'
    | 'internal_error'
    | 'references_exhausted'
    | 'rail_unavailable'
    | 'service_unavailable';
  errors?: Array<FieldFault>;
  /** With `reference_in_flight`: the payment that has the reference */
  internalId?: string;
  /** With `link_changed`: the current link */
  current?: Record<string, unknown>;
  /** With `payment_replaced`: the payment that replaces this one */
  replacedBy?: string;
  /** With `rail_account_in_use`: the number of open orders of the account */
  open?: number;
  /** With `cashier_limit`: the amount that a cashier may refund a day */
  limit?: string;
  /** With `cashier_limit`: the amount that this cashier has refunded today */
  given?: string;
  /** With `cashier_limit`: the currency of both amounts */
  currency?: string;
  /** With `insufficient_sms_balance`: the available units */
  saldoAtual?: number;
  /** With `insufficient_sms_balance`: the required units */
  unidades?: number;
  /** With `bank_line_unclear`: the matching lines of the file */
  lines?: Array<MatchingBankLine>;
};

export type Message = {
  message: string;
};

export type Profile = {
  id: string;
  email: string;
  firstName: string;
  lastName: string;
  /** E.164 */
  phoneNumber: string | null;
  language: 'pt' | 'en' | 'fr';
  /** Groups of notifications by mail. null: money and access for Owner and Administrator, else none */
  noticeMail: Array<'money' | 'access' | 'connections'> | null;
  emailVerifiedAt: string | null;
  mfaEnabled: boolean;
  recoveryCodesLeft: number;
  createdAt: string;
  /** Merchants that the person has access to, oldest access first */
  merchants: Array<ProfileMerchant>;
};

export type Session = {
  id: string;
  /** `web`, `console` (a browser), or the API client of the sign-in */
  clientId: string;
  merchantId: string | null;
  /** IP address of the last use */
  address: string | null;
  userAgent: string | null;
  createdAt: string;
  /** When a token was last issued for it */
  lastUsedAt: string;
  /** True for the session of this request */
  isCurrent: boolean;
};

export type TotpEnrolment = {
  /** Base32, for typing it into an authenticator */
  secret: string;
  otpauthUri: string;
  /** The URI as QR code: an SVG image in a data: URL */
  qrCode: string;
};

export type RecoveryCodes = {
  /** Each works once instead of a code of the authenticator */
  recoveryCodes: Array<string>;
};

export type CreatedPayment = {
  id: string;
  internalId: string;
  reference: string;
  amount: number;
  currency: string;
  paymentType: 'GPO' | 'PPR';
  paymentMethod: 'webframe' | 'onetimepurchase' | 'authorization' | 'capture' | 'qrcode' | 'reference' | (string & {});
  status: 'Pending' | 'Processing' | 'Authorized' | 'Captured' | 'Paid' | 'Failed' | 'Canceled' | 'Expired';
  /** How much of the money was refunded */
  refundStatus: 'none' | 'partial' | 'full';
  /** The kind of money that a person must refund, complete or resolve. null: no kind, or resolved */
  attention: 'overpaid' | 'amount_mismatch' | 'late_money' | 'canceled_with_money' | null;
  /**
   * What the console and files show: the status, or the difference of its money that the status
   * hides
   */
  standing:
    | 'pending'
    | 'processing'
    | 'authorized'
    | 'captured'
    | 'paid'
    | 'refused'
    | 'timed_out'
    | 'failed'
    | 'canceled'
    | 'expired'
    | 'overpaid'
    | 'short_paid'
    | 'other_amount'
    | 'paid_late'
    | 'reserved_late'
    | 'canceled_with_money'
    | 'partly_refunded'
    | 'refunded';
  /** amount_mismatch, overpaid, recovered */
  flags: Array<string>;
  createdAt: string;
  /** The person who charged. Null for API clients, and for payers of a link */
  createdBy: string | null;
  customMetadata: Record<string, unknown> | null;
  merchantId: string;
  /** The API client that charged. Null for people and payers */
  createdByClient: string | null;
  /** The person who canceled. Null for API clients and without a cancellation */
  canceledBy: string | null;
  /** The API client that canceled. Null for people */
  canceledByClient: string | null;
  /** The open shift of the person who charged */
  shiftId: string | null;
  entity: string | null;
  /** Sum of accepted transactions */
  amountPaid: number;
  /** What of it was given back */
  amountRefunded: number;
  /** capture: the authorization it takes from */
  authorizationId: string | null;
  /** authorization: what the provider really reserved */
  amountAuthorized: number | null;
  /** authorization: what was captured of it; the rest is released */
  amountCaptured: number | null;
  /** authorization: what is under way */
  operation: 'capturing' | 'voiding' | null;
  /** qrcode: payments it accepts */
  maxTransactions: number | null;
  /** qrcode: payments it has accepted */
  acceptedTransactions: number | null;
  /** Money, or a reservation, came after the payment had ended */
  late: boolean;
  /** When a person resolved the attention. Later odd money clears it */
  resolvedAt: string | null;
  /** internalId of the payment that replaced this one */
  replacedBy: string | null;
  /** internalId of the payment that this one replaces */
  replaces: string | null;
  /** The payment link that it was begun by */
  linkId: string | null;
  completedAt: string | null;
  expiresAt: string | null;
  description: string | null;
  customer: Customer;
  customerEmail: string | null;
  customerName: string | null;
  customerTelephone: string | null;
  /** The payer’s document, mostly the tax number (NIF) */
  documentNumber: string | null;
  /** PPR */
  referenceType: 'Dynamic' | 'Charging' | null;
  /** PPR: whether the reference can be paid */
  referenceStatus: 'Pending' | 'Paid' | 'Canceled' | 'Expired' | null;
  /** PPR: since when the provider knows it; payable from then on */
  registeredAt: string | null;
  failure: PaymentFailure | null;
  transactions: Array<Transaction>;
  checkoutUrl: string;
  clientToken: string;
  /** qrcode with Prefer: return=representation, or with an Accept of JSON only */
  qrCode?: QrCode;
  /** What the gateway read otherwise than you may have meant, such as an unknown `paymentMethod` */
  warnings?: Array<FieldFault>;
};

export type ListedPayment = {
  id: string;
  internalId: string;
  reference: string;
  amount: number;
  currency: string;
  paymentType: 'GPO' | 'PPR';
  paymentMethod: 'webframe' | 'onetimepurchase' | 'authorization' | 'capture' | 'qrcode' | 'reference' | (string & {});
  status: 'Pending' | 'Processing' | 'Authorized' | 'Captured' | 'Paid' | 'Failed' | 'Canceled' | 'Expired';
  /** How much of the money was refunded */
  refundStatus: 'none' | 'partial' | 'full';
  /** The kind of money that a person must refund, complete or resolve. null: no kind, or resolved */
  attention: 'overpaid' | 'amount_mismatch' | 'late_money' | 'canceled_with_money' | null;
  /**
   * What the console and files show: the status, or the difference of its money that the status
   * hides
   */
  standing:
    | 'pending'
    | 'processing'
    | 'authorized'
    | 'captured'
    | 'paid'
    | 'refused'
    | 'timed_out'
    | 'failed'
    | 'canceled'
    | 'expired'
    | 'overpaid'
    | 'short_paid'
    | 'other_amount'
    | 'paid_late'
    | 'reserved_late'
    | 'canceled_with_money'
    | 'partly_refunded'
    | 'refunded';
  /** amount_mismatch, overpaid, recovered */
  flags: Array<string>;
  createdAt: string;
  /** The person who charged. Null for API clients, and for payers of a link */
  createdBy: string | null;
  customMetadata: Record<string, unknown> | null;
};

export type PaymentSums = {
  /** The payments of all pages */
  payments: number;
  /** False: there are more payments than these, and `sums` is empty */
  isComplete: boolean;
  /** For each currency: the accepted money, what was given back, and the difference */
  sums: Array<PaymentSum>;
};

export type Payment = {
  id: string;
  internalId: string;
  reference: string;
  amount: number;
  currency: string;
  paymentType: 'GPO' | 'PPR';
  paymentMethod: 'webframe' | 'onetimepurchase' | 'authorization' | 'capture' | 'qrcode' | 'reference' | (string & {});
  status: 'Pending' | 'Processing' | 'Authorized' | 'Captured' | 'Paid' | 'Failed' | 'Canceled' | 'Expired';
  /** How much of the money was refunded */
  refundStatus: 'none' | 'partial' | 'full';
  /** The kind of money that a person must refund, complete or resolve. null: no kind, or resolved */
  attention: 'overpaid' | 'amount_mismatch' | 'late_money' | 'canceled_with_money' | null;
  /**
   * What the console and files show: the status, or the difference of its money that the status
   * hides
   */
  standing:
    | 'pending'
    | 'processing'
    | 'authorized'
    | 'captured'
    | 'paid'
    | 'refused'
    | 'timed_out'
    | 'failed'
    | 'canceled'
    | 'expired'
    | 'overpaid'
    | 'short_paid'
    | 'other_amount'
    | 'paid_late'
    | 'reserved_late'
    | 'canceled_with_money'
    | 'partly_refunded'
    | 'refunded';
  /** amount_mismatch, overpaid, recovered */
  flags: Array<string>;
  createdAt: string;
  /** The person who charged. Null for API clients, and for payers of a link */
  createdBy: string | null;
  customMetadata: Record<string, unknown> | null;
  merchantId: string;
  /** The API client that charged. Null for people and payers */
  createdByClient: string | null;
  /** The person who canceled. Null for API clients and without a cancellation */
  canceledBy: string | null;
  /** The API client that canceled. Null for people */
  canceledByClient: string | null;
  /** The open shift of the person who charged */
  shiftId: string | null;
  entity: string | null;
  /** Sum of accepted transactions */
  amountPaid: number;
  /** What of it was given back */
  amountRefunded: number;
  /** capture: the authorization it takes from */
  authorizationId: string | null;
  /** authorization: what the provider really reserved */
  amountAuthorized: number | null;
  /** authorization: what was captured of it; the rest is released */
  amountCaptured: number | null;
  /** authorization: what is under way */
  operation: 'capturing' | 'voiding' | null;
  /** qrcode: payments it accepts */
  maxTransactions: number | null;
  /** qrcode: payments it has accepted */
  acceptedTransactions: number | null;
  /** Money, or a reservation, came after the payment had ended */
  late: boolean;
  /** When a person resolved the attention. Later odd money clears it */
  resolvedAt: string | null;
  /** internalId of the payment that replaced this one */
  replacedBy: string | null;
  /** internalId of the payment that this one replaces */
  replaces: string | null;
  /** The payment link that it was begun by */
  linkId: string | null;
  completedAt: string | null;
  expiresAt: string | null;
  description: string | null;
  customer: Customer;
  customerEmail: string | null;
  customerName: string | null;
  customerTelephone: string | null;
  /** The payer’s document, mostly the tax number (NIF) */
  documentNumber: string | null;
  /** PPR */
  referenceType: 'Dynamic' | 'Charging' | null;
  /** PPR: whether the reference can be paid */
  referenceStatus: 'Pending' | 'Paid' | 'Canceled' | 'Expired' | null;
  /** PPR: since when the provider knows it; payable from then on */
  registeredAt: string | null;
  failure: PaymentFailure | null;
  transactions: Array<Transaction>;
  checkoutUrl: string;
  clientToken: string;
};

export type PaymentMethods = {
  /** Each payment method, also one that the merchant does not offer */
  methods: Array<PaymentMethod>;
  /** True once the merchant has received a first payment */
  hasReceivedMoney: boolean;
};

export type ReplacementOutlook = {
  /** True if `replacePayment` would charge this money in another way now */
  isReplaceable: boolean;
  /**
   * The time until which the payment itself may be paid. Null if it has ended, or if only the rail
   * knows
   */
  payableUntil: string | null;
  /**
   * The newest push: the mobile number that received it, and the end of the payer’s time to approve
   * it
   */
  push: ReplacementOutlookPush | null;
};

export type Refund = {
  id: string;
  /** The payment that has the money; of an authorization its capture */
  paymentId: string;
  transactionId: string;
  /** Major units */
  amount: number;
  currency: string;
  status: 'Pending' | 'Processing' | 'Succeeded' | 'Failed' | 'Canceled';
  /** manual: given back outside the rail, and recorded */
  method: 'rail' | 'manual';
  reason: string | null;
  /** Your own name of it */
  reference: string | null;
  /** manual: what shows that it was given back */
  proof: string | null;
  /** manual: the day in Luanda on which it was given back */
  refundedOn: string | null;
  failureCode:
    | 'customer_refused'
    | 'insufficient_funds'
    | 'limit_exceeded'
    | 'number_not_active'
    | 'timed_out'
    | 'terminal_closed'
    | 'issuer_refused'
    | 'rail_unavailable'
    | 'acquirer_setup'
    | null;
  /** The rail gave it back after it had failed or was canceled here */
  late: boolean;
  transactionNumber: string | null;
  clearingPeriod: string | null;
  createdAt: string;
  /** The person who requested it. Null for API clients */
  createdBy: string | null;
  /** The API client that requested it. Null for people */
  createdByClient: string | null;
  /** The person’s open shift at the request */
  shiftId: string | null;
  completedAt: string | null;
};

export type Refundable = {
  data: Array<RefundableTransaction>;
};

export type PprReference = {
  /** Of its payment */
  internalId: string;
  reference: string;
  entity: string;
  /** 0: the payer chooses */
  amount: number;
  currency: string;
  referenceType: 'Dynamic' | 'Charging';
  /** Of the payment */
  status: 'Pending' | 'Processing' | 'Authorized' | 'Captured' | 'Paid' | 'Failed' | 'Canceled' | 'Expired';
  /** Whether it can be paid: only Pending can */
  referenceStatus: 'Pending' | 'Paid' | 'Canceled' | 'Expired';
  /** Sum of what was received */
  amountPaid: number;
  /** What of it was given back */
  amountRefunded: number;
  /** How much of the money was refunded */
  refundStatus: 'none' | 'partial' | 'full';
  /** The kind of money that a person must refund, complete or resolve. null: no kind, or resolved */
  attention: 'overpaid' | 'amount_mismatch' | 'late_money' | 'canceled_with_money' | null;
  /**
   * What the console and files show: the status, or the difference of its money that the status
   * hides
   */
  standing:
    | 'pending'
    | 'processing'
    | 'authorized'
    | 'captured'
    | 'paid'
    | 'refused'
    | 'timed_out'
    | 'failed'
    | 'canceled'
    | 'expired'
    | 'overpaid'
    | 'short_paid'
    | 'other_amount'
    | 'paid_late'
    | 'reserved_late'
    | 'canceled_with_money'
    | 'partly_refunded'
    | 'refunded';
  /** amount_mismatch, overpaid */
  flags: Array<string>;
  expiresAt: string;
  createdAt: string;
  /** Since when the provider knows it; payable from then on */
  registeredAt: string | null;
  /**
   * Of one canceled or expired that its provider cannot withdraw: until when money may still come,
   * late
   */
  payableUntil: string | null;
  description: string | null;
  customerEmail: string | null;
  customerName: string | null;
  customerTelephone: string | null;
  documentNumber: string | null;
  /** legacy: payments bring no callback */
  contract: 'current' | 'legacy';
  checkoutUrl: string;
  clientToken: string;
  customMetadata: Record<string, unknown> | null;
};

export type Summary = {
  day: string;
  currency: string;
  asOf: string;
  /**
   * Recorded on this day. Money in another currency than its payment is only in the list of
   * movements
   */
  taken: SummaryTaken;
  /** Refunded on this day, by the rail or by hand */
  returned: SummaryReturned;
  /** The 24 hours of the day */
  hours: Array<SummaryHour>;
  /** Payments created on this day, by their current status */
  payments: SummaryPayments;
  /**
   * Why the other final payments of this day were not paid, most frequent reason first: the code of
   * the failure, `expired` or `canceled`. The counts and `succeeded` add up to the final payments
   */
  failures: Array<SummaryFailure>;
  /** From Monday to the end of this day */
  week: SummaryWeek;
  /** The seven days before */
  lastWeek: SummaryLastWeek;
  attention: Array<SummaryAttention>;
};

export type Movement = {
  /** Id of the transaction or of the refund */
  id: string;
  /** `refund`: by the rail. `manual`: by hand, outside of the rail */
  type: 'payment' | 'capture' | 'scan' | 'reference' | 'refund' | 'manual';
  paymentId: string;
  /** The payment’s reference */
  reference: string;
  /** The payment’s method */
  paymentMethod: string;
  /** The payer’s document, mostly the tax number (NIF) */
  documentNumber: string | null;
  /** Rail account of the movement */
  account: RailAccountName;
  /** The rail’s id of the transaction */
  providerRef: string | null;
  /** The rail’s name of the period, else the day that ends at 20:00 in Luanda */
  clearingPeriod: string;
  transactionNumber: string | null;
  /** Negative for a refund */
  gross: number;
  /** The rail’s fee. Null if the rail does not report it */
  fee: number | null;
  /** Refunded later. Each refund is a movement too */
  refunded: number;
  /** Part of the bank’s credit: gross less fee. 0 for a refund by hand */
  net: number;
  currency: string;
  occurredAt: string;
  recordedAt: string;
  /** The payment was final before. For a refund: it had failed or was canceled before */
  late: boolean;
};

export type ListedDay = {
  /** A clearing day ends at 20:00 in Luanda */
  day: string;
  /**
   * The first that holds: `differs`: a difference has no explanation. `open`: a period is not
   * closed. `waiting`: a settlement has no credit. `explained`: each difference has an explanation.
   * `balanced`
   */
  status: 'differs' | 'open' | 'waiting' | 'explained' | 'balanced';
  /** Close of the last period. Null until all are closed */
  closedAt: string | null;
  /** Settlements of the day */
  accounts: number;
  /** All accounts together, by currency */
  sums: Array<DaySums>;
};

export type DaySums = {
  currency: string;
  /** Movements */
  count: number;
  taken: number;
  /** Fees that the rail reports */
  fees: number;
  /** Refunds by the rail */
  refunded: number;
  /** Refunds outside of the rail */
  refundedByHand: number;
  /** Fees of the bank, entered as such */
  bankFees: number;
  /** Taken less fees, refunded and bank fees */
  expectedCredit: number;
  credited: number;
  /** The expected credit of the settlements without a credit */
  awaitedCredit: number;
  /** Credited less expected, of the settlements with a credit */
  difference: number;
  /** The part with an explanation */
  explainedDifference: number;
  /** The part that needs a person */
  unexplainedDifference: number;
};

export type Day = {
  /** A clearing day ends at 20:00 in Luanda */
  day: string;
  /**
   * The first that holds: `differs`: a difference has no explanation. `open`: a period is not
   * closed. `waiting`: a settlement has no credit. `explained`: each difference has an explanation.
   * `balanced`
   */
  status: 'differs' | 'open' | 'waiting' | 'explained' | 'balanced';
  /** Close of the last period. Null until all are closed */
  closedAt: string | null;
  /** Settlements of the day */
  accounts: number;
  /** All accounts together, by currency */
  sums: Array<DaySums>;
  /** By account */
  settlements: Array<ListedSettlement>;
  methods: Array<DayMethod>;
  cashiers: Array<DayCashier>;
  shifts: Array<DayShift>;
};

export type ListedSettlement = {
  id: string;
  account: RailAccountName;
  /** The rail’s name of the period, else its day */
  clearingPeriod: string;
  /** Clearing day of its first movement. A clearing day ends at 20:00 in Luanda */
  day: string;
  currency: string;
  /**
   * `open`: no credit was entered. Then `balanced`, or `differs` by `difference`. `explained`: it
   * differs, and exactly this difference has an explanation
   */
  status: 'open' | 'balanced' | 'differs' | 'explained';
  /** Null until the period closes */
  closedAt: string | null;
  taken: number;
  /** Fees that the rail reports */
  fees: number;
  /** Refunds by the rail */
  refunded: number;
  /** Refunds outside of the rail. They do not change the credit */
  refundedByHand: number;
  /** Fees of the bank, entered as such. They reduce the expected credit */
  bankFees: number;
  /** Taken less fees, refunded and bank fees */
  expectedCredit: number;
  /** Movements */
  count: number;
  credited: number;
  /** Credited less expected */
  difference: number;
  explanation: Explanation | null;
  changedAfterClose: ChangeAfterClose | null;
  /** Last comparison with the rail’s books. Null before it, or if this rail has no list */
  reconciledAt: string | null;
  /** Movements that differ between the rail and the gateway */
  differenceCount: number;
};

export type Explanation = {
  reason: 'next_period' | 'refund' | 'rail' | 'bank' | 'other';
  note: string | null;
  /** The explained difference */
  difference: number;
  /** False: the difference has changed, and needs a person again */
  holds: boolean;
  /** Name of the person or of the API client */
  explainedBy: string | null;
  explainedAt: string;
};

export type Settlement = {
  id: string;
  account: RailAccountName;
  /** The rail’s name of the period, else its day */
  clearingPeriod: string;
  /** Clearing day of its first movement. A clearing day ends at 20:00 in Luanda */
  day: string;
  currency: string;
  /**
   * `open`: no credit was entered. Then `balanced`, or `differs` by `difference`. `explained`: it
   * differs, and exactly this difference has an explanation
   */
  status: 'open' | 'balanced' | 'differs' | 'explained';
  /** Null until the period closes */
  closedAt: string | null;
  taken: number;
  /** Fees that the rail reports */
  fees: number;
  /** Refunds by the rail */
  refunded: number;
  /** Refunds outside of the rail. They do not change the credit */
  refundedByHand: number;
  /** Fees of the bank, entered as such. They reduce the expected credit */
  bankFees: number;
  /** Taken less fees, refunded and bank fees */
  expectedCredit: number;
  /** Movements */
  count: number;
  credited: number;
  /** Credited less expected */
  difference: number;
  explanation: Explanation | null;
  changedAfterClose: ChangeAfterClose | null;
  /** Last comparison with the rail’s books. Null before it, or if this rail has no list */
  reconciledAt: string | null;
  /** Movements that differ between the rail and the gateway */
  differenceCount: number;
  credits: Array<Credit>;
  /** The fees of the bank, which are no credits */
  bankFeeEntries: Array<Credit>;
  /** Reasons for a difference, most likely first */
  reasons: Array<SettlementReason>;
  /** Differences from the rail’s books, at most the first hundred */
  differences: Array<SettlementDifference>;
  movements: MovementPage;
};

export type Credit = {
  id: string;
  /** Negative if the bank took money */
  amount: number;
  currency: string;
  date: string;
  bankReference: string | null;
  source: 'hand' | 'file';
  enteredAt: string;
  /** The wrong entry that this one takes back */
  reverses: string | null;
  /** The entry that takes this one back */
  reversedBy: string | null;
};

export type SettlementDifference = {
  /**
   * `missing_here`: the rail lists it in this period and the gateway does not. `missing_there`: the
   * gateway has it and the rail does not list it. `amount`: both have it, with different amounts.
   * `unreadable`: the rail’s entry cannot be read
   */
  kind: 'missing_here' | 'missing_there' | 'amount' | 'unreadable';
  /** The rail’s id of the transaction */
  providerRef: string | null;
  /** The rail’s amount */
  amount: number | null;
  ourAmount: number | null;
  /** The gateway’s transaction, also of another period */
  transactionId: string | null;
  refundId: string | null;
  paymentId: string | null;
};

export type SettlementSummary = {
  id: string;
  account: RailAccountName;
  /** The rail’s name of the period, else its day */
  clearingPeriod: string;
  /** Clearing day of its first movement. A clearing day ends at 20:00 in Luanda */
  day: string;
  currency: string;
  /**
   * `open`: no credit was entered. Then `balanced`, or `differs` by `difference`. `explained`: it
   * differs, and exactly this difference has an explanation
   */
  status: 'open' | 'balanced' | 'differs' | 'explained';
  /** Null until the period closes */
  closedAt: string | null;
  taken: number;
  /** Fees that the rail reports */
  fees: number;
  /** Refunds by the rail */
  refunded: number;
  /** Refunds outside of the rail. They do not change the credit */
  refundedByHand: number;
  /** Fees of the bank, entered as such. They reduce the expected credit */
  bankFees: number;
  /** Taken less fees, refunded and bank fees */
  expectedCredit: number;
  /** Movements */
  count: number;
  credited: number;
  /** Credited less expected */
  difference: number;
  explanation: Explanation | null;
  changedAfterClose: ChangeAfterClose | null;
  /** Last comparison with the rail’s books. Null before it, or if this rail has no list */
  reconciledAt: string | null;
  /** Movements that differ between the rail and the gateway */
  differenceCount: number;
  credits: Array<Credit>;
  /** The fees of the bank, which are no credits */
  bankFeeEntries: Array<Credit>;
  /** Reasons for a difference, most likely first */
  reasons: Array<SettlementReason>;
  /** Differences from the rail’s books, at most the first hundred */
  differences: Array<SettlementDifference>;
};

export type StatementReport = {
  format: 'csv' | 'xlsx' | 'camt053' | 'mt940';
  isPreview: boolean;
  counts: StatementReportCounts;
  lines: Array<StatementLine>;
  /** Every settlement that `credits` or `candidates` name */
  settlements: Array<StatementReportSettlement>;
};

export type StatementLine = {
  /** Number of the line or row. In camt.053: number of the movement */
  line: number;
  /** IBAN or number of the bank’s account, if the file has it */
  account: string | null;
  /** Null if the line is not a movement */
  date: string | null;
  /** Negative for a debit */
  amount: number | null;
  currency: string | null;
  description: string;
  /** The bank’s reference */
  reference: string | null;
  /**
   * `credited`: the line is the credit of `credits`. `known`: it was entered before. `unclear`:
   * choose one of `candidates`. `aside`: it is no credit of ours
   */
  result: 'credited' | 'known' | 'unclear' | 'aside';
  /**
   * Why the line is unclear or aside. `several`: more than one settlement or line fits.
   * `amount_differs`: the settlement expects another amount. `chosen`: the request set it aside.
   * `not_a_line`: a heading or total. `not_booked`: the bank has only announced it
   */
  reason:
    | 'debit'
    | 'currency'
    | 'no_settlement'
    | 'several'
    | 'amount_differs'
    | 'chosen'
    | 'not_a_line'
    | 'unreadable'
    | 'not_booked'
    | null;
  credits: Array<StatementLineCredit>;
  candidates: Array<string>;
};

export type Shift = {
  id: string;
  cashier: Cashier;
  status: 'open' | 'closed';
  openedAt: string;
  closedAt: string | null;
  closedBy: Cashier | null;
  note: string | null;
  /** The currency of totals and cash */
  currency: string;
  /** Received money, by method and currency */
  taken: Array<ShiftTaken>;
  /** Refunded money, by method of its payment and currency */
  refunded: Array<ShiftRefunded>;
  /** Money in `currency` */
  totals: ShiftTotals;
  /** Payments charged in the shift and canceled; of a closed shift as it closed */
  canceled: ShiftCanceled;
  /** Payments charged in the shift that are still open; of a closed shift as it closed */
  pending: ShiftCanceled;
  /** Cash beside the gateway. Null if the shop took no cash when the shift opened */
  cash: ShiftCash | null;
};

/** Fields other than `message` require `Prefer: return=representation`. */
export type TerminalAnswer = {
  message: string;
  posId?: string;
  status?: 'Closed' | 'Opening' | 'Open' | 'Closing';
  /** The selling period at the provider; grows at each opening */
  period?: string | null;
  supervisorRequired?: boolean;
};

/** An event, as a webhook delivers it. `type` determines `data`. Ignore other types. */
export type WebhookEvent =
  | PaymentEvent
  | RefundEvent
  | ReferenceEvent
  | LinkEvent
  | TerminalEvent
  | CallbackEvent
  | WebhookEndpointEvent
  | AccessEvent
  | ClientEvent
  | InvoiceEvent
  | SmsEvent
  | SettlementEvent;

/** An event of the feed. */
export type FeedEvent = WebhookEvent & {
  /** The cursor to continue after this event */
  cursor: string;
};

/** The callback endpoint. The access key is never returned. */
export type CallbackEndpoint = {
  url: string;
  hasAccessKey: boolean;
  /** failing: the last 5 attempts failed, and one probe at a time is sent until one succeeds */
  status: 'active' | 'failing';
  /** When the first of the failed attempts in a row ended */
  failingSince: string | null;
  /** Failed attempts in a row */
  failures: number;
  createdAt: string;
  updatedAt: string;
};

export type ListedDelivery = {
  /** `Balcao-Delivery`: the same at every attempt */
  id: string;
  kind: 'callback' | 'webhook' | 'test';
  /** callback.ppr, callback.qrcode, webhook.test, or the event’s type */
  type: string;
  /**
   * Pending: the next attempt is scheduled · Delivered: your server confirmed it · Abandoned: 72
   * hours have passed, or your server answered 410 · Skipped: no endpoint was set
   */
  status: 'Pending' | 'Delivered' | 'Abandoned' | 'Skipped';
  /** The payment’s `internalId` */
  paymentId: string | null;
  transactionId: string | null;
  endpointId: string | null;
  /** The number of attempts, including a running one */
  attemptsMade: number;
  nextAttemptAt: string | null;
  createdAt: string;
  deliveredAt: string | null;
  lastAttempt: DeliveryAttempt | null;
};

export type DeliveryAttempt = {
  /** `Balcao-Attempt`, from 1 */
  number: number;
  startedAt: string;
  durationMs: number | null;
  /**
   * delivered · refused: 2xx without `Success: true` · status: not 2xx · timeout: no answer within
   * 10 s · connection: the connection broke · unreachable: no connection was made · too_large: the
   * answer is too long · blocked: the address is not public · interrupted: the node died during the
   * attempt
   */
  outcome:
    | 'delivered'
    | 'refused'
    | 'status'
    | 'timeout'
    | 'connection'
    | 'unreachable'
    | 'too_large'
    | 'blocked'
    | 'interrupted';
  /** The answer’s HTTP status */
  status: number | null;
  /** The first 2 KiB of the answer */
  answer: string | null;
  /** The error below HTTP, for instance of the connection */
  error: string | null;
};

export type Delivery = {
  /** `Balcao-Delivery`: the same at every attempt */
  id: string;
  kind: 'callback' | 'webhook' | 'test';
  /** callback.ppr, callback.qrcode, webhook.test, or the event’s type */
  type: string;
  /**
   * Pending: the next attempt is scheduled · Delivered: your server confirmed it · Abandoned: 72
   * hours have passed, or your server answered 410 · Skipped: no endpoint was set
   */
  status: 'Pending' | 'Delivered' | 'Abandoned' | 'Skipped';
  /** The payment’s `internalId` */
  paymentId: string | null;
  transactionId: string | null;
  endpointId: string | null;
  /** The number of attempts, including a running one */
  attemptsMade: number;
  nextAttemptAt: string | null;
  createdAt: string;
  deliveredAt: string | null;
  lastAttempt: DeliveryAttempt | null;
  /** The current address of the endpoint; null without an endpoint */
  url: string | null;
  /** The JSON object that is sent */
  body: Record<string, unknown> | null;
  /** All attempts, oldest first */
  attempts: Array<DeliveryAttempt>;
};

export type Replay = {
  replayed: number;
};

/** A webhook endpoint. Its signing secret is returned once, at creation. */
export type Webhook = {
  id: string;
  url: string;
  /** null: all events */
  types: Array<string> | null;
  description: string | null;
  /** failing: the last 5 attempts failed, and one probe at a time is sent until one succeeds */
  status: 'active' | 'failing';
  /** When the first of the failed attempts in a row ended */
  failingSince: string | null;
  /** Failed attempts in a row */
  failures: number;
  createdAt: string;
  updatedAt: string;
};

/** A webhook with its signing secret. */
export type CreatedWebhook = {
  id: string;
  url: string;
  /** null: all events */
  types: Array<string> | null;
  description: string | null;
  /** failing: the last 5 attempts failed, and one probe at a time is sent until one succeeds */
  status: 'active' | 'failing';
  /** When the first of the failed attempts in a row ended */
  failingSince: string | null;
  /** Failed attempts in a row */
  failures: number;
  createdAt: string;
  updatedAt: string;
  /** `whsec_` and the base64 of 32 bytes. It is not returned again */
  secret: string;
};

export type RotatedSecret = {
  /** `whsec_` and the base64 of 32 bytes. It is not returned again */
  secret: string;
  /** The old secret signs too until this time */
  overlapUntil: string;
};

export type Merchant = {
  id: string;
  name: string;
  defaultLanguage: 'pt' | 'en' | 'fr';
  /** Its tax number (NIF) */
  taxId: string | null;
  brandColor: string | null;
  /** A `data:` URL */
  brandLogo: string | null;
  /** Contact for payers’ questions about their data */
  privacyContact: string | null;
  /** Your own privacy text for payers */
  privacyNotice: string | null;
  /** Origins whose pages may frame the checkout */
  allowedOrigins: Array<string>;
  /** Origins that `returnUrl` and `cancelUrl` may point to */
  returnOrigins: Array<string>;
  uniqueReferences: boolean;
  /** Maximum refunds of a cashier per day, in kwanzas; null: no refunds */
  cashierRefundLimit: number | null;
  /** Whether shifts count cash beside the gateway */
  takesCash: boolean;
  /** Payment methods of the hosted page */
  checkoutMethods: Array<'push' | 'qrcode' | 'reference'>;
  /** Keys of customMetadata to search payments by */
  searchKeys: Array<string>;
  /** Assigned by the operator */
  gpoMerchantIds: Array<string>;
  /** Terminals, assigned by the operator */
  gpoPosIds: Array<string>;
  /** Entity of payment references, assigned by the operator */
  entity: string | null;
  createdAt: string;
};

export type CreatedClient = {
  clientId: string;
  name: string;
  scopes: Array<
    | 'payments:read'
    | 'payments:write'
    | 'refunds:write'
    | 'references:read'
    | 'references:write'
    | 'terminals'
    | 'merchant:read'
    | 'merchant:write'
    | 'users:write'
    | 'sms:read'
    | 'sms:write'
    | 'notifications'
    | 'billing:read'
    | 'billing:write'
    | 'rails:write'
    | 'books:write'
    | 'privacy'
    | (string & {})
  >;
  createdAt: string;
  /** Not returned again */
  clientSecret: string;
};

/** An API client. Creation and rotation return its secret once. */
export type Client = {
  clientId: string;
  name: string;
  scopes: Array<
    | 'payments:read'
    | 'payments:write'
    | 'refunds:write'
    | 'references:read'
    | 'references:write'
    | 'terminals'
    | 'merchant:read'
    | 'merchant:write'
    | 'users:write'
    | 'sms:read'
    | 'sms:write'
    | 'notifications'
    | 'billing:read'
    | 'billing:write'
    | 'rails:write'
    | 'books:write'
    | 'privacy'
    | (string & {})
  >;
  createdAt: string;
  rotatedAt: string | null;
  /** The secret before the last rotation is valid until then */
  overlapUntil: string | null;
};

export type RotatedClient = {
  clientId: string;
  /** Not returned again */
  clientSecret: string;
  /** The secret before the last rotation is valid until then */
  overlapUntil: string;
};

export type RequestError = {
  id: string;
  occurredAt: string;
  method: string;
  /** Path without ids, as in this document: `/api/payments/{paymentId}` */
  path: string;
  status: number;
  /** Code of the problem, or of the first warning */
  code: string;
  /** At most the first 20 faults, or the warnings of an accepted request */
  faults: Array<LoggedFault>;
  /** `X-Request-Id` of the answer, also in the gateway’s log */
  requestId: string;
  /** API client that sent the request */
  clientId: string | null;
};

export type Member = {
  userId: string;
  email: string;
  /** null while Invited */
  firstName: string | null;
  lastName: string | null;
  role: 'Viewer' | 'Cashier' | 'Developer' | 'Administrator' | 'Owner';
  roleId: string;
  /** Invited until they first sign in for this merchant */
  status: 'Invited' | 'Active';
  createdAt: string;
  /** When an invitation expires */
  expiresAt: string | null;
};

/** Fields other than `message` require `Prefer: return=representation`. */
export type GrantAnswer = {
  message: string;
  userId?: string;
  role?: 'Viewer' | 'Cashier' | 'Developer' | 'Administrator' | 'Owner';
  /** Invited until they first sign in for this merchant */
  status?: 'Invited' | 'Active';
};

export type RevokeAnswer = {
  message: string;
  /** API clients whose secret the person knows; absent without any */
  clients?: Array<RevokeAnswerClient>;
};

export type Role = {
  id: string;
  name: 'Viewer' | 'Cashier' | 'Developer' | 'Administrator' | 'Owner';
  description: string;
  scopes: Array<string>;
};

export type AuditEntry = {
  id: string;
  /** A noun and a verb: `client.created` */
  action: string;
  actor: AuditEntryActor;
  /** IP address of the caller; an IPv6 address as its /64 */
  address: string | null;
  /** Id of the changed object */
  target: string | null;
  /** Changes by field; for a secret only that it changed */
  changes: Record<string, unknown>;
  occurredAt: string;
};

export type Notification = {
  id: string;
  titulo: string;
  /** The event and the advice. Portuguese by default, English or French by Accept-Language */
  mensagem: string;
  /** Type of the event */
  tipo: string;
  /** 0 = Não Lido, 1 = Lido */
  estado: 0 | 1;
  criadaEm: string;
  lidaEm: string | null;
  /** What the notification is about. `id` is null if it concerns the whole list */
  objecto: NotificationObjecto | null;
  /** Who made the change. null if the notification reports no change by a person or a system */
  autor: NotificationAutor | null;
};

export type PersonalData = {
  subject: PersonalDataSubject;
  merchantId: string;
  takenAt: string;
  /** Purpose and retention of each column: a setting in days, or the end in words */
  columns: Record<string, Record<string, PersonalDataColumn>>;
  held: Array<PersonalDataHeld>;
};

export type Erasure = {
  id: string;
  /** Waiting: some rows are still in use and will be erased when they are finished */
  status: 'Pending' | 'Waiting' | 'Done';
  /** Rows still in use, at most 100 */
  waitingFor: Array<ErasureWaitingFor>;
  /** Number of rows still in use */
  waitingCount: number;
  /** Number of changed rows by table */
  erased: Record<string, number>;
  createdAt: string;
  completedAt: string | null;
};

export type Plan = {
  id: string;
  name: string;
  currency: string;
  /** Fee of a calendar month in Luanda, without IVA */
  monthlyFee: number;
  /** Payments in a month that the fee covers */
  includedPayments: number;
  /** Fee of each further payment, without IVA */
  paymentFee: number;
};

export type Subscription = {
  plan: Plan;
  /** The first month in Luanda of it */
  since: string;
  next: SubscriptionNext | null;
};

export type Usage = {
  from: string;
  to: string;
  /** Days with payments or refunds, oldest first */
  data: Array<UsageMonth>;
  totals: UsageTotals;
};

export type ListedInvoice = {
  id: string;
  /** Consecutive in each year, without a gap */
  number: string;
  /** Title of the document */
  title: string;
  issuedAt: string;
  currency: string;
  subtotal: number;
  /** IVA, rounded once, on the subtotal */
  tax: number;
  total: number;
  /** Its certified document. Null before the certification: this document has no fiscal value */
  fiscal: FiscalDocument | null;
  /** What it is for */
  month: string;
  /** Part of the total that its credit notes take back */
  credited: number;
};

export type FiscalDocument = {
  /** Number of the certified program */
  number: string;
  series: string;
  /** Address of the document. Null if only this API has it, as PDF */
  url: string | null;
  /** Signature of the certified program */
  hash: string;
  issuedAt: string;
};

export type Invoice = {
  id: string;
  /** Consecutive in each year, without a gap */
  number: string;
  /** Title of the document */
  title: string;
  issuedAt: string;
  currency: string;
  subtotal: number;
  /** IVA, rounded once, on the subtotal */
  tax: number;
  total: number;
  /** Its certified document. Null before the certification: this document has no fiscal value */
  fiscal: FiscalDocument | null;
  /** What it is for */
  month: string;
  /** Part of the total that its credit notes take back */
  credited: number;
  issuer: InvoiceIssuer;
  merchantName: string;
  /** Tax number (NIF) of the receiver at the time of issue */
  merchantTaxId: string | null;
  taxPercent: number;
  /** How to pay. Null for an amount of zero, and for older statements */
  payment: InvoicePayment | null;
  /** Total without the credited part. The API does not record payments of statements */
  amountDue: number;
  plan: string;
  /** Payments received, including those that the monthly fee covers */
  payments: number;
  /** Refunds made in the month. They cost nothing and return no fee */
  refunds: number;
  lines: Array<InvoiceLine>;
  /** Its credit notes, oldest first. They never exceed the invoice */
  creditNotes: Array<CreditNote>;
};

export type CreditNote = {
  id: string;
  /** Consecutive in each year, without a gap */
  number: string;
  /** Title of the document */
  title: string;
  issuedAt: string;
  currency: string;
  subtotal: number;
  /** IVA, rounded once, on the subtotal */
  tax: number;
  total: number;
  /** Its certified document. Null before the certification: this document has no fiscal value */
  fiscal: FiscalDocument | null;
  issuer: InvoiceIssuer;
  merchantName: string;
  /** Tax number (NIF) of the receiver at the time of issue */
  merchantTaxId: string | null;
  taxPercent: number;
  /** Corrected invoice */
  invoiceId: string;
  reason: string;
};

export type SmsContact = {
  contactoId: string;
  nome: string;
  /** E.164 */
  telefone: string;
  /** The person at this number refuses your SMS, so none are sent */
  recusaSms: boolean;
};

export type SmsConfirmation = {
  success: boolean;
  message: string;
};

export type SmsContactList = {
  listaId: string;
  nome: string;
  totalContactos: number;
  criadoEm: string;
};

export type SmsContactListDetails = {
  listaId: string;
  nome: string;
  totalContactos: number;
  criadoEm: string;
  /** A page of its contacts, the last added first */
  contactos: SmsContactPage;
};

export type SmsContactImport = {
  /** Contacts that were created */
  criados: number;
  /** Contacts with the same name and number that existed already */
  existentes: number;
  /** The list that has all contacts now; null: the request named none */
  lista: SmsContactList | null;
};

export type SmsMerchant = {
  merchantId: string;
  /** Your own sender; null: none is set */
  nomeremetenteSms: string | null;
  /** Sender of messages whose request names no `remetente` */
  remetenteEfetivo: string;
  /**
   * The line that ends each message. `none`: no line. `reply`: answer PARAR. `link`: the address of
   * an opt-out page. `number`: call `optOutNumber`
   */
  optOutText: 'none' | 'reply' | 'link' | 'number';
  /** Number that people call to refuse your SMS; null: none */
  optOutNumber: string | null;
};

export type SmsBalance = {
  merchantId: string;
  /** Units left; one unit pays one part of one message */
  saldoAtual: number;
  unidade: 'SMS';
  /** Time of the last movement; null: none yet */
  atualizadoEm: string | null;
};

export type SmsBalanceLedgerEntry = {
  id: string;
  /** Credito: added by the operator · Debito: used · Reembolso: refunded */
  tipo: 'Credito' | 'Debito' | 'Reembolso';
  /** Units, at least 1 */
  quantidade: number;
  /** Balance after the movement */
  saldoDepois: number;
  descricao: string;
  criadoEm: string;
  /** The batch that the units paid for, or null for a credit */
  batchId: string | null;
};

export type SmsTemplate = {
  /** The `smsId` of send requests */
  id: string;
  nome: string;
  conteudo: string;
  /** Keys that need values, each once, in order of appearance */
  chaves: Array<string>;
  criadoEm: string;
  atualizadoEm: string;
};

export type SentSms = {
  id: string;
  /** The batch: all messages of one request */
  batchId: string;
  /** E.164 */
  numeroDestino: string;
  remetente: string;
  /** The sent text, with all values filled in */
  conteudo: string;
  /** Parts, which is also the price in units */
  partes: number;
  /**
   * Pendente: not yet sent to the network · Enviado: accepted by the network · Entregue: delivered
   * to the phone · Falhado: not delivered, and its units were refunded
   */
  estado: 'Pendente' | 'Enviado' | 'Entregue' | 'Falhado';
  enviadoEm: string | null;
  entregueEm: string | null;
  /** Reason of the failure */
  motivoFalha: string | null;
  /** The recipient’s opt-out page; null if all your messages to this number could be answered */
  paginaRecusa: string | null;
};

export type SmsAcceptance = {
  batchId: string;
  /** Number of messages, without repeated numbers and people who refuse SMS */
  totalDestinatarios: number;
  /** Ignorado: no recipients are left */
  estado: 'Pendente' | 'Agendado' | 'Ignorado';
  /** Parts of the longest message */
  partes: number;
  /** UCS-2 if at least one message needs it: 70 characters per part instead of 160 */
  codificacao: 'GSM-7' | 'UCS-2';
  /** The characters that forced UCS-2 */
  caracteresUcs2: Array<string>;
  /** Debited units: the sum of the parts of all messages */
  unidades: number;
  /** Repeated numbers that were removed: each number gets one message */
  duplicados: number;
  /** Recipients that were skipped because they refuse your SMS */
  recusados: number;
};

export type SmsSendingPreview = {
  /** Number of messages, without repeated numbers and people who refuse SMS */
  totalDestinatarios: number;
  /** Parts of the longest message */
  partes: number;
  /** UCS-2 if at least one message needs it: 70 characters per part instead of 160 */
  codificacao: 'GSM-7' | 'UCS-2';
  /** The characters that forced UCS-2 */
  caracteresUcs2: Array<string>;
  /** Price in units: the sum of the parts of all messages */
  unidades: number;
  /** Repeated numbers that were removed: each number gets one message */
  duplicados: number;
  /** Recipients that were skipped because they refuse your SMS */
  recusados: number;
  /** Current balance in units */
  saldoAtual: number;
  /** The sender that the messages would have */
  remetente: string;
  /** The scheduled time; null: immediately */
  agendadaPara: string | null;
  /** The first message as it would be sent; null: no recipients are left */
  exemplo: SmsSendingPreviewExemplo | null;
};

export type SmsScheduledAcceptance = {
  batchId: string;
  /** Number of messages, without repeated numbers and people who refuse SMS */
  totalDestinatarios: number;
  /** Ignorado: no recipients are left */
  estado: 'Pendente' | 'Agendado' | 'Ignorado';
  /** Parts of the longest message */
  partes: number;
  /** UCS-2 if at least one message needs it: 70 characters per part instead of 160 */
  codificacao: 'GSM-7' | 'UCS-2';
  /** The characters that forced UCS-2 */
  caracteresUcs2: Array<string>;
  /** Debited units: the sum of the parts of all messages */
  unidades: number;
  /** Repeated numbers that were removed: each number gets one message */
  duplicados: number;
  /** Recipients that were skipped because they refuse your SMS */
  recusados: number;
  agendamentoId: string;
  agendadaPara: string;
};

export type SmsSchedule = {
  agendamentoId: string;
  batchId: string;
  estado: 'Agendado' | 'Enviado' | 'Cancelado';
  agendadaPara: string;
  /** The text, or a copy of the template at the time of scheduling */
  conteudo: string;
  remetente: string;
  totalDestinatarios: number;
  unidades: number;
  criadoEm: string;
  enviadoEm: string | null;
  canceladoEm: string | null;
};

export type SmsOptOut = {
  id: string;
  /** E.164; null if the number was erased. The refusal stays in force */
  phone: string | null;
  /**
   * `reply`: the person answered PARAR; `page`: the person used the opt-out page; `merchant`: you
   * recorded it; null: refused by the person, before origins were recorded
   */
  source: 'reply' | 'page' | 'merchant' | null;
  createdAt: string;
};

export type ReferenceSmsPreview = {
  /** Number of messages, without repeated numbers and people who refuse SMS */
  totalDestinatarios: number;
  /** Parts of the longest message */
  partes: number;
  /** UCS-2 if at least one message needs it: 70 characters per part instead of 160 */
  codificacao: 'GSM-7' | 'UCS-2';
  /** The characters that forced UCS-2 */
  caracteresUcs2: Array<string>;
  /** Price in units: the sum of the parts of all messages */
  unidades: number;
  /** Repeated numbers that were removed: each number gets one message */
  duplicados: number;
  /** Recipients that were skipped because they refuse your SMS */
  recusados: number;
  /** Current balance in units */
  saldoAtual: number;
  /** The sender that the messages would have */
  remetente: string;
  /** The first message as it would be sent; null: no recipients are left */
  exemplo: SmsSendingPreviewExemplo | null;
  mensagens: Array<ReferenceSmsPreviewMensagem>;
  /** References without a valid phone number of the customer: no message */
  semTelemovel: Array<string>;
  /** References that cannot be paid any more: no message */
  naoPagaveis: Array<string>;
  /** More references match than the 500 newest ones of this preview */
  haMais: boolean;
};

export type ReferenceSmsAcceptance = {
  batchId: string;
  /** Number of messages, without repeated numbers and people who refuse SMS */
  totalDestinatarios: number;
  /** Ignorado: no recipients are left */
  estado: 'Pendente' | 'Agendado' | 'Ignorado';
  /** Parts of the longest message */
  partes: number;
  /** UCS-2 if at least one message needs it: 70 characters per part instead of 160 */
  codificacao: 'GSM-7' | 'UCS-2';
  /** The characters that forced UCS-2 */
  caracteresUcs2: Array<string>;
  /** Debited units: the sum of the parts of all messages */
  unidades: number;
  /** Repeated numbers that were removed: each number gets one message */
  duplicados: number;
  /** Recipients that were skipped because they refuse your SMS */
  recusados: number;
  /** References without a valid phone number of the customer: no message */
  semTelemovel: Array<string>;
  /** References that cannot be paid any more: no message */
  naoPagaveis: Array<string>;
};

export type SentReceipt = {
  channel: 'sms' | 'mail';
  /** The debited SMS units. 0 for a mail */
  units: number;
};

export type CheckoutSession = {
  revision: number;
  status: string;
};

export type Link = {
  id: string;
  slug: string;
  /** Public address to send, print or scan */
  url: string;
  status: 'Active' | 'SoldOut' | 'Expired' | 'Withdrawn';
  /**
   * Problem codes, such as `gpo_id_required`, that block every method of the page now; empty:
   * payable
   */
  obstacles: Array<string>;
  title: string;
  /** null: the payer chooses */
  amount: number | null;
  minAmount: number | null;
  maxAmount: number | null;
  currency: string;
  stock: number | null;
  /** Payments that can still be paid; each holds one unit of the stock */
  openPayments: number;
  /** Paid payments; more than `stock` if money arrived late */
  paidPayments: number;
  expiresAt: string | null;
  methods: Array<'push' | 'qrcode' | 'reference'> | null;
  asks: Array<'name' | 'email' | 'phone' | 'nif'>;
  thanks: string | null;
  returnUrl: string | null;
  /** Grows with every change; send it back with your change */
  revision: number;
  createdAt: string;
  updatedAt: string;
  withdrawnAt: string | null;
};

export type LinkPayment = {
  /** The payment, or the payment reference that replaced it */
  internalId: string;
  reference: string;
  status: 'Pending' | 'Processing' | 'Authorized' | 'Captured' | 'Paid' | 'Failed' | 'Canceled' | 'Expired';
  amount: number;
  amountPaid: number;
  currency: string;
  /** How much of the money was refunded */
  refundStatus: 'none' | 'partial' | 'full';
  /** The kind of money that a person must refund, complete or resolve. null: no kind, or resolved */
  attention: 'overpaid' | 'amount_mismatch' | 'late_money' | 'canceled_with_money' | null;
  /**
   * What the console and files show: the status, or the difference of its money that the status
   * hides
   */
  standing:
    | 'pending'
    | 'processing'
    | 'authorized'
    | 'captured'
    | 'paid'
    | 'refused'
    | 'timed_out'
    | 'failed'
    | 'canceled'
    | 'expired'
    | 'overpaid'
    | 'short_paid'
    | 'other_amount'
    | 'paid_late'
    | 'reserved_late'
    | 'canceled_with_money'
    | 'partly_refunded'
    | 'refunded';
  customerName: string | null;
  customerEmail: string | null;
  customerTelephone: string | null;
  documentNumber: string | null;
  createdAt: string;
  completedAt: string | null;
};

export type ListedArticle = {
  id: string;
  name: string;
  price: number;
  currency: string;
  position: number;
  isActive: boolean;
  createdAt: string;
  updatedAt: string;
  /** The entity tag for `If-Match`; a new position does not change it */
  etag: string;
};

export type Article = {
  id: string;
  name: string;
  price: number;
  currency: string;
  position: number;
  isActive: boolean;
  createdAt: string;
  updatedAt: string;
};

export type RailConnector = {
  /** `connector` of a rail account */
  name: string;
  kinds: Array<'gpo' | 'ppr' | 'sms'>;
  /** JSON Schema 2020-12 of `settings` */
  settings: FormSchema;
  /** JSON Schema 2020-12 of `secrets` */
  secrets: FormSchema;
};

/** A field, or a group of fields */
export type FormField = {
  type?: string;
  enum?: Array<string>;
  required?: Array<string>;
  properties?: Record<string, FormFieldPart>;
};

export type FormSchema = {
  type: 'object';
  required?: Array<string>;
  properties: Record<string, FormField>;
};

export type RailAccount = {
  id: string;
  kind: 'gpo' | 'ppr' | 'sms';
  connector: string;
  label: string;
  environment: 'test' | 'live';
  priority: number;
  status: 'active' | 'draining' | 'disabled';
  /** As they were sent */
  settings: Record<string, unknown>;
  /** Always true. No answer contains secrets */
  hasSecrets: boolean;
  secretsSetAt: string;
  /** Time of the last successful test of the credentials */
  verifiedAt: string | null;
  /** The supported operations; a payment that needs another operation is refused at creation */
  capabilities: RailAccountCapabilities;
  /** Enter it at the provider. A notification without proof only makes Balcão query it */
  notificationUrl: string;
  createdAt: string;
};

export type RailProbe = {
  result: 'ok' | 'wrong_secret' | 'wrong_host' | 'no_connection' | 'not_allowed';
  /** The fault in one sentence; null for `ok` */
  detail: string | null;
};

export type CallbackConfirmation = {
  /** true: your server has processed this callback, now or earlier */
  Success: boolean;
  Obs?: string | null;
  /** Your own number of the transaction */
  Id?: string | number | null;
};

export type SigningKeys = {
  keys: Array<Record<string, unknown>>;
};

export type AuthorizationServer = {
  issuer: string;
};

export type RegisterPerson = {
  email: string;
  /** 12 to 128 characters, not easy to guess */
  password: string;
  /** One line, without control characters or changes of the text’s direction, 1 to 100 characters */
  firstName: string;
  /** One line, without control characters or changes of the text’s direction, 1 to 100 characters */
  lastName: string;
  /** An Angolan mobile number */
  phoneNumber?: string | null;
  /** Language of mails. Absent: by Accept-Language, else pt */
  language?: 'pt' | 'en' | 'fr' | null;
};

export type VerifyEmail = {
  /** `token` of the mailed link; works once. At most 200 characters */
  token: string;
  /**
   * The password to sign in with from now on. Absent: the registered password applies. Required if
   * the address was registered more than once.
   */
  password?: string | null;
};

export type EmailRequest = {
  email: string;
};

export type ResetPassword = {
  /** `token` of the mailed link; works once. At most 200 characters */
  token: string;
  /** 12 to 128 characters, not easy to guess */
  password: string;
};

export type AcceptInvitation = {
  /** `token` of the mailed link; works once. At most 200 characters */
  token: string;
  /** 12 to 128 characters, not easy to guess */
  password: string;
  /** One line, without control characters or changes of the text’s direction, 1 to 100 characters */
  firstName: string;
  /** One line, without control characters or changes of the text’s direction, 1 to 100 characters */
  lastName: string;
  /** An Angolan mobile number */
  phoneNumber?: string | null;
  /** Language of mails. Absent: by Accept-Language, else pt */
  language?: 'pt' | 'en' | 'fr' | null;
};

export type ChangeProfile = {
  /** One line, without control characters or changes of the text’s direction, 1 to 100 characters */
  firstName?: string | null;
  /** One line, without control characters or changes of the text’s direction, 1 to 100 characters */
  lastName?: string | null;
  /** An Angolan mobile number; null removes it */
  phoneNumber?: string | null;
  /** Language of mails */
  language?: 'pt' | 'en' | 'fr' | null;
  /** Groups of notifications that you want by mail; null: the default of your role */
  noticeMail?: Array<'money' | 'access' | 'connections' | (string & {})> | null;
};

export type ChangePassword = {
  /** At most 1000 characters */
  currentPassword: string;
  /** 12 to 128 characters, not easy to guess */
  password: string;
};

export type SessionPage = {
  data: Array<Session>;
  pageNumber: number;
  pageSize: number;
  totalPages: number;
  totalItems: number;
};

export type EnrolTotp = {
  /** Your current password. At most 1000 characters */
  password: string;
};

export type DisableTotp = {
  /** A code of the authenticator, or a recovery code. At most 100 characters */
  code: string;
};

export type TotpCode = {
  /** 6 digits of the authenticator. At most 100 characters */
  code: string;
};

export type CreatePayment = GpoCreation | PprCreation;

export type PaymentPage = {
  data: Array<ListedPayment>;
  pageNumber: number;
  pageSize: number;
  totalPages: number;
  totalItems: number;
  /** The cursor of the next page, for `after`. null: this is the last page */
  next: string | null;
  /**
   * False: there are more than `totalItems`. Only lists with search, paymentMethod, link or
   * createdBy
   */
  isTotalExact: boolean;
};

export type CashierList = {
  data: Array<Cashier>;
  clients: Array<CashierListClient>;
};

export type PaymentHistory = {
  data: Array<PaymentHistoryEntry>;
};

export type PaymentMessage = {
  message: string;
  status?: string;
};

export type ResolvePayment = {
  /**
   * What you found and did. It stays in the history. One line, without control characters or changes
   * of the text’s direction, 1 to 500 characters
   */
  note: string;
};

export type ReplacePayment = {
  paymentMethod: 'onetimepurchase' | 'qrcode' | 'reference';
  /**
   * onetimepurchase: the number for the push. Absent: the number of the last push. At most 40
   * characters
   */
  phoneNumber?: string | null;
};

export type CreateRefund = {
  /** Major units. Default: the whole refundable part */
  amount?: number | null;
  /**
   * Which money, where a payment has more than one, and of every QR code and Charging reference. A
   * UUID of 36 characters
   */
  transactionId?: string | null;
  /**
   * Why, for your own books and the payer’s statement where the rail shows one. One line, without
   * control characters or changes of the text’s direction, 1 to 200 characters
   */
  reason?: string | null;
  /**
   * Your own name of it. One line, without control characters or changes of the text’s direction, 1
   * to 64 characters
   */
  reference?: string | null;
  /** manual: you gave it back yourself; absent: through the rail */
  method?: 'rail' | 'manual' | (string & {}) | null;
  /**
   * manual: what shows it, such as the number of the transfer. One line, without control characters
   * or changes of the text’s direction, 1 to 500 characters
   */
  proof?: string | null;
  /** manual: the day in Luanda on which you returned it, from the day of the payment. Default: today */
  refundedOn?: string | null;
};

export type RefundPage = {
  data: Array<Refund>;
  pageNumber: number;
  pageSize: number;
  totalPages: number;
  totalItems: number;
  /** The cursor of the next page, for `after`. null: this is the last page */
  next: string | null;
};

export type CreateReference = {
  /** 9 to 15 digits; absent: 9 digits are generated */
  reference?: string | null;
  /** Dynamic: required, 0.01 to 10000000. Charging: 0 or absent lets the payer choose */
  amount?: number | null;
  /** Case-insensitive: Dynamic or Charging */
  referenceType?: string | null;
  /**
   * ISO 8601. Default: Dynamic one month ahead, Charging the end of 2099. A date alone is its last
   * moment in Luanda
   */
  expiryDate?: string | null;
  /** At most 4000 characters */
  description?: string | null;
  /** At most 320 characters */
  customerEmail?: string | null;
  /** At most 320 characters */
  customerName?: string | null;
  /** At most 64 characters */
  customerTelephone?: string | null;
  /** At most 64 characters */
  documentNumber?: string | null;
  /** Yours; comes back as customMetadata. No secrets. */
  customMetadata?: Record<string, unknown> | null;
};

export type PprReferencePage = {
  data: Array<PprReference>;
  pageNumber: number;
  pageSize: number;
  totalPages: number;
  totalItems: number;
  /** The cursor of the next page, for `after`. null: this is the last page */
  next: string | null;
};

export type CreateReferences = {
  references: Array<CreateReference>;
};

export type CreatedReferences = {
  data: Array<PprReference>;
};

export type ReferenceHistory = {
  message: string;
  reference: string;
  data: Array<ReferenceHistoryEntry>;
};

export type MovementPage = {
  data: Array<Movement>;
  /** The cursor of the next page, for `after`. null: this is the last page */
  next: string | null;
};

export type DayPage = {
  data: Array<ListedDay>;
  /** The cursor of the next page, for `after`. null: this is the last page */
  next: string | null;
};

export type SettlementPage = {
  data: Array<ListedSettlement>;
  /** The cursor of the next page, for `after`. null: this is the last page */
  next: string | null;
};

export type EnterCredits = {
  /** `fee`: the bank’s fee, by hand. It reduces the expected credit, and is not part of `credited` */
  kind?: 'credit' | 'fee';
  /** Amount of the credit. Negative if the bank took money. A fee is positive */
  amount?: number;
  /** The bank’s date */
  date?: string | null;
  /**
   * The bank’s reference. One line, without control characters or changes of the text’s direction, 1
   * to 100 characters
   */
  reference?: string | null;
  /**
   * A bank statement as base64: CSV, text with tabs, XLSX, camt.053 or MT940. The content decides
   * the format. At most 1000000 characters
   */
  file?: string | null;
  /** Columns and format of the file. Stored for the next file */
  mapping?: BankMapping | null;
  /**
   * Line numbers of the file, from 1. Default: credits that name the period or have the missing
   * amount
   */
  lines?: Array<number> | null;
};

export type ExplainDifference = {
  /**
   * `next_period`: the bank credits it with another period. `refund`: only one side counts a refund.
   * `rail`, `bank`: the rail or the bank corrects it. A bank’s fee is no reason: enter it with the
   * kind `fee`
   */
  reason: 'next_period' | 'refund' | 'rail' | 'bank' | 'other';
  /**
   * Required for the reason `other`. One line, without control characters or changes of the text’s
   * direction, 1 to 500 characters
   */
  note?: string | null;
  /** The difference that the person saw. Another current difference is refused */
  difference?: number;
};

export type ImportStatement = {
  /**
   * A bank statement as base64: CSV, text with tabs, XLSX, camt.053 or MT940. The content decides
   * the format. At most 1000000 characters
   */
  file: string;
  /** Columns of a CSV file or workbook, if its headings do not name them. Stored for the next file */
  mapping?: BankMapping | null;
  /** true: returns the result, and enters nothing */
  preview?: boolean;
  /** A person’s choices. They override the gateway’s own result */
  lines?: Array<StatementLineChoice>;
};

export type OpenShift = {
  /** Cash in the till at the start, in kwanzas. Default: 0 */
  openingCash?: number | null;
};

export type ShiftPage = {
  data: Array<Shift>;
  /** The cursor of the next page, for `after`. null: this is the last page */
  next: string | null;
};

export type CurrentShift = {
  shift: Shift | null;
};

export type RecordCash = {
  /** `sale`: a sale in cash. `in`, `out`: cash put into the till or taken out */
  kind: 'sale' | 'in' | 'out';
  /** Major units, 0.01 to 10000000 */
  amount: number;
  /**
   * Why, for people. One line, without control characters or changes of the text’s direction, 1 to
   * 200 characters
   */
  note?: string | null;
};

export type CloseShift = {
  /** The counted cash, in kwanzas. Required in a shift with cash */
  countedCash?: number | null;
  /**
   * For people, such as the reason of a difference. One line, without control characters or changes
   * of the text’s direction, 1 to 200 characters
   */
  note?: string | null;
};

export type FeedEventPage = {
  data: Array<FeedEvent>;
  next: string;
};

export type SetCallbackEndpoint = {
  /**
   * An https URL on the public internet, with port 443 or a port from 1024, without user and
   * password. At most 2048 characters
   */
  url: string;
  /** 16 to 256 visible ASCII characters, sent as `Access-Key`. Absent: the current key stays */
  accessKey?: string | null;
};

export type DeliveryPage = {
  data: Array<ListedDelivery>;
  pageNumber: number;
  pageSize: number;
  totalPages: number;
  totalItems: number;
};

export type ReplayCallbacks = {
  /** Only deliveries with this status. Absent: Abandoned and Skipped */
  status?: 'Pending' | 'Delivered' | 'Abandoned' | 'Skipped';
  /** The payment’s `internalId`. A UUID of 36 characters */
  paymentId?: string;
  /**
   * Created at or after this time (ISO 8601). A time in ISO 8601 with its offset, such as
   * `2026-12-31T12:00:00Z`
   */
  from?: string;
  /**
   * Created before this time (ISO 8601). A time in ISO 8601 with its offset, such as
   * `2026-12-31T12:00:00Z`
   */
  to?: string;
  /** Only this kind. Absent: both */
  kind?: 'callback' | 'webhook';
};

export type TestCallbackEndpoint = {
  type?: 'PPR' | 'QR';
};

export type WebhookPage = {
  data: Array<Webhook>;
  pageNumber: number;
  pageSize: number;
  totalPages: number;
  totalItems: number;
};

export type CreateWebhook = {
  /**
   * An https URL on the public internet, with port 443 or a port from 1024, without user and
   * password. At most 2048 characters
   */
  url: string;
  /** The event types to send. `payment.*` means all events of payments. Absent: all events */
  types?: Array<
    | 'payment.created'
    | 'payment.processing'
    | 'payment.authorized'
    | 'payment.captured'
    | 'payment.paid'
    | 'payment.failed'
    | 'payment.canceled'
    | 'payment.expired'
    | 'payment.attempt_failed'
    | 'payment.failed_over'
    | 'payment.transaction_accepted'
    | 'payment.amount_mismatch'
    | 'payment.overpaid'
    | 'payment.resolved'
    | 'payment.stuck'
    | 'refund.created'
    | 'refund.processing'
    | 'refund.succeeded'
    | 'refund.failed'
    | 'refund.canceled'
    | 'refund.stuck'
    | 'refund.excess'
    | 'reference.registered'
    | 'reference.registration_failed'
    | 'reference.paid'
    | 'reference.canceled'
    | 'reference.expired'
    | 'reference.withdrawn'
    | 'reference.withdrawal_failed'
    | 'reference.unknown_paid'
    | 'link.created'
    | 'link.changed'
    | 'link.withdrawn'
    | 'link.sold_out'
    | 'link.oversold'
    | 'terminal.opening'
    | 'terminal.open'
    | 'terminal.closing'
    | 'terminal.closed'
    | 'terminal.stuck'
    | 'callback.delivered'
    | 'callback.failed'
    | 'callback.abandoned'
    | 'callback.endpoint_failing'
    | 'callback.endpoint_recovered'
    | 'webhook.endpoint_failing'
    | 'webhook.endpoint_recovered'
    | 'access.granted'
    | 'access.changed'
    | 'access.revoked'
    | 'client.created'
    | 'client.rotated'
    | 'client.revoked'
    | 'invoice.issued'
    | 'invoice.certified'
    | 'invoice.credited'
    | 'sms.balance_low'
    | 'settlement.difference'
    | 'payment.*'
    | 'refund.*'
    | 'reference.*'
    | 'link.*'
    | 'terminal.*'
    | 'callback.*'
    | 'webhook.*'
    | 'access.*'
    | 'client.*'
    | 'invoice.*'
    | 'sms.*'
    | 'settlement.*'
    | (string & {})
  > | null;
  /** At most 500 characters */
  description?: string | null;
};

export type RotateWebhookSecret = {
  /** How long the old secret signs too, in hours. 0: it ends at once */
  overlapHours?: number | null;
};

export type CreateMerchant = {
  /**
   * Shown to payers. One line, without control characters or changes of the text’s direction, 1 to
   * 100 characters
   */
  name: string;
  defaultLanguage?: 'pt' | 'en' | 'fr' | null;
};

export type CreatedMerchant = {
  merchant: Merchant;
  client: CreatedClient;
};

export type UpdateMerchant = {
  /**
   * Shown to payers. One line, without control characters or changes of the text’s direction, 1 to
   * 100 characters
   */
  name?: string | null;
  defaultLanguage?: 'pt' | 'en' | 'fr' | null;
  /** Your tax number (NIF) for the operator’s documents; null removes it. At most 64 characters */
  taxId?: string | null;
  /** Such as #0a7d4b; null: no color */
  brandColor?: string | null;
  /**
   * PNG, JPEG or WebP as a `data:` URL in base64; at most 32 KiB and 1024 pixels a side; null: no
   * logo
   */
  brandLogo?: string | null;
  /**
   * Contact for questions of payers about their data: e-mail, telephone or postal address; null: no
   * contact. One line, without control characters or changes of the text’s direction, 1 to 200
   * characters
   */
  privacyContact?: string | null;
  /**
   * Your own privacy text, shown with the notice that every payer can open. Plain text in your
   * default language; null: no text
   */
  privacyNotice?: string | null;
  /** Origins whose pages may frame the checkout; at most 20, such as https://loja.example */
  allowedOrigins?: Array<string> | null;
  /** Origins that `returnUrl` and `cancelUrl` may point to; at most 20, such as https://loja.example */
  returnOrigins?: Array<string> | null;
  /** Payment methods of the hosted page, in this order, if your accounts support them */
  checkoutMethods?: Array<'push' | 'qrcode' | 'reference'> | null;
  /** Maximum refunds of a cashier per day (Luanda time), in kwanzas; null: no refunds */
  cashierRefundLimit?: number | null;
  /**
   * Up to three keys of customMetadata to search payments by: the newest 50 000 payments and all
   * later ones. Each 1 to 40 unaccented letters, digits or `_ . -`
   */
  searchKeys?: Array<string> | null;
  /** Refuse a second live or paid GPO payment with the same reference (`reference_in_use`) */
  uniqueReferences?: boolean | null;
  /** The shop also takes cash. Shifts that open from then on count it; it is never a movement */
  takesCash?: boolean | null;
};

export type ClientPage = {
  data: Array<Client>;
  pageNumber: number;
  pageSize: number;
  totalPages: number;
  totalItems: number;
};

export type CreateClient = {
  /**
   * For the people who manage the client. One line, without control characters or changes of the
   * text’s direction, 1 to 100 characters
   */
  name: string;
  /**
   * Scopes of your own token; absent: all of them. Possible: payments:read, payments:write,
   * refunds:write, references:read, references:write, terminals, merchant:read, merchant:write,
   * users:write, sms:read, sms:write, notifications, billing:read, billing:write, rails:write,
   * books:write, privacy
   */
  scopes?: Array<
    | 'payments:read'
    | 'payments:write'
    | 'refunds:write'
    | 'references:read'
    | 'references:write'
    | 'terminals'
    | 'merchant:read'
    | 'merchant:write'
    | 'users:write'
    | 'sms:read'
    | 'sms:write'
    | 'notifications'
    | 'billing:read'
    | 'billing:write'
    | 'rails:write'
    | 'books:write'
    | 'privacy'
    | (string & {})
  > | null;
};

export type RotateClientSecret = {
  /** Hours for which the old secret stays valid; 0: it ends at once */
  overlapHours?: number | null;
};

export type RequestErrorPage = {
  data: Array<RequestError>;
  /** The cursor of the next page, for `after`. null: this is the last page */
  next: string | null;
};

export type MemberPage = {
  data: Array<Member>;
  pageNumber: number;
  pageSize: number;
  totalPages: number;
  totalItems: number;
};

export type GrantAccess = {
  email: string;
  /** Id of a role in GET /api/roles */
  roleId: string;
};

export type RoleList = {
  data: Array<Role>;
};

export type AuditEntryPage = {
  data: Array<AuditEntry>;
  pageNumber: number;
  pageSize: number;
  totalPages: number;
  totalItems: number;
  /** The cursor of the next page, for `after`. null: this is the last page */
  next: string | null;
};

export type NotificationPage = {
  data: Array<Notification>;
  pageNumber: number;
  pageSize: number;
  totalPages: number;
  totalItems: number;
  /** The cursor of the next page, for `after`. null: this is the last page */
  next: string | null;
};

export type MarkAllNotifications = {
  /** 1 = Lido */
  estado: 1;
  /**
   * `id` of the newest notification to mark, so that later ones stay unread. Absent: all. A UUID of
   * 36 characters
   */
  ate?: string;
};

export type MarkNotification = {
  /** 0 = Não Lido, 1 = Lido */
  estado: 0 | 1;
};

export type PersonalDataRequest = {
  /** An Angolan mobile number, in any spelling. At most 32 characters */
  phone?: string | null;
  /** In any case */
  email?: string | null;
};

export type PlanList = {
  data: Array<Plan>;
};

export type ChoosePlan = {
  /** Code of a plan in GET /api/billing/plans */
  planId: string;
};

export type InvoicePage = {
  data: Array<ListedInvoice>;
  pageNumber: number;
  pageSize: number;
  totalPages: number;
  totalItems: number;
};

export type CreateSmsContact = {
  /** One line, without control characters or changes of the text’s direction, 1 to 100 characters */
  nome: string;
  /**
   * Angolan mobile number: 9 digits starting with 9. A prefix +244, 00244 or 244 and separators are
   * allowed. 9 to 64 characters
   */
  telefone: string;
};

export type SmsContactPage = {
  data: Array<SmsContact>;
  pageNumber: number;
  pageSize: number;
  totalPages: number;
  totalItems: number;
};

export type CreateSmsContactList = {
  /** One line, without control characters or changes of the text’s direction, 1 to 100 characters */
  nome: string;
  /** Contacts of the list, at most 1000; repeated ids count once */
  contactoIds?: Array<string> | null;
};

export type SmsContactListPage = {
  data: Array<SmsContactList>;
  pageNumber: number;
  pageSize: number;
  totalPages: number;
  totalItems: number;
};

export type AddSmsContactToList = {
  listaId: string;
  contactoId: string;
};

export type ImportSmsContacts = {
  /** In any order; repeated contacts count once */
  contactos: Array<CreateSmsContact>;
  /** An existing list that receives all contacts */
  listaId?: string | null;
  /**
   * Or the name of a new list for all contacts. One line, without control characters or changes of
   * the text’s direction, 1 to 100 characters
   */
  novaLista?: string | null;
};

export type UpdateSmsSender = {
  /** 1 to 11 letters and digits, at least one letter; null removes your sender. At most 11 characters */
  nomeremetenteSms: string | null;
  /**
   * The line that ends each message. `none`: no line. `reply`: answer PARAR. `link`: the address of
   * an opt-out page. `number`: call `optOutNumber`. Absent: unchanged
   */
  optOutText?: 'none' | 'reply' | 'link' | 'number';
  /**
   * Number that people call to refuse your SMS: 9 digits, Angolan mobile or fixed. null: none.
   * Absent: unchanged
   */
  optOutNumber?: string | null;
};

export type SmsBalanceLedgerEntryPage = {
  data: Array<SmsBalanceLedgerEntry>;
  pageNumber: number;
  pageSize: number;
  totalPages: number;
  totalItems: number;
  /** The cursor of the next page, for `after`. null: this is the last page */
  next: string | null;
};

export type CreateSmsTemplate = {
  /** One line, without control characters or changes of the text’s direction, 1 to 100 characters */
  nome: string;
  /**
   * The text with `{{chave}}` placeholders. A key has 1 to 64 letters, digits, `_`, `-` and `.`. 1
   * to 1530 characters
   */
  conteudo: string;
};

export type SmsTemplatePage = {
  data: Array<SmsTemplate>;
  pageNumber: number;
  pageSize: number;
  totalPages: number;
  totalItems: number;
};

export type SentSmsPage = {
  data: Array<SentSms>;
  pageNumber: number;
  pageSize: number;
  totalPages: number;
  totalItems: number;
};

export type SendSms = {
  /** Each number gets one message, even if it is repeated. Each 9 to 64 characters */
  numerosDestino: Array<string>;
  /** Visible text of at most 10 parts. 1 to 1530 characters */
  conteudo: string;
  /** Sender. Absent: the merchant’s default, see ObterConta. At most 11 characters */
  remetente?: string | null;
};

export type SendSmsTemplate = {
  /** At most 100 characters */
  smsId: string;
  /** Each number gets one message, even if it is repeated. Each 9 to 64 characters */
  numerosDestino: Array<string>;
  /** Sender. Absent: the merchant’s default, see ObterConta. At most 11 characters */
  remetente?: string | null;
  /** Values of the template’s `{{chave}}` placeholders; `nome` defaults to the contact’s name */
  valores?: Record<string, string | number> | null;
};

export type SendSmsToList = {
  /** At most 100 characters */
  listaId: string;
  /** Visible text of at most 10 parts. 1 to 1530 characters */
  conteudo?: string | null;
  /** At most 100 characters */
  smsId?: string | null;
  /** Sender. Absent: the merchant’s default, see ObterConta. At most 11 characters */
  remetente?: string | null;
  /** Values of the template’s `{{chave}}` placeholders; `nome` defaults to the contact’s name */
  valores?: Record<string, string | number> | null;
};

export type PreviewSms = {
  dia?: number;
  mes?: number;
  ano?: number;
  hora?: number;
  minuto?: number;
  /** Each number gets one message, even if it is repeated. Each 9 to 64 characters */
  numerosDestino?: Array<string> | null;
  /** At most 100 characters */
  listaId?: string | null;
  /** Visible text of at most 10 parts. 1 to 1530 characters */
  conteudo?: string | null;
  /** At most 100 characters */
  smsId?: string | null;
  /** Sender. Absent: the merchant’s default, see ObterConta. At most 11 characters */
  remetente?: string | null;
  /** Values of the template’s `{{chave}}` placeholders; `nome` defaults to the contact’s name */
  valores?: Record<string, string | number> | null;
};

export type ScheduleSms = {
  dia: number;
  mes: number;
  ano: number;
  hora: number;
  minuto: number;
  /** Each number gets one message, even if it is repeated. Each 9 to 64 characters */
  numerosDestino?: Array<string> | null;
  /** At most 100 characters */
  listaId?: string | null;
  /** Visible text of at most 10 parts. 1 to 1530 characters */
  conteudo?: string | null;
  /** At most 100 characters */
  smsId?: string | null;
  /** Sender. Absent: the merchant’s default, see ObterConta. At most 11 characters */
  remetente?: string | null;
  /** Values of the template’s `{{chave}}` placeholders; `nome` defaults to the contact’s name */
  valores?: Record<string, string | number> | null;
};

export type SmsSchedulePage = {
  data: Array<SmsSchedule>;
  pageNumber: number;
  pageSize: number;
  totalPages: number;
  totalItems: number;
};

export type SmsOptOutPage = {
  data: Array<SmsOptOut>;
  /** The cursor of the next page, for `after`. null: this is the last page */
  next: string | null;
};

export type CreateSmsOptOut = {
  /**
   * Angolan mobile number: 9 digits starting with 9. A prefix +244, 00244 or 244 and separators are
   * allowed. 9 to 64 characters
   */
  phone: string;
};

export type PreviewReferenceSms = {
  /**
   * Digits of your references. If you used digits again, the newest reference with them. Each 9 to
   * 15 digits
   */
  references?: Array<string> | null;
  /** Without `references`: only references of this type */
  type?: 'Dynamic' | 'Charging' | (string & {});
  /**
   * Without `references`: created at or after this time. A time in ISO 8601 with its offset, such as
   * `2026-12-31T12:00:00Z`
   */
  from?: string | null;
  /**
   * Without `references`: created before this time. A time in ISO 8601 with its offset, such as
   * `2026-12-31T12:00:00Z`
   */
  to?: string | null;
  /**
   * Beginning of each text; absent: your name and the reference’s description. Entity, reference,
   * amount and end follow it. 1 to 1530 characters
   */
  conteudo?: string | null;
  /** Sender. Absent: the merchant’s default, see ObterConta. At most 11 characters */
  remetente?: string | null;
};

export type SendReferenceSms = {
  /**
   * Digits of your references. If you used digits again, the newest reference with them. Each 9 to
   * 15 digits
   */
  references: Array<string>;
  /**
   * Beginning of each text; absent: your name and the reference’s description. Entity, reference,
   * amount and end follow it. 1 to 1530 characters
   */
  conteudo?: string | null;
  /** Sender. Absent: the merchant’s default, see ObterConta. At most 11 characters */
  remetente?: string | null;
};

export type SendReceipt = {
  channel: 'sms' | 'mail';
  /**
   * sms: an Angolan mobile number. mail: an e-mail address. The gateway keeps it only with the
   * message. 1 to 320 characters
   */
  to: string;
  /**
   * The only transaction of the receipt, for a payment that several customers pay. A UUID of 36
   * characters
   */
  transactionId?: string | null;
};

export type PayCheckout = {
  phoneNumber: string;
};

export type EmptyRequest = Record<string, unknown>;

export type CheckoutReference = {
  url: string;
  clientToken: string;
  session: CheckoutSession;
};

export type CreateLink = {
  /**
   * What the payer pays for: heading of the page and description of each payment. One line, without
   * control characters or changes of the text’s direction, 1 to 100 characters
   */
  title: string;
  /** In major units; absent: the payer chooses */
  amount?: number | null;
  /** Minimum that a payer may choose */
  minAmount?: number | null;
  /** Maximum that a payer may choose */
  maxAmount?: number | null;
  /** Three capital letters, such as `AOA` */
  currency: string;
  /** Maximum number of payments; 1: single use; absent: unlimited */
  stock?: number | null;
  /**
   * No new payments after this time, at most one year ahead; a date alone means the end of that day
   * in Luanda. A date, or a time with its offset, in ISO 8601, such as `2026-12-31` or
   * `2026-12-31T12:00:00Z`
   */
  expiresAt?: string | null;
  /** Payment methods in this order; absent: `checkoutMethods` of the merchant */
  methods?: Array<'push' | 'qrcode' | 'reference'> | null;
  /**
   * Fields that the payer must fill in, in this order; `nif`: the tax number, stored as
   * `documentNumber`
   */
  asks?: Array<'name' | 'email' | 'phone' | 'nif'> | null;
  /**
   * Shown to the payer after payment. One line, without control characters or changes of the text’s
   * direction, 1 to 300 characters
   */
  thanks?: string | null;
  /**
   * Address that the payment’s page links to after payment; its origin must be registered
   * (`returnOrigins`). At most 2048 characters
   */
  returnUrl?: string | null;
};

export type LinkPage = {
  data: Array<Link>;
  pageNumber: number;
  pageSize: number;
  totalPages: number;
  totalItems: number;
  /** The cursor of the next page, for `after`. null: this is the last page */
  next: string | null;
};

export type ReplaceLink = {
  /**
   * What the payer pays for: heading of the page and description of each payment. One line, without
   * control characters or changes of the text’s direction, 1 to 100 characters
   */
  title: string;
  /** In major units; absent: the payer chooses */
  amount?: number | null;
  /** Minimum that a payer may choose */
  minAmount?: number | null;
  /** Maximum that a payer may choose */
  maxAmount?: number | null;
  /** Three capital letters, such as `AOA` */
  currency: string;
  /** Maximum number of payments; 1: single use; absent: unlimited */
  stock?: number | null;
  /**
   * No new payments after this time, at most one year ahead; a date alone means the end of that day
   * in Luanda. A date, or a time with its offset, in ISO 8601, such as `2026-12-31` or
   * `2026-12-31T12:00:00Z`
   */
  expiresAt?: string | null;
  /** Payment methods in this order; absent: `checkoutMethods` of the merchant */
  methods?: Array<'push' | 'qrcode' | 'reference'> | null;
  /**
   * Fields that the payer must fill in, in this order; `nif`: the tax number, stored as
   * `documentNumber`
   */
  asks?: Array<'name' | 'email' | 'phone' | 'nif'> | null;
  /**
   * Shown to the payer after payment. One line, without control characters or changes of the text’s
   * direction, 1 to 300 characters
   */
  thanks?: string | null;
  /**
   * Address that the payment’s page links to after payment; its origin must be registered
   * (`returnOrigins`). At most 2048 characters
   */
  returnUrl?: string | null;
  /** `revision` of the link as it was read */
  revision: number;
};

export type LinkPaymentPage = {
  data: Array<LinkPayment>;
  pageNumber: number;
  pageSize: number;
  totalPages: number;
  totalItems: number;
  /** The cursor of the next page, for `after`. null: this is the last page */
  next: string | null;
};

export type SendLinkSms = {
  /** Each number gets one message, even if it is repeated. Each 9 to 64 characters */
  numerosDestino?: Array<string> | null;
  /** At most 100 characters */
  listaId?: string | null;
  /** Absent: the title. The address is appended if the text does not contain it. 1 to 1530 characters */
  conteudo?: string | null;
  /** Sender. Absent: the merchant’s default, see ObterConta. At most 11 characters */
  remetente?: string | null;
};

export type ArticleList = {
  data: Array<ListedArticle>;
};

export type CreateArticle = {
  /**
   * Unique among the active articles; part of the description of a charge. One line, without control
   * characters or changes of the text’s direction, 1 to 60 characters
   */
  name: string;
  /** The price of one, in major units */
  price: number;
  /** Three capital letters, such as `AOA` */
  currency: string;
  /** The place in the list, from 1; the other articles move. Default of a new article: the end */
  position?: number;
  /** false: the till does not show the article */
  isActive?: boolean;
};

export type ChangeArticle = {
  /**
   * Unique among the active articles; part of the description of a charge. One line, without control
   * characters or changes of the text’s direction, 1 to 60 characters
   */
  name?: string;
  /** The price of one, in major units */
  price?: number;
  /** The place in the list, from 1; the other articles move. Default of a new article: the end */
  position?: number;
  /** false: the till does not show the article */
  isActive?: boolean;
};

export type RailConnectorList = {
  data: Array<RailConnector>;
};

export type RailAccountList = {
  data: Array<RailAccount>;
};

export type AddRailAccount =
  AddRailAccountAppypay | AddRailAccountProxypay | AddRailAccountOpg | AddRailAccountKambasms | AddRailAccountOmbala;

export type ChangeRailAccount =
  | ChangeRailAccountAppypay
  | ChangeRailAccountProxypay
  | ChangeRailAccountOpg
  | ChangeRailAccountKambasms
  | ChangeRailAccountOmbala;

export type Health = {
  status: string;
};

export type InterfaceDocument = Record<string, unknown>;

export type ProblemCodeList = {
  data: Array<ProblemCode>;
};

export type ProblemCode = {
  code: string;
  status: number;
  title: string;
  detail: string;
};

export type GpoCreationMetadata = {
  /**
   * Case-insensitive: webframe, onetimepurchase, authorization, capture, qrcode; unrecognized means
   * webframe
   */
  paymentMethod?: 'webframe' | 'onetimepurchase' | 'authorization' | 'capture' | 'qrcode' | (string & {}) | null;
  /** At most 40 characters */
  phoneNumber?: string | null;
  provider?: unknown;
  /** At most 64 characters */
  gpo_merchant_id?: string | null;
  /** At most 64 characters */
  gpo_pos_id?: string | null;
  /** At most 4000 characters */
  description?: string | null;
  /**
   * Address for a payer who has paid, authorized or received a reference. Without cancelUrl it
   * serves every payer. At most 2048 characters
   */
  returnUrl?: string | null;
  /**
   * Address for a payer who gave up, was refused or came too late. Without returnUrl it serves every
   * payer. At most 2048 characters
   */
  cancelUrl?: string | null;
  /** webframe: after a refused push its payer may go on by payment reference, on the same page */
  allowReferenceFallback?: boolean | null;
  /** webframe: the ways its page offers, in this order; absent: `checkoutMethods` of the merchant */
  methods?: Array<'push' | 'qrcode' | 'reference'> | null;
  /** The payer’s tax number (NIF) for an invoice. It returns with the money. At most 64 characters */
  documentNumber?: string | null;
  expiresInMinutes?: number | null;
  /** capture: the internalId of the authorization. At most 64 characters */
  authorizationId?: string | null;
  /** Case-insensitive: SMALL, MEDIUM, LARGE, EXTRA_LARGE */
  qrSize?: string | null;
  /** Case-insensitive: STATIC or DYNAMIC */
  qrType?: string | null;
  maxTransactions?: number | null;
  /** qrcode: ISO 8601, default 24 hours ahead; a date alone is its last moment in Luanda */
  endDate?: string | null;
  /** Yours; comes back as customMetadata. No secrets. */
  custom?: Record<string, unknown> | null;
};

export type PprCreationMetadata = {
  /** Case-insensitive: Dynamic or Charging */
  referenceType?: string | null;
  /**
   * ISO 8601. Default: Dynamic one month ahead, Charging the end of 2099. A date alone is its last
   * moment in Luanda
   */
  expiryDate?: string | null;
  /** At most 4000 characters */
  description?: string | null;
  /** At most 320 characters */
  customerEmail?: string | null;
  /** At most 320 characters */
  customerName?: string | null;
  /** At most 64 characters */
  customerTelephone?: string | null;
  /** At most 64 characters */
  documentNumber?: string | null;
  /**
   * Address for a payer who has paid, authorized or received a reference. Without cancelUrl it
   * serves every payer. At most 2048 characters
   */
  returnUrl?: string | null;
  /**
   * Address for a payer who gave up, was refused or came too late. Without returnUrl it serves every
   * payer. At most 2048 characters
   */
  cancelUrl?: string | null;
  /** Yours; comes back as customMetadata. No secrets. */
  custom?: Record<string, unknown> | null;
};

export type FieldFault = {
  pointer: string;
  code: string;
  message: string;
};

export type MatchingBankLine = {
  line: number;
  date: string;
  amount: number;
  description: string;
};

export type ProfileMerchant = {
  merchantId: string;
  name: string;
  role: 'Viewer' | 'Cashier' | 'Developer' | 'Administrator' | 'Owner';
  roleId: string;
  createdAt: string;
};

export type Customer = {
  email: string | null;
  name: string | null;
  telephone: string | null;
};

export type PaymentFailure = {
  code:
    | 'customer_refused'
    | 'insufficient_funds'
    | 'limit_exceeded'
    | 'number_not_active'
    | 'timed_out'
    | 'terminal_closed'
    | 'issuer_refused'
    | 'rail_unavailable'
    | 'acquirer_setup'
    | (string & {});
  message: string;
};

export type Transaction = {
  id: string;
  amount: number;
  currency: string;
  status: string;
  occurredAt: string;
  late: boolean;
  terminalId: string | null;
  clearingPeriod: string | null;
  transactionNumber: string | null;
};

export type QrCode = {
  /** Null where the provider draws the code and tells only its picture */
  content: string | null;
  svg: string;
  /** Opens Multicaixa Express with the code, on the phone it is on */
  deeplink: string | null;
};

export type PaymentSum = {
  currency: string;
  payments: number;
  received: number;
  refunded: number;
  net: number;
};

export type PaymentMethod = {
  method: 'push' | 'qrcode' | 'reference';
  /** True if a payment by this method would be accepted now */
  canCharge: boolean;
  /** Problem codes that refuse a payment, such as `gpo_id_required`; empty: it can be charged */
  obstacles: Array<string>;
  /** True if `checkoutMethods` of the merchant has this method */
  isOffered: boolean;
};

export type ReplacementOutlookPush = {
  phoneNumber: string;
  sentAt: string;
  expiresAt: string;
};

export type RefundableTransaction = {
  transactionId: string;
  /** Major units: what is left of it, neither given back nor on its way */
  amount: number;
  currency: string;
  occurredAt: string;
  /** part: any amount; whole: all of it at once; none: give it back yourself, with `method: "manual"` */
  byRail: 'none' | 'whole' | 'part';
};

export type SummaryTaken = {
  /** Major units */
  amount: number;
  /** Number of transactions */
  count: number;
};

export type SummaryReturned = {
  amount: number;
};

export type SummaryHour = {
  /** 0 to 23, in Luanda */
  hour: number;
  /** Major units */
  amount: number;
  /** Number of transactions */
  count: number;
};

export type SummaryPayments = {
  created: number;
  /** Now `Paid`, `Authorized` or `Captured` */
  succeeded: number;
  /** Not final yet */
  open: number;
  /** Succeeded divided by final payments, 0 to 1. `null` without final payments */
  successRate: number | null;
};

export type SummaryFailure = {
  failureCode:
    | 'customer_refused'
    | 'insufficient_funds'
    | 'limit_exceeded'
    | 'number_not_active'
    | 'timed_out'
    | 'terminal_closed'
    | 'issuer_refused'
    | 'rail_unavailable'
    | 'acquirer_setup'
    | 'expired'
    | 'canceled';
  count: number;
};

export type SummaryWeek = {
  from: string;
  taken: SummaryTaken;
};

export type SummaryLastWeek = {
  from: string;
  taken: SummaryTaken;
  /** Up to the same time of that week */
  soFar: SummaryTaken;
};

export type SummaryAttention = {
  kind:
    | 'overpaid'
    | 'amount_mismatch'
    | 'late_money'
    | 'canceled_with_money'
    | 'settlement_differs'
    | 'payment_stuck'
    | 'endpoint_failing';
  count: number;
};

export type RailAccountName = {
  /** Id of one of your rail accounts, or of the gateway’s account */
  id: string;
  label: string;
};

export type DayMethod = {
  currency: string;
  /** Movements */
  count: number;
  taken: number;
  /** Fees that the rail reports */
  fees: number;
  /** Refunds by the rail */
  refunded: number;
  /** Refunds outside of the rail */
  refundedByHand: number;
  /** The payment’s method */
  method: string;
};

export type DayCashier = {
  currency: string;
  /** Movements */
  count: number;
  taken: number;
  /** Fees that the rail reports */
  fees: number;
  /** Refunds by the rail */
  refunded: number;
  /** Refunds outside of the rail */
  refundedByHand: number;
  /** A payment counts for the creator, a refund for the person who refunded */
  cashier: DayCashierCashier;
};

export type DayShift = {
  currency: string;
  /** Movements */
  count: number;
  taken: number;
  /** Fees that the rail reports */
  fees: number;
  /** Refunds by the rail */
  refunded: number;
  /** Refunds outside of the rail */
  refundedByHand: number;
  /** A payment counts for the creator, a refund for the person who refunded */
  cashier: DayCashierCashier;
  /** The shift that counts these movements */
  shift: DayShiftShift | null;
  /** `after_close`: the money arrived after the close of its shift, and counts in no shift */
  timing: 'in_shift' | 'after_close' | 'no_shift';
};

export type ChangeAfterClose = {
  /** Movements recorded since */
  count: number;
  expectedCreditAtClose: number;
};

export type SettlementReason = {
  /**
   * `next_period`: the bank credited it with another period. `refund`: only one side counts the
   * refund. `fee`: the difference is so small that it may be a fee. `not_at_rail`: the rail may not
   * have this movement. `not_here`: the gateway knows no movement of that amount, so the rail has
   * money that the gateway lacks
   */
  code: 'next_period' | 'refund' | 'fee' | 'not_at_rail' | 'not_here';
  /** Movement with the amount of the difference */
  movementId: string | null;
  paymentId: string | null;
  clearingPeriod: string | null;
};

export type StatementReportCounts = {
  credited: number;
  known: number;
  unclear: number;
  aside: number;
};

export type StatementReportSettlement = {
  id: string;
  day: string;
  clearingPeriod: string;
  account: RailAccountName;
  currency: string;
  /** Expected credit less the credits before this file */
  missing: number;
};

export type StatementLineCredit = {
  settlementId: string;
  amount: number;
};

export type Cashier = {
  id: string;
  name: string;
};

export type ShiftTaken = {
  /** `page`: a payment page that the payer opened */
  method: 'push' | 'qrcode' | 'reference' | 'page' | 'capture';
  count: number;
  currency: string;
  amount: number;
  fees: number;
};

export type ShiftRefunded = {
  /** `page`: a payment page that the payer opened */
  method: 'push' | 'qrcode' | 'reference' | 'page' | 'capture';
  count: number;
  currency: string;
  amount: number;
  /** The part that was refunded another way */
  manual: number;
};

export type ShiftTotals = {
  taken: number;
  refunded: number;
  net: number;
};

export type ShiftCanceled = {
  count: number;
  amount: number;
};

export type ShiftCash = {
  opening: number;
  sales: number;
  in: number;
  out: number;
  /** opening + sales + in − out */
  expected: number;
  /** Counted at the close */
  counted: number | null;
  /** counted − expected */
  difference: number | null;
};

export type LoggedFault = {
  pointer: string;
  code: string;
};

export type RevokeAnswerClient = {
  clientId: string;
  name: string;
  scopes: Array<string>;
  /** Revoked by `revokeClients=true` */
  status: 'Active' | 'Revoked';
};

export type AuditEntryActor = {
  kind: 'user' | 'client' | 'operator' | 'system';
  id: string;
  /** The person’s e-mail address, or the client’s name */
  name: string | null;
};

export type NotificationObjecto = {
  tipo:
    | 'payment'
    | 'link'
    | 'settlement'
    | 'invoice'
    | 'railAccount'
    | 'callback'
    | 'webhook'
    | 'terminal'
    | 'sms'
    | 'member'
    | 'client'
    | 'reference';
  id: string | null;
};

export type NotificationAutor = {
  /** `user`, `client`, `operator` or `system` */
  tipo: string;
  nome: string | null;
  /** True if you made the change yourself */
  proprio: boolean;
};

export type PersonalDataSubject = {
  phone?: string;
  email?: string;
};

export type PersonalDataColumn = {
  purpose: string;
  kept: string;
};

export type PersonalDataHeld = {
  table: string;
  row: Record<string, unknown>;
};

export type ErasureWaitingFor = {
  kind: 'payment' | 'sms' | 'mail' | 'rail_message';
  id: string;
};

export type SubscriptionNext = {
  plan: Plan;
  /** The month in which it comes into force */
  from: string;
};

export type UsageMonth = {
  day: string;
  /** Payments received. Each transaction of a reference or QR code counts */
  payments: number;
  gpo: number;
  ppr: number;
  amounts: Array<UsageMonthAmount>;
  /** Refunds made, through the provider or by hand. They do not reduce the payments */
  refunds: UsageMonthRefunds;
};

export type UsageTotals = {
  /** Payments received. Each transaction of a reference or QR code counts */
  payments: number;
  gpo: number;
  ppr: number;
  amounts: Array<UsageMonthAmount>;
  /** Refunds made, through the provider or by hand. They do not reduce the payments */
  refunds: UsageMonthRefunds;
};

export type InvoiceIssuer = {
  name: string;
  taxId: string | null;
  address: string | null;
};

export type InvoicePayment = {
  /** Account that receives the payment. Null: ask the operator how to pay */
  iban: string | null;
  /** Holder of the account */
  holder: string | null;
  /** Reference to write in the transfer: the number of the statement */
  reference: string;
  /** Last day to pay in Luanda */
  dueOn: string | null;
  /** Note of the operator about the payment */
  note: string | null;
  /** Contact of the operator */
  contact: string | null;
};

export type InvoiceLine = {
  kind: 'subscription' | 'payments';
  description: string;
  quantity: number;
  unitPrice: number;
  amount: number;
};

export type SmsSendingPreviewExemplo = {
  /** E.164 */
  numeroDestino: string;
  conteudo: string;
};

export type ReferenceSmsPreviewMensagem = {
  reference: string;
  customerName: string | null;
  /** E.164 */
  numeroDestino: string;
  conteudo: string;
  partes: number;
};

export type FormFieldPart = {
  type?: string;
  enum?: Array<string>;
};

export type RailAccountCapabilities = {
  kind: 'gpo' | 'ppr' | 'sms';
};

export type CashierListClient = {
  id: string;
  name: string;
};

export type PaymentHistoryEntry = {
  id: string;
  type: string;
  status: string | null;
  occurredAt: string;
  details: Record<string, unknown>;
  /** The person or client whose request caused the event, with the current name */
  actor: PaymentHistoryEntryActor | null;
};

export type ReferenceHistoryEntry = {
  id: string;
  /** payment.* and reference.* */
  type: string;
  status: string | null;
  /** Of money received */
  amount: number | null;
  occurredAt: string;
  details: Record<string, unknown>;
};

export type StatementLineChoice = {
  line: number;
  /** The settlement that the line belongs to */
  settlementId?: string;
  /** The line is no credit of ours */
  aside?: true;
};

export type AddRailAccountAppypay = {
  connector: 'appypay';
  /** `gpo`: push and QR code; `ppr`: reference; `sms` */
  kind: 'gpo' | 'ppr';
  /**
   * A name for people, shown in refusals, lists and the history. One line, without control
   * characters or changes of the text’s direction, 1 to 60 characters
   */
  label: string;
  /** `test` in the sandbox, `live` in production */
  environment: 'test' | 'live';
  /** The account with the lowest number is chosen first */
  priority: number;
  settings: AddRailAccountAppypaySettings;
  secrets: AddRailAccountAppypaySecrets;
  /** Default: active */
  status?: 'active' | 'draining' | 'disabled';
};

export type AddRailAccountProxypay = {
  connector: 'proxypay';
  /** `gpo`: push and QR code; `ppr`: reference; `sms` */
  kind: 'ppr';
  /**
   * A name for people, shown in refusals, lists and the history. One line, without control
   * characters or changes of the text’s direction, 1 to 60 characters
   */
  label: string;
  /** `test` in the sandbox, `live` in production */
  environment: 'test' | 'live';
  /** The account with the lowest number is chosen first */
  priority: number;
  settings: AddRailAccountProxypaySettings;
  secrets: AddRailAccountProxypaySecrets;
  /** Default: active */
  status?: 'active' | 'draining' | 'disabled';
};

export type AddRailAccountOpg = {
  connector: 'opg';
  /** `gpo`: push and QR code; `ppr`: reference; `sms` */
  kind: 'gpo';
  /**
   * A name for people, shown in refusals, lists and the history. One line, without control
   * characters or changes of the text’s direction, 1 to 60 characters
   */
  label: string;
  /** `test` in the sandbox, `live` in production */
  environment: 'test' | 'live';
  /** The account with the lowest number is chosen first */
  priority: number;
  settings: AddRailAccountOpgSettings;
  secrets: AddRailAccountOpgSecrets;
  /** Default: active */
  status?: 'active' | 'draining' | 'disabled';
};

export type AddRailAccountKambasms = {
  connector: 'kambasms';
  /** `gpo`: push and QR code; `ppr`: reference; `sms` */
  kind: 'sms';
  /**
   * A name for people, shown in refusals, lists and the history. One line, without control
   * characters or changes of the text’s direction, 1 to 60 characters
   */
  label: string;
  /** `test` in the sandbox, `live` in production */
  environment: 'test' | 'live';
  /** The account with the lowest number is chosen first */
  priority: number;
  settings: AddRailAccountKambasmsSettings;
  secrets: AddRailAccountKambasmsSecrets;
  /** Default: active */
  status?: 'active' | 'draining' | 'disabled';
};

export type AddRailAccountOmbala = {
  connector: 'ombala';
  /** `gpo`: push and QR code; `ppr`: reference; `sms` */
  kind: 'sms';
  /**
   * A name for people, shown in refusals, lists and the history. One line, without control
   * characters or changes of the text’s direction, 1 to 60 characters
   */
  label: string;
  /** `test` in the sandbox, `live` in production */
  environment: 'test' | 'live';
  /** The account with the lowest number is chosen first */
  priority: number;
  settings: AddRailAccountOmbalaSettings;
  secrets: AddRailAccountOmbalaSecrets;
  /** Default: active */
  status?: 'active' | 'draining' | 'disabled';
};

export type ChangeRailAccountAppypay = {
  connector: 'appypay';
  /** `gpo`: push and QR code; `ppr`: reference; `sms` */
  kind: 'gpo' | 'ppr';
  /**
   * A name for people, shown in refusals, lists and the history. One line, without control
   * characters or changes of the text’s direction, 1 to 60 characters
   */
  label: string;
  /** `test` in the sandbox, `live` in production */
  environment: 'test' | 'live';
  /** The account with the lowest number is chosen first */
  priority: number;
  settings: AddRailAccountAppypaySettings;
  /** Absent: unchanged */
  secrets?: AddRailAccountAppypaySecrets;
  /** `draining`: the account takes no new work. Absent: unchanged */
  status?: 'active' | 'draining' | 'disabled';
};

export type ChangeRailAccountProxypay = {
  connector: 'proxypay';
  /** `gpo`: push and QR code; `ppr`: reference; `sms` */
  kind: 'ppr';
  /**
   * A name for people, shown in refusals, lists and the history. One line, without control
   * characters or changes of the text’s direction, 1 to 60 characters
   */
  label: string;
  /** `test` in the sandbox, `live` in production */
  environment: 'test' | 'live';
  /** The account with the lowest number is chosen first */
  priority: number;
  settings: AddRailAccountProxypaySettings;
  /** Absent: unchanged */
  secrets?: AddRailAccountProxypaySecrets;
  /** `draining`: the account takes no new work. Absent: unchanged */
  status?: 'active' | 'draining' | 'disabled';
};

export type ChangeRailAccountOpg = {
  connector: 'opg';
  /** `gpo`: push and QR code; `ppr`: reference; `sms` */
  kind: 'gpo';
  /**
   * A name for people, shown in refusals, lists and the history. One line, without control
   * characters or changes of the text’s direction, 1 to 60 characters
   */
  label: string;
  /** `test` in the sandbox, `live` in production */
  environment: 'test' | 'live';
  /** The account with the lowest number is chosen first */
  priority: number;
  settings: AddRailAccountOpgSettings;
  /** Absent: unchanged */
  secrets?: AddRailAccountOpgSecrets;
  /** `draining`: the account takes no new work. Absent: unchanged */
  status?: 'active' | 'draining' | 'disabled';
};

export type ChangeRailAccountKambasms = {
  connector: 'kambasms';
  /** `gpo`: push and QR code; `ppr`: reference; `sms` */
  kind: 'sms';
  /**
   * A name for people, shown in refusals, lists and the history. One line, without control
   * characters or changes of the text’s direction, 1 to 60 characters
   */
  label: string;
  /** `test` in the sandbox, `live` in production */
  environment: 'test' | 'live';
  /** The account with the lowest number is chosen first */
  priority: number;
  settings: AddRailAccountKambasmsSettings;
  /** Absent: unchanged */
  secrets?: AddRailAccountKambasmsSecrets;
  /** `draining`: the account takes no new work. Absent: unchanged */
  status?: 'active' | 'draining' | 'disabled';
};

export type ChangeRailAccountOmbala = {
  connector: 'ombala';
  /** `gpo`: push and QR code; `ppr`: reference; `sms` */
  kind: 'sms';
  /**
   * A name for people, shown in refusals, lists and the history. One line, without control
   * characters or changes of the text’s direction, 1 to 60 characters
   */
  label: string;
  /** `test` in the sandbox, `live` in production */
  environment: 'test' | 'live';
  /** The account with the lowest number is chosen first */
  priority: number;
  settings: AddRailAccountOmbalaSettings;
  /** Absent: unchanged */
  secrets?: AddRailAccountOmbalaSecrets;
  /** `draining`: the account takes no new work. Absent: unchanged */
  status?: 'active' | 'draining' | 'disabled';
};

export type DayCashierCashier = {
  /** `payer`: a link, or the page of a shop */
  kind: 'user' | 'client' | 'payer';
  id: string | null;
  /** Null for payers, and for a removed person */
  name: string | null;
};

export type DayShiftShift = {
  id: string;
  openedAt: string;
  closedAt: string | null;
  /** True if the shift also has movements of other days, which are not in this row */
  isPartial: boolean;
};

export type UsageMonthAmount = {
  currency: string;
  amount: number;
};

export type UsageMonthRefunds = {
  count: number;
  amounts: Array<UsageMonthAmount>;
};

export type PaymentHistoryEntryActor = {
  kind: 'user' | 'client';
  id: string;
  name: string | null;
};

export type AddRailAccountAppypaySettings = {
  /** The UUID for which tokens are issued */
  resource: string;
  /**
   * The payment methods of the contract: gpo or umm for an account of kind gpo, ref for one of kind
   * ppr
   */
  methods: AddRailAccountAppypaySettingsMethods;
  /**
   * Address of the API, with its version; absent: AppyPay’s own of the account’s environment.
   * Without user, query and fragment, at most 2048 characters
   */
  baseUrl?: string;
  /**
   * Address at which tokens are fetched; absent: AppyPay’s own of the account’s environment. Without
   * user, query and fragment, at most 2048 characters
   */
  tokenUrl?: string;
};

export type AddRailAccountAppypaySecrets = {
  /** Client id. 1 to 256 printable characters without spaces */
  clientId: string;
  /** Client secret. 1 to 256 printable characters without spaces */
  clientSecret: string;
  /** The fixed header of AppyPay’s notifications, as configured in the portal */
  notificationHeader?: AddRailAccountAppypaySecretsNotificationHeader;
};

export type AddRailAccountProxypaySettings = {
  /** The five digits under which payers find the merchant */
  entity: string;
  /**
   * True if no other system registers references of this entity: the gateway then chooses their
   * digits. False: ProxyPay reserves the digits
   */
  isExclusive: boolean;
  /**
   * Address of ProxyPay; default: its own host of the environment. Without user, query and fragment,
   * at most 2048 characters
   */
  baseUrl?: string;
};

export type AddRailAccountProxypaySecrets = {
  /**
   * The API key of the account at ProxyPay; it also verifies ProxyPay’s notifications. Letters,
   * digits and signs without spaces, at most 512 characters
   */
  apiKey: string;
};

export type AddRailAccountOpgSettings = {
  /** `proxypay` for ProxyPay OPG, `vpos` for vPOS and Positiva */
  dialect: 'proxypay' | 'vpos';
  /** The number of the terminal (POS) that the bank assigned: an integer, or its digits as text */
  posId: number | string;
  /**
   * Base address of the API; default: the provider’s own. For Positiva: the address that Positiva
   * gives. Without user, query and fragment, at most 2048 characters
   */
  baseUrl?: string;
};

export type AddRailAccountOpgSecrets = {
  /**
   * The bearer token that the provider issued for this terminal, without the word Bearer. 1 to 2048
   * printable characters without spaces
   */
  token: string;
};

export type AddRailAccountKambasmsSettings = {
  /**
   * The sender name that KambaSMS approved; used for messages without a sender of their own. 1 to 11
   * letters and digits, one letter at least
   */
  sender: string;
  /**
   * Address of the API; default: https://api.kambasms.ao. Without user, query and fragment, at most
   * 2048 characters
   */
  baseUrl?: string;
};

export type AddRailAccountKambasmsSecrets = {
  /**
   * The API key (x-api-key); a test key sends no real messages. 8 to 256 printable characters
   * without spaces
   */
  apiKey: string;
};

export type AddRailAccountOmbalaSettings = {
  /**
   * The sender name that the provider approved; used for messages without a sender of their own. 1
   * to 11 letters and digits, one letter at least
   */
  sender: string;
  /**
   * Address of the API; default: https://api.useombala.ao/v1; for GoSMS:
   * https://api.go-sms.co.ao/v1. Without user, query and fragment, at most 2048 characters
   */
  baseUrl?: string;
};

export type AddRailAccountOmbalaSecrets = {
  /**
   * The token of the account, without the word Token before it. 8 to 256 printable characters
   * without spaces
   */
  apiKey: string;
};

export type AddRailAccountAppypaySettingsMethods = {
  /**
   * The portal’s key of Multicaixa Express and QR codes: GPO_ and a UUID. The portal’s key, GPO_ and
   * a UUID
   */
  gpo?: string;
  /** The portal’s key of payment by reference: REF_ and a UUID. The portal’s key, REF_ and a UUID */
  ref?: string;
  /** The portal’s key of Unitel Money: UMM_ and a UUID. The portal’s key, UMM_ and a UUID */
  umm?: string;
};

export type AddRailAccountAppypaySecretsNotificationHeader = {
  /** Name of the header, such as X-Api-Key or Authorization. 1 to 64 letters, digits and hyphens */
  name: string;
  /**
   * Its complete value; for Basic authentication, including the word Basic. 8 to 512 printable
   * characters
   */
  value: string;
};

/** All operations, by group and name. */
export interface Api {
  payments: {
    /** Create a payment */
    create(body: CreatePayment, options?: CallOptions): Promise<CreatedPayment>;
    /** List payments, newest first */
    list(
      query?: {
        /** The number of the page, from 1 */
        page?: number;
        /** Items on a page, at most 100 */
        pageSize?: number;
        /**
         * `next` of a page: returns the rows after that page, even if rows were added since. `page` then
         * counts from there. At most 100 characters
         */
        after?: string;
        /** Only payments in this status */
        status?:
          | 'Pending'
          | 'Processing'
          | 'Authorized'
          | 'Captured'
          | 'Paid'
          | 'Failed'
          | 'Canceled'
          | 'Expired'
          | (string & {});
        /** GPO or PPR */
        paymentType?: 'GPO' | 'PPR' | (string & {});
        /** Exactly this reference. At most 15 characters */
        reference?: string;
        /** Exactly this amount, in major units */
        amount?: number;
        /**
         * Of the amount; AOA where none is given. Alone: payments in this currency. Three capital letters,
         * such as `AOA`
         */
        currency?: string;
        /** Asked at this number, in any form people write */
        phone?: string;
        /**
         * Payments with this text in a reference, phone number, name, description, link title, searchable
         * custom metadata or transaction id, with this amount in AOA, or with this beginning of
         * `internalId`. One line, without control characters or changes of the text’s direction, 1 to 100
         * characters
         */
        search?: string;
        /** Only payments of this method */
        paymentMethod?:
          'webframe' | 'onetimepurchase' | 'authorization' | 'capture' | 'qrcode' | 'reference' | (string & {});
        /** `true`: only payments of payment links; `false`: only others */
        link?: 'true' | 'false' | (string & {});
        /** Only payments that this person charged */
        createdBy?: string;
        /** Only payments of which a person still has to decide about this flag */
        attention?: 'overpaid' | 'amount_mismatch' | 'late_money' | 'canceled_with_money' | (string & {});
        /** Only payments whose money, or reservation, came after their end */
        late?: 'true' | (string & {});
        /**
         * Exactly this value, as text, under a key of the merchant’s `searchKeys`.
         * `customMetadata.order=7` is the same as `customMetadata[order]=7`
         */
        customMetadata?: Record<string, string>;
        /**
         * Created at or after (ISO 8601). A time in ISO 8601 with its offset, such as
         * `2026-12-31T12:00:00Z`
         */
        from?: string;
        /** Created before (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z` */
        to?: string;
        /**
         * For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal
         * comma, times of Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO
         * 8601, no BOM
         */
        dialect?: 'excel' | 'rfc4180' | (string & {});
      },
      options?: CallOptions,
    ): Listing<ListedPayment, PaymentPage>;
    /** Sum the money of the payments that a list shows */
    sum(
      query?: {
        /** The number of the page, from 1 */
        page?: number;
        /** Items on a page, at most 100 */
        pageSize?: number;
        /**
         * `next` of a page: returns the rows after that page, even if rows were added since. `page` then
         * counts from there. At most 100 characters
         */
        after?: string;
        /** Only payments in this status */
        status?:
          | 'Pending'
          | 'Processing'
          | 'Authorized'
          | 'Captured'
          | 'Paid'
          | 'Failed'
          | 'Canceled'
          | 'Expired'
          | (string & {});
        /** GPO or PPR */
        paymentType?: 'GPO' | 'PPR' | (string & {});
        /** Exactly this reference. At most 15 characters */
        reference?: string;
        /** Exactly this amount, in major units */
        amount?: number;
        /**
         * Of the amount; AOA where none is given. Alone: payments in this currency. Three capital letters,
         * such as `AOA`
         */
        currency?: string;
        /** Asked at this number, in any form people write */
        phone?: string;
        /**
         * Payments with this text in a reference, phone number, name, description, link title, searchable
         * custom metadata or transaction id, with this amount in AOA, or with this beginning of
         * `internalId`. One line, without control characters or changes of the text’s direction, 1 to 100
         * characters
         */
        search?: string;
        /** Only payments of this method */
        paymentMethod?:
          'webframe' | 'onetimepurchase' | 'authorization' | 'capture' | 'qrcode' | 'reference' | (string & {});
        /** `true`: only payments of payment links; `false`: only others */
        link?: 'true' | 'false' | (string & {});
        /** Only payments that this person charged */
        createdBy?: string;
        /** Only payments of which a person still has to decide about this flag */
        attention?: 'overpaid' | 'amount_mismatch' | 'late_money' | 'canceled_with_money' | (string & {});
        /** Only payments whose money, or reservation, came after their end */
        late?: 'true' | (string & {});
        /**
         * Exactly this value, as text, under a key of the merchant’s `searchKeys`.
         * `customMetadata.order=7` is the same as `customMetadata[order]=7`
         */
        customMetadata?: Record<string, string>;
        /**
         * Created at or after (ISO 8601). A time in ISO 8601 with its offset, such as
         * `2026-12-31T12:00:00Z`
         */
        from?: string;
        /** Created before (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z` */
        to?: string;
      },
      options?: CallOptions,
    ): Promise<PaymentSums>;
    /** List the people who charged, and the API clients */
    listCashiers(options?: CallOptions): Promise<CashierList>;
    /** Read one payment */
    get(paymentId: string, options?: CallOptions): Promise<Payment>;
    /** History of a payment, oldest first */
    getHistory(paymentId: string, options?: CallOptions): Promise<PaymentHistory>;
    /** The QR code of a payment as an image */
    getCode(paymentId: string, options?: CallOptions): Promise<Uint8Array>;
    /** Refresh a payment from its provider */
    sync(paymentId: string, options?: CallOptions): Promise<PaymentMessage>;
    /** Cancel an authorization, or withdraw a pending web frame or QR code */
    cancel(internalPaymentId: string, options?: CallOptions): Promise<PaymentMessage>;
    /** Resolve the odd money of a payment */
    resolve(internalPaymentId: string, body: ResolvePayment, options?: CallOptions): Promise<Payment>;
    /** Read which payment methods your merchant can charge now */
    getMethods(merchantId: string, options?: CallOptions): Promise<PaymentMethods>;
    /** Read whether a payment can be charged in another way */
    getReplacement(paymentId: string, options?: CallOptions): Promise<ReplacementOutlook>;
    /** Charge the money of an unpaid payment in another way */
    replace(paymentId: string, body: ReplacePayment, options?: CallOptions): Promise<CreatedPayment>;
    /** Refunds of a payment, newest first */
    listRefunds(
      internalPaymentId: string,
      query?: {
        /** The number of the page, from 1 */
        page?: number;
        /** Items on a page, at most 100 */
        pageSize?: number;
        /**
         * `next` of a page: returns the rows after that page, even if rows were added since. `page` then
         * counts from there. At most 100 characters
         */
        after?: string;
        /** Only refunds in this status */
        status?: 'Pending' | 'Processing' | 'Succeeded' | 'Failed' | 'Canceled' | (string & {});
        /** rail or manual */
        method?: 'rail' | 'manual' | (string & {});
        /** Exactly this reference of yours. At most 64 characters */
        reference?: string;
        /**
         * Created at or after (ISO 8601). A time in ISO 8601 with its offset, such as
         * `2026-12-31T12:00:00Z`
         */
        from?: string;
        /** Created before (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z` */
        to?: string;
      },
      options?: CallOptions,
    ): Listing<Refund, RefundPage>;
    /** Send the receipt of a payment */
    sendReceipt(paymentId: string, body: SendReceipt, options?: CallOptions): Promise<SentReceipt>;
  };
  refunds: {
    /** Refund money */
    create(internalPaymentId: string, body: CreateRefund, options?: CallOptions): Promise<Refund>;
    /** Refundable money of a payment */
    listable(internalPaymentId: string, options?: CallOptions): Promise<Refundable>;
    /** List refunds, newest first */
    list(
      query?: {
        /** The number of the page, from 1 */
        page?: number;
        /** Items on a page, at most 100 */
        pageSize?: number;
        /**
         * `next` of a page: returns the rows after that page, even if rows were added since. `page` then
         * counts from there. At most 100 characters
         */
        after?: string;
        /** Only refunds in this status */
        status?: 'Pending' | 'Processing' | 'Succeeded' | 'Failed' | 'Canceled' | (string & {});
        /** rail or manual */
        method?: 'rail' | 'manual' | (string & {});
        /** Exactly this reference of yours. At most 64 characters */
        reference?: string;
        /**
         * Created at or after (ISO 8601). A time in ISO 8601 with its offset, such as
         * `2026-12-31T12:00:00Z`
         */
        from?: string;
        /** Created before (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z` */
        to?: string;
        /**
         * For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal
         * comma, times of Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO
         * 8601, no BOM
         */
        dialect?: 'excel' | 'rfc4180' | (string & {});
      },
      options?: CallOptions,
    ): Listing<Refund, RefundPage>;
    /** Read one refund */
    get(refundId: string, options?: CallOptions): Promise<Refund>;
    /** Withdraw a refund that the rail has not got yet */
    cancel(refundId: string, options?: CallOptions): Promise<Refund>;
    /** Refresh a refund from its rail */
    sync(refundId: string, options?: CallOptions): Promise<Refund>;
  };
  references: {
    /** Create a payment reference */
    create(body: CreateReference, options?: CallOptions): Promise<PprReference>;
    /** List payment references, newest first */
    list(
      query?: {
        /** The number of the page, from 1 */
        page?: number;
        /** Items on a page, at most 100 */
        pageSize?: number;
        /**
         * `next` of a page: returns the rows after that page, even if rows were added since. `page` then
         * counts from there. At most 100 characters
         */
        after?: string;
        /** Only references of this type */
        type?: 'Dynamic' | 'Charging' | (string & {});
        /** Only references of this referenceStatus */
        status?: 'Pending' | 'Paid' | 'Canceled' | 'Expired' | (string & {});
        /**
         * For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal
         * comma, times of Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO
         * 8601, no BOM
         */
        dialect?: 'excel' | 'rfc4180' | (string & {});
      },
      options?: CallOptions,
    ): Listing<PprReference, PprReferencePage>;
    /** Create a payment reference under the legacy contract */
    createLegacy(body: CreateReference, options?: CallOptions): Promise<PprReference>;
    /** Create 1 to 500 payment references, all or none */
    createBulk(body: CreateReferences, options?: CallOptions): Promise<CreatedReferences>;
    /** Read one payment reference */
    get(pprReference: string, options?: CallOptions): Promise<PprReference>;
    /** History of a payment reference, oldest first */
    getHistory(pprReference: string, options?: CallOptions): Promise<ReferenceHistory>;
    /** Cancel a payment reference */
    cancel(pprReference: string, options?: CallOptions): Promise<PprReference>;
    /** Preview payment references by SMS */
    previewSms(body: PreviewReferenceSms, options?: CallOptions): Promise<ReferenceSmsPreview>;
    /** Send payment references by SMS */
    sendSms(body: SendReferenceSms, options?: CallOptions): Promise<ReferenceSmsAcceptance>;
  };
  books: {
    /** A day at a glance */
    getSummary(
      query?: {
        /** Day in Luanda, such as `2026-11-30`. Default: today */
        day?: string;
        /** Three capital letters, such as `AOA` */
        currency?: string;
      },
      options?: CallOptions,
    ): Promise<Summary>;
    /** Clearing days, newest first */
    listDays(
      query?: {
        /** `next` of the previous page. Absent: the newest days. At most 100 characters */
        after?: string;
        /** Days at most */
        limit?: number;
        /** First day, such as 2026-11-01 */
        from?: string;
        /** Last day */
        to?: string;
        status?: 'differs' | 'open' | 'waiting' | 'explained' | 'balanced';
        /**
         * For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal
         * comma, times of Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO
         * 8601, no BOM
         */
        dialect?: 'excel' | 'rfc4180' | (string & {});
      },
      options?: CallOptions,
    ): Listing<ListedDay, DayPage>;
    /** The close of one day */
    getDay(day: string, options?: CallOptions): Promise<Day>;
    /** Take back a wrong credit or fee */
    reverseCredit(settlementId: string, creditId: string, options?: CallOptions): Promise<SettlementSummary>;
    /** Explain a difference and set it aside */
    explainDifference(settlementId: string, body: ExplainDifference, options?: CallOptions): Promise<SettlementSummary>;
    /** Take back the explanation of a difference */
    withdrawExplanation(settlementId: string, options?: CallOptions): Promise<void>;
    /** Enter the credits of a bank statement */
    importStatement(body: ImportStatement, options?: CallOptions): Promise<StatementReport>;
  };
  transactions: {
    /** Every movement of money, newest first */
    list(
      query?: {
        /** `next` of the previous page. Absent: the newest rows. At most 100 characters */
        after?: string;
        /** Movements at most */
        limit?: number;
        /**
         * Occurred at or after (ISO 8601). A time in ISO 8601 with its offset, such as
         * `2026-12-31T12:00:00Z`
         */
        from?: string;
        /** Occurred before (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z` */
        to?: string;
        /**
         * Clearing period. Unique only with `account`, because each rail has its own periods. 1 to 100
         * characters
         */
        period?: string;
        /** `account.id` of a movement. 1 to 100 characters */
        account?: string;
        type?: 'payment' | 'capture' | 'scan' | 'reference' | 'refund' | 'manual';
        /** The payment’s `reference`. 1 to 100 characters */
        reference?: string;
        /**
         * For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal
         * comma, times of Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO
         * 8601, no BOM
         */
        dialect?: 'excel' | 'rfc4180' | (string & {});
      },
      options?: CallOptions,
    ): Listing<Movement, MovementPage>;
  };
  settlements: {
    /** Settlements, the newest day first */
    list(
      query?: {
        /** `next` of the previous page. Absent: the newest rows. At most 100 characters */
        after?: string;
        /** Settlements at most */
        limit?: number;
        /** First day, such as 2026-11-01 */
        from?: string;
        /** Last day */
        to?: string;
        /** `account.id`. 1 to 100 characters */
        account?: string;
        /** The rail’s name of the period. 1 to 100 characters */
        period?: string;
        status?: 'open' | 'balanced' | 'differs' | 'explained';
        /**
         * For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal
         * comma, times of Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO
         * 8601, no BOM
         */
        dialect?: 'excel' | 'rfc4180' | (string & {});
      },
      options?: CallOptions,
    ): Listing<ListedSettlement, SettlementPage>;
    /** One settlement with its movements */
    get(
      settlementId: string,
      query?: {
        /** `next` of the previous page. Absent: the newest rows. At most 100 characters */
        after?: string;
        /** Movements at most */
        limit?: number;
        /**
         * For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal
         * comma, times of Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO
         * 8601, no BOM
         */
        dialect?: 'excel' | 'rfc4180' | (string & {});
      },
      options?: CallOptions,
    ): Promise<Settlement>;
    /** Enter what the bank credited */
    enterCredits(settlementId: string, body: EnterCredits, options?: CallOptions): Promise<SettlementSummary>;
  };
  shifts: {
    /** Open your shift */
    openShift(body: OpenShift, options?: CallOptions): Promise<Shift>;
    /** List shifts, newest first */
    listShifts(
      query?: {
        /** `next` of the previous page. Absent: the newest rows. At most 100 characters */
        after?: string;
        /** Shifts at most */
        limit?: number;
        /**
         * Opened at or after (ISO 8601). A time in ISO 8601 with its offset, such as
         * `2026-12-31T12:00:00Z`
         */
        from?: string;
        /** Opened before (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z` */
        to?: string;
        /** Only shifts of this person. A UUID of 36 characters */
        user?: string;
        status?: 'open' | 'closed' | (string & {});
        /**
         * For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal
         * comma, times of Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO
         * 8601, no BOM
         */
        dialect?: 'excel' | 'rfc4180' | (string & {});
      },
      options?: CallOptions,
    ): Listing<Shift, ShiftPage>;
    /** Read your open shift */
    getCurrentShift(options?: CallOptions): Promise<CurrentShift>;
    /** Read a shift */
    getShift(shiftId: string, options?: CallOptions): Promise<Shift>;
    /** Record cash of an open shift */
    recordCash(shiftId: string, body: RecordCash, options?: CallOptions): Promise<Shift>;
    /** Close a shift */
    closeShift(shiftId: string, body: CloseShift, options?: CallOptions): Promise<Shift>;
  };
  terminals: {
    /** Read the status of a GPO terminal */
    get(posId: string, options?: CallOptions): Promise<TerminalAnswer>;
    /** Open a GPO terminal */
    open(
      posId: string,
      query?: {
        /**
         * Id of the approving supervisor; required if the terminal asks for approval. 1 to 64 visible
         * ASCII characters without spaces
         */
        supervisorId?: string;
      },
      options?: CallOptions,
    ): Promise<TerminalAnswer>;
    /** Close a GPO terminal */
    close(
      posId: string,
      query?: {
        /**
         * Id of the approving supervisor; required if the terminal asks for approval. 1 to 64 visible
         * ASCII characters without spaces
         */
        supervisorId?: string;
      },
      options?: CallOptions,
    ): Promise<TerminalAnswer>;
  };
  events: {
    /** List events, oldest first */
    list(
      query?: {
        /**
         * Only events after this cursor (`next`, or an event’s `cursor`). `now`: only new events. Absent:
         * all events
         */
        after?: string;
        /** The most events of a page */
        limit?: number;
      },
      options?: CallOptions,
    ): Listing<FeedEvent, FeedEventPage>;
    /** Stream events as server-sent events */
    stream(
      query?: {
        /**
         * Only events after this cursor (`next`, or an event’s `cursor`). `now`: only new events. Absent:
         * all events. Last-Event-ID takes precedence
         */
        after?: string;
      },
      options?: CallOptions,
    ): Promise<Uint8Array>;
  };
  callbacks: {
    /** Read the callback endpoint */
    getEndpoint(merchantId: string, options?: CallOptions): Promise<CallbackEndpoint>;
    /** Set the callback endpoint */
    setEndpoint(merchantId: string, body: SetCallbackEndpoint, options?: CallOptions): Promise<CallbackEndpoint>;
    /** Remove the callback endpoint */
    removeEndpoint(merchantId: string, options?: CallOptions): Promise<void>;
    /** List callbacks, newest first */
    list(
      query?: {
        /** The number of the page, from 1 */
        page?: number;
        /** Items on a page, at most 100 */
        pageSize?: number;
        /** Only deliveries with this status */
        status?: 'Pending' | 'Delivered' | 'Abandoned' | 'Skipped';
        /** The payment’s `internalId`. A UUID of 36 characters */
        paymentId?: string;
        /**
         * Created at or after this time (ISO 8601). A time in ISO 8601 with its offset, such as
         * `2026-12-31T12:00:00Z`
         */
        from?: string;
        /**
         * Created before this time (ISO 8601). A time in ISO 8601 with its offset, such as
         * `2026-12-31T12:00:00Z`
         */
        to?: string;
      },
      options?: CallOptions,
    ): Listing<ListedDelivery, DeliveryPage>;
    /** Read one callback with every attempt */
    get(deliveryId: string, options?: CallOptions): Promise<Delivery>;
    /** Send one callback again */
    replay(deliveryId: string, options?: CallOptions): Promise<ListedDelivery>;
    /** Send all callbacks again that match a filter */
    replayAll(body?: ReplayCallbacks, options?: CallOptions): Promise<Replay>;
    /** Send a sample callback */
    testEndpoint(body?: TestCallbackEndpoint, options?: CallOptions): Promise<Delivery>;
  };
  webhooks: {
    /** List webhooks, newest first */
    list(
      query?: {
        /** The number of the page, from 1 */
        page?: number;
        /** Items on a page, at most 100 */
        pageSize?: number;
      },
      options?: CallOptions,
    ): Listing<Webhook, WebhookPage>;
    /** Create a webhook */
    create(body: CreateWebhook, options?: CallOptions): Promise<CreatedWebhook>;
    /** Read one webhook */
    get(webhookId: string, options?: CallOptions): Promise<Webhook>;
    /** Change a webhook */
    replace(webhookId: string, body: CreateWebhook, options?: CallOptions): Promise<Webhook>;
    /** Remove a webhook */
    remove(webhookId: string, options?: CallOptions): Promise<void>;
    /** Give a webhook a new signing secret */
    rotateSecret(webhookId: string, body?: RotateWebhookSecret, options?: CallOptions): Promise<RotatedSecret>;
    /** Send a sample event to a webhook */
    test(webhookId: string, options?: CallOptions): Promise<Delivery>;
    /** List the deliveries of a webhook, newest first */
    listDeliveries(
      webhookId: string,
      query?: {
        /** The number of the page, from 1 */
        page?: number;
        /** Items on a page, at most 100 */
        pageSize?: number;
        /** Only deliveries with this status */
        status?: 'Pending' | 'Delivered' | 'Abandoned' | 'Skipped';
        /** The payment’s `internalId`. A UUID of 36 characters */
        paymentId?: string;
        /**
         * Created at or after this time (ISO 8601). A time in ISO 8601 with its offset, such as
         * `2026-12-31T12:00:00Z`
         */
        from?: string;
        /**
         * Created before this time (ISO 8601). A time in ISO 8601 with its offset, such as
         * `2026-12-31T12:00:00Z`
         */
        to?: string;
      },
      options?: CallOptions,
    ): Listing<ListedDelivery, DeliveryPage>;
  };
  merchants: {
    /** Create a merchant */
    create(body: CreateMerchant, options?: CallOptions): Promise<CreatedMerchant>;
    /** Read your merchant */
    get(merchantId: string, options?: CallOptions): Promise<Merchant>;
    /** Change your merchant’s settings */
    update(merchantId: string, body: UpdateMerchant, options?: CallOptions): Promise<Merchant>;
    /** List refused requests of your systems, newest first */
    listRequestErrors(
      query?: {
        /** `next` of the previous page. Absent: the newest rows. At most 100 characters */
        after?: string;
        /** Maximum number of refusals */
        limit?: number;
        /** Status of the answer, such as `400`. A status such as `400`, or `201` for warnings */
        status?: string;
        /** Code of the problem, such as `validation_failed`. 1 to 64 characters */
        code?: string;
        /** `X-Request-Id` of the request. 1 to 128 characters */
        requestId?: string;
        /** At or after (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z` */
        from?: string;
        /** Before (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z` */
        to?: string;
      },
      options?: CallOptions,
    ): Listing<RequestError, RequestErrorPage>;
    /** List the audit log, newest first */
    listAudit(
      merchantId: string,
      query?: {
        /** The number of the page, from 1 */
        page?: number;
        /** Items on a page, at most 100 */
        pageSize?: number;
        /**
         * `next` of a page: returns the rows after that page, even if rows were added since. `page` then
         * counts from there. At most 100 characters
         */
        after?: string;
        /** Such as `client.created`. At most 64 characters */
        action?: string;
        /** `actor.id` of the entries: of a person or an API client. At most 64 characters */
        actorId?: string;
        /** At or after (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z` */
        from?: string;
        /** Before (ISO 8601). A time in ISO 8601 with its offset, such as `2026-12-31T12:00:00Z` */
        to?: string;
      },
      options?: CallOptions,
    ): Listing<AuditEntry, AuditEntryPage>;
  };
  clients: {
    /** List API clients, newest first */
    list(
      merchantId: string,
      query?: {
        /** The number of the page, from 1 */
        page?: number;
        /** Items on a page, at most 100 */
        pageSize?: number;
      },
      options?: CallOptions,
    ): Listing<Client, ClientPage>;
    /** Create an API client */
    create(merchantId: string, body: CreateClient, options?: CallOptions): Promise<CreatedClient>;
    /** Revoke an API client */
    revoke(merchantId: string, clientId: string, options?: CallOptions): Promise<void>;
    /** Give an API client a new secret */
    rotateSecret(
      merchantId: string,
      clientId: string,
      body?: RotateClientSecret,
      options?: CallOptions,
    ): Promise<RotatedClient>;
  };
  people: {
    /** List the people with access, newest first */
    listMembers(
      merchantId: string,
      query?: {
        /** The number of the page, from 1 */
        page?: number;
        /** Items on a page, at most 100 */
        pageSize?: number;
      },
      options?: CallOptions,
    ): Listing<Member, MemberPage>;
    /** Grant a person access */
    grantAccess(merchantId: string, body: GrantAccess, options?: CallOptions): Promise<GrantAnswer>;
    /** Revoke a person’s access */
    revokeAccess(
      merchantId: string,
      userId: string,
      query?: {
        /** `true`: also revoke the clients whose secret the person knows */
        revokeClients?: 'true' | 'false';
      },
      options?: CallOptions,
    ): Promise<RevokeAnswer>;
    /** List the roles that can be granted */
    listRoles(options?: CallOptions): Promise<RoleList>;
  };
  notifications: {
    /** List notifications, newest first */
    list(
      query?: {
        /** The number of the page, from 1 */
        page?: number;
        /**
         * `next` of a page: returns the rows after that page, even if rows were added since. `page` then
         * counts from there. At most 100 characters
         */
        after?: string;
        /** Items a page, at most 100 */
        pageSize?: number;
        /** 0 = Não Lido, 1 = Lido. Default: all */
        estado?: 0 | 1;
      },
      options?: CallOptions,
    ): Listing<Notification, NotificationPage>;
    /** Mark all unread notifications as read */
    markAll(body: MarkAllNotifications, options?: CallOptions): Promise<void>;
    /** Mark a notification as read or unread */
    mark(id: string, body: MarkNotification, options?: CallOptions): Promise<void>;
  };
  privacy: {
    /** Export all data of one payer or contact */
    exportPersonalData(body: PersonalDataRequest, options?: CallOptions): Promise<PersonalData>;
    /** Erase one payer or contact */
    erasePersonalData(body: PersonalDataRequest, options?: CallOptions): Promise<Erasure>;
    /** Read the progress of an erasure */
    getErasure(erasureId: string, options?: CallOptions): Promise<Erasure>;
  };
  billing: {
    /** List plans, cheapest first */
    listPlans(options?: CallOptions): Promise<PlanList>;
    /** Read the current and the next plan */
    getSubscription(options?: CallOptions): Promise<Subscription>;
    /** Choose a plan */
    choosePlan(body: ChoosePlan, options?: CallOptions): Promise<Subscription>;
    /** Payments received and refunds made, by day */
    getUsage(
      query?: {
        /** First day in Luanda, such as 2026-11-01. Default: the first of the month of `to` */
        from?: string;
        /** Last day, at most 366 days with `from`. Default: today */
        to?: string;
      },
      options?: CallOptions,
    ): Promise<Usage>;
    /** List invoices, newest first */
    listInvoices(
      query?: {
        /** The number of the page, from 1 */
        page?: number;
        /** Items on a page, at most 100 */
        pageSize?: number;
      },
      options?: CallOptions,
    ): Listing<ListedInvoice, InvoicePage>;
    /** Read one invoice */
    getInvoice(invoiceId: string, options?: CallOptions): Promise<Invoice>;
    /** Read one credit note */
    getCreditNote(creditNoteId: string, options?: CallOptions): Promise<CreditNote>;
  };
  sms: {
    /** Create a contact */
    createContact(body: CreateSmsContact, options?: CallOptions): Promise<SmsContact>;
    /** Change a contact */
    replaceContact(contactoId: string, body: CreateSmsContact, options?: CallOptions): Promise<SmsContact>;
    /** Delete a contact */
    removeContact(contactoId: string, options?: CallOptions): Promise<SmsConfirmation>;
    /** List contacts, newest first */
    listContacts(
      query?: {
        /** Page, from 1 */
        pageNumber?: number;
        /** Items per page, at most 100 */
        pageSize?: number;
        /** Only contacts with this number, in any usual format. 9 to 64 characters */
        telefone?: string;
        /** Only contacts whose name contains this text; case is ignored. At most 100 characters */
        nome?: string;
        /**
         * Only contacts with this text in the name, or with these digits in the number; accents are
         * ignored. One line, without control characters or changes of the text’s direction, 1 to 100
         * characters
         */
        pesquisa?: string;
      },
      options?: CallOptions,
    ): Listing<SmsContact, SmsContactPage>;
    /** Read one contact */
    getContact(contactoId: string, options?: CallOptions): Promise<SmsContact>;
    /** Create a contact list */
    createContactList(body: CreateSmsContactList, options?: CallOptions): Promise<SmsContactList>;
    /** Delete a contact list */
    removeContactList(listaId: string, options?: CallOptions): Promise<SmsConfirmation>;
    /** List contact lists, newest first */
    listContactLists(
      query?: {
        /** Page, from 1 */
        pageNumber?: number;
        /** Items per page, at most 100 */
        pageSize?: number;
      },
      options?: CallOptions,
    ): Listing<SmsContactList, SmsContactListPage>;
    /** Read one contact list, with a page of its contacts */
    getContactList(
      listaId: string,
      query?: {
        /** Page, from 1 */
        pageNumber?: number;
        /** Items per page, at most 100 */
        pageSize?: number;
      },
      options?: CallOptions,
    ): Promise<SmsContactListDetails>;
    /** Add a contact to a list */
    addContactToList(body: AddSmsContactToList, options?: CallOptions): Promise<SmsConfirmation>;
    /** Remove a contact from a list */
    removeContactFromList(listaId: string, contactoId: string, options?: CallOptions): Promise<SmsConfirmation>;
    /** Import contacts */
    importContacts(body: ImportSmsContacts, options?: CallOptions): Promise<SmsContactImport>;
    /** Read your SMS account */
    getAccount(options?: CallOptions): Promise<SmsMerchant>;
    /** Set the sender and the opt-out text of your SMS */
    updateSender(body: UpdateSmsSender, options?: CallOptions): Promise<SmsMerchant>;
    /** Read the balance of SMS units */
    getBalance(options?: CallOptions): Promise<SmsBalance>;
    /** List movements of SMS units, newest first */
    listMovements(
      query?: {
        /** Page, from 1 */
        pageNumber?: number;
        /** Items per page, at most 100 */
        pageSize?: number;
        /**
         * `next` of a page: returns the rows after that page, even if rows were added since. `page` then
         * counts from there. At most 100 characters
         */
        after?: string;
        /** Only movements of this kind */
        tipo?: 'Credito' | 'Debito' | 'Reembolso';
      },
      options?: CallOptions,
    ): Listing<SmsBalanceLedgerEntry, SmsBalanceLedgerEntryPage>;
    /** Create an SMS template */
    createTemplate(body: CreateSmsTemplate, options?: CallOptions): Promise<SmsTemplate>;
    /** Change an SMS template */
    updateTemplate(templateId: string, body: CreateSmsTemplate, options?: CallOptions): Promise<SmsTemplate>;
    /** Delete an SMS template */
    deleteTemplate(templateId: string, options?: CallOptions): Promise<SmsConfirmation>;
    /** Read one SMS template */
    getTemplate(templateId: string, options?: CallOptions): Promise<SmsTemplate>;
    /** List SMS templates, newest first */
    listTemplates(
      query?: {
        /** Page, from 1 */
        pageNumber?: number;
        /** Items per page, at most 100 */
        pageSize?: number;
      },
      options?: CallOptions,
    ): Listing<SmsTemplate, SmsTemplatePage>;
    /** Find SMS templates created on a day */
    searchTemplates(
      query: {
        /** Day of the month, in Luanda */
        dia: number;
        /** Number of the month */
        mes: number;
        /** Year, in four digits */
        ano: number;
        /** Page, from 1 */
        pageNumber?: number;
        /** Items per page, at most 100 */
        pageSize?: number;
      },
      options?: CallOptions,
    ): Listing<SmsTemplate, SmsTemplatePage>;
    /** List sent SMS, newest first */
    listSent(
      query?: {
        /** Page, from 1 */
        pageNumber?: number;
        /** Items per page, at most 100 */
        pageSize?: number;
        /** Only messages from this day in Luanda on, such as 2026-11-30 */
        desde?: string;
        /** Only messages up to the end of this day in Luanda */
        ate?: string;
        /** Only messages of this batch. A UUID of 36 characters */
        batchId?: string;
        /** Only messages in this status */
        estado?: 'Pendente' | 'Enviado' | 'Entregue' | 'Falhado';
        /** Only messages to this number, in any usual format. 9 to 64 characters */
        numeroDestino?: string;
        /**
         * For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal
         * comma, times of Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO
         * 8601, no BOM
         */
        dialect?: 'excel' | 'rfc4180' | (string & {});
      },
      options?: CallOptions,
    ): Listing<SentSms, SentSmsPage>;
    /** Find SMS sent on a day */
    searchSent(
      query: {
        /** Day of the month, in Luanda */
        dia: number;
        /** Number of the month */
        mes: number;
        /** Year, in four digits */
        ano: number;
        /** Page, from 1 */
        pageNumber?: number;
        /** Items per page, at most 100 */
        pageSize?: number;
      },
      options?: CallOptions,
    ): Listing<SentSms, SentSmsPage>;
    /** Find SMS sent in a range of days */
    searchSentInRange(
      query: {
        /** Day of the month, in Luanda */
        diaInicio: number;
        /** Number of the month */
        mesInicio: number;
        /** Year, in four digits */
        anoInicio: number;
        /** Day of the month, in Luanda */
        diaFim: number;
        /** Number of the month */
        mesFim: number;
        /** Year, in four digits */
        anoFim: number;
        /** Page, from 1 */
        pageNumber?: number;
        /** Items per page, at most 100 */
        pageSize?: number;
      },
      options?: CallOptions,
    ): Listing<SentSms, SentSmsPage>;
    /** Send a text to one or more numbers */
    send(body: SendSms, options?: CallOptions): Promise<SmsAcceptance>;
    /** Send a template to one or more numbers */
    sendTemplate(body: SendSmsTemplate, options?: CallOptions): Promise<SmsAcceptance>;
    /** Send a text or a template to a contact list */
    sendToList(body: SendSmsToList, options?: CallOptions): Promise<SmsAcceptance>;
    /** Preview an SMS request */
    preview(body: PreviewSms, options?: CallOptions): Promise<SmsSendingPreview>;
    /** Schedule SMS */
    schedule(body: ScheduleSms, options?: CallOptions): Promise<SmsScheduledAcceptance>;
    /** List scheduled SMS, newest first */
    listScheduled(
      query?: {
        /** Page, from 1 */
        pageNumber?: number;
        /** Items per page, at most 100 */
        pageSize?: number;
        estado?: 'Agendado' | 'Enviado' | 'Cancelado' | (string & {});
      },
      options?: CallOptions,
    ): Listing<SmsSchedule, SmsSchedulePage>;
    /** Cancel scheduled SMS */
    cancelScheduled(agendamentoId: string, options?: CallOptions): Promise<SmsConfirmation>;
    /** List refusals of your SMS, newest first */
    listOptOuts(
      query?: {
        /** `next` of the previous page. Absent: the newest rows. At most 100 characters */
        after?: string;
        /** Refusals at most */
        limit?: number;
        /** Only this number, in any usual format. 9 to 64 characters */
        phone?: string;
        /**
         * For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal
         * comma, times of Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO
         * 8601, no BOM
         */
        dialect?: 'excel' | 'rfc4180' | (string & {});
      },
      options?: CallOptions,
    ): Listing<SmsOptOut, SmsOptOutPage>;
    /** Record that a person refuses your SMS */
    createOptOut(body: CreateSmsOptOut, options?: CallOptions): Promise<SmsOptOut>;
    /** Delete a refusal that you recorded */
    deleteOptOut(optOutId: string, options?: CallOptions): Promise<void>;
  };
  links: {
    /** Create a payment link */
    create(body: CreateLink, options?: CallOptions): Promise<Link>;
    /** List payment links, newest first */
    list(
      query?: {
        /** The number of the page, from 1 */
        page?: number;
        /** Items on a page, at most 100 */
        pageSize?: number;
        /**
         * `next` of a page: returns the rows after that page, even if rows were added since. `page` then
         * counts from there. At most 100 characters
         */
        after?: string;
        /** Only links in this status */
        status?: 'Active' | 'SoldOut' | 'Expired' | 'Withdrawn' | (string & {});
        /**
         * Only links whose title, or end of the address, has this text. One line, without control
         * characters or changes of the text’s direction, 1 to 100 characters
         */
        search?: string;
      },
      options?: CallOptions,
    ): Listing<Link, LinkPage>;
    /** Change a payment link */
    replace(linkId: string, body: ReplaceLink, options?: CallOptions): Promise<Link>;
    /** Withdraw a payment link */
    withdraw(linkId: string, options?: CallOptions): Promise<void>;
    /** Read one payment link */
    get(linkId: string, options?: CallOptions): Promise<Link>;
    /** List the payments of a link, newest first */
    listPayments(
      linkId: string,
      query?: {
        /** The number of the page, from 1 */
        page?: number;
        /** Items on a page, at most 100 */
        pageSize?: number;
        /**
         * `next` of a page: returns the rows after that page, even if rows were added since. `page` then
         * counts from there. At most 100 characters
         */
        after?: string;
        /** Paid; Open: can still be paid; Released: failed, expired or canceled */
        status?: 'Open' | 'Paid' | 'Released' | (string & {});
        /**
         * For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal
         * comma, times of Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO
         * 8601, no BOM
         */
        dialect?: 'excel' | 'rfc4180' | (string & {});
      },
      options?: CallOptions,
    ): Listing<LinkPayment, LinkPaymentPage>;
    /** The link’s address as a QR code (SVG) */
    getQrSvg(linkId: string, options?: CallOptions): Promise<Uint8Array>;
    /** The link’s address as a QR code (PNG) */
    getQrPng(
      linkId: string,
      query?: {
        /** Width and height in pixels */
        size?: number;
      },
      options?: CallOptions,
    ): Promise<Uint8Array>;
    /** Send a payment link by SMS */
    sendSms(linkId: string, body: SendLinkSms, options?: CallOptions): Promise<SmsAcceptance>;
  };
  articles: {
    /** List articles, by position */
    listArticles(
      query?: {
        /** Only active, or only hidden articles */
        isActive?: 'true' | 'false';
      },
      options?: CallOptions,
    ): Promise<ArticleList>;
    /** Create an article */
    createArticle(body: CreateArticle, options?: CallOptions): Promise<Article>;
    /** Change, hide or move an article */
    changeArticle(articleId: string, body: ChangeArticle, options?: CallOptions): Promise<Article>;
    /** Delete an article */
    deleteArticle(articleId: string, options?: CallOptions): Promise<void>;
  };
  rails: {
    /** List the available connectors */
    listRailConnectors(options?: CallOptions): Promise<RailConnectorList>;
  };
  railAccounts: {
    /** List rail accounts, by kind and priority */
    list(merchantId: string, options?: CallOptions): Promise<RailAccountList>;
    /** Add a rail account */
    add(merchantId: string, body: AddRailAccount, options?: CallOptions): Promise<RailAccount>;
    /** Read a rail account */
    get(merchantId: string, railAccountId: string, options?: CallOptions): Promise<RailAccount>;
    /** Change a rail account, or drain it */
    change(
      merchantId: string,
      railAccountId: string,
      body: ChangeRailAccount,
      options?: CallOptions,
    ): Promise<RailAccount>;
    /** Remove a rail account */
    remove(merchantId: string, railAccountId: string, options?: CallOptions): Promise<void>;
    /** Test the credentials */
    test(merchantId: string, railAccountId: string, options?: CallOptions): Promise<RailProbe>;
  };
}

/**
 * The operations in a compact form. A group begins with the common prefix of its paths.
 * Each operation follows: its name, then the method's letter with the rest of its path, then its flags.
 * Flags: k accepts an Idempotency-Key, b has a body, q has a query, p returns the whole object for `Prefer`.
 * Flags of lists, by the parameter of the next page: l `page`, n `pageNumber`, f `after`.
 */
export const OPERATIONS: Record<string, string> = {
  payments:
    '/api' +
    ' create P/payments:kbp' +
    ' list G/payments:ql' +
    ' sum G/payments/sums:q' +
    ' listCashiers G/payments/cashiers' +
    ' get G/payments/{}' +
    ' getHistory G/payments/{}/events' +
    ' getCode G/payments/{}/qrcode' +
    ' sync P/payments/{}/sync:p' +
    ' cancel P/payments/{}/cancel:kp' +
    ' resolve P/payments/{}/resolve:kb' +
    ' getMethods G/merchants/{}/payment-methods' +
    ' getReplacement G/payments/{}/replacement' +
    ' replace P/payments/{}/replacement:kb' +
    ' listRefunds G/payments/{}/refunds:ql' +
    ' sendReceipt P/payments/{}/receipt:kb',
  refunds:
    '/api' +
    ' create P/payments/{}/refunds:kbp' +
    ' listable G/payments/{}/refundable' +
    ' list G/refunds:ql' +
    ' get G/refunds/{}' +
    ' cancel P/refunds/{}/cancel' +
    ' sync P/refunds/{}/sync',
  references:
    '/api/references/ppr' +
    ' create P:kb' +
    ' list G:ql' +
    ' createLegacy P/legacy:kb' +
    ' createBulk P/bulk:kb' +
    ' get G/{}' +
    ' getHistory G/{}/history' +
    ' cancel P/{}/cancel:k' +
    ' previewSms P/sms/preview:b' +
    ' sendSms P/sms:kb',
  books:
    '/api' +
    ' getSummary G/summary:q' +
    ' listDays G/days:qf' +
    ' getDay G/days/{}' +
    ' reverseCredit P/settlements/{}/credits/{}/reversal:k' +
    ' explainDifference P/settlements/{}/explanation:kb' +
    ' withdrawExplanation D/settlements/{}/explanation:k' +
    ' importStatement P/bank-statements:kb',
  transactions: '/api/transactions' + ' list G:qf',
  settlements: '/api/settlements' + ' list G:qf' + ' get G/{}:q' + ' enterCredits P/{}/credits:kb',
  shifts:
    '/api/shifts' +
    ' openShift P:kb' +
    ' listShifts G:qf' +
    ' getCurrentShift G/current' +
    ' getShift G/{}' +
    ' recordCash P/{}/cash:kb' +
    ' closeShift P/{}/close:kb',
  terminals: '/api/terminals/{}' + ' get G:p' + ' open G/open:qp' + ' close G/close:qp',
  events: '/api/events' + ' list G:qf' + ' stream G/stream:q',
  callbacks:
    '/api' +
    ' getEndpoint G/merchants/{}/callback' +
    ' setEndpoint U/merchants/{}/callback:kb' +
    ' removeEndpoint D/merchants/{}/callback:k' +
    ' list G/callbacks:ql' +
    ' get G/callbacks/{}' +
    ' replay P/callbacks/{}/replay:k' +
    ' replayAll P/callbacks/replay:kb' +
    ' testEndpoint P/callbacks/test:kb',
  webhooks:
    '/api/webhooks' +
    ' list G:ql' +
    ' create P:b' +
    ' get G/{}' +
    ' replace U/{}:kb' +
    ' remove D/{}:k' +
    ' rotateSecret P/{}/rotate-secret:b' +
    ' test P/{}/test:k' +
    ' listDeliveries G/{}/deliveries:ql',
  merchants:
    '/api' +
    ' create P/merchants:b' +
    ' get G/merchants/{}' +
    ' update U/merchants/{}:kb' +
    ' listRequestErrors G/errors:qf' +
    ' listAudit G/merchants/{}/audit:ql',
  clients:
    '/api/merchants/{}/clients' +
    ' list G:ql' +
    ' create P:b' +
    ' revoke D/{}:k' +
    ' rotateSecret P/{}/rotate-secret:b',
  people:
    '/api' +
    ' listMembers G/merchants/{}/users:ql' +
    ' grantAccess P/merchants/{}/users:kbp' +
    ' revokeAccess D/merchants/{}/users/{}:kq' +
    ' listRoles G/roles',
  notifications: '/v1/notificacoes' + ' list G:ql' + ' markAll U:b' + ' mark U/{}:b',
  privacy:
    '/api/privacy' + ' exportPersonalData P/export:b' + ' erasePersonalData P/erase:b' + ' getErasure G/erasures/{}',
  billing:
    '/api/billing' +
    ' listPlans G/plans' +
    ' getSubscription G/subscription' +
    ' choosePlan U/subscription:kb' +
    ' getUsage G/usage:q' +
    ' listInvoices G/invoices:ql' +
    ' getInvoice G/invoices/{}' +
    ' getCreditNote G/credit-notes/{}',
  sms:
    '/api' +
    ' createContact P/Contactos/CadastrarContacto:kb' +
    ' replaceContact U/Contactos/AtualizarContacto/{}:kb' +
    ' removeContact D/Contactos/DeletarContacto/{}:k' +
    ' listContacts G/Contactos/ListarContactos:qn' +
    ' getContact G/Contactos/ObterContactoPorId/{}' +
    ' createContactList P/Contactos/CriarListaDeContactos:kb' +
    ' removeContactList D/Contactos/DeletarListaDeContactos/{}:k' +
    ' listContactLists G/Contactos/ListarListasDeContactos:qn' +
    ' getContactList G/Contactos/ObterListaDeContactosPorId/{}:q' +
    ' addContactToList P/Contactos/AdicionarContactoALista:kb' +
    ' removeContactFromList D/Contactos/RemoverContactoDaLista/{}/{}:k' +
    ' importContacts P/Contactos/ImportarContactos:kb' +
    ' getAccount G/ContaSms/ObterConta' +
    ' updateSender U/ContaSms/AtualizarRemetente:kb' +
    ' getBalance G/ContaSms/ObterSaldo' +
    ' listMovements G/ContaSms/ListarMovimentos:qn' +
    ' createTemplate P/TemplatesSMS/CriarTemplate:kb' +
    ' updateTemplate U/TemplatesSMS/AtualizarTemplate/{}:kb' +
    ' deleteTemplate D/TemplatesSMS/DeletarTemplate/{}:k' +
    ' getTemplate G/TemplatesSMS/ObterTemplatesSmsPorId/{}' +
    ' listTemplates G/TemplatesSMS/ListarTemplates:qn' +
    ' searchTemplates G/TemplatesSMS/pesquisarTemplateSMSporData:qn' +
    ' listSent G/Envio/ListarSmsEnviadas:qn' +
    ' searchSent G/Envio/PesquisarSMSEnviados:qn' +
    ' searchSentInRange G/Envio/pesquisarEnviosPorIntervaloDeDatas:qn' +
    ' send P/Envio/enviarSms:kb' +
    ' sendTemplate P/Envio/enviarSmsTemplate:kb' +
    ' sendToList P/Envio/enviarSmsParaLista:kb' +
    ' preview P/Envio/PreverSms:b' +
    ' schedule P/Envio/agendarSms:kb' +
    ' listScheduled G/Envio/ListarSmsAgendadas:qn' +
    ' cancelScheduled D/Envio/CancelarAgendamento/{}:k' +
    ' listOptOuts G/sms/opt-outs:qf' +
    ' createOptOut P/sms/opt-outs:kb' +
    ' deleteOptOut D/sms/opt-outs/{}:k',
  links:
    '/api/links' +
    ' create P:kb' +
    ' list G:ql' +
    ' replace U/{}:kb' +
    ' withdraw D/{}:k' +
    ' get G/{}' +
    ' listPayments G/{}/payments:ql' +
    ' getQrSvg G/{}/qr.svg' +
    ' getQrPng G/{}/qr.png:q' +
    ' sendSms P/{}/sms:kb',
  articles:
    '/api/articles' + ' listArticles G:q' + ' createArticle P:kb' + ' changeArticle U/{}:kb' + ' deleteArticle D/{}:k',
  rails: '/api/rail-connectors' + ' listRailConnectors G',
  railAccounts:
    '/api/merchants/{}/rail-accounts' +
    ' list G' +
    ' add P:b' +
    ' get G/{}' +
    ' change U/{}:b' +
    ' remove D/{}:k' +
    ' test P/{}/test:k',
};
