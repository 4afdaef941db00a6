// The stylesheet of the pages, as the exact text that their CSP hash is made of: what a payment's method and merchant need.
import type { Brand, CheckoutSession } from '../shared/checkout.ts';
import type { Theme } from '../shared/frame.ts';
import type { PaymentMethod } from '../shared/methods.ts';
import both from './ui/both.css?inline';
import code from './ui/code.css?inline';
import framed from './ui/framed.css?inline';
import text from './ui/page.css?inline';
import problems from './ui/problems.css?inline';
import reference from './ui/reference.css?inline';

/** What is said of the widget's own root is not for pages. */
export function pageOnly(css: string): string {
  return css
    .trim()
    .replace(/,:host[^{]*|:host[^{]*\{[^}]*\}/g, '')
    .replace(/@media[^{}]*\{\}/g, '');
}

/** What pages without a payment carry. */
export const styles: string = pageOnly(text);

/** What the pages about problems carry. */
export const problemStyles: string = styles + problems.trim();

/** What is needed by one method's pages only. */
const PARTS: Partial<Record<PaymentMethod, string>> = { qrcode: code.trim(), reference: reference.trim() };

/** What a payment's page carries. In a frame the element around it says whether it is light or dark there. */
export function stylesOf({ method, ways, merchant: { brand } }: CheckoutSession, theme?: Theme | null): string {
  const own = brandOf(brand);
  const part = ways ? code.trim() + both.trim() : (PARTS[method] ?? '');
  const all = styles + part + own;
  return theme ? dressFrame(all, theme) : all;
}

/** A merchant's own colour. */
export function brandOf(brand: Brand | null): string {
  return brand ? `:root{--brand-light:${brand.light};--brand-dark:${brand.dark}}` : '';
}

/** Whether it is dark in a frame of each theme, as a condition in the place of the device's. */
const IS_DARK: Partial<Record<Theme, string>> = { light: '(max-width:0)', dark: '(min-width:0)' };

function dressFrame(all: string, theme: Theme): string {
  const isDark = IS_DARK[theme];
  if (!isDark) return all + framed.trim();
  const dressed = all.replace(/\(prefers-color-scheme: *dark\)/g, isDark);
  return `${dressed}${framed.trim()}:root{color-scheme:${theme}}`;
}
