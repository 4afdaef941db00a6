// The server of the demo shop receives callbacks: its response modes, its stored callbacks, and its access control.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as openRequest } from 'node:http';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SCOPES } from '../../../../shared/scopes.ts';
import type { ArrivalView, CallbacksView } from '../../../../shared/sandbox.ts';
import { DEMO, seedDemo } from '../../../seed.ts';
import { startTestApp, until, type Reply, type TestApp } from '../../../../test/support/app.ts';
import { freshDatabase } from '../../../../test/support/database.ts';

const KEY = { 'access-key': DEMO.accessKey };
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  await setMode({ mode: 'ok' });
  expect((await app.call('/sandbox/callbacks', { method: 'DELETE', token: null })).status).toBe(204);
});

describe('the demo shop’s response to a callback', () => {
  test.each([
    ['ok', 200, { Success: true, Obs: 'processed', Id: 'VENDA-1' }],
    ['error', 500, { Success: false, Obs: 'the shop broke down', Id: null }],
    ['refuse', 200, { Success: false, Obs: 'not processed', Id: null }],
    ['gone', 410, { Success: false, Obs: 'this address is gone for good', Id: null }],
    ['busy', 429, { Success: false, Obs: 'come back later', Id: null }],
  ])('has in the mode %s the status %i', async (mode, status, body) => {
    await setMode({ mode });
    const answer = await callShop(ppr());
    expect([answer.status, answer.json]).toEqual([status, body]);
    expect(answer.headers.get('retry-after')).toBe(mode === 'busy' ? '60' : null);
    expect(await readNewest()).toMatchObject({ outcome: 'answered', answer: { status, body } });
  });

  test('is not JSON in the mode `garbage`, although the shop records the sale', async () => {
    await setMode({ mode: 'garbage' });
    const answer = await callShop(ppr());
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(() => JSON.parse(answer.text)).toThrow();
    expect(await readNewest()).toMatchObject({ sale: 'VENDA-1', answer: { status: 200, body: answer.text } });
  });

  test.each([
    [undefined, 5],
    [30, 30],
  ])('is sent in the mode `slow` exactly after its delay (%s s)', async (delaySeconds, inForce) => {
    expect(await setMode({ mode: 'slow', delaySeconds })).toEqual({ mode: 'slow', delaySeconds: inForce });
    const asked = track(callShop(ppr()));
    await until(async () => (await readDesk()).arrivals[0]?.outcome === 'open', 'the call arriving');
    await app.clock.advance(inForce * 1000 - 1);
    expect([asked.isOver(), (await readNewest()).answer]).toEqual([false, null]);
    await app.clock.advance(1);
    expect((await asked.end).json).toEqual({ Success: true, Obs: 'processed', Id: 'VENDA-1' });
    expect(await readNewest()).toMatchObject({ outcome: 'answered', answer: { status: 200 } });
  });

  test.each(['slow', 'hang'] as const)(
    'records in the mode %s a caller that stops waiting, and repeats count as known',
    async (mode) => {
      await setMode({ mode });
      const call = ppr();
      const caller = await openCall(call);
      caller.destroy();
      await until(async () => (await readNewest()).outcome === 'left', 'the caller being gone');
      await setMode({ mode: 'ok' });
      const isDone = mode === 'slow';
      expect((await callShop(call)).json.Obs).toBe(isDone ? 'already processed' : 'processed');
      expect((await readDesk()).sales).toBe(1);
    },
  );

  test('is not sent in the mode `hang`', async () => {
    await setMode({ mode: 'hang' });
    const caller = await openCall(ppr());
    let isAnswered = false;
    caller.on('response', () => (isAnswered = true));
    app.clock.leap(10 * 3_600_000);
    expect((await callShop(ppr(), { 'access-key': 'wrong' })).status).toBe(401);
    expect([isAnswered, (await readDesk()).arrivals.map(({ outcome }) => outcome)]).toEqual([
      false,
      ['answered', 'open'],
    ]);
    caller.destroy();
  });

  test('is delayed for at most a hundred callers at a time', async () => {
    await setMode({ mode: 'hang' });
    const callers = Array.from({ length: 101 }, () => startCall(ppr(), app));
    const refused: unknown[] = [];
    for (const caller of callers) caller.once('response', (answer) => refused.push(answer.resume().statusCode));
    const untilSettled = async (wanted: string[]) =>
      until(
        async () => {
          const outcomes = new Set((await readDesk()).arrivals.map(({ outcome }) => outcome));
          return refused.length > 0 && [...outcomes].every((outcome) => wanted.includes(outcome));
        },
        `all being ${wanted.join(' or ')}`,
      );
    await untilSettled(['open', 'answered']);
    expect(refused).toEqual([503]);
    for (const caller of callers) caller.destroy();
    await untilSettled(['left', 'answered']);
  });

  test.each([
    ['a wrong key', { 'access-key': 'another-access-key' }],
    ['no key', {}],
    ['an empty one', { 'access-key': '' }],
  ])('refuses a call with %s in every mode and records the call', async (_name, headers) => {
    for (const mode of ['ok', 'error', 'hang', 'garbage']) {
      await setMode({ mode });
      const answer = await callShop(ppr(), headers);
      expect([answer.status, answer.json.Success]).toEqual([401, false]);
    }
    const { sales, arrivals } = await readDesk();
    expect([sales, arrivals.length]).toEqual([0, 4]);
    for (const { isKeyRight, sale } of arrivals) expect([isKeyRight, sale]).toEqual([false, null]);
    expect(JSON.stringify(arrivals)).not.toContain('another-access-key');
  });
});

describe('the callback list of the demo shop', () => {
  test.each([
    ['ppr', () => ppr(), '1\u00a0500,50\u00a0Kz', '017756991'],
    ['qrcode', () => code(), '4\u00a0500,00\u00a0Kz', 'LI-7F3A20B1C4'],
  ] as const)('counts %s as one sale, however often the call repeats', async (kind, make, amountText, about) => {
    const [body, delivery] = [make(), randomUUID()];
    const attempt = (n: number) => callShop(body, { ...KEY, 'balcao-delivery': delivery, 'balcao-attempt': String(n) });
    const answers = [await attempt(1), await attempt(2)].map(({ json }) => json);
    expect(answers).toEqual([
      { Success: true, Obs: 'processed', Id: 'VENDA-1' },
      { Success: true, Obs: 'already processed', Id: 'VENDA-1' },
    ]);
    const { sales, arrivals } = await readDesk();
    expect(sales).toBe(1);
    const seen = { kind, delivery, isKeyRight: true, sale: 'VENDA-1', amountText, about, body };
    expect(arrivals).toMatchObject([
      { ...seen, attempt: 2, isRepeat: true },
      { ...seen, attempt: 1, isRepeat: false },
    ]);
    expect(arrivals[0]?.headers).toMatchObject({ 'access-key': '•••', 'content-type': 'application/json' });
    expect(JSON.stringify(arrivals)).not.toContain(DEMO.accessKey);
    await callShop(make());
    expect((await readDesk()).sales).toBe(2);
  });

  test('counts ten concurrent calls with one id as one sale', async () => {
    const body = ppr();
    const answers = await Promise.all(Array.from({ length: 10 }, () => callShop(body)));
    expect(answers.map(({ json }) => json.Id)).toEqual(Array(10).fill('VENDA-1'));
    expect(answers.filter(({ json }) => json.Obs === 'processed')).toHaveLength(1);
    expect((await readDesk()).sales).toBe(1);
  });

  test.each([
    ['error', 'processed'],
    ['refuse', 'processed'],
    ['gone', 'processed'],
    ['busy', 'processed'],
    ['garbage', 'already processed'],
  ])('makes the shop respond after mode %s to the next attempt: %s', async (mode, obs) => {
    const body = ppr();
    await setMode({ mode });
    await callShop(body);
    await setMode({ mode: 'ok' });
    expect((await callShop(body)).json).toEqual({ Success: true, Obs: obs, Id: 'VENDA-1' });
  });

  test('keeps a webhook event with its type and id, without a sale', async () => {
    const event = { type: 'payment.paid', timestamp: '2026-03-02T09:00:00Z', data: { amount: 1500, currency: 'AOA' } };
    const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,c2lnbmF0dXJl' };
    const answers = [await callShop(event, headers), await callShop(event, headers)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { sales, arrivals } = await readDesk();
    const seen = { kind: 'webhook', about: 'payment.paid', isKeyRight: null, delivery: 'evt_1', body: event };
    expect(sales).toBe(0);
    expect(arrivals).toMatchObject([
      { ...seen, isRepeat: true, amountText: '1\u00a0500,00\u00a0Kz' },
      { ...seen, isRepeat: false },
    ]);
  });

  test('keeps a test callback without a sale, and never marks it as a repeat', async () => {
    const headers = { ...KEY, 'balcao-test': 'true' };
    const body = ppr();
    for (let n = 0; n < 2; n++) {
      expect((await callShop(body, headers)).json).toEqual({ Success: true, Obs: 'test received', Id: null });
    }
    expect(await readDesk()).toMatchObject({ sales: 0, arrivals: [{ kind: 'test', isRepeat: false }, {}] });
    expect((await callShop(body)).json.Obs).toBe('processed');
  });

  test.each([
    ['text', 'Olá <b>', 'Olá <b>'],
    ['nothing', '', ''],
    ['a list', '[1,2]', [1, 2]],
    ['half a callback', '{"Id":"1"}', { Id: '1' }],
    ['an unreadable amount', '{"Id":"1","refPagamento":"017756991","montantePago":{}}', expect.anything()],
    ['what a database does not take', '{"Id":"\\u0000\\ud800"}', '{"Id":"\\u0000\\ud800"}'],
    ['nesting without end', '['.repeat(20_000), '['.repeat(20_000)],
    ['long numbers', '{"n":12345678901234567890}', { n: 12345678901234567890n }],
  ])('keeps the body with %s as the shop received it', async (name, text, body) => {
    expect((await callShop(text)).status).toBe(200);
    const desk = await readDesk();
    expect(desk.arrivals[0]?.kind).toBe(name === 'an unreadable amount' ? 'ppr' : 'unknown');
    if (name === 'long numbers') expect((await readText()).text).toContain(text);
    else expect(desk.arrivals[0]?.body).toEqual(body);
    expect((await readPage()).status).toBe(200);
  });

  test('holds a hundred calls, the newest first', async () => {
    for (let n = 1; n <= 103; n++) await callShop(ppr(String(n)));
    const { sales, arrivals } = await readDesk();
    expect([sales, arrivals.length]).toEqual([103, 100]);
    expect([arrivals[0]?.sale, arrivals[99]?.sale]).toEqual(['VENDA-103', 'VENDA-4']);
  });

  test('survives a restart together with the response mode, and DELETE clears it', async () => {
    const database = await freshDatabase();
    const body = ppr();
    const first = await startTestApp({ databaseUrl: database.url });
    await callShop(body, KEY, first);
    await setMode({ mode: 'slow', delaySeconds: 7 }, first);
    const before = await readDesk(first);
    await first.stop();
    const second = await startTestApp({ databaseUrl: database.url });
    expect(await readDesk(second)).toEqual(before);
    await setMode({ mode: 'ok' }, second);
    expect((await callShop(body, KEY, second)).json.Obs).toBe('already processed');
    await second.call('/sandbox/callbacks', { method: 'DELETE', token: null });
    expect(await readDesk(second)).toEqual({ mode: 'ok', delaySeconds: 7, sales: 0, arrivals: [] });
    expect((await callShop(body, KEY, second)).json).toEqual({ Success: true, Obs: 'processed', Id: 'VENDA-1' });
    await second.stop();
    await database.drop();
  });

  test('does not delay the stop of its node in the modes slow and hang', async () => {
    const database = await freshDatabase();
    const first = await startTestApp({ databaseUrl: database.url });
    const ends = [];
    for (const mode of ['slow', 'hang']) {
      await setMode({ mode }, first);
      const caller = await openCall(ppr(), first);
      ends.push(new Promise((resolve) => caller.once('close', resolve).once('response', (answer) => answer.resume())));
    }
    // The test clock does not advance, so only the stop can end the wait.
    await first.stop();
    await Promise.all(ends);
    const second = await startTestApp({ databaseUrl: database.url });
    expect((await readDesk(second)).arrivals).toMatchObject([{ outcome: 'left' }, { outcome: 'answered' }]);
    await second.stop();
    await database.drop();
  });
});

describe('the page of the demo shop’s server', () => {
  test.each([
    [{}, [['/mode', 'required']]],
    [{ mode: 'tired' }, [['/mode', 'invalid_value']]],
    [{ mode: 'slow', delaySeconds: 0 }, [['/delaySeconds', 'too_small']]],
    [{ mode: 'slow', delaySeconds: 121 }, [['/delaySeconds', 'too_big']]],
    [{ mode: 'slow', delaySeconds: 'x' }, [['/delaySeconds', 'invalid_type']]],
  ])('refuses the response mode %j', async (body, faults) => {
    const answer = await app.call('/sandbox/callbacks/mode', { method: 'PUT', body, token: null });
    expect(answer.status).toBe(400);
    const { errors } = answer.json;
    expect(errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code])).toEqual(faults);
    expect((await readDesk()).mode).toBe('ok');
  });

  test('changes the response mode by a plain form and leads back', async () => {
    const answer = await postForm('mode', { mode: 'slow', delaySeconds: '12' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/sandbox/callbacks']);
    expect(await readDesk()).toMatchObject({ mode: 'slow', delaySeconds: 12 });
    expect((await readPage()).text).toMatch(/<button[^>]*value="slow"[^>]*aria-pressed="true"/);
    await postForm('mode', { mode: 'ok' });
    await callShop(ppr());
    expect((await postForm('forget', {})).status).toBe(303);
    expect(await readDesk()).toMatchObject({ mode: 'ok', sales: 0, arrivals: [] });
  });

  test('sends a test callback by a plain form while the shop has a callback URL', async () => {
    expect((await postForm('test', {})).headers.get('location')).toBe('/sandbox/callbacks');
    const seen = { kind: 'test', isKeyRight: true, attempt: 1, outcome: 'answered', about: '000000000' };
    expect(await readDesk()).toMatchObject({ sales: 0, arrivals: [seen] });
    await app.sql('update endpoints set deleted_at = created_at');
    const refused = await postForm('test', {});
    await app.sql('update endpoints set deleted_at = null');
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('não tem endereço')]);
    expect((await readDesk()).arrivals).toHaveLength(1);
  });

  test('leads back although the shop delays its response to the test callback', async () => {
    await setMode({ mode: 'hang' });
    const sent = track(postForm('test', {}));
    await until(async () => (await readDesk()).arrivals[0]?.outcome === 'open', 'the test arriving');
    await until(async () => (await app.clock.advance(1_000), sent.isOver()), 'the form being answered');
    expect((await sent.end).status).toBe(303);
    await until(async () => (await readNewest()).outcome === 'left', 'the gateway having given up');
  });

  test('returns 304 while it is unchanged', async () => {
    const tag = (await readText()).headers.get('etag') ?? '';
    const again = () => readText({ 'if-none-match': tag });
    expect([tag, (await again()).status]).toEqual([expect.stringMatching(/^".+"$/), 304]);
    await callShop(ppr());
    expect((await again()).status).toBe(200);
  });

  test('escapes the text of callers', async () => {
    await callShop(
      { ...ppr(), refPagamento: '</script><script>alert(1)</script>' },
      { ...KEY, 'x-evil': '<img src=x>' },
    );
    const { text } = await readPage();
    expect(text).not.toMatch(/<script>alert|<img/);
    expect(text).toContain('VENDA\u20111');
  });
});

describe('access to the demo shop', () => {
  const basic = { authorization: `Basic ${Buffer.from('any:a-long-password').toString('base64')}` };
  let guarded: TestApp;
  beforeAll(async () => {
    guarded = await startTestApp({ env: { SANDBOX_PASSWORD: 'a-long-password', PUBLIC_URL: 'http://shop.example' } });
  });

  test('without the password is possible only at the URL that receives callbacks', async () => {
    expect((await callShop(ppr(), KEY, guarded)).status).toBe(200);
    expect((await callShop(ppr(), {}, guarded)).status).toBe(401);
    const statusOf = async (path: string, method: string, headers: Record<string, string> = {}) =>
      (await guarded.call(path, { method, token: null, headers })).status;
    for (const [path, method] of [
      ['/sandbox/callbacks', 'GET'],
      ['/sandbox/callbacks', 'DELETE'],
      ['/sandbox/callbacks/mode', 'PUT'],
      ['/sandbox/callbacks/mode', 'POST'],
      ['/sandbox/callbacks/forget', 'POST'],
      ['/sandbox/callbacks/test', 'POST'],
      ['/sandbox/callbacks/hook/', 'POST'],
      ['/sandbox/callbacks/Hook', 'POST'],
      ['/sandbox/callbacks/hook/mode', 'POST'],
    ] as const) {
      expect([path, await statusOf(path, method, KEY)]).toEqual([path, 401]);
    }
    expect(await statusOf('/sandbox/callbacks', 'GET', basic)).toBe(200);
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH'])
      expect([method, await statusOf('/sandbox/callbacks/hook', method, basic)]).toEqual([method, 405]);
  });

  test('with no password set is open to any caller at that URL, and to this machine at the others', async () => {
    const statusOf = (path: string, method: string, headers: object) => statusBy(app.url + path, method, headers);
    const foreign = { host: 'evil.example' };
    expect(await statusOf('/sandbox/callbacks/hook', 'POST', { ...foreign, ...KEY })).toBe(200);
    expect(await statusOf('/sandbox/callbacks', 'GET', foreign)).toBe(403);
    const cross = { 'sec-fetch-site': 'cross-site' };
    expect(await statusOf('/sandbox/callbacks', 'DELETE', cross)).toBe(403);
    expect(await statusOf('/sandbox/callbacks/mode', 'POST', cross)).toBe(403);
  });

  test('is refused for a body above 64 KiB', async () => {
    expect((await callShop(`"${'x'.repeat(65_536)}"`)).status).toBe(413);
    expect((await readDesk()).arrivals).toEqual([]);
  });
});

describe('the callback endpoint of the demo merchant', () => {
  const readEndpoints = (of: TestApp) =>
    of.sql(`select * from endpoints where merchant_id = $1 order by created_at`, [DEMO.merchantId]);

  test('exists from the first start on, and its access key is stored encrypted', async () => {
    const [endpoint, ...others] = await readEndpoints(app);
    expect(others).toEqual([]);
    const { publicUrl, keyring } = app.node.core;
    expect(endpoint).toMatchObject({ kind: 'callback', url: `${publicUrl}/sandbox/callbacks/hook`, deleted_at: null });
    expect(endpoint.access_key).not.toContain(DEMO.accessKey);
    expect(keyring.open(endpoint.access_key, 'callback access key')).toBe(DEMO.accessKey);
  });

  test.each([
    ['its own of another port', 'http://localhost:1/sandbox/callbacks/hook', false, 'renewed'],
    ['a merchant’s own', 'https://shop.example/hook', false, 'kept'],
    ['one that only looks like it', 'https://shop.example/x/sandbox/callbacks/hook', false, 'kept'],
    ['a removed one', 'http://localhost:1/sandbox/callbacks/hook', true, 'kept'],
  ])('is changed at a later start for %s (%s, removed: %s): %s', async (_name, url, isRemoved, fate) => {
    const { core } = app.node;
    const [first] = await readEndpoints(app);
    await app.sql('update endpoints set url = $1, failures = 7, failing_since = created_at, deleted_at = $2', [
      url,
      isRemoved ? core.clock.now() : null,
    ]);
    const before = await readEndpoints(app);
    // Seeds the demo merchant like a start of the node.
    await seedDemo({ ...core, secret: 'demo-secret', scopes: SCOPES });
    const after = await readEndpoints(app);
    await app.sql('update endpoints set url = $1, failures = 0, failing_since = null, deleted_at = null', [first.url]);
    const renewed = { ...before[0], url: first.url, failures: 0, failing_since: null, updated_at: expect.anything() };
    expect(after).toEqual(fate === 'kept' ? before : [renewed]);
  });
});

/** The callback of a paid reference. */
function ppr(reference = '017756991') {
  return {
    idTransacao: '12345678901',
    numLogSistema: '7',
    idLogSistema: '20',
    dataTransaccaoCliente: '2026-03-02T09:00:00.000Z',
    montantePago: 1500.5,
    tipoTerminal: 'ATM',
    iIdentTerminal: '0000012345',
    localidadeTerminal: 'Luanda Ilha',
    refPagamento: reference,
    Id: randomUUID(),
    nib: null,
    banco: null,
  };
}

/** The callback of a paid QR code. */
function code() {
  const at = '2026-03-02T09:00:00.000Z';
  const money = { amount: 4500, currency: 'AOA', merchantReferenceNumber: 'LI-7F3A20B1C4' };
  const rail = { clearingPeriod: '20', transactionNumber: '7', transactionType: 'PURCHASE', orderOrigin: 'QRCODE' };
  return { creationDate: at, updatedDate: at, id: randomUUID(), status: 'ACCEPTED', ...money, ...rail };
}

function callShop(body: unknown, headers: Record<string, string> = KEY, of = app): Promise<Reply> {
  return of.call('/sandbox/callbacks/hook', { method: 'POST', body, token: null, headers });
}

/** Starts a call that has arrived at the shop and has no response yet. */
async function openCall(body: object, of = app) {
  const count = async () => (await readDesk(of)).arrivals.filter(({ outcome }) => outcome === 'open').length;
  const before = await count();
  const caller = startCall(body, of);
  await until(async () => (await count()) > before, 'the call arriving');
  return caller;
}

function startCall(body: object, of: TestApp) {
  const headers = { 'content-type': 'application/json', ...KEY };
  const caller = openRequest(`${of.url}/sandbox/callbacks/hook`, { method: 'POST', headers, agent: false });
  caller.on('error', () => {});
  return caller.end(JSON.stringify(body));
}

async function setMode(body: object, of = app): Promise<object> {
  const reply = await of.call('/sandbox/callbacks/mode', { method: 'PUT', body, token: null });
  expect(reply.status).toBe(200);
  return reply.json;
}

function readText(headers: Record<string, string> = {}, of = app): Promise<Reply> {
  return of.call('/sandbox/callbacks', { token: null, headers: { accept: 'application/json', ...headers } });
}

async function readDesk(of = app): Promise<CallbacksView> {
  const { status, headers, json } = await readText({}, of);
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
  return json;
}

async function readNewest(): Promise<ArrivalView> {
  const [newest] = (await readDesk()).arrivals;
  if (!newest) throw new Error('nothing arrived');
  return newest;
}

function readPage(): Promise<Reply> {
  return app.call('/sandbox/callbacks', { token: null, headers: { accept: 'text/html' } });
}

function postForm(action: 'mode' | 'forget' | 'test', form: Record<string, string>): Promise<Response> {
  const body = new URLSearchParams(form);
  return fetch(`${app.url}/sandbox/callbacks/${action}`, { method: 'POST', body, redirect: 'manual' });
}

/** With `node:http`, since fetch does not let a test choose Host or Sec-Fetch-Site. */
async function statusBy(url: string, method: string, headers: object): Promise<number | undefined> {
  const request = openRequest(url, { method, headers: { ...headers }, agent: false }).end();
  const [answer] = await once(request, 'response');
  answer.resume();
  return answer.statusCode;
}

function track<T>(end: Promise<T>) {
  let isOver = false;
  void end.then(() => (isOver = true));
  return { end, isOver: () => isOver };
}
