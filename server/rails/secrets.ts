// An account's secrets at rest: one sealed JSON that names its account, so that it opens for no other (decisions §15).
import type { Keyring } from '../secrets.ts';

export const SEALED_FOR = 'rail-account';

export function sealSecrets(keyring: Keyring, accountId: string, secrets: object): string {
  return keyring.seal(JSON.stringify({ accountId, secrets }), SEALED_FOR);
}

/** @throws when no key fits, the value was tampered with, or it is another account's */
export function openSecrets(keyring: Keyring, accountId: string, sealed: string): Record<string, unknown> {
  const opened = JSON.parse(keyring.open(sealed, SEALED_FOR)) as {
    accountId: string;
    secrets: Record<string, unknown>;
  };
  if (opened.accountId !== accountId) throw new Error(`the secrets of another account than ${accountId}`);
  return opened.secrets;
}
