import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { addMoney, addRefund } from '../../support/books.ts';
import { openCallbackFixture, sell, type CallbackFixture } from '../../support/callbacks.ts';
import { create, purchase, travelToStatus } from '../../support/payments.ts';
import { readFieldFaults, moneyFor, notifyPprPayment } from '../../support/ppr.ts';

const PATH = '/api/transactions';

let app: TestApp;
let fixture: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  fixture = await openCallbackFixture(app);
});

const list = async (query = '') => (await fixture.call(PATH + query)).json.data as any[];
const idsOf = async (query: string) => (await list(query)).map(({ id }) => id);

describe('GET /api/transactions for one payment', () => {
  test('returns the rail’s identifiers, the period and the net amount of a push', async () => {
    const { id } = await create(app, purchase('900000000', { amount: 1500.5 }));
    const { transactions, reference } = await travelToStatus(app, id, 'Paid');
    const { json } = await app.call(PATH);
    expect(json.next).toBeNull();
    expect(json.data[0]).toEqual({
      id: transactions[0].id,
      type: 'payment',
      paymentId: id,
      reference,
      paymentMethod: 'onetimepurchase',
      documentNumber: null,
      account: { id: 'gpo', label: 'gpo' },
      providerRef: expect.stringMatching(/^\d+$/),
      clearingPeriod: transactions[0].clearingPeriod,
      transactionNumber: transactions[0].transactionNumber,
      gross: 1500.5,
      fee: null,
      refunded: 0,
      net: 1500.5,
      currency: 'AOA',
      occurredAt: transactions[0].occurredAt,
      recordedAt: expect.stringMatching(/Z$/),
      late: false,
    });
  });

  test('returns the rail’s period of a reference, or else its day, which ends at 20:00 in Luanda', async () => {
    const made = await sell(app, fixture);
    const [own] = await list();
    expect(own).toMatchObject({ type: 'reference', account: { id: 'ppr', label: 'ppr' }, reference: made.reference });
    expect(own.clearingPeriod).toMatch(/^\d{5}$/);
    const { json: open } = await fixture.call('/api/references/ppr', {
      body: { amount: 1500, referenceType: 'Charging' },
    });
    const paidAt = app.clock.now().toISOString();
    await notifyPprPayment(app, moneyFor(app, open, { period: '', paidAt }));
    const [late] = await list();
    expect(late).toMatchObject({
      occurredAt: paidAt,
      clearingPeriod: '2026-03-02',
      recordedAt: app.clock.now().toISOString(),
    });
  });

  test('returns a refund as negative, and keeps a manual refund out of the net amount', async () => {
    const money = await addMoney(app, fixture, {
      at: '2026-03-01T10:00:00.000Z',
      minor: 100_000,
      feeMinor: 1_250,
      number: '7',
    });
    const byRail = await addRefund(app, fixture, money, { at: '2026-03-01T11:00:00.000Z', minor: 30_000 });
    const byHand = await addRefund(app, fixture, money, {
      at: '2026-03-01T12:00:00.000Z',
      minor: 5_000,
      method: 'manual',
    });
    await addRefund(app, fixture, money, { minor: 1_000, status: 'Failed' });
    const common = { paymentId: money.paymentId, clearingPeriod: '2026-03-01', currency: 'AOA' };
    expect(await list()).toMatchObject([
      {
        ...common,
        id: byHand,
        type: 'manual',
        gross: -50,
        fee: null,
        net: 0,
        providerRef: null,
        transactionNumber: null,
      },
      { ...common, id: byRail, type: 'refund', gross: -300, fee: null, net: -300, providerRef: `back ${byRail}` },
      {
        ...common,
        id: money.id,
        type: 'payment',
        gross: 1_000,
        fee: 12.5,
        refunded: 350,
        net: 987.5,
        transactionNumber: '7',
      },
    ]);
  });
});

describe('GET /api/transactions', () => {
  test('filters by type, time and payment', async () => {
    const at = (hour: number) => `2026-03-01T${hour}:00:00.000Z`;
    const push = await addMoney(app, fixture, { at: at(10), period: '156', reference: 'A-1' });
    const capture = await addMoney(app, fixture, { at: at(11), period: '156', method: 'capture' });
    const scan = await addMoney(app, fixture, { at: at(12), period: '157', method: 'qrcode' });
    const reference = await addMoney(app, fixture, { at: at(13), period: '156', method: 'reference', rail: 'ppr' });
    const refund = await addRefund(app, fixture, push, { at: at(14), period: '157' });
    const manual = await addRefund(app, fixture, push, { at: at(15), method: 'manual' });
    const all = [manual, refund, reference.id, scan.id, capture.id, push.id];
    const cases: Record<string, string[]> = {
      '': all,
      '?type=payment': [push.id],
      '?type=CAPTURE': [capture.id],
      '?type=scan': [scan.id],
      '?type=reference': [reference.id],
      '?type=refund': [refund],
      '?type=manual': [manual],
      '?period=156': [manual, reference.id, capture.id, push.id],
      '?period=156&account=gpo': [manual, capture.id, push.id],
      '?account=ppr': [reference.id],
      '?reference=A-1': [manual, refund, push.id],
      [`?from=${at(11)}&to=${at(14)}`]: [reference.id, scan.id, capture.id],
      [`?from=${at(14)}&type=refund`]: [refund],
      '?account=nobody': [],
    };
    const found: Record<string, string[]> = {};
    for (const query of Object.keys(cases)) found[query] = await idsOf(query);
    expect(found).toEqual(cases);
  });

  test.each([
    ['?limit=0', '/query/limit too_small'],
    ['?type=webframe', '/query/type invalid_value'],
    ['?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z', '/query/to date_range'],
    ['?after=abc', '/query/after page_cursor_invalid'],
    [`?after=${Buffer.from(`9.${'x'.repeat(36)}`).toString('base64url')}`, '/query/after page_cursor_invalid'],
    [
      `?after=${Buffer.from(`999999999999999.${randomUUID()}`).toString('base64url')}`,
      '/query/after page_cursor_invalid',
    ],
    ['?period=', '/query/period too_short'],
  ])('returns 400 for %s', async (query, fault) => {
    const reply = await fixture.call(PATH + query);
    expect([reply.status, readFieldFaults(reply)]).toEqual([400, [fault]]);
  });

  test('returns each movement once over all pages although new movements arrive', async () => {
    const ids: string[] = [];
    for (let second = 0; second < 3; second++) {
      const at = `2026-03-01T10:00:0${second}.000Z`;
      for (let n = 0; n < 3; n++) {
        const money = await addMoney(app, fixture, { at });
        ids.push(money.id, await addRefund(app, fixture, money, { at, minor: 1 }));
      }
    }
    const seen: any[] = [];
    for (let after: string | null = ''; after !== null;) {
      const { json } = await fixture.call(`${PATH}?limit=4${after && `&after=${after}`}`);
      if (!after) await addMoney(app, fixture);
      expect(json.data.length).toBe(seen.length === 16 ? 2 : 4);
      seen.push(...json.data);
      after = json.next;
    }
    expect(seen.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    const places = seen.map(({ occurredAt, id }) => `${occurredAt} ${id}`);
    expect(places).toEqual(places.toSorted().toReversed());
  });
});
