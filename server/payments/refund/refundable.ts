// Lists the transactions of a payment that can be refunded, and what their accounts can do.
import { z } from 'zod';
import { toMajor } from '../../../shared/money.ts';
import { REFUND_ABILITIES, type RefundAbility } from '../../../shared/refund.ts';
import type { Core } from '../../core.ts';
import { Problem } from '../../http/problem.ts';
import type { Transaction } from '../core/entities.ts';
import { refundsOf } from './allow.ts';
import { leftOf } from './choose.ts';
import { listTransactions } from '../core/rows.ts';
import { findPaymentIds } from './rows.ts';

/** The most transactions in the list. For a payment with more, the newest are listed. */
const MOST = 100;

export const refundable = z
  .object({
    data: z.array(
      z.object({
        transactionId: z.uuid(),
        amount: z.number().describe('Major units: what is left of it, neither given back nor on its way'),
        currency: z.string(),
        occurredAt: z.iso.datetime(),
        byRail: z
          .enum(REFUND_ABILITIES)
          .describe('part: any amount; whole: all of it at once; none: give it back yourself, with `method: "manual"`'),
      }),
    ),
  })
  .meta({ id: 'Refundable' });

/**
 * Lists refundable transactions, newest first. An authorization has those of its captures.
 * @throws Problem not_found
 */
export async function listRefundable(
  core: Core,
  own: { id: string; merchantId: string },
): Promise<z.input<typeof refundable>> {
  const ids = (await findPaymentIds.all(core, own)).map(({ id }) => id);
  if (!ids.includes(own.id)) throw new Problem('not_found');
  const money: Transaction[] = [];
  for (const paymentId of ids) money.push(...(await listTransactions.all(core, { paymentId })));
  const left = money.filter((each) => leftOf(each) > 0).slice(-MOST);
  return { data: await Promise.all(left.toReversed().map((each) => viewRefundable(core, each))) };
}

async function viewRefundable(core: Core, money: Transaction) {
  const { id: transactionId, currency, occurredAt } = money;
  const [amount, byRail] = [toMajor(leftOf(money), currency), await abilityOf(core, money)];
  return { transactionId, amount, currency, occurredAt: occurredAt.toISOString(), byRail };
}

/** Returns how a transaction can be refunded. An account that refunds only whole amounts cannot refund a rest. */
async function abilityOf(core: Core, money: Transaction): Promise<RefundAbility> {
  const can = refundsOf(await core.rails.find(money.rail));
  if (!can || (can.refund === 'whole' && leftOf(money) !== money.amountMinor)) return 'none';
  return can.refund;
}
