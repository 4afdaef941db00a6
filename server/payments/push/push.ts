// Payments by push: the payer confirms the payment on the phone.
// The hosted page requests the phone number. A one-time purchase has it at creation.
import { recordMoney } from '../core/apply-outcome.ts';
import type { Method, MethodModule } from '../core/method.ts';
import { checkPhone, pushOrder, readPhone } from '../core/push-order.ts';
import { closePending } from '../core/states.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';

const PAGE_MINUTES = 30;

/**
 * A hosted page: the payer enters a phone number.
 * After a refused push, the payer may try again until the page expires.
 */
const webframe: Method = {
  name: 'webframe',
  start: 'checkout',
  orderKind: 'purchase',
  failedPush: 'reopen',
  read: ({ expiresInMinutes, allowReferenceFallback, methods }, createdAt) => ({
    columns: {
      allowReferenceFallback: allowReferenceFallback === true,
      checkoutMethods: methods ?? null,
      expiresAt: new Date(createdAt.getTime() + (expiresInMinutes ?? PAGE_MINUTES) * MINUTE_MS),
    },
  }),
  async cancel(_core, db, payment, { at, by, cause }) {
    if (payment.status !== 'Pending') return null;
    await closePending(db, payment, 'cancel', at, by, cause);
    return { attempt: null, isAwaited: false };
  },
};

/** A one-time purchase: one push at creation, and one outcome. */
const onetimepurchase: Method = {
  name: 'onetimepurchase',
  start: 'push',
  orderKind: 'purchase',
  failedPush: 'decline',
  check: checkPhone,
  read: (metadata) => ({ columns: readPhone(metadata) }),
};

export const pushModule: MethodModule = {
  methods: [webframe, onetimepurchase],
  orders: { purchase: pushOrder(recordMoney) },
};
