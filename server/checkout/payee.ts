// The merchant's name, brand and logo for payers.
import { readBrand } from '../../shared/brand.ts';
import type { CheckoutSession } from '../../shared/checkout.ts';
import { noticePathOf } from '../../shared/notice.ts';
import type { Merchant } from '../merchants/entities.ts';

/** The merchant as the payment pages show it. */
export function viewPayee({ id, name, brandColor, brandLogo }: Merchant): CheckoutSession['merchant'] {
  return { name, brand: readBrand(brandColor), hasLogo: !!brandLogo, noticePath: noticePathOf(id) };
}
