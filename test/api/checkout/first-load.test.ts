// What a payer's first visit moves over the line, for the browsers that there are.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { create, webframe } from '../../support/payments.ts';
import { fetchBytes } from '../../support/raw.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

/** As browsers say it. */
const CHROME = 'gzip, deflate, br, zstd';

async function load(accept: string) {
  const { clientToken } = await create(app, webframe());
  const page = await fetchBytes(`${app.url}/checkout/${clientToken}`, { 'accept-encoding': accept });
  const plain = await app.call(`/checkout/${clientToken}`, { token: null, headers: { 'accept-encoding': 'identity' } });
  const script = /<script type="module" src="([^"]+)"/.exec(plain.text)?.[1] ?? '';
  return { page, script: await fetchBytes(app.url + script, { 'accept-encoding': accept }) };
}

describe('page and script come', () => {
  test.each([
    [CHROME, 'br'],
    ['gzip, deflate, br', 'br'],
    ['br;q=1.0, gzip;q=0.8, *;q=0.1', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['deflate', undefined],
    ['identity', undefined],
  ])('to a browser that says %s in %s', async (accept, encoding) => {
    const { page, script } = await load(accept);
    expect([page, script].map(({ headers }) => headers['content-encoding'])).toEqual([encoding, encoding]);
    expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });
});
