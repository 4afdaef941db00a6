// Refunds: the money of one transaction is paid back to its payer, through the rail or by hand.
import { applyOutcome, recordConflict } from '../core/apply-outcome.ts';
import { sendAgainOrApply } from '../core/gpo-order.ts';
import type { MethodModule, Order } from '../core/method.ts';
import { queryDueRefund, queryRefund, sendRefund } from './order.ts';
import { describeAttempted, isDoubtful, recordRefunded, recordRefundRefused, recordSent } from './settle.ts';

const refundOrder: Order = {
  // A refund does not count at the account's circuit: an account that cannot refund may still charge.
  send: sendRefund,
  async query(core, attempt, via) {
    const outcome = await queryRefund(core, attempt);
    await applyOutcome(core, attempt.id, outcome, via);
    return outcome.result !== 'unknown';
  },
  async resolve(core, attempt) {
    const { outcome, isMissing } = await queryDueRefund(core, attempt);
    await sendAgainOrApply(core, attempt, outcome, isMissing);
  },
  approved: async (core, context) =>
    (await isDoubtful(context)) ? recordConflict(core, context) : recordRefunded(context),
  refused: (_core, context, failureCode, details) => recordRefundRefused(context, failureCode, details),
  stuckEvent: 'refund.stuck',
  describe: describeAttempted,
  noteSent: ({ db, attempt, at }) => recordSent(db, attempt.id, at),
};

export const refundModule: MethodModule = { methods: [], orders: { refund: refundOrder } };
