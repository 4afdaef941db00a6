// The interface of a payment method. The core calls methods only through it and imports no method.
// `payments/methods.ts` registers the methods.
import type { PaymentMethod } from '../../../shared/methods.ts';
import type { FailureCode } from '../../../shared/status.ts';
import type { Core } from '../../core.ts';
import type { Db } from '../../database/db.ts';
import type { Keyed, StoredAnswer } from '../../http/idempotency.ts';
import type { Answer, Fault } from '../../http/problem.ts';
import type { RailOutcome } from '../../providers/provider.ts';
import type { Refusal } from './account.ts';
import type { Canceler } from './creator.ts';
import type { Attempt, AttemptKind, Payment, RecordedAttempt } from './entities.ts';
import type { Creation, InsertConflicts } from './insert.ts';
import type { OutcomeContext, Settled, Via } from './record-transaction.ts';
import type { PaymentEvent } from './states.ts';

/** The fields of a creation request's `metadata` that payment methods read. */
export type RequestMetadata = {
  phoneNumber?: string | null | undefined;
  description?: string | null | undefined;
  gpo_merchant_id?: string | null | undefined;
  gpo_pos_id?: string | null | undefined;
  authorizationId?: string | null | undefined;
  expiresInMinutes?: number | null | undefined;
  allowReferenceFallback?: boolean | null | undefined;
  methods?: Payment['checkoutMethods'] | undefined;
};

/** A creation whose response waits for the rail: its merchant, its idempotency key and the form of the response. */
export type PendingCreation = {
  merchantId: string;
  keyed: Keyed | null;
  /** True if the request has the header `Prefer: return=representation`. */
  wantsRepresentation: boolean;
  metadata: RequestMetadata;
};

export type Method = {
  name: PaymentMethod;
  /**
   * - `push`: the rail sends a push to the phone at creation.
   * - `checkout`: the payer opens the page first.
   * - `capture`: the order takes money of an authorization at creation.
   * - `code`: the rail makes a QR code before the answer.
   * - `reference`: the payer pays a reference at an ATM.
   */
  start: 'push' | 'checkout' | 'capture' | 'code' | 'reference';
  /** The kind of order that the rail receives at creation or checkout. Null if the rail receives no order. */
  orderKind: AttemptKind | null;
  /** The event that moves the payment after a refused push. */
  failedPush: Extract<PaymentEvent, 'reopen' | 'decline'>;
  /** Returns faults between fields of the raw metadata, in addition to the faults of the schema. */
  check?(metadata: Record<string, unknown>): Fault[];
  /** Returns this method's columns of the payment, `expiresAt` included, and faults that need the clock. */
  read(metadata: RequestMetadata, createdAt: Date): { columns: Partial<Payment>; faults?: Fault[] };
  /** Writes the new payment. Default: `insertCreation`. */
  write?(core: Core, creation: Creation, metadata: RequestMetadata): Promise<InsertConflicts>;
  /** Builds the response of a creation that waits for the rail, and its replay under the same key. */
  answer?: {
    first(core: Core, payment: Payment, attempt: Pick<Attempt, 'id' | 'rail'>, input: PendingCreation): Promise<Answer>;
    replay(core: Core, stored: StoredAnswer, input: PendingCreation): Promise<Answer>;
  };
  /** True while only the running creation may end the payment. */
  isUnmade?(payment: Payment): boolean;
  /** Expires a locked payment. Default: `closePending`. */
  expire?(db: Db, payment: Payment, at: Date): Promise<void>;
  /** Cancels a locked payment. Null if the payment's status allows no cancellation. */
  cancel?(core: Core, db: Db, payment: Payment, request: CancelRequest): Promise<Canceled | null>;
  /** Queries the rail about more than the payment's attempts. False if the rail did not respond. */
  sync?(core: Core, payment: Payment): Promise<boolean>;
  /** Handles a void that the rail confirmed. @returns true if the payment changed */
  voided?(context: OutcomeContext): Promise<boolean>;
  /** Handles a void that the rail refused. @returns true if the payment needs manual review */
  voidRefused?(context: OutcomeContext): Promise<boolean>;
};

/** The time of a cancellation, the caller who cancels, and the payment that causes the cancellation. */
export type CancelRequest = { at: Date; by: Partial<Canceler>; cause?: { replacedBy?: string; paidBy?: string } };

/** `attempt`: the void for the rail. `isAwaited`: the payment is canceled only after the rail confirms the void. */
export type Canceled = { attempt: Attempt | null; isAwaited: boolean };

/** The columns of an attempt that a query to the rail needs. */
export type QueriedAttempt = Pick<Attempt, 'id' | 'kind' | 'rail' | 'railOrderId' | 'sentAt' | 'resolvedAt'>;

/** A kind of order to a rail: how it is sent and queried, and what its outcomes mean. */
export type Order = {
  /** Sends a recorded attempt to the rail. */
  send(core: Core, recorded: RecordedAttempt): Promise<RailOutcome>;
  /** Queries the rail about an attempt and records the result. False if the rail did not respond. */
  query(core: Core, attempt: QueriedAttempt, via: Via): Promise<boolean>;
  /** Handles a due attempt: queries the rail, and sends the order again if the rail does not have it. */
  resolve(core: Core, attempt: Attempt): Promise<void>;
  /** Handles an approved order, inside the transaction that locks its payment. */
  approved(core: Core, context: OutcomeContext): Promise<Settled>;
  /** Handles a permanently refused order, whose attempt is closed already. */
  refused(core: Core, context: OutcomeContext, failureCode: FailureCode, details: Refusal): Promise<Settled>;
  /** The event that requests manual review after the last poll. */
  stuckEvent: 'payment.stuck' | 'refund.stuck';
  /** Returns further details of that `stuck` event. */
  describe?(db: Db, attemptId: string): Promise<object>;
  /** Notes that the rail may have the order. @returns true if anything changed */
  noteSent?(context: OutcomeContext): Promise<boolean>;
};

/** Money that was just recorded for a payment. `by`: the kind of order that brought the money. */
type ReceivedMoney = { db: Db; payment: Payment; at: Date; by: AttemptKind; details: object };

/** One folder of `payments/`: its methods, its kinds of orders, and its reactions to other methods. */
export type MethodModule = {
  methods: Method[];
  orders: Partial<Record<AttemptKind, Order>>;
  /** Withdraws an offer to the payer after the payer chose another method, or after the payment was canceled. */
  withdrawOffer?(core: Core, db: Db, payment: Payment, at: Date): Promise<void>;
  /** Closes the other offers of the payment that the payer could still pay after this money. */
  afterMoney?(core: Core, received: ReceivedMoney): Promise<void>;
};

const modules: MethodModule[] = [];
const methods = new Map<PaymentMethod, Method>();
const orders = new Map<AttemptKind, Order>();

/** Registers the payment methods; called once, by `payments/methods.ts`. */
export function registerMethods(all: MethodModule[]): void {
  for (const module of all) {
    modules.push(module);
    for (const method of module.methods) methods.set(method.name, method);
    for (const [kind, order] of Object.entries(module.orders)) orders.set(kind as AttemptKind, order);
  }
}

export function methodOf({ paymentMethod }: { paymentMethod: PaymentMethod }): Method {
  return registered(methods.get(paymentMethod), paymentMethod);
}

export function orderOf(kind: string): Order {
  return registered(orders.get(kind as AttemptKind), kind);
}

function registered<T>(found: T | undefined, name: string): T {
  if (!found) throw new Error(`payments/methods.ts does not register ${name}`);
  return found;
}

export async function withdrawOffers(core: Core, db: Db, payment: Payment, at: Date): Promise<void> {
  for (const { withdrawOffer } of modules) await withdrawOffer?.(core, db, payment, at);
}

export async function closeAfterMoney(core: Core, received: ReceivedMoney): Promise<void> {
  for (const { afterMoney } of modules) await afterMoney?.(core, received);
}
