// The types of rail accounts. The file imports no connector, so that features load no provider.
import type { Capabilities, Connector, OpenAccount, RailClients, RailKind } from '../providers/connector.ts';
import type { SmsRail } from '../providers/message.ts';
import type { GpoRail, PprRail, RefundRail } from '../providers/provider.ts';
import type { Circuits } from './circuit.ts';
import type { RailStatus } from './entities.ts';
import type { Watches } from './watches.ts';

/** An open account. Attempts, references and transactions keep `id`: a row's id, or `gpo`, `ppr`, `sms` for the node's own rails. */
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

export type RailAccounts = {
  /** The accounts for a merchant's new payments, best first: its own if it has any of the kind, else the operator's. */
  list<K extends RailKind>(merchantId: string, kind: K): RailOf<K>[];
  /** An account by its id, in any state; null if it never existed. */
  find(id: string): Promise<Rail | null>;
  /** The account's capabilities, if it is of this kind. */
  can<K extends RailKind>(id: string, kind: K): Promise<CapabilitiesOf<K> | null>;
  /** The account that created an order, for queries. Unknown accounts answer `unknown`. */
  gpo(id: string): Promise<GpoRail>;
  ppr(id: string): Promise<PprRail>;
  sms(id: string): Promise<SmsRail>;
  /** The account that took the money, for refunds. */
  refunds(id: string): Promise<RefundRail>;
  /** Every account of the kind, in any state: each may still report money. */
  listAll(kind: RailKind): Rail[];
  circuits: Circuits;
  watches: Watches;
  /** Runs a conversation with a rail. Concurrent callers of one name on this node share one run. */
  share(name: string, run: () => Promise<void>): Promise<void>;
  /** Reads the rows that changed since the last read. */
  refresh(): Promise<void>;
  /** Polls for changes until the node stops. */
  watch(stopping: AbortSignal): Promise<void>;
  close(): void;
};

export function capabilitiesOf<K extends RailKind>(rail: Rail | null, kind: K): CapabilitiesOf<K> | null {
  return rail?.capabilities.kind === kind ? (rail.capabilities as CapabilitiesOf<K>) : null;
}
