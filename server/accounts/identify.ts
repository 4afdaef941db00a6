// Which client asks for a token: a merchant's, by its secret where it must, or the platform's own.
import { createHash } from 'node:crypto';
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import { equalsSecret } from '../secrets.ts';
import type { Client } from './entities.ts';
import { invalidClient } from './oauth.ts';

/** The platform's own client: of people, at any merchant. It is public: a page in a browser keeps no secret. */
export const WEB_CLIENT = 'web';

/** Who asks on behalf of a person; the platform's client has no merchant and any scope. */
export type GrantClient = { id: string; merchantId: string | null; scopes: readonly string[] | null };

/** SHA-256 of a client secret, as stored. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** A client by its secret, the one before the last rotation too while it is accepted. Unknown clients take the same time. */
export async function authenticateClient(core: Core, clientId: string, secret: string): Promise<Client> {
  const client = await findClient.first(core, { id: clientId });
  const now = core.clock.now();
  const previous = client?.previousUntil && client.previousUntil > now ? client.previousHash : null;
  const hash = hashSecret(secret);
  const isCurrent = equalsSecret(hash, client?.secretHash ?? '');
  const isPrevious = equalsSecret(hash, previous ?? '');
  if (!client || !(isCurrent || isPrevious)) throw invalidClient();
  return client;
}

/**
 * The client that a person uses: known by its id (interface.md "Authentication"), and by its secret where one is sent.
 * @throws OAuthError invalid_client
 */
export async function identifyClient(core: Core, clientId: string, secret: string | undefined): Promise<GrantClient> {
  if (clientId === WEB_CLIENT && secret === undefined) return { id: WEB_CLIENT, merchantId: null, scopes: null };
  if (secret !== undefined) return authenticateClient(core, clientId, secret);
  const client = await findClient.first(core, { id: clientId });
  if (!client) throw invalidClient();
  return client;
}

/** A client that was not revoked. */
export const findClient = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('clients').selectAll().where('id', '=', id).where('revokedAt', 'is', null),
);
