// POST /oauth/revoke (RFC 7009). A person's token ends the whole session; a client's token ends alone.
import type { Tokens } from './verify.ts';
import type { Core } from '../core.ts';
import { em } from '../database/db.ts';
import { recordAudit } from '../audit/record.ts';
import { invalidClient, OAuthError } from '../http/oauth-error.ts';
import { Session } from '../people/entities.ts';
import { endSession, readRefreshToken } from '../people/sessions.ts';
import { authenticateClient, identifyClient } from './clients.ts';

export type RevokeRequest = {
  token: string;
  clientId: string | undefined;
  clientSecret: string | undefined;
  address: string;
};

/**
 * Revokes a token. Unknown and expired tokens count as revoked (RFC 7009 §2.2).
 * @throws OAuthError invalid_client (401), invalid_grant for another client's token
 */
export async function revokeToken(core: Core, tokens: Tokens, request: RevokeRequest): Promise<void> {
  const { token, clientId, clientSecret, address } = request;
  if (!clientId) throw invalidClient('client_id is required');
  const client = await identifyClient(core, clientId, clientSecret);
  const requireOwn = (id: string) => {
    if (id !== client.id) throw new OAuthError('invalid_grant', 'the token was given to another client');
  };
  const refresh = readRefreshToken(core.keyring, token);
  if (refresh) {
    const session = await em(core).findOne(Session, { id: refresh.id });
    if (!session) return;
    requireOwn(session.clientId);
    return void (await endSession(core, session.id, core.clock.now()));
  }
  const claims = await tokens.prove(token);
  if (!claims) return;
  requireOwn(claims.clientId);
  // Only the client's secret proves the client: an attacker who found a token cannot revoke it.
  if (!claims.sessionId) await authenticateClient(core, clientId, clientSecret ?? '');
  else await endSession(core, claims.sessionId, core.clock.now());
  await tokens.revoke(claims);
  if (claims.sessionId) return;
  const { merchantId } = claims;
  const actor = { kind: 'client', id: clientId, address } as const;
  await recordAudit(core, { merchantId, actor, action: 'token.revoked', target: clientId, at: core.clock.now() });
}
