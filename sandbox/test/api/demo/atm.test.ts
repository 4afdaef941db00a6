// The sandbox's cash machine over HTTP, with a real simulator.
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import Koa from 'koa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catchProblems } from '../../../../server/http/problem.ts';
import { createPprRail } from '../../../../server/providers/ppr/client.ts';
import type { ReferenceOrder } from '../../../../server/providers/provider.ts';
import { guardSandbox } from '../../../guard.ts';
import { sandboxPages } from '../../../pages.ts';
import { startSimulator, type StandaloneSimulator } from '../../../simulator/start.ts';
import { testClock } from '../../../../test/support/clock.ts';
import { freshDatabase, type FreshDatabase } from '../../../../test/support/database.ts';
import { RAIL_KEY } from '../../../../test/support/rail.ts';
import { startReceiver } from '../../../../test/support/receiver.ts';
import { pprById } from '../../../../test/support/lone-rail.ts';

/** The built module, because Node cannot load JSX. */
const render = (await import(
  fileURLToPath(new URL('../../../../dist/ssr/sandbox.js', import.meta.url))
)) as typeof import('../../../pages/render.tsx');

const clock = testClock('2026-03-02T09:00:00.000Z');
const servers: Server[] = [];
let database: FreshDatabase;
let simulator: StandaloneSimulator;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let rail: ReturnType<typeof pprById>;
let base = '';

beforeAll(async () => {
  [database, receiver] = await Promise.all([freshDatabase(), startReceiver()]);
  const place = { host: '127.0.0.1', port: 0, databaseUrl: database.url };
  simulator = await startSimulator({ ...place, clock, pprKey: RAIL_KEY, pprNotifyUrl: () => receiver.url });
  rail = pprById(createPprRail({ url: simulator.url, key: RAIL_KEY, timeoutMs: 5_000, clock }));
  base = await serve(() => simulator.url);
});
afterAll(async () => {
  servers.forEach((server) => (server.closeAllConnections(), server.close()));
  await simulator.stop();
  await receiver.stop();
  await database.drop();
});

describe('the page /sandbox/atm', () => {
  test('has fields for the digits and keeps the typed digits if the payer chooses another channel', async () => {
    const html = await readPage('?entity=00123&reference=017756991&channel=IB');
    expect(html).toContain('Não conhecemos esta referência nesta entidade');
    expect(html).toContain('href="/sandbox/atm?channel=MB&amp;entity=00123&amp;reference=017756991"');
    expect(html).toMatch(/<a [^>]*channel=IB[^>]*aria-current="page">/);
    expect(html).toMatch(/id="entity"[^>]*value="00123"/);
    const blank = await readPage('');
    expect(blank).toMatch(/id="entity"[^>]*value="00999"/);
    expect(blank).not.toContain('class="error"');
  });

  test('shows the amount and the merchant of a reference before it is paid', async () => {
    const reference = await register({ description: 'Café <de> Amboim' });
    const html = await readPage(`?entity=00999&reference=${spread(reference)}`);
    for (const text of ['Loja da Ilha', '1\u00a0500,00\u00a0Kz', 'Café &lt;de> Amboim', spread(reference)]) {
      expect(html).toContain(text);
    }
    expect(html).toContain('<button>Pagar 1\u00a0500,00\u00a0Kz</button>');
    expect(await readTaken(reference)).toEqual([]);
  });

  test('pays by a plain form and prints a receipt', async () => {
    const reference = await register();
    const answer = await postForm({ entity: '00 999', reference: spread(reference) });
    const [taken] = await readTaken(reference);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/sandbox/atm/${taken.transactionId}`]);
    const html = await (await fetch(base + answer.headers.get('location'))).text();
    const seen = ['00999', spread(reference), '1\u00a0500,00\u00a0Kz', taken.transactionId, `n.º ${taken.number}`];
    const at = `02/03/2026 10:${taken.paidAt.slice(14, 16)}`;
    for (const text of [...seen, 'ATM 0000012345', 'Luanda Ilha', at]) expect(html).toContain(text);
    expect(taken).toMatchObject({ amount: '1500.00', period: expect.stringMatching(/^\d+$/), isPublic: true });
  });

  test.each([
    ['IB', 'Internet'],
    ['MB', 'Internet'],
    ['POS', 'Luanda Talatona'],
  ])('pays through %s and names the channel on the receipt', async (channel, location) => {
    const reference = await register();
    const answer = await postForm({ entity: '00999', reference, channel });
    const [{ terminal }] = await readTaken(reference);
    expect(terminal).toMatchObject({ type: channel, location });
    const html = await (await fetch(base + answer.headers.get('location'))).text();
    expect(html).toContain(`${channel} ${terminal.id}`);
  });

  test('accepts an amount with separators for an open reference', async () => {
    const reference = await register({ type: 'Charging', amountMinor: 0 });
    expect(await readPage(`?reference=${reference}`)).toContain('Quanto quer pagar');
    for (const amount of ['1 500,50', '1.500.000,5', '20 Kz', '0.01', '1,500.00'])
      expect((await postForm({ entity: '00999', reference, amount })).status).toBe(303);
    const taken = (await readTaken(reference)).map(({ amount }) => amount);
    expect(taken).toEqual(['1500.50', '1500000.50', '20.00', '0.01', '1500.00']);
  });

  test('refuses an invalid amount and keeps the text in the field', async () => {
    const reference = await register({ type: 'Charging', amountMinor: 0 });
    for (const typed of [' ', '0', 'muito', '1,500,00', '1500,500', '0,005', '-5', '10000000,01']) {
      const answer = await postForm({ entity: '00999', reference, amount: typed });
      const html = await answer.text();
      expect([typed, answer.status]).toEqual([typed, 400]);
      expect(html).toMatch(/id="amount"[^>]*aria-invalid="true"/);
      expect(html).toContain(`required value${typed.trim() && `="${typed}"`} aria-invalid`);
    }
    expect(await readTaken(reference)).toEqual([]);
  });

  test('requires the exact amount of a fixed reference', async () => {
    const reference = await register();
    const answer = await postForm({ entity: '00999', reference, amount: '1500,01' });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('Esta referência pede exactamente 1\u00a0500,00\u00a0Kz.');
    expect(await readTaken(reference)).toEqual([]);
    expect((await postForm({ entity: '00999', reference, amount: '1.500,00' })).status).toBe(303);
  });

  test('shows invalid digits at their fields with the typed text', async () => {
    const answer = await postForm({ entity: '999', reference: '12 <3' });
    const html = await answer.text();
    expect(answer.status).toBe(400);
    expect(html).toMatch(/id="entity"[^>]*value="999"[^>]*aria-invalid="true"/);
    expect(html).toMatch(/id="reference"[^>]*value="12 &lt;3"[^>]*aria-invalid="true"/);
    expect((await postForm({ entity: '00999', reference: '999999999' })).status).toBe(404);
  });

  test.each([
    ['paid', 409, 'Já foi paga'],
    ['expired', 409, 'O prazo terminou'],
    ['withdrawn', 409, 'Referência cancelada'],
  ] as const)('returns for a reference that was %s the status %i with its reason', async (state, status, title) => {
    const reference = await end(state);
    const paidBefore = (await readTaken(reference)).length;
    const answer = await postForm({ entity: '00999', reference });
    const html = await answer.text();
    expect(answer.status).toBe(status);
    expect(html).toContain(title);
    expect(html).not.toContain('<button>Pagar');
    expect(await readTaken(reference)).toHaveLength(paidBefore);
  });

  test.each(['/sandbox/atm/123', '/sandbox/atm/nada', '/sandbox/atm/1,2'])(
    'returns 404 for the receipt %s',
    async (path) => {
      const answer = await fetch(base + path);
      expect(answer.status).toBe(404);
      expect(await answer.text()).toContain('Não encontramos esse talão');
    },
  );

  test('returns 503 to people and scripts while the simulator is down', async () => {
    const down = await serve(() => 'http://127.0.0.1:9');
    const page = await fetch(`${down}/sandbox/atm?reference=123456789`, { headers: { accept: 'text/html' } });
    const data = await fetch(`${down}/sandbox/atm`, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ entity: '00999', reference: '123456789' }),
    });
    expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
    expect([data.status, data.headers.get('content-type')]).toEqual([503, 'application/problem+json']);
  });
});

describe('a fault of the cash machine', () => {
  const order = async (reference: string, fault: string, amount?: string) => {
    const answer = await postForm({ entity: '00999', reference, fault, ...(amount && { amount }) });
    expect(answer.status).toBe(303);
    return (await fetch(base + answer.headers.get('location'))).text();
  };

  test('is offered only for references to which it applies', async () => {
    const offered = async (reference: string) =>
      [...(await readPage(`?reference=${reference}`)).matchAll(/name="fault" value="(\w+)"/g)].map(([, name]) => name);
    const whatever = ['twice', 'notify_later', 'lost'];
    expect(await offered(await register())).toEqual([...whatever, 'wrong_amount']);
    expect(await offered(await register({ type: 'Charging', amountMinor: 0 }))).toEqual(whatever);
    for (const state of ['paid', 'expired', 'withdrawn'] as const)
      expect(await offered(await end(state))).toEqual(['late']);
  });

  test('`twice` records two payments with two receipts', async () => {
    const reference = await register();
    const html = await order(reference, 'twice');
    const taken = await readTaken(reference);
    expect(taken).toHaveLength(2);
    for (const { transactionId } of taken) expect(html).toContain(`Talão ${transactionId}`);
    expect(html).toContain('2 pagamentos feitos');
  });

  test.each(['paid', 'expired', 'withdrawn'] as const)(
    '`late` accepts the money of a reference that was %s',
    async (state) => {
      const reference = await end(state);
      const paidBefore = (await readTaken(reference)).length;
      expect(await order(reference, 'late')).toContain('pagamento fora do prazo');
      expect(await readTaken(reference)).toHaveLength(paidBefore + 1);
    },
  );

  test('`wrong amount` requires an amount and accepts any value', async () => {
    const reference = await register();
    expect((await postForm({ entity: '00999', reference, fault: 'wrong_amount', amount: '' })).status).toBe(400);
    expect(await order(reference, 'wrong_amount', '900')).toContain('900,00\u00a0Kz');
    expect(await readTaken(reference)).toMatchObject([{ amount: '900.00' }]);
  });

  test('`notify later` delays the rail notification, and `lost` omits it', async () => {
    const [late, lost] = [await register(), await register()];
    expect(await order(late, 'notify_later')).toContain('daqui a uma hora');
    expect(await order(lost, 'lost')).toContain('A notificação perdeu-se');
    expect(await readTaken(late)).toMatchObject([{ isPublic: false }]);
    expect(await readTaken(lost)).toMatchObject([{ isPublic: true, notifications: 0 }]);
  });
});

describe('the JSON of /sandbox/atm', () => {
  test('pays and returns the payments', async () => {
    const reference = await register();
    const answer = await postJson({ entity: '00999', reference, channel: 'MB' });
    const { payments } = await answer.json();
    const [{ transactionId, period, number }] = await readTaken(reference);
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `/sandbox/atm/${transactionId}`]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(payments).toEqual([
      {
        transactionId,
        entity: '00999',
        reference,
        merchant: 'Loja da Ilha',
        amount: '1500.00',
        currency: 'AOA',
        amountText: '1\u00a0500,00\u00a0Kz',
        paidAt: clock.now().toISOString(),
        period,
        number,
        terminal: { type: 'MB', id: '0000000000', location: 'Internet' },
      },
    ]);
  });

  test('returns every payment of the fault `twice`, and one URL with all receipts', async () => {
    const answer = await postJson({ entity: '00999', reference: await register(), fault: 'twice' });
    const { payments } = await answer.json();
    const ids = payments.map(({ transactionId }: { transactionId: string }) => transactionId);
    expect(new Set(ids).size).toBe(2);
    expect(answer.headers.get('location')).toBe(`/sandbox/atm/${ids.join(',')}?fault=twice`);
  });

  test.each([
    ['a number', 20.5, '20.50'],
    ['text', '20.50', '20.50'],
  ])('accepts an amount as %s', async (_name, amount, taken) => {
    const reference = await register({ type: 'Charging', amountMinor: 0 });
    expect((await postJson({ entity: '00999', reference, amount })).status).toBe(201);
    expect(await readTaken(reference)).toMatchObject([{ amount: taken }]);
  });

  test.each<[object | string, [pointer: string, code: string][]]>([
    [
      {},
      [
        ['/entity', 'required'],
        ['/reference', 'required'],
      ],
    ],
    [
      { entity: '999', reference: '12' },
      [
        ['/entity', 'invalid_format'],
        ['/reference', 'invalid_reference'],
      ],
    ],
    [
      { entity: 999, reference: 123456789 },
      [
        ['/entity', 'invalid_type'],
        ['/reference', 'invalid_type'],
      ],
    ],
    [
      { channel: 'TV', fault: 'fire', amount: {} },
      [
        ['/amount', 'invalid_format'],
        ['/channel', 'invalid_value'],
        ['/fault', 'invalid_value'],
      ],
    ],
    [{ amount: 900 }, [['/amount', 'invalid_value']]],
    [{ amount: '0.0015' }, [['/amount', 'amount_precision']]],
    [{ amount: 10000000.01 }, [['/amount', 'amount_out_of_range']]],
    [{ fault: 'wrong_amount' }, [['/amount', 'required']]],
    ['{"entity":"00999","amount":1500.0000000000000001,"reference":"$"}', [['/amount', 'amount_precision']]],
  ])('refuses %j with the JSON pointer of each fault', async (fields, faults) => {
    const reference = await register();
    const own =
      'entity' in Object(fields) || Object.keys(fields).length === 0
        ? fields
        : { entity: '00999', reference, ...Object(fields) };
    const answer = await postJson(typeof fields === 'string' ? fields.replace('$', reference) : own);
    expect(answer.status).toBe(400);
    const { errors } = await answer.json();
    expect(errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code])).toEqual(faults);
    expect(await readTaken(reference)).toEqual([]);
  });

  test('returns 404 for an unknown reference, and 409 with the reason if the reference has ended', async () => {
    expect((await postJson({ entity: '00999', reference: '999999999' })).status).toBe(404);
    for (const state of ['paid', 'expired', 'withdrawn'] as const) {
      const answer = await postJson({ entity: '00999', reference: await end(state) });
      expect(answer.status).toBe(409);
      expect(await answer.json()).toMatchObject({ code: 'state_conflict', reason: state });
    }
  });

  test.each([
    ['text', 'text/plain', 'entity=00999', 415],
    ['half a JSON', 'application/json', '{"entity":', 400],
    ['10 kB', 'application/json', JSON.stringify({ entity: '0'.repeat(10_001) }), 413],
  ])('refuses %s', async (_name, type, body, status) => {
    const answer = await fetch(`${base}/sandbox/atm`, { method: 'POST', headers: { 'content-type': type }, body });
    expect(answer.status).toBe(status);
  });
});

let nth = 100_000_000;

/** Registers a reference, by default Dynamic with 1 500,00 Kz. Returns its digits. */
async function register(changes: Partial<ReferenceOrder> = {}, id = randomUUID()): Promise<string> {
  // Leading zeros belong to the digits.
  const reference = String(++nth).replace(/^1/, '0');
  const expiresAt = new Date(clock.now().getTime() + 3_600_000);
  const money = { entity: '00999', reference, type: 'Dynamic', amountMinor: 150_000, currency: 'AOA' } as const;
  const { result } = await rail.register({ referenceId: id, ...money, description: null, expiresAt, ...changes });
  expect(result).toBe('active');
  return reference;
}

/** Creates a reference that has ended: paid, expired or withdrawn. */
async function end(state: 'paid' | 'expired' | 'withdrawn'): Promise<string> {
  const id = randomUUID();
  const expiresAt = new Date(clock.now().getTime() + (state === 'expired' ? 1_000 : 3_600_000));
  const reference = await register({ expiresAt }, id);
  if (state === 'paid') await postForm({ entity: '00999', reference });
  if (state === 'withdrawn') await rail.withdraw(id);
  if (state === 'expired') clock.leap(1_000);
  return reference;
}

/** The payments of a reference in the rail's records. */
async function readTaken(reference: string): Promise<any[]> {
  const answer = await fetch(`${simulator.url}/books?reference=${reference}`);
  return ((await answer.json()) as { referencePayments: any[] }).referencePayments;
}

const spread = (reference: string) => reference.replace(/(\d{3})(?=\d)/g, '$1 ');

async function readPage(query: string): Promise<string> {
  const answer = await fetch(`${base}/sandbox/atm${query}`);
  expect(answer.status).toBe(200);
  return answer.text();
}

function postForm(form: Record<string, string>): Promise<Response> {
  return fetch(`${base}/sandbox/atm`, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
}

function postJson(body: object | string): Promise<Response> {
  return fetch(`${base}/sandbox/atm`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

async function serve(pprUrl: () => string): Promise<string> {
  const koa = new Koa();
  let url = '';
  const publicUrl = () => url;
  const pages = sandboxPages({
    publicUrl,
    apiUrl: publicUrl,
    railUrl: pprUrl,
    pprUrl,
    clientId: 'demo',
    clientSecret: () => 'demo-secret',
    assets: { url: () => null },
    render,
    password: null,
    clock,
    findName: async () => null,
  });
  koa.use(catchProblems(publicUrl, () => {}));
  koa.use(guardSandbox({ password: null, publicUrl }));
  koa.use(pages.routes());
  const server = await new Promise<Server>((resolve) => {
    const listening: Server = koa.listen(0, '127.0.0.1', () => resolve(listening));
  });
  servers.push(server);
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return url;
}
