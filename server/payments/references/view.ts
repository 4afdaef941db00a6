// A reference as the API shows it (interface.md "PPR reference response"), with what decisions §4 adds.
import { z } from 'zod';
import { toMajor } from '../../../shared/money.ts';
import { REFERENCE_STATUSES, REFERENCE_TYPES } from '../../../shared/reference.ts';
import { PAYMENT_STATUSES } from '../../../shared/status.ts';
import type { Core } from '../../core.ts';
import { clientTokenOf } from '../token.ts';
import { time, viewCustom, viewCustomer } from '../view.ts';
import type { Pair } from './build.ts';

/** `status` is the payment's, `referenceStatus` says whether it can (still) be paid. */
export function viewReference(core: Pick<Core, 'keyring' | 'publicUrl'>, { payment, reference }: Pair) {
  const clientToken = clientTokenOf(core.keyring, payment.id);
  return {
    // Before anything of the merchant's own: replays look for it.
    internalId: payment.id,
    reference: reference.reference,
    entity: reference.entity,
    amount: toMajor(payment.amountMinor, payment.currency),
    currency: payment.currency,
    referenceType: reference.type,
    status: payment.status,
    referenceStatus: reference.status,
    amountPaid: toMajor(payment.amountPaidMinor, payment.currency),
    flags: payment.flags,
    expiresAt: reference.expiresAt,
    createdAt: reference.createdAt,
    registeredAt: reference.registeredAt ?? null,
    description: payment.description ?? null,
    ...viewCustomer(reference),
    contract: reference.contract,
    checkoutUrl: `${core.publicUrl}/checkout/${clientToken}`,
    clientToken,
    customMetadata: viewCustom(payment.customMetadata),
  };
}

/** Answer of creation, lookup, list and cancel. */
export const pprReference = z
  .object({
    internalId: z.uuid().describe('Of its payment'),
    reference: z.string(),
    entity: z.string(),
    amount: z.number().describe('0: the payer chooses'),
    currency: z.string(),
    referenceType: z.enum(REFERENCE_TYPES),
    status: z.enum(PAYMENT_STATUSES).describe('Of the payment'),
    referenceStatus: z.enum(REFERENCE_STATUSES).describe('Whether it can be paid: only Pending can'),
    amountPaid: z.number().describe('Sum of what was received'),
    flags: z.array(z.string()).describe('amount_mismatch, overpaid'),
    expiresAt: time,
    createdAt: time,
    registeredAt: time.nullable().describe('Since when the provider knows it; payable from then on'),
    description: z.string().nullable(),
    customerEmail: z.string().nullable(),
    customerName: z.string().nullable(),
    customerTelephone: z.string().nullable(),
    documentNumber: z.string().nullable(),
    contract: z.enum(['current', 'legacy']).describe('legacy: payments bring no callback'),
    checkoutUrl: z.url(),
    clientToken: z.string(),
    customMetadata: z.looseObject({}).nullable(),
  })
  .meta({ id: 'PprReference' });
