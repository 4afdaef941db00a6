// Who holds a token, as the database has them now: a client, or a person's session at a merchant.
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import { findAccess, scopesOf } from './access.ts';
import { findClient, WEB_CLIENT } from './identify.ts';
import type { Claims } from './token.ts';

export type Holder = { merchantId: string | null; scopes: readonly string[] };

/** Null: revoked, ended, or without access to the merchant any more. */
export function readHolder(core: Core, claims: Claims): Promise<Holder | null> {
  return claims.sessionId === null
    ? findClient.first(core, { id: claims.clientId })
    : readSession(core, claims.sessionId, claims);
}

async function readSession(core: Core, id: string, { userId, clientId }: Claims): Promise<Holder | null> {
  const session = await findSession.first(core, { id, userId, clientId });
  if (!session) return null;
  if (!session.merchantId) return { merchantId: null, scopes: [] };
  const client = clientId === WEB_CLIENT ? { scopes: null } : await findClient.first(core, { id: clientId });
  const membership = await findAccess(core, session.userId, session.merchantId, core.clock.now());
  if (!client || !membership) return null;
  return { merchantId: session.merchantId, scopes: scopesOf(membership.role, client.scopes) };
}

type Asked = { id: string; userId: string | null; clientId: string };

const findSession = prepared((tables, { id, userId, clientId }: Asked) =>
  tables
    .selectFrom('sessions')
    .select(['userId', 'merchantId'])
    .where('id', '=', id)
    .where('userId', '=', userId)
    .where('clientId', '=', clientId)
    .where('revokedAt', 'is', null),
);
