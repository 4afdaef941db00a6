// Settles holds that were reserved, and captures whose money came, as they were asked for: those of the same moment in one statement.
import { v7 as uuid } from 'uuid';
import { counts } from '../../counts.ts';
import { announceEvents } from '../../events/record.ts';
import { HOLD_MS } from '../methods.ts';
import { moneyOf, settleBy, type SettledAttempt } from '../settle-together.ts';
import { TRANSITIONS } from '../states.ts';
import { SETTLE_CAPTURES, SETTLE_HOLDS } from './settle.sql.ts';

export const settleHold = settleBy<SettledAttempt>({
  statement: SETTLE_HOLDS,
  rowOf: ({ id, via }, at) => ({
    expires_at: new Date(at.getTime() + HOLD_MS),
    event_id: uuid(),
    about: { attemptId: id, via },
  }),
  announce(core, { merchantId, paymentId, toWebhooks }) {
    announceEvents(core, { merchantId, paymentId, toWebhooks, toCallback: false });
    counts.payments.inc({ method: 'authorization', status: TRANSITIONS.reserve.to });
    return [paymentId];
  },
});

export const settleCapture = settleBy<SettledAttempt & { authorizationId: string }>({
  statement: SETTLE_CAPTURES,
  rowOf: (approved, at) => ({ ...moneyOf(approved, at), held_event_id: uuid() }),
  announce(core, { merchantId, paymentId, authorizationId, toWebhooks }) {
    for (const id of [paymentId, authorizationId])
      announceEvents(core, { merchantId, paymentId: id, toWebhooks, toCallback: false });
    counts.payments.inc({ method: 'capture', status: TRANSITIONS.approve.to });
    counts.payments.inc({ method: 'authorization', status: TRANSITIONS.capture.to });
    return [paymentId, authorizationId];
  },
});
