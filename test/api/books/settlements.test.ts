// /api/settlements: a clearing period of a rail account as the bank is to credit it; closed when its day is over, and told of late money.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { addMoney, addRefund, SETTLEMENTS, together, untilClosed, untilSettlements } from '../../support/books.ts';
import { openShop, sell, type Shop } from '../../support/callbacks.ts';
import { faultsOf } from '../../support/ppr.ts';

let app: TestApp;
let shop: Shop;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  shop = await openShop(app);
});

const list = async (query = '') => (await shop.call(SETTLEMENTS + query)).json.data as any[];
const read = async (id: string, query = '') => (await shop.call(`${SETTLEMENTS}/${id}${query}`)).json;

/** A day that is long over, so that it is closed as soon as anybody looks. */
const PAST = '2026-02-10';
const at = (time: string, day = PAST) => `${day}T${time}.000Z`;

describe('a settlement', () => {
  test('is there with its first money, and is closed an hour after its day has ended at 20:00 in Luanda', async () => {
    const made = await sell(app, shop);
    const [open] = await list();
    const day = app.clock.now().toISOString().slice(0, 10);
    expect(open).toMatchObject({ account: { id: 'ppr' }, day, status: 'open', closedAt: null, taken: 1500, count: 1 });
    app.clock.leap(Date.parse(`${day}T19:59:58.000Z`) - app.clock.now().getTime());
    expect((await list())[0].closedAt).toBeNull();
    app.clock.leap(2_000);
    const [closed] = await untilClosed(app, shop);
    expect(closed).toMatchObject({
      id: open.id,
      status: 'open',
      taken: 1500,
      expectedCredit: 1500,
      changedAfterClose: null,
    });
    expect(closed.closedAt >= `${day}T20:00:00.000Z`).toBe(true);
    const { movements } = await read(open.id);
    expect(movements).toMatchObject({
      data: [{ type: 'reference', reference: made.reference, net: 1500 }],
      next: null,
    });
  });

  test('adds up what was taken, fees, and what the rail gave back; by hand stands apart', async () => {
    await together(app, async (books) => {
      const money = await addMoney(books, shop, { at: at('10:00:00'), minor: 100_010, feeMinor: 1_005 });
      await addMoney(books, shop, { at: at('18:59:59'), minor: 50_000 });
      await addMoney(books, shop, { at: at('19:00:00'), minor: 7 });
      await addRefund(books, shop, money, { at: at('12:00:00'), minor: 20_000 });
      await addRefund(books, shop, money, { at: at('12:00:00', '2026-02-20'), minor: 3_000, method: 'manual' });
    });
    const [next, own] = await untilClosed(app, shop);
    expect(next).toMatchObject({ day: '2026-02-11', taken: 0.07, expectedCredit: 0.07, count: 1 });
    expect(own).toEqual({
      id: expect.any(String),
      account: { id: 'gpo', label: 'gpo' },
      clearingPeriod: PAST,
      day: PAST,
      currency: 'AOA',
      status: 'open',
      closedAt: expect.stringMatching(/Z$/),
      taken: 1500.1,
      fees: 10.05,
      refunded: 200,
      refundedByHand: 30,
      expectedCredit: 1290.05,
      count: 4,
      credited: 0,
      difference: -1290.05,
      changedAfterClose: null,
      reconciledAt: null,
      differenceCount: 0,
    });
    const { movements, credits, reasons, differences, ...summary } = await read(own.id);
    expect([summary, credits, reasons, differences]).toEqual([own, [], [], []]);
    expect(movements.data.map(({ type, net }: any) => [type, net])).toEqual([
      ['manual', 0],
      ['payment', 500],
      ['refund', -200],
      ['payment', 990.05],
    ]);
  });

  test('is of one account, one period and one currency', async () => {
    await addMoney(app, shop, { at: at('10:00:00'), period: '156' });
    await addMoney(app, shop, { at: at('10:00:00'), period: '156', rail: 'ppr', method: 'reference' });
    await addMoney(app, shop, { at: at('10:00:00'), period: '157' });
    await addMoney(app, shop, { at: at('10:00:00'), period: '156', currency: 'USD', minor: 5_000 });
    const found = await list();
    const keys = found.map(({ account, clearingPeriod, currency, taken }) => [
      account.id,
      clearingPeriod,
      currency,
      taken,
    ]);
    expect(keys.toSorted()).toEqual([
      ['gpo', '156', 'AOA', 1500],
      ['gpo', '156', 'USD', 50],
      ['gpo', '157', 'AOA', 1500],
      ['ppr', '156', 'AOA', 1500],
    ]);
  });

  test('of a rail that counts its periods is not closed while its money still comes', async () => {
    const now = app.clock.now();
    await together(app, async (books) => {
      await addMoney(books, shop, { at: at('10:00:00'), recordedAt: now.toISOString(), period: '156' });
      await addMoney(books, shop, { at: now.toISOString(), period: '156' });
    });
    const [row] = await app.sql('select id from settlements where merchant_id = $1', [shop.merchantId]);
    const isPut = async () =>
      (await app.sql('select due_at > $2 as later from settlements where id = $1', [row.id, now]))[0].later;
    await untilSettlements(app, shop, isPut, 'being put off');
    expect(await list()).toMatchObject([{ closedAt: null, count: 2 }]);
  });

  test('without anything to come is balanced by itself', async () => {
    await together(app, async (books) => {
      const money = await addMoney(books, shop, { at: at('10:00:00'), minor: 5_000 });
      await addRefund(books, shop, money, { at: at('11:00:00'), minor: 5_000 });
    });
    const [closed] = await untilClosed(app, shop);
    expect(closed).toMatchObject({ status: 'balanced', expectedCredit: 0, difference: 0 });
  });
});

test('late money is of the period that the rail put it in, which says so; what was given back by hand is no change', async () => {
  const first = await addMoney(app, shop, { at: at('10:00:00'), period: '156', minor: 10_000 });
  const [closed] = await untilClosed(app, shop);
  await addRefund(app, shop, first, { at: app.clock.now().toISOString(), minor: 100, method: 'manual' });
  await untilSettlements(app, shop, ([own]) => own.refundedByHand === 1, 'the refund being told');
  expect((await list())[0]).toEqual({ ...closed, refundedByHand: 1, count: 2 });
  const recordedAt = app.clock.now().toISOString();
  await addMoney(app, shop, { at: at('18:00:00'), period: '156', minor: 2_500, recordedAt });
  const changed = { expectedCredit: 125, count: 3, closedAt: closed.closedAt };
  const changedAfterClose = { count: 1, expectedCreditAtClose: 100 };
  // The report has it at once, the list as soon as it is summed again.
  expect(await read(closed.id)).toMatchObject({ ...changed, changedAfterClose });
  const [again] = await untilSettlements(app, shop, ([own]) => own.changedAfterClose, 'the change being told');
  expect(again).toMatchObject({ ...changed, changedAfterClose });
});

test('its report as it was closed is what was recorded by then, whatever clocks and waiting make of the times', async () => {
  const ahead = new Date(app.clock.now().getTime() + 5_000).toISOString();
  await addMoney(app, shop, { at: at('10:00:00'), minor: 10_000, recordedAt: ahead });
  const [closed] = await untilClosed(app, shop);
  // It waited while the period was closed.
  await addMoney(app, shop, { at: at('11:00:00'), minor: 2_500, recordedAt: at('11:00:00') });
  const money = await addMoney(app, shop, { at: at('12:00:00'), minor: 500 });
  await addRefund(app, shop, money, { at: at('12:00:00'), minor: 100 });
  const { movements, closedAt, changedAfterClose } = await read(closed.id);
  expect(closedAt).toBe(closed.closedAt);
  const known = movements.data.filter(({ recordedAt }: any) => recordedAt <= closedAt);
  expect(known.map(({ gross }: any) => gross)).toEqual([100]);
  expect(changedAfterClose).toEqual({ count: 3, expectedCreditAtClose: 100 });
});

describe('the list', () => {
  test('has the newest day first, by pages and filters', async () => {
    const days = ['2026-02-01', '2026-02-02', '2026-02-03'];
    for (const day of days) await addMoney(app, shop, { at: at('10:00:00', day) });
    await addMoney(app, shop, { at: at('10:00:00', days[1]), rail: 'ppr', period: '77', method: 'reference' });
    const daysOf = async (query: string) => (await list(query)).map(({ day }) => day.slice(8));
    expect(await daysOf('')).toEqual(['03', '02', '02', '01']);
    expect(await daysOf('?from=2026-02-02')).toEqual(['03', '02', '02']);
    expect(await daysOf('?from=2026-02-02&to=2026-02-02')).toEqual(['02', '02']);
    expect(await daysOf('?account=ppr')).toEqual(['02']);
    expect(await daysOf('?period=77')).toEqual(['02']);
    expect(await daysOf('?status=open')).toHaveLength(4);
    expect(await daysOf('?status=differs')).toEqual([]);
    const seen: string[] = [];
    for (let after = ''; ;) {
      const { json } = await shop.call(`${SETTLEMENTS}?limit=1${after && `&after=${after}`}`);
      seen.push(...json.data.map(({ id }: any) => id));
      if (!json.next) break;
      after = json.next;
    }
    expect(seen).toEqual((await list()).map(({ id }) => id));
  });

  test.each([
    ['?from=2026-02-30', '/query/from invalid_day'],
    ['?from=2026-02-02&to=2026-02-01', '/query/to date_range'],
    ['?limit=101', '/query/limit too_big'],
    ['?status=closed', '/query/status invalid_value'],
    ['?after=x', '/query/after page_cursor_invalid'],
  ])('refuses %s', async (query, told) => {
    const reply = await shop.call(SETTLEMENTS + query);
    expect([reply.status, faultsOf(reply)]).toEqual([400, [told]]);
  });
});

test('its movements come by pages', async () => {
  for (let n = 0; n < 5; n++) await addMoney(app, shop, { at: at(`10:00:0${n}`) });
  const [{ id }] = (await list()) as [any];
  const first = await read(id, '?limit=3');
  const rest = await read(id, `?limit=3&after=${first.movements.next}`);
  const times = [...first.movements.data, ...rest.movements.data].map(({ occurredAt }: any) =>
    occurredAt.slice(18, 19),
  );
  expect([times, rest.movements.next]).toEqual([['4', '3', '2', '1', '0'], null]);
  const reply = await shop.call(`${SETTLEMENTS}/${id}?limit=100001`);
  expect([reply.status, faultsOf(reply)]).toEqual([400, ['/query/limit too_big']]);
});
