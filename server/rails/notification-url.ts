// The URLs that rails notify: unguessable, one for an account or for one of its attempts. The node derives them from its key instead of
// storing them (decisions §15).
import type { Core } from '../core.ts';
import { idTokenOf } from '../http/id-token.ts';

export const ACCOUNT_ADDRESS = 'rail-account';
export const ATTEMPT_ADDRESS = 'rail-attempt';

type Addressed = Pick<Core, 'keyring' | 'publicUrl'>;
type AccountName = { id: string; connector: string };

/** The merchant enters this URL at the provider's portal. */
export function notificationUrlOf({ keyring, publicUrl }: Addressed, { id, connector }: AccountName): string {
  return `${publicUrl}/rails/${connector}/${idTokenOf(keyring, id, ACCOUNT_ADDRESS)}/notifications`;
}

/** The URL for a provider that takes one with each order. */
export function attemptUrlOf(core: Addressed, account: AccountName, attemptId: string): string {
  const own = `${idTokenOf(core.keyring, attemptId, ATTEMPT_ADDRESS)}/notifications`;
  return notificationUrlOf(core, account).replace(/notifications$/, own);
}
