import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { addMoney, addRefund, SETTLEMENTS, inOneTransaction, untilClosed } from '../../support/books.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { enterConsole, formTokenIn, type Visit } from '../../support/console.ts';
import { writeWorkbook } from '../../support/bank-statements.ts';
import { addMember } from '../../support/members.ts';

let app: TestApp;
let shop: CallbackFixture;
let owner: Visit;
/** The text of a page, with normal spaces inside the amounts. */
const lookAt = async (path: string) => plain((await owner.open(path)).text);
const plain = (text: string) => text.replaceAll('\u00a0', ' ');
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  shop = await openCallbackFixture(app);
  owner = await enterConsole(app, await addMember(app, { merchantId: shop.merchantId }));
});

const BOOKS = '/console/books';
const DAY = '2026-02-10';
const at = (time: string, day = DAY) => `${day}T${time}.000Z`;

/** Creates a closed period of 1 500,00 AOA less 10,00 of fees. */
async function closeDay(): Promise<{ screen: string; id: string }> {
  await inOneTransaction(app, async (books) => {
    await addMoney(books, shop, { at: at('10:00:00'), minor: 100_000, feeMinor: 1_000, reference: 'MANHA' });
    await addMoney(books, shop, { at: at('11:00:00'), minor: 50_000, reference: 'MEIODIA' });
  });
  const { id } = (await untilClosed(app, shop)).find(({ day }) => day === DAY);
  return { screen: `${BOOKS}/${id}`, id };
}

const read = async (id: string) => (await shop.call(`${SETTLEMENTS}/${id}`)).json;
const readCredits = async (id: string) =>
  (await read(id)).credits.map(({ amount, date, source }: any) => [amount, date, source]);

describe('a bank credit entered by hand', () => {
  test('is prefilled with the missing amount, and entered once', async () => {
    const { screen, id } = await closeDay();
    const text = await lookAt(screen);
    expect(text).toContain('1 490,00 Kz');
    expect(text).toContain('À espera do crédito');
    expect(text).toContain('value="1490"');
    const token = formTokenIn(await owner.open(screen));
    const form = { act: 'credit', token, key: crypto.randomUUID(), amount: '1 490', date: '2026-02-11', reference: '' };
    const pressed = await Promise.all([1, 2, 3].map(() => owner.post(screen, form)));
    expect(pressed.map(({ status }) => status).filter((status) => ![303, 409].includes(status))).toEqual([]);
    for (const _time of [1, 2])
      expect((await owner.post(screen, form)).headers.get('location')).toBe(`${screen}?done=credit`);
    expect(await readCredits(id)).toEqual([[1490, '2026-02-11', 'hand']]);
    expect((await owner.open(`${screen}?done=credit`)).text).toMatch(/Crédito guardado\..*Confere/s);
  });

  test('shows the difference if its amount is another, and may be negative for a chargeback', async () => {
    const { screen, id } = await closeDay();
    await owner.act(screen, 'credit', { amount: '990', date: '2026-02-11' });
    const text = await lookAt(screen);
    expect(text).toContain('faltam 500,00 Kz');
    expect(text).toContain('O banco pode ter creditado este movimento noutro dia.');
    for (const list of [BOOKS, `${BOOKS}/days/${DAY}`]) expect(await lookAt(list)).toContain('faltam 500,00 Kz');
    await owner.act(screen, 'credit', { amount: '510', date: '2026-02-12' });
    await owner.act(screen, 'credit', { amount: '-10,00', date: '2026-02-12' });
    expect(await read(id)).toMatchObject({ status: 'balanced', credited: 1490 });
  });

  test('is refused with a reason beside each wrong field', async () => {
    const { screen, id } = await closeDay();
    const none = await owner.act(screen, 'credit', { amount: '', date: '' });
    expect(none.status).toBe(400);
    for (const field of ['amount', 'date']) expect(none.text).toContain(`id="credit-${field}-error">Preencha`);
    const typed = await owner.act(screen, 'credit', { amount: '1490,500', date: '2026-02-11' });
    expect(typed.text).toMatch(/id="credit-amount-error">Escreva um número/);
    expect(typed.text).toContain('value="1490,500"');
    const zero = await owner.act(screen, 'credit', { amount: '0', date: '2026-02-11' });
    expect(zero.text).toMatch(/id="credit-amount-error">Não pode ser zero/);
    expect(await readCredits(id)).toEqual([]);
  });

  test('can have an amount of ten digits, which the page shows completely', async () => {
    const at = '2026-02-11T10:00:00.000Z';
    await addMoney(app, shop, { at, minor: 123_456_789_050 });
    const [{ id }] = await untilClosed(app, shop);
    const form = { amount: '1 234 567 890,50', date: '2026-02-12' };
    expect((await owner.act(`${BOOKS}/${id}`, 'credit', form)).status).toBe(303);
    expect(await lookAt(BOOKS)).toMatch(/1 234 567 890,50 Kz.*Confere/s);
  });

  test('cannot be entered before the day has ended', async () => {
    await addMoney(app, shop);
    const [{ id }] = (await shop.call(SETTLEMENTS)).json.data;
    const { text } = await owner.open(`${BOOKS}/${id}`);
    expect(text).toContain('O dia ainda decorre.');
    expect(text).not.toContain('name="act"');
    const forged = await owner.act(`${BOOKS}/${id}`, 'credit', { amount: '1', date: '2026-02-11' });
    expect([forged.status, forged.text]).toEqual([409, expect.stringContaining('O dia ainda não fechou.')]);
  });
});

describe('a bank statement', () => {
  const IMPORT = `${BOOKS}/import`;
  const valueOf = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';
  const heads = 'Data\tDescrição\tDébito\tCrédito';

  test('is shown before it is entered, and entered once', async () => {
    const { screen, id } = await closeDay();
    expect((await owner.open(screen)).text).toContain(`href="${IMPORT}"`);
    expect((await owner.open(BOOKS)).text).toContain(`href="${IMPORT}"`);
    const text = `${heads}\n11/02/2026\tTRF <b>EMIS</b>\t\t1.490,00\n11/02/2026\tTaxa\t5,00\t\nlixo\n`;
    const shown = await owner.act(IMPORT, 'statementCheck', { text });
    expect(shown.status).toBe(200);
    expect(plain(shown.text)).toMatch(/Ainda nada foi registado.*Vão ser registados.*11\/02\/2026.*1 490,00 Kz/s);
    expect(shown.text).toContain('TRF &lt;b>EMIS&lt;/b>');
    expect(shown.text).toMatch(/Postos de lado: 3.*título.*débito.*Linha 4/s);
    expect(await readCredits(id)).toEqual([]);
    const file = valueOf(shown.text, 'file');
    const entered = await owner.act(IMPORT, 'statementImport', { file });
    expect(entered.text).toMatch(/os créditos ficaram registados.*Registados/s);
    expect(await readCredits(id)).toEqual([[1490, '2026-02-11', 'file']]);
    const again = await owner.act(IMPORT, 'statementImport', { file });
    expect(again.text).toMatch(/Não há créditos novos.*Já registados: 1/s);
    expect(await readCredits(id)).toHaveLength(1);
  });

  test('lets a person choose the settlement of an unclear line', async () => {
    const { id } = await closeDay();
    const file = Buffer.from(`${heads}\n11/02/2026\tA\t\t1.490,00\n12/02/2026\tB\t\t1.490,00\n`).toString('base64');
    const unclear = await owner.act(IMPORT, 'statementCheck', { file });
    expect(plain(unclear.text)).toMatch(/name="choice.2".*10\/02\/2026 · Multicaixa Express · faltam 1 490,00 Kz/s);
    await owner.act(IMPORT, 'statementImport', { file, 'choice.2': '', 'choice.3': id });
    expect(await readCredits(id)).toEqual([[1490, '2026-02-12', 'file']]);
  });

  test('may be a workbook, in columns that the form describes', async () => {
    const { id } = await closeDay();
    const book = writeWorkbook([['TRF', 1490, { serial: 46_064 }]]);
    const columns = { other: 'on', date: '3', amount: '2', description: '1', debit: '', credit: '' };
    const files = { 'file.file': new File([new Uint8Array(book)], 'extracto.xlsx') };
    const shown = await owner.send(IMPORT, 'statementCheck', { text: '', ...columns }, files);
    expect(plain(shown.text)).toContain('Registar 1 crédito');
    const file = valueOf(shown.text, 'file');
    expect([file, valueOf(shown.text, 'date')]).toEqual([book.toString('base64'), '3']);
    await owner.act(IMPORT, 'statementImport', { file, ...columns });
    expect(await readCredits(id)).toEqual([[1490, '2026-02-11', 'file']]);
  });

  test('is shown with its lines aside if it has no movements', async () => {
    const shown = await owner.act(IMPORT, 'statementCheck', { text: `${heads}\n99/99/2026\tA\t\t10,00\n` });
    expect(shown.status).toBe(200);
    expect(plain(shown.text)).toMatch(/Não encontrámos movimentos neste extracto.*Postos de lado: 2/s);
  });

  test('is refused at its field if it cannot be read', async () => {
    const files = { 'file.file': new File(['%PDF-1.4'], 'extracto.pdf') };
    const refused = await owner.send(IMPORT, 'statementCheck', { text: '' }, files);
    expect(refused.status).toBe(400);
    expect(refused.text).toMatch(/id="statementCheck-file-file-error">Este ficheiro não é um extracto/);
    const empty = await owner.act(IMPORT, 'statementCheck', { text: '' });
    expect(empty.text).toMatch(/id="statementCheck-file-file-error">Não encontrámos nenhuma linha/);
    const columns = { other: 'on', date: 'Dia', amount: '2', description: '1' };
    const headless = await owner.act(IMPORT, 'statementCheck', { text: '11/02/2026;1;x', ...columns });
    expect(headless.text).toMatch(/id="statementCheck-date-error">O extracto não tem colunas com estes títulos/);
  });

  test('may have as many lines as the API accepts', async () => {
    const { id } = await closeDay();
    const long = Array.from({ length: 4_900 }, (_, nth) => `11/02/2026;${nth + 1_600},00;Outra coisa ${nth}`).join(
      '\n',
    );
    const file = Buffer.from(`${long}\n12/02/2026;1.490,00;TRF`).toString('base64');
    expect((await owner.act(IMPORT, 'statementCheck', { file })).text).toContain('e mais 4700');
    await owner.act(IMPORT, 'statementImport', { file });
    expect(await readCredits(id)).toEqual([[1490, '2026-02-12', 'file']]);
  });
});

describe('a list of the books', () => {
  test('filters days by status and date, also as a file, without those of other merchants', async () => {
    const { id } = await closeDay();
    const shown = async (query: string) => (await owner.open(`${BOOKS}${query}`)).text.includes(`${BOOKS}/days/${DAY}`);
    expect(await shown('')).toBe(true);
    expect((await owner.open(`${BOOKS}/days/${DAY}`)).text).toContain(`${BOOKS}/${id}`);
    expect(await shown('?status=waiting&from=2026-02-10&to=2026-02-10')).toBe(true);
    // The page accepts a range whose days are reversed, and ignores an invalid day.
    expect(await shown('?from=2026-02-28&to=2026-02-01')).toBe(true);
    expect(await shown('?from=ontem&status=lixo')).toBe(true);
    expect(await shown('?status=balanced')).toBe(false);
    expect(await shown('?from=2026-02-11')).toBe(false);
    const file = await owner.open(`${BOOKS}.csv?status=waiting`);
    expect([file.status, file.text]).toEqual([200, expect.stringContaining('10/02/2026;À espera do crédito')]);
    const pdf = await owner.open(`${BOOKS}/days/${DAY}/pdf`);
    expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    const other = await openCallbackFixture(app);
    const visitor = await enterConsole(app, await addMember(app, { merchantId: other.merchantId }));
    expect((await visitor.open(BOOKS)).text).toContain('Ainda não há fechos.');
    expect((await visitor.open(`${BOOKS}/${id}/movements.csv`)).status).toBe(404);
  });

  test('filters movements by kind, time and payment', async () => {
    const { id } = await closeDay();
    const PATH = `${BOOKS}/movements`;
    const shown = async (query: string) => {
      const { text } = await owner.open(`${PATH}${query}`);
      return ['MANHA', 'MEIODIA'].filter((reference) => text.includes(`<strong>${reference}</strong>`));
    };
    expect(await shown('')).toEqual(['MANHA', 'MEIODIA']);
    expect(await lookAt(PATH)).toContain('comissão 10,00 Kz');
    expect(await shown('?q=MANHA')).toEqual(['MANHA']);
    expect(await shown('?from=2026-02-10&to=2026-02-10&type=payment')).toEqual(['MANHA', 'MEIODIA']);
    expect(await shown('?from=2026-02-11')).toEqual([]);
    expect(await shown('?type=refund')).toEqual([]);
    expect(await shown('?period=20499')).toEqual([]);
    expect((await owner.open(`${PATH}.csv?q=MANHA`)).text).not.toContain('MEIODIA');
    expect((await owner.open(`${BOOKS}/${id}/movements.csv`)).text).toContain('MEIODIA');
  });

  test('filters refunds by status and method, and links each refund to its payment', async () => {
    const PATH = `${BOOKS}/refunds`;
    const money = await addMoney(app, shop);
    const back = await addRefund(app, shop, money, { method: 'manual' });
    const shown = async (query: string) => (await owner.open(`${PATH}${query}`)).text.includes(`${PATH}/${back}`);
    expect(await shown('?status=Succeeded&method=manual')).toBe(true);
    expect(await shown('?method=rail')).toBe(false);
    expect(await shown('?status=Pending')).toBe(false);
    expect((await owner.open(`${PATH}.csv?method=manual`)).text).toContain(back);
    const { text } = await owner.open(`${PATH}/${back}`);
    expect(text).toContain(`href="/console/payments/${money.paymentId}"`);
    expect(text).not.toContain('name="act"');
    const returned = await lookAt(`${BOOKS}/movements?type=manual`);
    expect(returned).toContain('−500,00 Kz');
    const waiting = `${PATH}/${await addRefund(app, shop, money, { status: 'Pending', minor: 100 })}`;
    for (const act of ['refundSync', 'refundCancel']) expect(await lookAt(waiting)).toContain(`value="${act}"`);
    const late = await owner.act(`${PATH}/${back}`, 'refundCancel');
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('não se pode retirar')]);
  });
});

test('the tasks on the Today page link to filtered lists', async () => {
  const { screen } = await closeDay();
  await owner.act(screen, 'credit', { amount: '990', date: '2026-02-11' });
  expect((await owner.open('/console/today')).text).toContain('href="/console/books?status=differs"');
});
