// An order to the payer's phone: a purchase or an authorization. The payment method decides what an approval means.
import { normalizePhone } from '../../../shared/phone.ts';
import type { Fault } from '../../http/problem.ts';
import { notifyUrlOf, walletOf } from './account.ts';
import { refusePush } from './apply-outcome.ts';
import { gpoOrder } from './gpo-order.ts';
import type { Order, RequestMetadata } from './method.ts';

export function pushOrder(approved: Order['approved']): Order {
  return gpoOrder({
    async build(core, { payment, attempt }, bill) {
      const { kind, phone } = attempt;
      if ((kind !== 'purchase' && kind !== 'authorization') || !phone)
        throw new Error(`attempt ${attempt.id} has no phone`);
      const ours = { paymentId: payment.id, merchantId: payment.merchantId, reference: payment.reference };
      return { ...bill, ours, kind, phone, wallet: walletOf(payment), notifyUrl: await notifyUrlOf(core, attempt) };
    },
    approved,
    refused: refusePush,
  });
}

/** Checks that a push at creation has a phone number. */
export function checkPhone({ phoneNumber }: Record<string, unknown>): Fault[] {
  const pointer = '/metadata/phoneNumber';
  if (phoneNumber == null || phoneNumber === '') return [{ pointer, code: 'required' }];
  return typeof phoneNumber === 'string' && !normalizePhone(phoneNumber) ? [{ pointer, code: 'invalid_phone' }] : [];
}

export function readPhone({ phoneNumber }: RequestMetadata) {
  return { phone: normalizePhone(phoneNumber ?? ''), attemptsMade: 1 };
}
