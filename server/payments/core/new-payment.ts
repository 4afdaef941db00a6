// Builds a new payment before its first event.
import { v7 as uuid } from 'uuid';
import { propertiesOf } from '../../database/columns.ts';
import { PaymentSchema, type Payment } from './entities.ts';
import { methodOf } from './method.ts';
import { FIRST_STATUS } from './states.ts';

type NewPaymentFields = Pick<
  Payment,
  'merchantId' | 'reference' | 'amountMinor' | 'currency' | 'paymentType' | 'paymentMethod'
> &
  Pick<Payment, 'createdAt'>;

const EMPTY = Object.fromEntries(
  propertiesOf(PaymentSchema).map(({ property }) => [property, null]),
) as object as Payment;

/** Returns a payment in the first status of its method, with the given columns. All other columns are empty. */
export function makePayment(given: NewPaymentFields & Partial<Payment>): Payment {
  return {
    ...EMPTY,
    id: uuid(),
    status: FIRST_STATUS[methodOf(given).start],
    revision: 1,
    allowReferenceFallback: false,
    acceptedCount: 0,
    late: false,
    amountPaidMinor: 0,
    refundedMinor: 0,
    flags: [],
    attemptsMade: 0,
    dueCount: 0,
    ...given,
  };
}
