// A payment before anything happened to it.
import { v7 as uuid } from 'uuid';
import type { Payment } from './entities.ts';
import { methodOf } from './method.ts';
import { FIRST_STATUS } from './states.ts';

type Given = Pick<Payment, 'merchantId' | 'reference' | 'amountMinor' | 'currency' | 'paymentType' | 'paymentMethod'> &
  Pick<Payment, 'createdAt'>;

/** A payment in its method's first status, with the given columns; every other column is empty. */
export function makePayment(given: Given & Partial<Payment>): Payment {
  return {
    id: uuid(),
    status: FIRST_STATUS[methodOf(given).start],
    revision: 1,
    description: null,
    customMetadata: null,
    searchTerms: null,
    phone: null,
    payerTaxId: null,
    provider: null,
    gpoMerchantId: null,
    gpoPosId: null,
    returnUrl: null,
    cancelUrl: null,
    allowReferenceFallback: false,
    checkoutMethods: null,
    replacedById: null,
    replacesId: null,
    linkId: null,
    authorizationId: null,
    authorizedMinor: null,
    capturedMinor: null,
    operation: null,
    operationId: null,
    qrContent: null,
    qrDeeplink: null,
    qrSize: null,
    qrType: null,
    maxTransactions: null,
    acceptedCount: 0,
    late: false,
    amountPaidMinor: 0,
    refundedMinor: 0,
    flags: [],
    failureCode: null,
    attemptsMade: 0,
    completedAt: null,
    expiresAt: null,
    dueAt: null,
    dueCount: 0,
    referenceClaim: null,
    ...given,
  };
}
