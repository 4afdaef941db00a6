// A merchant as its payers see it.
import { readBrand } from '../../shared/brand.ts';
import type { CheckoutSession } from '../../shared/checkout.ts';
import { noticePathOf } from '../../shared/notice.ts';
import type { Merchant } from '../merchants/entities.ts';

/** Who is paid, as every page on which one pays shows it. */
export function viewPayee({ id, name, brandColor, brandLogo }: Merchant): CheckoutSession['merchant'] {
  return { name, brand: readBrand(brandColor), hasLogo: !!brandLogo, noticePath: noticePathOf(id) };
}
