// The register of personal data: whose data each text or JSON column has, for what purpose, and for how long.
// A test compares docs/personal-data.md with this file.
import type { Tables } from '../database/db.ts';
import type { Environment } from '../environment.ts';

/** Kinds of data subjects. `payer` pays, `contact` gets SMS, `person` signs in, and `merchant` is a business. */
export type DataSubject = 'payer' | 'contact' | 'person' | 'merchant';

export type RetentionSetting = Extract<keyof Environment, `RETENTION_${string}`>;

/** The retention of a column: a setting in days, or the end of retention in words. */
export type Retention = RetentionSetting | `until ${string}` | `for ever: ${string}`;

export type Holding = { whose: DataSubject; purpose: string; kept: Retention };

type Columns<T extends keyof Tables> = keyof Tables[T] & string;

const hold = (whose: DataSubject, purpose: string, kept: Retention): Holding => ({ whose, purpose, kept });

const PAYERS = 'RETENTION_PAYERS_DAYS';
const ACCOUNT = 'until the person’s account is removed';
const AUDITED = 'for ever: it proves past actions and is append-only';
const RAIL_REPORT = hold('payer', 'The rail’s report of the transaction or order, unchanged', PAYERS);
const NOTE_OF_SHIFT = hold(
  'payer',
  'A note of a cashier, which may name the payer',
  'for ever: it explains a closed shift; an erasure removes the payer from it',
);
const MERCHANT_WORDS = hold('payer', 'Text of the merchant, which may name the payer', PAYERS);

/** The columns with personal data, by table. */
export const PERSONAL: { [T in keyof Tables]?: { [C in Columns<T>]?: Holding } } = {
  payments: {
    payerTaxId: hold('payer', 'The payer’s NIF, for the merchant’s own invoice', PAYERS),
    phone: hold('payer', 'The payer’s phone, which approves the payment', PAYERS),
    customMetadata: MERCHANT_WORDS,
    searchTerms: MERCHANT_WORDS,
    description: MERCHANT_WORDS,
    returnUrl: hold('payer', 'The shop’s page after the payment; the address may name the payer', PAYERS),
    cancelUrl: hold('payer', 'The same after a cancellation', PAYERS),
    reference: hold(
      'payer',
      'The merchant’s name of the payment',
      'for ever: it identifies the money; an erasure removes a phone or e-mail in it',
    ),
    referenceClaim: hold(
      'payer',
      'The same while it is reserved',
      'for ever: it identifies the money; an erasure removes a phone or e-mail in it',
    ),
  },
  payment_search: {
    words: hold('payer', 'The texts of a payment, for the merchant’s search; erased with them', PAYERS),
  },
  attempts: { phone: hold('payer', 'The payer’s phone in this attempt', PAYERS) },
  transactions: { details: RAIL_REPORT },
  payment_references: {
    customerEmail: hold('payer', 'The payer, as the merchant wrote', PAYERS),
    customerName: hold('payer', 'The payer, as the merchant wrote', PAYERS),
    customerTelephone: hold('payer', 'The payer, as the merchant wrote', PAYERS),
    documentNumber: hold('payer', 'The payer’s document, or the merchant’s', PAYERS),
  },
  link_payments: {
    customerEmail: hold('payer', 'The payer’s answer on the link’s page', PAYERS),
    customerName: hold('payer', 'The payer’s answer on the link’s page', PAYERS),
    customerTelephone: hold('payer', 'The payer’s answer on the link’s page', PAYERS),
    documentNumber: hold('payer', 'The payer’s answer on the link’s page', PAYERS),
  },
  refunds: { reason: MERCHANT_WORDS, reference: MERCHANT_WORDS, proof: MERCHANT_WORDS, details: RAIL_REPORT },
  shifts: { note: NOTE_OF_SHIFT },
  cash_entries: { note: NOTE_OF_SHIFT },
  events: { details: hold('payer', 'Details of a change, with the rail’s report and the note of a person', PAYERS) },
  notifications: {
    details: hold('payer', 'Details of the event, for the merchant’s people', 'RETENTION_NOTIFICATIONS_DAYS'),
  },
  delivery_attempts: {
    answer: hold('payer', 'The answer of the merchant’s server, which may name the payer', 'RETENTION_ANSWERS_DAYS'),
  },
  inbox: {
    body: hold(
      'payer',
      'Proven rail notifications unchanged, as proof and to find money; only ids of unproven ones, for three days',
      'RETENTION_RAIL_MESSAGES_DAYS',
    ),
  },
  reconciliations: { found: hold('payer', 'Unreadable entries of the rail', PAYERS) },
  settlement_credits: {
    bankReference: hold('payer', 'The bank’s text of a credit, which may name the payer', PAYERS),
  },
  settlement_explanations: {
    note: hold('payer', 'A person’s note on a difference, which may name the payer', PAYERS),
  },
  request_errors: {
    faults: hold('payer', 'Faulty fields of a refused request, in the merchant’s spelling', 'until a week has passed'),
  },
  idempotency_keys: {
    key: hold('payer', 'The merchant’s name of a request', 'RETENTION_IDEMPOTENCY_DAYS'),
    body: hold('payer', 'The answer for a repeated request', 'RETENTION_IDEMPOTENCY_DAYS'),
  },
  sms_contacts: {
    name: hold('contact', 'A recipient of the merchant’s SMS', 'until the merchant deletes the contact'),
    phone: hold('contact', 'A recipient of the merchant’s SMS', 'until the merchant deletes the contact'),
  },
  sms_messages: {
    phone: hold('contact', 'The recipient', 'RETENTION_SMS_DAYS'),
    content: hold('contact', 'The text', 'RETENTION_SMS_DAYS'),
  },
  sms_batches: { content: hold('contact', 'The text of a batch', 'RETENTION_SMS_DAYS') },
  sms_ledger: { description: hold('contact', 'The number of the message that returned units', 'RETENTION_SMS_DAYS') },
  sms_opt_outs: {
    phone: hold(
      'contact',
      'A number that refuses the merchant’s SMS; after an erasure a keyed digest',
      'for ever: an opt-out stays until it is withdrawn',
    ),
  },
  sms_opt_out_codes: {
    code: hold('contact', 'The address of the opt-out page', 'for ever: sent messages contain the address'),
    phone: hold('contact', 'The number of that page', 'for ever: sent messages contain the address'),
  },
  erasures: {
    sealedSubject: hold('payer', 'The person of a running erasure, sealed', 'until the erasure is done'),
    subjectHash: hold('payer', 'A keyed digest of the person', 'for ever: it proves the erasure'),
  },
  sms_lists: { name: hold('contact', 'The merchant’s name of a list', 'until the merchant deletes the list') },
  sms_templates: {
    name: hold('contact', 'The merchant’s name of a text', 'until the merchant deletes the template'),
    content: hold('contact', 'A text with placeholders', 'until the merchant deletes the template'),
  },
  users: {
    email: hold('person', 'The address for sign-in and mail', ACCOUNT),
    firstName: hold('person', 'The person’s name', ACCOUNT),
    lastName: hold('person', 'The person’s name', ACCOUNT),
    phoneNumber: hold('person', 'The person’s phone', ACCOUNT),
  },
  sessions: {
    address: hold('person', 'The IP address of the session', 'RETENTION_SIGN_INS_DAYS'),
    userAgent: hold('person', 'The browser of the session', 'RETENTION_SIGN_INS_DAYS'),
  },
  sign_in_failures: { subject: hold('person', 'A digest of account and IP address', 'RETENTION_SIGN_INS_DAYS') },
  mails: {
    to: hold('person', 'The recipient; for a customer’s receipt empty after it is sent', 'RETENTION_MAILS_DAYS'),
    subject: hold('person', 'The subject', 'RETENTION_MAILS_DAYS'),
    sealedText: hold('person', 'The mail, sealed; empty after it is sent', 'RETENTION_MAILS_DAYS'),
    sealedHtml: hold('person', 'The mail, sealed; empty after it is sent', 'RETENTION_MAILS_DAYS'),
    error: hold('person', 'The mail server’s refusal', 'RETENTION_MAILS_DAYS'),
  },
  audit_entries: {
    actorId: hold('person', 'The actor', AUDITED),
    address: hold('person', 'The actor’s IP address', AUDITED),
    changes: hold('person', 'Changed settings and access, never a payer', AUDITED),
    target: hold('person', 'The id of the changed object', AUDITED),
  },
};

/** The columns without personal data, by table: constants, ids and digests. Spaces separate the names. */
export const IMPERSONAL: { [T in keyof Tables]?: string } = {
  articles: 'name currency',
  attempts: 'kind rail railKey railOrderId status failureCode providerRef',
  audit_entries: 'action actorKind',
  bank_mappings: 'mapping',
  billing_accounts: 'nextMonth',
  certification_requests: 'fault',
  cash_entries: 'kind',
  clients: 'id name secretHash previousHash scopes',
  credit_notes: 'reason issuerName issuerTaxId issuerAddress merchantName merchantTaxId currency',
  deliveries: 'kind type status',
  delivery_attempts: 'outcome error',
  digest_keys: 'id sealedKey',
  endpoints: 'kind url accessKey secrets types description',
  erasures: 'status progress erased requestedByKind requestedById',
  events: 'type status state',
  fiscal_documents: 'series number url hash fileHash',
  idempotency_keys: 'fingerprint',
  inbox: 'rail notificationId outcome about',
  invoices: 'issuerName issuerTaxId issuerAddress payment merchantName merchantTaxId planName month lines currency',
  link_payments: 'status openedFrom',
  links: 'slug title currency methods asks thanks returnUrl',
  list_counts: 'list grain keys',
  list_deltas: 'list keys',
  list_folds: 'name',
  mail_tokens: 'purpose hash',
  memberships: 'role',
  merchants:
    'name defaultLanguage brandColor brandLogo allowedOrigins returnOrigins checkoutMethods searchKeys ' +
    'gpoMerchantIds gpoPosIds entity taxId privacyContact privacyNotice',
  notifications: 'type subject',
  payment_references: 'entity reference type contract rail status railFault',
  payments:
    'currency paymentType paymentMethod status provider gpoMerchantId gpoPosId checkoutMethods operation ' +
    'qrContent qrDeeplink qrSize qrType flags lateAfter failureCode createdByKind createdById ' +
    'canceledByKind canceledById',
  plans: 'name currency',
  published_files: 'path',
  rail_accounts: 'kind connector label environment status settings secrets',
  rail_feeds: 'rail cursor',
  reconciliations: 'rail',
  reserved_references: 'rail environment entity reference',
  refunds: 'currency status method rail refundedOn failureCode providerRef period requestedByKind requestedById',
  request_errors: 'method path code requestId clientId',
  retention_marks: 'name after',
  revoked_tokens: 'jti',
  schema_floor: 'id migration',
  sent_receipts: 'channel',
  sessions: 'clientId scopes',
  settlement_credits: 'kind currency date fileHash lineHash enteredByKind enteredById',
  settlement_explanations: 'reason explainedByKind explainedById',
  settlements: 'rail period currency day status',
  shifts: 'status',
  signing_keys: 'kid publicJwk sealedPrivateJwk',
  sms_accounts: 'sender optOutText optOutNumber',
  sms_batches: 'rail sender status',
  sms_ledger: 'kind',
  sms_opt_outs: 'source',
  sms_messages: 'status failure railMessageId',
  subscriptions: 'month',
  terminals: 'posId status period',
  transactions: 'rail providerRef currency status period',
  usage_entries: 'currency paymentType',
  users: 'passwordHash language noticeMail totpSecret recoveryCodes',
};
