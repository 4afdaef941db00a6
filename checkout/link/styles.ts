// The stylesheet of a link's page: the exact text of the style element, because the CSP contains its hash.
import type { Brand } from '../../shared/checkout.ts';
import { brandOf, pageOnly } from '../styles.ts';
import text from './link.css?inline';

export const styles: string = pageOnly(text);

/** The stylesheet of a link's page, with the merchant's colour. */
export function stylesOf(brand: Brand | null): string {
  return styles + brandOf(brand);
}
