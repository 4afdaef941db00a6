import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { travelToStatus } from '../../support/payments.ts';
import { byHand, refund } from '../../support/refunds.ts';
import { addCashier, charge, closeShift, openShift, readShift, setTakesCash } from '../../support/shifts.ts';
import { DEMO } from '../../../sandbox/seed.ts';

const { merchantId } = DEMO;
const APPROVING = '900000000';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await app.call(`/api/merchants/${merchantId}`, { method: 'PUT', body: { cashierRefundLimit: 100_000 } });
});

const cashierOf = () => addCashier(app, merchantId);

describe('openShift', () => {
  test('opens an empty shift of the calling person', async () => {
    const cashier = await cashierOf();
    const shift = await openShift(cashier);
    expect(shift).toMatchObject({
      cashier: { id: cashier.userId, name: 'Ana Neto' },
      status: 'open',
      closedAt: null,
      currency: 'AOA',
      taken: [],
      refunded: [],
      totals: { taken: 0, refunded: 0, net: 0 },
      canceled: { count: 0, amount: 0 },
      pending: { count: 0, amount: 0 },
      cash: null,
    });
    expect((await cashier.call('/api/shifts/current')).json).toEqual({ shift });
  });

  test('returns 200 with the open shift if the person opened it before', async () => {
    const cashier = await cashierOf();
    const { id } = await openShift(cashier);
    const again = await cashier.call('/api/shifts', { body: {} });
    expect([again.status, again.json.id]).toEqual([200, id]);
  });

  test('opens a new shift after the close of the last one', async () => {
    const cashier = await cashierOf();
    const first = await openShift(cashier);
    await closeShift(cashier, first.id);
    expect((await openShift(cashier)).id).not.toBe(first.id);
  });

  test('refuses an API client with 403 user_required', async () => {
    const { status, json } = await app.call('/api/shifts', { body: {} });
    expect([status, json.code]).toEqual([403, 'user_required']);
  });

  test('refuses a person without the scope payments:write', async () => {
    const viewer = await addCashier(app, merchantId, 'Viewer');
    const { status, json } = await viewer.call('/api/shifts', { body: {} });
    expect([status, json.code]).toEqual([403, 'insufficient_scope']);
  });

  test('refuses openingCash of a shop that takes no cash', async () => {
    const { status, json } = await (await cashierOf()).call('/api/shifts', { body: { openingCash: 100 } });
    expect([status, json.code]).toEqual([409, 'cash_not_taken']);
  });

  test('refuses openingCash of an open shift without cash, also after the shop takes cash', async () => {
    const cashier = await cashierOf();
    const { id } = await openShift(cashier);
    await setTakesCash(app, merchantId, true);
    const { status, json } = await cashier.call('/api/shifts', { body: { openingCash: 100 } });
    expect([status, json.code]).toEqual([409, 'cash_not_taken']);
    expect(await readShift(cashier, id)).toMatchObject({ status: 'open', cash: null });
    await setTakesCash(app, merchantId, false);
  });
});

describe('a shift', () => {
  test('counts the money of a charge and of a refund, by method', async () => {
    const cashier = await cashierOf();
    const { id } = await openShift(cashier);
    const payment = await charge(cashier, APPROVING, { amount: 1_500.5 });
    expect(payment).toMatchObject({ shiftId: id, createdBy: cashier.userId });
    expect((await readShift(cashier, id)).pending).toEqual({ count: 1, amount: 1_500.5 });
    await travelToStatus(app, payment.id, 'Paid');
    const back = await refund(app, payment.id, byHand({ amount: 500.25 }), {
      token: await cashier.tokenFor(app),
    });
    expect(back.json).toMatchObject({ shiftId: id, createdBy: cashier.userId, createdByClient: null });
    expect(await readShift(cashier, id)).toMatchObject({
      taken: [{ method: 'push', count: 1, currency: 'AOA', amount: 1_500.5 }],
      refunded: [{ method: 'push', count: 1, currency: 'AOA', amount: 500.25, manual: 500.25 }],
      totals: { taken: 1_500.5, refunded: 500.25, net: 1_000.25 },
      pending: { count: 0, amount: 0 },
    });
  });

  test('does not count money that arrives after its close', async () => {
    const cashier = await cashierOf();
    const { id } = await openShift(cashier);
    const payment = await charge(cashier, APPROVING);
    const closed = await closeShift(cashier, id);
    expect(closed.json).toMatchObject({ status: 'closed', pending: { count: 1, amount: 1_500 }, taken: [] });
    await travelToStatus(app, payment.id, 'Paid');
    expect(await readShift(cashier, id)).toEqual(closed.json);
    const [money] = await app.sql('select shift_id from transactions where payment_id = $1', [payment.id]);
    expect(money.shift_id).toBeNull();
  });

  test('does not count money of an API client or of another person', async () => {
    const [cashier, other] = [await cashierOf(), await cashierOf()];
    const { id } = await openShift(cashier);
    await travelToStatus(app, (await charge(other, APPROVING)).id, 'Paid');
    expect((await readShift(cashier, id)).taken).toEqual([]);
  });
});

describe('closeShift', () => {
  test('closes the shift with the note, the time and the person', async () => {
    const cashier = await cashierOf();
    const { id } = await openShift(cashier);
    const { status, json } = await closeShift(cashier, id, { note: 'Sem troco' });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      status: 'closed',
      closedAt: app.clock.now().toISOString(),
      closedBy: { id: cashier.userId, name: 'Ana Neto' },
      note: 'Sem troco',
    });
    expect((await cashier.call('/api/shifts/current')).json).toEqual({ shift: null });
  });

  test('refuses a closed shift with 409 shift_closed', async () => {
    const cashier = await cashierOf();
    const { id } = await openShift(cashier);
    await closeShift(cashier, id);
    const { status, json } = await closeShift(cashier, id);
    expect([status, json.code]).toEqual([409, 'shift_closed']);
  });

  test('lets an administrator close the shift of a cashier', async () => {
    const [cashier, administrator] = [await cashierOf(), await addCashier(app, merchantId, 'Administrator')];
    const { id } = await openShift(cashier);
    expect((await closeShift(administrator, id)).json.closedBy.id).toBe(administrator.userId);
  });

  test('writes an audit entry', async () => {
    const cashier = await cashierOf();
    const { id } = await openShift(cashier);
    await closeShift(cashier, id, { note: 'Faltam 50 de Ana' });
    const entries = await app.sql(
      'select action, actor_id, changes from audit_entries where target = $1 order by seq',
      [id],
    );
    expect(entries).toEqual([
      { action: 'shift.opened', actor_id: cashier.userId, changes: {} },
      { action: 'shift.closed', actor_id: cashier.userId, changes: { note: 'changed' } },
    ]);
  });
});

describe('a shift of another', () => {
  test.each([
    ['readShift', 'GET', ''],
    ['recordCash', 'POST', '/cash', { kind: 'sale', amount: 1 }],
    ['closeShift', 'POST', '/close', {}],
  ] as const)('cashier is 404 for %s', async (_name, method, below, body?: object) => {
    const [cashier, other] = [await cashierOf(), await cashierOf()];
    const { id } = await openShift(cashier);
    const { status } = await other.call(`/api/shifts/${id}${below}`, { method, ...(body && { body }) });
    expect(status).toBe(404);
    expect((await readShift(cashier, id)).status).toBe('open');
  });

  test.each([
    ['readShift', 'GET', ''],
    ['recordCash', 'POST', '/cash', { kind: 'sale', amount: 1 }],
    ['closeShift', 'POST', '/close', {}],
  ] as const)('merchant is 404 for %s of its owner', async (_name, method, below, body?: object) => {
    const cashier = await cashierOf();
    const { id } = await openShift(cashier);
    const owner = await addCashier(app, (await app.addMerchant()).merchantId, 'Owner');
    const { status } = await owner.call(`/api/shifts/${id}${below}`, { method, ...(body && { body }) });
    expect(status).toBe(404);
    expect((await readShift(cashier, id)).status).toBe('open');
  });
});

describe('recordCash', () => {
  test('adds to the expected cash, and the close shows the difference', async () => {
    await setTakesCash(app, merchantId, true);
    const cashier = await cashierOf();
    const { id } = await openShift(cashier, { openingCash: 5_000 });
    const cash = (body: object) => cashier.call(`/api/shifts/${id}/cash`, { body });
    expect((await cash({ kind: 'sale', amount: 1_500.5 })).status).toBe(201);
    await cash({ kind: 'in', amount: 200 });
    const { json } = await cash({ kind: 'out', amount: 1_000, note: 'Depósito' });
    const sums = { opening: 5_000, sales: 1_500.5, in: 200, out: 1_000, expected: 5_700.5 };
    expect(json.cash).toEqual({ ...sums, counted: null, difference: null });
    expect((await closeShift(cashier, id)).json.errors).toMatchObject([{ pointer: '/countedCash', code: 'required' }]);
    const closed = await closeShift(cashier, id, { countedCash: 5_700 });
    expect(closed.json.cash).toEqual({ ...sums, counted: 5_700, difference: -0.5 });
    expect((await cash({ kind: 'sale', amount: 1 })).json.code).toBe('shift_closed');
    await setTakesCash(app, merchantId, false);
  });

  test('refuses cash of a shop that takes no cash', async () => {
    const cashier = await cashierOf();
    const { id } = await openShift(cashier);
    const { status, json } = await cashier.call(`/api/shifts/${id}/cash`, { body: { kind: 'sale', amount: 1 } });
    expect([status, json.code]).toEqual([409, 'cash_not_taken']);
  });

  test.each([
    [{ kind: 'sale', amount: 0 }, '/amount', 'amount_out_of_range'],
    [{ kind: 'sale', amount: 0.001 }, '/amount', 'amount_precision'],
    [{ kind: 'gift', amount: 1 }, '/kind', 'invalid_value'],
    [{ kind: 'sale', amount: 1, note: '' }, '/note', 'too_short'],
  ])('refuses %j', async (body, pointer, code) => {
    const cashier = await cashierOf();
    const { id } = await openShift(cashier);
    const { status, json } = await cashier.call(`/api/shifts/${id}/cash`, { body });
    expect([status, json.errors]).toEqual([400, [expect.objectContaining({ pointer, code })]]);
  });

  test('records once under one Idempotency-Key', async () => {
    await setTakesCash(app, merchantId, true);
    const cashier = await cashierOf();
    const { id } = await openShift(cashier);
    const headers = { 'Idempotency-Key': `cash-${id}` };
    const send = () => cashier.call(`/api/shifts/${id}/cash`, { body: { kind: 'sale', amount: 10 }, headers });
    const [first, again] = [await send(), await send()];
    expect(again.json).toEqual(first.json);
    expect((await readShift(cashier, id)).cash.sales).toBe(10);
    await setTakesCash(app, merchantId, false);
  });
});

describe('listShifts', () => {
  test('lists only own shifts for a cashier, and all shifts for an owner', async () => {
    const [cashier, other] = [await cashierOf(), await cashierOf()];
    const own = await openShift(cashier);
    await closeShift(cashier, own.id);
    const [second, theirs] = [await openShift(cashier), await openShift(other)];
    const idsOf = ({ json }: { json: any }) => json.data.map(({ id }: { id: string }) => id);
    const mine = await cashier.call('/api/shifts');
    expect(idsOf(mine).toSorted()).toEqual([own.id, second.id].toSorted());
    expect(idsOf(await cashier.call(`/api/shifts?user=${other.userId}`))).toEqual([]);
    const owner = await addCashier(app, merchantId, 'Owner');
    expect(idsOf(await owner.call(`/api/shifts?user=${other.userId}`))).toEqual([theirs.id]);
    expect(idsOf(await owner.call(`/api/shifts?user=${cashier.userId}&status=closed`))).toEqual([own.id]);
  });

  test('returns pages that have each shift once', async () => {
    const cashier = await cashierOf();
    const ids = [];
    for (let nth = 0; nth < 5; nth++) {
      const { id } = await openShift(cashier);
      ids.push(id);
      await closeShift(cashier, id);
      app.clock.leap(1_000);
    }
    const found: string[] = [];
    for (let next: string | null = ''; next !== null;) {
      const { json }: { json: any } = await cashier.call(`/api/shifts?limit=2${next && `&after=${next}`}`);
      found.push(...json.data.map(({ id }: { id: string }) => id));
      next = json.next;
    }
    expect(found).toEqual(ids.toReversed());
  });

  test('returns a file in Portuguese, with the sums', async () => {
    const cashier = await cashierOf();
    const { id } = await openShift(cashier);
    await travelToStatus(app, (await charge(cashier, APPROVING)).id, 'Paid');
    await closeShift(cashier, id);
    const { text } = await cashier.call('/api/shifts.csv');
    const [head, row] = text.split('\r\n');
    expect(head).toContain('Aberto em;Fechado em;Caixa;Estado;Recebido;Devolvido;Líquido;Fundo de caixa');
    expect(row).toContain(';Ana Neto;Fechado;1500,00;0,00;1500,00;;;;;;;;AOA;');
  });
});

test('a canceled page shows the person who canceled it, and its event has the person too', async () => {
  const cashier = await cashierOf();
  const { id } = await openShift(cashier);
  const body = { amount: 700, currency: 'AOA', paymentType: 'GPO', reference: 'CANCELED-1' };
  const page = (await cashier.call('/api/payments', { body })).json;
  await cashier.call(`/api/payments/${page.id}/cancel`, { method: 'POST' });
  expect((await app.call(`/api/payments/${page.id}`)).json).toMatchObject({
    status: 'Canceled',
    canceledBy: cashier.userId,
    canceledByClient: null,
  });
  const { json } = await app.call(`/api/payments/${page.id}/events`);
  expect(json.data.map(({ type, details }: any) => [type, details.canceledBy])).toEqual(
    expect.arrayContaining([['payment.canceled', cashier.userId]]),
  );
  expect((await readShift(cashier, id)).canceled).toEqual({ count: 1, amount: 700 });
});
