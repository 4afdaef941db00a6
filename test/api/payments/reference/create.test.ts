// Creating one payment reference, by POST /api/references/ppr or by POST /api/payments: what each takes, and the whole of its answer.
import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../../sandbox/seed.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { byReference, DEMO_ENTITY, digits, PPR, readAtMachine, untilRegistered } from '../../../support/ppr.ts';

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

/** Everything `GET /api/payments/{id}` says of a new one. */
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
  test('answers the whole reference, absent values as null', async () => {
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

  test('takes everything that decisions §4 lists, and shows it under both endpoints', async () => {
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
    const registered = await untilRegistered(app, body.reference);
    expect(registered).toEqual({ ...json, registeredAt: NOW });
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
    expect(await read(`/api/payments/${body.reference}`)).toEqual(details);
    expect(await read(`/api/payments/${json.internalId}`)).toEqual(details);
  });

  test.each([
    ['absent', {}],
    ['null', { amount: null }],
    ['0', { amount: 0 }],
  ])('a Charging one of amount %s lets the payer choose, until the end of 2099', async (_name, amount) => {
    const { status, json } = await postReference({ ...amount, referenceType: 'Charging' });
    expect(status).toBe(201);
    expect(json).toMatchObject({ amount: 0, referenceType: 'Charging', expiresAt: END_OF_2099, createdAt: NOW });
    await untilRegistered(app, json.reference);
    expect(await readAtMachine(app, json)).toMatchObject({ type: 'CHARGING', amount: null, status: 'ACTIVE' });
  });

  test.each([0.01, 10_000_000, 1234.5])('of %d AOA is asked at the machine to the last cêntimo', async (amount) => {
    const { json } = await postReference({ amount, description: 'Matrícula' });
    await untilRegistered(app, json.reference);
    expect(await readAtMachine(app, json)).toEqual({
      entity: DEMO_ENTITY,
      reference: json.reference,
      type: 'DYNAMIC',
      amount: amount.toFixed(2),
      currency: 'AOA',
      description: 'Matrícula',
      expiresAt: IN_A_MONTH,
      status: 'ACTIVE',
    });
  });

  test.each(['Dynamic', 'dynamic', 'DYNAMIC', null])('referenceType %j is Dynamic', async (referenceType) => {
    expect((await postReference({ amount: 1, referenceType })).json.referenceType).toBe('Dynamic');
  });

  test('nulls are as if they were absent', async () => {
    const fields = ['reference', 'expiryDate', 'description', 'customMetadata', ...Object.keys(CUSTOMER)];
    const nulls = Object.fromEntries(fields.map((field) => [field, null]));
    const { status, json } = await postReference({ amount: 1, ...nulls });
    expect(status).toBe(201);
    expect(json).toMatchObject({ expiresAt: IN_A_MONTH, description: null, customMetadata: null, customerName: null });
    expect(json.reference).toMatch(/^[0-9]{9}$/);
  });

  test('fields of other endpoints are ignored: metadata, custom, currency, entity, status', async () => {
    const strange = { metadata: { custom: { a: 1 }, description: 'x' }, custom: { a: 1 }, entity: '11111' };
    const { status, json } = await postReference({ amount: 1, ...strange, currency: 'USD', status: 'Paid', id: 'x' });
    expect(status).toBe(201);
    expect(json).toMatchObject({ customMetadata: null, description: null, entity: DEMO_ENTITY, currency: 'AOA' });
    expect(json.status).toBe('Pending');
  });
});

describe('POST /api/payments with PPR', () => {
  test('answers as decisions §3 says: id of the record, customer, customMetadata', async () => {
    const asked = { description: 'Matrícula', ...CUSTOMER, custom: { order: [1, 'a'] } };
    const reply = await postPayment(byReference(asked));
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
    const [row] = await app.sql('select id from payment_references where payment_id = $1', [internalId]);
    expect(row.id).toBe(id);
    expect(id).not.toBe(internalId);
  });

  test('its id looks nothing up; internalId and reference do, and then id is the reference', async () => {
    const { json } = await postPayment(byReference());
    await untilRegistered(app, json.reference);
    for (const path of ['', '/events', '/qrcode'])
      expect((await app.call(`/api/payments/${json.id}${path}`)).status, path).toBe(404);
    expect((await app.call(`${PPR}/${json.id}`)).status).toBe(404);
    const details = await read(`/api/payments/${json.reference}`);
    expect(details).toEqual({ ...json, id: json.reference, registeredAt: NOW });
    expect(await read(`/api/payments/${json.internalId}`)).toEqual(details);
  });

  test.each(['', null, undefined])('reference %j has nine digits generated', async (reference) => {
    const { status, json } = await postPayment(byReference({}, { reference }));
    expect(status).toBe(201);
    expect(json.reference).toMatch(/^[0-9]{9}$/);
  });

  test('the description of the metadata wins over the top-level one', async () => {
    expect((await postPayment(byReference({}, { description: 'top' }))).json.description).toBe('top');
    const both = byReference({ description: 'inner' }, { description: 'top' });
    expect((await postPayment(both)).json.description).toBe('inner');
  });

  test.each([undefined, null, {}])('metadata %j is a Dynamic one for a month', async (metadata) => {
    const body = { amount: 1, currency: 'AOA', paymentType: 'PPR', metadata };
    expect((await postPayment(body)).json).toMatchObject({ referenceType: 'Dynamic', expiresAt: IN_A_MONTH });
  });

  test('a Charging one needs no amount', async () => {
    const body = { currency: 'AOA', paymentType: 'PPR', metadata: { referenceType: 'CHARGING' } };
    expect((await postPayment(body)).json).toMatchObject({
      amount: 0,
      referenceType: 'Charging',
      expiresAt: END_OF_2099,
    });
  });

  test('settings of GPO methods do nothing', async () => {
    const settings = { paymentMethod: 'onetimepurchase', phoneNumber: 5, gpo_pos_id: 'x', maxTransactions: -1 };
    const { status, json } = await postPayment(byReference(settings));
    expect(status).toBe(201);
    expect(json).toMatchObject({ paymentMethod: 'reference', status: 'Pending' });
  });

  test('it does not wait, whatever the caller prefers', async () => {
    for (const prefer of ['wait=100', 'return=representation', 'return=minimal']) {
      const reply = await app.call('/api/payments', { body: byReference(), headers: { prefer } });
      expect([reply.status, reply.json.status]).toEqual([201, 'Pending']);
      expect(reply.json.id).not.toBe(reply.json.internalId);
    }
  });

  test('the payer comes back only to registered addresses', async () => {
    const { publicUrl } = app.node.core;
    const { status, json } = await postPayment(byReference({ returnUrl: `${publicUrl}/obrigado` }));
    expect(status).toBe(201);
    const [row] = await app.sql('select return_url from payments where id = $1', [json.internalId]);
    expect(row.return_url).toBe(`${publicUrl}/obrigado`);
  });
});
