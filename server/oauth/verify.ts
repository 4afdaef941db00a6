// Verifies bearer tokens: the signature once; revocation, client and person again at least every 30 s.
import { decodeProtectedHeader, jwtVerify, type JWTPayload } from 'jose';
import { isScope, type Scope } from '../../shared/scopes.ts';
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import type { Caller, Verify } from '../http/route.ts';
import { findAccess, scopesOf } from '../people/memberships.ts';
import { findClient, WEB_CLIENT } from './clients.ts';
import { ALGORITHM, audienceOf, type TokenClaims, type SigningKeys } from './tokens.ts';

const RECHECK_MS = 30_000;
const MAX_CACHED = 10_000;

type Checked = { atMs: number; holder: Holder | null; callers: Map<string, Caller> };

export type Tokens = {
  verify: Verify;
  /** Returns the token claims of a valid, unexpired token that this gateway signed. Null for any other. */
  prove(token: string): Promise<TokenClaims | null>;
  /** Revokes a token on this node immediately. Other nodes refuse the token within 30 s. */
  revoke(claims: TokenClaims): Promise<void>;
};

/** Verifies tokens by RFC 8725 (one algorithm; own issuer, audience and type), then reads their current holder. */
export function createTokens(core: Core, keys: SigningKeys): Tokens {
  const proven = new Map<string, TokenClaims>();
  const holders = new Map<string, Checked>();
  const reading = new Map<string, Promise<Checked>>();
  const revoked = createRevoked(core, RECHECK_MS);

  async function prove(token: string): Promise<TokenClaims | null> {
    let claims = proven.get(token);
    if (!claims) {
      claims = await proveToken(core, keys, token);
      if (!claims) return null;
      remember(proven, token, claims);
    }
    if (claims.expiresAtMs > core.clock.now().getTime() && (await keys.find(claims.kid))) return claims;
    proven.delete(token);
    return null;
  }

  async function checkHolder(claims: TokenClaims): Promise<Checked> {
    const now = core.clock.now().getTime();
    const name = claims.sessionId ?? claims.clientId;
    const known = holders.get(name);
    if (known && now - known.atMs < RECHECK_MS) return known;
    // Concurrent requests with the same token share one query.
    return shareRead(reading, name, async () => {
      const checked = { atMs: now, holder: await readHolder(core, claims), callers: new Map<string, Caller>() };
      remember(holders, name, checked);
      return checked;
    });
  }

  return {
    prove,
    async verify(token) {
      const claims = await prove(token);
      if (!claims || (await revoked.has(claims.jti))) return null;
      const checked = await checkHolder(claims);
      if (!checked.holder || checked.holder.merchantId !== claims.merchantId) return null;
      return callerOf(checked.holder, checked.callers, claims);
    },
    async revoke(claims) {
      await revoked.add(claims.jti, new Date(claims.expiresAtMs));
      const name = claims.sessionId ?? claims.clientId;
      holders.delete(name);
      reading.delete(name);
    },
  };
}

async function proveToken(core: Core, keys: SigningKeys, token: string): Promise<TokenClaims | undefined> {
  try {
    const { kid } = decodeProtectedHeader(token);
    const key = kid ? await keys.find(kid) : undefined;
    if (!kid || !key) return undefined;
    const { payload } = await jwtVerify(token, key, {
      algorithms: [ALGORITHM],
      typ: 'at+jwt',
      issuer: core.publicUrl,
      audience: audienceOf(core),
      currentDate: core.clock.now(),
      requiredClaims: ['exp', 'sub', 'jti', 'client_id', 'scope'],
    });
    return readClaims(kid, payload);
  } catch (error) {
    // An invalid token raises a jose error with a stable code. Any other error is a bug or a failed database.
    if (String((error as { code?: string }).code).startsWith('ERR_J') || error instanceof TypeError) return undefined;
    throw error;
  }
}

function readClaims(kid: string, payload: JWTPayload): TokenClaims {
  const text = (name: string) => (payload[name] === undefined ? null : String(payload[name]));
  const sessionId = text('sid');
  return {
    kid,
    jti: String(payload.jti),
    expiresAtMs: Number(payload.exp) * 1000,
    clientId: String(payload['client_id']),
    merchantId: text('merchant_id'),
    userId: sessionId === null ? null : String(payload.sub),
    sessionId,
    scopes: String(payload['scope']).split(' '),
  };
}

/** Reduces the token's scopes to those that its holder still has. */
function callerOf(holder: Holder, callers: Map<string, Caller>, claims: TokenClaims): Caller {
  const name = claims.scopes.join(' ');
  let caller = callers.get(name);
  if (!caller) {
    const scopes = claims.scopes.filter((scope): scope is Scope => isScope(scope) && holder.scopes.includes(scope));
    const { clientId, userId, sessionId } = claims;
    caller = { merchantId: claims.merchantId ?? '', clientId, userId, sessionId, scopes: new Set(scopes) };
    callers.set(name, caller);
  }
  return caller;
}

async function shareRead<V>(reading: Map<string, Promise<V>>, name: string, read: () => Promise<V>): Promise<V> {
  const known = reading.get(name);
  if (known) return known;
  const own = read();
  reading.set(name, own);
  try {
    return await own;
  } finally {
    if (reading.get(name) === own) reading.delete(name);
  }
}

/** Adds an entry to a bounded cache. A full cache drops its oldest entry. */
function remember<V>(cache: Map<string, V>, key: string, value: V): void {
  cache.delete(key);
  if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value as string);
  cache.set(key, value);
}

type Holder = { merchantId: string | null; scopes: readonly string[] };

/** Reads the holder of a token. Null if client or session were revoked, or the person lost access to the merchant. */
function readHolder(core: Core, claims: TokenClaims): Promise<Holder | null> {
  return claims.sessionId === null
    ? findClient.first(core, { id: claims.clientId })
    : readSession(core, claims.sessionId, claims);
}

async function readSession(core: Core, id: string, { userId, clientId }: TokenClaims): Promise<Holder | null> {
  const session = await findSession.first(core, { id, userId, clientId });
  if (!session) return null;
  if (!session.merchantId) return { merchantId: null, scopes: [] };
  const client = clientId === WEB_CLIENT ? { scopes: null } : await findClient.first(core, { id: clientId });
  const membership = await findAccess(core, session.userId, session.merchantId, core.clock.now());
  if (!client || !membership) return null;
  return { merchantId: session.merchantId, scopes: scopesOf(membership.role, client.scopes) };
}

type SessionKey = { id: string; userId: string | null; clientId: string };

const findSession = prepared((tables, { id, userId, clientId }: SessionKey) =>
  tables
    .selectFrom('sessions')
    .select(['userId', 'merchantId'])
    .where('id', '=', id)
    .where('userId', '=', userId)
    .where('clientId', '=', clientId)
    .where('revokedAt', 'is', null),
);

type Revoked = {
  has(jti: string): Promise<boolean>;
  add(jti: string, expiresAt: Date): Promise<void>;
};

/** Caches all revoked tokens, which are few and expire soon. It reads them again at least every `rereadMs`. */
function createRevoked(core: Core, rereadMs: number): Revoked {
  let known = new Set<string>();
  let readAtMs = -Infinity;
  const reading = new Map<string, Promise<void>>();
  const added = new Set<string>();
  const reread = async (now: Date) => {
    added.clear();
    const revoked = await listRevoked.all(core, { now });
    // A token revoked while the query ran may be missing in the query's result.
    known = new Set([...revoked.map((token) => token.jti), ...added]);
    readAtMs = now.getTime();
  };
  return {
    async has(jti) {
      const now = core.clock.now();
      if (now.getTime() - readAtMs >= rereadMs) await shareRead(reading, 'all', () => reread(now));
      return known.has(jti);
    },
    async add(jti, expiresAt) {
      await writeRevoked.run(core, { row: { jti, expiresAt } });
      known.add(jti);
      added.add(jti);
    },
  };
}

const listRevoked = prepared((tables, { now }: { now: Date }) =>
  tables.selectFrom('revoked_tokens').select('jti').where('expiresAt', '>', now),
);

const writeRevoked = prepared((tables, { row }: { row: { jti: string; expiresAt: Date } }) =>
  tables
    .insertInto('revoked_tokens')
    .values(row)
    .onConflict((known) => known.doNothing()),
);
