// The interfaces of the payment rails' clients. A client takes plain values and returns plain outcomes.
// It decides nothing and stores nothing, so that a new provider needs no change outside of its folder.
import type { FailureCode } from '../../shared/status.ts';

/** The kind of an order. Each kind has its own endpoint and its own ids at the rail. */
export type OrderKind = 'purchase' | 'authorization' | 'capture' | 'void';

/** Our ids of an order. The rail stores them without interpreting them, and returns them in its statement. */
export type OrderMetadata = { paymentId: string; merchantId: string; reference: string };

type Order<K extends OrderKind> = {
  kind: K;
  /** Our id, and the rail's idempotency key: the rail never executes the same id twice. */
  attemptId: string;
  gpoMerchantId: string;
};

/** Orders a push, which the rail shows on the payer's phone. An authorization only reserves the money. */
export type PushOrder = Order<'purchase' | 'authorization'> & {
  gpoPosId: string;
  /** The wallet that receives the push: null for Multicaixa Express, else one of the capabilities' `wallets`. */
  wallet: string | null;
  /** The URL at which the rail notifies us of this attempt. Only this rail knows it. */
  notifyUrl: string;
  reference: string;
  /** Our ids, for the rail's statement. A restore from an older backup uses them to recover lost payments. */
  ours?: OrderMetadata;
  /** E.164. */
  phone: string;
  amountMinor: number;
  currency: string;
  description: string | null;
};

/** Captures all or part of the reserved amount. The rail releases the rest. */
export type CaptureOrder = Order<'capture'> & {
  /** The attempt that created the authorization. */
  authorizationId: string;
  gpoPosId: string;
  reference: string;
  amountMinor: number;
  currency: string;
  description: string | null;
};

/** Releases an authorization or withdraws a QR code. It is final, also for a target that reaches the rail later. */
export type VoidOrder = Order<'void'> & {
  target: 'authorization' | 'qrcode';
  /** The attempt that created the target. */
  targetId: string;
};

export type RailOrder = PushOrder | CaptureOrder | VoidOrder;

/** Identifies an order in a status query. The order was sent, or it may have been. */
export type OrderQuery = {
  kind: OrderKind;
  attemptId: string;
  /** The rail's id of the order; null if its answer was lost, or if the rail uses our id. */
  railOrderId: string | null;
  /** The start of the last call that sent the order. */
  sentAt: Date;
};

/**
 * The state of an order at the rail.
 * - `approved`, `declined`: the rail's final decision.
 * - `pending`: the rail has the order but has not decided, or it returned a status that we do not know.
 * - `unknown`: the call failed or its answer proves nothing. The money may or may not have moved.
 * - `not_found`: the rail answered a query that it never received this attempt.
 */
export type RailOutcome = {
  result: 'approved' | 'declined' | 'pending' | 'unknown' | 'not_found';
  /** Set exactly if the result is `declined`. */
  failureCode: FailureCode | null;
  /** The rail's own id of the order, once it is known; null if the rail uses our id. */
  railOrderId: string | null;
  /** The rail's id of the transaction or of the reservation. Set when `approved`, except for voids. */
  providerRef: string | null;
  /** The amount taken or reserved, which may differ from the order. Set when `approved`, except for voids. */
  amountMinor: number | null;
  currency: string | null;
  /** The time of the decision by the rail's clock. */
  occurredAt: Date | null;
  /** For receipts: `transactionNumber`, `clearingPeriod`, `terminalId`. For support: `reason` of an unknown outcome. */
  details: Record<string, string>;
};

/** Orders a QR code. The rail creates its content. */
export type QrOrder = {
  attemptId: string;
  gpoMerchantId: string;
  gpoPosId: string;
  reference: string;
  /** The amount of each payment. */
  amountMinor: number;
  currency: string;
  description: string;
  type: 'STATIC' | 'DYNAMIC';
  maxTransactions: number;
  endDate: Date;
  /** The URL at which the rail notifies us of this code. Only this rail knows it. */
  notifyUrl: string;
};

export type QrQuery = Pick<OrderQuery, 'attemptId' | 'railOrderId' | 'sentAt'>;

/** The payment of one accepted scan of a code. Refused scans are not reported. */
export type QrScan = {
  /** The rail's id of the transaction. */
  providerRef: string;
  amountMinor: number;
  currency: string;
  occurredAt: Date | null;
  /**
   * The rail's own values of `transactionNumber`, `clearingPeriod`, `terminalId`, `transactionType`, `orderOrigin`,
   * `creationDate` and `updatedDate`.
   */
  details: Record<string, string>;
};

/**
 * The state of a QR code at the rail.
 * - `made`: the code exists. The outcome has its content and every accepted scan so far.
 * - `told`: the outcome has every accepted scan so far, but the rail returns nothing about the code itself.
 * - `declined`: the rail refused or withdrew the code.
 * - `unknown`: the call failed or its answer proves nothing.
 * - `not_found`: the rail answered a query that it never received this code.
 */
export type QrOutcome = {
  result: 'made' | 'told' | 'declined' | 'unknown' | 'not_found';
  failureCode: FailureCode | null;
  /** The rail's own id of the code, once it is known; null if the rail uses our id. */
  railOrderId: string | null;
  /** The text of the code, or a `data:image/png;base64,` URL from a rail that draws it. Set when `made`. */
  content: string | null;
  /** A link that opens the payer's app with this code; null if the rail offers no link. */
  deeplink: string | null;
  /** The time at which the rail ends the code; null: the end from the order. */
  endsAt: Date | null;
  scans: QrScan[];
  details: Record<string, string>;
};

export type TerminalStatus = 'Closed' | 'Opening' | 'Open' | 'Closing';

export type TerminalOrder = {
  /** Our id, and the rail's idempotency key. */
  operationId: string;
  posId: string;
  action: 'open' | 'close';
  supervisorId: string | null;
};

/**
 * The state of a terminal at the rail.
 * - `told`: the rail returned the terminal's state. `status`, `period` and `supervisorRequired` are set.
 * - `refused`: the rail changed nothing, for the reason in `refusal`.
 * - `unreached`: no request reached the rail.
 * - `unknown`: the rail may have opened or closed the terminal.
 * - `not_found`: the rail has no such terminal.
 */
export type TerminalOutcome = {
  result: 'told' | 'refused' | 'unreached' | 'unknown' | 'not_found';
  status: TerminalStatus | null;
  period: string | null;
  supervisorRequired: boolean | null;
  refusal: 'supervisor_required' | 'wrong_supervisor' | null;
  details: Record<string, string>;
};

/** A payment that a refund gives back, by the rail's ids. */
export type Charge = {
  /** The source of the money: an order, a scan of a code, or a payment to a reference. */
  kind: 'purchase' | 'capture' | 'qrcode' | 'reference';
  /** Our id: the attempt (for a scan, the attempt that created the code), or the reference. */
  id: string;
  /** The rail's own id of that order, if it has one. */
  railOrderId: string | null;
  /** The rail's id of the transaction. */
  providerRef: string;
  /** The whole amount of the payment, also for a partial refund. */
  amountMinor: number;
};

/** Orders a refund of all or part of a charge. */
export type RefundOrder = {
  /** Our id, and the rail's idempotency key if it has one. */
  attemptId: string;
  /** Empty if the account's contract already identifies the merchant. */
  gpoMerchantId: string;
  charge: Charge;
  amountMinor: number;
  currency: string;
  /** Shown to the payer, if the rail shows descriptions. */
  description: string | null;
  /** The URL at which the rail notifies us of this refund. Only this rail knows it. */
  notifyUrl: string;
};

/** Identifies a refund in a status query. The refund was sent, or it may have been. */
export type RefundQuery = Pick<OrderQuery, 'attemptId' | 'railOrderId' | 'sentAt'> &
  Pick<RefundOrder, 'charge' | 'amountMinor' | 'currency'>;

/**
 * A rail that refunds payments. The promises never reject because of the rail or the network.
 * In an approved outcome, `providerRef` is the rail's id of the refund, and `amountMinor` the refunded amount.
 */
export type RefundRail = {
  /** The same order may be sent again only if the account's capability `refundRepeat` is true. */
  refund(order: RefundOrder): Promise<RailOutcome>;
  queryRefund(query: RefundQuery): Promise<RailOutcome>;
};

/** A GPO rail. The promises never reject because of the rail or the network. */
export type GpoRail = {
  /** The same order may be sent again, within the limits of the account's capability `repeat`. */
  send(order: RailOrder): Promise<RailOutcome>;
  query(order: OrderQuery): Promise<RailOutcome>;
  createQrCode(order: QrOrder): Promise<QrOutcome>;
  queryQrCode(order: QrQuery): Promise<QrOutcome>;
  moveTerminal(order: TerminalOrder): Promise<TerminalOutcome>;
  queryTerminal(posId: string): Promise<TerminalOutcome>;
};

/** Orders a payment reference, which payers use at ATMs, in the app and in internet banking. */
export type ReferenceOrder = {
  /** Our id, and the rail's idempotency key. The rail registers it once, and never again after a withdrawal. */
  referenceId: string;
  /** Five digits. */
  entity: string;
  /** 9 to 15 digits. */
  reference: string;
  type: 'Dynamic' | 'Charging';
  /** The amount of each payment; 0: the payer chooses it (Charging references only). */
  amountMinor: number;
  currency: string;
  /** Shown to the payer. */
  description: string | null;
  /** The rail refuses payments from this time on. */
  expiresAt: Date;
};

/**
 * The state of a reference at the rail, after a registration or a withdrawal.
 * - `active`: payers can pay it.
 * - `ended`: payers cannot pay it any more. `details.railStatus` is WITHDRAWN, PAID or EXPIRED.
 * - `refused`: the rail rejects this order, and repeating it is useless.
 * - `taken`: another active reference has these digits at the rail.
 * - `unsupported`: the rail has no such operation, for example no withdrawal.
 * - `unknown`: the call failed or its answer proves nothing.
 */
export type RegistrationOutcome = {
  result: 'active' | 'ended' | 'refused' | 'taken' | 'unsupported' | 'unknown';
  /** Has a `reason` for every result except `active` and `ended`. */
  details: Record<string, string>;
};

/** A payment to a reference. */
export type ReferencePayment = {
  /** The rail's id of the transaction. It is the same in notifications, queries and lists. */
  providerRef: string;
  entity: string;
  reference: string;
  amountMinor: number;
  currency: string;
  /** The time of payment by the rail's clock. If digits were reused, it decides which reference was paid. */
  occurredAt: Date;
  /**
   * The rail's own values of `clearingPeriod` (idLogSistema), `transactionNumber` (numLogSistema, within the period),
   * `terminalType` (ATM, POS, IB, MB), `terminalId`, `terminalLocation`, `nib`, `bank` and `fee`.
   */
  details: Record<string, string>;
  /** Our id of the reference, if the rail returns it. It takes precedence over digits and time. */
  referenceId?: string | null;
  /** The argument of `acknowledge`, which removes the payment from the rail's queue. */
  receipt?: string | null;
};

/** Identifies a reference by our id and by its digits. */
export type ReferenceKey = Pick<ReferenceOrder, 'referenceId' | 'entity' | 'reference'>;

/**
 * The payments to one reference.
 * - `told`: `payments` has every payment so far.
 * - `not_found`: the rail answered that it never received this id.
 * - `unsupported`: the rail has no query for one reference. Its list of payments has them.
 * - `unknown`: the call failed or its answer proves nothing.
 */
export type ReferenceQuery = { result: 'told' | 'not_found' | 'unsupported' | 'unknown'; payments: ReferencePayment[] };

/** A page of the rail's list of payments to references, oldest first. */
export type PaymentsPage = {
  /** `unknown`: the call failed, and the page is empty. */
  result: 'told' | 'unknown';
  payments: ReferencePayment[];
  /** Entries without a readable payment, as JSON. The node keeps them for manual review and reads on. */
  unreadable: string[];
  /** The cursor of the next page; null if the result is `unknown`. */
  next: string | null;
  /** True if the rail's queue is longer than one answer may be. The page then has the first payments. */
  isCut?: boolean;
};

/** A PPR rail. The promises never reject because of the rail or the network. */
export type PprRail = {
  /** The same order may be sent again. */
  register(order: ReferenceOrder): Promise<RegistrationOutcome>;
  /** Registers many references in one call. Returns one outcome for each order, in the same sequence. */
  registerMany?(orders: ReferenceOrder[]): Promise<RegistrationOutcome[]>;
  /**
   * Withdraws a reference. The call may be repeated, and returns `ended` for an id that the rail never received.
   * A registration that arrives later has no effect, except at a rail with the capability `reopens`.
   */
  withdraw(reference: ReferenceKey): Promise<RegistrationOutcome>;
  query(reference: ReferenceKey): Promise<ReferenceQuery>;
  /** @param after `next` of the previous page; null for the first page */
  listPayments(after: string | null): Promise<PaymentsPage>;
  /** Reserves digits at a rail that assigns them. Returns null if the rail assigned fewer than `count`. */
  reserve?(count: number): Promise<string[] | null>;
  /** Removes a payment from the rail's queue, after our commit. Returns false if the removal is uncertain. */
  acknowledge?(receipt: string): Promise<boolean>;
};
