// The notification URLs of rail accounts and of their attempts. Only the rail knows such a URL.
// The node derives the URL's secret part from its key, so that no URL is stored.
import type { Core } from '../core.ts';
import { idTokenOf } from '../http/id-token.ts';

export const ACCOUNT_ADDRESS = 'rail-account';
export const ATTEMPT_ADDRESS = 'rail-attempt';

type Addressed = Pick<Core, 'keyring' | 'publicUrl'>;
type AccountName = { id: string; connector: string };

/** Returns a rail account's notification URL, which the merchant enters in the provider's portal. */
export function notificationUrlOf({ keyring, publicUrl }: Addressed, { id, connector }: AccountName): string {
  return `${publicUrl}/rails/${connector}/${idTokenOf(keyring, id, ACCOUNT_ADDRESS)}/notifications`;
}

/** Returns an attempt's notification URL, for providers that take one with each order. */
export function attemptUrlOf(core: Addressed, account: AccountName, attemptId: string): string {
  const own = `${idTokenOf(core.keyring, attemptId, ATTEMPT_ADDRESS)}/notifications`;
  return notificationUrlOf(core, account).replace(/notifications$/, own);
}
