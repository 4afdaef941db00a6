import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { PENDING_PHONE } from '../../support/notify.ts';
import { create, purchase, readBooks, webframe } from '../../support/payments.ts';
import { countRows } from '../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const NOW = '2026-03-02T09:00:00.000Z';

const untilBooked = (reference: string) =>
  until(async () => (await readBooks(app, reference))[0], `${reference} at the rail`);

describe('a webframe creation', () => {
  test('returns 201 with all fields of the payment, and null for absent values', async () => {
    const reply = await app.call('/api/payments', { body: webframe({ reference: 'PED-1', description: 'Café' }) });
    expect(reply.status).toBe(201);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(reply.headers.get('cache-control')).toBe('no-store');
    const { id, clientToken } = reply.json;
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
    expect(clientToken).toMatch(/^[\w-]{43}$/);
    expect(reply.json).toEqual({
      id,
      internalId: id,
      merchantId: DEMO.merchantId,
      entity: null,
      reference: 'PED-1',
      amount: 1500,
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
      currency: 'AOA',
      paymentType: 'GPO',
      paymentMethod: 'webframe',
      status: 'Pending',
      createdAt: NOW,
      completedAt: null,
      expiresAt: '2026-03-02T09:30:00.000Z',
      description: 'Café',
      customer: { email: null, name: null, telephone: null },
      customerEmail: null,
      customerName: null,
      customerTelephone: null,
      documentNumber: null,
      referenceType: null,
      referenceStatus: null,
      registeredAt: null,
      customMetadata: null,
      failure: null,
      flags: [],
      transactions: [],
      checkoutUrl: `${app.node.core.publicUrl}/checkout/${clientToken}`,
      clientToken,
    });
  });

  test('writes one payment and one event, and no push', async () => {
    const before = await countRows(app);
    await create(app, webframe());
    expect(await countRows(app)).toEqual({ ...before, payments: before.payments! + 1, events: before.events! + 1 });
  });

  test.each([
    ['no metadata', undefined],
    ['null metadata', null],
    ['no method', {}],
    ['an unknown method', { paymentMethod: 'carrier-pigeon' }],
    ['its own name in other letters', { paymentMethod: 'WebFrame' }],
    ['a phone it has no use for', { phoneNumber: 'not a phone' }],
  ])('is the result of metadata with %s', async (_name, metadata) => {
    const payment = await create(app, webframe({ metadata }));
    expect(payment).toMatchObject({ status: 'Pending', paymentMethod: 'webframe' });
  });

  test.each([
    [5, '2026-03-02T09:05:00.000Z'],
    [1440, '2026-03-03T09:00:00.000Z'],
    [null, '2026-03-02T09:30:00.000Z'],
  ])('with expiresInMinutes %s sets expiresAt accordingly', async (expiresInMinutes, expiresAt) => {
    expect((await create(app, webframe({ metadata: { expiresInMinutes } }))).expiresAt).toBe(expiresAt);
  });

  test('accepts returnUrl and cancelUrl of a registered origin', async () => {
    const { publicUrl } = app.node.core;
    const returnUrl = `${publicUrl}/obrigado?order=1#fim`;
    const { id } = await create(app, webframe({ metadata: { returnUrl, cancelUrl: publicUrl } }));
    const [row] = await app.sql('select return_url, cancel_url from payments where id = $1', [id]);
    expect(row).toEqual({ return_url: returnUrl, cancel_url: `${publicUrl}/` });
  });

  test('normalizes returnUrl and cancelUrl as browsers do', async () => {
    const { publicUrl } = app.node.core;
    const metadata = { returnUrl: `\t ${publicUrl.toUpperCase()}\\@evil.example/ `, cancelUrl: `${publicUrl}/a/../é` };
    const { id } = await create(app, webframe({ metadata }));
    const [row] = await app.sql('select return_url, cancel_url from payments where id = $1', [id]);
    expect(row).toEqual({ return_url: `${publicUrl}/@evil.example/`, cancel_url: `${publicUrl}/%C3%A9` });
  });
});

describe('a onetimepurchase creation', () => {
  test('is Processing immediately, does not expire and writes its push', async () => {
    const before = await countRows(app);
    const reply = await app.call('/api/payments', { body: purchase(PENDING_PHONE) });
    expect(reply.status).toBe(201);
    expect(reply.json).toMatchObject({ status: 'Processing', paymentMethod: 'onetimepurchase', expiresAt: null });
    const { payments, attempts, events } = await countRows(app);
    expect({ payments, attempts, events }).toEqual({
      payments: before.payments! + 1,
      attempts: before.attempts! + 1,
      events: before.events! + 2,
    });
  });

  test('ignores the case of its method', async () => {
    const metadata = { paymentMethod: 'OneTimePurchase', phoneNumber: PENDING_PHONE };
    expect((await create(app, webframe({ metadata }))).paymentMethod).toBe('onetimepurchase');
  });

  test.each(['923456781', '923 456 782', '+244923456783', '00244923456784', '244923456785', '+244 923 456 786'])(
    'sends its push to the phone that is written as %s',
    async (written) => {
      const { reference } = await create(app, purchase(written));
      const book = await untilBooked(reference);
      expect(book.phone).toBe(`+244${written.replace(/\D/g, '').slice(-9)}`);
    },
  );

  test('sends amount, reference, description and ids to the rail', async () => {
    const metadata = {
      paymentMethod: 'onetimepurchase',
      phoneNumber: PENDING_PHONE,
      description: 'Pedido 7',
      gpo_merchant_id: 'demo-merchant',
      gpo_pos_id: DEMO.posId,
    };
    const body = {
      amount: 12.5,
      currency: 'AOA',
      paymentType: 'GPO',
      reference: 'FT/26 R_1.A',
      description: 'x',
      metadata,
    };
    const payment = await create(app, body);
    expect(payment).toMatchObject({ description: 'Pedido 7', reference: 'FT/26 R_1.A' });
    expect(await untilBooked('FT-26-R-1-A')).toMatchObject({
      amount: '12.50',
      currency: 'AOA',
      merchantId: 'demo-merchant',
      terminalId: DEMO.posId,
      calls: 1,
    });
  });
});

describe('the amount of a payment', () => {
  test.each([
    ['0.01', 'AOA', 0.01, '1'],
    ['10000000', 'AOA', 10_000_000, '1000000000'],
    ['10000000.00', 'AOA', 10_000_000, '1000000000'],
    ['1500.10', 'AOA', 1500.1, '150010'],
    ['1e3', 'AOA', 1000, '100000'],
    ['12.5E1', 'AOA', 125, '12500'],
    ['0.1', 'USD', 0.1, '10'],
    ['4.35', 'EUR', 4.35, '435'],
    ['1234567.89', 'AOA', 1_234_567.89, '123456789'],
    ['100', 'JPY', 100, '100'],
    ['1.234', 'KWD', 1.234, '1234'],
    ['7', 'XYZ', 7, '700'],
  ])('%s %s is stored exactly in the smallest unit of its currency', async (written, currency, amount, minor) => {
    const body = `{"amount":${written},"currency":"${currency}","paymentType":"GPO","reference":"AMOUNT"}`;
    const reply = await app.call('/api/payments', { body });
    expect(reply.status).toBe(201);
    expect(reply.json).toMatchObject({ amount, currency });
    const [row] = await app.sql('select amount_minor from payments where id = $1', [reply.json.id]);
    expect(row.amount_minor).toBe(minor);
  });
});

describe('POST /api/payments', () => {
  test('ignores unknown fields', async () => {
    const body = webframe({ colour: 'blue', metadata: { gift: true } });
    expect(await create(app, body)).toMatchObject({ status: 'Pending', customMetadata: null });
  });

  test('reads nothing through a `__proto__` outside custom', async () => {
    const hidden = '{"description":"hidden","metadata":{"paymentMethod":"onetimepurchase"},"polluted":true}';
    const body = `{"__proto__":${hidden},"amount":5,"currency":"AOA","paymentType":"GPO","reference":"PROTO","metadata":{"__proto__":{"description":"hidden"}},"constructor":{"prototype":{"polluted":true}}}`;
    const reply = await app.call('/api/payments', { body });
    expect(reply.status).toBe(201);
    expect(reply.json).toMatchObject({ paymentMethod: 'webframe', description: null });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('accepts a UTF-8 body with a byte order mark and a charset parameter', async () => {
    const body = `\ufeff${JSON.stringify(webframe({ description: 'Ginguba €' }))}`;
    const headers = { 'content-type': 'Application/JSON; charset=UTF-8' };
    const reply = await app.call('/api/payments', { body, headers });
    expect(reply.status).toBe(201);
    expect(reply.json.description).toBe('Ginguba €');
  });
});
