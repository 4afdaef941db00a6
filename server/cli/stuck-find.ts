// What is stuck, and why: orders without an outcome, payments that only a person can go on with, terminals and references.
import { expressionBuilder } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import { toDecimal } from '../../shared/money.ts';
import { prepared, type Db, type Tables } from '../database/db.ts';
import type { AttemptStatus } from '../payments/core/entities.ts';
import { isOpenAttempt, isOpenReference, isOpenTerminal } from './database.ts';

export type Stuck = {
  about: 'payment' | 'terminal' | 'reference';
  /** The payment's; of a terminal its own. */
  id: string;
  merchantId: string;
  merchant: string;
  /** What it is known by: a reference, a posId. */
  name: string;
  amount: string | null;
  status: string;
  /** What the rail was asked to do. */
  asked: string;
  /** What the rail knows it by; null where it has an outcome. */
  orderId: string | null;
  since: Date;
  /** How often the rail was asked, or told. */
  times: number;
  /** When it is asked next; null: not any more, a person must look. */
  nextAt: Date | null;
  reason: string;
  /** The last that its history tells. */
  lastEvent: { type: string; occurredAt: Date; details: Record<string, unknown> } | null;
};

const LIMIT = 500;

/** Everything without an outcome since `before`, and whatever is left to a person; the oldest first. */
export async function findStuck(db: Db, before: Date): Promise<Stuck[]> {
  const orders = await listOrders.all(db, { before });
  const short = await listShort.all(db, {});
  const held = await listHeld.all(db, {});
  const terminals = await listTerminals.all(db, { before });
  const references = await listReferences.all(db, { before });
  const found: Stuck[] = [
    ...orders.map((row) => tellOf('payment', row, ORDER_REASONS[row.attemptStatus] ?? '')),
    ...short.map((row) => tellOf('payment', { ...row, ...NO_ORDER, asked: 'purchase' }, shortReason(row))),
    ...held.map((row) => tellOf('payment', { ...row, ...NO_ORDER, asked: 'void' }, REFUSED)),
    ...terminals.map((row) => tellOf('terminal', { ...row, ...NO_PAYMENT }, 'the rail does not say how it went')),
    ...references.map((row) => tellOf('reference', row, referenceReason(row))),
  ];
  return found.sort((a, b) => a.since.getTime() - b.since.getTime());
}

const NO_ORDER = { orderId: null, times: 0, nextAt: null };
const NO_PAYMENT = { amountMinor: 0, currency: '', lastEvent: null };

type StuckRow = Omit<Stuck, 'about' | 'amount' | 'reason' | 'lastEvent'> & {
  amountMinor: number;
  currency: string;
  lastEvent: { type: string; occurredAt: string; details: Record<string, unknown> } | null;
};

function tellOf(about: Stuck['about'], found: StuckRow, reason: string): Stuck {
  const { id, merchantId, merchant, name, amountMinor, currency, status, asked, orderId, since, times, nextAt } = found;
  const amount = currency ? `${toDecimal(amountMinor, currency)} ${currency}` : null;
  const told = found.lastEvent;
  const lastEvent = told && { ...told, occurredAt: new Date(told.occurredAt) };
  const what = { about, id, merchantId, merchant, name, amount, status };
  return { ...what, asked, orderId, since, times, nextAt, reason, lastEvent };
}

const ORDER_REASONS: Partial<Record<AttemptStatus, string>> = {
  Sent: 'the rail has it and gives no outcome',
  Unsent: 'the call was not answered: the rail may have it',
  Unreached: 'the rail could not be reached: it has nothing',
};

const REFUSED =
  'its time is over, and the rail would not let go of what it held: a capture that is none of ours may have it';

function shortReason({ paidMinor, currency }: { paidMinor: number; currency: string }): string {
  return `it brought ${toDecimal(paidMinor, currency)} ${currency}, not what was asked, and nothing more is to come`;
}

function referenceReason({ fault, asked }: { fault: string | null; asked: string }): string {
  const effect = asked === 'register' ? 'nobody can pay it yet' : 'the rail may still take money for it';
  return `${fault ? `the rail says ${fault}` : 'the rail was not told yet'}; ${effect}`;
}

const PAYMENT = [
  'payments.id',
  'payments.merchantId',
  'merchants.name as merchant',
  'payments.reference as name',
  'payments.currency',
] as const;

const ofPayment = expressionBuilder<Tables, 'payments'>();
const lastEvent = ofPayment
  .selectFrom('events')
  .select((eb) =>
    jsonBuildObject({
      type: eb.ref('events.type'),
      occurredAt: eb.ref('events.occurredAt'),
      details: eb.ref('events.details'),
    }).as('told'),
  )
  .whereRef('events.paymentId', '=', 'payments.id')
  .orderBy('events.seq', 'desc')
  .limit(1)
  .as('lastEvent');

/** How a code that was made is followed is no order under way: its attempt is approved. */
const listOrders = prepared((tables, { before }: { before: Date }) =>
  tables
    .selectFrom('attempts')
    .innerJoin('payments', 'payments.id', 'attempts.paymentId')
    .innerJoin('merchants', 'merchants.id', 'payments.merchantId')
    // A refund has its attempt's id.
    .leftJoin('refunds', 'refunds.id', 'attempts.id')
    .select([...PAYMENT, 'payments.status', lastEvent])
    .select((eb) => eb.fn.coalesce('refunds.amountMinor', 'payments.amountMinor').as('amountMinor'))
    .select(['attempts.kind as asked', 'attempts.id as orderId', 'attempts.status as attemptStatus'])
    .select(['attempts.createdAt as since', 'attempts.dueCount as times', 'attempts.dueAt as nextAt'])
    .where(isOpenAttempt())
    .where((eb) => eb.or([eb('attempts.dueAt', 'is', null), eb('attempts.createdAt', '<', before)]))
    .orderBy('attempts.createdAt')
    .limit(LIMIT),
);

/** Less than asked leaves a payment as it is (decisions §3). */
const listShort = prepared((tables) =>
  tables
    .selectFrom('payments')
    .innerJoin('merchants', 'merchants.id', 'payments.merchantId')
    .select([...PAYMENT, 'payments.amountMinor', 'payments.status', lastEvent])
    .select(['payments.createdAt as since', 'payments.amountPaidMinor as paidMinor'])
    .where('payments.status', '=', 'Processing')
    .where('payments.paymentType', '=', 'GPO')
    .where((eb) => eb(eb.val('amount_mismatch'), '=', eb.fn.any('payments.flags')))
    .where((eb) => {
      const open = eb.selectFrom('attempts').select('attempts.id').where(isOpenAttempt());
      return eb.not(eb.exists(open.whereRef('attempts.paymentId', '=', 'payments.id')));
    })
    .orderBy('payments.createdAt')
    .limit(LIMIT),
);

/** An authorization that nothing is under way with, and that nobody will look at again: its void was refused. */
const listHeld = prepared((tables) =>
  tables
    .selectFrom('payments')
    .innerJoin('merchants', 'merchants.id', 'payments.merchantId')
    .select([...PAYMENT, 'payments.amountMinor', 'payments.status', lastEvent])
    .select((eb) => eb.fn.coalesce('payments.expiresAt', 'payments.createdAt').as('since'))
    .where('payments.status', '=', 'Authorized')
    .where('payments.operation', 'is', null)
    .where('payments.dueAt', 'is', null)
    .orderBy('payments.expiresAt')
    .limit(LIMIT),
);

const listTerminals = prepared((tables, { before }: { before: Date }) =>
  tables
    .selectFrom('terminals')
    .innerJoin('merchants', 'merchants.id', 'terminals.merchantId')
    .select(['terminals.id', 'terminals.merchantId', 'merchants.name as merchant', 'terminals.posId as name'])
    .select(['terminals.status', 'terminals.operationId as orderId'])
    .select(['terminals.dueCount as times', 'terminals.dueAt as nextAt'])
    .select((eb) => [
      eb.case('terminals.status').when('Opening').then('open').else('close').end().as('asked'),
      eb.fn.coalesce('terminals.sentAt', 'terminals.changedAt').as('since'),
    ])
    .where(isOpenTerminal())
    .where((eb) => eb.or([eb('terminals.dueAt', 'is', null), eb('terminals.changedAt', '<', before)]))
    .orderBy('terminals.changedAt')
    .limit(LIMIT),
);

/** Past its end a rail refuses payments by itself; until then somebody may wait at an ATM, or pay what was withdrawn. */
const listReferences = prepared((tables, { before }: { before: Date }) =>
  tables
    .selectFrom('payment_references')
    .innerJoin('payments', 'payments.id', 'payment_references.paymentId')
    .innerJoin('merchants', 'merchants.id', 'payments.merchantId')
    .select([...PAYMENT, 'payments.amountMinor', 'payment_references.status', lastEvent])
    .select(['payment_references.id as orderId', 'payment_references.railFault as fault'])
    .select(['payment_references.dueCount as times', 'payment_references.dueAt as nextAt'])
    .select((eb) => [
      eb.case('payment_references.status').when('Pending').then('register').else('withdraw').end().as('asked'),
      eb.fn.coalesce('payment_references.closedAt', 'payment_references.createdAt').as('since'),
    ])
    .where(isOpenReference())
    .where((eb) => {
      const since = eb.fn.coalesce('payment_references.closedAt', 'payment_references.createdAt');
      return eb.or([eb('payment_references.dueAt', 'is', null), eb(since, '<', before)]);
    })
    .orderBy('payment_references.createdAt')
    .limit(LIMIT),
);
