// The addresses that rails notify: unguessable, of one account, or of one attempt of it; kept nowhere, since they can be told again
// (decisions §15).
import type { Core } from '../core.ts';
import { idTokenOf } from '../http/id-token.ts';

export const ACCOUNT_ADDRESS = 'rail-account';
export const ATTEMPT_ADDRESS = 'rail-attempt';

type Addressed = Pick<Core, 'keyring' | 'publicUrl'>;
type AccountName = { id: string; connector: string };

/** What is entered at the provider's portal, once. */
export function notificationUrlOf({ keyring, publicUrl }: Addressed, { id, connector }: AccountName): string {
  return `${publicUrl}/rails/${connector}/${idTokenOf(keyring, id, ACCOUNT_ADDRESS)}/notifications`;
}

/** What is told to a provider that takes an address with each order. */
export function attemptUrlOf(core: Addressed, account: AccountName, attemptId: string): string {
  const own = `${idTokenOf(core.keyring, attemptId, ATTEMPT_ADDRESS)}/notifications`;
  return notificationUrlOf(core, account).replace(/notifications$/, own);
}
