// Limits for one IP address, person or client: unpaid payments of a link's stock, streams, and mails.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type CallOptions, type TestApp } from '../../support/app.ts';
import { createLink, readLink, sendForm, type Link } from '../../support/links.ts';
import { addMember, type Member } from '../../support/members.ts';
import { openStream } from '../../support/stream.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({
    env: { RATE_LIMIT_PUBLIC: '70', STREAMS_PER_PAYMENT: '4', TRUSTED_PROXIES: '127.0.0.1' },
  });
});

/** Calls the app from this IP address, which a trusted proxy reports. */
const from = (address: string): Pick<TestApp, 'call'> => ({
  call: (path: string, { headers, ...options }: CallOptions = {}) =>
    app.call(path, { ...options, headers: { 'x-forwarded-for': address, ...headers } }),
});

describe('one IP address', () => {
  const begin = async (link: Link, address: string, times: number) => {
    const statuses = [];
    for (let nth = 0; nth < times; nth++) statuses.push((await sendForm(from(address), link)).status);
    return statuses.filter((status) => status === 303).length;
  };

  test.each([
    { stock: 50, held: 10 },
    { stock: 6, held: 3 },
    { stock: 2, held: 1 },
    { stock: 1, held: 1 },
  ])('can hold at most $held of a stock of $stock with unpaid payments', async ({ stock, held }) => {
    const link = await createLink(app, { stock });
    expect(await begin(link, `203.0.113.${stock}`, held + 2)).toBe(held);
    expect((await readLink(app, link))['openPayments']).toBe(held);
    expect(await begin(link, `198.51.100.${stock}`, 1)).toBe(stock > 1 ? 1 : 0);
  });

  test('can create any number of payments of a link without stock', async () => {
    expect(await begin(await createLink(app), '203.0.113.100', 5)).toBe(5);
  });

  test('can create another payment after it cancels one', async () => {
    const link = await createLink(app, { stock: 2 });
    expect(await begin(link, '203.0.113.101', 2)).toBe(1);
    const [{ payment_id: id }] = await app.sql('select payment_id from link_payments where link_id = $1', [link.id]);
    expect((await app.call(`/api/payments/${id}/cancel`, { method: 'POST' })).status).toBe(200);
    expect(await begin(link, '203.0.113.101', 1)).toBe(1);
  });

  test('is stored only as a keyed hash', async () => {
    const link = await createLink(app, { stock: 2 });
    await begin(link, '203.0.113.102', 1);
    const [{ row }] = await app.sql('select l::text as row from link_payments l where link_id = $1', [link.id]);
    expect(row).not.toContain('203.0.113.102');
  });

  test('can trigger at most 60 mails an hour over all endpoints', async () => {
    const stranger = from('203.0.113.200');
    const register = (nth: number) => ({
      email: `stranger-${nth}@exemplo.ao`,
      password: 'mulemba kitanda roxo 57',
      firstName: 'Ana',
      lastName: 'Neto',
    });
    const order = async (nth: number) => {
      const { email } = register(nth);
      const form = { token: null, headers: { 'content-type': 'application/x-www-form-urlencoded' } };
      const ways = [
        () => stranger.call('/api/auth/register', { body: register(nth), token: null }),
        () => stranger.call('/api/auth/recover', { body: { email }, token: null }),
        () => stranger.call('/api/auth/verify-email/resend', { body: { email }, token: null }),
        () => stranger.call('/account/recover', { ...form, body: new URLSearchParams({ email }).toString() }),
      ];
      return ways[nth % ways.length]!();
    };
    const statuses = [];
    for (let nth = 0; nth < 60; nth++) statuses.push((await order(nth)).status);
    expect(statuses.filter((status) => status >= 400)).toEqual([]);
    for (let nth = 60; nth < 64; nth++) {
      const { status, headers } = await order(nth);
      expect(status).toBe(429);
      expect(headers.get('ratelimit-policy')).toBe('"mail";q=60;w=3600');
    }
    const [{ count }] = await app.sql(`select count(*)::int from users where email like 'stranger-6%'`);
    expect(count).toBe(0);
    // Other endpoints still accept requests from this IP address.
    expect((await stranger.call('/.well-known/jwks.json', { token: null })).status).toBe(200);
    expect((await from('203.0.113.201').call('/api/auth/recover', { body: register(0), token: null })).status).toBe(
      200,
    );
  });
});

describe('a member of a merchant', () => {
  let merchantId: string;
  let token: string;
  let viewer: Member;
  beforeAll(async () => {
    ({ merchantId, token } = await app.addMerchant());
    viewer = await addMember(app, { merchantId, role: 'Viewer' });
  });

  test("may open one event stream, so that colleagues and the merchant's client get the others", async () => {
    const url = `${app.url}/api/events/stream?after=now`;
    const open = (bearer: string) => openStream(url, { authorization: `Bearer ${bearer}` });
    const first = await open(await viewer.token());
    // The second session of the same person has the same limit.
    const second = await open(await viewer.token());
    const colleague = await open(await (await addMember(app, { merchantId, role: 'Viewer' })).token());
    const shop = [await open(token), await open(token), await open(token)];
    const streams = [first, second, colleague, ...shop];
    expect(streams.map(({ status }) => status)).toEqual([200, 503, 200, 200, 200, 503]);
    first.close();
    for (;;) {
      const again = await open(await viewer.token());
      again.close();
      if (again.status === 200) break;
    }
    for (const each of streams) each.close();
  });
});
