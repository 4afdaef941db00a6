import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../../sandbox/seed.ts';
import { startTestApp, type TestApp, until } from '../../../support/app.ts';
import { untilNoStatementRuns } from '../../../support/idle.ts';
import {
  byReference,
  createReference,
  creepUntilRegistered,
  DEMO_ENTITY,
  digits,
  pay,
  PPR,
  readAtMachine,
  readReference,
  reference,
  untilReceived,
  untilRegistered,
} from '../../../support/ppr.ts';
import { countRows } from '../../../support/rows.ts';

const NOW = '2026-03-02T09:00:00.000Z';
const IN_A_MONTH = '2026-04-02T09:00:00.000Z';
const END_OF_2099 = '2099-12-31T23:59:59.000Z';

const CUSTOMER = {
  customerEmail: 'ana@example.ao',
  customerName: 'Ana Kiala',
  customerTelephone: '(+244) 923 456 789',
  documentNumber: '004512345LA042',
};
const CUSTOMER_OF_CREATION = { email: 'ana@example.ao', name: 'Ana Kiala', telephone: '(+244) 923 456 789' };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const postReference = (body: object) => app.call(PPR, { body });
const postPayment = (body: object) => app.call('/api/payments', { body });
const read = async (path: string) => (await app.call(path)).json;

const checkoutOf = (clientToken: string) => ({
  checkoutUrl: `${app.node.core.publicUrl}/checkout/${clientToken}`,
  clientToken,
});

/** Returns the response of `GET /api/payments/{id}` for a new payment by reference. */
const detailsOf = ({ internalId, clientToken }: any, own: object) => ({
  internalId,
  merchantId: DEMO.merchantId,
  entity: DEMO_ENTITY,
  currency: 'AOA',
  paymentType: 'PPR',
  paymentMethod: 'reference',
  status: 'Pending',
  amountPaid: 0,
  amountRefunded: 0,
  refundStatus: 'none',
  attention: null,
  standing: 'pending',
  createdBy: null,
  createdByClient: 'demo',
  canceledBy: null,
  canceledByClient: null,
  shiftId: null,
  resolvedAt: null,
  authorizationId: null,
  amountAuthorized: null,
  amountCaptured: null,
  operation: null,
  maxTransactions: null,
  acceptedTransactions: null,
  late: false,
  replacedBy: null,
  replaces: null,
  linkId: null,
  createdAt: NOW,
  completedAt: null,
  referenceType: 'Dynamic',
  referenceStatus: 'Pending',
  registeredAt: null,
  failure: null,
  flags: [],
  transactions: [],
  ...checkoutOf(clientToken),
  ...own,
});

describe('POST /api/references/ppr', () => {
  test('returns 201 with all fields of the reference, and null for absent values', async () => {
    const reply = await postReference({ amount: 1500 });
    expect(reply.status).toBe(201);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(reply.headers.get('cache-control')).toBe('no-store');
    const { internalId, reference, clientToken } = reply.json;
    expect(internalId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
    expect(clientToken).toMatch(/^[\w-]{43}$/);
    expect(reply.json).toEqual({
      internalId,
      reference: expect.stringMatching(/^[0-9]{9}$/),
      entity: DEMO_ENTITY,
      amount: 1500,
      currency: 'AOA',
      referenceType: 'Dynamic',
      status: 'Pending',
      referenceStatus: 'Pending',
      amountPaid: 0,
      amountRefunded: 0,
      refundStatus: 'none',
      attention: null,
      standing: 'pending',
      flags: [],
      expiresAt: IN_A_MONTH,
      createdAt: NOW,
      registeredAt: null,
      payableUntil: null,
      description: null,
      customerEmail: null,
      customerName: null,
      customerTelephone: null,
      documentNumber: null,
      contract: 'current',
      ...checkoutOf(clientToken),
      customMetadata: null,
    });
    expect(await untilRegistered(app, reference)).toEqual({ ...reply.json, registeredAt: NOW });
  });

  test('stores every field, which GET returns for the reference and for its payment', async () => {
    const body = {
      reference: digits(),
      referenceType: 'charging',
      amount: 250.75,
      expiryDate: '2026-12-24T12:00:00Z',
      description: 'Quotas',
      ...CUSTOMER,
      customMetadata: { Aluno: 7 },
    };
    const { status, json } = await postReference(body);
    expect(status).toBe(201);
    const { expiryDate: _, ...shown } = body;
    const expiresAt = '2026-12-24T12:00:00.000Z';
    expect(json).toMatchObject({ ...shown, referenceType: 'Charging', expiresAt });
    expect(await untilRegistered(app, body.reference)).toEqual({ ...json, registeredAt: NOW });
    const details = detailsOf(json, {
      id: body.reference,
      reference: body.reference,
      amount: 250.75,
      description: 'Quotas',
      expiresAt,
      customer: CUSTOMER_OF_CREATION,
      ...CUSTOMER,
      customMetadata: { Aluno: 7 },
      referenceType: 'Charging',
      registeredAt: NOW,
    });
    for (const id of [body.reference, json.internalId]) expect(await read(`/api/payments/${id}`)).toEqual(details);
  });

  test.each([{}, { amount: null }, { amount: 0 }])(
    'creates a Charging reference of %j whose amount the payer chooses, payable until the end of 2099',
    async (amount) => {
      const { json } = await postReference({ ...amount, referenceType: 'Charging' });
      expect(json).toMatchObject({ amount: 0, referenceType: 'Charging', expiresAt: END_OF_2099, createdAt: NOW });
      await untilRegistered(app, json.reference);
      expect(await readAtMachine(app, json)).toMatchObject({ type: 'CHARGING', amount: null, status: 'ACTIVE' });
    },
  );

  test.each([
    [0.01, 'Matrícula nº 7 · 學費 😀 "x" \\ <b>'],
    [10_000_000, 'x'.repeat(4_000)],
    [1234.5, 'Matrícula'],
  ])(
    'registers %d AOA at the rail exactly to the cêntimo, with an unchanged description',
    async (amount, description) => {
      const { json } = await postReference({ amount, description });
      await untilRegistered(app, json.reference);
      expect(await readAtMachine(app, json)).toEqual({
        entity: DEMO_ENTITY,
        reference: json.reference,
        type: 'DYNAMIC',
        amount: amount.toFixed(2),
        currency: 'AOA',
        description,
        expiresAt: IN_A_MONTH,
        status: 'ACTIVE',
      });
    },
  );

  test.each(['Dynamic', 'dynamic', 'DYNAMIC', null])('treats referenceType %j as Dynamic', async (referenceType) => {
    expect((await postReference({ amount: 1, referenceType })).json.referenceType).toBe('Dynamic');
  });

  test('treats null fields as absent', async () => {
    const fields = ['reference', 'expiryDate', 'description', 'customMetadata', ...Object.keys(CUSTOMER)];
    const nulls = Object.fromEntries(fields.map((field) => [field, null]));
    const { json } = await postReference({ amount: 1, ...nulls });
    expect(json).toMatchObject({ expiresAt: IN_A_MONTH, description: null, customMetadata: null, customerName: null });
    expect(json.reference).toMatch(/^[0-9]{9}$/);
  });

  test('ignores fields of other endpoints', async () => {
    const unknown = { metadata: { custom: { a: 1 }, description: 'x' }, custom: { a: 1 }, entity: '11111' };
    const { json } = await postReference({ amount: 1, ...unknown, currency: 'USD', status: 'Paid', id: 'x' });
    const expected = { customMetadata: null, description: null, entity: DEMO_ENTITY, currency: 'AOA' };
    expect(json).toMatchObject({ ...expected, status: 'Pending' });
  });

  test.each(['000000000', '123456789012345', '0012345678'])(
    'keeps the digits %s unchanged in every response and at the payment machine',
    async (own) => {
      const { json } = await postReference({ amount: 1, reference: own });
      await untilRegistered(app, own);
      const list = await read(`${PPR}?pageSize=1`);
      const payments = await read(`/api/payments?reference=${own}`);
      const history = await read(`${PPR}/${own}/history`);
      const machine = await readAtMachine(app, json);
      expect([json, list.data[0], history, machine].map(({ reference }) => reference)).toEqual(Array(4).fill(own));
      expect(payments.data).toMatchObject([{ id: own, reference: own, internalId: json.internalId }]);
      expect((await read(`/api/payments/${own}`)).reference).toBe(own);
      expect(history.message).toContain(own.replace(/(\d{3})(?=\d)/g, '$1 '));
    },
  );

  test('generates nine different digits for each reference', async () => {
    const made = await Promise.all(Array.from({ length: 30 }, () => postReference({ amount: 1 })));
    const generated = made.map(({ json }) => json.reference);
    expect(generated.filter((one) => !/^[0-9]{9}$/.test(one))).toEqual([]);
    expect(new Set(generated).size).toBe(30);
  });
});

describe('POST /api/references/ppr/legacy', () => {
  const LEGACY = { path: `${PPR}/legacy` };

  test('returns the same fields as POST /api/references/ppr, with contract "legacy"', async () => {
    const body = { amount: 12.5, description: 'Propina', customerEmail: 'ana@example.ao', customMetadata: { T: 'A' } };
    const current = await createReference(app, body);
    const legacy = await createReference(app, body, LEGACY);
    expect(Object.keys(legacy)).toEqual(Object.keys(current));
    const { internalId: _, reference: __, checkoutUrl: ___, clientToken: ____, ...rest } = current;
    expect(legacy).toMatchObject({ ...rest, contract: 'legacy' });
  });

  test('creates a reference that is registered, paid and listed', async () => {
    const { reference } = await createReference(app, { amount: 12.5 }, LEGACY);
    await pay(app, await untilRegistered(app, reference));
    const paid = await untilReceived(app, reference, 12.5);
    expect(paid).toMatchObject({ status: 'Paid', contract: 'legacy' });
    expect((await read(`${PPR}?pageSize=1`)).data).toEqual([paid]);
  });
});

describe('POST /api/payments with PPR', () => {
  test('returns 201 with all fields of the payment, whose id is the id of the reference row', async () => {
    const metadata = { description: 'Matrícula', ...CUSTOMER, custom: { order: [1, 'a'] } };
    const reply = await postPayment(byReference(metadata));
    expect(reply.status).toBe(201);
    const { id, internalId, reference } = reply.json;
    expect(reply.json).toEqual(
      detailsOf(reply.json, {
        id,
        reference,
        amount: 1500,
        description: 'Matrícula',
        expiresAt: IN_A_MONTH,
        customer: CUSTOMER_OF_CREATION,
        ...CUSTOMER,
        customMetadata: { order: [1, 'a'] },
      }),
    );
    expect(reference).toMatch(/^[0-9]{9}$/);
    const rows = await app.sql('select id from payment_references where payment_id = $1', [internalId]);
    expect(rows).toEqual([{ id }]);
    expect(id).not.toBe(internalId);
  });

  test('creates the same rows and events as POST /api/references/ppr does', async () => {
    const about = { referenceType: 'Charging', expiryDate: '2027-01-31', description: 'Quotas', ...CUSTOMER };
    const made = [];
    for (const create of [
      () => postReference({ amount: 10, ...about, customMetadata: { a: 1 } }),
      () => postPayment(byReference({ ...about, custom: { a: 1 } }, { amount: 10 })),
    ]) {
      const before = await countRows(app);
      const { json } = await create();
      await untilRegistered(app, json.reference);
      const after = await countRows(app);
      const tables = ['payments', 'payment_references', 'attempts', 'transactions'];
      const rows = tables.map((table) => after[table]! - before[table]!);
      const {
        id: _,
        internalId: __,
        reference: ___,
        checkoutUrl,
        clientToken,
        ...payment
      } = await read(`/api/payments/${json.reference}`);
      expect({ checkoutUrl, clientToken }).toEqual(checkoutOf(json.clientToken));
      const { data } = await read(`${PPR}/${json.reference}/history`);
      made.push({ rows, payment, contract: (await readReference(app, json.reference)).contract, count: data.length });
    }
    expect(made[0]).toEqual(made[1]);
    expect(made[0]).toMatchObject({ rows: [1, 1, 0, 0], contract: 'current', count: 2 });
  });

  test('creates a payment that is found by its internalId and its digits, but not by its id', async () => {
    const { json } = await postPayment(byReference());
    await untilRegistered(app, json.reference);
    for (const path of [`/api/payments/${json.id}`, `/api/payments/${json.id}/events`, `${PPR}/${json.id}`])
      expect((await app.call(path)).status, path).toBe(404);
    const details = { ...json, id: json.reference, registeredAt: NOW };
    for (const id of [json.reference, json.internalId]) expect(await read(`/api/payments/${id}`)).toEqual(details);
  });

  test.each(['', null, undefined])('generates nine digits if the requested reference is %j', async (own) => {
    expect((await postPayment(byReference({}, { reference: own }))).json.reference).toMatch(/^[0-9]{9}$/);
  });

  test('uses the description of the metadata rather than the top-level description', async () => {
    expect((await postPayment(byReference({}, { description: 'top' }))).json.description).toBe('top');
    const both = byReference({ description: 'inner' }, { description: 'top' });
    expect((await postPayment(both)).json.description).toBe('inner');
  });

  test.each([undefined, null, {}])(
    'creates a Dynamic reference for one month if the metadata is %j',
    async (metadata) => {
      const body = { amount: 1, currency: 'AOA', paymentType: 'PPR', metadata };
      expect((await postPayment(body)).json).toMatchObject({ referenceType: 'Dynamic', expiresAt: IN_A_MONTH });
    },
  );

  test('creates a Charging reference without an amount', async () => {
    const body = { currency: 'AOA', paymentType: 'PPR', metadata: { referenceType: 'CHARGING' } };
    const expected = { amount: 0, referenceType: 'Charging', expiresAt: END_OF_2099 };
    expect((await postPayment(body)).json).toMatchObject(expected);
  });

  test('ignores settings of GPO methods', async () => {
    const settings = { paymentMethod: 'onetimepurchase', phoneNumber: 5, gpo_pos_id: 'x', maxTransactions: -1 };
    const { json } = await postPayment(byReference(settings));
    expect(json).toMatchObject({ paymentMethod: 'reference', status: 'Pending' });
  });

  test.each(['wait=100', 'return=representation'])('responds immediately for Prefer: %s', async (prefer) => {
    const reply = await app.call('/api/payments', { body: byReference(), headers: { prefer } });
    expect([reply.status, reply.json.status]).toEqual([201, 'Pending']);
  });

  test('stores a returnUrl with a registered origin', async () => {
    const returnUrl = `${app.node.core.publicUrl}/obrigado`;
    const { json } = await postPayment(byReference({ returnUrl }));
    const rows = await app.sql('select return_url from payments where id = $1', [json.internalId]);
    expect(rows).toEqual([{ return_url: returnUrl }]);
  });

  test.each([
    ['JPY', 15, '15'],
    ['USD', 15.5, '15.50'],
    ['KWD', 1.125, '1.125'],
  ])('accepts %s in the sandbox, with the number of decimals of the currency', async (currency, amount, shown) => {
    const { json } = await postPayment(byReference({}, { currency, amount }));
    expect(json).toMatchObject({ currency, amount });
    await untilRegistered(app, json.reference);
    expect(await readAtMachine(app, json)).toMatchObject({ amount: shown, currency });
    await pay(app, json);
    expect(await untilReceived(app, json.reference, amount)).toMatchObject({ status: 'Paid', currency, flags: [] });
  });
});

test('the GET endpoints return the statuses of a payment and of its reference in separate fields', async () => {
  const watch = async (own: string) => {
    const seen = new Set<string>();
    const poll = async (path: string) => {
      for (let isOver = false; !isOver;) {
        const { json } = await app.call(path);
        const { status, referenceStatus } = json.data?.find((item: any) => item.reference === own) ?? json;
        seen.add(`${status} ${referenceStatus}`);
        isOver = status !== 'Pending' && referenceStatus !== 'Pending';
      }
    };
    await Promise.all([`${PPR}/${own}`, `/api/payments/${own}`, `${PPR}?pageSize=100`].map(poll));
    return seen;
  };
  for (let nth = 0; nth < 16; nth++) {
    const { json } = await postReference(reference());
    await untilRegistered(app, json.reference);
    const finish = () => (nth % 2 ? app.call(`${PPR}/${json.reference}/cancel`, { method: 'POST' }) : pay(app, json));
    const [seen] = await Promise.all([watch(json.reference), finish()]);
    const after = nth % 2 ? 'Canceled Canceled' : 'Paid Paid';
    expect([...seen].filter((pair) => pair !== 'Pending Pending')).toEqual([after]);
  }
});

const postBulk = (references: unknown, more: object = {}) => app.call(`${PPR}/bulk`, { body: { references, ...more } });

/** Waits at most two seconds of the test clock until the rail knows all references. */
async function untilAllRegistered(references: string[]): Promise<void> {
  // A poll of due work that is running now may not see the references, and then waits for a second of the clock.
  await untilNoStatementRuns(app);
  await app.clock.advance(2_000);
  const registered = 'select from payment_references where registered_at is not null and reference = any($1)';
  const areRegistered = async () => (await app.sql(registered, [references])).length === references.length;
  await until(areRegistered, `${references.length} references being registered`);
}

test('a bulk creates a reference and a payment for each item, of every type, in the order of the request', async () => {
  // The test waits until no earlier registration can write an event.
  await creepUntilRegistered(app);
  const before = await countRows(app);
  const items = [
    { reference: digits(), amount: 10, description: 'one', customMetadata: { n: 1 } },
    { referenceType: 'charging' },
    { amount: 30, customerName: 'Ana', documentNumber: '0042' },
    { reference: digits(), referenceType: 'Charging', amount: 40, expiryDate: '2027-01-31' },
  ];
  const { status, json } = await postBulk(items);
  expect(status).toBe(201);
  expect(Object.keys(json)).toEqual(['data']);
  expect(json.data).toMatchObject([
    { reference: items[0]?.reference, amount: 10, description: 'one', customMetadata: { n: 1 } },
    { referenceType: 'Charging', amount: 0, expiresAt: '2099-12-31T23:59:59.000Z' },
    { amount: 30, customerName: 'Ana', documentNumber: '0042', reference: expect.stringMatching(/^\d{9}$/) },
    { reference: items[3]?.reference, referenceType: 'Charging', expiresAt: '2027-01-31T22:59:59.999Z' },
  ]);
  expect(await countRows(app)).toMatchObject({
    payments: before['payments']! + 4,
    payment_references: before['payment_references']! + 4,
    events: before['events']! + 4,
  });
  await untilAllRegistered(json.data.map((item: any) => item.reference));
  for (const item of json.data) {
    expect(await readReference(app, item.reference)).toEqual({ ...item, registeredAt: expect.any(String) });
    expect((await app.call(`/api/payments/${item.internalId}`)).json).toMatchObject({ id: item.reference });
  }
});

test('a bulk of one item ignores fields other than `references`, and is registered within two seconds', async () => {
  const { status, json } = await postBulk([{ amount: 1, metadata: { custom: {} } }], { dryRun: true, data: [] });
  expect(status).toBe(201);
  expect(json.data).toHaveLength(1);
  await untilAllRegistered([json.data[0].reference]);
});

test('a bulk of 500 items returns them in the order of the request, each with its own digits and token', async () => {
  const items = Array.from({ length: 500 }, (_, nth) => ({
    amount: nth + 1,
    description: `n${nth}`,
    ...(nth % 2 === 0 && { reference: digits() }),
  }));
  const { status, json } = await postBulk(items);
  expect(status).toBe(201);
  const amountsOf = (data: any[]) => data.map(({ description, amount }) => [description, amount]);
  expect(amountsOf(json.data)).toEqual(amountsOf(items));
  items.forEach(({ reference }, nth) => reference && expect(json.data[nth].reference).toBe(reference));
  expect(new Set(json.data.map((item: any) => item.reference)).size).toBe(500);
  expect(new Set(json.data.map((item: any) => item.clientToken)).size).toBe(500);
  const written = await app.sql(
    `select from payment_references f join payments p on p.id = f.payment_id
     where p.description ~ '^n[0-9]+$' and f.reference = p.reference and f.entity = $1`,
    [DEMO_ENTITY],
  );
  expect(written).toHaveLength(500);
  const [first] = json.data;
  // The sync registers this reference earlier than the queue does.
  await app.call(`/api/payments/${first.reference}/sync`, { method: 'POST' });
  await pay(app, first);
  await untilReceived(app, first.reference, 1);
});
