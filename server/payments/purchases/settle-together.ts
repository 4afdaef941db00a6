// Settles pushes whose money came as it was asked for: those of the same moment in one statement.
import { counts } from '../../counts.ts';
import { announceEvents } from '../../events/record.ts';
import { moneyOf, settleBy, type SettledAttempt } from '../settle-together.ts';
import { TRANSITIONS } from '../states.ts';
import { SETTLE_PURCHASES } from './settle.sql.ts';

export const settlePurchase = settleBy<SettledAttempt & { method: string }>({
  statement: SETTLE_PURCHASES,
  rowOf: moneyOf,
  announce(core, { merchantId, paymentId, method, toWebhooks }) {
    announceEvents(core, { merchantId, paymentId, toWebhooks, toCallback: false });
    counts.payments.inc({ method, status: TRANSITIONS.approve.to });
    return [paymentId];
  },
});
