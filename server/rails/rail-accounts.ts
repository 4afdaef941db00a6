// Every rail account in this node's memory, open for use: reading one costs the payment path no query. Told of changes, and looking
// for them by itself.
import type { Logger } from 'pino';
import type { Changes } from '../changes/notify.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { prepared, type Db } from '../database/db.ts';
import { createGuardedConnections } from '../http/guard.ts';
import type { Connections } from '../http/outgoing.ts';
import type { Capabilities, Connector, OpenAccount, RailClients, RailKind } from '../providers/connector.ts';
import type { SmsRail } from '../providers/message.ts';
import type { GpoRail, PprRail, RefundRail } from '../providers/provider.ts';
import { CONNECTORS } from '../providers/registry.ts';
import type { Keyring } from '../secrets.ts';
import type { RailAccount, RailStatus } from './entities.ts';
import { createCircuits, type Circuits } from './circuit.ts';
import { meterClients } from './meter.ts';
import { NO_GPO, NO_PPR, NO_REFUNDS, NO_SMS } from './missing.ts';
import { openSecrets } from './secrets.ts';
import { createWatches, type Watches } from './watches.ts';

/** An account open for use. `id` is what attempts, references and money keep: the account's, or `gpo`, `ppr`, `sms` of the node's own. */
export type Rail = {
  id: string;
  merchantId: string | null;
  kind: RailKind;
  label: string;
  priority: number;
  status: RailStatus;
  /** Its merchant removed it. Late money still arrives. */
  isRemoved: boolean;
  connector: Connector;
  account: OpenAccount;
  capabilities: Capabilities;
  clients: RailClients;
};

type CapabilitiesOf<K extends RailKind> = Extract<Capabilities, { kind: K }>;
type RailOf<K extends RailKind> = Rail & { capabilities: CapabilitiesOf<K> };
export type GpoAccount = RailOf<'gpo'>;
export type PprAccount = RailOf<'ppr'>;
export type SmsAccountOfRail = RailOf<'sms'>;

export type RailBook = {
  /** What a merchant's new payments may use, best first: its own accounts if it has any of the kind, else the operator's. */
  list<K extends RailKind>(merchantId: string, kind: K): RailOf<K>[];
  /** An account by its id, whatever its state; null when there never was one. */
  find(id: string): Promise<Rail | null>;
  /** What an account can do, if it is of this kind. */
  can<K extends RailKind>(id: string, kind: K): Promise<CapabilitiesOf<K> | null>;
  /** Whoever made something, to be asked about it; one that nobody knows answers that it knows nothing. */
  gpo(id: string): Promise<GpoRail>;
  ppr(id: string): Promise<PprRail>;
  sms(id: string): Promise<SmsRail>;
  /** Whoever took money, to give it back. */
  refunds(id: string): Promise<RefundRail>;
  /** Every account of the kind that may have something to tell. */
  listAll(kind: RailKind): Rail[];
  circuits: Circuits;
  watches: Watches;
  /** Reads what changed since the last look. */
  refresh(): Promise<void>;
  /** Looks for changes until the node stops. */
  watch(stopping: AbortSignal): Promise<void>;
  close(): void;
};

type Deps = Db & { config: Config; clock: Clock; keyring: Keyring; log: Logger; changes: Changes };

/** @param own the node's own accounts, of its settings, for merchants without one */
export async function openRailBook(deps: Deps, own: Rail[]): Promise<RailBook> {
  const { clock, changes, config, log } = deps;
  const connections = createGuardedConnections({ allowLoopback: config.isSandbox });
  const watches = createWatches(clock);
  const connectionsOf = (id: string) => ({ ...connections.kept, watch: watches.of(id) });
  const shelf = createShelf(deps, own, connectionsOf);
  const circuits = createCircuits(clock);
  let readAt = new Date(0);
  const refresh = async () => {
    const since = new Date(readAt.getTime() - OVERLAP_MS);
    const startedAt = clock.now();
    shelf.keep((await findChanged.all(deps, { since })) as RailAccount[]);
    readAt = startedAt;
  };
  await refresh();
  const refreshOrWarn = () => refresh().catch((error: unknown) => log.warn({ err: error }, 'rail accounts not read'));
  const forget = changes.subscribe('rails', () => void refreshOrWarn());
  const find = async (id: string): Promise<Rail | null> => {
    const known = shelf.rails.get(id);
    if (known || !UUID.test(id)) return known ?? null;
    shelf.keep((await findOne.all(deps, { id })) as RailAccount[]);
    return shelf.rails.get(id) ?? null;
  };
  const list = (merchantId: string, kind: RailKind) => {
    const usable = shelf.listOf(merchantId, kind) ?? shelf.listOf(null, kind) ?? [];
    const active = usable.filter(({ status }) => status === 'active');
    // One whose circuit is open stands last, for when there is no other.
    const { closed = [], open = [] } = Object.groupBy(active, ({ id }) => (circuits.isClosed(id) ? 'closed' : 'open'));
    return [...closed, ...open];
  };
  return {
    list: list as RailBook['list'],
    find,
    can: async (id, kind) => capabilitiesOf(await find(id), kind),
    gpo: async (id) => (await find(id))?.clients.gpo ?? NO_GPO,
    ppr: async (id) => (await find(id))?.clients.ppr ?? NO_PPR,
    sms: async (id) => (await find(id))?.clients.sms ?? NO_SMS,
    refunds: async (id) => (await find(id))?.clients.refunds ?? NO_REFUNDS,
    listAll: (kind) => [...shelf.rails.values()].filter((rail) => rail.kind === kind),
    circuits,
    watches,
    refresh,
    async watch(stopping) {
      while (!stopping.aborted) {
        await clock.wait(LOOK_MS, stopping);
        if (!stopping.aborted) await refreshOrWarn();
      }
    },
    close() {
      forget();
      connections.destroy();
    },
  };
}

export function capabilitiesOf<K extends RailKind>(rail: Rail | null, kind: K): CapabilitiesOf<K> | null {
  return rail?.capabilities.kind === kind ? (rail.capabilities as CapabilitiesOf<K>) : null;
}

type Shelf = {
  /** Those that are open, by their id. */
  rails: ReadonlyMap<string, Rail>;
  keep(rows: RailAccount[]): void;
  /** An owner's own, best first, but for disabled ones; null where it has none. */
  listOf(merchantId: string | null, kind: RailKind): Rail[] | null;
};

type ConnectionsOf = (railId: string) => Connections;

function createShelf(deps: Omit<Deps, 'changes'>, own: Rail[], connectionsOf: ConnectionsOf): Shelf {
  const rails = new Map<string, Rail>(own.map((rail) => [rail.id, rail]));
  // Whose payments must not be charged by the operator's account for want of a key (decisions §15).
  const unopened = new Map<string, RailAccount>();
  // Rows as they were read: what is read again unchanged keeps its clients, and they their token.
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

/** Where no word of a change comes (no Redis), other nodes see it this soon. */
const LOOK_MS = 2_000;
/** Clocks of nodes differ, and a transaction commits after the moment that it writes. */
const OVERLAP_MS = 60_000;

const findChanged = prepared((tables, { since }: { since: Date }) =>
  tables.selectFrom('rail_accounts').selectAll().where('updatedAt', '>', since),
);

const findOne = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('rail_accounts').selectAll().where('id', '=', id),
);

/** Null where its connector or its key is not here: what it made is asked about when they are. */
function openRail(deps: Omit<Deps, 'changes'>, row: RailAccount, connections: Connections): Rail | null {
  try {
    const account = openAccount(deps, row, connections);
    const status = row.removedAt ? 'disabled' : (row.status as RailStatus);
    return makeRail({ ...row, status, isRemoved: row.removedAt !== null, merchantId: row.merchantId ?? null }, account);
  } catch (error) {
    deps.log.error({ err: error, railAccountId: row.id }, 'a rail account could not be opened');
    return null;
  }
}

type Described = Pick<Rail, 'id' | 'merchantId' | 'kind' | 'label' | 'priority' | 'status' | 'isRemoved'> & {
  connector: string;
};

/** An account of which everything is at hand. @throws where nobody knows its connector */
export function makeRail(described: Described, account: OpenAccount): Rail {
  const connector = CONNECTORS[described.connector as keyof typeof CONNECTORS];
  if (!connector) throw new Error(`no connector is called ${described.connector}`);
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
    clients: meterClients({ connector: connector.name, kind }, connector.open(account)),
  };
}

const TIMEOUTS = { gpo: 'GPO_TIMEOUT_S', ppr: 'PPR_TIMEOUT_S', sms: 'SMS_TIMEOUT_S' } as const;

/** How long one call to an account of this kind may take. */
export function timeoutMsOf(config: Config, kind: RailKind): number {
  return config[TIMEOUTS[kind]] * 1000;
}

/** As its connector is handed it. @throws where its key is not here */
export function openAccount(
  { config, clock, keyring }: Pick<Deps, 'config' | 'clock' | 'keyring'>,
  {
    id,
    kind,
    environment,
    settings,
    secrets,
  }: Pick<RailAccount, 'id' | 'kind' | 'environment' | 'settings' | 'secrets'>,
  connections: Connections,
): OpenAccount {
  const about = { id, kind: kind as RailKind, environment: environment as OpenAccount['environment'] };
  const opened = openSecrets(keyring, id, secrets);
  return { ...about, settings, secrets: opened, timeoutMs: timeoutMsOf(config, about.kind), clock, connections };
}
