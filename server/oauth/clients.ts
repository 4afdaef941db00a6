// API clients of merchants: create, rotate, revoke and authenticate. The database stores digests of secrets.
import { createHash, randomBytes } from 'node:crypto';
import { LockMode } from '@mikro-orm/postgresql';
import type { Scope } from '../../shared/scopes.ts';
import type { Core } from '../core.ts';
import { em, isAny, prepared, type Db } from '../database/db.ts';
import { recordAudit, type Actor } from '../audit/record.ts';
import { recordEvent } from '../events/record.ts';
import { writeNotice } from '../notifications/write.ts';
import { invalidClient } from '../http/oauth-error.ts';
import { Problem } from '../http/problem.ts';
import { Client } from './entities.ts';
import { equalsSecret } from '../secrets.ts';
import { HOUR_MS } from '../../shared/durations.ts';

const MAX_CLIENTS = 32;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** The actor that grants or changes access, with its own scopes. An actor cannot grant more scopes than these. */
export type Granter = { actor: Actor; scopes: ReadonlySet<Scope> };

type NewClient = {
  merchantId: string;
  name: string;
  scopes: readonly Scope[];
  actor: Actor;
  /** True for the client that every merchant begins with. It causes no notification. */
  isFirst?: boolean;
};

export type CreatedClient = { clientId: string; clientSecret: string; name: string; scopes: string[]; createdAt: Date };

/** Creates an API client in the transaction `db`. @throws Problem too_many_clients */
export async function createClient(core: Core, db: Db, client: NewClient): Promise<CreatedClient> {
  const { merchantId, name, actor, isFirst = false } = client;
  await lockForChange(db, merchantId);
  const count = await em(db).count(Client, { merchantId, revokedAt: null });
  if (count >= MAX_CLIENTS) throw new Problem('too_many_clients');
  const [at, id, secret, scopes] = [core.clock.now(), makeId(), makeSecret(), [...client.scopes]];
  await em(db).insert(Client, { id, merchantId, name, secretHash: hashSecret(secret), scopes, createdAt: at });
  const changes = { name, scopes };
  await recordChange(db, { merchantId, id, name }, { happened: 'created', changes, actor, at, isSilent: isFirst });
  return { clientId: id, clientSecret: secret, name, scopes, createdAt: at };
}

/**
 * Issues a new client secret. The previous one stays valid during the overlap, an older one becomes invalid now.
 * @throws Problem not_found; client_not_grantable if the client has scopes that the caller lacks
 */
export async function rotateClient(
  core: Core,
  db: Db,
  owned: { merchantId: string; clientId: string },
  { overlapHours, by }: { overlapHours: number; by: Granter },
): Promise<{ clientId: string; clientSecret: string; overlapUntil: Date }> {
  const client = await findOwnClient(db, owned);
  // A caller who gets the secret can do everything that the client may do.
  if (!isWithin(client, by)) throw new Problem('client_not_grantable');
  const [at, secret] = [core.clock.now(), makeSecret()];
  const overlapUntil = new Date(at.getTime() + overlapHours * HOUR_MS);
  const set = { secretHash: hashSecret(secret), previousHash: client.secretHash, previousUntil: overlapUntil };
  await em(db).nativeUpdate(Client, { id: client.id }, { ...set, rotatedAt: at });
  const changes = { secret: 'changed', overlapUntil };
  await recordChange(db, client, { happened: 'rotated', changes, actor: by.actor, at });
  return { clientId: client.id, clientSecret: secret, overlapUntil };
}

/**
 * Revokes an API client. Its tokens stop within 30 s.
 * A caller with fewer scopes than the client cannot revoke the client. A client can always revoke itself.
 * @throws Problem not_found, client_not_grantable
 */
export async function revokeClient(
  core: Core,
  db: Db,
  owned: { merchantId: string; clientId: string },
  by: Granter,
): Promise<void> {
  const client = await findOwnClient(db, owned);
  const { actor } = by;
  const isItself = actor.kind === 'client' && actor.id === client.id;
  if (!isItself && !isWithin(client, by)) throw new Problem('client_not_grantable');
  const at = core.clock.now();
  const set = { revokedAt: at, previousHash: null, previousUntil: null };
  await em(db).nativeUpdate(Client, { id: client.id }, set);
  await recordChange(db, client, { happened: 'revoked', changes: {}, actor, at });
}

function isWithin({ scopes }: Client, by: Granter): boolean {
  return scopes.every((scope) => by.scopes.has(scope as Scope));
}

/**
 * Returns the active API clients whose current secret this person has seen, by creating or rotating the client.
 * The person could use these clients after losing access. Their rows stay locked until `db` ends.
 */
export function lockClientsKnownTo(
  db: Db,
  of: { merchantId: string; userId: string; now: Date },
): Promise<KnownClient[]> {
  return selectClientsKnownTo.all(db, of);
}

export type KnownClient = { clientId: string; name: string; scopes: string[] };

const selectClientsKnownTo = prepared((tables, of: { merchantId: string; userId: string; now: Date }) =>
  tables
    .selectFrom('clients')
    .select(['clients.id as clientId', 'clients.name', 'clients.scopes'])
    .where('clients.merchantId', '=', of.merchantId)
    .where('clients.revokedAt', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('audit_entries as entry')
          .select('entry.seq')
          .where('entry.merchantId', '=', of.merchantId)
          .whereRef('entry.target', '=', 'clients.id')
          .where('entry.action', ...isAny(['client.created', 'client.rotated']))
          .where('entry.actorKind', '=', 'user')
          .where('entry.actorId', '=', of.userId)
          // During a rotation's overlap the previous secret is valid too.
          .where((eb) =>
            eb.or([
              eb('clients.rotatedAt', 'is', null),
              eb('clients.previousUntil', '>', of.now),
              eb('entry.occurredAt', '>=', eb.ref('clients.rotatedAt').$notNull()),
            ]),
          ),
      ),
    )
    .orderBy('clients.createdAt')
    .orderBy('clients.id')
    .forUpdate('clients'),
);

/** Serializes changes of a merchant's API clients and people. Inserts that refer to the merchant do not wait. */
export async function lockForChange(db: Db, merchantId: string): Promise<void> {
  await lockMerchantRow.run(db, { merchantId });
}

const lockMerchantRow = prepared((tables, { merchantId }: { merchantId: string }) =>
  tables.selectFrom('merchants').select('id').where('id', '=', merchantId).forNoKeyUpdate(),
);

async function findOwnClient(
  db: Db,
  { merchantId, clientId }: { merchantId: string; clientId: string },
): Promise<Client> {
  const isTheirs = { merchantId, id: clientId, revokedAt: null };
  const found = await em(db).findOne(Client, isTheirs, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!found) throw new Problem('not_found');
  return found;
}

type ClientChange = {
  happened: 'created' | 'rotated' | 'revoked';
  changes: Record<string, unknown>;
  actor: Actor;
  at: Date;
  isSilent?: boolean;
};

async function recordChange(
  db: Db,
  { merchantId, id, name }: Pick<Client, 'merchantId' | 'id' | 'name'>,
  { happened, changes, actor, at, isSilent = false }: ClientChange,
): Promise<void> {
  const type = `client.${happened}` as const;
  await recordAudit(db, { merchantId, actor, action: type, target: id, changes, at });
  const details = { clientId: id, name };
  await recordEvent(db, { merchantId, paymentId: null, type, status: null, occurredAt: at, details });
  if (!isSilent) await writeNotice(db, { merchantId, type, details, actor, at });
}

/** Creates a random client id. The id is public, and its 80 random bits make it unique. */
function makeId(): string {
  return `bc_${Array.from(randomBytes(16), (byte) => BASE32[byte % 32]).join('')}`;
}

function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The platform's own OAuth client for people at any merchant, without a secret: a browser page could not keep one. */
export const WEB_CLIENT = 'web';

/** The OAuth client of a person's sign-in. The platform's client has neither a merchant nor a limit of scopes. */
export type GrantClient = { id: string; merchantId: string | null; scopes: readonly string[] | null };

/** Returns the SHA-256 of a client secret, which the database stores. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Authenticates a client by its current secret, or the previous one in an overlap. Unknown ids take the same time. */
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
 * Finds the OAuth client of a sign-in by its id. If the request has a secret, the secret must be right too.
 * @throws OAuthError invalid_client
 */
export async function identifyClient(core: Core, clientId: string, secret: string | undefined): Promise<GrantClient> {
  if (clientId === WEB_CLIENT && secret === undefined) return { id: WEB_CLIENT, merchantId: null, scopes: null };
  if (secret !== undefined) return authenticateClient(core, clientId, secret);
  const client = await findClient.first(core, { id: clientId });
  if (!client) throw invalidClient();
  return client;
}

/** Finds an API client that was not revoked. */
export const findClient = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('clients').selectAll().where('id', '=', id).where('revokedAt', 'is', null),
);
