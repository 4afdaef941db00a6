// Each screen of the checkout links to the shop's returnUrl or cancelUrl, or has no link.
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { CheckoutSession } from '../../../shared/checkout.ts';
import { everyState, sessionWith, withTexts } from '../../support/checkout.ts';

const built = fileURLToPath(new URL('../../../dist/ssr/render.js', import.meta.url));
const { renderCheckout } = (await import(built)) as typeof import('../../../checkout/render.tsx');

const STATES = new Map(everyState('pt'));
const PAID = 'https://loja.example/obrigado';
const UNPAID = 'https://loja.example/carrinho';

/** The texts and targets of the links from a screen to the shop. */
function readWays(name: string, part: Partial<CheckoutSession> = {}): string[] {
  const known = STATES.get(name);
  if (!known) throw new Error(`there is no state “${name}”`);
  const session = sessionWith({ ...known, returnUrl: PAID, cancelUrl: UNPAID, ...part });
  const html = renderCheckout({ session: withTexts(session), token: 'token', script: null });
  const links = html.matchAll(/<a[^>]* href="(https:\/\/loja\.example[^"]*)"[^>]*>([^<]*)<\/a>/g);
  return [...links].map(([, href, words]) => `${words}: ${href}`);
}

const back = (url: string) => [`Voltar à loja: ${url}`];
const leave = [`Voltar à loja sem pagar: ${UNPAID}`];

describe('the link of a paid, reserved or payable-later screen leads to returnUrl', () => {
  test.each([
    'paid',
    'late',
    'captured',
    'code paid',
    'authorized',
    'capturing',
    // Three payers have paid it, and the reader may be one of them.
    'code',
    'reference',
    'reference not registered yet',
    'reference paid',
    'reference paid once, payable again',
    'reference closed after payments',
    'reference paid with another amount',
  ])('%s', (name) => {
    expect(readWays(name)).toEqual(back(PAID));
    expect(readWays(name, { cancelUrl: null })).toEqual(back(PAID));
    expect(readWays(name, { returnUrl: null })).toEqual(back(UNPAID));
    expect(readWays(name, { returnUrl: null, cancelUrl: null })).toEqual([]);
  });
});

describe('the link of a screen that cannot be paid leads to cancelUrl', () => {
  test.each([
    'canceled',
    'expired',
    'exhausted',
    'exhausted, payable by reference',
    'released',
    'hold over',
    'not captured',
    'failed: timed_out',
    'reference canceled',
    'reference expired',
  ])('%s', (name) => {
    expect(readWays(name)).toEqual(back(UNPAID));
    expect(readWays(name, { cancelUrl: null })).toEqual(back(PAID));
  });
});

test.each(['pending', 'code of one', 'refused: timed_out'])(
  'the link to leave without paying leads to cancelUrl (%s)',
  (name) => {
    expect(readWays(name)).toEqual(leave);
    expect(readWays(name, { cancelUrl: null })).toEqual([`Voltar à loja sem pagar: ${PAID}`]);
  },
);

test.each(['waiting', 'window over', 'reserving', 'code over', 'code not made yet'])(
  'a screen that waits has no link to the shop (%s)',
  (name) => {
    expect(readWays(name)).toEqual([]);
  },
);
