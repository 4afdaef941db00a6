// What a passphrase protects in a backup: the key of its files, the gateway's own keys, and the manifest that names them all.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
import { createKeyring, type Keyring } from '../../secrets.ts';
import { CommandError } from '../command.ts';

/** What one guess of the passphrase costs: 128 MiB and some tenths of a second (OWASP's figures for scrypt). */
const COST = { N: 2 ** 17, r: 8, p: 1 };
const MOST_MEMORY = 512 * 2 ** 20;

export const derivation = z.object({
  salt: z.string().length(24),
  // A manifest is a stranger's until its signature is checked: it must not make us work for days.
  N: z
    .int()
    .min(COST.N)
    .max(2 ** 20),
  r: z.literal(COST.r),
  p: z.literal(COST.p),
});
export type Derivation = z.infer<typeof derivation>;

export const newDerivation = (): Derivation => ({ salt: randomBytes(16).toString('base64'), ...COST }) as Derivation;

/** The keys that follow from a passphrase. */
export async function openPassphrase(passphrase: string, { salt, N, r, p }: Derivation): Promise<Keyring> {
  const options = { N, r, p, maxmem: MOST_MEMORY * 4 };
  const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);
  // However it was typed: the same letters are the same passphrase.
  const key = await derive(passphrase.normalize('NFC'), Buffer.from(salt, 'base64'), 32, options);
  return createKeyring(`backup:${key.toString('base64')}`);
}

const SECRETS = 'backup.secrets';
const MANIFEST = 'backup.manifest';

/** What only the passphrase opens. `filesKey` is of this backup alone, `secretsKeys` as SECRETS_KEYS has them. */
export type Secrets = { filesKey: string; secretsKeys: string };

export function sealSecrets(keyring: Keyring, secrets: Secrets): string {
  return keyring.seal(JSON.stringify(secrets), SECRETS);
}

/** @throws CommandError where it is another passphrase, or was meddled with */
export function openSecrets(keyring: Keyring, sealed: string): Secrets {
  try {
    return JSON.parse(keyring.open(sealed, SECRETS)) as Secrets;
  } catch {
    throw new CommandError('The passphrase does not open this backup.');
  }
}

export function sign(keyring: Keyring, text: string): string {
  return (keyring.digests(text, MANIFEST)[0] as Buffer).toString('base64');
}

export function isSigned(keyring: Keyring, text: string, signature: string): boolean {
  const [own, given] = [Buffer.from(sign(keyring, text)), Buffer.from(signature)];
  return own.length === given.length && timingSafeEqual(own, given);
}
