// Plans a refund. A refund of unknown money, or of more than the remaining money, is refused.
import type { PoolClient } from 'pg';
import { addMinor } from '../../shared/money.ts';
import { seriesOf } from './clearing-periods.ts';
import type { OrderRequest, PlannedOrder } from './plans.ts';
import { findPayment } from './reference-payments.ts';
import { prepared } from './schema.ts';
import { planDecline, planRefundDecision, type PhoneVerdict } from './test-numbers.ts';
import { readMinor } from './view.ts';

/** Received money, with the fields that its refunds need. */
export type ReceivedMoney = Pick<OrderRequest, 'amount' | 'currency' | 'terminalId' | 'reference' | 'phone'>;

/** Plans a refund. The caller holds the transaction's lock, so that the remaining money cannot change. */
export async function planRefund(db: PoolClient, request: OrderRequest): Promise<PlannedOrder> {
  const money = await findMoney(db, request);
  if (!money) return { plan: planDecline('TRANSACTION_UNKNOWN'), inherited: {} };
  const { terminalId, reference, phone } = money;
  const reason = await refuseRefund(db, request, money);
  return {
    plan: reason ? planDecline(reason) : planRefundDecision(request.amount),
    inherited: { terminalId, reference, phone },
  };
}

async function refuseRefund(db: PoolClient, request: OrderRequest, money: ReceivedMoney): Promise<PhoneVerdict | null> {
  const { currency } = money;
  const others = await listOthers.all(db, request);
  const refundedMinor = addMinor(0, ...others.map(({ amount }) => readMinor(amount, currency)));
  const leftMinor = addMinor(readMinor(money.amount, currency), -refundedMinor);
  const isTooHigh = request.currency !== currency || readMinor(request.amount, currency) > leftMinor;
  return isTooHigh ? 'AMOUNT_TOO_HIGH' : null;
}

/** Lists other refunds of the same money, approved or pending. */
const listOthers = prepared((tables, { id, parentId, target }: Pick<OrderRequest, 'id' | 'parentId' | 'target'>) =>
  tables
    .selectFrom('purchases')
    .select('amount')
    .where('parentId', '=', parentId)
    .where('target', '=', target)
    .where('kind', '=', 'refund')
    .where('status', '<>', 'DECLINED')
    .where('id', '<>', id),
);

/** Finds the money that a refund is about. Null if the rail, or its GPO merchant, has no such transaction. */
export async function findMoney(
  db: Parameters<typeof findPayment>[0],
  { target, parentId, merchantId }: Pick<OrderRequest, 'target' | 'parentId' | 'merchantId'>,
): Promise<ReceivedMoney | null> {
  if (target === 'order') return findOrder.first(db, { transactionId: parentId, merchantId });
  const row = await findPayment(db, parentId as string);
  if (!row) return null;
  const { amount, currency, entity, reference } = row.payment;
  return { amount, currency, terminalId: seriesOf(entity), reference, phone: '' };
}

const findOrder = prepared((tables, key: { transactionId: string | null; merchantId: string }) =>
  tables
    .selectFrom('purchases')
    .select(['amount', 'currency', 'terminalId', 'reference', 'phone'])
    .where('transactionId', '=', key.transactionId)
    .where('merchantId', '=', key.merchantId)
    .where('status', '=', 'APPROVED')
    .where('kind', 'in', ['purchase', 'capture', 'scan']),
);
