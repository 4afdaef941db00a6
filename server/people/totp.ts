// The second factor: codes of an authenticator (RFC 6238), each accepted once, and recovery codes, each gone when used.
import { createHash, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { writeMail } from '../mail/write.ts';
import { User } from './entities.ts';

/** What authenticators show beside their code. */
const ISSUER = 'Balcão';
const PERIOD_S = 30;
/** Clocks of telephones are wrong by some seconds, and people type slowly: the step before and after count too. */
const WINDOW = 1;
const SECRET_BYTES = 20;
/** What the column is sealed for (core.keyring). */
export const SEALED_FOR = 'totp secret';

const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;
/** No letter or digit that is taken for another: Crockford's. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Whether the code is one of the person's, here and now, which uses it up: of the authenticator, or for recovery. A
 * recovery code that was used is told by mail. `db` is a transaction that goes on to commit.
 */
export async function checkSecondFactor(db: Db, core: Core, user: User, code: string): Promise<boolean> {
  if (!user.totpConfirmedAt || !user.totpSecret) return false;
  return (await useTotpCode(db, core, user, code)) || (await useRecoveryCode(db, core, user, code));
}

/** Uses a code of the authenticator, confirmed or being enrolled: of two at once one wins. */
export async function useTotpCode(db: Db, core: Core, user: User, code: string): Promise<boolean> {
  const { id, totpSecret } = user;
  const step = totpSecret ? findStep(core, totpSecret, code) : null;
  if (!totpSecret || step === null) return false;
  const unused = { id, totpSecret, $or: [{ totpStep: null }, { totpStep: { $lt: step } }] };
  return (await em(db).nativeUpdate(User, unused, { totpStep: step })) > 0;
}

async function useRecoveryCode(db: Db, core: Core, user: User, typed: string): Promise<boolean> {
  const code = readRecoveryCode(typed);
  if (code === null) return false;
  const used = await removeCode.first(db, { id: user.id, digest: digestOf(code) });
  if (!used) return false;
  const { email: to, language, firstName } = user;
  await writeMail(core, db, {
    to,
    language,
    template: 'recoveryCodeUsed',
    values: { firstName, left: used.left },
  });
  return true;
}

const removeCode = prepared((tables, { id, digest }: { id: string; digest: string }) =>
  tables
    .updateTable('users')
    .set((eb) => ({ recoveryCodes: eb.fn<string[]>('array_remove', ['recoveryCodes', eb.val(digest)]) }))
    .where('id', '=', id)
    .where((eb) => eb(eb.val(digest), '=', eb.fn.any('recoveryCodes')))
    .returning((eb) => eb.fn<number>('cardinality', ['recoveryCodes']).as('left')),
);

/** A new secret, sealed for its column, and as an authenticator takes it: text, and the address inside a QR code. */
export function makeTotpSecret(core: Core, email: string): { secret: string; sealed: string; otpauthUri: string } {
  const secret = new Secret({ buffer: Uint8Array.from(randomBytes(SECRET_BYTES)).buffer }).base32;
  const sealed = core.keyring.seal(secret, SEALED_FOR);
  return { secret, sealed, otpauthUri: totpOf(secret, email).toString() };
}

/** New recovery codes, to be shown once, `xxxxxxxx-xxxxxxxx`, and their digests. */
export function makeRecoveryCodes(): { codes: string[]; digests: string[] } {
  const codes = Array.from({ length: RECOVERY_CODES }, () => {
    // 80 bits in 16 letters of 5.
    const bits = BigInt(`0x${randomBytes(RECOVERY_BYTES).toString('hex')}`);
    const letters = Array.from({ length: 16 }, (_, nth) => LETTERS[Number((bits >> BigInt(5 * nth)) & 31n)]);
    return `${letters.slice(0, 8).join('')}-${letters.slice(8).join('')}`;
  });
  return { codes, digests: codes.map((code) => digestOf(code.replace('-', ''))) };
}

/** Of 80 random bits: a slow or keyed one would protect nothing more. */
function digestOf(code: string): string {
  return createHash('sha256').update(code).digest('base64url');
}

/** The time step whose code this is; null: of none now. */
function findStep(core: Core, sealedSecret: string, typed: string): number | null {
  const token = typed.replace(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return null;
  const timestamp = core.clock.now().getTime();
  const totp = totpOf(core.keyring.open(sealedSecret, SEALED_FOR));
  const delta = totp.validate({ token, timestamp, window: WINDOW });
  return delta === null ? null : Math.floor(timestamp / (PERIOD_S * 1000)) + delta;
}

/** What apps assume of an address that does not say: SHA-1, 6 digits, 30 s. */
function totpOf(secret: string, label = ''): TOTP {
  const about = { issuer: ISSUER, label, algorithm: 'SHA1', digits: 6, period: PERIOD_S };
  return new TOTP({ ...about, secret: Secret.fromBase32(secret) });
}

/** As it was made, however it was typed: hyphens, spaces and case do not count, and O is 0, I and L are 1. */
function readRecoveryCode(typed: string): string | null {
  const code = typed.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1');
  return /^[0-9a-hjkmnp-tv-z]{16}$/.test(code) ? code : null;
}
