// Access tokens (RFC 9068) and the keys that sign them.
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, SignJWT, type CryptoKey, type JWK } from 'jose';
import { v4 as uuid } from 'uuid';
import { isScope } from '../../shared/scopes.ts';
import type { Core } from '../core.ts';
import { em, takeLock } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordAudit, type Actor } from '../audit/record.ts';
import { OAuthError } from '../http/oauth-error.ts';
import { SigningKey } from './entities.ts';

export const ALGORITHM = 'ES256';
/** How long a retired key's tokens are accepted: a token's hour, plus clock skew. */
const ACCEPTED_AFTER_RETIRING_MS = 75 * 60_000;
const RELOAD_MS = 30_000;
/** Minimum time between queries for an unknown `kid`, so that forged tokens cannot overload the database. */
const UNKNOWN_KID_MS = 1_000;
export const SEALED_FOR = 'signing-key';

type LoadedKey = { kid: string; publicKey: CryptoKey; publicJwk: JWK; row: SigningKey };

export type SigningKeys = {
  /** Returns the key that signs now, with its private half. */
  current(): Promise<{ kid: string; privateKey: CryptoKey }>;
  /** Returns the public key of a token. Undefined if the key is unknown or was retired too long ago. */
  find(kid: string): Promise<CryptoKey | undefined>;
  /** Returns the RFC 7517 set of all keys whose tokens are accepted. */
  jwks(): Promise<{ keys: JWK[] }>;
};

type KeysCore = Pick<Core, 'orm' | 'pool' | 'listeners' | 'clock' | 'keyring'>;

/** Caches the database's signing keys. It reads them again every 30 s, and when an unknown `kid` arrives. */
export function createSigningKeys(core: KeysCore): SigningKeys {
  let loaded: LoadedKey[] = [];
  let loadedAt = -Infinity;
  const privateKeys = new Map<string, CryptoKey>();
  const load = async (maxAgeMs: number): Promise<LoadedKey[]> => {
    const now = core.clock.now().getTime();
    if (now - loadedAt <= maxAgeMs) return loaded;
    const rows = await em(core).find(SigningKey, {}, { orderBy: { createdAt: 'desc' } });
    const accepted = rows.filter((row) => !row.retiredAt || now - row.retiredAt.getTime() < ACCEPTED_AFTER_RETIRING_MS);
    loaded = await Promise.all(
      accepted.map(async (row) => {
        const publicJwk = row.publicJwk as JWK;
        return { kid: row.kid, publicJwk, row, publicKey: (await importJWK(publicJwk, ALGORITHM)) as CryptoKey };
      }),
    );
    loadedAt = now;
    return loaded;
  };
  return {
    async current() {
      let key = (await load(RELOAD_MS)).find(({ row }) => !row.retiredAt);
      if (!key) {
        await makeSigningKey(core, { retireOthers: false });
        key = (await load(-1)).find(({ row }) => !row.retiredAt);
      }
      if (!key) throw new Error('no signing key could be made');
      const known = privateKeys.get(key.kid);
      if (known) return { kid: key.kid, privateKey: known };
      const jwk = JSON.parse(core.keyring.open(key.row.sealedPrivateJwk, SEALED_FOR)) as JWK;
      const privateKey = (await importJWK(jwk, ALGORITHM)) as CryptoKey;
      privateKeys.set(key.kid, privateKey);
      return { kid: key.kid, privateKey };
    },
    async find(kid) {
      const byKid = (keys: LoadedKey[]) => keys.find((key) => key.kid === kid)?.publicKey;
      return byKid(await load(RELOAD_MS)) ?? byKid(await load(UNKNOWN_KID_MS));
    },
    async jwks() {
      let keys = await load(RELOAD_MS);
      // The first key is created before any token is issued, so that clients of the JWKS see the key that will sign.
      if (keys.length === 0) {
        await makeSigningKey(core, { retireOthers: false });
        keys = await load(-1);
      }
      return { keys: keys.map(({ kid, publicJwk }) => ({ ...publicJwk, kid, alg: ALGORITHM, use: 'sig' })) };
    },
  };
}

/**
 * Creates a signing key and returns its `kid`. With `retireOthers` older keys stop signing.
 * Tokens of older keys stay valid for their hour. `actor` is the person who rotates the key, for the audit.
 */
export async function makeSigningKey(
  core: KeysCore,
  options: { retireOthers: boolean; actor?: Actor },
): Promise<string> {
  const pair = await generateKeyPair(ALGORITHM, { extractable: true });
  const publicJwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  const sealedPrivateJwk = core.keyring.seal(JSON.stringify(await exportJWK(pair.privateKey)), SEALED_FOR);
  const now = core.clock.now();
  await inTransaction(core, async (db) => {
    // Two nodes may start first at the same time. The lock lets the second node find the first node's key.
    await takeLock(db, 'signing_keys');
    if (options.retireOthers) await em(db).nativeUpdate(SigningKey, { retiredAt: null }, { retiredAt: now });
    else if (await em(db).count(SigningKey, { retiredAt: null })) return;
    await em(db).insert(SigningKey, { kid, publicJwk, sealedPrivateJwk, createdAt: now, retiredAt: null });
    if (!options.actor) return;
    const about = { merchantId: null, action: 'signing_key.rotated', target: kid };
    await recordAudit(db, { ...about, actor: options.actor, at: now });
  });
  return kid;
}

const TOKEN_SECONDS = 3600;

export type TokenAnswer = {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  scope: string;
  refresh_token?: string;
  /** `merchant_id`: the merchant of the token. Null for a person without a merchant. */
  merchant_id: string | null;
};

/** Holder of a token. `sub` is the person's id, or the client's id for a token of the client itself. */
type TokenSubject = {
  sub: string;
  clientId: string;
  merchantId: string | null;
  sessionId: string | null;
  scopes: string[];
};

export async function signToken(core: Core, keys: SigningKeys, subject: TokenSubject): Promise<TokenAnswer> {
  const { kid, privateKey } = await keys.current();
  const { clientId, merchantId, sessionId } = subject;
  const scope = subject.scopes.join(' ');
  const issuedAtS = Math.floor(core.clock.now().getTime() / 1000);
  const claims = { client_id: clientId, scope, ...(merchantId && { merchant_id: merchantId }) };
  const access_token = await new SignJWT({ ...claims, ...(sessionId && { sid: sessionId }) })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'at+jwt', kid })
    .setIssuer(core.publicUrl)
    .setAudience(audienceOf(core))
    .setSubject(subject.sub)
    .setJti(uuid())
    .setIssuedAt(issuedAtS)
    .setExpirationTime(issuedAtS + TOKEN_SECONDS)
    .sign(privateKey);
  return { access_token, token_type: 'Bearer', expires_in: TOKEN_SECONDS, scope, merchant_id: merchantId };
}

export function audienceOf(core: Pick<Core, 'publicUrl'>): string {
  return `${core.publicUrl}/api`;
}

/**
 * Returns the requested scopes that are allowed, or all allowed scopes for a request without scopes.
 * @throws OAuthError invalid_scope for an unknown scope, or if no requested scope is allowed
 */
export function cutScopes(scope: string | undefined, allowed: readonly string[]): string[] {
  const requested = readScopes(scope) ?? allowed;
  const cut = requested.filter((name) => allowed.includes(name));
  if (cut.length === 0) throw new OAuthError('invalid_scope', 'none of the requested scopes is allowed');
  return cut;
}

/** Parses the scopes of a token request. Null for a request without scopes. @throws OAuthError invalid_scope */
export function readScopes(scope: string | undefined): string[] | null {
  if (scope === undefined) return null;
  const requested = [...new Set(scope.split(' ').filter(Boolean))];
  if (!requested.every(isScope)) throw new OAuthError('invalid_scope', 'a requested scope is unknown');
  return requested.length > 0 ? requested : null;
}

/** The claims of a verified access token: its holder and its scopes. */
export type TokenClaims = {
  kid: string;
  jti: string;
  expiresAtMs: number;
  clientId: string;
  /** `merchantId`: null for a person without a merchant. */
  merchantId: string | null;
  /** `userId`: the person's id. Null for a token of the client itself. */
  userId: string | null;
  sessionId: string | null;
  scopes: string[];
};
