import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { addMoney, addRefund, inOneTransaction, SETTLEMENTS, untilClosed } from '../../support/books.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { addMember } from '../../support/members.ts';
import { readFieldFaults } from '../../support/ppr.ts';

let app: TestApp;
let fixture: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  fixture = await openCallbackFixture(app);
});

const DAYS = '/api/days';
const list = async (query = '') => (await fixture.call(DAYS + query)).json.data as any[];
const read = (day: string, by = fixture) => by.call(`${DAYS}/${day}`);
const at = (time: string, day = '2026-02-10') => `${day}T${time}.000Z`;
const explain = (id: string, body: object) => fixture.call(`${SETTLEMENTS}/${id}/explanation`, { body });
const enter = (id: string, amount: number, more: object = {}) =>
  fixture.call(`${SETTLEMENTS}/${id}/credits`, { body: { amount, date: '2026-02-11', ...more } });

/** A day of two accounts in AOA and one in USD. Returns the ids of the settlements in AOA. */
async function sellDay(): Promise<{ gpo: string; ppr: string }> {
  await inOneTransaction(app, async (books) => {
    const money = await addMoney(books, fixture, { at: at('10:00:00'), minor: 100_010, feeMinor: 1_005 });
    await addMoney(books, fixture, { at: at('11:00:00'), minor: 50_000, method: 'qrcode' });
    await addMoney(books, fixture, {
      at: at('12:00:00'),
      minor: 30_000,
      rail: 'ppr',
      period: '77',
      method: 'reference',
    });
    await addMoney(books, fixture, { at: at('12:00:00'), minor: 700, currency: 'USD' });
    await addRefund(books, fixture, money, { at: at('13:00:00'), minor: 20_000 });
    await addRefund(books, fixture, money, { at: at('14:00:00'), minor: 3_000, method: 'manual' });
  });
  const closed = await untilClosed(app, fixture);
  const idOf = (account: string) =>
    closed.find((each) => each.account.id === account && each.currency === 'AOA').id as string;
  return { gpo: idOf('gpo'), ppr: idOf('ppr') };
}

describe('GET /api/days/{day}', () => {
  test('adds up all accounts of a day by currency', async () => {
    const { gpo, ppr } = await sellDay();
    const { status, json } = await read('2026-02-10');
    expect([status, json.day, json.status, json.accounts]).toEqual([200, '2026-02-10', 'waiting', 3]);
    expect(json.closedAt).toMatch(/Z$/);
    expect(json.sums).toHaveLength(2);
    expect(json.sums[0]).toEqual({
      currency: 'AOA',
      count: 5,
      taken: 1800.1,
      fees: 10.05,
      refunded: 200,
      refundedByHand: 30,
      bankFees: 0,
      expectedCredit: 1590.05,
      credited: 0,
      awaitedCredit: 1590.05,
      difference: 0,
      explainedDifference: 0,
      unexplainedDifference: 0,
    });
    expect(json.sums[1]).toMatchObject({ currency: 'USD', count: 1, taken: 7, expectedCredit: 7 });
    expect(json.settlements.filter(({ currency }: any) => currency === 'AOA').map(({ id }: any) => id)).toEqual([
      gpo,
      ppr,
    ]);
    const all = (await fixture.call(`${SETTLEMENTS}?from=2026-02-10&to=2026-02-10`)).json.data;
    const byId = (one: any, two: any) => (one.id < two.id ? -1 : 1);
    expect(json.settlements.toSorted(byId)).toEqual(all.toSorted(byId));
    expect(await list()).toEqual([
      { day: json.day, status: json.status, closedAt: json.closedAt, accounts: 3, sums: json.sums },
    ]);
  });

  test('has the sums by method and by cashier', async () => {
    await sellDay();
    const ana = await addMember(app, { merchantId: fixture.merchantId, role: 'Cashier' });
    const [client] = (await app.sql('select id from clients where merchant_id = $1', [fixture.merchantId])) as [any];
    const mine = `update payments set created_by_kind = 'user', created_by_id = $2
      where merchant_id = $1 and payment_method = 'qrcode'`;
    await app.sql(mine, [fixture.merchantId, ana.userId]);
    await app.sql(`update refunds set requested_by_kind = 'user', requested_by_id = $2 where merchant_id = $1`, [
      fixture.merchantId,
      ana.userId,
    ]);
    await app.sql(
      `update payments set created_by_kind = 'client', created_by_id = $2
        where merchant_id = $1 and payment_method = 'reference'`,
      [fixture.merchantId, client.id],
    );
    const { json } = await read('2026-02-10');
    const kwanza = (rows: any[]) => rows.filter(({ currency }) => currency === 'AOA');
    expect(
      kwanza(json.methods).map(({ method, taken, fees, refunded, count }) => [method, taken, fees, refunded, count]),
    ).toEqual([
      ['onetimepurchase', 1000.1, 10.05, 200, 3],
      ['qrcode', 500, 0, 0, 1],
      ['reference', 300, 0, 0, 1],
    ]);
    const byCashier = kwanza(json.cashiers).map(({ cashier, taken, refunded, refundedByHand }: any) => [
      cashier.kind,
      cashier.id,
      taken,
      refunded,
      refundedByHand,
    ]);
    expect(byCashier).toEqual([
      ['payer', null, 1000.1, 0, 0],
      ['user', ana.userId, 500, 200, 30],
      ['client', client.id, 300, 0, 0],
    ]);
    expect(kwanza(json.cashiers).map(({ cashier }: any) => typeof cashier.name)).toEqual([
      'object',
      'string',
      'string',
    ]);
  });

  test('separates explained from unexplained differences, and both from awaited credits', async () => {
    const { gpo, ppr } = await sellDay();
    await enter(gpo, 1000);
    const [differs] = (await read('2026-02-10')).json.sums;
    expect(differs).toMatchObject({
      credited: 1000,
      awaitedCredit: 300,
      difference: -290.05,
      explainedDifference: 0,
      unexplainedDifference: -290.05,
    });
    await explain(gpo, { reason: 'next_period' });
    await enter(ppr, 290);
    const both = (await read('2026-02-10')).json;
    expect(both.status).toBe('differs');
    expect(both.sums[0]).toMatchObject({
      awaitedCredit: 0,
      difference: -300.05,
      explainedDifference: -290.05,
      unexplainedDifference: -10,
    });
    await enter(ppr, 10, { kind: 'fee' });
    expect((await read('2026-02-10')).json.sums[0]).toMatchObject({
      bankFees: 10,
      expectedCredit: 1580.05,
      difference: -290.05,
      unexplainedDifference: 0,
    });
  });

  test('has the status of the settlement that needs a person most', async () => {
    const { gpo, ppr } = await sellDay();
    const usd = (await fixture.call(SETTLEMENTS)).json.data.find(({ currency }: any) => currency === 'USD').id;
    const statusOf = async () => (await read('2026-02-10')).json.status;
    await enter(gpo, 1000);
    expect(await statusOf()).toBe('differs');
    await explain(gpo, { reason: 'bank' });
    expect(await statusOf()).toBe('waiting');
    await enter(ppr, 300);
    await enter(usd, 7);
    expect(await statusOf()).toBe('explained');
    await enter(gpo, 290.05);
    expect(await statusOf()).toBe('balanced');
    await addMoney(app, fixture, { at: app.clock.now().toISOString() });
    expect((await list())[0]).toMatchObject({ status: 'open', closedAt: null });
  });

  test('lists money after the close of a shift as such, and no money twice', async () => {
    const ana = await addMember(app, { merchantId: fixture.merchantId, role: 'Cashier' });
    const [shift] = (await app.sql(
      `insert into shifts (id, merchant_id, user_id, status, takes_cash, opening_minor, opened_at, closed_at)
       values (gen_random_uuid(), $1, $2, 'closed', false, 0, $3, $4) returning id`,
      [fixture.merchantId, ana.userId, at('07:00:00'), at('11:30:00')],
    )) as [any];
    const sell = async (time: string, minor: number, isCounted: boolean) => {
      const { id, paymentId } = await addMoney(app, fixture, { at: at(time), minor });
      const charged = `update payments set created_by_kind = 'user', created_by_id = $2, shift_id = $3 where id = $1`;
      await app.sql(charged, [paymentId, ana.userId, shift.id]);
      if (isCounted) await app.sql('update transactions set shift_id = $2 where id = $1', [id, shift.id]);
    };
    await sell('10:00:00', 10_000, true);
    await sell('12:00:00', 2_500, false);
    await addMoney(app, fixture, { at: at('13:00:00'), minor: 300 });
    const { json } = await read('2026-02-10');
    expect(
      json.shifts.map(({ timing, shift: own, cashier, taken }: any) => [timing, own?.id ?? null, cashier.id, taken]),
    ).toEqual([
      ['in_shift', shift.id, ana.userId, 100],
      ['after_close', null, ana.userId, 25],
      ['no_shift', null, null, 3],
    ]);
    expect(json.shifts[0].shift).toMatchObject({ openedAt: at('07:00:00'), closedAt: at('11:30:00') });
    expect(json.cashiers.map(({ taken }: any) => taken)).toEqual([125, 3]);
  });

  test('has a part of a shift that is open at 20:00, and the parts add up to the shift', async () => {
    const ana = await addMember(app, { merchantId: fixture.merchantId, role: 'Cashier' });
    const addShift = async (opened: string, closed: string) => {
      const [shift] = (await app.sql(
        `insert into shifts (id, merchant_id, user_id, status, takes_cash, opening_minor, opened_at, closed_at)
         values (gen_random_uuid(), $1, $2, 'closed', false, 0, $3, $4) returning id`,
        [fixture.merchantId, ana.userId, opened, closed],
      )) as [any];
      return shift.id as string;
    };
    const count = async ({ id, paymentId }: { id: string; paymentId: string }, shiftId: string) => {
      const charged = `update payments set created_by_kind = 'user', created_by_id = $2, shift_id = $3 where id = $1`;
      await app.sql(charged, [paymentId, ana.userId, shiftId]);
      await app.sql('update transactions set shift_id = $2 where id = $1', [id, shiftId]);
    };
    const over = await addShift(at('14:00:00'), at('22:00:00'));
    const whole = await addShift(at('07:00:00'), at('13:00:00'));
    const before = await addMoney(app, fixture, { at: at('18:59:59'), minor: 10_000, feeMinor: 100 });
    const after = await addMoney(app, fixture, { at: at('19:00:00'), minor: 2_500, feeMinor: 25 });
    for (const money of [before, after]) await count(money, over);
    await count(await addMoney(app, fixture, { at: at('10:00:00'), minor: 300 }), whole);
    const refundId = await addRefund(app, fixture, before, { at: at('20:00:00'), minor: 700 });
    const refunded = `update refunds set requested_by_kind = 'user', requested_by_id = $2, shift_id = $3,
      counted_shift_id = $3 where id = $1`;
    await app.sql(refunded, [refundId, ana.userId, over]);
    const rowsOf = async (day: string) =>
      (await read(day)).json.shifts.map(({ shift, taken, fees, refunded }: any) => {
        return [shift?.id, shift?.isPartial, taken, fees, refunded];
      });
    const [first, second] = [await rowsOf('2026-02-10'), await rowsOf('2026-02-11')];
    expect(first).toEqual([
      [over, true, 100, 1, 0],
      [whole, false, 3, 0, 0],
    ]);
    expect(second).toEqual([[over, true, 25, 0.25, 7]]);
    const shift = (await fixture.call(`/api/shifts/${over}`, { token: await ana.token() })).json;
    expect(shift).toMatchObject({ totals: { taken: 125, refunded: 7 }, taken: [{ amount: 125, fees: 1.25 }] });
  });

  test('is a paper in the language of the request, and not for other merchants', async () => {
    await sellDay();
    const other = await openCallbackFixture(app);
    const readPdf = async (language: string, by = fixture) => {
      const headers = { accept: 'application/pdf', 'accept-language': language };
      const { status, headers: sent, text } = await by.call(`${DAYS}/2026-02-10`, { headers });
      return [status, sent.get('content-type'), sent.get('content-language'), /\/Lang \(\w+\)/.exec(text)?.[0]];
    };
    for (const lang of ['pt', 'en', 'fr'])
      expect(await readPdf(lang)).toEqual([200, 'application/pdf', lang, `/Lang (${lang})`]);
    expect((await readPdf('pt', other))[0]).toBe(404);
  });

  test('returns 404 for a day without movements, of another merchant, or that does not exist', async () => {
    await sellDay();
    const other = await openCallbackFixture(app);
    for (const [day, by] of [
      ['2026-02-11', fixture],
      ['2026-02-30', fixture],
      ['2026-02-10', other],
    ] as const)
      expect((await read(day, by)).status).toBe(404);
  });
});

describe('GET /api/days', () => {
  test('returns pages with filters, newest day first', async () => {
    const days = ['2026-02-01', '2026-02-02', '2026-02-03'];
    for (const day of days) {
      await addMoney(app, fixture, { at: at('10:00:00', day) });
      await addMoney(app, fixture, { at: at('10:00:00', day), rail: 'ppr', method: 'reference' });
    }
    const daysOf = async (query: string) => (await list(query)).map(({ day }) => day.slice(8));
    expect(await daysOf('')).toEqual(['03', '02', '01']);
    expect(await daysOf('?from=2026-02-02')).toEqual(['03', '02']);
    expect(await daysOf('?from=2026-02-02&to=2026-02-02')).toEqual(['02']);
    const seen: string[] = [];
    for (let after = ''; ;) {
      const { json } = await fixture.call(`${DAYS}?limit=1${after && `&after=${after}`}`);
      seen.push(...json.data.map(({ day }: any) => day.slice(8)));
      if (!json.next) break;
      after = json.next;
    }
    expect(seen).toEqual(['03', '02', '01']);
    const [first] = await untilClosed(app, fixture);
    await enter(first.id, 1);
    expect(await daysOf('?status=differs')).toEqual(['03']);
    expect(await daysOf('?status=waiting&limit=1')).toEqual(['02']);
    expect(await daysOf('?status=balanced')).toEqual([]);
  });

  test('exists as CSV, in words for people and in codes for programs', async () => {
    await sellDay();
    const forPeople = await fixture.call(`${DAYS}.csv`, { headers: { 'accept-language': 'pt' } });
    expect(forPeople.text).toContain('10/02/2026;À espera do crédito;2;5;1800,10;10,05;0,00;200,00;30,00;1590,05;');
    const forPrograms = await fixture.call(`${DAYS}.csv?dialect=rfc4180`);
    expect(forPrograms.text).toContain('2026-02-10,waiting,2,5,1800.10,10.05,0.00,200.00,30.00,1590.05,');
  });

  test.each([
    ['?from=2026-02-30', '/query/from invalid_day'],
    ['?from=2026-02-02&to=2026-02-01', '/query/to date_range'],
    ['?limit=101', '/query/limit too_big'],
    ['?status=closed', '/query/status invalid_value'],
    ['?after=x', '/query/after page_cursor_invalid'],
  ])('returns 400 for %s', async (query, fault) => {
    const reply = await fixture.call(DAYS + query);
    expect([reply.status, readFieldFaults(reply)]).toEqual([400, [fault]]);
  });
});
