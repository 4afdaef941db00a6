// Payments by reference: the payer enters entity and reference at an ATM, in the app or in internet banking.
import type { MethodModule } from '../core/method.ts';
import { findByPayment } from '../core/rows.ts';
import { syncReference } from './receive.ts';
import { closeReference, setReferenceDue } from './states.ts';

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
      async cancel(core, db, payment, { at, by, cause = {} }) {
        // References outside of a replacement are canceled by their own operation.
        const isOfReplacement = payment.replacesId || cause.replacedBy;
        if (payment.status !== 'Pending' || !isOfReplacement) return null;
        const reference = await findByPayment.one(db, { paymentId: payment.id });
        await closeReference(core, db, { payment, reference }, 'cancel', { at, by, details: cause });
        // The due-row job withdraws the reference at the rail immediately.
        await setReferenceDue.run(db, { id: reference.id, dueAt: at });
        db.afterCommit?.(() => core.jobs.wake('payment_references'));
        return { attempt: null, isAwaited: false };
      },
    },
  ],
  orders: {},
};
