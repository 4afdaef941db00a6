// The stylesheets of the pages: the exact text of each style element, because the CSP contains its hash.
// The page of a payment gets only the styles that its method and its merchant need.
import type { Brand, CheckoutSession } from '../shared/checkout.ts';
import type { Theme } from '../shared/frame.ts';
import type { PaymentMethod } from '../shared/methods.ts';
import both from './ui/both.css?inline';
import code from './ui/code.css?inline';
import framed from './ui/framed.css?inline';
import text from './ui/page.css?inline';
import problems from './ui/problems.css?inline';
import reference from './ui/reference.css?inline';
import search from './ui/search.css?inline';

/** Removes the CSS rules for `:host`, which only the widget needs. */
export function pageOnly(css: string): string {
  return css
    .trim()
    .replace(/,:host[^{]*|:host[^{]*\{[^}]*\}/g, '')
    .replace(/@media[^{}]*\{\}/g, '');
}

/** The stylesheet of pages without a payment. */
export const styles: string = pageOnly(text);

/** The stylesheet of the pages about problems. */
export const problemStyles: string = styles + problems.trim() + search.trim();

/** Additional styles by payment method. */
const PARTS: Partial<Record<PaymentMethod, string>> = { qrcode: code.trim(), reference: reference.trim() };

/** The stylesheet of a payment's page. @param theme the widget element's theme, for a page in the widget's frame */
export function stylesOf({ method, ways, merchant: { brand } }: CheckoutSession, theme?: Theme | null): string {
  const own = brandOf(brand);
  const part = ways ? code.trim() + both.trim() : (PARTS[method] ?? '');
  const all = styles + part + own;
  return theme ? dressFrame(all, theme) : all;
}

/** A merchant's own colours as CSS variables. */
export function brandOf(brand: Brand | null): string {
  const colors = Object.entries(brand ?? {}).map(([name, color]) => `--brand-${name}:${color}`);
  return brand ? `:root{${colors.join(';')}}` : '';
}

/** Media conditions for a fixed theme: `light` makes dark styles never apply, `dark` makes them always apply. */
const IS_DARK: Partial<Record<Theme, string>> = { light: '(max-width:0)', dark: '(min-width:0)' };

function dressFrame(all: string, theme: Theme): string {
  const isDark = IS_DARK[theme];
  if (!isDark) return all + framed.trim();
  const dressed = all.replace(/\(prefers-color-scheme: *dark\)/g, isDark);
  return `${dressed}${framed.trim()}:root{color-scheme:${theme}}`;
}
