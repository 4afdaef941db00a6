import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { addMoney, inOneTransaction, SETTLEMENTS, untilClosed } from '../../support/books.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { readFieldFaults } from '../../support/ppr.ts';
import { writeCamt, writeWorkbook } from '../../support/bank-statements.ts';

let app: TestApp;
let shop: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  shop = await openCallbackFixture(app);
});

const STATEMENTS = '/api/bank-statements';
const file = (text: string | Buffer) => Buffer.from(text as string).toString('base64');
const send = (text: string | Buffer, body: object = {}, headers: Record<string, string> = {}) =>
  shop.call(STATEMENTS, { body: { file: file(text), ...body }, headers });
const credits = () =>
  app.sql(
    `select settlement_id, amount_minor::int as minor, date from settlement_credits where merchant_id = $1
       order by date, amount_minor`,
    [shop.merchantId],
  );
const statusOf = async (id: string) => (await shop.call(`${SETTLEMENTS}/${id}`)).json.status;

type Money = { day: string; minor: number; rail?: string; period?: string; currency?: string };

/** Creates closed settlements, and returns their ids in the same order. */
async function close(...all: Money[]): Promise<string[]> {
  await inOneTransaction(app, async (books) => {
    for (const { day, ...money } of all) await addMoney(books, shop, { at: `${day}T10:00:00.000Z`, ...money });
  });
  const closed = await untilClosed(app, shop);
  return all.map(({ day, rail = 'gpo', period = day, currency = 'AOA' }) => {
    const fits = (one: any) => one.account.id === rail && one.clearingPeriod === period && one.currency === currency;
    return closed.find(fits).id;
  });
}

/** The lines of a report as `line result reason`. */
const show = ({ json }: { json: any }) =>
  json.lines.map(({ line, result, reason }: any) => [line, result, reason].filter(Boolean).join(' '));

describe('POST /api/bank-statements', () => {
  test('enters the credits of several days and accounts, and leaves all other lines aside', async () => {
    const [one, two, named, other] = await close(
      { day: '2026-02-09', minor: 100_000 },
      { day: '2026-02-10', minor: 200_000 },
      { day: '2026-02-10', minor: 90_000, rail: 'ppr', period: '2026-156' },
      { day: '2026-02-10', minor: 5_000, currency: 'USD' },
    );
    const text =
      'Conta;0040 0000 1234\nData;Descrição;Débito;Crédito;Saldo\n' +
      '10/02/2026;TPA;;1.000,00;0\n11/02/2026;COMISSÃO;150,00;;0\n11/02/2026;TPA;;2.000,00;0\n' +
      '11/02/2026;REF 2026-156;;600,00;0\n12/02/2026;SALÁRIO;;77,00;0\n12/02/2026;x;;y;0\n' +
      'Conta;0040 0000 5678\nMoeda;USD\nData;Descrição;Débito;Crédito;Saldo\n12/02/2026;USD;;50,00;0\n';
    const reply = await send(Buffer.from(text, 'latin1'));
    expect(reply.status).toBe(200);
    expect(show(reply)).toEqual([
      '1 aside not_a_line',
      '2 aside not_a_line',
      '3 credited',
      '4 aside debit',
      '5 credited',
      '6 credited',
      '7 aside no_settlement',
      '8 aside unreadable',
      '9 aside not_a_line',
      '10 aside not_a_line',
      '11 aside not_a_line',
      '12 credited',
    ]);
    expect(reply.json).toMatchObject({
      format: 'csv',
      isPreview: false,
      counts: { credited: 4, known: 0, unclear: 0, aside: 8 },
    });
    expect(reply.json.lines[2]).toEqual({
      line: 3,
      account: '004000001234',
      date: '2026-02-10',
      amount: 1000,
      currency: 'AOA',
      description: 'TPA',
      reference: null,
      result: 'credited',
      reason: null,
      credits: [{ settlementId: one, amount: 1000 }],
      candidates: [],
    });
    expect(reply.json.settlements).toContainEqual({
      id: named,
      day: '2026-02-10',
      clearingPeriod: '2026-156',
      account: { id: 'ppr', label: 'ppr' },
      currency: 'AOA',
      missing: 900,
    });
    expect(await Promise.all([one, two, named, other].map((id) => statusOf(id!)))).toEqual([
      'balanced',
      'balanced',
      'differs',
      'balanced',
    ]);
    const audited = await app.sql(
      `select target from audit_entries where merchant_id = $1 and action = 'settlement.credited'`,
      [shop.merchantId],
    );
    expect(audited.map(({ target }) => target).toSorted()).toEqual([one, two, named, other].toSorted());
  });

  test('enters a line once in all files, and reports it as known', async () => {
    await close({ day: '2026-02-10', minor: 100_000 });
    const text = '11/02/2026;1.000,00;TPA\n';
    const key = { 'idempotency-key': randomUUID() };
    const first = await send(text, {}, key);
    const replayed = await send(text, {}, key);
    expect([replayed.text, replayed.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
    expect(show(await send(text))).toEqual(['1 known']);
    expect(show(await send(`Data;Valor;Descrição\n${text}12/02/2026;1.000,00;TPA\n`))).toEqual([
      '1 aside not_a_line',
      '2 known',
      '3 aside no_settlement',
    ]);
    expect(await credits()).toHaveLength(1);
  });

  test('with preview returns the same result, and enters nothing', async () => {
    const [id] = await close({ day: '2026-02-10', minor: 100_000 });
    const mapping = { date: 1, amount: 3, description: 2 };
    const preview = await send('11/02/2026;TPA;1.000,00\n', { preview: true, mapping }, { 'idempotency-key': 'p' });
    expect(show(preview)).toEqual(['1 credited']);
    expect(preview.json.isPreview).toBe(true);
    expect([await credits(), await statusOf(id!)]).toEqual([[], 'open']);
    expect(await app.sql('select from bank_mappings where merchant_id = $1', [shop.merchantId])).toEqual([]);
    const entered = await send('11/02/2026;TPA;1.000,00\n', { mapping }, { 'idempotency-key': 'p' });
    expect(entered.json).toEqual({ ...preview.json, isPreview: false });
    expect(await statusOf(id!)).toBe('balanced');
  });

  test('pays the settlements of one day together if the line is exactly their sum', async () => {
    const ids = await close(
      { day: '2026-02-10', minor: 100_000 },
      { day: '2026-02-10', minor: 50_000, rail: 'ppr' },
      { day: '2026-02-09', minor: 7_000 },
    );
    const text = '11/02/2026;1.500,00;EMIS\n';
    expect((await send(text)).json.lines[0].credits).toHaveLength(2);
    expect(await Promise.all(ids.map(statusOf))).toEqual(['balanced', 'balanced', 'open']);
    expect(show(await send(text))).toEqual(['1 known']);
    expect(await credits()).toHaveLength(2);
  });

  test('enters a line that paid several settlements again after the reversal of each credit', async () => {
    const ids = await close({ day: '2026-02-10', minor: 100_000 }, { day: '2026-02-10', minor: 50_000, rail: 'ppr' });
    const text = '11/02/2026;1.500,00;EMIS\n';
    for (const order of [ids, ids.toReversed()]) {
      const entered = (await send(text)).json;
      expect(entered.counts).toMatchObject({ credited: 1 });
      for (const [nth, id] of order.entries()) {
        expect(show(await send(text))).toEqual(['1 known']);
        const credit = (await shop.call(`${SETTLEMENTS}/${id}`)).json.credits.find(
          (each: any) => !each.reverses && !each.reversedBy,
        );
        const reversal = await shop.call(`${SETTLEMENTS}/${id}/credits/${credit.id}/reversal`, { body: {} });
        expect([nth, reversal.status, reversal.json.status]).toEqual([nth, 201, 'open']);
      }
      expect((await send(text, { preview: true })).json.counts).toMatchObject({ credited: 1, known: 0 });
    }
  });

  test.each<[string, Money[], string, string[]]>([
    [
      'a line that fits two settlements',
      [
        { day: '2026-02-09', minor: 100_000 },
        { day: '2026-02-10', minor: 100_000 },
      ],
      '11/02/2026;1.000,00;TPA\n',
      ['1 unclear several'],
    ],
    [
      'two lines that fit one settlement',
      [{ day: '2026-02-10', minor: 100_000 }],
      '11/02/2026;1.000,00;A\n11/02/2026;1.000,00;B\n',
      ['1 unclear several', '2 unclear several'],
    ],
    [
      'a settlement and a whole day with the same sum',
      [
        { day: '2026-02-08', minor: 150_000 },
        { day: '2026-02-10', minor: 100_000 },
        { day: '2026-02-10', minor: 50_000, rail: 'ppr' },
      ],
      '11/02/2026;1.500,00;A\n',
      ['1 unclear several'],
    ],
    [
      'a period of two accounts',
      [
        { day: '2026-02-10', minor: 100_000, period: '156' },
        { day: '2026-02-10', minor: 100_000, period: '156', rail: 'ppr' },
      ],
      '11/02/2026;500,00;EMIS 156\n',
      ['1 unclear several'],
    ],
    [
      'a named period with more than is missing',
      [{ day: '2026-02-10', minor: 100_000, period: '156' }],
      '11/02/2026;1.000,01;EMIS 156\n',
      ['1 unclear amount_differs'],
    ],
    [
      'a short name of a period with less than is missing',
      [{ day: '2026-02-10', minor: 100_000, period: '156' }],
      '11/02/2026;500,00;FACTURA 156\n',
      ['1 unclear amount_differs'],
    ],
    [
      'two lines that name a period with its amount',
      [{ day: '2026-02-10', minor: 100_000, period: '156' }],
      '11/02/2026;1.000,00;EMIS 156\n11/02/2026;1.000,00;FACTURA 156\n',
      ['1 unclear several', '2 unclear several'],
    ],
    [
      'a debit that names a period',
      [{ day: '2026-02-10', minor: 100_000, period: '156' }],
      '11/02/2026;-5,00;EMIS 156\n',
      ['1 unclear debit'],
    ],
    [
      'an amount that may lack a fee',
      [{ day: '2026-02-10', minor: 100_000 }],
      '11/02/2026;990,00;TPA\n',
      ['1 unclear amount_differs'],
    ],
  ])('leaves unclear: %s', async (_name, money, text, lines) => {
    const ids = await close(...money);
    const reply = await send(text);
    expect(show(reply)).toEqual(lines);
    expect(reply.json.lines[0].candidates.toSorted()).toEqual(ids.toSorted());
    expect(await credits()).toEqual([]);
  });

  test('enters the lines that name a period if their sum is the missing amount', async () => {
    const [id] = await close({ day: '2026-02-10', minor: 100_000, period: '156' });
    expect(show(await send('11/02/2026;600,00;EMIS 156/1\n12/02/2026;400,00;EMIS 156/2\n'))).toEqual([
      '1 credited',
      '2 credited',
    ]);
    expect(await statusOf(id!)).toBe('balanced');
  });

  test('reads no period in the bank’s own reference', async () => {
    await close({ day: '2026-02-10', minor: 100_000, period: '2026-156' });
    const text = 'Data;Valor;Descrição;Documento\n11/02/2026;500,00;TRF;2026-156\n';
    expect((await send(text)).json.counts).toMatchObject({ credited: 0, unclear: 0 });
  });

  test.each<[string, string]>([
    ['before the day of the settlement', '09/02/2026;1.000,00;TPA\n'],
    ['more than a week later', '18/02/2026;1.000,00;TPA\n'],
    ['of another currency', 'Data;Valor;Moeda\n11/02/2026;1.000,00;EUR\n'],
  ])('leaves a credit aside that is %s', async (_name, text) => {
    await close({ day: '2026-02-10', minor: 100_000 });
    expect((await send(text)).json.counts).toMatchObject({ credited: 0, unclear: 0 });
    expect(await credits()).toEqual([]);
  });

  test('enters the lines that a person chooses, also a debit, and sets aside others', async () => {
    const [one, two] = await close({ day: '2026-02-09', minor: 100_000 }, { day: '2026-02-10', minor: 100_000 });
    const text = '11/02/2026;1.000,00;A\n11/02/2026;-10,00;CORRECÇÃO\n11/02/2026;1.000,00;B\n11/02/2026;9,00;C\n';
    const lines = [
      { line: 1, settlementId: two },
      { line: 2, settlementId: two },
      { line: 4, aside: true },
    ];
    const reply = await send(text, { lines });
    // After the choices only one settlement lacks the amount of the third line.
    expect(show(reply)).toEqual(['1 credited', '2 credited', '3 credited', '4 aside chosen']);
    expect(reply.json.lines[2].credits).toEqual([{ settlementId: one, amount: 1000 }]);
    expect(await Promise.all([one, two].map((id) => statusOf(id!)))).toEqual(['balanced', 'differs']);
    expect(show(await send(text, { lines }))).toEqual(['1 known', '2 known', '3 known', '4 aside chosen']);
    expect(await credits()).toHaveLength(3);
  });

  test('reads workbooks and camt.053', async () => {
    await close({ day: '2026-02-10', minor: 100_000 }, { day: '2026-02-11', minor: 70_000 });
    const book = writeWorkbook([
      ['Data', 'Descrição', 'Crédito'],
      [{ serial: 46_064 }, 'TPA', 1000],
    ]);
    expect((await send(book)).json).toMatchObject({ format: 'xlsx', counts: { credited: 1 } });
    const camt = writeCamt(
      '<Ntry><Amt Ccy="AOA">700.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-02-12</Dt>' +
        '</BookgDt><AcctSvcrRef>B77</AcctSvcrRef></Ntry>',
    );
    expect((await send(camt)).json).toMatchObject({ format: 'camt053', counts: { credited: 1 } });
    expect((await credits()).map(({ minor }) => minor)).toEqual([100_000, 70_000]);
  });

  test('returns the lines of a statement without movements, and stores no mapping of it', async () => {
    const reply = await send('Data;Valor\n99/99/2026;10,00\n', { mapping: { date: 'Data', amount: 2 } });
    expect([reply.status, show(reply)]).toEqual([200, ['1 aside not_a_line', '2 aside unreadable']]);
    expect(reply.json.settlements).toEqual([]);
    expect(await app.sql('select from bank_mappings where merchant_id = $1', [shop.merchantId])).toEqual([]);
    expect((await send(writeCamt(''))).json).toMatchObject({ format: 'camt053', lines: [] });
  });

  test('does not credit a settlement again from a file of another format', async () => {
    await close({ day: '2026-02-10', minor: 100_000, period: '156' });
    await send('11/02/2026;1.000,00;EMIS 156\n');
    const again = await send('Data;Valor;Descrição\n11/02/2026;1.000,00;TRF 156 EMIS\n');
    expect(show(again)).toEqual(['1 aside not_a_line', '2 unclear amount_differs']);
    expect(await credits()).toHaveLength(1);
  });

  test('returns 400 for invalid bodies and files, and stores nothing', async () => {
    const [id] = await close({ day: '2026-02-10', minor: 100_000 });
    const text = '11/02/2026;1.000,00;TPA\n';
    const stranger = await openCallbackFixture(app);
    await addMoney(app, stranger, { at: '2026-02-10T10:00:00.000Z' });
    const [{ id: foreign }] = (await untilClosed(app, stranger)) as [any];
    const cases: [body: object, faults: string[]][] = [
      [{}, ['/file required']],
      [{ file: 'é' }, ['/file invalid_format']],
      [{ file: file('%PDF-1.4') }, ['/file file_format']],
      [{ file: file('Bom dia') }, ['/file file_empty']],
      [{ file: file('Data;Valor'), lines: [{ line: 1, settlementId: id }] }, ['/lines/0/line unknown_line']],
      [{ file: file(text), mapping: { date: 'Dia' } }, ['/mapping file_head']],
      [{ file: file(text), lines: [{ line: 9, aside: true }] }, ['/lines/0/line unknown_line']],
      [{ file: file(text), lines: [{ line: 1 }] }, ['/lines/0/settlementId unknown_settlement']],
      [{ file: file(text), lines: [{ line: 1, settlementId: foreign }] }, ['/lines/0/settlementId unknown_settlement']],
      [
        { file: file(text), lines: [{ line: 1, settlementId: id, aside: true }] },
        ['/lines/0/settlementId unknown_settlement'],
      ],
    ];
    for (const [body, faults] of cases) {
      const reply = await shop.call(STATEMENTS, { body });
      expect([reply.status, readFieldFaults(reply)]).toEqual([400, faults]);
    }
    expect(await credits()).toEqual([]);
  });

  test('ignores a settlement whose period is still open', async () => {
    await addMoney(app, shop, { minor: 100_000 });
    const day = app.clock.now().toISOString().slice(0, 10);
    expect((await send(`${day};1.000,00;TPA\n`)).json.counts).toMatchObject({ credited: 0, aside: 1 });
    expect(await credits()).toEqual([]);
  });
});
