// A filter value that contains SQL finds only the row with exactly this text.
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { addMoney, addRefund, SETTLEMENTS } from '../../support/books.ts';
import { readCsv } from '../../support/csv.ts';
import { webframe } from '../../support/payments.ts';
import { PPR } from '../../support/ppr.ts';

// Filter values that try to become part of a SQL statement.
const HOSTILE = [
  "' or ''='",
  "'; select 1; --",
  `"`,
  '\\',
  "\\' or true --",
  "\\\\' or 1=1",
  "E'\\x27 or 1'",
  "U&'\\0027'",
  '$1',
  '$$;$$',
  ') to stdout; --',
  '","x"}',
  '{"a"}',
  'null',
  '\u2019\u02bc\uff07',
  '\u{1F600};é,\r\n\t',
];

let app: TestApp;
let shop: Awaited<ReturnType<TestApp['addMerchant']>>;

/** The rows of an export, or the code of its refusal. */
async function read(path: string, params: Record<string, string>): Promise<Record<string, string>[] | string> {
  const query = new URLSearchParams({ ...params, dialect: 'rfc4180' });
  const headers = { accept: 'text/csv', 'accept-language': 'en' };
  const { status, text, json } = await app.call(`${path}?${query}`, { token: shop.token, headers });
  return status === 200 ? readCsv(text, ',') : json.errors[0].code;
}

beforeAll(async () => {
  app = await startTestApp();
  shop = await app.addMerchant();
  const { token, merchantId } = shop;
  const named = { method: 'PUT', body: { searchKeys: ['note'] }, token };
  expect((await app.call(`/api/merchants/${merchantId}`, named)).status).toBe(200);
  for (const note of HOSTILE) {
    const body = webframe({ metadata: { custom: { note } } });
    expect((await app.call('/api/payments', { body, token })).status).toBe(201);
  }
  for (const who of [shop, await app.addMerchant()]) {
    const money = await addMoney(app, who, { at: '2026-03-01T10:00:00.000Z', minor: 100_000, reference: 'B-1' });
    await addRefund(app, who, money);
  }
});

test.each(HOSTILE)('a search for %j finds only the object with exactly this text', async (value) => {
  const reference = value.slice(0, 15);
  expect(await read('/api/payments', { reference })).toEqual([]);
  expect(await read('/api/refunds', { reference: value })).toEqual([]);
  const nameIt = (table: string, text: string, was: string) =>
    app.sql(`update ${table} set reference = $1 where merchant_id = $2 and ${was}`, [text, shop.merchantId]);
  await nameIt('payments', reference, `reference = 'B-1'`);
  await nameIt('refunds', value, 'true');
  expect(await read('/api/payments', { reference })).toMatchObject([{ Reference: reference }]);
  expect(await read('/api/refunds', { reference: value })).toMatchObject([{ Reference: value }]);
  await nameIt('payments', 'B-1', `amount_paid_minor = 100000`);
  const customMetadata = JSON.stringify({ note: value });
  expect(await read('/api/payments', { 'customMetadata.note': value })).toMatchObject([{ customMetadata }]);
});

test.each([
  ['/api/payments', ['status', 'paymentType', 'amount', 'currency', 'phone', 'from', 'to']],
  [PPR, ['type', 'status']],
  ['/api/Envio/ListarSmsEnviadas', ['batchId', 'estado', 'numeroDestino']],
  ['/api/refunds', ['status', 'method', 'from', 'to']],
  ['/api/transactions', ['from', 'to', 'type']],
  [SETTLEMENTS, ['status']],
])('%s refuses hostile text in the filters %o', async (path, filters) => {
  for (const filter of filters)
    for (const value of HOSTILE)
      expect(await read(path, { [filter]: value }), `${filter} ${value}`).toEqual(expect.any(String));
});

test('a filter value with a NUL character is refused', async () => {
  for (const params of [{ reference: "a\0'" }, { 'customMetadata.note': "\0' or true --" }])
    expect(await read('/api/payments', params)).toBe('invalid_text');
});
