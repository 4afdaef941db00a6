import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../../support/app.ts';
import { create, purchase, travelToStatus, webframe } from '../../../support/payments.ts';
import { createCode, qrcode, readCodeBook } from '../../../support/qrcodes.ts';
import { askRail } from '../../../support/lone-rail.ts';
import { leavesNothing } from '../../../support/rows.ts';
import { DAY_MS } from '../../../../shared/durations.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const post = (body: object, token?: string | null) =>
  app.call('/api/payments', { body, ...(token !== undefined && { token }) });
const later = (ms: number) => new Date(app.clock.now().getTime() + ms).toISOString();
const faultsOf = ({ json }: Reply) =>
  json.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`);

test.each<[string, unknown, string]>([
  ['endDate', '2026-03-02T08:59:59.999Z', 'date_in_past'],
  ['endDate', '2026-03-02T09:00:00.000Z', 'date_in_past'],
  ['endDate', '2028-03-02T09:00:00.000Z', 'date_too_far'],
])('a QR creation with the setting %s %j returns 400', async (field, value, code) => {
  const reply = await leavesNothing(app, () => post(qrcode({ [field]: value })));
  expect(reply).toMatchObject({ status: 400, json: { code: 'validation_failed' } });
  expect(faultsOf(reply)).toEqual([`/metadata/${field} ${code}`]);
});

test('a QR creation with a past endDate, invalid ids and invalid URLs returns 400 with all faults', async () => {
  const wrong = { endDate: later(0), gpo_pos_id: 'x', returnUrl: 'https://evil.example/' };
  const reply = await leavesNothing(app, () => post(qrcode(wrong)));
  expect(faultsOf(reply).toSorted()).toEqual([
    '/metadata/endDate date_in_past',
    '/metadata/gpo_pos_id gpo_id_not_assigned',
    '/metadata/returnUrl origin_not_registered',
  ]);
});

test.each<[string, () => Record<string, unknown>]>([
  ['one payment', () => ({ maxTransactions: 1 })],
  ['10000 payments', () => ({ maxTransactions: 10_000 })],
  ['a millisecond', () => ({ endDate: later(1) })],
  ['a year', () => ({ endDate: later(365 * DAY_MS) })],
  ['a date alone, which is its last moment in Luanda', () => ({ endDate: later(DAY_MS).slice(0, 10) })],
  ['an end in Luanda’s time', () => ({ endDate: later(DAY_MS).replace('Z', '+01:00') })],
])('a QR creation that requests %s is accepted', async (_name, write) => {
  const { id, reference } = await createCode(app, write());
  const { expiresAt, maxTransactions } = (await app.call(`/api/payments/${id}`)).json;
  expect(await readCodeBook(app, reference)).toMatchObject({ maxTransactions, endDate: expiresAt });
});

/** Adds a merchant whose terminal has one status in the gateway and another at the rail. */
async function addTill(posId: string, { ours, rail }: { ours?: string; rail?: string }) {
  const merchant = await app.addMerchant({ gpoPosIds: [posId] });
  if (ours)
    await app.sql(
      `insert into terminals (id, merchant_id, pos_id, status, period, changed_at)
       values (gen_random_uuid(), $1, $2, $3, '1', now())`,
      [merchant.merchantId, posId, ours],
    );
  if (rail) await askRail(app, `/terminals/${posId}`, { status: rail }, 'PUT');
  return merchant;
}

const METHODS = [
  { method: 'qrcode', write: () => qrcode() },
  { method: 'onetimepurchase', write: () => purchase('923000003') },
  {
    method: 'authorization',
    write: () => webframe({ metadata: { paymentMethod: 'authorization', phoneNumber: '923000003' } }),
  },
];

describe('a request at a terminal that', () => {
  test.each(METHODS)('is Closed returns 409 for the method $method and writes nothing', async ({ method, write }) => {
    const { token } = await addTill(`closed-${method}`, { ours: 'Closed' });
    const body = write();
    const headers = { 'idempotency-key': `closed-${method}` };
    const reply = await leavesNothing(app, () => app.call('/api/payments', { body, token, headers }));
    expect(reply).toMatchObject({ status: 409, json: { code: 'terminal_closed' } });
    expect((await askRail(app, `/books?reference=${body['reference']}`)).body).toMatchObject({ data: [], qrcodes: [] });
    // After the terminal opens, the same request with the same Idempotency-Key is accepted.
    await app.sql(`update terminals set status = 'Open' where pos_id = $1`, [`closed-${method}`]);
    const opened = await app.call('/api/payments', { body, token, headers });
    expect([200, 201]).toContain(opened.status);
    expect(opened.headers.has('idempotency-replayed')).toBe(false);
  });

  test.each(['Opening', 'Closing'])('is %s is sent to the rail for every method', async (status) => {
    const posId = `underway-${status}`;
    const { token } = await addTill(posId, { ours: status });
    for (const { write } of METHODS) expect([200, 201]).toContain((await post(write(), token)).status);
  });

  test('is Closed creates a webframe, whose push then returns 409', async () => {
    const { token } = await addTill('closed-page', { ours: 'Closed' });
    const page = await post(webframe(), token);
    expect(page.status).toBe(201);
    const pay = () =>
      app.call(`/checkout/${page.json.clientToken}/pay`, { body: { phoneNumber: '923000004' }, token: null });
    const refused = await leavesNothing(app, pay);
    expect(refused).toMatchObject({ status: 409, json: { code: 'terminal_closed' } });
    const form = { body: 'phoneNumber=923000004', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    const led = await app.call(`/checkout/${page.json.clientToken}/pay`, { ...form, token: null });
    expect(led.status).toBe(303);
    expect(led.headers.get('location')).toBe(`/checkout/${page.json.clientToken}?error=try_again`);
    await app.sql(`update terminals set status = 'Open' where pos_id = 'closed-page'`);
    expect((await pay()).status).toBe(202);
  });

  test('another merchant has closed creates a push', async () => {
    await addTill('shared-pos', { ours: 'Closed' });
    const { token } = await app.addMerchant({ gpoPosIds: ['shared-pos'] });
    expect((await post(purchase('923000005'), token)).status).toBe(201);
  });

  test('only the rail has closed returns 409 for a QR code, and a push fails', async () => {
    const { token } = await addTill('closed-there', { rail: 'CLOSED' });
    const body = qrcode();
    const headers = { 'idempotency-key': 'closed-there' };
    const reply = await app.call('/api/payments', { body, token, headers });
    expect(reply).toMatchObject({ status: 409, json: { code: 'terminal_closed' } });
    const [row] = await app.sql(`select id, status, failure_code from payments where reference = $1`, [
      body['reference'],
    ]);
    expect(row).toMatchObject({ status: 'Failed', failure_code: 'terminal_closed' });
    expect((await app.call(`/api/payments/${row.id}/qrcode`, { token })).status).toBe(404);
    const pushed = await post(purchase('923000006'), token);
    await until(async () => {
      const { json } = await app.call(`/api/payments/${pushed.json.id}`, { token });
      return json.failure?.code === 'terminal_closed' && json.status === 'Failed';
    }, 'the push failing');
    await askRail(app, '/terminals/closed-there', { status: 'OPEN' }, 'PUT');
    expect((await app.call('/api/payments', { body, token, headers })).status).toBe(200);
  });
});

test('was closed after the authorization still captures and cancels', async () => {
  const ids = [];
  for (let nth = 0; nth < 2; nth++) {
    const metadata = { paymentMethod: 'authorization', phoneNumber: '900000000' };
    ids.push((await create(app, webframe({ metadata, amount: 700 + nth }))).id);
  }
  for (const id of ids) await travelToStatus(app, id, 'Authorized');
  await app.sql(`update terminals set status = 'Closed' where pos_id = 'demo-pos'`);
  const [taken, released] = ids;
  const capture = webframe({ amount: 700, metadata: { paymentMethod: 'capture', authorizationId: taken } });
  expect((await post(capture)).status).toBe(201);
  expect((await app.call(`/api/payments/${released}/cancel`, { method: 'POST' })).status).toBe(200);
  await app.sql(`update terminals set status = 'Open' where pos_id = 'demo-pos'`);
});
