// The types of rail accounts. This file imports no connector, so that other modules load no provider.
import type { Capabilities, Connector, OpenAccount, RailClients, RailKind } from '../providers/connector.ts';
import type { SmsRail } from '../providers/message.ts';
import type { GpoRail, PprRail, RefundRail } from '../providers/provider.ts';
import type { Circuits } from './circuit.ts';
import type { RailStatus } from './entities.ts';
import type { Watches } from './watches.ts';

/** An open rail account, with its connector and clients. */
export type Rail = {
  /** Id of the rail account, or `gpo`, `ppr`, `sms` for the node's own rails. Attempts and transactions store it. */
  id: string;
  merchantId: string | null;
  kind: RailKind;
  label: string;
  priority: number;
  status: RailStatus;
  /** `isRemoved`: true if the merchant removed the account. Late payments may still arrive. */
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
  /** Lists the rail accounts for a merchant's new payments, best first: the merchant's own, else the operator's. */
  list<K extends RailKind>(merchantId: string, kind: K): RailOf<K>[];
  /** Finds a rail account by its id, in any state. Null if it never existed. */
  find(id: string): Promise<Rail | null>;
  /** Returns a rail account's capabilities. Null if the account is of another kind. */
  can<K extends RailKind>(id: string, kind: K): Promise<CapabilitiesOf<K> | null>;
  /** Returns the GPO client of the account that sent an order. An unknown account's client returns `unknown`. */
  gpo(id: string): Promise<GpoRail>;
  ppr(id: string): Promise<PprRail>;
  sms(id: string): Promise<SmsRail>;
  /** Returns the refund client of the rail account that took the payment. */
  refunds(id: string): Promise<RefundRail>;
  /** Lists all rail accounts of a kind in any state, since each may still report payments. */
  listAll(kind: RailKind): Rail[];
  circuits: Circuits;
  watches: Watches;
  /** Runs a task once for all concurrent callers with the same name on this node. */
  share(name: string, run: () => Promise<void>): Promise<void>;
  /** Loads the rail accounts that changed since the last call. */
  refresh(): Promise<void>;
  /** Polls the database for changed rail accounts until the node stops. */
  watch(stopping: AbortSignal): Promise<void>;
  close(): void;
};

export function capabilitiesOf<K extends RailKind>(rail: Rail | null, kind: K): CapabilitiesOf<K> | null {
  return rail?.capabilities.kind === kind ? (rail.capabilities as CapabilitiesOf<K>) : null;
}
