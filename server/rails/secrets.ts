// Encrypts a rail account's secrets with the account's id, so that a copy in another row is rejected.
import type { Keyring } from '../secrets.ts';

export const SEALED_FOR = 'rail-account';

export function sealSecrets(keyring: Keyring, accountId: string, secrets: object): string {
  return keyring.seal(JSON.stringify({ accountId, secrets }), SEALED_FOR);
}

/** Decrypts a rail account's secrets. @throws if no key fits, or if they were changed or belong to another account */
export function openSecrets(keyring: Keyring, accountId: string, sealed: string): Record<string, unknown> {
  const opened = JSON.parse(keyring.open(sealed, SEALED_FOR)) as {
    accountId: string;
    secrets: Record<string, unknown>;
  };
  if (opened.accountId !== accountId) throw new Error(`the secrets belong to another account than ${accountId}`);
  return opened.secrets;
}
