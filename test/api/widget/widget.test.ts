// The URLs of the payment widget, and the checkout page inside of frames.
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { openSession, switchOver } from '../../support/fallback.ts';
import { create, travelUntil, webframe } from '../../support/payments.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const get = (path: string) => fetch(app.url + path, { redirect: 'manual' });
const SHORT = 'public, max-age=300';

test.each([
  ['/widget.js', 'text/javascript; charset=utf-8'],
  ['/widget.mjs', 'text/javascript; charset=utf-8'],
  ['/widget.d.ts', 'text/plain; charset=utf-8'],
  ['/widget/loader.js', 'text/javascript; charset=utf-8'],
  ['/widget/latest.json', 'application/json; charset=utf-8'],
  ['/widget/custom-elements.json', 'application/json; charset=utf-8'],
])('%s may be loaded by any origin, and is cached for five minutes', async (path, type) => {
  const { status, headers } = await get(path);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe(type);
  expect(headers.get('cache-control')).toBe(SHORT);
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
});

test.each(['script', 'module', 'loader'])(
  'the versioned file %s is cached for a year, and has the published hash',
  async (part) => {
    const { url, integrity } = (await (await get('/widget/latest.json')).json())[part];
    const answer = await get(url);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const hash = createHash('sha384').update(Buffer.from(await answer.arrayBuffer()));
    expect(`sha384-${hash.digest('base64')}`).toBe(integrity);
  },
);

test.each([
  ['/widget/0.0.9-00000000.js', '/widget.js'],
  ['/widget/12.3.4.mjs', '/widget.mjs'],
  ['/widget/0.0.9-00000000.loader.js', '/widget/loader.js'],
])('%s of an unknown release redirects to the newest release', async (path, newest) => {
  const { status, headers } = await get(path);
  expect([status, headers.get('location'), headers.get('cache-control')]).toEqual([302, newest, 'no-store']);
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
});

test.each(['/widget/', '/widget/x.js', '/widget/1.css', '/widget/1.js/x', '/widget/1%2f.js'])(
  '%s returns 404',
  async (path) => {
    expect((await get(path)).status).toBe(404);
  },
);

describe('the checkout page in a frame', () => {
  const open = async (query: string) => {
    const { clientToken } = await create(app, webframe());
    const answer = await get(`/checkout/${clientToken}?lang=pt${query}`);
    // A random token may contain the digits of the amount.
    const html = (await answer.text()).replaceAll(clientToken, 'the-token');
    return { status: answer.status, headers: answer.headers, html };
  };

  const allow = async (allowedOrigins: string[]) => {
    const { status } = await app.call(`/api/merchants/${DEMO.merchantId}`, { method: 'PUT', body: { allowedOrigins } });
    expect(status).toBe(200);
  };

  test('without the parameter `embed` forbids frames of isolated pages and names no origins', async () => {
    const { headers, html } = await open('');
    expect(headers.get('cross-origin-embedder-policy')).toBe(null);
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(html).not.toContain('"origins"');
  });

  test.each(['', '&theme=dark', '&theme=light', '&theme=auto', '&theme=%22x', '&theme=dark&theme=light'])(
    'has a security policy with the hash of its style (%s)',
    async (theme) => {
      const { headers, html } = await open(`&embed=1${theme}`);
      const style = /<style>(.*?)<\/style>/s.exec(html)![1]!;
      const policy = headers.get('content-security-policy')!;
      expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`);
      expect(policy).toContain(`frame-ancestors ${new URL(app.node.core.publicUrl).origin}`);
      expect(headers.get('cross-origin-embedder-policy')).toBe('require-corp');
      expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
      expect(html).toContain(`"origins":["${new URL(app.node.core.publicUrl).origin}"`);
    },
  );

  test.each(['', '?embed=1&theme=dark'])('for an unknown token allows any origin (%s)', async (query) => {
    const answer = await get(`/checkout/x${query}`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-security-policy')).toMatch(/frame-ancestors \*$/);
    expect(answer.headers.get('cross-origin-embedder-policy')).toBe('require-corp');
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    const framed = query && '&amp;embed=1&amp;theme=dark';
    expect(await answer.text()).toContain(`href="/checkout/x?lang=fr${framed}"`);
  });

  test.each([
    ['https://loja.example'],
    ['http://loja.example'],
    ['null'],
    ['https://www.balcao.example'],
    ['"><script>'],
    [''],
  ])('returns 403 without payment data to an element on the origin %j', async (origin) => {
    const { status, headers, html } = await open(`&embed=1&theme=dark&origin=${encodeURIComponent(origin)}`);
    expect(status).toBe(403);
    expect(headers.get('content-security-policy')).toMatch(/frame-ancestors \*$/);
    expect(headers.get('cross-origin-embedder-policy')).toBe('require-corp');
    expect(html).toContain('Este site não está autorizado a mostrar este pagamento');
    expect(html).not.toMatch(/1 ?500|id="session"|"><script>/);
    expect(html).toMatch(/<a class="button" href="\/checkout\/[\w-]+\?lang=pt" target="_top">/);
    expect(html).toContain(`&amp;embed=1&amp;theme=dark&amp;origin=${encodeURIComponent(origin)}"`);
  });

  test.each([
    ['the merchant allows', `&embed=1&origin=${encodeURIComponent('https://quadro.example')}`],
    ['is named twice', '&embed=1&origin=a&origin=b'],
    ['has no frame', `&origin=${encodeURIComponent('https://loja.example')}`],
  ])('shows the payment to an element on an origin that %s', async (_which, query) => {
    await allow(['https://quadro.example']);
    const { status, headers, html } = await open(query);
    expect(status).toBe(200);
    expect(html).toContain('id="session"');
    expect(headers.get('content-security-policy')).toMatch(/frame-ancestors https:\/\/quadro\.example( |$)/);
    await allow([new URL(app.node.core.publicUrl).origin]);
  });

  test("returns 403 for a replaced payment to an element on another merchant's origin", async () => {
    const payment = await create(app, webframe({ metadata: { allowReferenceFallback: true } }));
    const page = `/checkout/${payment.clientToken}`;
    // The simulator refuses a push to this test phone after one second.
    await app.call(`${page}/pay`, { body: { phoneNumber: '900000001' }, token: null });
    await travelUntil(app, async () => (await openSession(app, payment)).canUseReference, 'the refusal');
    expect((await switchOver(app, payment)).status).toBe(201);
    expect((await get(`${page}?embed=1`)).status).toBe(303);
    expect((await get(`${page}?embed=1&origin=https%3A%2F%2Floja.example`)).status).toBe(403);
  });

  test.each(['&embed=1&theme=dark', ''])('stays in its frame after its form is sent (%s)', async (query) => {
    const { clientToken } = await create(app, webframe());
    const page = `/checkout/${clientToken}`;
    const send = (leaf: string) =>
      fetch(`${app.url}${page}/${leaf}?lang=fr${query}`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ phoneNumber: '900000000' }),
      });
    // The second form is sent while a push is pending, and redirects to the payment.
    for (const leaf of ['pay', 'reference']) {
      const { status, headers } = await send(leaf);
      expect([leaf, status, headers.get('location')]).toEqual([leaf, 303, `${page}?lang=fr${query}`]);
      // Isolated pages accept a redirect only with this header.
      expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    }
  });
});
