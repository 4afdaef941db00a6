// A merchant's brand on its checkout: the colour in the style sheet, and the logo as an image without scripts.
import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { readBrand } from '../../../shared/brand.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { webframe } from '../../support/payments.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const LOGO = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Creates a payment of a merchant with this brand. Returns a function that requests a path of the checkout. */
async function createFor({ color = null, logo = null }: { color?: string | null; logo?: string | null }) {
  const { merchantId, token } = await app.addMerchant();
  await app.sql('update merchants set brand_color = $2, brand_logo = $3 where id = $1', [merchantId, color, logo]);
  const { json } = await app.call('/api/payments', { body: webframe(), token });
  const read = (leaf = '') => fetch(`${app.url}/checkout/${json.clientToken}${leaf}`);
  return { merchantId, read };
}

const asLogo = (bytes: Buffer, type = 'image/png') => `data:${type};base64,${bytes.toString('base64')}`;

test('the style sheet of the page has legible shades of the brand colour, and the policy its hash', async () => {
  const { read } = await createFor({ color: '#f5b301' });
  const reply = await read();
  const text = await reply.text();
  const [, css = ''] = /<style>(.*?)<\/style>/s.exec(text) ?? [];
  expect(css).toMatch(
    /:root\{--brand-light:#[0-9a-f]{6};--brand-dark:#f5b301;--brand-fill:#f5b301;--brand-letters:#1b1a17\}$/,
  );
  expect(css).not.toContain('--brand-light:#f5b301');
  const hash = createHash('sha256').update(css).digest('base64');
  expect(reply.headers.get('content-security-policy')).toContain(`style-src 'sha256-${hash}'`);
  const { merchant } = (await (await read('/session')).json()) as { merchant: object };
  expect(merchant).toEqual({
    name: 'Outra Loja',
    brand: readBrand('#f5b301'),
    hasLogo: false,
    noticePath: expect.any(String),
  });
});

test('GET …/logo returns the logo as an image without scripts that any page may show', async () => {
  const { read } = await createFor({ logo: asLogo(LOGO) });
  const reply = await read('/logo');
  expect(reply.status).toBe(200);
  expect(Buffer.from(await reply.arrayBuffer())).toEqual(LOGO);
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'content-type': 'image/png',
    'cache-control': 'private, max-age=3600',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  });
  const page = await (await read()).text();
  expect(page).toMatch(/<img class="logo" src="\/checkout\/[^"]+\/logo\?lang=pt" alt decoding="async"\/>/);
  expect(page).not.toContain('data:image/png');
});

test.each(['image/jpeg', 'image/webp'])('GET …/logo returns a logo of the type %s', async (type) => {
  const { read } = await createFor({ logo: asLogo(LOGO, type) });
  expect((await read('/logo')).headers.get('content-type')).toBe(type);
});

test('GET …/logo returns 404 if the merchant has no logo, and the page has no link to it', async () => {
  const { read } = await createFor({});
  const reply = await read('/logo');
  expect([reply.status, reply.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
  expect(await (await read()).text()).not.toContain('class="logo"');
});
