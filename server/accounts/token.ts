// Access tokens (RFC 9068): what they say, and the scopes that a request gets.
import { SignJWT } from 'jose';
import { v4 as uuid } from 'uuid';
import { isScope } from '../../shared/scopes.ts';
import type { Core } from '../core.ts';
import { ALGORITHM, type SigningKeys } from './keys.ts';
import { OAuthError } from './oauth.ts';

export const TOKEN_SECONDS = 3600;

export type TokenAnswer = {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  scope: string;
  refresh_token?: string;
  /** Of a person's token: whose data it reaches; null while they have no merchant. */
  merchant_id?: string | null;
};

/** Whom a token is for; `sub` is the person, or the client itself. */
export type Subject = {
  sub: string;
  clientId: string;
  merchantId: string | null;
  sessionId: string | null;
  scopes: string[];
};

export async function signToken(core: Core, keys: SigningKeys, subject: Subject): Promise<TokenAnswer> {
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
  return { access_token, token_type: 'Bearer', expires_in: TOKEN_SECONDS, scope };
}

export function audienceOf(core: Pick<Core, 'publicUrl'>): string {
  return `${core.publicUrl}/api`;
}

/**
 * What was asked, cut to what is allowed; all of it when nothing was asked.
 * @throws OAuthError invalid_scope for a name that is no scope, and where nothing is left
 */
export function cutScopes(scope: string | undefined, allowed: readonly string[]): string[] {
  const asked = readScopes(scope) ?? allowed;
  const cut = asked.filter((name) => allowed.includes(name));
  if (cut.length === 0) throw new OAuthError('invalid_scope', 'none of the requested scopes is allowed');
  return cut;
}

/** The scopes of a request; null: it named none. @throws OAuthError invalid_scope */
export function readScopes(scope: string | undefined): string[] | null {
  if (scope === undefined) return null;
  const asked = [...new Set(scope.split(' ').filter(Boolean))];
  if (!asked.every(isScope)) throw new OAuthError('invalid_scope', 'a requested scope is unknown');
  return asked.length > 0 ? asked : null;
}

/** What a token says of itself. */
export type Claims = {
  kid: string;
  jti: string;
  expiresAtMs: number;
  clientId: string;
  /** Null: of a person without a merchant. */
  merchantId: string | null;
  /** Of a person; null: of the client itself. */
  userId: string | null;
  sessionId: string | null;
  scopes: string[];
};
