// What a connector is: it declares which settings it needs and what it can do, speaks one provider's language, and decides nothing.
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

/** Phone push and QR code; payment by reference; messages. */
export const RAIL_KINDS = ['gpo', 'ppr', 'sms'] as const;
export type RailKind = (typeof RAIL_KINDS)[number];

export const RAIL_ENVIRONMENTS = ['test', 'live'] as const;
export type RailEnvironment = (typeof RAIL_ENVIRONMENTS)[number];

/** Which amounts a rail takes, in minor units; `stepMinor` 100 means whole kwanzas. */
export type AmountBounds = { stepMinor: number; minMinor: number; maxMinor: number };

export type GpoCapabilities = {
  kind: 'gpo';
  purchase: boolean;
  authorization: boolean;
  partialCapture: boolean;
  refund: RefundAbility;
  /** The same refund may be sent again: the rail makes it once. Else a lost answer waits for the query. */
  refundRepeat: boolean;
  /** `multiple`: one code may be paid many times. */
  qr: 'none' | 'single' | 'multiple';
  /** `png`: the rail draws the code, and its text is not known. */
  qrContent: 'text' | 'png';
  qrWithdraw: boolean;
  /** The rail gives a link that opens the payer's app with the code. */
  deeplink: boolean;
  terminals: boolean;
  /** Payments name the ids that the operator assigned to the merchant (`gpo_merchant_id`, `gpo_pos_id`). */
  gpoIds: boolean;
  /** By which id an order can be asked about; by `rail_id` only once its answer was heard. */
  query: 'own_id' | 'rail_id';
  /** What a second sending of the same order does; `never`: it is sent once, and what is not known stays unknown. */
  repeat: 'same_key_same_result' | 'refused_if_known' | 'never';
  amounts: AmountBounds;
  /** Null: any. */
  currencies: readonly string[] | null;
  /** How long a payer has to approve a push. */
  windowMs: number;
  /** Other wallets that can be pushed, as `metadata.provider` names them: `unitel_money`. */
  wallets: readonly string[];
  /** What pushes to those wallets may amount to, where that is not `amounts`. */
  walletAmounts?: AmountBounds;
};

export type PprCapabilities = {
  kind: 'ppr';
  /** We choose the digits; else the rail draws them. */
  ownDigits: boolean;
  withdraw: boolean;
  /** A registration that arrives after the withdrawal makes the reference payable again. */
  reopens: boolean;
  /** The payer may choose the amount. */
  openAmount: boolean;
  /** One reference may be paid many times (Charging). */
  repeated: boolean;
  /** `day`: the rail knows only the day of the end, and takes payments until that day is over. */
  expiry: 'moment' | 'day';
  feed: 'cursor' | 'queue' | 'window';
  /** One reference can be asked about. */
  query: boolean;
  refund: RefundAbility;
  refundRepeat: boolean;
  /** How many references one call may register. */
  bulk: number;
  amounts: AmountBounds;
  currencies: readonly string[] | null;
};

export type SmsCapabilities = {
  kind: 'sms';
  /** The same id never sends twice; else a lost answer is looked up, never repeated blindly. */
  idempotent: boolean;
  reports: 'push' | 'poll' | 'none';
  /** People can answer, so that PARAR by reply is heard. */
  replies: boolean;
  maxChars: number | null;
  links: boolean;
  emoji: boolean;
};

export type Capabilities = GpoCapabilities | PprCapabilities | SmsCapabilities;

/** An account as its connector is handed it: settings and secrets checked, secrets open. */
export type OpenAccount<Settings = Record<string, unknown>, Secrets = Record<string, unknown>> = {
  id: string;
  kind: RailKind;
  environment: RailEnvironment;
  settings: Settings;
  secrets: Secrets;
  timeoutMs: number;
  clock: Clock;
  /** Who may be reached: settings name hosts, and merchants enter settings. Absent for the operator's own settings: anybody. */
  connections?: Connections | undefined;
};

/** One client a kind; the account's own kind is never missing. */
export type RailClients = {
  gpo?: GpoRail;
  ppr?: PprRail;
  sms?: SmsRail;
  /** Where the account's money can be given back. */ refunds?: RefundRail;
  /** Where the rail lists its books, so that ours can be compared with them. */ statement?: StatementRail;
};

/** What a try of the credentials came to, without anything being bought, sent or registered. */
export type Probe =
  { result: 'ok' } | { result: 'wrong_secret' | 'wrong_host' | 'no_connection' | 'not_allowed'; detail: string };

/** A notification as it arrived. */
export type Notification = {
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Of an address made for one attempt: that attempt's id. */
  attemptId: string | null;
};

/**
 * What a notification tells; `notificationId` is the same when the rail repeats it.
 * A `hint` is not proven: it never moves money, and only makes the query due. It names its attempt by our id, by ours at the
 * rail (`keyOf`), or by the rail's; or its reference by its digits.
 */
export type RailNews = { notificationId: string } & (
  | { about: 'order'; kind: OrderKind | 'refund'; attemptId: string; outcome: RailOutcome }
  | { about: 'scan'; attemptId: string; scan: QrScan }
  | { about: 'terminal'; posId: string; outcome: TerminalOutcome }
  | { about: 'reference'; payment: ReferencePayment }
  | { about: 'message'; messageId: string; outcome: SmsOutcome }
  | { about: 'reply'; reply: SmsReply }
  | { about: 'hint'; attempt: AttemptName }
  | { about: 'hint'; reference: string }
);

/** However a rail names an attempt; what it does not say is null. */
export type AttemptName = { attemptId: string | null; railKey: string | null; railOrderId: string | null };

export type ConnectorName = 'balcao' | 'appypay' | 'proxypay' | 'opg' | 'kambasms' | 'ombala';

/** A provider's translator. It keeps nothing but what it may forget, such as a token of access. */
export type Connector<Settings = any, Secrets = any> = {
  name: ConnectorName;
  kinds: readonly RailKind[];
  /** Unknown keys are refused; every field has a description, for the API's document. */
  settings: z.ZodType<Settings>;
  secrets: z.ZodType<Secrets>;
  /** Settings that this kind cannot do without, as pointers below `/settings`. */
  findGaps?(kind: RailKind, settings: Settings): string[];
  /** What an account of this kind with these settings can do. */
  capabilities(kind: RailKind, settings: Settings): Capabilities;
  open(account: OpenAccount<Settings, Secrets>): RailClients;
  /** Fetches a token or the queue, nothing else. It never rejects. */
  probe(account: OpenAccount<Settings, Secrets>): Promise<Probe>;
  /** The name that the rail knows an attempt by, where it is not the attempt's id: kept with the attempt. */
  keyOf?(attemptId: string): string;
  /** Whether the rail's word is believed as it stands. */
  verify(notification: Notification, account: OpenAccount<Settings, Secrets>): 'proven' | 'hint' | 'refused';
  /**
   * Reads a notification's body as it was stored; empty when there is nothing in it for us. What is not proven comes as hints.
   * `receivedAt` stands in for a time of the rail's that cannot be trusted; without it such money is only hinted at.
   */
  read(
    body: string,
    about: { kind: RailKind; trust: 'proven' | 'hint'; attemptId: string | null; receivedAt?: Date },
  ): RailNews[];
  /** How a notification is answered, where 200 with a word of ours will not do. */
  reply?: { status: number; body: string };
};
