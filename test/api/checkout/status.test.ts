// Health, readiness, metrics, the pages about problem codes, and the log.
import { PassThrough } from 'node:stream';
import { beforeAll, describe, expect, test } from 'vitest';
import { PROBLEMS } from '../../../shared/errors.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { approved, notify, NOTIFY_ENV, untilSent } from '../../support/notify.ts';
import { create, purchase, webframe } from '../../support/payments.ts';
import { sendRaw } from '../../support/raw.ts';
import { openStream } from '../../support/stream.ts';

let app: TestApp;
const log = new PassThrough();
let written = '';
log.on('data', (chunk: Buffer) => (written += chunk));
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV, logTo: log });
});

const get = (path: string, headers: Record<string, string> = {}) => app.call(path, { token: null, headers });

describe('the health check', () => {
  test.each([
    ['/healthz', { status: 'ok' }],
    ['/readyz', { status: 'ready' }],
  ])('%s returns 200 without a token', async (path, body) => {
    const reply = await get(path);
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual(body);
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });
});

describe('GET /metrics', () => {
  test('counts requests by route, and open streams', async () => {
    const { id, clientToken } = await create(app, webframe());
    await app.call(`/api/payments/${id}`);
    const stream = await openStream(`${app.url}/checkout/${clientToken}/events`);
    const reply = await get('/metrics');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(reply.text).toMatch(
      /^balcao_http_request_seconds_count\{method="GET",route="\/api\/payments\/\{paymentId\}",status="200"\} [1-9]/m,
    );
    expect(reply.text).toMatch(/^balcao_open_streams 1$/m);
    for (const secret of [id, clientToken]) expect(reply.text).not.toContain(secret);
    stream.close();
  });

  test.each(['X-Forwarded-For: 203.0.113.9', 'Forwarded: for=203.0.113.9'])(
    'returns 404 behind a proxy (%s)',
    async (header) => {
      expect((await sendRaw(app.url, 'GET /metrics', [header])).status).toBe(404);
    },
  );
});

describe('the page of a problem code', () => {
  test.each(Object.entries(PROBLEMS))(
    'is available as HTML and JSON for %s',
    async (code, { title, status, detail }) => {
      const page = await get(`/problems/${code}`, { accept: 'text/html' });
      expect(page.status).toBe(200);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
      for (const words of [code, title, String(status)]) expect(page.text).toContain(words);
      const asJson = await get(`/problems/${code}`, { accept: 'application/json' });
      expect(asJson.json).toEqual({ code, status, title, detail });
    },
  );

  test('marks English text on a page of another language, and links to other pages', async () => {
    const page = (await get('/problems/not_found?lang=pt', { accept: 'text/html' })).text;
    expect(page).toContain('<html lang="pt">');
    expect(page).toContain(`<h1 class="center"><span lang="en">${PROBLEMS.not_found.title}</span></h1>`);
    expect(page).toContain('<title>not_found · Problemas</title>');
    for (const href of ['/problems?lang=pt', '/docs']) expect(page).toContain(`<a href="${href}">`);
    const all = (await get('/problems?lang=pt', { accept: 'text/html' })).text;
    expect(all).toContain('<h1 class="center">Problemas</h1>');
    expect(all).toContain('<a href="/docs">');
  });

  test("has the URL that the error's `type` names", async () => {
    const { json } = await app.call('/api/payments?page=0');
    const { pathname } = new URL(json.type);
    expect((await get(pathname)).status).toBe(200);
    expect(pathname).toBe('/problems/validation_failed');
  });
});

describe('the log', () => {
  /** Returns the log line of a request once the log has it. */
  const lineOf = (requestId: string): Promise<any> =>
    until(() => {
      const line = written.split('\n').find((text) => text.includes(requestId));
      return line && JSON.parse(line);
    }, `a line about ${requestId}`);

  test('has one line for each request, with route and merchant', async () => {
    const { headers, json } = await app.call('/api/payments', { body: webframe() });
    const requestId = headers.get('x-request-id') ?? '';
    const line = await lineOf(requestId);
    expect(line).toMatchObject({
      requestId,
      method: 'POST',
      route: '/api/payments',
      status: 201,
      merchantId: json.merchantId,
      address: '127.0.0.1',
    });
    expect(line.ms).toBeGreaterThan(0);
    expect(written.split(requestId)).toHaveLength(2);
  });

  test('has no secrets and no complete phone numbers', async () => {
    const token = await app.token();
    const secrets = ['demo-secret', token, '923777001', 'shelf-7'];
    const metadata = { paymentMethod: 'onetimepurchase', phoneNumber: '923777001', custom: { at: 'shelf-7' } };
    const { id, clientToken } = await create(app, purchase('923777001', { metadata }));
    await notify(app, (await untilSent(app, id)).id, approved());
    await app.call('/api/payments', { body: webframe({ metadata: { phoneNumber: 923777001 } }) });
    await app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: '923777001' }, token: null });
    await get(`/api/payments?access_token=${token}`);
    const last = await get('/nowhere?phone=923777001', { cookie: 'session=shelf-7' });
    await lineOf(last.headers.get('x-request-id') ?? '');
    for (const secret of [...secrets, clientToken]) expect(written).not.toContain(secret);
  });

  test('has one route name for all unknown paths', async () => {
    const { headers } = await get(`/nowhere/${'x'.repeat(50)}`);
    expect((await lineOf(headers.get('x-request-id') ?? '')).route).toBe('(none)');
    expect((await get('/metrics')).text).not.toContain('/nowhere');
  });
});
