// POST /api/references/ppr/bulk, what it refuses: too many, none, any that is wrong, and with one of them all the others.
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { createPayable, digits, faultsOf, PPR } from '../../../support/ppr.ts';
import { leavesNothing } from '../../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const post = (references: unknown) => app.call(`${PPR}/bulk`, { body: { references } });

test('five hundred and one, whatever they are', async () => {
  for (const item of [{ amount: 1 }, { amount: 'x' }, null]) {
    const reply = await leavesNothing(app, () => post(Array(501).fill(item)));
    expect([reply.status, reply.json.code]).toEqual([413, 'too_many_references']);
  }
});

test('none', async () => {
  const reply = await leavesNothing(app, () => post([]));
  expect(reply.status).toBe(400);
  expect(faultsOf(reply)).toEqual(['/references too_small']);
});

test('items that are none, each at its place', async () => {
  const reply = await leavesNothing(app, () => post([{ amount: 1 }, null, 5, 'x', [1], { amount: 1 }]));
  expect(reply.status).toBe(400);
  for (const nth of [1, 2, 3, 4]) expect(faultsOf(reply)).toContain(`/references/${nth} invalid_type`);
  expect(faultsOf(reply).filter((fault) => /^\/references\/[05]/.test(fault))).toEqual([]);
});

test('all of them for one that is wrong', async () => {
  const items: object[] = Array.from({ length: 500 }, () => ({ amount: 1 }));
  items[499] = { amount: 0 };
  const reply = await leavesNothing(app, () => post(items));
  expect(reply.json.code).toBe('amount_out_of_range');
  expect(faultsOf(reply)).toEqual(['/references/499/amount amount_out_of_range']);
});

test('all of them for one that is in use', async () => {
  const { reference } = await createPayable(app, { reference: digits() });
  const items = [{ amount: 1 }, { amount: 1, reference: digits() }, { amount: 1, reference }];
  const reply = await leavesNothing(app, () => post(items));
  expect(reply.json.code).toBe('reference_in_use');
  expect(faultsOf(reply)).toEqual(['/references/2/reference reference_in_use']);
  expect((await app.call(`${PPR}/${items[1]?.reference}`)).status).toBe(404);
});

test('digits that stand in it twice, naming where they stand first', async () => {
  const [one, other] = [digits(), digits()];
  const items = [one, other, one, undefined, other, one].map((reference) => ({ amount: 1, reference }));
  const reply = await leavesNothing(app, () => post(items));
  expect(reply.status).toBe(400);
  expect(faultsOf(reply)).toEqual([2, 4, 5].map((nth) => `/references/${nth}/reference reference_repeated`));
  expect(reply.json.errors.map((fault: any) => fault.message)).toEqual([
    'is the same as in /references/0',
    'is the same as in /references/1',
    'is the same as in /references/0',
  ]);
});

test('every fault of every item: of schema, of the list, of clock and database', async () => {
  const { reference } = await createPayable(app, { reference: digits() });
  const own = digits();
  const reply = await leavesNothing(app, () =>
    post([
      { amount: 1, reference, expiryDate: '2020-01-01' },
      { amount: 1, reference: own },
      { amount: '1', reference: own },
      { referenceType: 'x', reference: '1' },
      { expiryDate: '2026-02-30' },
      { amount: 1 },
      { amount: 1, expiryDate: '2026-03-01' },
    ]),
  );
  expect(faultsOf(reply).toSorted()).toEqual([
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

test('every fault, however many there are', async () => {
  const item = { amount: 0, reference: '1', referenceType: 'Dynamic', customerName: 5, expiryDate: '2020-01-01' };
  const reply = await leavesNothing(app, () => post(Array(500).fill(item)));
  const named = new Set(faultsOf(reply));
  expect(named.size).toBe(2_000);
  for (const nth of [0, 250, 499]) {
    expect(named).toContain(`/references/${nth}/amount amount_out_of_range`);
    expect(named).toContain(`/references/${nth}/reference invalid_reference`);
    expect(named).toContain(`/references/${nth}/customerName invalid_type`);
    expect(named).toContain(`/references/${nth}/expiryDate date_in_past`);
  }
});

test('an hour of text: more than a megabyte', async () => {
  const reply = await leavesNothing(app, () => post([{ amount: 1, description: 'x'.repeat(1_100_000) }]));
  expect([reply.status, reply.json.code]).toEqual([413, 'body_too_large']);
});
