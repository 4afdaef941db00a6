// Settles refunds that were given back as they were asked for: those of the same moment in one statement.
import { v7 as uuid } from 'uuid';
import { periodOf } from '../../../shared/clearing.ts';
import { announceEvents } from '../../events/record.ts';
import { settleBy, type SettledAttempt } from '../settle-together.ts';
import { SETTLE_REFUNDS } from './settle.sql.ts';
import { describeRefund } from './states.ts';

export const settleRefund = settleBy<SettledAttempt & { replacedById: string | null }>({
  statement: SETTLE_REFUNDS,
  rowOf: ({ id, money: { amountMinor, currency, details }, via }, at) => ({
    period: periodOf(details, at),
    event_id: uuid(),
    about: { ...describeRefund({ id, amountMinor, currency, method: 'rail' }), via },
  }),
  announce(core, { merchantId, paymentId, replacedById, toWebhooks }) {
    announceEvents(core, { merchantId, paymentId, toWebhooks, toCallback: false });
    return replacedById ? [paymentId, replacedById] : [paymentId];
  },
});
