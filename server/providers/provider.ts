// What every rail's client looks like from the inside: plain values in, plain outcomes out (decisions §14, law 5).
import type { FailureCode } from '../../shared/status.ts';

/** What money or hold an attempt asks of the rail; each kind has its own address and its own ids there. */
export type OrderKind = 'purchase' | 'authorization' | 'capture' | 'void';

/** What a rail keeps of an order for us, and reads nothing into. */
export type OursKept = { paymentId: string; merchantId: string; reference: string };

type Order<K extends OrderKind> = {
  kind: K;
  /** Ours, and the rail's idempotency key: the same id never acts twice. */
  attemptId: string;
  gpoMerchantId: string;
};

/** A push to be made: the rail shows it on the payer's phone. An authorization only reserves. */
export type PushOrder = Order<'purchase' | 'authorization'> & {
  gpoPosId: string;
  /** Whose wallet is asked: null for Multicaixa Express, else one of the capabilities' `wallets`. */
  wallet: string | null;
  /** Where news of this attempt alone arrives: nobody else can know the address. */
  notifyUrl: string;
  reference: string;
  /** Whose order it is here, for the rail's books: by this it is known again where nobody here has it any more. */
  ours?: OursKept;
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

/** What is asked about an order that was sent, or may have been. */
export type OrderQuery = {
  kind: OrderKind;
  attemptId: string;
  /** As the rail answered it; null when no answer was heard, or the rail has none. */
  railOrderId: string | null;
  /** When its last call began. */
  sentAt: Date;
};

/**
 * What the rail says of an order.
 * `pending`: it has it and is not done, or said something we do not know. `unknown`: we could not learn anything sure.
 * `not_found`: the rail itself says, to a query, that it never saw this attempt.
 */
export type RailOutcome = {
  result: 'approved' | 'declined' | 'pending' | 'unknown' | 'not_found';
  /** Of a declined one, never null then. */
  failureCode: FailureCode | null;
  /** The rail's own id of the order, once it is known; null where orders are known there by ours. */
  railOrderId: string | null;
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
  /** As of a push. */
  notifyUrl: string;
};

export type QrQuery = Pick<OrderQuery, 'attemptId' | 'railOrderId' | 'sentAt'>;

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

/**
 * `made`: the code exists, with its content and every accepted scan so far. `told`: every accepted scan so far, to a query; of the
 * code itself the rail tells nothing any more.
 */
export type QrOutcome = {
  result: 'made' | 'told' | 'declined' | 'unknown' | 'not_found';
  failureCode: FailureCode | null;
  /** As of an order. */
  railOrderId: string | null;
  /** Of a made one, never null then: the text to be drawn, or, of a rail that draws it, a `data:image/png;base64,` URL. */
  content: string | null;
  /** Opens the payer's app with this code; null where the rail has no such link. */
  deeplink: string | null;
  /** When the rail itself ends it; null: when it was asked to. */
  endsAt: Date | null;
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

/** Money that a rail took, as it is known there. */
export type Charge = {
  /** What brought it: an order, a scan of a code, a payment to a reference. */
  kind: 'purchase' | 'capture' | 'qrcode' | 'reference';
  /** Ours: the attempt (of a scan the one that made the code), or the reference. */
  id: string;
  /** The rail's own id of that order, where it has one. */
  railOrderId: string | null;
  /** The rail's id of the money. */
  providerRef: string;
  /** All of it. */
  amountMinor: number;
};

/** Gives money back: all of a charge, or a part of it. */
export type RefundOrder = {
  /** Ours, and the rail's idempotency key where it has any. */
  attemptId: string;
  /** Empty where the account's contract says whose it is. */
  gpoMerchantId: string;
  charge: Charge;
  amountMinor: number;
  currency: string;
  /** Shown to whoever gets it, where the rail shows any. */
  description: string | null;
  /** As of a push. */
  notifyUrl: string;
};

/** What is asked about a refund that was sent, or may have been. */
export type RefundQuery = Pick<OrderQuery, 'attemptId' | 'railOrderId' | 'sentAt'> &
  Pick<RefundOrder, 'charge' | 'amountMinor' | 'currency'>;

/**
 * A rail that gives money back. Of an approved refund `providerRef` is the rail's id of it, `amountMinor` and `currency` what
 * was really given back. No call ever rejects because of the rail or the network.
 */
export type RefundRail = {
  /** May be repeated with the same order only where the account's `refundRepeat` says so. */
  refund(order: RefundOrder): Promise<RailOutcome>;
  queryRefund(asked: RefundQuery): Promise<RailOutcome>;
};

/** A GPO rail. No call ever rejects because of the rail or the network. */
export type GpoRail = {
  /** May be repeated with the same order. */
  send(order: RailOrder): Promise<RailOutcome>;
  query(order: OrderQuery): Promise<RailOutcome>;
  createQrCode(order: QrOrder): Promise<QrOutcome>;
  queryQrCode(order: QrQuery): Promise<QrOutcome>;
  moveTerminal(order: TerminalOrder): Promise<TerminalOutcome>;
  queryTerminal(posId: string): Promise<TerminalOutcome>;
};

/** A payment reference to be made payable at ATMs, in the app and in internet banking. */
export type ReferenceOrder = {
  /** Ours, and the rail's idempotency key: registered once, and once withdrawn never again. */
  referenceId: string;
  /** Five digits. */
  entity: string;
  /** 9 to 15 digits. */
  reference: string;
  type: 'Dynamic' | 'Charging';
  /** What each payment must be; 0: the payer chooses (Charging only). */
  amountMinor: number;
  currency: string;
  /** Shown to the payer. */
  description: string | null;
  /** The rail refuses payments from then on. */
  expiresAt: Date;
};

/**
 * What the rail says of a reference's registration or withdrawal.
 * `active`: it can be paid there. `ended`: it cannot (any more): withdrawn, paid or expired there, as `details.railStatus`
 * says (WITHDRAWN, PAID, EXPIRED). `refused`: the rail
 * will not take it as it is. `taken`: another live reference has these digits there. `unsupported`: the rail cannot do this
 * at all (a withdrawal). `unknown`: nothing sure was learned.
 */
export type RegistrationOutcome = {
  result: 'active' | 'ended' | 'refused' | 'taken' | 'unsupported' | 'unknown';
  /** `reason` of whatever is not `active` or `ended`. */
  details: Record<string, string>;
};

/** Money that was paid to a reference. */
export type ReferencePayment = {
  /** The rail's id of the money: the same however often and by whatever way it is told. */
  providerRef: string;
  entity: string;
  reference: string;
  amountMinor: number;
  currency: string;
  /** When it was paid, by the rail's clock: decides whose money it is when digits were used again (decisions §4). */
  occurredAt: Date;
  /**
   * As said: `clearingPeriod` (idLogSistema), `transactionNumber` (numLogSistema, within the period), `terminalType`
   * (ATM, POS, IB, MB), `terminalId`, `terminalLocation`, `nib`, `bank`, `fee`.
   */
  details: Record<string, string>;
  /** Our id of the reference, where the rail carries it with the money: decides before digits and time do. */
  referenceId?: string | null;
  /** By this the rail is told, once the payment is committed here, that it need not tell it again. */
  receipt?: string | null;
};

/** Which reference is meant, by our id and by its digits. */
export type ReferenceKey = Pick<ReferenceOrder, 'referenceId' | 'entity' | 'reference'>;

/**
 * `told`: every payment so far. `not_found`: the rail itself says that it never saw this id. `unsupported`: it cannot be asked
 * about one reference; its list of payments tells.
 */
export type ReferenceQuery = { result: 'told' | 'not_found' | 'unsupported' | 'unknown'; payments: ReferencePayment[] };

/**
 * A page of everything the rail took, oldest first; `next` is where to go on, null when nothing was learned.
 * `unreadable`: entries that are no payment we can read, as JSON; they must be kept for a person, and hold nobody up.
 */
export type PaymentsPage = {
  result: 'told' | 'unknown';
  payments: ReferencePayment[];
  unreadable: string[];
  next: string | null;
  /** The queue is longer than one answer may be: these are its first payments. */ isCut?: boolean;
};

/** A PPR rail. No call ever rejects because of the rail or the network. */
export type PprRail = {
  /** May be repeated with the same order. */
  register(order: ReferenceOrder): Promise<RegistrationOutcome>;
  /** Many in one call, where the rail can; an outcome for each, in their order. */
  registerMany?(orders: ReferenceOrder[]): Promise<RegistrationOutcome[]>;
  /** For ever, even if the registration comes later, unless the rail `reopens`. May be repeated; an id the rail never saw is `ended` too. */
  withdraw(reference: ReferenceKey): Promise<RegistrationOutcome>;
  query(reference: ReferenceKey): Promise<ReferenceQuery>;
  /** @param after `next` of the page before; null for the first */
  listPayments(after: string | null): Promise<PaymentsPage>;
  /** So many digits that the rail gives to nobody else, where they are not ours to choose; null when not all could be had. */
  reserve?(count: number): Promise<string[] | null>;
  /** Takes a payment off the rail's queue, for ever: only after it is committed here. False when that is not sure. */
  acknowledge?(receipt: string): Promise<boolean>;
};
