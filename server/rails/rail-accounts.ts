// The node's cache of open rail accounts, so that no payment needs a query to find its account.
// The node reloads changed accounts when another node publishes a change, and also polls for changes.
import type { Logger } from 'pino';
import type { Changes } from '../changes/notify.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { prepared, type Db } from '../database/db.ts';
import { createGuardedConnections } from '../http/client/guard.ts';
import type { Connections } from '../http/client/outgoing.ts';
import type { OpenAccount, RailKind } from '../providers/connector.ts';
import { CONNECTORS } from '../providers/registry.ts';
import type { Keyring } from '../secrets.ts';
import type { RailAccount, RailStatus } from './entities.ts';
import { createCircuits } from './circuit.ts';
import { instrumentClients } from './instrumented-client.ts';
import { NO_GPO, NO_PPR, NO_REFUNDS, NO_SMS } from './unavailable-clients.ts';
import { capabilitiesOf, type Rail, type RailAccounts } from './rail.ts';
import { openSecrets } from './secrets.ts';
import { createWatches } from './watches.ts';

type Deps = Db & { config: Config; clock: Clock; keyring: Keyring; log: Logger; changes: Changes };

/** Loads the rail accounts. @param own the node's own rails, for merchants without a rail account */
export async function openRailAccounts(deps: Deps, own: Rail[]): Promise<RailAccounts> {
  const { clock, changes, config, log } = deps;
  const connections = createGuardedConnections({ allowLoopback: config.isSandbox });
  const watches = createWatches(clock);
  const connectionsOf = (id: string) => ({ ...connections.kept, watch: watches.of(id) });
  const cache = createCache(deps, own, connectionsOf);
  const circuits = createCircuits(clock);
  let readAt = new Date(0);
  const refresh = async () => {
    const since = new Date(readAt.getTime() - OVERLAP_MS);
    const startedAt = clock.now();
    cache.keep((await findChanged.all(deps, { since })) as RailAccount[]);
    readAt = startedAt;
  };
  await refresh();
  const refreshOrWarn = () =>
    refresh().catch((error: unknown) => log.warn({ err: error }, 'could not load rail accounts; will retry'));
  const forget = changes.subscribe('rails', () => void refreshOrWarn());
  const find = async (id: string): Promise<Rail | null> => {
    const known = cache.rails.get(id);
    if (known || !UUID.test(id)) return known ?? null;
    cache.keep((await findOne.all(deps, { id })) as RailAccount[]);
    return cache.rails.get(id) ?? null;
  };
  const list = (merchantId: string, kind: RailKind) => {
    const usable = cache.listOf(merchantId, kind) ?? cache.listOf(null, kind) ?? [];
    const active = usable.filter(({ status }) => status === 'active');
    // Accounts with an open circuit come last: they are used only if no other account exists.
    const { closed = [], open = [] } = Object.groupBy(active, ({ id }) => (circuits.isClosed(id) ? 'closed' : 'open'));
    return [...closed, ...open];
  };
  return {
    list: list as RailAccounts['list'],
    find,
    can: async (id, kind) => capabilitiesOf(await find(id), kind),
    gpo: async (id) => (await find(id))?.clients.gpo ?? NO_GPO,
    ppr: async (id) => (await find(id))?.clients.ppr ?? NO_PPR,
    sms: async (id) => (await find(id))?.clients.sms ?? NO_SMS,
    refunds: async (id) => (await find(id))?.clients.refunds ?? NO_REFUNDS,
    listAll: (kind) => [...cache.rails.values()].filter((rail) => rail.kind === kind),
    circuits,
    watches,
    share: createShare(),
    refresh,
    async watch(stopping) {
      while (!stopping.aborted) {
        await clock.wait(POLL_MS, stopping);
        if (!stopping.aborted) await refreshOrWarn();
      }
    },
    close() {
      forget();
      connections.destroy();
    },
  };
}

/** Creates the function that runs one task at a time for each name. */
function createShare(): RailAccounts['share'] {
  const running = new Map<string, Promise<void>>();
  return (name, run) => {
    const shared = running.get(name) ?? run().finally(() => running.delete(name));
    running.set(name, shared);
    return shared;
  };
}

type Cache = {
  /** `rails`: the open rail accounts by id. */
  rails: ReadonlyMap<string, Rail>;
  keep(rows: RailAccount[]): void;
  /** Returns an owner's enabled rail accounts, best first. Null if the owner has no enabled account. */
  listOf(merchantId: string | null, kind: RailKind): Rail[] | null;
};

type ConnectionsOf = (railId: string) => Connections;

function createCache(deps: Omit<Deps, 'changes'>, own: Rail[], connectionsOf: ConnectionsOf): Cache {
  const rails = new Map<string, Rail>(own.map((rail) => [rail.id, rail]));
  // Accounts that this node cannot open, for example without their key. Their merchants can take no new payments:
  // the operator's account must not replace a merchant's own account.
  const unopened = new Map<string, RailAccount>();
  // Rows of rail accounts as JSON. An unchanged account keeps its clients with their cached tokens.
  const known = new Map<string, string>();
  const byOwner = new Map<string, Rail[]>();
  const keyOf = ({ merchantId, kind }: Pick<RailAccount, 'merchantId' | 'kind'>) => `${merchantId ?? ''} ${kind}`;
  const index = () => {
    byOwner.clear();
    for (const row of unopened.values()) if (!row.removedAt && row.status !== 'disabled') byOwner.set(keyOf(row), []);
    for (const rail of rails.values()) {
      if (rail.status === 'disabled') continue;
      byOwner.set(keyOf(rail), [...(byOwner.get(keyOf(rail)) ?? []), rail]);
    }
    for (const list of byOwner.values()) list.sort((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1));
  };
  index();
  return {
    rails,
    keep(rows) {
      const changed = rows.filter((row) => known.get(row.id) !== JSON.stringify(row));
      for (const row of changed) {
        known.set(row.id, JSON.stringify(row));
        const rail = openRail(deps, row, connectionsOf(row.id));
        for (const map of [rails, unopened]) map.delete(row.id);
        if (rail) rails.set(row.id, rail);
        else unopened.set(row.id, row);
      }
      if (changed.length > 0) index();
    },
    listOf: (merchantId, kind) => byOwner.get(keyOf({ merchantId, kind })) ?? null,
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Polling interval: without Redis, other nodes see a changed rail account after this time at the latest. */
const POLL_MS = 2_000;
/** Overlap of two reads of changes: clocks differ, and a row's `updatedAt` is earlier than its commit. */
const OVERLAP_MS = 60_000;

const findChanged = prepared((tables, { since }: { since: Date }) =>
  tables.selectFrom('rail_accounts').selectAll().where('updatedAt', '>', since),
);

const findOne = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('rail_accounts').selectAll().where('id', '=', id),
);

/** Opens a rail account. Null if this node lacks its connector or key; its orders wait until the node has both. */
function openRail(deps: Omit<Deps, 'changes'>, row: RailAccount, connections: Connections): Rail | null {
  try {
    const account = openAccount(deps, row, connections);
    const status = row.removedAt ? 'disabled' : (row.status as RailStatus);
    return makeRail({ ...row, status, isRemoved: row.removedAt !== null, merchantId: row.merchantId ?? null }, account);
  } catch (error) {
    deps.log.error({ err: error, railAccountId: row.id }, 'could not open rail account');
    return null;
  }
}

type AccountDescription = Pick<Rail, 'id' | 'merchantId' | 'kind' | 'label' | 'priority' | 'status' | 'isRemoved'> & {
  connector: string;
};

/** Creates an open rail account. @throws if no connector has the name */
export function makeRail(described: AccountDescription, account: OpenAccount): Rail {
  const connector = CONNECTORS[described.connector as keyof typeof CONNECTORS];
  if (!connector) throw new Error(`unknown connector ${described.connector}`);
  const { id, merchantId, kind, label, priority, status, isRemoved } = described;
  const capabilities = connector.capabilities(kind, account.settings);
  return {
    id,
    merchantId,
    kind,
    label,
    priority,
    status,
    isRemoved,
    connector,
    account,
    capabilities,
    clients: instrumentClients({ connector: connector.name, kind }, connector.open(account)),
  };
}

const TIMEOUTS = { gpo: 'GPO_TIMEOUT_S', ppr: 'PPR_TIMEOUT_S', sms: 'SMS_TIMEOUT_S' } as const;

/** Returns the timeout of one call to a rail account of this kind. */
export function timeoutMsOf(config: Config, kind: RailKind): number {
  return config[TIMEOUTS[kind]] * 1000;
}

/** Decrypts a rail account for its connector. @throws if this node lacks the key */
export function openAccount(
  { config, clock, keyring }: Pick<Deps, 'config' | 'clock' | 'keyring'>,
  row: Pick<RailAccount, 'id' | 'kind' | 'environment' | 'settings' | 'secrets'>,
  connections: Connections,
): OpenAccount {
  const { id, kind, environment, settings, secrets } = row;
  const about = { id, kind: kind as RailKind, environment: environment as OpenAccount['environment'] };
  const opened = openSecrets(keyring, id, secrets);
  return { ...about, settings, secrets: opened, timeoutMs: timeoutMsOf(config, about.kind), clock, connections };
}
