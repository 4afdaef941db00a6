// POST /oauth/token: the client_credentials grant (RFC 6749 §4.4), answering RFC 9068 access tokens.
import { createHash } from 'node:crypto';
import { SignJWT } from 'jose';
import { v4 as uuid } from 'uuid';
import { isScope } from '../../shared/scopes.ts';
import type { Core } from '../core.ts';
import { equalsSecret } from '../secrets.ts';
import { ALGORITHM, type SigningKeys } from './keys.ts';
import { Client } from './entities.ts';

export const TOKEN_SECONDS = 3600;

/** An error answer of RFC 6749 §5.2. */
export class OAuthError extends Error {
  readonly error: string;
  readonly status: number;
  constructor(error: string, description: string, status = 400) {
    super(description);
    this.error = error;
    this.status = status;
  }
}

export type TokenRequest = { grantType: string; clientId: string; clientSecret: string; scope: string | undefined };
export type TokenAnswer = { access_token: string; token_type: 'Bearer'; expires_in: number; scope: string };

/**
 * Issues an access token for the client's merchant; the scope is what was asked, cut to what the client has.
 * @throws OAuthError unsupported_grant_type, invalid_client (401), invalid_scope
 */
export async function issueToken(core: Core, keys: SigningKeys, request: TokenRequest): Promise<TokenAnswer> {
  if (request.grantType !== 'client_credentials') {
    throw new OAuthError('unsupported_grant_type', 'grant_type must be client_credentials');
  }
  const client = await authenticateClient(core, request.clientId, request.clientSecret);
  const asked = [...new Set(request.scope?.split(' ').filter(Boolean) ?? client.scopes)];
  const unknown = asked.filter((name) => !isScope(name));
  if (unknown.length > 0) throw new OAuthError('invalid_scope', 'a requested scope is unknown');
  const scope = asked.filter((name) => client.scopes.includes(name)).join(' ');
  if (!scope) throw new OAuthError('invalid_scope', 'the client has none of the requested scopes');
  const { kid, privateKey } = await keys.current();
  const issuedAtS = Math.floor(core.clock.now().getTime() / 1000);
  const access_token = await new SignJWT({ client_id: client.id, merchant_id: client.merchantId, scope })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'at+jwt', kid })
    .setIssuer(core.publicUrl)
    .setAudience(audienceOf(core))
    .setSubject(client.id)
    .setJti(uuid())
    .setIssuedAt(issuedAtS)
    .setExpirationTime(issuedAtS + TOKEN_SECONDS)
    .sign(privateKey);
  return { access_token, token_type: 'Bearer', expires_in: TOKEN_SECONDS, scope };
}

export function audienceOf(core: Pick<Core, 'publicUrl'>): string {
  return `${core.publicUrl}/api`;
}

/** SHA-256 of a client secret, as stored. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Takes the same time for unknown clients as for wrong secrets. */
async function authenticateClient(core: Core, clientId: string, secret: string): Promise<Client> {
  const client = await core.orm.em.fork().findOne(Client, { id: clientId, revokedAt: null });
  const isRight = equalsSecret(hashSecret(secret), client?.secretHash ?? '');
  if (!client || !isRight) throw new OAuthError('invalid_client', 'client authentication failed', 401);
  return client;
}
