// Settles pushes whose money came as it was asked for: those of the same moment in one statement.
import { v7 as uuid } from 'uuid';
import { counts } from '../../counts.ts';
import { announceEvents } from '../../events/record.ts';
import { datesOf } from '../record-transaction.ts';
import { settleBy, type SettledAttempt } from '../settle-together.ts';
import { TRANSITIONS } from '../states.ts';
import { SETTLE_PURCHASES } from './settle.sql.ts';

export const settlePurchase = settleBy<SettledAttempt & { method: string }>({
  statement: SETTLE_PURCHASES,
  rowOf({ id, money, via }, at) {
    const transactionId = uuid();
    const { occurredAt, period, feeMinor } = datesOf(money, at);
    return {
      transaction_id: transactionId,
      occurred_at: occurredAt,
      period,
      fee_minor: feeMinor,
      event_id: uuid(),
      about: { attemptId: id, transactionId, via },
    };
  },
  announce(core, { merchantId, paymentId, method, toWebhooks }) {
    announceEvents(core, { merchantId, paymentId, toWebhooks, toCallback: false });
    counts.payments.inc({ method, status: TRANSITIONS.approve.to });
    return [paymentId];
  },
});
