// What the package gives: the client, its errors, amounts, and who sent a notification. What to answer to one is in handlers.ts.
export { Balcao, type Beyond } from './client.ts';
export type { CallOptions, ClientOptions, Listing } from './call.ts';
export { BalcaoError, isBalcaoError, type ErrorCode, type FieldError, type KnownError } from './error.ts';
export { amountOf, amountText } from './amount.ts';
export { verifyCallback, verifyWebhook, type Callback, type Incoming, type WebhookEvent } from './verify.ts';
export type * from './contract.ts';
