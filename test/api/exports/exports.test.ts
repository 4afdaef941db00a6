// Lists as CSV files: their rows, their language, and their limits.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Dialect } from '../../../server/exports/csv.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { addMoney, addRefund, SETTLEMENTS, inOneTransaction } from '../../support/books.ts';
import { openExport, parseCsv, readCsv, writePayments } from '../../support/csv.ts';
import { webframe } from '../../support/payments.ts';
import { createReference, PPR } from '../../support/ppr.ts';

const SENT = '/api/Envio/ListarSmsEnviadas';
const LISTS = ['/api/payments', PPR, SENT, '/api/refunds', '/api/transactions', SETTLEMENTS];

let app: TestApp;
let shop: Awaited<ReturnType<TestApp['addMerchant']>>;

const ask = (path: string, headers: Record<string, string> = { accept: 'text/csv' }, options = {}) =>
  app.call(path, { token: shop.token, headers, ...options });
const read = async (path: string, headers = {}) => {
  const { status, text } = await ask(path, { accept: 'text/csv', 'accept-language': 'en', ...headers });
  expect(status).toBe(200);
  return readCsv(text, path.includes('rfc4180') ? ',' : ';');
};

type FileOf = { dialect: Dialect; language: string };

/** Reads the rows of a merchant's own file. */
async function readOwn({ token }: { token: string }, path: string, { dialect, language }: FileOf) {
  const headers = { accept: 'text/csv', 'accept-language': language };
  const { status, text } = await ask(`${path}${path.includes('?') ? '&' : '?'}dialect=${dialect}`, headers, { token });
  expect(status).toBe(200);
  return readCsv(text, dialect === 'excel' ? ';' : ',');
}

beforeAll(async () => {
  app = await startTestApp();
  shop = await app.addMerchant();
  const payments = [
    webframe({ reference: 'CSV-1', amount: 1500.5, description: '=HYPERLINK("http://x";"y")' }),
    webframe({ reference: 'CSV-2', metadata: { custom: { order: 7, note: 'a;b' } } }),
  ];
  for (const body of payments) {
    expect((await app.call('/api/payments', { body, token: shop.token })).status).toBe(201);
    await app.clock.advance(1_000);
  }
});

describe('the export of payments', () => {
  test('has the CSV format of Excel in Portuguese by default', async () => {
    const { status, headers, text } = await ask('/api/payments');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(headers.get('content-disposition')).toBe('attachment; filename="pagamentos-2026-03-02.csv"');
    expect(headers.get('content-language')).toBe('pt');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('vary')).toBe('Accept, Accept-Language');
    // `text()` has removed the byte order mark, so the test reads the bytes.
    const bytes = Buffer.from(await (await fetchCsv('/api/payments')).arrayBuffer());
    expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
    const { json } = await app.call('/api/payments', { token: shop.token });
    const [, second] = text.split('\r\n');
    expect(text.split('\r\n')[0]).toBe(
      'Criado em;Concluído em;Id interno;Referência;Tipo;Forma de pagamento;Estado;Situação;Cliente;' +
        'NIF ou documento;Telemóvel;Montante;Pago;Devolvido;Comissão;Líquido;Moeda;Descrição;Cobrado por;' +
        'Link de pagamento;N.º da transacção;Dados da loja',
    );
    expect(second).toBe(
      `02/03/2026 10:00;;${json.data[0].id};CSV-2;Multicaixa Express;Página de pagamento;A aguardar;A aguardar;` +
        ';;;1500,00;0,00;0,00;;;AOA;;test;;;"{""order"":7,""note"":""a;b""}"',
    );
    expect(parseCsv(text, ';').at(-1)?.slice(11, 18)).toEqual([
      '1500,50',
      '0,00',
      '0,00',
      '',
      '',
      'AOA',
      `'=HYPERLINK("http://x";"y")`,
    ]);
  });

  test('is readable by programs in the dialect rfc4180, and the same in every language', async () => {
    const rows = await read('/api/payments?dialect=rfc4180', { 'accept-language': 'fr' });
    expect(rows.map((row) => [row['Created at'], row['Reference'], row['Amount']])).toEqual([
      ['2026-03-02T09:00:01.000Z', 'CSV-2', '1500.00'],
      ['2026-03-02T09:00:00.000Z', 'CSV-1', '1500.50'],
    ]);
    expect(rows[0]).toMatchObject({ Type: 'GPO', Method: 'webframe', Status: 'Pending', Standing: 'pending' });
    const { headers, text } = await ask('/api/payments?dialect=RFC4180');
    expect(text.startsWith('Created at,')).toBe(true);
    expect(headers.get('content-language')).toBe('en');
    expect(headers.get('content-disposition')).toBe('attachment; filename="payments-2026-03-02.csv"');
  });

  test.each<[string, string[]]>([
    ['?reference=CSV-1', ['CSV-1']],
    ['?status=Paid', []],
    ['?from=2026-03-02T09:00:01Z', ['CSV-2']],
    ['?to=2026-03-02T09:00:01Z', ['CSV-1']],
    ['?paymentType=PPR', []],
    ['?page=2&pageSize=1', ['CSV-2', 'CSV-1']],
  ])('has the rows of the filtered list over all pages: %s', async (query, expected) => {
    expect((await read(`/api/payments${query}`)).map((row) => row['Reference'])).toEqual(expected);
  });

  const TEXTS = [
    '',
    '=1',
    '+1',
    '-1',
    '@a',
    '\t=1',
    '\r=1',
    '=";,"',
    '"',
    '""',
    'a"b',
    'a,b',
    'a;b',
    '-a;b',
    'a\nb',
    '\r\n',
    '\n=1',
    ' =1',
    '\uff1d1+1',
  ];
  test.each(['excel', 'rfc4180'])('keeps any text in the dialect %s', async (dialect) => {
    const { merchantId, token } = await app.addMerchant();
    const texts = [...TEXTS, '\\.', '\\N', "'=1", ' é😀 ', `${'ã'.repeat(300)};"`, null];
    await app.sql(writePayments({ count: texts.length }), [merchantId, app.clock.now()]);
    await app.sql(
      `update payments p set description = t.text from unnest($2::text[]) with ordinality t (text, nth)
       where merchant_id = $1 and reference = 'R' || nth`,
      [merchantId, texts],
    );
    const headers = { accept: 'text/csv', 'accept-language': 'en' };
    const { text } = await app.call(`/api/payments?dialect=${dialect}`, { token, headers });
    const shown = readCsv(text, dialect === 'excel' ? ';' : ',').map((row) => row['Description']);
    expect(shown).toEqual(texts.map((each) => (each ?? '').replace(/^[\t\r\n]|^\s*[=+\-@\uff1d]/, "'$&")));
  });

  test('has each of many payments once, newest first, even if they share one millisecond', async () => {
    const many = await app.addMerchant();
    const at = app.clock.now();
    await app.sql(writePayments({ count: 2_300, isOneMoment: true }), [many.merchantId, at]);
    await app.sql(writePayments({ count: 900 }), [many.merchantId, at]);
    // This payment is one millisecond newer than the export, which must not contain it.
    await app.sql(writePayments({ count: 1, isOneMoment: true }), [many.merchantId, new Date(at.getTime() + 1)]);
    const { text } = await ask('/api/payments', { accept: 'text/csv' }, { token: many.token });
    const listed = await app.sql(
      `select id from payments where merchant_id = $1 and created_at <= $2 order by created_at desc, id desc`,
      [many.merchantId, at],
    );
    expect(readCsv(text, ';').map((row) => row['Id interno'])).toEqual(listed.map(({ id }) => id));
    expect(listed).toHaveLength(3_200);
  });
});

test('the export of references has the fields of each reference’s payment', async () => {
  const { token } = await app.addMerchant({ entity: '00777' });
  const about = { customerName: 'Ana "Aninhas"', customerTelephone: '+244 923', description: 'Quotas\r\nde Março' };
  const fields = { reference: '001002003', referenceType: 'Charging', amount: 12.5, ...about };
  const made = await createReference(app, fields, { token });
  await createReference(app, { referenceType: 'Dynamic' }, { token });
  const own = (path: string) => ask(path, { accept: 'text/csv', 'accept-language': 'fr' }, { token });
  expect(readCsv((await own(PPR)).text, ';')).toHaveLength(2);
  const [row, ...others] = readCsv((await own(`${PPR}?type=charging&dialect=rfc4180`)).text, ',');
  expect(others).toEqual([]);
  expect(row).toEqual({
    'Created at': made.createdAt,
    'Expires at': made.expiresAt,
    'Registered at': expect.any(String),
    'Internal id': made.internalId,
    Entity: '00777',
    Reference: '001002003',
    Type: 'Charging',
    'Payment status': 'Pending',
    'Reference status': 'Pending',
    Standing: 'pending',
    Customer: 'Ana "Aninhas"',
    'Tax number': '',
    // A leading apostrophe keeps Excel from running the text as a formula.
    'Mobile number': "'+244 923",
    'E-mail': '',
    Amount: '12.50',
    Paid: '0.00',
    Refunded: '0.00',
    Fee: '',
    Net: '',
    Currency: 'AOA',
    Description: 'Quotas\r\nde Março',
    'Charged by': 'test',
    Contract: 'current',
    customMetadata: '',
  });
  const [shown] = readCsv((await own(`${PPR}?type=charging`)).text, ';');
  expect(shown).toMatchObject({
    'Expire le': 'Sans date de fin',
    Référence: "'001002003",
    Type: 'Paiement répété',
    'État du paiement': 'En attente',
    'État de la référence': 'À payer',
    Situation: 'En attente',
    'Encaissé par': 'test',
    Contrat: 'Actuel',
  });
});

test('the export of references has each reference once over all batches, newest first', async () => {
  const { token, merchantId } = await app.addMerchant({ entity: '00778' });
  const at = app.clock.now();
  await app.sql(writePayments({ count: 1_200 }), [merchantId, at]);
  await app.sql(
    `insert into payment_references (id, payment_id, merchant_id, entity, reference, type, contract, status,
      created_at, expires_at)
     select gen_random_uuid(), id, merchant_id, '00778', lpad(substr(reference, 2), 9, '0'), 'Dynamic', 'current',
       'Pending',
       date_trunc('minute', created_at), created_at from payments where merchant_id = $1`,
    [merchantId],
  );
  const listed = await app.sql(
    `select payment_id from payment_references where merchant_id = $1 order by created_at desc, id desc`,
    [merchantId],
  );
  const { text } = await ask(PPR, { accept: 'text/csv' }, { token });
  expect(readCsv(text, ';').map((row) => row['Id interno'])).toEqual(listed.map(({ payment_id: id }) => id));
});

test('the export of sent SMS has the same fields as the list of sent SMS', async () => {
  const { token } = await app.addMerchant();
  const body = { numerosDestino: ['923000001'], conteudo: '@Ana; olá' };
  const sent = await app.call('/api/Envio/enviarSms', { body });
  expect(sent.status).toBe(200);
  const { json } = await app.call(`${SENT}?batchId=${sent.json.batchId}`);
  const { text } = await app.call(`${SENT}.csv?batchId=${sent.json.batchId}&dialect=rfc4180`);
  const [row, ...others] = readCsv(text, ',');
  expect(others).toEqual([]);
  const [message] = json.data;
  expect(row).toMatchObject({
    Id: message.id,
    'Sending id': message.batchId,
    Number: '+244923000001',
    Sender: message.remetente,
    Content: "'@Ana; olá",
    Parts: '1',
    Failure: '',
  });
  expect(['Pendente', 'Enviado', 'Entregue']).toContain(row?.['Status']);
  expect((await app.call(`${SENT}.csv`, { token })).text).toMatch(/^Data;Enviado em;[^\n]+\r\n$/);
});

describe('the export of the books', () => {
  const DAY = '2026-03-01';
  const sold = (who: { merchantId: string }) =>
    addMoney(app, who, { at: `${DAY}T10:00:00.000Z`, minor: 100_000, feeMinor: 1_250, reference: 'B-1', number: '7' });

  test('has transactions and refunds, and the refunded amount of each transaction', async () => {
    const other = await app.addMerchant();
    const money = await sold(other);
    const id = await addRefund(app, other, money, { at: `${DAY}T11:00:00.000Z`, minor: 30_000 });
    const own = (path: string, dialect: Dialect, language = 'en') => readOwn(other, path, { dialect, language });
    const [back, came, ...others] = await own('/api/transactions?period=2026-03-01', 'rfc4180');
    expect(others).toEqual([]);
    expect(back).toMatchObject({ Id: id, Type: 'refund', Gross: '-300.00', Fee: '', Net: '-300.00', Late: 'false' });
    expect(came).toEqual({
      'Occurred at': '2026-03-01T10:00:00.000Z',
      'Recorded at': '2026-03-01T10:00:00.000Z',
      Id: money.id,
      Type: 'payment',
      'Payment id': money.paymentId,
      Reference: 'B-1',
      Account: 'gpo',
      'Rail’s id': `rail ${money.id}`,
      Period: DAY,
      'Transaction no.': '7',
      Gross: '1000.00',
      Fee: '12.50',
      Refunded: '300.00',
      Net: '987.50',
      Currency: 'AOA',
      Late: 'false',
      Method: 'onetimepurchase',
      Customer: '',
      'Tax number': '',
      'Mobile number': '',
      'Charged by': '',
    });
    expect(await own('/api/transactions?type=refund', 'rfc4180')).toEqual([back]);
    expect(await own('/api/refunds', 'rfc4180')).toMatchObject([
      { Id: id, 'Payment id': money.paymentId, Status: 'Succeeded', Method: 'rail', 'Refunded by': '' },
    ]);
  });

  test.each([
    ['pt', 'Ocorrido em|Tipo|Contrato|Período|Tardio|Forma de pagamento', 'Devolvido', 'Pagamento', 'não'],
    ['en', 'Occurred at|Type|Account|Period|Late|Method', 'Refunded', 'Payment', 'no'],
    ['fr', 'Survenu le|Type|Contrat|Période|Tardif|Mode de paiement', 'Remboursé', 'Paiement', 'non'],
  ])('has the words of %s for people', async (language, titles, refunded, payment, no) => {
    const other = await app.addMerchant();
    await addRefund(app, other, await sold(other), { at: `${DAY}T11:00:00.000Z`, minor: 30_000 });
    const rows = await readOwn(other, '/api/transactions', { dialect: 'excel', language });
    const shown = rows.map((row) => titles.split('|').map((title) => row[title]));
    expect(shown).toEqual([
      ['01/03/2026 12:00', refunded, 'Multicaixa Express', '01/03/2026', no, 'Multicaixa Express'],
      ['01/03/2026 11:00', payment, 'Multicaixa Express', '01/03/2026', no, 'Multicaixa Express'],
    ]);
  });

  test('has settlements with their sums, and the movements of each settlement', async () => {
    const other = await app.addMerchant();
    await sold(other);
    await inOneTransaction(app, async (books) => {
      await addMoney(books, other, { at: '2026-02-10T10:00:00.000Z', period: '156' });
      await books.sql(
        `insert into transactions (id, merchant_id, payment_id, rail, provider_ref, amount_minor, currency, status,
          late,
           occurred_at, created_at, period, details)
         select gen_random_uuid(), merchant_id, payment_id, rail, 'many ' || nth, 100, currency, status, late,
           occurred_at + nth / 2 * interval '1 ms', created_at, period, details
         from transactions, generate_series(1, 1100) nth where merchant_id = $1 and period = '156'`,
        [other.merchantId],
      );
    });
    const own = (path: string) => readOwn(other, path, { dialect: 'excel', language: 'en' });
    const rows = await own(SETTLEMENTS);
    expect(rows).toMatchObject([
      { Day: '01/03/2026', Taken: '1000,00', Fees: '12,50', 'Expected credit': '987,50', Movements: '1' },
      { Period: '156', Status: 'To check', Taken: '2600,00', Difference: '-2600,00', Movements: '1101' },
    ]);
    expect(await readOwn(other, SETTLEMENTS, { dialect: 'excel', language: 'pt' })).toMatchObject([
      { Dia: '01/03/2026', Contrato: 'Multicaixa Express', Estado: 'Por conferir' },
      { Dia: '10/02/2026', Período: '156', Estado: 'Por conferir' },
    ]);
    expect(await readOwn(other, SETTLEMENTS, { dialect: 'rfc4180', language: 'pt' })).toMatchObject([
      { Day: DAY, Account: 'gpo', Status: 'open' },
      { Day: '2026-02-10', Status: 'open' },
    ]);
    const lines = await own(`${SETTLEMENTS}/${rows[1]?.['Id']}`);
    expect(new Set(lines.map(({ Id }) => Id)).size).toBe(1_101);
    expect(lines).toHaveLength(1_101);
    // The JSON of a settlement has the same movements, on one page or two.
    const page = async (query: string) =>
      (await app.call(`${SETTLEMENTS}/${rows[1]?.['Id']}?${query}`, { token: other.token })).json.movements;
    const [whole, first] = [await page('limit=100000'), await page('limit=700')];
    const rest = await page(`limit=401&after=${first.next}`);
    const idsOf = ({ data }: any) => data.map(({ id }: any) => id);
    expect(idsOf(whole)).toEqual(lines.map(({ Id }) => Id));
    expect([...idsOf(first), ...idsOf(rest)]).toEqual(idsOf(whole));
    expect([whole.next, rest.next]).toEqual([null, null]);
    for (const method of ['GET', 'HEAD'])
      expect((await ask(`${SETTLEMENTS}/${rows[1]?.['Id']}.csv`, {}, { method })).status).toBe(404);
  });
});

describe('GET /api/payments', () => {
  test.each(['application/json', '*/*', 'text/html', 'application/pdf', 'text/csv;q=0.5, application/json'])(
    'returns JSON for Accept: %s',
    async (accept) => {
      expect((await ask('/api/payments', { accept })).headers.get('content-type')).toMatch(/^application\/json/);
    },
  );

  test.each([
    ['text/csv, */*;q=0.1', ''],
    ['*/*', '.csv'],
    ['application/json', '.csv'],
  ])('returns CSV for Accept: %s and the path ending “%s”', async (accept, ending) => {
    expect((await ask(`/api/payments${ending}`, { accept })).headers.get('content-type')).toMatch(/^text\/csv/);
  });
});

describe.each(LISTS)('the export of %s', (path) => {
  test('names its columns in the caller’s language', async () => {
    const seen: [string | null, string][] = [];
    for (const language of ['pt-AO', 'en-GB,en;q=0.9', 'fr', 'de']) {
      const { headers, text } = await ask(path, { accept: 'text/csv', 'accept-language': language });
      seen.push([headers.get('content-language'), text.split('\r\n')[0] ?? '']);
    }
    expect(seen.map(([language]) => language)).toEqual(['pt', 'en', 'fr', 'pt']);
    expect(new Set(seen.map(([, names]) => names)).size).toBe(3);
  });

  test('answers HEAD without creating the file', async () => {
    const { status, headers, text } = await ask(`${path}.csv`, {}, { method: 'HEAD' });
    expect([status, text]).toEqual([200, '']);
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="[a-z-]+-2026-03-02\.csv"$/);
  });

  test('refuses an unknown dialect, and names the other faults of the query too', async () => {
    const { status, json } = await ask(`${path}?dialect=tsv&pageSize=0&limit=0`);
    expect(status).toBe(400);
    const faults = json.errors.map((fault: any) => `${fault.pointer} ${fault.code}`);
    // A list knows only one of pageSize and limit, and refuses the other.
    expect(faults.filter((fault: string) => !fault.endsWith(' unknown_parameter')).toSorted()).toEqual([
      '/query/dialect invalid_value',
      expect.stringMatching(/^.query.(pageSize|limit) too_small$/),
    ]);
  });
});

test('a merchant can have two exports at the same time, and a third returns 429', async () => {
  const { merchantId, token } = await app.addMerchant();
  await app.sql(writePayments({ count: 8_000, length: 3_000 }), [merchantId, app.clock.now()]);
  const url = `${app.url}/api/payments`;
  const held = [await openExport(url, token), await openExport(url, token)];
  const third = await ask('/api/payments.csv', {}, { token });
  expect([third.status, third.json.code]).toEqual([429, 'too_many_exports']);
  expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await ask('/api/payments.csv')).status).toBe(200);
  expect((await ask('/api/payments', {}, { token })).status).toBe(200);
  expect((await ask('/api/payments.csv', {}, { token, method: 'HEAD' })).status).toBe(200);
  for (const answer of held) answer.destroy();
});

/** Requests a CSV file as a response whose bytes the test can read. */
function fetchCsv(path: string): Promise<Response> {
  return fetch(app.url + path, { headers: { accept: 'text/csv', authorization: `Bearer ${shop.token}` } });
}
