import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { creepUntilRegistered, PPR } from '../../support/ppr.ts';
import { leavesNothing } from '../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const post = (path: string, body: string, key?: string) =>
  app.call(path, { body, headers: key ? { 'idempotency-key': key } : {} });
const ppr = '"amount":5,"currency":"AOA","paymentType":"PPR"';
const gpo = '"amount":5,"currency":"AOA","paymentType":"GPO","reference":"CUSTOM"';

/** For each operation, a request whose customMetadata is exactly the given text. */
const CREATIONS: [name: string, create: (custom: string, key?: string) => Promise<Reply>][] = [
  ['a GPO payment', (custom, key) => post('/api/payments', `{${gpo},"metadata":{"custom":${custom}}}`, key)],
  ['a payment by reference', (custom, key) => post('/api/payments', `{${ppr},"metadata":{"custom":${custom}}}`, key)],
  ['a reference', (custom, key) => post(PPR, `{"amount":5,"customMetadata":${custom}}`, key)],
  ['a legacy reference', (custom, key) => post(`${PPR}/legacy`, `{"amount":5,"customMetadata":${custom}}`, key)],
  ['a bulk', (custom, key) => post(`${PPR}/bulk`, `{"references":[{"amount":5,"customMetadata":${custom}}]}`, key)],
];
const createGpo = CREATIONS[0]![1];

const madeOf = ({ json }: Reply) => json.data?.[0] ?? json;

/** Returns the text of every response that contains this customMetadata. */
async function readEverywhere(created: Reply): Promise<string[]> {
  const { reference, internalId, paymentType } = madeOf(created);
  const paths = [`/api/payments/${internalId}`, '/api/payments?pageSize=1'];
  if (paymentType !== 'GPO') paths.push(`${PPR}/${reference}`, `${PPR}?pageSize=1`);
  const replies = await Promise.all(paths.map((path) => app.call(path)));
  return [created, ...replies].map(({ text }) => text);
}

/** Mixes key orders, spellings, value types, numbers beyond a double, `__proto__`, own field names, and escapes. */
const MIXED = `{"zeta":1,"Alpha":2,"alpha":3,"_x":4,"Ünï":5,"":6,"b":true,"z":null,"a":[1,"2",null,[]],"o":{"p":{}},
"n":[123456789012345678901.50,1e400,-0,1.0,1E+2,0.1000,[-0.0]],"__proto__":{"admin":true},"constructor":{"prototype":1},
"toString":1,"rawJSON":"1","reference":"1","status":"Paid","internalId":"x","data":[],"amount":"raw",
"t":"\\"\\\\\\n<script>é 😀 $& $1 <clientToken of x>"}`.replaceAll('\n', '');

describe.each(CREATIONS)('the customMetadata of %s', (name, create) => {
  test.each([MIXED, '{}', 'null'])('is returned unchanged: %s', async (custom) => {
    const created = await create(custom);
    expect(created.status).toBe(201);
    for (const text of await readEverywhere(created)) expect(text).toContain(`"customMetadata":${custom}`);
  });

  test('is the same in the replayed response', async () => {
    const key = `custom-${name.replaceAll(' ', '-')}`;
    const first = await create(MIXED, key);
    const again = await create(MIXED, key);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(madeOf(again).internalId).toBe(madeOf(first).internalId);
    expect(again.text).toContain(`"customMetadata":${MIXED}`);
  });

  test('does not change the fields of the payment', async () => {
    const settings =
      '"paymentMethod":"onetimepurchase","phoneNumber":"900000000","status":"Paid","expiryDate":"2020-01-01"';
    const made = madeOf(await create(`{${settings},"referenceType":"Charging","amount":1,"reference":"123456789"}`));
    expect(made).toMatchObject({ amount: 5, status: 'Pending', amountPaid: 0 });
    expect(made.referenceType).not.toBe('Charging');
    expect(made.paymentMethod ?? 'reference').toMatch(/^(webframe|reference)$/);
    expect(made.reference).not.toBe('123456789');
  });
});

const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;
const lists = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
/** Creates a JSON object of exactly this many bytes, with characters of two bytes. */
const sized = (bytes: number) => `{"a":"${'é'.repeat(Math.floor((bytes - 8) / 2))}${bytes % 2 ? 'x' : ''}"}`;

test.each([
  ['16 KiB', sized(16_384)],
  ['16 KiB beside white space', sized(16_384).replace(':', `${' '.repeat(500)}:`)],
  ['16 levels of objects', nested(16)],
  ['16 levels with lists', lists(16)],
])('customMetadata of %s is accepted', async (_name, custom) => {
  expect((await createGpo(custom)).status).toBe(201);
});

test.each([
  ['one byte above 16 KiB', sized(16_385), 'custom_too_large', ''],
  ['17 levels of objects', nested(17), 'custom_too_deep', ''],
  ['17 levels with lists', lists(17), 'custom_too_deep', ''],
  ['a number that only JSON can hold', '1e400', 'invalid_type', ''],
  ['NUL in a value', '{"a":["x","\\u0000"]}', 'invalid_text', '/a/1'],
  ['NUL in a key', '{"a/b~\\u0000":1}', 'invalid_text', '/a~1b~0'],
  ['a lone surrogate', '{"a":{"b":"\\ud800"}}', 'invalid_text', '/a/b'],
  ['a lone surrogate in a key', '{"\\udfff":{}}', 'invalid_text', '/\ufffd'],
])('customMetadata with %s is refused', async (_name, custom, code, pointer) => {
  // The test waits until no registration can write an event.
  await creepUntilRegistered(app);
  const { status, json } = await leavesNothing(app, () => createGpo(custom));
  expect(status).toBe(400);
  expect(json.errors).toMatchObject([{ pointer: `/metadata/custom${pointer}`, code }]);
});
