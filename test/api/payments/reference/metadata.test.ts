// customMetadata of references: the merchant's own JSON, back exactly as it was sent from every endpoint, and never in control.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../../support/app.ts';
import { PPR } from '../../../support/ppr.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

/** Creates with `custom` as this exact text. */
const WAYS: Record<string, (custom: string, key?: string) => Promise<Reply>> = {
  'one reference': (custom, key) => post(PPR, `{"amount":5,"customMetadata":${custom}}`, key),
  'a legacy one': (custom, key) => post(`${PPR}/legacy`, `{"amount":5,"customMetadata":${custom}}`, key),
  'a bulk': (custom, key) => post(`${PPR}/bulk`, `{"references":[{"amount":5,"customMetadata":${custom}}]}`, key),
  'a payment': (custom, key) =>
    post('/api/payments', `{"amount":5,"currency":"AOA","paymentType":"PPR","metadata":{"custom":${custom}}}`, key),
};

const post = (path: string, body: string, key?: string) =>
  app.call(path, { body, headers: key ? { 'idempotency-key': key } : {} });

/** Every answer that carries it, as it travelled. */
async function readEverywhere(created: Reply): Promise<string[]> {
  const { reference, internalId } = created.json.data?.[0] ?? created.json;
  const paths = [
    `${PPR}/${reference}`,
    `${PPR}?pageSize=1`,
    `/api/payments/${internalId}`,
    `/api/payments?reference=${reference}`,
  ];
  const replies = await Promise.all(paths.map((path) => app.call(path)));
  return [created, ...replies].map(({ text }) => text);
}

describe.each(Object.entries(WAYS))('of %s', (name, create) => {
  test.each([
    ['nothing in it', '{}'],
    ['keys in their order and spelling', '{"zeta":1,"Alpha":2,"alpha":3,"_x":4,"Ünï":5,"":6}'],
    ['every kind of value', '{"s":"x","n":1,"b":true,"f":false,"z":null,"a":[1,"2",null,[]],"o":{"p":{}}}'],
    ['long and odd numbers', '{"a":123456789012345678901.50,"b":1e400,"c":-0,"d":1.0,"e":1E+2,"f":0.1000,"g":[-0.0]}'],
    ['__proto__ as data', '{"__proto__":{"admin":true},"o":{"__proto__":null,"constructor":{"prototype":1}}}'],
    ['names of our own fields', '{"reference":"1","status":"Paid","internalId":"x","data":[],"amount":"raw"}'],
    ['text with quotes, escapes and other scripts', '{"t":"\\"\\\\\\n<script>é 😀"}'],
  ])('%s', async (_name, custom) => {
    const created = await create(custom);
    expect(created.status).toBe(201);
    for (const text of await readEverywhere(created)) expect(text).toContain(`"customMetadata":${custom}`);
  });

  test('a null is none', async () => {
    for (const text of await readEverywhere(await create('null'))) expect(text).toContain('"customMetadata":null');
  });

  test('also from the answer kept by an Idempotency-Key', async () => {
    const custom = '{"n":123456789012345678901.50,"__proto__":-0,"t":"$& $1 <clientToken of x>"}';
    const key = `custom-${name.replaceAll(' ', '-')}`;
    const first = await create(custom, key);
    const again = await create(custom, key);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.text).toBe(first.text);
    expect(again.text).toContain(`"customMetadata":${custom}`);
  });

  test('never steers it', async () => {
    const custom =
      '{"referenceType":"Charging","amount":1,"reference":"123456789","expiryDate":"2020-01-01","entity":"1"}';
    const { json } = await create(custom);
    const made = json.data?.[0] ?? json;
    expect(made).toMatchObject({ referenceType: 'Dynamic', amount: 5, entity: '00999', status: 'Pending' });
    expect(made.reference).not.toBe('123456789');
  });

  test('16 KiB and 16 levels pass', async () => {
    const nested = `${'{"a":'.repeat(15)}{}${'}'.repeat(15)}`;
    for (const custom of [`{"a":"${'x'.repeat(16_376)}"}`, nested]) expect((await create(custom)).status).toBe(201);
  });
});
