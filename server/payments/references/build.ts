// What a reference's creation asks for becomes a payment and its reference, not yet written.
import { v7 as uuid } from 'uuid';
import type { Core } from '../../core.ts';
import { pprLeaseMs } from '../../jobs/schedule.ts';
import type { Fault } from '../../http/problem.ts';
import type { Merchant } from '../../merchants/entities.ts';
import { checkCurrency, checkOrigins, makePayment } from '../build.ts';
import { PPR_CURRENCIES } from '../../providers/registry.ts';
import type { Payment } from '../entities.ts';
import { addMonths } from './calendar.ts';
import type { Reference, ReferenceContract } from '../entities.ts';
import type { ReferenceRequest } from './schemas.ts';
import { FIRST_REFERENCE_STATUS } from './states.ts';

/** A payment and its reference, as they are written together. */
export type Pair = { payment: Payment; reference: Reference };

/** Charging references last until then (decisions §4). */
const END_OF_2099 = new Date('2099-12-31T23:59:59.000Z');

/** What the schema cannot know: the merchant's origins, the currency of the rail. */
export function checkRequest(core: Core, merchant: Merchant, request: ReferenceRequest): Fault[] {
  return [...checkCurrency(core, request.currency, PPR_CURRENCIES), ...checkOrigins(merchant, request)];
}

/** @param digits the request's own or generated ones. `isAlone`: whoever creates it tells the rail at once. */
export function buildPair(
  core: Core,
  merchant: Merchant,
  request: ReferenceRequest,
  { digits, contract, isAlone }: { digits: string; contract: ReferenceContract; isAlone: boolean },
): Pair {
  const createdAt = core.clock.now();
  const expiresAt = request.expiryDate ?? (request.type === 'Charging' ? END_OF_2099 : addMonths(createdAt, 1));
  const payment = makePayment({
    merchantId: merchant.id,
    reference: digits,
    amountMinor: request.amountMinor,
    currency: request.currency,
    paymentType: 'PPR',
    paymentMethod: 'reference',
    description: request.description,
    customMetadata: request.custom ? JSON.stringify(request.custom) : null,
    returnUrl: request.returnUrl,
    cancelUrl: request.cancelUrl,
    createdAt,
    expiresAt,
  });
  const reference: Reference = {
    id: uuid(),
    paymentId: payment.id,
    merchantId: merchant.id,
    entity: merchant.entity ?? '',
    reference: digits,
    type: request.type,
    contract,
    status: FIRST_REFERENCE_STATUS,
    customerEmail: request.customerEmail,
    customerName: request.customerName,
    customerTelephone: request.customerTelephone,
    documentNumber: request.documentNumber,
    createdAt,
    expiresAt,
    closedAt: null,
    registeredAt: null,
    withdrawnAt: null,
    railFault: null,
    // A crash before the rail was told is made good by the due rows.
    dueAt: isAlone ? new Date(createdAt.getTime() + pprLeaseMs(core.config)) : createdAt,
    dueCount: 0,
  };
  return { payment, reference };
}
