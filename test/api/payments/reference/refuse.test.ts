import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../../support/app.ts';
import { createPayable, digits, readFieldFaults, PPR } from '../../../support/ppr.ts';
import { WAYS, type Fields } from '../../../support/reference-ways.ts';
import { leavesNothing } from '../../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

let nth = 0;
/** Sends an invalid creation with an Idempotency-Key. The refusal stores neither rows nor the key. */
const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  leavesNothing(app, () => app.call(path, { body, headers: { 'idempotency-key': `refuse-${++nth}`, ...headers } }));

test.each(Object.entries(WAYS))(
  'the 400 for %s contains the faults of the schema, the clock and the database',
  async (_name, { path, body, at }) => {
    const { reference } = await createPayable(app, { reference: digits() });
    const fields: Fields = {
      reference,
      amount: 0.001,
      expiryDate: '2026-01-01',
      description: 1,
      customerName: 'x'.repeat(321),
      customMetadata: 'x',
    };
    const reply = await post(path, body(fields));
    expect([reply.status, reply.json.code]).toEqual([400, 'validation_failed']);
    expect(reply.headers.get('content-type')).toBe('application/problem+json');
    const faults = [
      '/amount amount_precision',
      '/customMetadata invalid_type',
      '/customerName too_long',
      '/description invalid_type',
      '/expiryDate date_in_past',
      '/reference reference_in_use',
    ].map((fault) => fault.replace(/^\S+/, at));
    expect(readFieldFaults(reply).toSorted()).toEqual(faults.toSorted());
  },
);

test.each(['2026-03-02T09:00:00.000Z', '2026-03-02T09:59:59', '2026-03-01', '0001-01-01'])(
  'expiryDate %s is in the past',
  async (expiryDate) => {
    expect(readFieldFaults(await post(PPR, { amount: 1, expiryDate }))).toEqual(['/expiryDate date_in_past']);
  },
);

test('the message of a refusal is Portuguese for Accept-Language: pt', async () => {
  const reply = await post(PPR, { amount: 1, reference: '1' }, { 'accept-language': 'pt-AO, en;q=0.5' });
  expect(reply.headers.get('content-language')).toBe('pt');
  expect(reply.json.errors[0].message).toBe('deve ter 9 a 15 dígitos, em texto');
});

test('POST /api/payments with PPR refuses a returnUrl of an unregistered origin', async () => {
  const metadata = { returnUrl: 'https://evil.example/', expiryDate: '2020-01-01' };
  const reply = await post('/api/payments', { amount: 1, currency: 'AOA', paymentType: 'PPR', metadata });
  expect(readFieldFaults(reply).toSorted()).toEqual([
    '/metadata/expiryDate date_in_past',
    '/metadata/returnUrl origin_not_registered',
  ]);
});

describe('POST /api/references/ppr/bulk', () => {
  const bulk = (references: unknown) => post(`${PPR}/bulk`, { references });

  test.each([{ amount: 1 }, { amount: 'x' }, null])('returns 400 for 501 items such as %j', async (item) => {
    const reply = await bulk(Array(501).fill(item));
    expect([reply.status, reply.json.code]).toEqual([413, 'too_many_references']);
  });

  test('refuses a body above one megabyte', async () => {
    const reply = await bulk([{ amount: 1, description: 'x'.repeat(1_100_000) }]);
    expect([reply.status, reply.json.code]).toEqual([413, 'body_too_large']);
  });

  test('returns 400 for items that are not objects, and names their indexes', async () => {
    const faults = readFieldFaults(await bulk([{ amount: 1 }, null, 5, 'x', [1], { amount: 1 }]));
    for (const position of [1, 2, 3, 4]) expect(faults).toContain(`/references/${position} invalid_type`);
    expect(faults.filter((fault) => /^\/references\/[05]/.test(fault))).toEqual([]);
  });

  test('rejects all 500 items if one is invalid', async () => {
    const items: object[] = Array.from({ length: 500 }, () => ({ amount: 1 }));
    items[499] = { amount: 0 };
    expect(readFieldFaults(await bulk(items))).toEqual(['/references/499/amount amount_out_of_range']);
  });

  test('rejects all items if the digits of one are in use', async () => {
    const { reference } = await createPayable(app, { reference: digits() });
    const items = [{ amount: 1 }, { amount: 1, reference: digits() }, { amount: 1, reference }];
    expect(readFieldFaults(await bulk(items))).toEqual(['/references/2/reference reference_in_use']);
    expect((await app.call(`${PPR}/${items[1]?.reference}`)).status).toBe(404);
  });

  test('returns 400 for digits that two items share, and names the index of the first', async () => {
    const [one, other] = [digits(), digits()];
    const reply = await bulk([one, other, one, undefined, other, one].map((reference) => ({ amount: 1, reference })));
    expect(readFieldFaults(reply)).toEqual(
      [2, 4, 5].map((position) => `/references/${position}/reference reference_repeated`),
    );
    const messages = reply.json.errors.map((fault: any) => fault.message);
    expect(messages).toEqual([0, 1, 0].map((position) => `repeats the reference in /references/${position}`));
  });

  test('returns one 400 with each fault of each item', async () => {
    const { reference } = await createPayable(app, { reference: digits() });
    const own = digits();
    const reply = await bulk([
      { amount: 1, reference, expiryDate: '2020-01-01' },
      { amount: 1, reference: own },
      { amount: '1', reference: own },
      { referenceType: 'x', reference: '1' },
      { expiryDate: '2026-02-30' },
      { amount: 1 },
      { amount: 1, expiryDate: '2026-03-01' },
    ]);
    expect(readFieldFaults(reply).toSorted()).toEqual([
      '/references/0/expiryDate date_in_past',
      '/references/0/reference reference_in_use',
      '/references/2/amount invalid_type',
      '/references/2/reference reference_repeated',
      '/references/3/reference invalid_reference',
      '/references/3/referenceType invalid_value',
      '/references/4/amount required',
      '/references/4/expiryDate invalid_expiry',
      '/references/6/expiryDate date_in_past',
    ]);
  });

  test('returns all 2000 faults of 500 items', async () => {
    const item = { amount: 0, reference: '1', referenceType: 'Dynamic', customerName: 5, expiryDate: '2020-01-01' };
    const named = new Set(readFieldFaults(await bulk(Array(500).fill(item))));
    expect(named.size).toBe(2_000);
    for (const position of [0, 250, 499]) {
      expect(named).toContain(`/references/${position}/amount amount_out_of_range`);
      expect(named).toContain(`/references/${position}/expiryDate date_in_past`);
    }
  });
});
