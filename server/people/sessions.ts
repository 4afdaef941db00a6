// Sessions of people: created by a sign-in, extended by refresh tokens, ended by sign-out, expiry or revocation.
import { LockMode } from '@mikro-orm/postgresql';
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { em, type Db } from '../database/db.ts';
import { recordAudit } from '../audit/record.ts';
import { equalsSecret, type Keyring } from '../secrets.ts';
import { Session } from './entities.ts';
import { DAY_MS, HOUR_MS } from '../../shared/durations.ts';

/** The console's name as an OAuth client. Its sessions belong to a browser and have no refresh tokens. */
export const CONSOLE_CLIENT = 'console';

/** Idle and absolute lifetime of sessions. Browser sessions are shorter, since a shop's browser may stay open. */
const TOKENS = { idleMs: 30 * DAY_MS, longestMs: 180 * DAY_MS };
const BROWSERS = { idleMs: HOUR_MS / 2, longestMs: 12 * HOUR_MS };

/** Returns the end of a session that is used at `at` and not again afterwards. */
export function nextEnd({ clientId, createdAt }: Pick<Session, 'clientId' | 'createdAt'>, at: Date): Date {
  const { idleMs, longestMs } = clientId === CONSOLE_CLIENT ? BROWSERS : TOKENS;
  return new Date(Math.min(at.getTime() + idleMs, createdAt.getTime() + longestMs));
}

const PURPOSE = 'refresh token';

export type NewSession = Pick<Session, 'userId' | 'clientId'> & {
  merchantId: string | null;
  scopes: string[] | null;
  from: Origin;
};

/** IP address and browser of a request, as a person recognizes it in the list of their sessions. */
export type Origin = { address: string; userAgent: string };

/** Starts a session, in the transaction `db`. */
export async function startSession(db: Db, { from, ...fields }: NewSession, at: Date): Promise<Session> {
  const { address, userAgent } = from;
  const expiresAt = nextEnd({ ...fields, createdAt: at }, at);
  const times = { createdAt: at, usedAt: at, expiresAt, revokedAt: null };
  const session = { id: uuid(), generation: 1, ...fields, address, userAgent, ...times };
  await em(db).insert(Session, session);
  return session;
}

/** Returns the refresh token of the session's newest generation. It is not stored, because an HMAC proves it. */
export function refreshTokenOf(keyring: Keyring, { id, generation }: Pick<Session, 'id' | 'generation'>): string {
  const mac = keyring.digests(`${id}.${generation}`, PURPOSE)[0] as Buffer;
  return `brt_${id}.${generation}.${mac.toString('base64url')}`;
}

/** Returns session and generation of a refresh token. Null if the HMAC shows that another system made the token. */
export function readRefreshToken(keyring: Keyring, token: string): { id: string; generation: number } | null {
  const [, id = '', generation = '', mac = ''] = /^brt_([0-9a-f-]{36})\.(\d{1,9})\.([\w-]{43})$/.exec(token) ?? [];
  if (!mac) return null;
  const given = Buffer.from(mac, 'base64url');
  const isOurs = keyring.digests(`${id}.${generation}`, PURPOSE).some((own) => equalsSecret(own, given));
  return isOurs ? { id, generation: Number(generation) } : null;
}

/**
 * Moves a session to its next generation if the token is the newest one. Null if the session has ended.
 * An older token means theft, since thief and owner both have one. Its use ends the session (RFC 9700 §4.14).
 */
export async function refreshSession(
  core: Core,
  db: Db,
  token: { id: string; generation: number },
  from: Origin,
): Promise<Session | null> {
  const at = core.clock.now();
  const session = await em(db).findOne(Session, { id: token.id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!session || session.revokedAt || session.expiresAt <= at) return null;
  if (session.generation !== token.generation) {
    await endSession(db, session.id, at);
    const actor = { kind: 'system', id: 'accounts', address: from.address } as const;
    const about = { merchantId: session.merchantId ?? null, target: session.userId, at };
    await recordAudit(db, { ...about, actor, action: 'session.reuse_detected', changes: { sessionId: session.id } });
    return null;
  }
  const set = { ...from, usedAt: at, expiresAt: nextEnd(session, at), generation: session.generation + 1 };
  await em(db).nativeUpdate(Session, { id: session.id }, set);
  return { ...session, ...set };
}

/** Ends a person's sessions except `except`. Their access tokens stop within 30 s. Returns the number ended. */
export function endSessions(db: Db, userId: string, at: Date, except: string | null = null): Promise<number> {
  const live = { userId, revokedAt: null, ...(except && { id: { $ne: except } }) };
  return em(db).nativeUpdate(Session, live, { revokedAt: at });
}

/** Ends one session. Returns true if the session was still active. */
export async function endSession(db: Db, id: string, at: Date): Promise<boolean> {
  return (await em(db).nativeUpdate(Session, { id, revokedAt: null }, { revokedAt: at })) > 0;
}
