// metadata.custom: the merchant's own JSON, back as customMetadata exactly as it was sent, within its limits.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { leavesNothing } from '../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

let nth = 0;

/** Creates with `custom` as this exact text. */
function createWith(custom: string, headers: Record<string, string> = {}): Promise<Reply> {
  const body = `{"amount":5,"currency":"AOA","paymentType":"GPO","reference":"C${++nth}","metadata":{"custom":${custom}}}`;
  return app.call('/api/payments', { body, headers });
}

/** The three answers that carry a payment's customMetadata, as they travelled. */
async function readEverywhere(created: Reply): Promise<string[]> {
  const { id, reference } = created.json;
  const details = await app.call(`/api/payments/${id}`);
  const list = await app.call(`/api/payments?reference=${reference}`);
  return [created.text, details.text, list.text];
}

describe('comes back as sent, in creation, details and list', () => {
  test.each([
    ['nothing in it', '{}'],
    ['keys in their order and spelling', '{"zeta":1,"Alpha":2,"alpha":3,"_x":4,"Ünï":5,"":6}'],
    ['every kind of value', '{"s":"x","n":1,"b":true,"f":false,"z":null,"a":[1,"2",null,[]],"o":{"p":{}}}'],
    ['long and odd numbers', '{"a":123456789012345678901.50,"b":1e400,"c":-0,"d":1.0,"e":1E+2,"f":0.1000,"g":[-0.0]}'],
    ['__proto__ as data', '{"__proto__":{"admin":true},"o":{"__proto__":null,"constructor":{"prototype":1}}}'],
    ['names that mean something in JavaScript', '{"toString":1,"hasOwnProperty":"x","rawJSON":"1","toJSON":"x"}'],
    ['text with quotes, escapes and other scripts', '{"t":"\\"\\\\\\n<script>é 😀\\u2028"}'],
  ])('%s', async (_name, custom) => {
    const created = await createWith(custom);
    expect(created.status).toBe(201);
    // One escape has several spellings; numbers and keys have the one they were sent in.
    const expected = custom.replace('\\u2028', '\u2028');
    for (const text of await readEverywhere(created)) expect(text).toContain(`"customMetadata":${expected}`);
  });

  test('a null is no custom at all', async () => {
    for (const text of await readEverywhere(await createWith('null'))) expect(text).toContain('"customMetadata":null');
  });

  test('also from the answer kept by an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'custom-1' };
    const custom = '{"n":123456789012345678901.50,"__proto__":-0}';
    const first = await createWith(custom, headers);
    nth--;
    const replayed = await createWith(custom, headers);
    expect(replayed.headers.get('idempotency-replayed')).toBe('true');
    expect(replayed.text).toBe(first.text);
    expect(replayed.text).toContain(`"customMetadata":${custom}`);
  });
});

test('it never steers the payment', async () => {
  const created = await createWith(
    '{"paymentMethod":"onetimepurchase","phoneNumber":"900000000","amount":1,"status":"Paid"}',
  );
  expect(created.json).toMatchObject({ paymentMethod: 'webframe', amount: 5, status: 'Pending', amountPaid: 0 });
});

describe('limits', () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;
  const lists = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
  /** An object of exactly this many bytes, in characters of two. */
  const sized = (bytes: number) => `{"a":"${'é'.repeat(Math.floor((bytes - 8) / 2))}${bytes % 2 ? 'x' : ''}"}`;

  test.each([
    ['16 KiB', sized(16_384)],
    ['16 KiB however many spaces it was written with', sized(16_384).replace(':', `${' '.repeat(500)}:`)],
    ['16 levels of objects', nested(16)],
    ['16 levels with lists', lists(16)],
  ])('%s pass', async (_name, custom) => {
    expect((await createWith(custom)).status).toBe(201);
  });

  test.each([
    ['a byte more', sized(16_385), 'custom_too_large'],
    ['17 levels of objects', nested(17), 'custom_too_deep'],
    ['17 levels with lists', lists(17), 'custom_too_deep'],
    ['a list', '[1]', 'invalid_type'],
    ['text', '"x"', 'invalid_type'],
    ['a number', '1', 'invalid_type'],
    ['a number only JSON can hold', '1e400', 'invalid_type'],
    ['a boolean', 'false', 'invalid_type'],
  ])('%s does not, and nothing is written', async (_name, custom, code) => {
    const reply = await leavesNothing(app, () => createWith(custom));
    expect(reply.status).toBe(400);
    expect(reply.json.errors.map((fault: any) => [fault.pointer, fault.code])).toEqual([['/metadata/custom', code]]);
  });

  test.each([
    ['a value', '{"a":["x","\\u0000"]}', '/metadata/custom/a/1'],
    ['a key', '{"a/b~\\u0000":1}', '/metadata/custom/a~1b~0'],
    ['a lone surrogate', '{"a":{"b":"\\ud800"}}', '/metadata/custom/a/b'],
    ['a lone surrogate in a key', '{"\\udfff":{}}', '/metadata/custom/\ufffd'],
  ])('no database can keep %s with such characters', async (_name, custom, pointer) => {
    const reply = await leavesNothing(app, () => createWith(custom));
    expect(reply.status).toBe(400);
    expect(reply.json.code).toBe('invalid_text');
    expect(reply.json.errors.map((fault: any) => [fault.pointer, fault.code])).toEqual([[pointer, 'invalid_text']]);
  });
});
