// "Pay by reference instead": the payer's rule for a replacement by reference (payments/replace.ts).
import { DAY_MS } from '../../shared/durations.ts';
import type { Core } from '../core.ts';
import { Problem } from '../http/problem.ts';
import type { Merchant } from '../merchants/entities.ts';
import { findMerchant } from '../merchants/find.ts';
import { findPpr, listPayableMethods } from '../payments/core/account.ts';
import { findPayerOf, findPayment, lockPayment } from '../payments/core/rows.ts';
import type { Payment } from '../payments/core/entities.ts';
import { idOfReplacement, insertReferenceReplacement, isReplaced, replacedBy } from '../payments/replace.ts';
import type { PprAccount } from '../rails/rail.ts';

/** The lifetime of a replacement from a payment link. Three days, because it reserves one of the link's uses. */
const LINK_MS = 3 * DAY_MS;

/**
 * Replaces a refused webframe payment by a payment by reference, once.
 * @returns the id of the payment that is payable now, also after a second tap
 * @throws Problem not_found, payment_in_progress, payment_not_payable, reference_not_offered, references_exhausted
 */
export async function replaceByReference(core: Core, paymentId: string): Promise<string> {
  const asRead = await findPayment.first(core, { id: paymentId });
  if (!asRead) throw new Problem('not_found');
  if (isReplaced(asRead)) return asRead.replacedById;
  const merchant = await findMerchant(core, asRead.merchantId);
  const made = insertReferenceReplacement(core, {
    merchant,
    account: checkReplaceable(core, merchant, asRead),
    keyed: null,
    by: {},
    // A push, an approval, an expiry or a cancel may have changed the payment.
    async lock(db) {
      const payment = await lockPayment.one(db, { id: paymentId });
      if (isReplaced(payment)) throw replacedBy(payment.replacedById);
      checkReplaceable(core, merchant, payment);
      return payment;
    },
    async describe(db, payment) {
      const { linkId = null, createdByKind = null, createdById = null, shiftId = null } = payment;
      const expiryDate = linkId ? new Date(core.clock.now().getTime() + LINK_MS) : null;
      return {
        payer: await findPayerOf(db, payment),
        columns: { linkId, createdByKind, createdById, shiftId },
        expiryDate,
      };
    },
  });
  return made.then(({ payment }) => payment.id, idOfReplacement);
}

/**
 * True if the payer may pay by reference now.
 * A page that offers references allows the replacement immediately, other pages only after a refused push.
 * False after received money or during a push. Null if the payment can never be replaced.
 */
export function canReplace(
  core: Pick<Core, 'rails' | 'clock'>,
  merchant: Pick<Merchant, 'entity' | 'checkoutMethods'>,
  payment: Payment,
): boolean | null {
  const { allowReferenceFallback, status, failureCode, flags } = payment;
  const isWay = listPayableMethods(core, merchant, payment).includes('reference');
  if (!isWay && !(allowReferenceFallback && findPpr(core, merchant, payment))) return null;
  return status === 'Pending' && (isWay || !!failureCode) && flags.length === 0 && !isOver(core, payment);
}

function checkReplaceable(core: Core, merchant: Merchant, payment: Payment): PprAccount {
  const account = canReplace(core, merchant, payment) && findPpr(core, merchant, payment);
  if (account) return account;
  if (payment.status === 'Processing') throw new Problem('payment_in_progress');
  const isOpen = payment.status === 'Pending' && !isOver(core, payment);
  throw new Problem(isOpen ? 'reference_not_offered' : 'payment_not_payable');
}

function isOver({ clock }: Pick<Core, 'clock'>, { expiresAt }: Payment): boolean {
  return !!expiresAt && expiresAt <= clock.now();
}
