// The interface of a payment method. The core calls methods through it and imports no method.
// `payments/methods.ts` registers the methods.
import type { PaymentMethod } from '../../../shared/methods.ts';
import type { FailureCode } from '../../../shared/status.ts';
import type { Core } from '../../core.ts';
import type { Db } from '../../database/db.ts';
import type { Keyed, StoredAnswer } from '../../http/idempotency.ts';
import type { Answer, Fault } from '../../http/problem.ts';
import type { RailOutcome } from '../../providers/provider.ts';
import type { Refusal } from './account.ts';
import type { Attempt, AttemptKind, Payment, RecordedAttempt } from './entities.ts';
import type { Creation, InsertConflicts } from './insert.ts';
import type { OutcomeContext, Settled, Via } from './record-transaction.ts';
import type { PaymentEvent } from './states.ts';

/** `metadata` of a creation request, as far as methods read it. */
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

/** A creation whose answer waits for the rail: its merchant, its key, and the form of the answer. */
export type PendingCreation = {
  merchantId: string;
  keyed: Keyed | null;
  /** `Prefer: return=representation` */
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
  /** The order to the rail at creation or checkout; null if the rail receives no order. */
  asks: AttemptKind | null;
  /** The transition after a refused order. */
  failedPush: Extract<PaymentEvent, 'reopen' | 'decline'>;
  /** Faults between fields of the raw metadata, beside those of the schema. */
  check?(metadata: Record<string, unknown>): Fault[];
  /** The payment's columns of this method, `expiresAt` among them, and faults that need the clock. */
  read(metadata: RequestMetadata, createdAt: Date): { columns: Partial<Payment>; faults?: Fault[] };
  /** Writes the creation; without it `insertCreation` does. */
  write?(core: Core, creation: Creation, metadata: RequestMetadata): Promise<InsertConflicts>;
  /** The answer of a creation that waits for the rail, and its replay under the same key. */
  answer?: {
    first(core: Core, payment: Payment, attempt: Pick<Attempt, 'id' | 'rail'>, input: PendingCreation): Promise<Answer>;
    replay(core: Core, stored: StoredAnswer, input: PendingCreation): Promise<Answer>;
  };
  /** True while only the running creation may end the payment. */
  isUnmade?(payment: Payment): boolean;
  /** Expires a payment, under its lock. The default is `closePending`. */
  expire?(db: Db, payment: Payment, at: Date): Promise<void>;
  /** Cancels a payment for the merchant, under its lock. Null if its status allows no cancel. */
  cancel?(core: Core, db: Db, payment: Payment, at: Date): Promise<Canceled | null>;
  /** Queries the rail about more than the payment's attempts; false if the rail did not answer. */
  sync?(core: Core, payment: Payment): Promise<boolean>;
  /** The rail confirmed a void of the payment. @returns whether the payment changed */
  voided?(context: OutcomeContext): Promise<boolean>;
  /** The rail refused a void of the payment. @returns true if only a person can go on */
  voidRefused?(context: OutcomeContext): Promise<boolean>;
};

/** `attempt`: the void for the rail. `isAwaited`: the payment is canceled once the rail confirms the void. */
export type Canceled = { attempt: Attempt | null; isAwaited: boolean };

/** The columns of an attempt that a query needs. */
export type QueriedAttempt = Pick<Attempt, 'id' | 'kind' | 'rail' | 'railOrderId' | 'sentAt' | 'resolvedAt'>;

/** A kind of order to a rail: how it is sent and queried, and what its outcomes mean. */
export type Order = {
  /** Sends a recorded attempt. */
  send(core: Core, recorded: RecordedAttempt): Promise<RailOutcome>;
  /** Queries the rail and records its answer; false if the rail did not answer. */
  query(core: Core, attempt: QueriedAttempt, via: Via): Promise<boolean>;
  /** The attempt is due: queries the rail, and sends the order again if the rail has not got it. */
  resolve(core: Core, attempt: Attempt): Promise<void>;
  /** The rail approved it. Runs in the transaction that locks the payment. */
  approved(core: Core, context: OutcomeContext): Promise<Settled>;
  /** The rail refused it for good; the attempt is closed already. */
  refused(core: Core, context: OutcomeContext, failureCode: FailureCode, details: Refusal): Promise<Settled>;
  /** The event that calls a person after the last poll. */
  stuckEvent: 'payment.stuck' | 'refund.stuck';
  /** Details of that event beside the attempt. */
  describe?(db: Db, attemptId: string): Promise<object>;
  /** The rail has the order, or may have it. @returns whether anything changed */
  noteSent?(context: OutcomeContext): Promise<boolean>;
};

/** Money that was just recorded for a payment. `by`: the kind of order that it came by. */
type ReceivedMoney = { db: Db; payment: Payment; at: Date; by: AttemptKind; details: object };

/** One folder of `payments/`: its methods, its kinds of orders, and its reactions to other methods. */
export type MethodModule = {
  methods: Method[];
  orders: Partial<Record<AttemptKind, Order>>;
  /** Takes back an offer to the payer: the payer chose another way, or the payment is withdrawn. */
  withdrawOffer?(core: Core, db: Db, payment: Payment, at: Date): Promise<void>;
  /** Closes what the payer could still pay after this money. */
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
