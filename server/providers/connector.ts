// The interface of a connector, which translates between one provider's API and our types.
// A connector declares its settings and its capabilities. It takes no business decisions.
import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { RefundAbility } from '../../shared/refund.ts';
import type { Clock } from '../clock.ts';
import type { Connections } from '../http/client/outgoing.ts';
import type { SmsOutcome, SmsRail, SmsReply } from './message.ts';
import type {
  GpoRail,
  OrderKind,
  PprRail,
  QrScan,
  RailOutcome,
  ReferencePayment,
  RefundRail,
  TerminalOutcome,
} from './provider.ts';
import type { StatementRail } from './statement.ts';

/** Kinds of rails. `gpo`: push and QR code. `ppr`: payment by reference. `sms`: text messages. */
export const RAIL_KINDS = ['gpo', 'ppr', 'sms'] as const;
export type RailKind = (typeof RAIL_KINDS)[number];

export const RAIL_ENVIRONMENTS = ['test', 'live'] as const;
export type RailEnvironment = (typeof RAIL_ENVIRONMENTS)[number];

/** The amounts that a rail accepts, in minor units. A `stepMinor` of 100 means whole kwanzas. */
export type AmountBounds = { stepMinor: number; minMinor: number; maxMinor: number };

export type GpoCapabilities = {
  kind: 'gpo';
  purchase: boolean;
  authorization: boolean;
  partialCapture: boolean;
  refund: RefundAbility;
  /** `refundRepeat`: true if the rail executes a repeated refund once. If false, the node queries a lost answer. */
  refundRepeat: boolean;
  /** `qr`: whether a QR code of the rail accepts no payment, one or many (`multiple`). */
  qr: 'none' | 'single' | 'multiple';
  /** `qrContent`: `png` if the rail returns an image of the QR code, without its text. */
  qrContent: 'text' | 'png';
  qrWithdraw: boolean;
  /** `deeplink`: true if the rail returns a link that opens the payer's app with the QR code. */
  deeplink: boolean;
  terminals: boolean;
  /** True if orders need the GPO ids that the operator assigned to the merchant (`gpo_merchant_id`, `gpo_pos_id`). */
  gpoIds: boolean;
  /** The id that a status query needs. With `rail_id`, the node cannot query an order whose answer was lost. */
  query: 'own_id' | 'rail_id';
  /** The rail's reaction to a repeated order. `never`: the node sends an order once, even if its outcome is unknown. */
  repeat: 'same_key_same_result' | 'refused_if_known' | 'never';
  amounts: AmountBounds;
  /** `currencies`: the accepted currencies. Null: any currency. */
  currencies: readonly string[] | null;
  /** The time that a payer has to approve a push. */
  windowMs: number;
  /** `wallets`: further wallets that accept a push, by `metadata.provider`, for example `unitel_money`. */
  wallets: readonly string[];
  /** `walletAmounts`: the amounts of pushes to these wallets. Absent: the same as `amounts`. */
  walletAmounts?: AmountBounds;
};

export type PprCapabilities = {
  kind: 'ppr';
  /** `ownDigits`: true if the gateway chooses a reference's digits, false if the rail assigns them. */
  ownDigits: boolean;
  withdraw: boolean;
  /** `reopens`: true if a registration that arrives after the withdrawal makes the reference payable again. */
  reopens: boolean;
  /** `openAmount`: true if the payer may choose the amount of a reference. */
  openAmount: boolean;
  /** True if one reference accepts many payments (Charging). */
  repeated: boolean;
  /** `expiry`: with `day` the rail stores only the day of expiry, and accepts payments until this day ends. */
  expiry: 'moment' | 'day';
  /**
   * How the rail lists its payments to references:
   * - `cursor`: the rail's list of payments continues after a cursor.
   * - `queue`: the rail lists each payment until we acknowledge it.
   * - `window`: the rail lists the payments of a range of days.
   */
  feed: 'cursor' | 'queue' | 'window';
  /** `query`: true if the rail can be queried about one reference. */
  query: boolean;
  refund: RefundAbility;
  refundRepeat: boolean;
  /** The maximum number of references in one registration call. */
  bulk: number;
  amounts: AmountBounds;
  currencies: readonly string[] | null;
};

export type SmsCapabilities = {
  kind: 'sms';
  /** `idempotent`: true if the rail sends a repeated message id once. If false, the node queries before it repeats. */
  idempotent: boolean;
  reports: 'push' | 'poll' | 'none';
  /** `replies`: true if recipients can reply to SMS, so that they can opt out with PARAR. */
  replies: boolean;
  maxChars: number | null;
  links: boolean;
  emoji: boolean;
};

export type Capabilities = GpoCapabilities | PprCapabilities | SmsCapabilities;

/** A rail account as its connector receives it: validated settings and decrypted secrets. */
export type OpenAccount<Settings = Record<string, unknown>, Secrets = Record<string, unknown>> = {
  id: string;
  kind: RailKind;
  environment: RailEnvironment;
  settings: Settings;
  secrets: Secrets;
  timeoutMs: number;
  clock: Clock;
  /** `connections`: allows calls to public hosts only, since merchants enter hosts. Absent for the operator's rails. */
  connections?: Connections | undefined;
};

/** The clients of a rail account. The client for the account's own kind is always present. */
export type RailClients = {
  gpo?: GpoRail;
  ppr?: PprRail;
  sms?: SmsRail;
  /** `refunds`: absent if the rail account cannot refund. */
  refunds?: RefundRail;
  /** `statement`: absent if the rail has no statement for the reconciliation of payments. */
  statement?: StatementRail;
};

/** The result of a credential test. The test orders, sends and registers nothing. */
export type Probe =
  { result: 'ok' } | { result: 'wrong_secret' | 'wrong_host' | 'no_connection' | 'not_allowed'; detail: string };

/** A rail notification as the node received it. */
export type RailNotification = {
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** `attemptId`: the attempt's id if the notification URL belongs to an attempt, else null. */
  attemptId: string | null;
};

/**
 * One item of a rail notification. `notificationId` is the same if the rail repeats the notification.
 *
 * `about` names the kind of the notification's item:
 * - `order`, `scan`, `terminal`, `reference`, `message`, `reply`: proven items. The node applies them directly.
 * - `hint`: an unproven item, which anyone could have sent. The node only queries the rail, and changes no payment.
 *   A hint names an attempt by one of its ids, or a reference by its digits.
 */
export type NotificationItem = { notificationId: string } & (
  | { about: 'order'; kind: OrderKind | 'refund'; attemptId: string; outcome: RailOutcome }
  | { about: 'scan'; attemptId: string; scan: QrScan }
  | { about: 'terminal'; posId: string; outcome: TerminalOutcome }
  | { about: 'reference'; payment: ReferencePayment }
  | { about: 'message'; messageId: string; outcome: SmsOutcome }
  | { about: 'reply'; reply: SmsReply }
  | { about: 'hint'; attempt: AttemptIds }
  | { about: 'hint'; reference: string }
);

/** Ids of an attempt in a hint, null if absent. `railKey` is the rail's name of our attempt (`keyOf`). */
export type AttemptIds = { attemptId: string | null; railKey: string | null; railOrderId: string | null };

export type ConnectorName = 'balcao' | 'appypay' | 'proxypay' | 'opg' | 'kambasms' | 'ombala';

/** A connector translates between one provider's API and our types. It keeps no state except caches. */
export type Connector<Settings = any, Secrets = any> = {
  name: ConnectorName;
  kinds: readonly RailKind[];
  /** The schema of the account's settings. It rejects unknown keys, and the OpenAPI document shows its descriptions. */
  settings: z.ZodType<Settings>;
  secrets: z.ZodType<Secrets>;
  /** Returns the missing settings of this kind, as JSON pointers below `/settings`. */
  findMissingSettings?(kind: RailKind, settings: Settings): string[];
  /** Returns the capabilities of a rail account with this kind and these settings. */
  capabilities(kind: RailKind, settings: Settings): Capabilities;
  open(account: OpenAccount<Settings, Secrets>): RailClients;
  /** Tests the credentials: fetches a token or reads a list. The promise never rejects. */
  probe(account: OpenAccount<Settings, Secrets>): Promise<Probe>;
  /** Returns the rail's name of an attempt, if the rail cannot use our id. The node stores it with the attempt. */
  keyOf?(attemptId: string): string;
  /** Verifies a notification. `proven`: the rail sent it, `hint`: its sender is unknown, `refused`: another sender. */
  verify(notification: RailNotification, account: OpenAccount<Settings, Secrets>): 'proven' | 'hint' | 'refused';
  /**
   * Reads the items of a stored notification. An unproven one has only hints, and an unreadable one has no items.
   * `receivedAt` replaces a missing or untrusted payment time. Without `receivedAt` such a payment becomes a hint.
   */
  read(
    body: string,
    about: { kind: RailKind; trust: 'proven' | 'hint'; attemptId: string | null; receivedAt?: Date },
  ): NotificationItem[];
  /** `reply`: the HTTP answer to a notification, if the rail does not accept our usual 200. */
  reply?: { status: number; body: string };
};
