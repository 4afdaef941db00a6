// The stylesheet of a link's page, as the exact text that its CSP hash is made of.
import type { Brand } from '../../shared/checkout.ts';
import { brandOf, pageOnly } from '../styles.ts';
import text from './link.css?inline';

export const styles: string = pageOnly(text);

/** With its merchant's colour. */
export function stylesOf(brand: Brand | null): string {
  return styles + brandOf(brand);
}
