// The package's main entry: the client, its errors, amounts, and the verification of callbacks and webhooks.
// The request handlers for callbacks and webhooks are the second entry, handlers.ts.
export { Balcao, type ClientExtras } from './client.ts';
export type { CallOptions, ClientOptions, Listing } from './call.ts';
export { BalcaoError, isBalcaoError, type ErrorCode, type FieldError, type KnownError } from './error.ts';
export { amountOf, amountText } from './amount.ts';
export { verifyCallback, verifyWebhook, type Callback, type Incoming, type WebhookEvent } from './verify.ts';
export type * from './contract.ts';
