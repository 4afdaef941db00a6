// Who holds a token, as the database has them now: a client, or a person's session at a merchant.
import type { Core } from '../core.ts';
import { findRow } from '../database/rows.ts';
import { findAccess, scopesOf } from './access.ts';
import { Client, Session } from './entities.ts';
import { WEB_CLIENT } from './identify.ts';
import type { Claims } from './verify.ts';

export type Holder = { merchantId: string | null; scopes: readonly string[] };

/** Null: revoked, ended, or without access to the merchant any more. */
export function readHolder(core: Core, claims: Claims): Promise<Holder | null> {
  return claims.sessionId === null ? readClient(core, claims.clientId) : readSession(core, claims.sessionId, claims);
}

async function readClient(core: Core, id: string): Promise<Holder | null> {
  return findRow(core, Client, 'id = $1 and revoked_at is null', [id]);
}

async function readSession(core: Core, id: string, { userId, clientId }: Claims): Promise<Holder | null> {
  const alive = 'id = $1 and user_id = $2 and client_id = $3 and revoked_at is null';
  const session = await findRow(core, Session, alive, [id, userId, clientId]);
  if (!session) return null;
  if (!session.merchantId) return { merchantId: null, scopes: [] };
  const client = clientId === WEB_CLIENT ? { scopes: null } : await readClient(core, clientId);
  const membership = await findAccess(core, session.userId, session.merchantId, core.clock.now());
  if (!client || !membership) return null;
  return { merchantId: session.merchantId, scopes: scopesOf(membership.role, client.scopes) };
}
