// Sign-in of a person: password, then a code if two-step sign-in is on. Failures do not show whether an account exists.
import { createHash } from 'node:crypto';
import { normalizeEmail } from '../../shared/email.ts';
import type { Core } from '../core.ts';
import { em } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { invalidGrant, OAuthError } from '../http/oauth-error.ts';
import { User } from './entities.ts';
import { tryOnce } from './lockout.ts';
import { checkPassword, hashPassword } from './password.ts';
import type { Origin } from './sessions.ts';
import { checkSecondFactor } from './totp.ts';

/** The grant that a sign-in requests. The `mfa_token` carries the grant while the person types the code. */
export type GrantRequest = { clientId: string; merchantId: string | null; scope: string | undefined };

const MFA_TOKEN_MS = 5 * 60_000;
const PURPOSE = 'mfa token';

type MfaToken = GrantRequest & { userId: string; password: string; expiresAt: number };

/**
 * Checks e-mail address and password, and returns the person.
 * Unknown and unconfirmed e-mail addresses take the same time and count the same failures, so they look alike.
 * @throws OAuthError invalid_grant, mfa_required with `mfa_token`; Problem too_many_failures after too many failures
 */
export async function checkPerson(
  core: Core,
  { username, password, ...grant }: GrantRequest & { username: string; password: string },
  { address }: Origin,
): Promise<User> {
  const email = normalizeEmail(username) ?? username.trim().toLowerCase();
  const user = await tryOnce(core, { email, address }, async () => {
    const found = await em(core).findOne(User, { email });
    const hash = found?.verifiedAt ? (found.passwordHash ?? null) : null;
    const { isRight, isOutdated } = await checkPassword(password, hash, core.passwordCost);
    if (!found || !hash || !isRight) return null;
    if (isOutdated) {
      const set = { passwordHash: await hashPassword(password, core.passwordCost) };
      const changed = await em(core).nativeUpdate(User, { id: found.id, passwordHash: hash }, set);
      if (changed > 0) Object.assign(found, set);
    }
    // The exception skips the counters, since a correct password without the code must not reset earlier failures.
    if (found.totpConfirmedAt) throw mfaRequired(core, found, grant);
    return found;
  });
  if (!user) throw invalidGrant();
  return user;
}

/**
 * Checks the second factor after a correct password, which `mfaToken` proves for five minutes.
 * @throws OAuthError invalid_grant; Problem too_many_failures after too many failures
 */
export async function checkSecondStep(
  core: Core,
  { mfaToken, code, clientId }: { mfaToken: string; code: string; clientId: string },
  { address }: Origin,
): Promise<{ user: User; grant: GrantRequest }> {
  const content = readMfaToken(core, mfaToken);
  const user = content?.clientId === clientId ? await em(core).findOne(User, { id: content.userId }) : null;
  // A password change since the first step makes the `mfa_token` invalid.
  if (!content || !user?.totpConfirmedAt || fingerprintOf(user) !== content.password)
    throw new OAuthError('invalid_grant', 'the mfa_token is not valid (any more): sign in again');
  const check = () => inTransaction(core, (db) => checkSecondFactor(db, core, user, code));
  const isRight = await tryOnce(
    core,
    { email: user.email, address, isCode: true },
    async () => (await check()) || null,
  );
  if (!isRight) throw new OAuthError('invalid_grant', 'the code is not valid now');
  const { merchantId, scope } = content;
  return { user, grant: { clientId, merchantId, scope } };
}

function mfaRequired(core: Core, user: User, grant: GrantRequest): OAuthError {
  const expiresAt = core.clock.now().getTime() + MFA_TOKEN_MS;
  const token: MfaToken = { ...grant, userId: user.id, password: fingerprintOf(user), expiresAt };
  const mfa_token = core.keyring.seal(JSON.stringify(token), PURPOSE);
  return new OAuthError('mfa_required', 'send a code of the authenticator, or a recovery code, with the mfa_token', {
    extra: { mfa_token, expires_in: MFA_TOKEN_MS / 1000 },
  });
}

function readMfaToken(core: Core, text: string): MfaToken | null {
  try {
    const content = JSON.parse(core.keyring.open(text, PURPOSE)) as MfaToken;
    return content.expiresAt > core.clock.now().getTime() ? content : null;
  } catch {
    return null;
  }
}

function fingerprintOf({ passwordHash }: User): string {
  return createHash('sha256').update(String(passwordHash)).digest('base64url');
}
