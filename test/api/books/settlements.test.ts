import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import {
  addMoney,
  addRefund,
  SETTLEMENTS,
  inOneTransaction,
  untilClosed,
  untilSettlements,
} from '../../support/books.ts';
import { openCallbackFixture, sell, type CallbackFixture } from '../../support/callbacks.ts';
import { readFieldFaults } from '../../support/ppr.ts';
import { randomUUID } from 'node:crypto';

let app: TestApp;
let fixture: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  fixture = await openCallbackFixture(app);
});

const list = async (query = '') => (await fixture.call(SETTLEMENTS + query)).json.data as any[];
const read = async (id: string, query = '') => (await fixture.call(`${SETTLEMENTS}/${id}${query}`)).json;

/** The period of a past day closes immediately. */
const PAST = '2026-02-10';
const at = (time: string, day = PAST) => `${day}T${time}.000Z`;

describe('a settlement', () => {
  test('opens with the first transaction of a day and closes at 21:00 in Luanda', async () => {
    const made = await sell(app, fixture);
    const [open] = await list();
    const day = app.clock.now().toISOString().slice(0, 10);
    expect(open).toMatchObject({ account: { id: 'ppr' }, day, status: 'open', closedAt: null, taken: 1500, count: 1 });
    app.clock.leap(Date.parse(`${day}T19:59:58.000Z`) - app.clock.now().getTime());
    expect((await list())[0].closedAt).toBeNull();
    app.clock.leap(2_000);
    const [closed] = await untilClosed(app, fixture);
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

  test('sums payments, fees and refunds, and lists manual refunds separately', async () => {
    await inOneTransaction(app, async (books) => {
      const money = await addMoney(books, fixture, { at: at('10:00:00'), minor: 100_010, feeMinor: 1_005 });
      await addMoney(books, fixture, { at: at('18:59:59'), minor: 50_000 });
      await addMoney(books, fixture, { at: at('19:00:00'), minor: 7 });
      await addRefund(books, fixture, money, { at: at('12:00:00'), minor: 20_000 });
      await addRefund(books, fixture, money, { at: at('12:00:00', '2026-02-20'), minor: 3_000, method: 'manual' });
    });
    const [next, own] = await untilClosed(app, fixture);
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
      bankFees: 0,
      expectedCredit: 1290.05,
      count: 4,
      credited: 0,
      difference: -1290.05,
      explanation: null,
      changedAfterClose: null,
      reconciledAt: null,
      differenceCount: 0,
    });
    const { movements, credits, bankFeeEntries, reasons, differences, ...summary } = await read(own.id);
    expect([summary, credits, bankFeeEntries, reasons, differences]).toEqual([own, [], [], [], []]);
    expect(movements.data.map(({ type, net }: any) => [type, net])).toEqual([
      ['manual', 0],
      ['payment', 500],
      ['refund', -200],
      ['payment', 990.05],
    ]);
  });

  test('belongs to one rail account, one period and one currency', async () => {
    await addMoney(app, fixture, { at: at('10:00:00'), period: '156' });
    await addMoney(app, fixture, { at: at('10:00:00'), period: '156', rail: 'ppr', method: 'reference' });
    await addMoney(app, fixture, { at: at('10:00:00'), period: '157' });
    await addMoney(app, fixture, { at: at('10:00:00'), period: '156', currency: 'USD', minor: 5_000 });
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

  test('stays open while transactions of its numbered period arrive', async () => {
    const now = app.clock.now();
    await inOneTransaction(app, async (books) => {
      await addMoney(books, fixture, { at: at('10:00:00'), recordedAt: now.toISOString(), period: '156' });
      await addMoney(books, fixture, { at: now.toISOString(), period: '156' });
    });
    const [row] = await app.sql('select id from settlements where merchant_id = $1', [fixture.merchantId]);
    const isPut = async () =>
      (await app.sql('select due_at > $2 as later from settlements where id = $1', [row.id, now]))[0].later;
    await untilSettlements(app, fixture, isPut, 'the postponed comparison');
    expect(await list()).toMatchObject([{ closedAt: null, count: 2 }]);
  });

  test('is balanced without a bank credit if refunds leave nothing to pay out', async () => {
    await inOneTransaction(app, async (books) => {
      const money = await addMoney(books, fixture, { at: at('10:00:00'), minor: 5_000 });
      await addRefund(books, fixture, money, { at: at('11:00:00'), minor: 5_000 });
    });
    const [closed] = await untilClosed(app, fixture);
    expect(closed).toMatchObject({ status: 'balanced', expectedCredit: 0, difference: 0 });
  });
});

test('a late transaction changes the settlement of its period, and a manual refund does not', async () => {
  const first = await addMoney(app, fixture, { at: at('10:00:00'), period: '156', minor: 10_000 });
  const [closed] = await untilClosed(app, fixture);
  await addRefund(app, fixture, first, { at: app.clock.now().toISOString(), minor: 100, method: 'manual' });
  await untilSettlements(app, fixture, ([own]) => own.refundedByHand === 1, 'the refund in the settlement');
  expect((await list())[0]).toEqual({ ...closed, refundedByHand: 1, count: 2 });
  const recordedAt = app.clock.now().toISOString();
  await addMoney(app, fixture, { at: at('18:00:00'), period: '156', minor: 2_500, recordedAt });
  const changed = { expectedCredit: 125, count: 3, closedAt: closed.closedAt };
  const changedAfterClose = { count: 1, expectedCreditAtClose: 100 };
  // The single settlement is computed on read. The sums of the list follow later.
  expect(await read(closed.id)).toMatchObject({ ...changed, changedAfterClose });
  const [again] = await untilSettlements(app, fixture, ([own]) => own.changedAfterClose, 'the change');
  expect(again).toMatchObject({ ...changed, changedAfterClose });
});

test('changedAfterClose follows the order in which rows are recorded, not the time on them', async () => {
  const ahead = new Date(app.clock.now().getTime() + 5_000).toISOString();
  await addMoney(app, fixture, { at: at('10:00:00'), minor: 10_000, recordedAt: ahead });
  const [closed] = await untilClosed(app, fixture);
  // This recording waited for the lock of the closing transaction.
  await addMoney(app, fixture, { at: at('11:00:00'), minor: 2_500, recordedAt: at('11:00:00') });
  const money = await addMoney(app, fixture, { at: at('12:00:00'), minor: 500 });
  await addRefund(app, fixture, money, { at: at('12:00:00'), minor: 100 });
  const { movements, closedAt, changedAfterClose } = await read(closed.id);
  expect(closedAt).toBe(closed.closedAt);
  const known = movements.data.filter(({ recordedAt }: any) => recordedAt <= closedAt);
  expect(known.map(({ gross }: any) => gross)).toEqual([100]);
  expect(changedAfterClose).toEqual({ count: 3, expectedCreditAtClose: 100 });
});

describe('GET /api/settlements', () => {
  test('returns pages with filters, newest day first', async () => {
    const days = ['2026-02-01', '2026-02-02', '2026-02-03'];
    for (const day of days) await addMoney(app, fixture, { at: at('10:00:00', day) });
    await addMoney(app, fixture, { at: at('10:00:00', days[1]), rail: 'ppr', period: '77', method: 'reference' });
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
      const { json } = await fixture.call(`${SETTLEMENTS}?limit=1${after && `&after=${after}`}`);
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
  ])('returns 400 for %s', async (query, fault) => {
    const reply = await fixture.call(SETTLEMENTS + query);
    expect([reply.status, readFieldFaults(reply)]).toEqual([400, [fault]]);
  });
});

test('GET /api/settlements/{settlementId} returns the movements in pages', async () => {
  for (let n = 0; n < 5; n++) await addMoney(app, fixture, { at: at(`10:00:0${n}`) });
  const [{ id }] = (await list()) as [any];
  const first = await read(id, '?limit=3');
  const rest = await read(id, `?limit=3&after=${first.movements.next}`);
  const times = [...first.movements.data, ...rest.movements.data].map(({ occurredAt }: any) =>
    occurredAt.slice(18, 19),
  );
  expect([times, rest.movements.next]).toEqual([['4', '3', '2', '1', '0'], null]);
  const reply = await fixture.call(`${SETTLEMENTS}/${id}?limit=100001`);
  expect([reply.status, readFieldFaults(reply)]).toEqual([400, ['/query/limit too_big']]);
});

/** Creates a settlement of 1 500,00 AOA less 10,00 of fees. */
async function closeDay(): Promise<any> {
  await inOneTransaction(app, async (books) => {
    await addMoney(books, fixture, { at: at('10:00:00'), minor: 100_000, feeMinor: 1_000 });
    await addMoney(books, fixture, { at: at('11:00:00'), minor: 50_000 });
  });
  return (await untilClosed(app, fixture)).find(({ day }) => day === PAST);
}

const enter = (id: string, body: object, headers: Record<string, string> = {}) =>
  fixture.call(`${SETTLEMENTS}/${id}/credits`, { body, headers });
const file = (text: string | Buffer) => Buffer.from(text).toString('base64');
const creditRows = () => app.sql('select * from settlement_credits where merchant_id = $1', [fixture.merchantId]);
const codesOf = ({ reasons }: any) => reasons.map(({ code }: any) => code);

describe('POST /api/settlements/{settlementId}/credits with an amount', () => {
  test('balances the settlement, and writes an audit entry', async () => {
    const { id } = await closeDay();
    const { status, json } = await enter(id, { amount: 1490, date: '2026-02-11', reference: 'TRF 1' });
    expect(status).toBe(201);
    expect(json).toMatchObject({ id, status: 'balanced', credited: 1490, difference: 0, reasons: [] });
    expect(json.credits).toEqual([
      {
        id: expect.any(String),
        amount: 1490,
        currency: 'AOA',
        date: '2026-02-11',
        bankReference: 'TRF 1',
        source: 'hand',
        enteredAt: app.clock.now().toISOString(),
        reverses: null,
        reversedBy: null,
      },
    ]);
    const [entry] = await app.sql(
      `select target, changes from audit_entries where merchant_id = $1 and action = 'settlement.credited'`,
      [fixture.merchantId],
    );
    expect(entry).toMatchObject({ target: id, changes: { credits: [{ amount: 1490, date: '2026-02-11' }] } });
    expect((await fixture.call(`${SETTLEMENTS}?status=balanced`)).json.data).toMatchObject([{ id }]);
  });

  test('adds up partial and negative credits', async () => {
    const { id } = await closeDay();
    const differs = (await enter(id, { amount: 1500.01, date: '2026-02-11' })).json;
    expect(differs).toMatchObject({ status: 'differs', credited: 1500.01, difference: 10.01 });
    const balanced = (await enter(id, { amount: -10.01, date: '2026-02-12' })).json;
    expect(balanced).toMatchObject({ status: 'balanced', credited: 1490, difference: 0 });
    expect(balanced.credits.map(({ amount }: any) => amount)).toEqual([1500.01, -10.01]);
  });

  test('balances a settlement. A late transaction makes it differ again', async () => {
    const { id } = await closeDay();
    await enter(id, { amount: 1490, date: '2026-02-11' });
    await addMoney(app, fixture, { at: at('12:00:00'), minor: 100, recordedAt: app.clock.now().toISOString() });
    const [changed] = await untilSettlements(app, fixture, ([own]) => own.status === 'differs', 'its difference');
    expect(changed).toMatchObject({ difference: -1, changedAfterClose: { count: 1, expectedCreditAtClose: 1490 } });
  });

  test('enters one credit for a repeated Idempotency-Key', async () => {
    const { id } = await closeDay();
    const headers = { 'idempotency-key': randomUUID() };
    const body = { amount: 1490, date: '2026-02-11' };
    const [one, again] = [await enter(id, body, headers), await enter(id, body, headers)];
    expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([201, one.text, 'true']);
    expect(await creditRows()).toHaveLength(1);
  });

  test('returns 400 for invalid bodies, and stores nothing', async () => {
    const { id } = await closeDay();
    const cases: [body: object, faults: string[]][] = [
      [{}, ['/amount required', '/date required']],
      [{ amount: 0, date: '2026-02-11' }, ['/amount invalid_credit']],
      [{ amount: 1.001, date: '2026-02-11' }, ['/amount invalid_credit']],
      [{ amount: '1', date: '2026-02-30' }, ['/amount invalid_type', '/date invalid_day']],
      [{ file: 'é' }, ['/file invalid_format']],
      [{ file: 'YQ==', mapping: { separator: '#' } }, ['/mapping/separator invalid_value']],
    ];
    for (const [body, faults] of cases) {
      const reply = await enter(id, body);
      expect([reply.status, readFieldFaults(reply)]).toEqual([400, faults]);
    }
    expect(await creditRows()).toEqual([]);
  });

  test('returns 409 while the period is open', async () => {
    await addMoney(app, fixture);
    const [{ id }] = (await fixture.call(SETTLEMENTS)).json.data;
    const body = { amount: 1, date: '2026-02-11' };
    expect(await enter(id, body)).toMatchObject({ status: 409, json: { code: 'period_open' } });
    expect(await creditRows()).toEqual([]);
  });
});

describe('POST /api/settlements/{settlementId}/credits with a bank file', () => {
  test('enters the line with the missing amount, and returns 409 for the same file', async () => {
    const { id } = await closeDay();
    const text = 'Data;Valor;Descrição\n11/02/2026;5.000,00;Salário\n11/02/2026;1.490,00;TRF EMIS\n';
    const { status, json } = await enter(id, { file: file(text) });
    expect([status, json.status]).toEqual([201, 'balanced']);
    expect(json.credits).toMatchObject([
      { amount: 1490, date: '2026-02-11', bankReference: 'TRF EMIS', source: 'file' },
    ]);
    for (const again of [{}, { lines: [3] }, { file: file(text.replace('Salário', 'Outro')), lines: [3] }])
      expect(await enter(id, { file: file(text), ...again })).toMatchObject({
        status: 409,
        json: { code: 'bank_file_known' },
      });
    expect(await creditRows()).toHaveLength(1);
  });

  test('enters lines that name the period, the only line, or lines that the request selects', async () => {
    await addMoney(app, fixture, { at: at('10:00:00'), period: '156', minor: 10_000 });
    const [{ id }] = await untilClosed(app, fixture);
    const named = await enter(id, {
      file: file('11/02/2026;60,00;EMIS 156/1\n11/02/2026;7,00;EMIS 1560\n11/02/2026;30,00;EMIS 156'),
    });
    expect(named.json).toMatchObject({ status: 'differs', credited: 90 });
    expect((await enter(id, { file: file('12/02/2026;4,00;?') })).json).toMatchObject({ credited: 94 });
    const unclear = file('13/02/2026;1,00;a\n13/02/2026;5,00;b\n13/02/2026;1,00;c');
    const refused = await enter(id, { file: unclear });
    expect(refused).toMatchObject({ status: 409, json: { code: 'bank_line_unclear' } });
    expect(refused.json.lines[1]).toEqual({ line: 2, date: '2026-02-13', amount: 5, description: 'b' });
    expect(readFieldFaults(await enter(id, { file: unclear, lines: [1, 9] }))).toEqual(['/lines/1 unknown_line']);
    expect((await enter(id, { file: unclear, lines: [1, 2] })).json).toMatchObject({
      status: 'balanced',
      credited: 100,
    });
  });

  test('remembers which columns the merchant’s file uses', async () => {
    const { id } = await closeDay();
    const text = (amount: string) => file(`Montante,Dia,Texto\n${amount},2026-02-11,x\n`);
    const mapping = { separator: ',', decimal: '.', date: 'Dia', amount: 'Montante', description: 'Texto' };
    expect((await enter(id, { file: text('1000.00'), mapping })).status).toBe(201);
    expect((await enter(id, { file: text('490.00') })).json).toMatchObject({ status: 'balanced', credited: 1490 });
  });

  test('ignores debits, unreadable lines and other text around the lines, also in windows-1252', async () => {
    const { id } = await closeDay();
    const text =
      'Extracto\nData;Débito;Crédito;Descrição\n11/02/2026;5,00;;Comissão\nx\n11/02/2026;;1490,00;Cr\xe9dito\n';
    const { status, json } = await enter(id, { file: file(Buffer.from(text, 'latin1')) });
    expect([status, json.status]).toEqual([201, 'balanced']);
    expect(json.credits).toMatchObject([{ amount: 1490, bankReference: 'Crédito' }]);
  });

  test('returns 400 for a file that is no statement, with advice', async () => {
    const { id } = await closeDay();
    const reply = await enter(id, { file: file('%PDF-1.4') });
    expect([reply.status, readFieldFaults(reply)]).toEqual([400, ['/file file_format']]);
    expect(reply.json.errors[0].message).toContain('XLSX');
    expect(await creditRows()).toEqual([]);
  });
});

describe('a settlement that differs from its credit', () => {
  test.each<[string, number, string[]]>([
    ['money of the next day', 1490 + 77, ['next_period']],
    ['missing money of the day', 1490 - 500, ['next_period', 'not_at_rail']],
    ['a manual refund', 1490 - 33, ['refund', 'fee']],
    ['a small difference as a fee', 1490 - 5, ['fee']],
    ['unknown money', 1490 + 123, ['not_here']],
    ['none for an unexplained amount', 1, []],
  ])('has the reason: %s', async (_name, amount, codes) => {
    const { id } = await closeDay();
    const next = await addMoney(app, fixture, { at: at('10:00:00', '2026-02-11'), minor: 7_700 });
    await addRefund(app, fixture, next, { at: at('12:00:00', '2026-02-11'), minor: 3_300, method: 'manual' });
    const { json } = await enter(id, { amount, date: '2026-02-11' });
    expect([json.status, codesOf(json)]).toEqual(['differs', codes]);
    if (codes[0] === 'next_period' && amount > 1490)
      expect(json.reasons[0]).toMatchObject({
        movementId: next.id,
        paymentId: next.paymentId,
        clearingPeriod: '2026-02-11',
      });
    const read = (await fixture.call(`${SETTLEMENTS}/${id}`)).json;
    expect([read.status, read.reasons]).toEqual(['differs', json.reasons]);
  });
});
