// Creates, changes, tests and removes rail accounts. Each change writes an audit record and notifies all nodes.
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { prepared, takeLock, type Db } from '../database/db.ts';
import { changesOf, recordAudit, type Actor } from '../audit/record.ts';
import { writeNotice } from '../notifications/write.ts';
import { requireMatch } from '../http/precondition.ts';
import { createGuardedConnections } from '../http/client/guard.ts';
import { invalidFields, Problem, type Fault } from '../http/problem.ts';
import type { OpenAccount, Probe } from '../providers/connector.ts';
import { CONNECTORS } from '../providers/registry.ts';
import { openAccount } from './rail-accounts.ts';
import { RailAccount } from './entities.ts';
import { endFeed, resumeFeed, startFeed } from './feed.ts';
import { viewRail, type RailAccountRequest } from './schemas.ts';
import { sealSecrets } from './secrets.ts';
import type { NoticeType } from '../../shared/notices.ts';

const MAX_ACCOUNTS = 20;

/** The owner of a rail account, and the actor of a change. `owner` null: the operator. */
type OwnerScope = { owner: string | null; actor: Actor };
type AccountScope = OwnerScope & { id: string };

export function listRails(core: Core, owner: string | null): Promise<RailAccount[]> {
  return findAll.all(core, { owner }) as Promise<RailAccount[]>;
}

const findAll = prepared((tables, { owner }: Pick<OwnerScope, 'owner'>) =>
  tables
    .selectFrom('rail_accounts')
    .selectAll()
    .where('merchantId', 'is not distinct from', owner)
    .where('removedAt', 'is', null)
    .orderBy('kind')
    .orderBy('priority')
    .orderBy('createdAt'),
);

/** Finds an owner's rail account. @throws Problem not_found */
export async function findRail(db: Db, { owner, id }: Pick<AccountScope, 'owner' | 'id'>): Promise<RailAccount> {
  const found = (await findOne.first(db, { owner, id })) as RailAccount | null;
  if (!found) throw new Problem('not_found');
  return found;
}

const findOne = prepared((tables, { owner, id }: Pick<AccountScope, 'owner' | 'id'>) =>
  tables
    .selectFrom('rail_accounts')
    .selectAll()
    .where('id', '=', id)
    .where('merchantId', 'is not distinct from', owner)
    .where('removedAt', 'is', null)
    .forUpdate(),
);

/** Creates a rail account. @throws Problem too_many_rail_accounts */
export async function addRail(
  core: Core,
  db: Db,
  { owner, actor }: OwnerScope,
  request: RailAccountRequest,
): Promise<RailAccount> {
  // The lock stops concurrent requests from exceeding the limit together.
  await takeLock(db, `rail accounts ${owner}`);
  if ((await findAll.all(db, { owner })).length >= MAX_ACCOUNTS) throw new Problem('too_many_rail_accounts');
  const at = core.clock.now();
  const { kind, connector, label, environment, priority, settings, secrets, status = 'active' } = request;
  const id = uuid();
  const row = {
    id,
    merchantId: owner,
    kind,
    label,
    environment,
    priority,
    status,
    connector: connector as RailAccount['connector'],
    settings: JSON.stringify(settings),
    secrets: sealSecrets(core.keyring, id, secrets ?? {}),
    secretsSetAt: at,
    createdAt: at,
    updatedAt: at,
  };
  await insertRail.run(db, { row });
  if (kind === 'ppr') await startFeed(db, id, at);
  const changes = { kind, connector, label, environment, priority, status, settings };
  await recordChange(db, { owner, id, actor, action: 'rail_account.created', label, changes, at });
  publishAfterCommit(core, db);
  return findRail(db, { owner, id });
}

type NewRail = {
  row: Pick<RailAccount, 'id' | 'merchantId' | 'kind' | 'connector' | 'label' | 'environment' | 'priority' | 'status'> &
    Pick<RailAccount, 'secrets' | 'secretsSetAt' | 'createdAt' | 'updatedAt'> & { settings: string };
};

const insertRail = prepared((tables, { row }: NewRail) =>
  tables
    .insertInto('rail_accounts')
    .values({ ...row, settings: sql<Record<string, unknown>>`${row.settings}::jsonb` } as never),
);

/**
 * Changes a rail account. @param named.ifMatch the ETag of the version that the caller read; absent: no check
 * @throws Problem not_found, precondition_failed, 400 if kind or connector would change
 */
export async function changeRail(
  core: Core,
  db: Db,
  { ifMatch = null, ...named }: AccountScope & { ifMatch?: string | null },
  request: RailAccountRequest,
): Promise<RailAccount> {
  const before = await findRail(db, named);
  requireMatch(ifMatch, viewRail(core, before));
  const faults = (['kind', 'connector'] as const).flatMap((name): Fault[] =>
    request[name] === before[name] ? [] : [{ pointer: `/${name}`, code: 'kind_fixed' }],
  );
  if (faults.length > 0) throw invalidFields(faults);
  const { id } = named;
  const { label, environment, priority, settings, secrets, status = before.status } = request;
  const sealed = secrets && { secrets: sealSecrets(core.keyring, id, secrets), secretsSetAt: core.clock.now() };
  const plain = { label, environment, priority, status };
  // The settings are compared as values, since PostgreSQL's jsonb does not keep the order of keys.
  const areSame = isDeepStrictEqual(JSON.parse(JSON.stringify(settings)), before.settings);
  const changed = changesOf(before as object, { ...plain, ...(!areSame && { settings }) });
  const changes = { ...changed, ...(secrets && { secrets: 'changed' }) };
  if (Object.keys(changes).length === 0) return before;
  // A credential test proves only the settings and secrets that it used, so a change resets `verifiedAt`.
  const unproved = (secrets || !areSame) && { verifiedAt: null };
  if (!areSame) await updateSettings.run(db, { id, settings: JSON.stringify(settings) });
  await saveRail(core, db, { ...named, set: { ...plain, ...sealed, ...unproved }, changes, label });
  return findRail(db, named);
}

type RailSet = Partial<
  Pick<RailAccount, 'label' | 'environment' | 'priority' | 'status' | 'secrets' | 'secretsSetAt'>
> &
  Partial<Record<'verifiedAt' | 'removedAt' | 'updatedAt', Date | null>>;

type RailChange = AccountScope & { set: RailSet; changes: Record<string, unknown>; label: string } & {
  action?: RailChanged['action'];
};

async function saveRail(core: Core, db: Db, { owner, id, actor, set, changes, ...change }: RailChange): Promise<void> {
  const { action = 'rail_account.changed', label } = change;
  const at = core.clock.now();
  await updateRail.run(db, { id, set: { ...set, updatedAt: at } });
  await resumeFeed(db, id, at);
  await recordChange(db, { owner, id, actor, action, label, changes, at });
  publishAfterCommit(core, db);
}

type RailChanged = AccountScope & {
  action: Extract<NoticeType, `rail_account.${string}`>;
  label: string;
  changes: Record<string, unknown>;
  at: Date;
};

/** Writes the audit entry. The people of a merchant are notified too, because its money comes through the account. */
async function recordChange(db: Db, { owner, id, actor, action, label, changes, at }: RailChanged): Promise<void> {
  await recordAudit(db, { merchantId: owner, actor, action, target: id, changes, at });
  if (owner === null) return;
  const details = { railAccountId: id, label };
  await writeNotice(db, { merchantId: owner, type: action, details, actor, at });
}

const updateRail = prepared((tables, { id, set }: { id: string; set: RailSet }) =>
  tables
    .updateTable('rail_accounts')
    .set(set as never)
    .where('id', '=', id),
);

const updateSettings = prepared((tables, { id, settings }: { id: string; settings: string }) =>
  tables
    .updateTable('rail_accounts')
    .set({ settings: sql`${settings}::jsonb` } as never)
    .where('id', '=', id),
);

/** Marks a rail account as removed. Its row stays for late payments. @throws Problem not_found, rail_account_in_use */
export async function removeRail(core: Core, db: Db, named: AccountScope): Promise<void> {
  const { label, kind, connector } = await findRail(db, named);
  const { open } = await countOpen.one(db, { rail: named.id });
  if (open > 0) throw new Problem('rail_account_in_use', { extra: { open } });
  const set = { removedAt: core.clock.now(), status: 'disabled' } as const;
  const changes = { label, kind, connector };
  await saveRail(core, db, { ...named, set, changes, label, action: 'rail_account.removed' });
  await endFeed.run(db, { rail: named.id });
}

/** Counts a rail account's unresolved attempts, payable references, and unsent messages. */
const countOpen = prepared((tables, { rail }: { rail: string }) =>
  tables.selectNoFrom((eb) => {
    const attempts = eb
      .selectFrom('attempts')
      .select((of) => of.fn.countAll<number>().as('n'))
      .where('rail', '=', rail)
      .where((of) => of.or([of('status', 'in', ['Unsent', 'Unreached', 'Sent']), of('dueAt', 'is not', null)]));
    const references = eb
      .selectFrom('payment_references')
      .select((of) => of.fn.countAll<number>().as('n'))
      .where('rail', '=', rail)
      .where((of) => of.or([of('status', '=', 'Pending'), of('withdrawnAt', 'is', null)]));
    const messages = eb
      .selectFrom('sms_messages as m')
      .innerJoin('sms_batches as b', 'b.id', 'm.batchId')
      .select((of) => of.fn.countAll<number>().as('n'))
      .where('b.rail', '=', rail)
      .where((of) => of.or([of('m.dueAt', 'is not', null), of('b.status', '=', 'Scheduled')]));
    return sql<number>`(${attempts}) + (${references}) + (${messages})`.as('open');
  }),
);

/** Tests a rail account's credentials without an order, and stores the time of a success. @throws Problem not_found */
export async function testRail(core: Core, named: Pick<AccountScope, 'owner' | 'id'>): Promise<Probe> {
  const row = await findRail(core, named);
  const connector = CONNECTORS[row.connector as keyof typeof CONNECTORS];
  if (!connector) throw new Problem('not_found');
  const connections = createGuardedConnections({ allowLoopback: core.config.isSandbox });
  try {
    const account = openOrNull(core, row, { ...connections.kept, watch: core.rails.watches.of(row.id) });
    if (!account) return CANNOT_DECRYPT;
    const probe = await connector.probe(account);
    const at = core.clock.now();
    if (probe.result !== 'ok') return probe;
    await updateRail.run(core, { id: row.id, set: { verifiedAt: at } });
    await resumeFeed(core, row.id, at);
    return probe;
  } finally {
    connections.destroy();
  }
}

const CANNOT_DECRYPT: Probe = {
  result: 'wrong_secret',
  detail: 'No key of this gateway can decrypt the stored secrets: enter them again.',
};

function openOrNull(...args: Parameters<typeof openAccount>): OpenAccount | null {
  try {
    return openAccount(...args);
  } catch {
    return null;
  }
}

function publishAfterCommit(core: Core, db: Db): void {
  db.afterCommit?.(() => core.changes.publish('rails'));
}
