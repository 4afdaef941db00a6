// Finds the reasons why no payer could pay a page, before its address is given out.
import { toDecimal } from '../../shared/money.ts';
import type { Way } from '../../shared/ways.ts';
import type { Core } from '../core.ts';
import { findMerchant } from '../merchants/find.ts';
import { buildPayment } from './create.ts';
import type { Payment } from './core/entities.ts';

/** Problem codes of these reasons; empty if one method works. */
export async function findPageObstacles(
  core: Core,
  { merchantId, amountMinor, currency, methods = null, returnUrl = null }: Page,
): Promise<string[]> {
  const merchant = await findMerchant(core, merchantId);
  const amount = toDecimal(amountMinor, currency);
  const metadata = { paymentMethod: 'webframe', methods, returnUrl } as const;
  const { faults } = buildPayment(core, merchant, { amount, currency, paymentType: 'GPO', reference: '-', metadata });
  return [...new Set(faults.map(({ code }) => code))];
}

type Page = Pick<Payment, 'merchantId' | 'amountMinor' | 'currency' | 'returnUrl'> & {
  methods?: Way[] | null | undefined;
};
