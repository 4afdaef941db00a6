// Every problem that the gateway returns, by its stable code.
// The API reference and the /problems pages show this table.
import { BOOKS_PROBLEMS } from './books-errors.ts';
import { LINK_PROBLEMS } from './link-errors.ts';
import { PEOPLE_PROBLEMS, type ProblemEntry } from './people-errors.ts';
import { REFUND_PROBLEMS } from './refund-errors.ts';
import { SHIFT_PROBLEMS } from './shift-errors.ts';
import { SMS_PROBLEMS } from './sms-errors.ts';
import { WEBHOOK_PROBLEMS } from './webhook-errors.ts';

/** RFC 9457 problems by `code`. `title` and `detail` are always in English. `detail` says how to fix the problem. */
export const PROBLEMS = {
  ...PEOPLE_PROBLEMS,
  ...SMS_PROBLEMS,
  ...WEBHOOK_PROBLEMS,
  ...REFUND_PROBLEMS,
  ...BOOKS_PROBLEMS,
  ...LINK_PROBLEMS,
  ...SHIFT_PROBLEMS,
  receipt_unavailable: {
    status: 409,
    title: 'No receipt',
    detail: 'This payment received no money. The receipt of an authorization is the receipt of its capture.',
  },
  too_many_receipts: {
    status: 429,
    title: 'Too many receipts',
    detail: 'An hour has at most 3 receipts of one payment and 60 of one merchant. Wait Retry-After seconds.',
  },
  malformed_json: { status: 400, title: 'Malformed JSON', detail: 'The body is not valid JSON in UTF-8.' },
  nesting_too_deep: {
    status: 400,
    title: 'Nesting too deep',
    detail: 'The body nests objects or arrays more than 32 levels deep.',
  },
  validation_failed: {
    status: 400,
    title: 'Validation failed',
    detail: 'One or more fields are wrong; `errors` names each by JSON pointer.',
  },
  invalid_text: {
    status: 400,
    title: 'Invalid text',
    detail: 'Text must not contain NUL characters or lone surrogates.',
  },
  custom_metadata_not_allowed: {
    status: 400,
    title: 'customMetadata not allowed here',
    detail: 'Send merchant-defined fields inside metadata.custom; they come back as customMetadata.',
  },
  amount_precision: {
    status: 400,
    title: 'Too many decimals',
    detail: 'The amount has more decimals than its currency.',
  },
  amount_out_of_range: {
    status: 400,
    title: 'Amount out of range',
    detail: 'The amount must be between 0.01 and 10000000.',
  },
  rail_account_in_use: {
    status: 409,
    title: 'Account has open work',
    detail:
      'Payments, references or messages of this account are still open (`open` counts them). ' +
      'Drain the account first, and remove it when they are done.',
  },
  too_many_rail_accounts: {
    status: 409,
    title: 'Too many rail accounts',
    detail: 'A merchant has 20 rail accounts at most. Remove one first.',
  },
  method_not_supported: {
    status: 400,
    title: 'Method not supported',
    detail: 'Your rail account cannot do this. `errors` names the account and its methods.',
  },
  payment_method_unavailable: {
    status: 400,
    title: 'Payment method unavailable',
    detail:
      'Your merchant account has no rail account for this payment type or method yet. Nothing was created. ' +
      'Add a contract of your own, or ask the operator of this gateway.',
  },
  gpo_id_not_assigned: {
    status: 400,
    title: 'GPO id not assigned',
    detail:
      'This GPO merchant or point-of-sale id is not assigned to your merchant account. ' +
      'Leave it out, or ask the operator of this gateway to assign it.',
  },
  gpo_id_required: {
    status: 400,
    title: 'GPO ids missing',
    detail:
      'Your merchant account has no GPO ids yet. ' +
      'Add a contract of your own, or ask the operator of this gateway to assign ids.',
  },
  origin_not_registered: {
    status: 400,
    title: 'Origin not registered',
    detail:
      'returnUrl and cancelUrl may only point to origins registered for your merchant account. ' +
      'PUT /api/merchants/{merchantId} sets them in `returnOrigins`.',
  },
  currency_not_supported: {
    status: 400,
    title: 'Currency not supported',
    detail: 'The rail does not accept this currency.',
  },
  invalid_reference: {
    status: 400,
    title: 'Invalid reference',
    detail: 'A payment reference is text of 9 to 15 digits.',
  },
  reference_in_use: {
    status: 400,
    title: 'Reference in use',
    detail:
      'Another payment has this reference. That payment is open, or it was paid and your merchant account ' +
      'accepts each reference only once (`uniqueReferences`). ' +
      'Choose another reference, or cancel the open payment first.',
  },
  entity_not_assigned: {
    status: 400,
    title: 'Entity not assigned',
    detail:
      'Payment references need an entity. ' +
      'Add a contract of your own, or ask the operator of this gateway to assign one.',
  },
  authorization_not_found: {
    status: 400,
    title: 'Authorization not found',
    detail: 'metadata.authorizationId must be the internalId of one of your authorizations.',
  },
  url_not_allowed: {
    status: 400,
    title: 'Address not allowed',
    detail:
      'The gateway calls merchants only at https:// addresses of the public internet, ' +
      'on port 443 or 1024 and above, without credentials in the address.',
  },
  cursor_invalid: {
    status: 400,
    title: 'Cursor invalid',
    detail: 'Send a cursor of this feed (`next`, or an event’s `cursor`), or `now`.',
  },
  supervisor_required: {
    status: 400,
    title: 'Supervisor required',
    detail: 'A supervisor must approve that this terminal opens or closes: send the query parameter supervisorId.',
  },
  prefetch_refused: {
    status: 400,
    title: 'Prefetch refused',
    detail: 'This address changes state and must not be prefetched.',
  },
  idempotency_key_invalid: {
    status: 400,
    title: 'Invalid Idempotency-Key',
    detail: 'Idempotency-Key must be 1 to 255 visible ASCII characters, optionally in double quotes.',
  },
  invalid_token: {
    status: 401,
    title: 'Unauthorized',
    detail: 'Send a valid bearer token in the Authorization header; POST /oauth/token issues one.',
  },
  insufficient_scope: {
    status: 403,
    title: 'Insufficient scope',
    detail: 'The token does not carry the scope this operation needs.',
  },
  supervisor_refused: {
    status: 403,
    title: 'Supervisor refused',
    detail: 'This terminal does not accept the supervisor. The terminal did not open or close.',
  },
  not_found: { status: 404, title: 'Not found', detail: 'This address does not exist, or you have no access to it.' },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    detail: 'This address does not accept this method. The Allow header lists the accepted methods.',
  },
  reference_in_flight: {
    status: 409,
    title: 'Reference in flight',
    detail:
      'A payment with the same reference, amount and phone is in progress; the API names it in `internalId`. ' +
      'Wait for its outcome.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'Request in progress',
    detail: 'The first request with this Idempotency-Key is still running. Repeat after Retry-After seconds.',
  },
  state_conflict: {
    status: 409,
    title: 'State conflict',
    detail: 'The payment is in a state that does not allow this.',
  },
  payment_not_payable: {
    status: 409,
    title: 'Payment not payable',
    detail: 'The payment is closed, or its method is not paid by phone. No push was sent.',
  },
  payment_in_progress: {
    status: 409,
    title: 'Payment in progress',
    detail: 'The payment may still take money by its push, code or reference; nothing else was sent.',
  },
  payment_not_replaceable: {
    status: 409,
    title: 'Payment not replaceable',
    detail:
      'The payment has money, belongs to a payment link, or is not for one payer. Only an unpaid push, page, QR code ' +
      'or Dynamic reference is charged in another way.',
  },
  authorization_busy: {
    status: 409,
    title: 'Authorization busy',
    detail:
      'A capture or a cancellation of this authorization is in progress. Nothing was changed. ' +
      'Repeat after its outcome.',
  },
  authorization_not_capturable: {
    status: 409,
    title: 'Authorization not capturable',
    detail: 'The authorization was captured or canceled, has expired or failed, or is not approved yet.',
  },
  payment_not_cancelable: {
    status: 409,
    title: 'Payment not cancelable',
    detail:
      'This address cancels authorized payments, pending web frame and QR code payments, ' +
      'and a pending payment by reference that replaced one of them (`replaces`). ' +
      'Cancel other references with POST /api/references/ppr/{reference}/cancel.',
  },
  reference_not_cancelable: {
    status: 409,
    title: 'Reference not cancelable',
    detail: 'Only a reference that can still be paid can be canceled. This one was paid or has expired.',
  },
  terminal_closed: {
    status: 409,
    title: 'Terminal closed',
    detail: 'The GPO terminal of this payment is closed. Open it first; no push was sent and no code was made.',
  },
  terminal_busy: {
    status: 409,
    title: 'Terminal busy',
    detail: 'The terminal is being opened or closed. Nothing was changed. Repeat after its outcome.',
  },
  reference_not_offered: {
    status: 409,
    title: 'Reference not offered',
    detail:
      'The payer can pay by reference instead only after a refused push, ' +
      'and only if the merchant allows it and can accept payment references. Nothing was changed.',
  },
  payment_replaced: {
    status: 409,
    title: 'Payment replaced',
    detail:
      'The payer chose to pay by reference: the payment in `replacedBy` replaced this one, and is open or paid. ' +
      'Cancel that payment in the same way.',
  },
  attempts_exhausted: { status: 409, title: 'Attempts exhausted', detail: 'This payment has used its 5 pushes.' },
  precondition_failed: {
    status: 412,
    title: 'Changed since it was read',
    detail: 'Another request has changed it since the version in `If-Match`. Nothing was changed now. Read it again.',
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    detail:
      'The body is larger than this address accepts, or has too many values. The OpenAPI document has the limits.',
  },
  too_many_references: {
    status: 413,
    title: 'Too many references',
    detail: 'One request creates at most 500 references. Send the rest in further requests.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    detail: 'Send the body as application/json in UTF-8, without content encoding.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency-Key reused',
    detail: 'This Idempotency-Key was used with another request. Use a new key for a new request.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests',
    detail: 'The limit of this minute is used up. The request had no effect; repeat after Retry-After seconds.',
  },
  too_many_exports: {
    status: 429,
    title: 'Too many exports',
    detail: 'Two of your exports are running. Repeat when one of them has ended.',
  },
  too_many_erasures: {
    status: 429,
    title: 'Too many erasures',
    detail: 'Twenty of your erasures are in progress. Request the next one when one of them is done.',
  },
  too_many_pushes: {
    status: 429,
    title: 'Too many pushes',
    detail: 'This phone received too many payment requests. Wait some minutes.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    detail:
      'Something went wrong on our side. Repeat with the same Idempotency-Key; `instance` identifies this request.',
  },
  references_exhausted: {
    status: 503,
    title: 'References exhausted',
    detail: 'This entity has no free reference number at the moment. Nothing was created. Contact the operator.',
  },
  rail_unavailable: {
    status: 503,
    title: 'Provider unavailable',
    detail: 'The provider could not be reached. This request moved no money. Repeat later.',
  },
  service_unavailable: {
    status: 503,
    title: 'Service unavailable',
    detail:
      'The gateway cannot process requests at the moment. ' +
      'Repeat after Retry-After seconds, with the same Idempotency-Key.',
  },
} satisfies Record<string, ProblemEntry>;

export type ProblemCode = keyof typeof PROBLEMS;

export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEMS, code);
}

const UNCONNECTED: ProblemCode[] = ['payment_method_unavailable', 'gpo_id_required', 'entity_not_assigned'];
/** Refusals for a merchant without a rail contract. The merchant adds a contract, or contacts the operator. */
export const NOT_CONNECTED: ReadonlySet<string> = new Set(UNCONNECTED);
