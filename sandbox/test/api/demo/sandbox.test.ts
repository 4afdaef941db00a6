// The sandbox's pages over HTTP, with stand-ins for the gateway's API and the simulator.
import { request as openRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import Koa, { type Context } from 'koa';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../server/clock.ts';
import { catchProblems } from '../../../../server/http/problem.ts';
import { guardSandbox } from '../../../guard.ts';
import { sandboxPages } from '../../../pages.ts';
import type { SandboxRender } from '../../../render.ts';

/** The built module, because Node cannot load JSX. */
const render = (await import(
  fileURLToPath(new URL('../../../../dist/ssr/sandbox.js', import.meta.url))
)) as typeof import('../../../pages/render.tsx');

type Created = { reference: string; metadata: { returnUrl: string; custom: object } };

const world = {
  token: 1,
  created: new Map<string, Created>(),
  answered: [] as string[],
  scanned: [] as object[],
  /** Changes of the payments after their creation. */
  since: {},
  isRailAway: false,
  /** The API's response to the creation of a payment, if the test replaces it. */
  refusal: null as [status: number, body: object] | null,
};
const servers: Server[] = [];
let base = '';
let guarded = '';

beforeAll(async () => {
  base = await serve(null);
  guarded = await serve('a-long-password');
});
afterAll(() => servers.forEach((server) => (server.closeAllConnections(), server.close())));
beforeEach(() => {
  world.created.clear();
  world.answered.length = 0;
  world.scanned.length = 0;
  world.since = {};
  world.isRailAway = false;
  world.refusal = null;
});

describe('the demo shop', () => {
  test('creates one payment for an order by any method, also for repeated forms', async () => {
    const order = 'LI-0123456789';
    const page = await postForm('/demo/orders', { product: 'cafe', order, way: 'page' });
    const widget = await postForm('/demo/orders', { product: 'cafe', order, way: 'widget' });
    expect(page.status).toBe(303);
    expect(page.headers.get('location')).toBe(`${base}/checkout/tok`);
    expect(widget.headers.get('location')).toBe(`/demo/orders/${order}`);
    const dialog = await postForm('/demo/orders', { product: 'cafe', order, way: 'dialog' });
    expect(dialog.headers.get('location')).toBe(`/demo/orders/${order}?way=dialog#pagar`);
    expect([...world.created.values()]).toEqual([expect.objectContaining({ reference: order, amount: 4500 })]);
    expect(world.created.get(order)?.metadata.returnUrl).toBe(`${base}/demo/orders/${order}`);
  });

  test('creates a QR code, and keeps the method of an order that exists', async () => {
    const code = await postForm('/demo/orders', { product: 'cafe', order: 'LI-00000000C0', way: 'code' });
    expect(code.headers.get('location')).toBe(`${base}/checkout/tok`);
    expect(world.created.get('LI-00000000C0')?.metadata).toMatchObject({ paymentMethod: 'qrcode' });
    const again = await postForm('/demo/orders', { product: 'cafe', order: 'LI-00000000C0', way: 'page' });
    expect(again.headers.get('location')).toBe(`${base}/checkout/tok`);
    expect(world.created.get('LI-00000000C0')?.metadata).toMatchObject({ paymentMethod: 'qrcode' });
  });

  test('shows the payment of an order, and the widget while it can be paid', async () => {
    await postForm('/demo/orders', { product: 'mel', order: 'LI-00000000AA', way: 'widget' });
    const answer = await fetch(`${base}/demo/orders/LI-00000000AA`);
    const html = await answer.text();
    expect(html).toContain('<balcao-payment token="tok"');
    expect(html).toContain('5\u00a0250,50\u00a0Kz');
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'; connect-src 'self'");
    const inWindow = await fetch(`${base}/demo/orders/LI-00000000AA?way=dialog`);
    expect(await inWindow.text()).toMatch(/href="[^"]*\/checkout\/tok"[^]*<balcao-checkout token="tok"/);
    expect(inWindow.headers.get('content-security-policy')).toContain("frame-src 'self'");
    expect(await (await fetch(`${base}/demo/orders/LI-00000000AA/status`)).json()).toMatchObject({ status: 'Pending' });
  });

  test.each([
    ['none', /"state-title">Pago<[^]*Já estamos a preparar/],
    ['partial', /"state-title">Pago, e devolvido em parte</],
    ['full', /"state-title">Pago, e devolvido<[^]*Devolvemos o dinheiro/],
  ])('shows the refund status %s on the page of an order', async (refundStatus, words) => {
    await postForm('/demo/orders', { product: 'mel', order: 'LI-00000000AE', way: 'widget' });
    world.since = { status: 'Paid', refundStatus };
    expect(await (await fetch(`${base}/demo/orders/LI-00000000AE`)).text()).toMatch(words);
  });

  test.each<[string, number, object, number, RegExp]>([
    [
      'shows the fault of a refused payment',
      400,
      {
        code: 'origin_not_registered',
        errors: [{ pointer: '/metadata/returnUrl', message: 'deve pertencer a uma origem registada' }],
      },
      502,
      new RegExp(
        String.raw`origin_not_registered[^]*metadata\.returnUrl deve pertencer a uma origem registada` +
          String.raw`[^]*href="\/problems\/origin_not_registered\?lang=pt"`,
      ),
    ],
    [
      'shows the code of a problem without faults',
      403,
      { code: 'insufficient_scope' },
      502,
      /código insufficient_scope\. /,
    ],
    ['shows no code of a temporary problem', 429, { code: 'too_many_requests' }, 503, /tente daqui a pouco/],
    ['shows no unreadable code', 400, { code: '<b>' }, 503, /tente daqui a pouco/],
  ])('%s', async (_name, status, body, shown, words) => {
    world.refusal = [status, body];
    const answer = await postForm('/demo/orders', { product: 'cafe', order: 'LI-00000000AD', way: 'page' });
    expect(answer.status).toBe(shown);
    expect(await answer.text()).toMatch(words);
    expect(answer.headers.has('retry-after')).toBe(shown === 503);
  });

  test('requests a new access token if the gateway no longer accepts the old one', async () => {
    await postForm('/demo/orders', { product: 'mel', order: 'LI-00000000AB', way: 'widget' });
    world.token++;
    expect((await fetch(`${base}/demo/orders/LI-00000000AB`)).status).toBe(200);
  });

  test.each([
    ['unknown product', { product: 'barco' }, 400],
    ['10 kB of form', { product: 'x'.repeat(10_001) }, 413],
  ])('refuses an %s', async (_name, form, status) => {
    expect((await postForm('/demo/orders', form)).status).toBe(status);
    expect(world.created.size).toBe(0);
  });

  test.each(['/demo/orders/LI-FFFFFFFFFF', '/demo/orders/nada', '/demo/orders/nada/status'])(
    'returns 404 for %s',
    async (path) => {
      expect((await fetch(base + path)).status).toBe(404);
    },
  );
});

describe('the page /sandbox/phone', () => {
  test('lists the pushes of a phone number, and approves or declines them', async () => {
    const html = await (await fetch(`${base}/sandbox/phone/923456789`)).text();
    expect(html).toContain('1\u00a0500,00\u00a0Kz');
    expect(html).toContain('action="/sandbox/phone/923456789/pushes/p1/approve"');
    const answer = await postForm('/sandbox/phone/923456789/pushes/p1/approve', {});
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/sandbox/phone/923456789']);
    expect(world.answered).toEqual(['p1 approve']);
  });

  test('shows an authorization as a reservation of money', async () => {
    const html = await (await fetch(`${base}/sandbox/phone/911111111`)).text();
    expect(html).toContain('Reservar, sem cobrar já');
    expect(html).toMatch(/<button>(<span>)?Reservar(<\/span>)?<\/button>/);
    expect(await (await fetch(`${base}/sandbox/phone/923456789`)).text()).not.toMatch(/reservar/i);
  });

  test('returns the same as JSON with the server’s time', async () => {
    const view = await (await fetch(`${base}/sandbox/phone/923456789/pushes`)).json();
    expect(view).toMatchObject({
      number: '923456789',
      pushes: [{ id: 'p1', state: 'waiting', amountText: '1\u00a0500,00\u00a0Kz' }],
    });
    expect(Date.parse(view.serverTime)).toBeGreaterThan(0);
  });

  test.each([
    ['?number=%2B244+923+456+789', 303],
    ['/244923456789', 303],
    ['/123', 404],
    ['?number=12', 200],
  ])('handles the path /sandbox/phone%s with status %i', async (path, status) => {
    expect((await fetch(`${base}/sandbox/phone${path}`, { redirect: 'manual' })).status).toBe(status);
  });

  test('returns 503 as a page and as JSON while the simulator is down', async () => {
    world.isRailAway = true;
    const page = await fetch(`${base}/sandbox/phone/923456789`, { headers: { accept: 'text/html' } });
    const data = await fetch(`${base}/sandbox/phone/923456789/pushes`, { headers: { accept: 'application/json' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
    expect([data.status, data.headers.get('content-type')]).toEqual([503, 'application/problem+json']);
  });
});

describe('the page /sandbox/scan', () => {
  const scan = (fields: object) =>
    fetch(`${base}/sandbox/scan`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    });

  test('shows the amount and the merchant of a code before it is paid', async () => {
    const html = await (await fetch(`${base}/sandbox/scan?content=%20open%0A`)).text();
    for (const text of ['Loja da Ilha', '1\u00a0500,00\u00a0Kz', 'Café', '3 de 10 pagos']) expect(html).toContain(text);
    expect(html).toContain('<input type="hidden" name="content" value="open"/>');
    expect(world.scanned).toEqual([]);
  });

  test('pays by a plain form and redirects to the outcome', async () => {
    const answer = await postForm('/sandbox/scan', { content: 'open', phone: '923 456 789' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/sandbox/scan/s-open']);
    expect(world.scanned).toEqual([{ content: 'open', phone: '+244923456789' }]);
    const html = await (await fetch(`${base}/sandbox/scan/s-open`)).text();
    for (const text of ['Pagamento feito', '44100017', '923 456 789']) expect(html).toContain(text);
  });

  test.each([
    ['s-broke', 'Saldo insuficiente', false],
    ['s-slow', 'A confirmar o pagamento', true],
  ])('shows for the outcome %s the text %s', async (id, text, asksAgain) => {
    const html = await (await fetch(`${base}/sandbox/scan/${id}`)).text();
    expect(html).toContain(text);
    expect(html.includes('http-equiv="refresh"')).toBe(asksAgain);
  });

  test.each([
    ['used_up', 409, 'já recebeu todos os pagamentos'],
    ['ended', 409, 'O prazo deste código terminou'],
    ['withdrawn', 409, 'retirou este código'],
    ['nothing', 404, 'Não conhecemos este código'],
  ])('refuses a QR code that is %s with status %i and the reason', async (content, status, text) => {
    const answer = await postForm('/sandbox/scan', { content, phone: '923456789' });
    expect(answer.status).toBe(status);
    const html = await answer.text();
    expect(html).toContain(text);
    expect(html).not.toContain('<button>Pagar');
  });

  test('shows the error of an invalid phone number at its field, with the typed text', async () => {
    const answer = await postForm('/sandbox/scan', { content: 'open', phone: '92 <3' });
    const html = await answer.text();
    expect(answer.status).toBe(400);
    expect(html).toContain('value="92 &lt;3"');
    expect(html).toMatch(/aria-invalid="true"/);
    expect(world.scanned).toEqual([]);
  });

  test('accepts JSON and returns the scan', async () => {
    const answer = await scan({ content: 'open', phone: '923456789' });
    expect([answer.status, answer.headers.get('location')]).toEqual([201, '/sandbox/scan/s-open']);
    expect(await answer.json()).toEqual({
      id: 's-open',
      state: 'accepted',
      reason: null,
      transaction: '44100017',
      amountText: '1\u00a0500,00\u00a0Kz',
      phone: '+244923456789',
    });
  });

  test.each([
    [{ content: 'open', phone: '12' }, 400, 'invalid_phone'],
    [{ content: 'open', phone: 923456789 }, 400, 'invalid_phone'],
    [{ content: '', phone: '923456789' }, 404, 'not_found'],
    [{ content: 'nothing', phone: '923456789' }, 404, 'not_found'],
    [{ content: 'used_up', phone: '923456789' }, 409, 'state_conflict'],
  ])('refuses %j with %i', async (fields, status, code) => {
    const answer = await scan(fields);
    expect(answer.status).toBe(status);
    const { code: seen, errors = [], reason } = await answer.json();
    expect([seen, ...errors.map((error: { code: string }) => error.code)]).toContain(code);
    expect(reason).toBe(status === 409 ? 'used_up' : undefined);
  });

  test('refuses other media types and other websites', async () => {
    const text = await fetch(`${base}/sandbox/scan`, { method: 'POST', body: 'open' });
    expect(text.status).toBe(415);
    expect(await statusOf(`${base}/sandbox/scan`, 'POST', { 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect((await fetch(`${guarded}/sandbox/scan?content=open`)).status).toBe(401);
    expect((await fetch(`${base}/sandbox/scan/unknown`)).status).toBe(404);
    expect(world.scanned).toEqual([]);
  });
});

describe('the guard of the sandbox', () => {
  test.each([
    ['a website’s own name for this machine', 'GET', '/demo', { host: 'evil.example' }, 403],
    ['the same in capitals', 'GET', '/SANDBOX/phone', { host: 'evil.example' }, 403],
    ['IPv6 loopback', 'GET', '/demo', { host: '[::1]:8080' }, 200],
    [
      'a cross-site form',
      'POST',
      '/sandbox/phone/923456789/pushes/p1/approve',
      { 'sec-fetch-site': 'cross-site' },
      403,
    ],
    ['another port’s form', 'POST', '/demo/orders', { 'sec-fetch-site': 'same-site' }, 403],
    ['a foreign Origin', 'POST', '/demo/orders', { origin: 'http://evil.example' }, 403],
    ['a hidden Origin', 'POST', '/demo/orders', { origin: 'null' }, 403],
    ['no browser at all', 'POST', '/sandbox/phone/923456789/pushes/p1/approve', {}, 303],
    ['the signed rail', 'GET', '/sandbox/rail/v1/purchases/1', { host: 'evil.example' }, 404],
    ['another path', 'GET', '/demonstration', { host: 'evil.example' }, 403],
    ['the rail’s notifications', 'GET', '/rails/gpo/notifications', { host: 'evil.example' }, 404],
  ])('returns the expected status for %s: %s %s', async (_name, method, path, headers, status) => {
    expect(await statusOf(base + path, method, headers)).toBe(status);
  });

  test.each([
    ['nothing', undefined, 401],
    ['another password', basic('anyone:wrong'), 401],
    ['another scheme', 'Bearer a-long-password', 401],
    ['the password', basic('anyone:a-long-password'), 200],
  ])('with SANDBOX_PASSWORD returns the expected status for %s', async (_name, authorization, status) => {
    const headers = authorization ? { authorization } : {};
    expect(await statusOf(`${guarded}/demo`, 'GET', headers)).toBe(status);
    expect(await statusOf(`${guarded}/sandbox/phone/923456789`, 'GET', headers)).toBe(status);
  });
});

async function serve(password: string | null): Promise<string> {
  const koa = new Koa();
  let url = '';
  const publicUrl = () => url;
  // Also a type check: the built pages must match the server's interface.
  const pages: SandboxRender = render;
  const options = {
    publicUrl,
    apiUrl: publicUrl,
    railUrl: () => `${url}/sandbox/rail`,
    pprUrl: () => `${url}/sandbox/rail`,
    clientId: 'demo',
    clientSecret: () => 'demo-secret',
    assets: { url: () => null },
    render: pages,
    password,
    clock: systemClock,
    findName: async (id: string) => (id === 'demo-merchant' ? 'Loja da Ilha' : null),
  };
  koa.use(catchProblems(publicUrl, () => {}));
  koa.use(guardSandbox({ password, publicUrl }));
  koa.use(async (ctx, next) => {
    const answer = await standIn(ctx, url);
    if (!answer) return next();
    [ctx.status, ctx.body] = answer;
  });
  koa.use(sandboxPages(options).routes());
  const server = await new Promise<Server>((resolve) => {
    const listening: Server = koa.listen(0, '127.0.0.1', () => resolve(listening));
  });
  servers.push(server);
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return url;
}

/** Fakes of the API and the simulator, with the routes that the pages use. */
async function standIn(ctx: Context, url: string): Promise<[status: number, body: object] | null> {
  const { path, method } = ctx;
  if (path === '/oauth/token') return [200, { access_token: `t${world.token}`, expires_in: 3600 }];
  if (path.startsWith('/api/') && ctx.get('authorization') !== `Bearer t${world.token}`) return [401, {}];
  if (path === '/api/payments' && method === 'POST') {
    const body = JSON.parse(await readText(ctx));
    if (world.refusal) return world.refusal;
    const known = world.created.get(ctx.get('idempotency-key'));
    if (known && JSON.stringify(known) !== JSON.stringify(body)) return [422, { code: 'idempotency_key_reused' }];
    world.created.set(ctx.get('idempotency-key'), body);
    return [201, viewPayment(body, url)];
  }
  if (path === '/api/payments') {
    const found = world.created.get(String(ctx.query['reference']));
    return [200, { data: found ? [{ internalId: found.reference }] : [] }];
  }
  if (path.startsWith('/api/payments/')) return [200, viewPayment(world.created.get(path.slice(14))!, url)];
  if (!path.startsWith('/sandbox/rail/') || path.startsWith('/sandbox/rail/v1/')) return null;
  if (world.isRailAway) return [500, {}];
  if (path === '/sandbox/rail/phones') return [200, { data: [{ phone: '+244923456789', waiting: 1 }] }];
  const scanned = await standInCodes(ctx);
  if (scanned) return scanned;
  const [, id, verdict] = /pushes\/(\w+)\/(\w+)$/.exec(path) ?? [];
  if (id) world.answered.push(`${id} ${verdict}`);
  return [200, { data: [path.includes('911111111') ? { ...PUSH, kind: 'authorization' } : PUSH] }];
}

/** Fakes of QR codes and scans. The content or id of each selects its behaviour. */
async function standInCodes({ path, req }: Context): Promise<[status: number, body: object] | null> {
  const ask = async () => JSON.parse(await readText({ req } as Context)) as { content: string; phone: string };
  if (path === '/sandbox/rail/codes/read') {
    const { content } = await ask();
    if (content === 'nothing') return [404, { code: 'UNKNOWN_QRCODE' }];
    return [200, { ...CODE, status: content === 'open' ? 'ACTIVE' : content.toUpperCase() }];
  }
  if (path === '/sandbox/rail/scans') {
    const sent = await ask();
    if (sent.content === 'nothing') return [404, { code: 'UNKNOWN_QRCODE' }];
    if (sent.content !== 'open') return [409, { code: sent.content.toUpperCase() }];
    world.scanned.push(sent);
    return [201, SCANS['s-open']!];
  }
  if (!path.startsWith('/sandbox/rail/scans/')) return null;
  const scan = SCANS[path.slice('/sandbox/rail/scans/'.length)];
  return scan ? [200, scan] : [404, { code: 'UNKNOWN_SCAN' }];
}

const CODE = {
  merchantId: 'demo-merchant',
  reference: 'LI-0123456789',
  description: 'Café',
  amount: '1500.00',
  currency: 'AOA',
  accepted: 3,
  maxTransactions: 10,
  endDate: '2026-03-03T09:00:00.000Z',
};

const ACCEPTED = {
  id: 's-open',
  status: 'ACCEPTED',
  transactionNumber: '44100017',
  amount: '1500.00',
  currency: 'AOA',
  phone: '+244923456789',
};

const SCANS: Record<string, object> = {
  's-open': ACCEPTED,
  's-broke': { ...ACCEPTED, status: 'REFUSED', reason: 'INSUFFICIENT_FUNDS', transactionNumber: null },
  's-slow': { ...ACCEPTED, status: 'PENDING', transactionNumber: null },
};

const PUSH = {
  id: 'p1',
  status: 'PENDING',
  reason: null,
  reference: 'LI-0123456789',
  amount: '1500.00',
  currency: 'AOA',
  description: 'Café',
  createdAt: '2026-03-02T09:00:00.000Z',
  decidedAt: null,
  expiresAt: '2026-03-02T09:01:30.000Z',
};

function viewPayment(body: Created, url: string): object {
  const { reference, metadata } = body;
  const open = { status: 'Pending', checkoutUrl: `${url}/checkout/tok`, clientToken: 'tok' };
  return { ...body, ...open, internalId: reference, customMetadata: metadata.custom, ...world.since };
}

async function readText(ctx: Context): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of ctx.req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function postForm(path: string, form: Record<string, string>): Promise<Response> {
  return fetch(base + path, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
}

function basic(pair: string): string {
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

/** With `node:http`, since fetch does not let a test choose Host, Origin or Sec-Fetch-Site. */
function statusOf(url: string, method: string, headers: object): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = openRequest(url, { method, headers: { ...headers }, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    request.on('error', reject).end();
  });
}
