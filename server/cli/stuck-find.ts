// Finds orders, payments, terminals and references that wait for an outcome or for manual review, with the reason.
import { expressionBuilder, type Expression, type SqlBool } from 'kysely';
import { toDecimal } from '../../shared/money.ts';
import { prepared, type Db, type Tables } from '../database/db.ts';
import type { AttemptStatus } from '../payments/core/entities.ts';

export type Stuck = {
  about: 'payment' | 'terminal' | 'reference';
  /** `id`: the payment's or the terminal's id. */
  id: string;
  merchantId: string;
  merchant: string;
  /** `name`: the merchant's reference, or a terminal's posId. */
  name: string;
  amount: string | null;
  status: string;
  /** `asked`: the kind of the order, such as `push` or `register`. */
  asked: string;
  /** `orderId`: the rail's key of the order. Null if the order has an outcome. */
  orderId: string | null;
  since: Date;
  /** `times`: the number of calls to the rail. */
  times: number;
  /** `nextAt`: time of the next query. Null if only a person can decide. */
  nextAt: Date | null;
  reason: string;
};

const LIMIT = 10_000;

const condition = expressionBuilder<Tables, 'attempts' | 'payment_references' | 'terminals'>();

export function isOpenAttempt(): Expression<SqlBool> {
  return condition('attempts.status', 'in', ['Unsent', 'Unreached', 'Sent']);
}

/** SQL condition for references whose registration or withdrawal the rail has not confirmed. */
export function isOpenReference(): Expression<SqlBool> {
  return condition.or([
    condition.and([
      condition('payment_references.status', '=', 'Pending'),
      condition('payment_references.registeredAt', 'is', null),
    ]),
    condition.and([
      condition('payment_references.status', '<>', 'Pending'),
      condition('payment_references.withdrawnAt', 'is', null),
    ]),
  ]);
}

export function isOpenTerminal(): Expression<SqlBool> {
  return condition('terminals.status', 'in', ['Opening', 'Closing']);
}

/** Returns orders without an outcome since `before`, and rows for manual review, oldest first. */
export async function findStuck(db: Db, before: Date): Promise<Stuck[]> {
  const orders = await listOrders.all(db, { before });
  const short = await listShort.all(db, {});
  const held = await listHeld.all(db, {});
  const terminals = await listTerminals.all(db, { before });
  const references = await listReferences.all(db, { before });
  const found: Stuck[] = [
    ...orders.map((row) => viewOf('payment', row, ORDER_REASONS[row.attemptStatus] ?? '')),
    ...short.map((row) => viewOf('payment', { ...row, ...NO_ORDER, asked: 'purchase' }, shortReason(row))),
    ...held.map((row) => viewOf('payment', { ...row, ...NO_ORDER, asked: 'void' }, REFUSED)),
    ...terminals.map((row) => viewOf('terminal', { ...row, ...NO_PAYMENT }, 'the rail does not say how it went')),
    ...references.map((row) => viewOf('reference', row, referenceReason(row))),
  ];
  return found.sort((a, b) => a.since.getTime() - b.since.getTime());
}

const NO_ORDER = { orderId: null, times: 0, nextAt: null };
const NO_PAYMENT = { amountMinor: 0, currency: '' };

type StuckRow = Omit<Stuck, 'about' | 'amount' | 'reason'> & { amountMinor: number; currency: string };

function viewOf(about: Stuck['about'], found: StuckRow, reason: string): Stuck {
  const { id, merchantId, merchant, name, amountMinor, currency, status, asked, orderId, since, times, nextAt } = found;
  const amount = currency ? `${toDecimal(amountMinor, currency)} ${currency}` : null;
  return { about, id, merchantId, merchant, name, amount, status, asked, orderId, since, times, nextAt, reason };
}

const ORDER_REASONS: Partial<Record<AttemptStatus, string>> = {
  Sent: 'the rail has it and gives no outcome',
  Unsent: 'the call was not answered: the rail may have it',
  Unreached: 'the rail could not be reached: it has nothing',
};

const REFUSED = 'its hold is over, and the rail does not release it: a capture by another system may have the money';

function shortReason({ paidMinor, currency }: { paidMinor: number; currency: string }): string {
  return `it brought ${toDecimal(paidMinor, currency)} ${currency}, not the requested amount, and no more will come`;
}

function referenceReason({ fault, asked }: { fault: string | null; asked: string }): string {
  const effect = asked === 'register' ? 'no payer can pay it yet' : 'the rail may still take money for it';
  return `${fault ? `the rail says ${fault}` : 'the rail does not know yet'}; ${effect}`;
}

const PAYMENT = [
  'payments.id',
  'payments.merchantId',
  'merchants.name as merchant',
  'payments.reference as name',
  'payments.currency',
] as const;

/** Lists orders without an outcome. A QR code that waits for its payer is not listed, since its attempt is approved. */
const listOrders = prepared((tables, { before }: { before: Date }) =>
  tables
    .selectFrom('attempts')
    .innerJoin('payments', 'payments.id', 'attempts.paymentId')
    .innerJoin('merchants', 'merchants.id', 'payments.merchantId')
    // A refund and its attempt have the same id.
    .leftJoin('refunds', 'refunds.id', 'attempts.id')
    .select([...PAYMENT, 'payments.status'])
    .select((eb) => eb.fn.coalesce('refunds.amountMinor', 'payments.amountMinor').as('amountMinor'))
    .select(['attempts.kind as asked', 'attempts.id as orderId', 'attempts.status as attemptStatus'])
    .select(['attempts.createdAt as since', 'attempts.dueCount as times', 'attempts.dueAt as nextAt'])
    .where(isOpenAttempt())
    .where((eb) => eb.or([eb('attempts.dueAt', 'is', null), eb('attempts.createdAt', '<', before)]))
    .orderBy('attempts.createdAt')
    .limit(LIMIT),
);

/** Lists payments that received less money than requested. Too little money leaves a payment open. */
const listShort = prepared((tables) =>
  tables
    .selectFrom('payments')
    .innerJoin('merchants', 'merchants.id', 'payments.merchantId')
    .select([...PAYMENT, 'payments.amountMinor', 'payments.status'])
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

/** Lists authorizations whose void the rail refused: they have neither a running operation nor a due time. */
const listHeld = prepared((tables) =>
  tables
    .selectFrom('payments')
    .innerJoin('merchants', 'merchants.id', 'payments.merchantId')
    .select([...PAYMENT, 'payments.amountMinor', 'payments.status'])
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

/** Lists unconfirmed references: payers may try in vain, or pay a withdrawn one. An expired one takes no payment. */
const listReferences = prepared((tables, { before }: { before: Date }) =>
  tables
    .selectFrom('payment_references')
    .innerJoin('payments', 'payments.id', 'payment_references.paymentId')
    .innerJoin('merchants', 'merchants.id', 'payments.merchantId')
    .select([...PAYMENT, 'payments.amountMinor', 'payment_references.status'])
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
