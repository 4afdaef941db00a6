// The register of personal data: for every text or JSON column whose data it holds, for what purpose, and how long.
// A test compares docs/personal-data.md with this file.
import type { Tables } from '../database/db.ts';
import type { Environment } from '../environment.ts';

/** The data subject: `payer` pays, `contact` receives SMS, `person` signs in, `merchant` is a business. */
export type Whose = 'payer' | 'contact' | 'person' | 'merchant';

export type RetentionSetting = Extract<keyof Environment, `RETENTION_${string}`>;

/** Retention: a setting in days, or the end of retention in words. */
export type Kept = RetentionSetting | `until ${string}` | `for ever: ${string}`;

export type Holding = { whose: Whose; purpose: string; kept: Kept };

type Columns<T extends keyof Tables> = keyof Tables[T] & string;

const hold = (whose: Whose, purpose: string, kept: Kept): Holding => ({ whose, purpose, kept });

const PAYERS = 'RETENTION_PAYERS_DAYS';
const ACCOUNT = 'until the person’s account is removed';
const AUDITED = 'for ever: it shows who did what, and is append-only';
const TOLD = hold('payer', 'What the rail told of the money or the order, in its words', PAYERS);
const MERCHANT_WORDS = hold('payer', 'The merchant’s own words, which may name the payer', PAYERS);

/** Columns that hold personal data. */
export const PERSONAL: { [T in keyof Tables]?: { [C in Columns<T>]?: Holding } } = {
  payments: {
    payerTaxId: hold('payer', 'The payer’s NIF, for the merchant’s own invoice', PAYERS),
    phone: hold('payer', 'Whom the rail asks to approve the payment', PAYERS),
    customMetadata: MERCHANT_WORDS,
    searchTerms: MERCHANT_WORDS,
    description: MERCHANT_WORDS,
    returnUrl: hold('payer', 'Where the merchant’s shop goes on; its address may name the payer', PAYERS),
    cancelUrl: hold('payer', 'The same, where the payer gives up', PAYERS),
    reference: hold(
      'payer',
      'The merchant’s name of the payment',
      'for ever: it belongs to the money; a phone or e-mail in it is erased with its payer',
    ),
    referenceClaim: hold(
      'payer',
      'The same, while nobody else may take it',
      'for ever: it belongs to the money; a phone or e-mail in it is erased with its payer',
    ),
  },
  attempts: { phone: hold('payer', 'Whom the rail was asked to ask', PAYERS) },
  transactions: { details: TOLD },
  payment_references: {
    customerEmail: hold('payer', 'Who is to pay, as the merchant told', PAYERS),
    customerName: hold('payer', 'Who is to pay, as the merchant told', PAYERS),
    customerTelephone: hold('payer', 'Who is to pay, as the merchant told', PAYERS),
    documentNumber: hold('payer', 'The payer’s document, or the merchant’s', PAYERS),
  },
  link_payments: {
    customerEmail: hold('payer', 'What the payer was asked on the link’s page', PAYERS),
    customerName: hold('payer', 'What the payer was asked on the link’s page', PAYERS),
    customerTelephone: hold('payer', 'What the payer was asked on the link’s page', PAYERS),
    documentNumber: hold('payer', 'What the payer was asked on the link’s page', PAYERS),
  },
  refunds: { reason: MERCHANT_WORDS, reference: MERCHANT_WORDS, proof: MERCHANT_WORDS, details: TOLD },
  events: { details: hold('payer', 'What is known of a change, among it what the rail told', PAYERS) },
  notifications: { details: hold('payer', 'The event’s, for the merchant’s people', 'RETENTION_NOTIFICATIONS_DAYS') },
  delivery_attempts: {
    answer: hold('payer', 'What the merchant’s server answered, which may name the payer', 'RETENTION_ANSWERS_DAYS'),
  },
  inbox: {
    body: hold(
      'payer',
      'Proven messages of rails word for word: proof, and what money is found by. Of others a few ids, for three days',
      'RETENTION_RAIL_MESSAGES_DAYS',
    ),
  },
  reconciliations: { found: hold('payer', 'Words of the rail that nobody could read', PAYERS) },
  settlement_credits: {
    bankReference: hold('payer', 'The bank’s words for a credit, which may name who paid', PAYERS),
  },
  request_errors: {
    faults: hold(
      'payer',
      'Where a refused request was wrong; a field’s name is the merchant’s',
      'until a week is over',
    ),
  },
  idempotency_keys: {
    key: hold('payer', 'The merchant’s name of a request', 'RETENTION_IDEMPOTENCY_DAYS'),
    body: hold('payer', 'The answer that a repeated request gets again', 'RETENTION_IDEMPOTENCY_DAYS'),
  },
  sms_contacts: {
    name: hold('contact', 'Whom the merchant writes to', 'until the merchant deletes the contact'),
    phone: hold('contact', 'Whom the merchant writes to', 'until the merchant deletes the contact'),
  },
  sms_messages: {
    phone: hold('contact', 'Who was written to', 'RETENTION_SMS_DAYS'),
    content: hold('contact', 'What was written', 'RETENTION_SMS_DAYS'),
  },
  sms_batches: { content: hold('contact', 'What was written to all of a sending', 'RETENTION_SMS_DAYS') },
  sms_ledger: { description: hold('contact', 'Whose message gave units back', 'RETENTION_SMS_DAYS') },
  sms_opt_outs: {
    phone: hold(
      'contact',
      'Who refuses the merchant’s SMS; after an erasure a keyed digest',
      'for ever: a refusal stands until it is taken back',
    ),
  },
  sms_opt_out_codes: {
    code: hold('contact', 'The page on which one refuses', 'for ever: messages name its address'),
    phone: hold('contact', 'Whose page it is', 'for ever: messages name its address'),
  },
  erasures: {
    sealedSubject: hold('payer', 'Whose data are being erased, sealed', 'until the erasure is done'),
    subjectHash: hold('payer', 'A keyed digest of that', 'for ever: it shows that it was done'),
  },
  sms_lists: { name: hold('contact', 'The merchant’s name of a list', 'until the merchant deletes the list') },
  sms_templates: {
    name: hold('contact', 'The merchant’s name of a text', 'until the merchant deletes the template'),
    content: hold('contact', 'A text with places for names', 'until the merchant deletes the template'),
  },
  users: {
    email: hold('person', 'Who signs in, and where mail goes', ACCOUNT),
    firstName: hold('person', 'What people are called', ACCOUNT),
    lastName: hold('person', 'What people are called', ACCOUNT),
    phoneNumber: hold('person', 'Where people are reached', ACCOUNT),
  },
  sessions: {
    address: hold('person', 'From where somebody is signed in', 'RETENTION_SIGN_INS_DAYS'),
    userAgent: hold('person', 'With what somebody is signed in', 'RETENTION_SIGN_INS_DAYS'),
  },
  sign_in_failures: { subject: hold('person', 'A digest of whom and from where', 'RETENTION_SIGN_INS_DAYS') },
  mails: {
    to: hold('person', 'Where a letter goes', 'RETENTION_MAILS_DAYS'),
    subject: hold('person', 'What it is about', 'RETENTION_MAILS_DAYS'),
    sealedText: hold('person', 'The letter, sealed; empty once it was sent', 'RETENTION_MAILS_DAYS'),
    sealedHtml: hold('person', 'The letter, sealed; empty once it was sent', 'RETENTION_MAILS_DAYS'),
    error: hold('person', 'Why it was not taken', 'RETENTION_MAILS_DAYS'),
  },
  audit_entries: {
    actorId: hold('person', 'Who did it', AUDITED),
    address: hold('person', 'From where', AUDITED),
    changes: hold('person', 'What changed: settings and access, never a payer', AUDITED),
    target: hold('person', 'To what, by its id', AUDITED),
  },
};

/** Columns without personal data: constants, ids, digests. Names are separated by spaces. */
export const IMPERSONAL: { [T in keyof Tables]?: string } = {
  attempts: 'kind rail railKey railOrderId status failureCode providerRef',
  audit_entries: 'action actorKind',
  bank_mappings: 'mapping',
  billing_accounts: 'nextMonth',
  certification_requests: 'fault',
  clients: 'id name secretHash previousHash scopes',
  credit_notes: 'reason issuerName issuerTaxId merchantName merchantTaxId currency',
  deliveries: 'kind type status',
  delivery_attempts: 'outcome error',
  digest_keys: 'id sealedKey',
  endpoints: 'kind url accessKey secrets types description',
  erasures: 'status progress erased requestedByKind requestedById',
  events: 'type status state',
  fiscal_documents: 'series number url hash fileHash',
  idempotency_keys: 'fingerprint',
  inbox: 'rail notificationId outcome about',
  invoices: 'issuerName issuerTaxId merchantName merchantTaxId planName month lines currency',
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
    'qrContent qrDeeplink qrSize qrType flags failureCode',
  plans: 'name currency',
  published_files: 'path',
  rail_accounts: 'kind connector label environment status settings secrets',
  rail_feeds: 'rail cursor',
  reconciliations: 'rail',
  reserved_references: 'rail environment entity reference',
  refunds: 'currency status method rail failureCode providerRef period requestedByKind requestedById',
  request_errors: 'method path code requestId clientId',
  retention_marks: 'name after',
  revoked_tokens: 'jti',
  schema_floor: 'id migration',
  sessions: 'clientId scopes',
  settlement_credits: 'currency date fileHash lineHash enteredByKind enteredById',
  settlements: 'rail period currency day status',
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
  users: 'passwordHash language totpSecret recoveryCodes',
};
