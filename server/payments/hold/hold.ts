// Authorizations and captures: the rail reserves money first, and the merchant takes it later.
import { leaseMs } from '../../jobs/schedule.ts';
import { recordMoney, refusePush } from '../core/apply-outcome.ts';
import { gpoOrder } from '../core/gpo-order.ts';
import type { Method, MethodModule } from '../core/method.ts';
import { checkPhone, pushOrder, readPhone } from '../core/push-order.ts';
import { findCreatingAttempt } from '../core/rows.ts';
import { closePending } from '../core/states.ts';
import { insertVoid, voidOrder } from '../core/void.ts';
import {
  claimHold,
  closeCaptured,
  recordHold,
  recordVoided,
  recordVoidRefused,
  releaseClaim,
} from './authorization.ts';
import { insertCapture } from './capture.ts';

const authorization: Method = {
  name: 'authorization',
  start: 'push',
  orderKind: 'authorization',
  failedPush: 'decline',
  check: checkPhone,
  // The rail's reservation sets the expiry.
  read: (metadata) => ({ columns: readPhone(metadata) }),
  async expire(db, payment, at) {
    if (payment.status === 'Pending') return closePending(db, payment, 'expire', at);
    // The hold is claimed first. The payment becomes Expired after the rail has released the hold.
    const { id } = await insertVoid(db, payment, at, at);
    await claimHold(db, payment.id, 'voiding', id);
  },
  async cancel(core, db, payment, { at, by }) {
    if (payment.status !== 'Authorized') return null;
    const attempt = await insertVoid(db, payment, at, new Date(at.getTime() + leaseMs(core.config)));
    await claimHold(db, payment.id, 'voiding', attempt.id, by);
    return { attempt, isAwaited: true };
  },
  voided: recordVoided,
  voidRefused: recordVoidRefused,
};

const capture: Method = {
  name: 'capture',
  start: 'capture',
  orderKind: 'capture',
  failedPush: 'decline',
  check: ({ authorizationId }) =>
    authorizationId == null || authorizationId === ''
      ? [{ pointer: '/metadata/authorizationId', code: 'required' }]
      : [],
  read: ({ authorizationId }) => ({ columns: { authorizationId: authorizationId?.toLowerCase() ?? null } }),
  write: insertCapture,
};

export const holdModule: MethodModule = {
  methods: [authorization, capture],
  orders: {
    authorization: pushOrder((_core, context) => recordHold(context)),
    capture: gpoOrder({
      async build(core, { payment, attempt }, bill) {
        const id =
          attempt.makerId ?? (await findCreatingAttempt(core, payment.authorizationId ?? '', 'authorization')).id;
        return { ...bill, kind: 'capture', authorizationId: id };
      },
      approved: (core, context) =>
        recordMoney(core, context, async (money) => {
          if (context.authorization) await closeCaptured(context, context.authorization, money);
        }),
      async refused(core, context, failureCode, details) {
        if (context.authorization) await releaseClaim(context, context.authorization);
        return refusePush(core, context, failureCode, details);
      },
    }),
    void: voidOrder,
  },
};
