// Access through a checkout's URL: reads, forms of other websites, API calls, the log, and guessed tokens.
import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { beforeAll, describe, expect, test } from 'vitest';
import { LOOPBACK_ORIGINS } from '../../../shared/origins.ts';
import { needsToken } from '../../../server/http/route.ts';
import { startTestApp, type CallOptions, type Reply, type TestApp } from '../../support/app.ts';
import { approved, declined, notify, NOTIFY_ENV, PENDING_PHONE, untilSent } from '../../support/notify.ts';
import { create, travelToStatus, webframe } from '../../support/payments.ts';
import { byReference, untilRegistered } from '../../support/ppr.ts';
import { createCode } from '../../support/qrcodes.ts';
import { readEverything, readSettled } from '../../support/rows.ts';

const SHOP = 'https://loja.example';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

let app: TestApp;
let log = '';
beforeAll(async () => {
  const stream = new PassThrough();
  stream.on('data', (chunk) => (log += chunk));
  app = await startTestApp({ env: NOTIFY_ENV, logTo: stream });
  await app.sql('update merchants set return_origins = return_origins || $1::text', [SHOP]);
});

type Visit = { method: string; path: string; options?: CallOptions };

const phone = { phoneNumber: PENDING_PHONE };

/** The paths of all declared checkout routes. */
function listPaths(token: string): string[] {
  const declared = app.node.app.routes.filter(({ access }) => access.kind === 'clientToken');
  expect(declared.length).toBeGreaterThan(5);
  return [...new Set(declared.map(({ path }) => path.replace('{clientToken}', token)))];
}

/** Sends a request and reads only the headers of the response, because a stream has no end. */
async function visit({ method, path, options }: Visit): Promise<Response> {
  const ended = new AbortController();
  const init = { method, redirect: 'manual', signal: ended.signal, ...options } as RequestInit;
  const response = await fetch(app.url + path, init);
  ended.abort();
  return response;
}

/** A request to each path by a page, a script and a form. */
function listVisits(token: string): Visit[] {
  const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(phone) };
  const form = { headers: { ...FORM, accept: 'text/html' }, body: new URLSearchParams(phone).toString() };
  return listPaths(token).flatMap((path) => [
    { method: 'GET', path },
    { method: 'GET', path, options: { headers: { accept: 'text/html', 'accept-encoding': 'identity' } } },
    { method: 'HEAD', path },
    { method: 'POST', path, options: json },
    { method: 'POST', path, options: form },
  ]);
}

/** Payments in each state, a QR code and a payment reference. */
const PAYMENTS: Record<string, () => Promise<{ id: string; clientToken: string }>> = {
  'an unpaid payment': () => create(app, webframe()),
  async 'a payment in flight'() {
    const payment = await create(app, webframe());
    await app.call(`/checkout/${payment.clientToken}/pay`, { body: phone, token: null });
    await untilSent(app, payment.id);
    return payment;
  },
  async 'a refused payment that may be paid by reference'() {
    const payment = await create(app, webframe({ metadata: { allowReferenceFallback: true } }));
    await app.call(`/checkout/${payment.clientToken}/pay`, { body: phone, token: null });
    await notify(app, (await untilSent(app, payment.id)).id, declined('CUSTOMER_REFUSED'));
    return payment;
  },
  async 'a paid payment'() {
    const payment = await create(app, webframe());
    await app.call(`/checkout/${payment.clientToken}/pay`, { body: phone, token: null });
    await notify(app, (await untilSent(app, payment.id)).id, approved());
    return payment;
  },
  'a QR code': async () => (await app.call(`/api/payments/${(await createCode(app)).id}`)).json,
  async 'a reference'() {
    const payment = await create(app, byReference());
    await untilRegistered(app, payment.reference);
    return payment;
  },
};

describe('a read request to the checkout', () => {
  test.each(Object.keys(PAYMENTS))('changes no row (%s)', async (name) => {
    const { clientToken } = await PAYMENTS[name]!();
    const before = await readSettled(app);
    const statuses: number[] = [];
    for (const path of [...listPaths(clientToken), `/checkout/${clientToken}/nowhere`])
      for (const method of ['GET', 'HEAD', 'OPTIONS']) statuses.push((await visit({ method, path })).status);
    expect(await readEverything(app)).toEqual(before);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(3);
    expect(statuses.filter((status) => status >= 500 && status !== 501)).toEqual([]);
  });

  test('differs from a form, which changes rows that the comparison finds', async () => {
    const { clientToken } = await create(app, webframe());
    const before = await readSettled(app);
    await app.call(`/checkout/${clientToken}/pay`, { body: phone, token: null });
    expect(await readEverything(app)).not.toEqual(before);
  });
});

describe('a cross-site request', () => {
  const from = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', cookie: 'session=1; token=2' };

  test('changes nothing if its form has a wrong token', async () => {
    const authorization = `Bearer ${await app.token()}`;
    const before = await readSettled(app);
    for (const headers of [from, { ...from, authorization }]) {
      for (const leaf of ['pay', 'reference']) {
        const options = { body: 'phoneNumber=923000001', headers: { ...headers, ...FORM }, token: null };
        expect((await app.call(`/checkout/${randomBytes(32).toString('base64url')}/${leaf}`, options)).status).toBe(
          404,
        );
      }
    }
    expect(await readEverything(app)).toEqual(before);
  });

  test.each(['text/plain', 'multipart/form-data; boundary=x', 'text/plain; application/json'])(
    'is refused with the content type %s, which a form may send without a preflight',
    async (type) => {
      const { clientToken } = await create(app, webframe());
      const before = await readSettled(app);
      const headers = { ...from, 'content-type': type };
      const reply = await app.call(`/checkout/${clientToken}/pay`, {
        body: JSON.stringify(phone),
        headers,
        token: null,
      });
      expect(reply.status).toBe(415);
      expect(await readEverything(app)).toEqual(before);
    },
  );

  test('pays only the payment of its token', async () => {
    const [mine, other] = [await create(app, webframe()), await create(app, webframe())];
    const options = { body: 'phoneNumber=923000001&id=' + other.id, headers: { ...from, ...FORM }, token: null };
    const reply = await app.call(`/checkout/${mine.clientToken}/pay`, options);
    expect([reply.status, reply.text]).toEqual([303, '']);
    expect(reply.headers.get('location')).toBe(`/checkout/${mine.clientToken}`);
    expect(reply.headers.get('set-cookie')).toBeNull();
    expect((await app.call(`/api/payments/${mine.id}`)).json.status).toBe('Processing');
    expect((await app.call(`/api/payments/${other.id}`)).json.status).toBe('Pending');
  });
});

test('every operation of the API returns 401 for a client token', async () => {
  const { clientToken: token } = await create(app, webframe());
  const guarded = app.node.app.routes.filter(({ access }) => needsToken(access));
  expect(guarded.length).toBeGreaterThan(80);
  const before = await readSettled(app);
  for (const { method, path } of guarded) {
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
    const reply = await app.call(path.replace(/\{\w+\}/g, '1'), { method, token, ...body });
    expect([method, path, reply.status]).toEqual([method, path, 401]);
  }
  expect(await readEverything(app)).toEqual(before);
});

describe('every response of the checkout', () => {
  const isPage = ({ headers }: Response) => headers.get('content-type')?.startsWith('text/html');

  test('sends no referrer, sets no cookie, and cannot be framed by other sites', async () => {
    const { clientToken } = await create(app, webframe());
    const replies = await Promise.all([...listVisits(clientToken), ...listVisits('x')].map(visit));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 202, 303, 404, 405, 409]));
    for (const { headers, url, status } of replies) {
      expect([url, status, headers.get('referrer-policy')]).toEqual([url, status, 'no-referrer']);
      expect(headers.get('set-cookie')).toBeNull();
      // The sandbox also lets pages of this machine frame it.
      const local = LOOPBACK_ORIGINS.map((origin) => origin.replaceAll('*', '\\*')).join(' ');
      const own = status === 200 && !url.includes('/x') ? `${app.node.core.publicUrl} ${local}` : "'none'";
      // Any site may frame the pages for a wrong link and for an unreadable form, because they have no actions.
      const isNotice = status === 405 || (status === 404 && url.includes('/x'));
      const ancestors = isNotice ? "(\\*|'none')" : `(${own}|'none')`;
      expect(headers.get('content-security-policy')).toMatch(new RegExp(`frame-ancestors ${ancestors}$`));
    }
    expect(replies.filter(isPage).length).toBeGreaterThan(6);
  });
});

describe('returnUrl and cancelUrl', () => {
  const WRONG = [
    'https://evil.example/',
    'https://loja.example@evil.example/',
    'https://evil.example/https://loja.example',
    'https://evil.example#https://loja.example',
    'https://loja.example.evil.example/',
    'https://loja.example:8443/',
    'http://loja.example/',
    'https:\\\\evil.example\\loja.example',
    '//loja.example/fim',
    'blob:https://loja.example/7f0c',
    'javascript:location="https://loja.example"',
    'data:text/html,https://loja.example',
  ];
  test.each(WRONG)('refuse the URL %s', async (address) => {
    for (const name of ['returnUrl', 'cancelUrl']) {
      const reply = await app.call('/api/payments', { body: webframe({ metadata: { [name]: address } }) });
      expect(reply.status).toBe(400);
      expect(reply.json.errors).toMatchObject([{ pointer: `/metadata/${name}` }]);
    }
  });

  test('are escaped links of the page if the merchant registered their origin', async () => {
    const metadata = { returnUrl: `${SHOP}/fim`, cancelUrl: `${SHOP}/?a=1&b="><script>` };
    const { clientToken } = await create(app, webframe({ metadata }));
    const { text } = await app.call(`/checkout/${clientToken}`, { token: null });
    expect(text).toContain(`<a href="${SHOP}/?a=1&amp;b=%22%3E%3Cscript%3E" rel="noreferrer">`);
  });
});

describe('guessed client tokens', () => {
  let node: TestApp;
  beforeAll(async () => {
    node = await startTestApp({ env: { RATE_LIMIT_PUBLIC: '600', TRUSTED_PROXIES: '127.0.0.1' } });
  });

  const askFrom = (address: string, path: string, accept = 'application/json', on = node): Promise<Reply> =>
    on.call(`/checkout/${path}`, { token: null, headers: { accept, 'x-forwarded-for': address } });
  const guess = (address: string, leaf = '', accept?: string, on?: TestApp) =>
    askFrom(address, `${randomBytes(32).toString('base64url')}${leaf}`, accept, on);

  test('are refused after thirty a minute over all paths, while valid tokens still work', async () => {
    const from = '203.0.113.7';
    const { clientToken } = await create(node, webframe());
    const leaves = ['', '/session', '/events', '/qrcode.svg'];
    for (let n = 0; n < 30; n++) expect((await guess(from, leaves[n % 4])).status).toBe(404);
    for (const leaf of leaves) {
      const refused = await guess(from, leaf);
      expect([leaf, refused.status]).toEqual([leaf, 429]);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    expect((await guess(from, '', 'text/html')).text).toContain('Não foi possível abrir esta página');
    for (const leaf of ['', '/session']) {
      const known = await askFrom(from, `${clientToken}${leaf}`);
      expect(known.status).toBe(200);
      expect(known.headers.get('ratelimit')).toContain('"public"');
    }
    const options = { body: phone, token: null, headers: { 'x-forwarded-for': from } };
    expect((await node.call(`/checkout/${clientToken}/pay`, options)).status).toBe(202);
  });

  test('are counted by IP address, and an expired token is no guess', async () => {
    const { id, clientToken } = await create(node, webframe({ metadata: { expiresInMinutes: 5 } }));
    for (let n = 0; n < 30; n++) await askFrom('203.0.113.1', 'x/session');
    expect((await askFrom('203.0.113.1', 'x/session')).status).toBe(429);
    expect((await askFrom('203.0.113.2', 'x/session')).status).toBe(404);
    await node.clock.pass(5 * 60_000);
    await travelToStatus(node, id, 'Expired');
    node.clock.leap(25 * 3_600_000);
    expect((await askFrom('203.0.113.1', `${clientToken}/session`)).status).toBe(404);
  });

  test('are not counted if rate limits are off', async () => {
    for (let n = 0; n < 40; n++) expect((await guess('203.0.113.1', '/session', undefined, app)).status).toBe(404);
  });
});

describe('the log', () => {
  test('has a line for each request of a checkout, without tokens and phone numbers', async () => {
    const known = (await PAYMENTS['a payment in flight']!()).clientToken;
    const wrong = randomBytes(32).toString('base64url');
    const again = { headers: { referer: `${app.url}/checkout/${known}`, accept: 'text/html' } };
    log = '';
    await Promise.all([...listVisits(known), ...listVisits(wrong)].map(visit));
    for (const path of [`/checkout/${known}/nowhere`, `/Checkout/${known}`, `/checkout/${known}?token=${known}`])
      await visit({ method: 'GET', path, options: again });
    const typed = '812345678';
    const options = { body: `phoneNumber=${typed}`, headers: FORM };
    expect((await visit({ method: 'POST', path: `/checkout/${known}/pay`, options })).status).toBe(303);
    await app.sql('alter table payments rename to payments_away');
    await Promise.all(listVisits(known).map(visit)).finally(() =>
      app.sql('alter table payments_away rename to payments'),
    );
    await expect.poll(() => log.split('"requestId"').length).toBeGreaterThan(3 * listVisits(known).length);
    for (const path of listPaths('{clientToken}')) expect(log).toContain(`"route":"${path}"`);
    expect(log).toContain('request failed');
    for (const secret of [known, wrong, Buffer.from(known, 'base64url').toString('hex'), PENDING_PHONE, typed]) {
      expect(log).not.toContain(secret);
      expect(log).not.toContain(secret.slice(-12));
    }
  });
});

// This test runs last, because it advances the clock by days.
test('every path of the checkout returns 404 for a token a day after the payment ends', async () => {
  const { id, clientToken } = await PAYMENTS['a paid payment']!();
  app.clock.leap(24 * 3_600_000 + 2_000);
  // Payments of other tests expire at the same time, so the test compares only this payment's rows.
  const readOwn = async () =>
    Object.values(await readEverything(app)).flatMap((rows) => rows.filter((row) => row.includes(id)));
  await readSettled(app);
  const before = await readOwn();
  expect(before.length).toBeGreaterThan(4);
  const replies = await Promise.all(listVisits(clientToken).map(visit));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([404, 405]));
  expect(await readOwn()).toEqual(before);
});
