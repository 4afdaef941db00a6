// Second factor of a sign-in: codes of an authenticator app (RFC 6238) and recovery codes. Each code works once.
import { createHash, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { writeMail } from '../mail/write.ts';
import { User } from './entities.ts';

/** The issuer that authenticator apps show next to the code. */
const ISSUER = 'Balcão';
const PERIOD_S = 30;
/** Accepted steps before and after the current one: phones' clocks are seconds wrong, and people type slowly. */
const WINDOW = 1;
const SECRET_BYTES = 20;
/** Purpose to which the sealed TOTP secret is bound. */
export const SEALED_FOR = 'totp secret';

const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;
/** Characters of recovery codes: Crockford's alphabet, without letters that look like digits. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * True if the code is a valid TOTP or recovery code of the person. A valid code is used up.
 * Use of a recovery code also mails the person. The caller must commit the transaction `db`.
 */
export async function checkSecondFactor(db: Db, core: Core, user: User, code: string): Promise<boolean> {
  if (!user.totpConfirmedAt || !user.totpSecret) return false;
  return (await useTotpCode(db, core, user, code)) || (await useRecoveryCode(db, core, user, code));
}

/** Uses up a TOTP code of a confirmed or pending enrolment. Of two concurrent uses one succeeds. */
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

/** Creates a TOTP secret: as text for typing, sealed for its column, and as the URI inside the QR code. */
export function makeTotpSecret(core: Core, email: string): { secret: string; sealed: string; otpauthUri: string } {
  const secret = new Secret({ buffer: Uint8Array.from(randomBytes(SECRET_BYTES)).buffer }).base32;
  const sealed = core.keyring.seal(secret, SEALED_FOR);
  return { secret, sealed, otpauthUri: totpOf(secret, email).toString() };
}

/** Creates recovery codes `xxxxxxxx-xxxxxxxx`, which the person sees once, and their digests. */
export function makeRecoveryCodes(): { codes: string[]; digests: string[] } {
  const codes = Array.from({ length: RECOVERY_CODES }, () => {
    // A recovery code has 16 letters of 5 bits, which encode 80 bits.
    const bits = BigInt(`0x${randomBytes(RECOVERY_BYTES).toString('hex')}`);
    const letters = Array.from({ length: 16 }, (_, nth) => LETTERS[Number((bits >> BigInt(5 * nth)) & 31n)]);
    return `${letters.slice(0, 8).join('')}-${letters.slice(8).join('')}`;
  });
  return { codes, digests: codes.map((code) => digestOf(code.replace('-', ''))) };
}

/** Returns the digest of a recovery code. A fast hash without a key is enough for 80 random bits. */
function digestOf(code: string): string {
  return createHash('sha256').update(code).digest('base64url');
}

/** Returns the time step of a TOTP code. Null if the code is not valid now. */
function findStep(core: Core, sealedSecret: string, typed: string): number | null {
  const token = typed.replace(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return null;
  const timestamp = core.clock.now().getTime();
  const totp = totpOf(core.keyring.open(sealedSecret, SEALED_FOR));
  const delta = totp.validate({ token, timestamp, window: WINDOW });
  return delta === null ? null : Math.floor(timestamp / (PERIOD_S * 1000)) + delta;
}

/** Creates the TOTP of a secret with the defaults of authenticator apps: SHA-1, 6 digits and 30 s. */
function totpOf(secret: string, label = ''): TOTP {
  const about = { issuer: ISSUER, label, algorithm: 'SHA1', digits: 6, period: PERIOD_S };
  return new TOTP({ ...about, secret: Secret.fromBase32(secret) });
}

/** Normalizes a typed recovery code: no hyphens, spaces and case; O is 0, I and L are 1. Null if it is invalid. */
function readRecoveryCode(typed: string): string | null {
  const code = typed.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1');
  return /^[0-9a-hjkmnp-tv-z]{16}$/.test(code) ? code : null;
}
