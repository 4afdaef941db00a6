// The types of rail accounts. This file imports no connector, so that features load no provider.
import type { Capabilities, Connector, OpenAccount, RailClients, RailKind } from '../providers/connector.ts';
import type { SmsRail } from '../providers/message.ts';
import type { GpoRail, PprRail, RefundRail } from '../providers/provider.ts';
import type { Circuits } from './circuit.ts';
import type { RailStatus } from './entities.ts';
import type { Watches } from './watches.ts';

/** An open rail account. */
export type Rail = {
  /** The row's id, or `gpo`, `ppr`, `sms` for the node's own rails. Attempts, references and transactions store it. */
  id: string;
  merchantId: string | null;
  kind: RailKind;
  label: string;
  priority: number;
  status: RailStatus;
  /** True if its merchant removed it. Late payments may still arrive. */
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
export type SmsRailAccount = RailOf<'sms'>;

export type RailAccounts = {
  /** Lists the accounts for a merchant's new payments, best first: its own, else the operator's. */
  list<K extends RailKind>(merchantId: string, kind: K): RailOf<K>[];
  /** Finds an account by its id, in any state; null if it never existed. */
  find(id: string): Promise<Rail | null>;
  /** Returns the account's capabilities, or null if it is of another kind. */
  can<K extends RailKind>(id: string, kind: K): Promise<CapabilitiesOf<K> | null>;
  /** Returns the client of the account that sent an order. An unknown account's client returns `unknown`. */
  gpo(id: string): Promise<GpoRail>;
  ppr(id: string): Promise<PprRail>;
  sms(id: string): Promise<SmsRail>;
  /** Returns the refund client of the account that took the payment. */
  refunds(id: string): Promise<RefundRail>;
  /** Lists all accounts of the kind in any state, since each may still report payments. */
  listAll(kind: RailKind): Rail[];
  circuits: Circuits;
  watches: Watches;
  /** Runs a task once for all concurrent callers with the same name on this node. */
  share(name: string, run: () => Promise<void>): Promise<void>;
  /** Loads the rows that changed since the last call. */
  refresh(): Promise<void>;
  /** Polls the database for changes until the node stops. */
  watch(stopping: AbortSignal): Promise<void>;
  close(): void;
};

export function capabilitiesOf<K extends RailKind>(rail: Rail | null, kind: K): CapabilitiesOf<K> | null {
  return rail?.capabilities.kind === kind ? (rail.capabilities as CapabilitiesOf<K>) : null;
}
