// What a bearer token means: its signature once, its client's state at least every 30 s (decisions §5).
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { isScope, type Scope } from '../../shared/scopes.ts';
import type { Core } from '../core.ts';
import type { Caller, Verify } from '../http/bearer.ts';
import { ALGORITHM, type SigningKeys } from './keys.ts';
import { audienceOf } from './token.ts';
import { Client } from './entities.ts';

const RECHECK_MS = 30_000;
const MAX_CACHED = 10_000;

type Proven = { kid: string; expiresAtMs: number; clientId: string; merchantId: string; scopes: string[] };
type ClientState = { checkedAtMs: number; merchantId: string | null; scopes: string[]; caller: Map<string, Caller> };

/** Verifies tokens of `keys`: RFC 8725 rules (one algorithm, our issuer, audience and type), then the client's state. */
export function createVerify(core: Core, keys: SigningKeys): Verify {
  const proven = new Map<string, Proven>();
  const clients = new Map<string, ClientState>();
  return async (token) => {
    const now = core.clock.now().getTime();
    let claims = proven.get(token);
    if (!claims) {
      claims = await proveToken(core, keys, token);
      if (!claims) return null;
      remember(proven, token, claims);
    }
    if (claims.expiresAtMs <= now || !(await keys.find(claims.kid))) {
      proven.delete(token);
      return null;
    }
    let client = clients.get(claims.clientId);
    if (!client || now - client.checkedAtMs >= RECHECK_MS) {
      client = await readClient(core, claims.clientId, now);
      remember(clients, claims.clientId, client);
    }
    return client.merchantId === claims.merchantId ? callerOf(client, claims) : null;
  };
}

async function proveToken(core: Core, keys: SigningKeys, token: string): Promise<Proven | undefined> {
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
      requiredClaims: ['exp', 'sub', 'client_id', 'merchant_id', 'scope'],
    });
    return {
      kid,
      expiresAtMs: Number(payload.exp) * 1000,
      clientId: String(payload['client_id']),
      merchantId: String(payload['merchant_id']),
      scopes: String(payload['scope']).split(' '),
    };
  } catch (error) {
    // jose's own errors carry stable codes; anything else is a fault of ours or of the database.
    if (String((error as { code?: string }).code).startsWith('ERR_J') || error instanceof TypeError) return undefined;
    throw error;
  }
}

async function readClient(core: Core, clientId: string, now: number): Promise<ClientState> {
  const client = await core.orm.em.fork().findOne(Client, { id: clientId, revokedAt: null });
  return { checkedAtMs: now, merchantId: client?.merchantId ?? null, scopes: client?.scopes ?? [], caller: new Map() };
}

/** A token never has more than its client has now. */
function callerOf(client: ClientState, claims: Proven): Caller {
  const name = claims.scopes.join(' ');
  let caller = client.caller.get(name);
  if (!caller) {
    const scopes = claims.scopes.filter((scope): scope is Scope => isScope(scope) && client.scopes.includes(scope));
    caller = { merchantId: claims.merchantId, clientId: claims.clientId, scopes: new Set(scopes) };
    client.caller.set(name, caller);
  }
  return caller;
}

/** Bounded: the oldest entry makes room. */
function remember<V>(cache: Map<string, V>, key: string, value: V): void {
  cache.delete(key);
  if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value as string);
  cache.set(key, value);
}
