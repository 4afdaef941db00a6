// A console session: an opaque cookie that belongs to a row of `sessions`.
// A console session ends after 30 minutes without a click, and after 12 hours at most.
import type { Context } from 'koa';
import type { Scope } from '../../shared/scopes.ts';
import { roleOf, type RoleName } from '../../shared/roles.ts';
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import { Problem } from '../http/problem.ts';
import type { Caller } from '../http/route.ts';
import { findAccess } from '../people/memberships.ts';
import { CONSOLE_CLIENT, nextEnd } from '../people/sessions.ts';
import { equalsSecret } from '../secrets.ts';
import type { Language } from '../../shared/language.ts';

export type SignedIn = {
  caller: Caller;
  sessionId: string;
  userId: string;
  firstName: string;
  lastName: string;
  language: Language;
  role: RoleName | null;
};

/** The session's `usedAt` is written at most once a minute, so that one page causes a single write. */
const USED_MS = 60_000;
const PURPOSE = 'console cookie';
const FORM_PURPOSE = 'console form';

/**
 * The `__Host-` prefix makes a browser accept the cookie only from this host and only over HTTPS.
 * Plain HTTP is used only for a sandbox on the same machine.
 */
const isSecure = (core: Pick<Core, 'publicUrl'>) => core.publicUrl.startsWith('https:');
export const cookieName = (core: Pick<Core, 'publicUrl'>) => (isSecure(core) ? '__Host-balcao' : 'balcao');

/**
 * Sets the cookie of a session, or removes it (null).
 * The session cookie lasts until the browser closes. The session's row may end earlier.
 */
export function setCookie(core: Pick<Core, 'publicUrl' | 'keyring'>, ctx: Context, sessionId: string | null): void {
  const value = sessionId === null ? '' : `${sessionId}.${macOf(core, sessionId, PURPOSE)}`;
  const attributes = [
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure(core) ? ['Secure'] : []),
    ...(value ? [] : ['Max-Age=0']),
  ];
  ctx.append('Set-Cookie', `${cookieName(core)}=${value}; ${attributes.join('; ')}`);
}

const macOf = ({ keyring }: Pick<Core, 'keyring'>, text: string, purpose: string) =>
  (keyring.digests(text, purpose)[0] as Buffer).toString('base64url');

/** The form token of a session, which each of its forms contains. */
export const formTokenOf = (core: Pick<Core, 'keyring'>, sessionId: string) => macOf(core, sessionId, FORM_PURPOSE);

/** True if the text is the session's form token, by any key of the keyring. */
export function isFormToken({ keyring }: Pick<Core, 'keyring'>, sessionId: string, text: string): boolean {
  const sent = Buffer.from(text, 'base64url');
  return keyring.digests(sessionId, FORM_PURPOSE).some((own) => equalsSecret(own, sent));
}

function readCookie(core: Core, ctx: Context): string | null {
  const [, id = '', mac = ''] = /^([0-9a-f-]{36})\.([\w-]{43})$/.exec(ctx.cookies.get(cookieName(core)) ?? '') ?? [];
  const sent = Buffer.from(mac, 'base64url');
  return id && core.keyring.digests(id, PURPOSE).some((own) => equalsSecret(own, sent)) ? id : null;
}

/** Returns the signed-in user, or null without a valid session. @param isUse true extends the session by 30 minutes */
export async function readSignedIn(core: Core, ctx: Context, isUse: boolean): Promise<SignedIn | null> {
  const id = readCookie(core, ctx);
  return id ? findSignedIn(core, id, isUse) : null;
}

/** Returns the user of a session by its id. @param isUse true extends the session by 30 minutes */
export async function findSignedIn(core: Core, id: string, isUse: boolean): Promise<SignedIn | null> {
  const now = core.clock.now();
  const session = await findSession.first(core, { id, now });
  if (!session) return null;
  const { userId, firstName, lastName, language, usedAt } = session;
  const membership = session.merchantId ? await findAccess(core, userId, session.merchantId, now) : null;
  if (isUse && now.getTime() - usedAt.getTime() >= USED_MS)
    await renewSession.run(core, { id, now, expiresAt: nextEnd({ ...session, clientId: CONSOLE_CLIENT }, now) });
  const scopes = new Set<Scope>(membership ? roleOf(membership.role).scopes : []);
  const merchantId = membership?.merchantId ?? '';
  const caller = { merchantId, clientId: CONSOLE_CLIENT, userId, sessionId: id, scopes };
  return { caller, sessionId: id, userId, firstName, lastName, language, role: membership?.role ?? null };
}

/** Reads the signed-in user's access again. @throws Problem invalid_token after the session has ended */
export async function recheckSignedIn(core: Core, sessionId: string): Promise<Caller> {
  const signedIn = await findSignedIn(core, sessionId, false);
  if (!signedIn) throw new Problem('invalid_token');
  return signedIn.caller;
}

const findSession = prepared((tables, { id, now }: { id: string; now: Date }) =>
  tables
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.userId')
    .select(['sessions.userId', 'sessions.merchantId', 'sessions.usedAt', 'sessions.createdAt'])
    .select(['users.firstName', 'users.lastName', 'users.language'])
    .where('sessions.id', '=', id)
    .where('sessions.clientId', '=', CONSOLE_CLIENT)
    .where('sessions.revokedAt', 'is', null)
    .where('sessions.expiresAt', '>', now),
);

const renewSession = prepared((tables, { id, now, expiresAt }: { id: string; now: Date; expiresAt: Date }) =>
  tables.updateTable('sessions').set({ usedAt: now, expiresAt }).where('id', '=', id).where('revokedAt', 'is', null),
);
