// POST /api/settlements/{settlementId}/credits: by hand and out of a bank's file; balanced or not, and why not.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { addMoney, addRefund, SETTLEMENTS, together, untilClosed, untilSettlements } from '../../support/books.ts';
import { openShop, type Shop } from '../../support/callbacks.ts';
import { faultsOf } from '../../support/ppr.ts';

let app: TestApp;
let shop: Shop;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  shop = await openShop(app);
});

const DAY = '2026-02-10';
const at = (time: string, day = DAY) => `${day}T${time}.000Z`;

/** A closed period of 1 500,00 less 10,00 of fees; answers its settlement. */
async function closeDay(): Promise<any> {
  await together(app, async (books) => {
    await addMoney(books, shop, { at: at('10:00:00'), minor: 100_000, feeMinor: 1_000 });
    await addMoney(books, shop, { at: at('11:00:00'), minor: 50_000 });
  });
  return (await untilClosed(app, shop)).find(({ day }) => day === DAY);
}

const enter = (id: string, body: object, headers: Record<string, string> = {}) =>
  shop.call(`${SETTLEMENTS}/${id}/credits`, { body, headers });
const file = (text: string | Buffer) => Buffer.from(text).toString('base64');
const creditRows = () => app.sql('select * from settlement_credits where merchant_id = $1', [shop.merchantId]);
const codesOf = ({ reasons }: any) => reasons.map(({ code }: any) => code);

describe('by hand', () => {
  test('the whole amount balances it; who entered it is in the audit', async () => {
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
      },
    ]);
    const [entry] = await app.sql(
      `select target, changes from audit_entries where merchant_id = $1 and action = 'settlement.credited'`,
      [shop.merchantId],
    );
    expect(entry).toMatchObject({ target: id, changes: { credits: [{ amount: 1490, date: '2026-02-11' }] } });
    expect((await shop.call(`${SETTLEMENTS}?status=balanced`)).json.data).toMatchObject([{ id }]);
  });

  test('parts add up, and what the bank took back is below zero', async () => {
    const { id } = await closeDay();
    const differs = (await enter(id, { amount: 1500.01, date: '2026-02-11' })).json;
    expect(differs).toMatchObject({ status: 'differs', credited: 1500.01, difference: 10.01 });
    const balanced = (await enter(id, { amount: -10.01, date: '2026-02-12' })).json;
    expect(balanced).toMatchObject({ status: 'balanced', credited: 1490, difference: 0 });
    expect(balanced.credits.map(({ amount }: any) => amount)).toEqual([1500.01, -10.01]);
  });

  test('late money opens the question again', async () => {
    const { id } = await closeDay();
    await enter(id, { amount: 1490, date: '2026-02-11' });
    await addMoney(app, shop, { at: at('12:00:00'), minor: 100, recordedAt: app.clock.now().toISOString() });
    const [changed] = await untilSettlements(app, shop, ([own]) => own.status === 'differs', 'its difference');
    expect(changed).toMatchObject({ difference: -1, changedAfterClose: { count: 1, expectedCreditAtClose: 1490 } });
  });

  test('a key enters it once', async () => {
    const { id } = await closeDay();
    const headers = { 'idempotency-key': randomUUID() };
    const body = { amount: 1490, date: '2026-02-11' };
    const [one, again] = [await enter(id, body, headers), await enter(id, body, headers)];
    expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([201, one.text, 'true']);
    expect(await creditRows()).toHaveLength(1);
  });

  test.each([
    [{}, ['/amount required', '/date required']],
    [{ amount: 0, date: '2026-02-11' }, ['/amount invalid_credit']],
    [{ amount: 1.001, date: '2026-02-11' }, ['/amount invalid_credit']],
    [{ amount: '1', date: '2026-02-30' }, ['/amount invalid_type', '/date invalid_day']],
    [{ file: 'é' }, ['/file invalid_format']],
    [{ file: 'YQ==', mapping: { separator: '|' } }, ['/mapping/separator invalid_value']],
  ])('%j is refused, and nothing is written', async (body, faults) => {
    const { id } = await closeDay();
    const reply = await enter(id, body);
    expect([reply.status, faultsOf(reply)]).toEqual([400, faults]);
    expect(await creditRows()).toEqual([]);
  });

  test('a period that is still open is refused, as is who may only read', async () => {
    await addMoney(app, shop);
    const [{ id }] = (await shop.call(SETTLEMENTS)).json.data;
    const body = { amount: 1, date: '2026-02-11' };
    expect(await enter(id, body)).toMatchObject({ status: 409, json: { code: 'period_open' } });
    const token = await shop.tokenFor({ scope: 'payments:read' });
    const path = `${SETTLEMENTS}/${id}/credits`;
    expect(await app.call(path, { body, token })).toMatchObject({ status: 403, json: { code: 'insufficient_scope' } });
    expect(await creditRows()).toEqual([]);
  });
});

describe('out of a bank’s file', () => {
  test('the line of the missing amount is taken, and the same file is recognised', async () => {
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

  test('lines that name the period are taken, one alone too, and those that are named by hand', async () => {
    await addMoney(app, shop, { at: at('10:00:00'), period: '156', minor: 10_000 });
    const [{ id }] = await untilClosed(app, shop);
    const named = await enter(id, {
      file: file('11/02/2026;60,00;EMIS 156/1\n11/02/2026;7,00;EMIS 1560\n11/02/2026;30,00;EMIS 156'),
    });
    expect(named.json).toMatchObject({ status: 'differs', credited: 90 });
    expect((await enter(id, { file: file('12/02/2026;4,00;?') })).json).toMatchObject({ credited: 94 });
    const unclear = file('13/02/2026;1,00;a\n13/02/2026;5,00;b\n13/02/2026;1,00;c');
    const refused = await enter(id, { file: unclear });
    expect(refused).toMatchObject({ status: 409, json: { code: 'bank_line_unclear' } });
    expect(refused.json.lines[1]).toEqual({ line: 2, date: '2026-02-13', amount: 5, description: 'b' });
    expect(faultsOf(await enter(id, { file: unclear, lines: [1, 9] }))).toEqual(['/lines/1 unknown_line']);
    expect((await enter(id, { file: unclear, lines: [1, 2] })).json).toMatchObject({
      status: 'balanced',
      credited: 100,
    });
  });

  test('where in it is what is remembered', async () => {
    const { id } = await closeDay();
    const text = (amount: string) => file(`Montante,Dia,Texto\n${amount},2026-02-11,x\n`);
    const mapping = { separator: ',', decimal: '.', date: 'Dia', amount: 'Montante', description: 'Texto' };
    expect((await enter(id, { file: text('1000.00'), mapping })).status).toBe(201);
    expect((await enter(id, { file: text('490.00') })).json).toMatchObject({ status: 'balanced', credited: 1490 });
  });

  test('of another encoding is refused with what to do, and nothing is written', async () => {
    const { id } = await closeDay();
    const reply = await enter(id, { file: file(Buffer.from('11/02/2026;1490;Cr\xe9dito', 'latin1')) });
    expect([reply.status, faultsOf(reply)]).toEqual([400, ['/file file_encoding']]);
    expect(reply.json.errors[0].message).toContain('CSV UTF-8');
    expect(await creditRows()).toEqual([]);
  });
});

describe('a difference', () => {
  test.each<[string, number, string[]]>([
    ['of money of the next day, credited with this one', 1490 + 77, ['next_period']],
    ['of money of the day, missing', 1490 - 500, ['next_period', 'not_at_rail']],
    ['of what was given back by hand', 1490 - 33, ['refund', 'fee']],
    ['so small that it may be a fee', 1490 - 5, ['fee']],
    ['of money that nobody knows here', 1490 + 123, ['not_here']],
    ['that nothing explains', 1, []],
  ])('%s', async (_name, amount, codes) => {
    const { id } = await closeDay();
    const next = await addMoney(app, shop, { at: at('10:00:00', '2026-02-11'), minor: 7_700 });
    await addRefund(app, shop, next, { at: at('12:00:00', '2026-02-11'), minor: 3_300, method: 'manual' });
    const { json } = await enter(id, { amount, date: '2026-02-11' });
    expect([json.status, codesOf(json)]).toEqual(['differs', codes]);
    if (codes[0] === 'next_period' && amount > 1490)
      expect(json.reasons[0]).toMatchObject({
        movementId: next.id,
        paymentId: next.paymentId,
        clearingPeriod: '2026-02-11',
      });
    const read = (await shop.call(`${SETTLEMENTS}/${id}`)).json;
    expect([read.status, read.reasons]).toEqual(['differs', json.reasons]);
  });
});
