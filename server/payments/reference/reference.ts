// Payments by reference: the payer enters entity and reference at an ATM, in the app or in internet banking.
import type { MethodModule } from '../core/method.ts';
import { closeReplacement, withdrawReplacement } from './paid-twice.ts';
import { syncReference } from './receive.ts';

export const referenceModule: MethodModule = {
  methods: [
    {
      name: 'reference',
      start: 'reference',
      orderKind: null,
      failedPush: 'decline',
      // The reference has its own expiry, so the payment has no expiry.
      read: () => ({ columns: {} }),
      sync: syncReference,
      async cancel(core, db, payment, { at, by }) {
        // References that replace no payment are canceled by their own operation.
        if (payment.status !== 'Pending' || !payment.replacesId) return null;
        await withdrawReplacement(core, db, payment, { at, by });
        return { attempt: null, isAwaited: false };
      },
    },
  ],
  orders: {},
  async afterMoney(core, { db, payment, details }) {
    if (payment.replacedById) await closeReplacement(core, db, payment.id, details);
  },
};
