// The interfaces of the payment rails' clients. A client takes plain values and returns plain outcomes.
// A client decides nothing and stores nothing, so a new provider needs no change outside of its folder.
import type { FailureCode } from '../../shared/status.ts';

/** The kind of an order. Each kind has its own endpoint at the rail and its own ids. */
export type OrderKind = 'purchase' | 'authorization' | 'capture' | 'void';

/** Our ids of an order. The rail stores these ids without interpreting them, and returns them in its statement. */
export type OrderMetadata = { paymentId: string; merchantId: string; reference: string };

type Order<K extends OrderKind> = {
  kind: K;
  /** `attemptId`: our id, and the rail's idempotency key. The rail never executes the same id twice. */
  attemptId: string;
  gpoMerchantId: string;
};

/** Orders a push, which the rail shows on the payer's phone. An authorization only reserves the money. */
export type PushOrder = Order<'purchase' | 'authorization'> & {
  gpoPosId: string;
  /** `wallet`: the wallet that receives the push. Null: Multicaixa Express, else one of the capabilities' `wallets`. */
  wallet: string | null;
  /** The URL at which the rail notifies us of this attempt. Only this rail knows it. */
  notifyUrl: string;
  reference: string;
  /** `ours`: our ids for the rail's statement. After a restore from an older backup, they recover lost payments. */
  ours?: OrderMetadata;
  /** `phone`: the payer's phone in E.164. */
  phone: string;
  amountMinor: number;
  currency: string;
  description: string | null;
};

/** Orders a capture of all or part of the reserved amount. The rail releases the rest. */
export type CaptureOrder = Order<'capture'> & {
  /** `authorizationId`: the attempt that created the authorization. */
  authorizationId: string;
  gpoPosId: string;
  reference: string;
  amountMinor: number;
  currency: string;
  description: string | null;
};

/** Orders a void, which releases an authorization or withdraws a QR code, even one that reaches the rail later. */
export type VoidOrder = Order<'void'> & {
  target: 'authorization' | 'qrcode';
  /** `targetId`: the attempt that created the authorization or the QR code. */
  targetId: string;
};

export type RailOrder = PushOrder | CaptureOrder | VoidOrder;

/** Identifies an order in a status query. The order was sent, or it may have been. */
export type OrderQuery = {
  kind: OrderKind;
  attemptId: string;
  /** `railOrderId`: the rail's id of the order. Null if the answer was lost, or if the rail uses our id. */
  railOrderId: string | null;
  /** `sentAt`: the start of the last call that sent the order. */
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
  /** `failureCode`: set exactly if the result is `declined`. */
  failureCode: FailureCode | null;
  /** `railOrderId`: the rail's own id of the order, once it is known. Null if the rail uses our id. */
  railOrderId: string | null;
  /** `providerRef`: the rail's id of the transaction or reservation. Set when `approved`, except for voids. */
  providerRef: string | null;
  /** The amount taken or reserved, which may differ from the order. Set when `approved`, except for voids. */
  amountMinor: number | null;
  currency: string | null;
  /** The time of the rail's decision, by the rail's clock. */
  occurredAt: Date | null;
  /** For receipts: `transactionNumber`, `clearingPeriod`, `terminalId`. For support: `reason` of an unknown outcome. */
  details: Record<string, string>;
};

/** Orders a QR code. The rail creates the code's content. */
export type QrOrder = {
  attemptId: string;
  gpoMerchantId: string;
  gpoPosId: string;
  reference: string;
  /** The amount of each payment through the QR code. */
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

/** The payment of one accepted scan of a QR code. Rails do not report refused scans here. */
export type QrScan = {
  /** `providerRef`: the rail's id of the scan's transaction. */
  providerRef: string;
  amountMinor: number;
  currency: string;
  occurredAt: Date | null;
  /**
   * `details`: the rail's own values of `transactionNumber`, `clearingPeriod`, `terminalId`, `transactionType`,
   * `orderOrigin`, `creationDate` and `updatedDate`.
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
  /** The rail's own id of the QR code, once it is known. Null if the rail uses our id. */
  railOrderId: string | null;
  /** Content of the QR code: its text, or a `data:image/png;base64,` URL if the rail draws it. Set when `made`. */
  content: string | null;
  /** A link that opens the payer's app with this QR code. Null if the rail offers no link. */
  deeplink: string | null;
  /** The time at which the rail ends the QR code. Null: the end in the order applies. */
  endsAt: Date | null;
  scans: QrScan[];
  details: Record<string, string>;
};

export type TerminalStatus = 'Closed' | 'Opening' | 'Open' | 'Closing';

export type TerminalOrder = {
  /** Our id of the terminal's opening or closing, and the rail's idempotency key. */
  operationId: string;
  posId: string;
  action: 'open' | 'close';
  supervisorId: string | null;
};

/**
 * The state of a terminal at the rail.
 * - `told`: the rail returned the terminal's state. `status`, `period` and `supervisorRequired` are set.
 * - `refused`: the rail changed nothing, for the reason in `refusal`.
 * - `unreached`: no request about the terminal reached the rail.
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

/** A payment that a refund returns to the payer, by the rail's ids. */
export type Charge = {
  /** The source of the refunded money: an order, a scan of a QR code, or a payment to a reference. */
  kind: 'purchase' | 'capture' | 'qrcode' | 'reference';
  /** `id`: our id of the attempt or the reference. For a scan, the attempt that created the QR code. */
  id: string;
  /** The rail's own id of the refunded order, if the rail has one. */
  railOrderId: string | null;
  /** The rail's id of the refunded transaction. */
  providerRef: string;
  /** The whole amount of the payment, also for a partial refund. */
  amountMinor: number;
};

/** Orders a refund of all or part of a payment. */
export type RefundOrder = {
  /** `attemptId`: our id of the refund, and the rail's idempotency key if the rail has one. */
  attemptId: string;
  /** `gpoMerchantId`: empty if the rail account's contract already identifies the merchant. */
  gpoMerchantId: string;
  charge: Charge;
  amountMinor: number;
  currency: string;
  /** Description of the refund for the payer, if the rail shows descriptions. */
  description: string | null;
  /** The URL at which the rail notifies us of this refund. Only this rail knows it. */
  notifyUrl: string;
};

/** Identifies a refund in a status query. The refund was sent, or it may have been. */
export type RefundQuery = Pick<OrderQuery, 'attemptId' | 'railOrderId' | 'sentAt'> &
  Pick<RefundOrder, 'charge' | 'amountMinor' | 'currency'>;

/**
 * The client of a rail that refunds payments. Its promises never reject because of the rail or the network.
 * In an approved outcome, `providerRef` is the rail's id of the refund, and `amountMinor` the refunded amount.
 */
export type RefundRail = {
  /** Sends a refund. The same order may be sent again only if the capability `refundRepeat` is true. */
  refund(order: RefundOrder): Promise<RailOutcome>;
  queryRefund(query: RefundQuery): Promise<RailOutcome>;
};

/** The client of a GPO rail. Its promises never reject because of the rail or the network. */
export type GpoRail = {
  /** Sends an order. The same order may be sent again, within the limits of the capability `repeat`. */
  send(order: RailOrder): Promise<RailOutcome>;
  query(order: OrderQuery): Promise<RailOutcome>;
  createQrCode(order: QrOrder): Promise<QrOutcome>;
  queryQrCode(order: QrQuery): Promise<QrOutcome>;
  moveTerminal(order: TerminalOrder): Promise<TerminalOutcome>;
  queryTerminal(posId: string): Promise<TerminalOutcome>;
};

/** Orders a payment reference, which payers use at ATMs, in the app and in internet banking. */
export type ReferenceOrder = {
  /** `referenceId`: our id, and the rail's idempotency key. The rail never registers it again after a withdrawal. */
  referenceId: string;
  /** `entity`: the five digits of the PPR entity. */
  entity: string;
  /** `reference`: the 9 to 15 digits that the payer types. */
  reference: string;
  type: 'Dynamic' | 'Charging';
  /** The amount of each payment to the reference. 0: the payer chooses the amount (Charging references only). */
  amountMinor: number;
  currency: string;
  /** Description of the reference, shown to the payer. */
  description: string | null;
  /** The time from which the rail refuses payments to the reference. */
  expiresAt: Date;
};

/**
 * The state of a reference at the rail, after a registration or a withdrawal.
 * - `active`: payers can pay the reference.
 * - `ended`: payers cannot pay it any more. `details.railStatus` is WITHDRAWN, PAID or EXPIRED.
 * - `refused`: the rail rejects this order, and repeating it is useless.
 * - `taken`: another active reference has these digits at the rail.
 * - `unsupported`: the rail has no such operation, for example no withdrawal.
 * - `unknown`: the call failed or its answer proves nothing.
 */
export type RegistrationOutcome = {
  result: 'active' | 'ended' | 'refused' | 'taken' | 'unsupported' | 'unknown';
  /** `details`: has a `reason` for every result except `active` and `ended`. */
  details: Record<string, string>;
};

/** A payment that a payer made to a reference. */
export type ReferencePayment = {
  /** The rail's id of the transaction, the same in notifications, queries and lists. */
  providerRef: string;
  entity: string;
  reference: string;
  amountMinor: number;
  currency: string;
  /** The time of payment by the rail's clock. It decides which reference was paid if digits were reused. */
  occurredAt: Date;
  /**
   * `details`: the rail's `clearingPeriod` (idLogSistema), `transactionNumber` (numLogSistema, within the period),
   * `terminalType` (ATM, POS, IB, MB), `terminalId`, `terminalLocation`, `nib`, `bank` and `fee`.
   */
  details: Record<string, string>;
  /** Our id of the reference, if the rail returns the id. It takes precedence over digits and time. */
  referenceId?: string | null;
  /** `receipt`: the argument of `acknowledge`, which removes the payment from the rail's queue. */
  receipt?: string | null;
};

/** Identifies a reference by our id and by its digits. */
export type ReferenceKey = Pick<ReferenceOrder, 'referenceId' | 'entity' | 'reference'>;

/**
 * The result of a query for the payments to one reference.
 * - `told`: `payments` has every payment to the reference so far.
 * - `not_found`: the rail answered that it never received this reference id.
 * - `unsupported`: the rail has no query for one reference, and only its list has the payments.
 * - `unknown`: the call failed or its answer proves nothing.
 */
export type ReferenceQuery = { result: 'told' | 'not_found' | 'unsupported' | 'unknown'; payments: ReferencePayment[] };

/** A page of the rail's list of payments to references, oldest first. */
export type PaymentsPage = {
  /** `unknown`: the call for a page of payments failed, and the page is empty. */
  result: 'told' | 'unknown';
  payments: ReferencePayment[];
  /** List entries without a readable payment, as JSON. The node keeps the entries for manual review and reads on. */
  unreadable: string[];
  /** `next`: the cursor of the next page. Null if the result is `unknown`. */
  next: string | null;
  /** True if the rail's queue is longer than an answer may be. The page then has only the first payments. */
  isCut?: boolean;
};

/** The client of a PPR rail. Its promises never reject because of the rail or the network. */
export type PprRail = {
  /** Registers a reference. The same order may be sent again. */
  register(order: ReferenceOrder): Promise<RegistrationOutcome>;
  /** Registers many references in one call. Returns one outcome per order, in the order of the array. */
  registerMany?(orders: ReferenceOrder[]): Promise<RegistrationOutcome[]>;
  /**
   * Withdraws a reference. The call may be repeated, and returns `ended` for an id that the rail never received.
   * A registration that arrives later has no effect, except at a rail with the capability `reopens`.
   */
  withdraw(reference: ReferenceKey): Promise<RegistrationOutcome>;
  query(reference: ReferenceKey): Promise<ReferenceQuery>;
  /** Reads a page of payments. @param after `next` of the previous page, or null for the first page */
  listPayments(after: string | null): Promise<PaymentsPage>;
  /** Reserves digits at a rail that assigns them. Returns null if the rail assigned fewer than `count`. */
  reserve?(count: number): Promise<string[] | null>;
  /** Removes a payment from the rail's queue, after our commit. Returns false if the removal is uncertain. */
  acknowledge?(receipt: string): Promise<boolean>;
};
