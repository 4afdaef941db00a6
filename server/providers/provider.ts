// What every rail's client looks like from the inside: plain values in, plain outcomes out (law 4).
import type { FailureCode } from '../../shared/status.ts';

/** What money or hold an attempt asks of the rail; each kind has its own address and its own ids there. */
export type OrderKind = 'purchase' | 'authorization' | 'capture' | 'void';

type Order<K extends OrderKind> = {
  kind: K;
  /** Ours, and the rail's idempotency key: the same id never acts twice. */
  attemptId: string;
  gpoMerchantId: string;
};

/** A push to be made: the rail shows it on the payer's phone. An authorization only reserves. */
export type PushOrder = Order<'purchase' | 'authorization'> & {
  gpoPosId: string;
  reference: string;
  /** E.164. */
  phone: string;
  amountMinor: number;
  currency: string;
  description: string | null;
};

/** Takes what an authorization reserved, or less of it; the rest is released. */
export type CaptureOrder = Order<'capture'> & {
  /** The attempt that made the authorization. */
  authorizationId: string;
  gpoPosId: string;
  reference: string;
  amountMinor: number;
  currency: string;
  description: string | null;
};

/** Releases what an authorization holds, or withdraws a QR code; for ever, even if the target comes later. */
export type VoidOrder = Order<'void'> & {
  target: 'authorization' | 'qrcode';
  /** The attempt that made the target. */
  targetId: string;
};

export type RailOrder = PushOrder | CaptureOrder | VoidOrder;

/**
 * What the rail says of an order.
 * `pending`: it has it and is not done, or said something we do not know. `unknown`: we could not learn anything sure.
 * `not_found`: the rail itself says, to a query, that it never saw this attempt.
 */
export type RailOutcome = {
  result: 'approved' | 'declined' | 'pending' | 'unknown' | 'not_found';
  /** Of a declined one, never null then. */
  failureCode: FailureCode | null;
  /** The rail's id of the money or the hold, of an approved one, never null then (a void's may be null). */
  providerRef: string | null;
  /** What was really taken or reserved, which may not be what was asked; of an approved one, never null (void: null). */
  amountMinor: number | null;
  currency: string | null;
  /** When the rail decided, by its clock. */
  occurredAt: Date | null;
  /** For people and receipts: `transactionNumber`, `clearingPeriod`, `terminalId`; `reason` why an outcome is unknown. */
  details: Record<string, string>;
};

/** A QR code to be made; the rail writes its content. */
export type QrOrder = {
  attemptId: string;
  gpoMerchantId: string;
  gpoPosId: string;
  reference: string;
  /** Of each payment. */
  amountMinor: number;
  currency: string;
  description: string;
  type: 'STATIC' | 'DYNAMIC';
  maxTransactions: number;
  endDate: Date;
};

/** Money that one scan of a code brought. Refused scans are nothing. */
export type QrScan = {
  /** The rail's id of the money. */
  providerRef: string;
  amountMinor: number;
  currency: string;
  occurredAt: Date | null;
  /** `transactionNumber clearingPeriod terminalId transactionType orderOrigin creationDate updatedDate`, as said. */
  details: Record<string, string>;
};

/** `made`: the code exists, with its content and every accepted scan so far. */
export type QrOutcome = {
  result: 'made' | 'declined' | 'unknown' | 'not_found';
  failureCode: FailureCode | null;
  /** Of a made one, never null then. */
  content: string | null;
  scans: QrScan[];
  details: Record<string, string>;
};

export type TerminalStatus = 'Closed' | 'Opening' | 'Open' | 'Closing';

export type TerminalOrder = {
  /** The rail's idempotency key. */
  operationId: string;
  posId: string;
  action: 'open' | 'close';
  supervisorId: string | null;
};

/**
 * `told`: the terminal's state as the rail has it, never with nulls then. `refused`: nothing was done, and why.
 * `unreached`: the rail surely received nothing. `unknown`: it may have acted. `not_found`: no such terminal there.
 */
export type TerminalOutcome = {
  result: 'told' | 'refused' | 'unreached' | 'unknown' | 'not_found';
  status: TerminalStatus | null;
  period: string | null;
  supervisorRequired: boolean | null;
  refusal: 'supervisor_required' | 'wrong_supervisor' | null;
  details: Record<string, string>;
};

/** A notification read; `notificationId` is the same when the rail repeats it. */
export type RailNotification = { notificationId: string } & (
  | { about: 'order'; kind: OrderKind; attemptId: string; outcome: RailOutcome }
  | { about: 'scan'; attemptId: string; scan: QrScan }
  | { about: 'terminal'; posId: string; outcome: TerminalOutcome }
);

/** A GPO rail. No call ever rejects because of the rail or the network. */
export type GpoRail = {
  /** May be repeated with the same order. */
  send(order: RailOrder): Promise<RailOutcome>;
  query(kind: OrderKind, attemptId: string): Promise<RailOutcome>;
  createQrCode(order: QrOrder): Promise<QrOutcome>;
  queryQrCode(attemptId: string): Promise<QrOutcome>;
  moveTerminal(order: TerminalOrder): Promise<TerminalOutcome>;
  queryTerminal(posId: string): Promise<TerminalOutcome>;
};
