import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp, type Reply } from '../../../support/app.ts';
import {
  answerPush,
  authorization,
  capture,
  createAuthorized,
  expectAgreement,
  readFullBooks,
  readHeld,
  readOrders,
  take,
} from '../../../support/authorizations.ts';
import { countWaiting, holdLock } from '../../../support/locks.ts';
import { readEventTypes, readPayment } from '../../../support/notify.ts';
import { create, orderFault, travelToStatus, untilStatus } from '../../../support/payments.ts';
import { leavesNothing } from '../../../support/rows.ts';

let app: TestApp;
let twin: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { GPO_KEY: 'one key for both nodes' } });
  twin = await app.startTwin();
});
afterEach(async () => expectAgreement(app.sql, await readFullBooks(app)));

describe('a capture', () => {
  test('of the whole amount becomes Paid, and its authorization becomes Captured', async () => {
    const held = await createAuthorized(app);
    const asked = await create(app, capture(held.id));
    expect(asked).toMatchObject({
      status: 'Processing',
      paymentMethod: 'capture',
      authorizationId: held.id,
      amountPaid: 0,
      expiresAt: null,
    });
    const paid = await untilStatus(app, asked.id, 'Paid');
    expect(paid).toMatchObject({ amountPaid: 1500, flags: [], late: false, failure: null });
    expect(paid.transactions).toMatchObject([
      { amount: 1500, currency: 'AOA', status: 'Accepted', late: false, terminalId: 'demo-pos' },
    ]);
    expect(await readPayment(app, held.id)).toMatchObject({
      status: 'Captured',
      amountAuthorized: 1500,
      amountCaptured: 1500,
      operation: null,
      amountPaid: 0,
      transactions: [],
      late: false,
      completedAt: app.clock.now().toISOString(),
    });
    expect(await readHeld(app, held.id)).toMatchObject({ captured: '1500.00', voided: '0.00', held: '0.00' });
  });

  test('is in the event history of both payments', async () => {
    const held = await createAuthorized(app);
    const { id } = await create(app, capture(held.id));
    await untilStatus(app, id, 'Paid');
    expect(await readEventTypes(app, id)).toEqual(['payment.created', 'payment.processing', 'payment.paid']);
    const { json } = await app.call(`/api/payments/${held.id}/events`);
    expect(json.data.at(-1)).toMatchObject({
      type: 'payment.captured',
      status: 'Captured',
      details: { captureId: id },
    });
    expect(json.data).toHaveLength(4);
    expect(json.data.at(-1).details).not.toHaveProperty('late');
  });

  test.each([
    [1000.5, '1000.50', '499.50'],
    [0.01, '0.01', '1499.99'],
    [1499.99, '1499.99', '0.01'],
  ])('of only %d releases the rest of the held money', async (amount, captured, voided) => {
    const held = await createAuthorized(app);
    const { id } = await create(app, capture(held.id, { amount }));
    expect(await untilStatus(app, id, 'Paid')).toMatchObject({ amount, amountPaid: amount, flags: [] });
    expect(await readPayment(app, held.id)).toMatchObject({ amountAuthorized: 1500, amountCaptured: amount });
    expect(await readHeld(app, held.id)).toMatchObject({ authorized: '1500.00', captured, voided, held: '0.00' });
  });

  test('has a reference, description and customMetadata of its own', async () => {
    const held = await createAuthorized(app, { description: 'Reserva' });
    const metadata = { paymentMethod: 'CAPTURE', authorizationId: held.id.toUpperCase(), custom: { Factura: 7 } };
    const { id, reference } = await create(app, capture('', { metadata, description: 'Factura 7' }));
    await untilStatus(app, id, 'Paid');
    expect(await readPayment(app, id)).toMatchObject({
      reference,
      description: 'Factura 7',
      customMetadata: { Factura: 7 },
      authorizationId: held.id,
    });
    expect(reference).not.toBe(held.reference);
    expect(await readPayment(app, held.id)).toMatchObject({ description: 'Reserva', customMetadata: null });
  });

  test('uses the terminal of its authorization unless the request names another terminal', async () => {
    const { token } = await app.addMerchant({ gpoPosIds: ['desk', 'kiosk', 'van'] });
    const ask = async (body: object) => (await app.call('/api/payments', { body, token })).json.id as string;
    const posOf = async (asked: object) => {
      const at = { paymentMethod: 'authorization', phoneNumber: '923000001', gpo_pos_id: 'kiosk' };
      const heldId = await ask(authorization('', { metadata: at }));
      await answerPush(app, heldId, 'approve');
      await until(async () => (await readOrders(app, heldId, 'authorization'))[0].status === 'Approved', 'the hold');
      const metadata = { paymentMethod: 'capture', authorizationId: heldId, ...asked };
      const id = await ask(capture('', { metadata }));
      const money = 'select details from transactions where payment_id = $1';
      return (await until(async () => (await app.sql(money, [id]))[0], 'the money')).details.terminalId;
    };
    expect(await posOf({})).toBe('kiosk');
    expect(await posOf({ gpo_pos_id: 'van' })).toBe('van');
  });
});

test.each([
  ['900000005', 10_000],
  ['900000006', 1_000],
])('for the phone %s becomes Paid after %d ms', async (phone, afterMs) => {
  const held = await create(app, authorization(phone));
  await travelToStatus(app, held.id, 'Authorized');
  const askedAt = app.clock.now().getTime();
  const { id } = await create(app, capture(held.id, { amount: 600 }));
  expect(await readPayment(app, held.id)).toMatchObject({ status: 'Authorized', operation: 'capturing' });
  const paid = await travelToStatus(app, id, 'Paid');
  expect(Date.parse(paid.completedAt) - askedAt).toBeGreaterThanOrEqual(afterMs);
  expect(paid.transactions).toHaveLength(1);
  expect(await readPayment(app, held.id)).toMatchObject({ status: 'Captured', amountCaptured: 600, operation: null });
  expect(await readHeld(app, held.id)).toMatchObject({ captures: [{ calls: 1 }] });
});

describe('a sync', () => {
  const sync = (id: string) =>
    app.call(`/api/payments/${id}/sync`, { method: 'POST', headers: { prefer: 'return=representation' } });

  /** Creates a capture that the rail approves, while its response and its notification are lost. */
  async function createUnheard() {
    const held = await create(app, authorization('900000007'));
    await travelToStatus(app, held.id, 'Authorized');
    await orderFault(app, { on: 'capture', kind: 'garbage', phone: '900000007' });
    const { id } = await create(app, capture(held.id));
    await until(async () => (await readOrders(app, id, 'capture'))[0].status === 'Sent', 'the capture being sent');
    expect((await readPayment(app, id)).status).toBe('Processing');
    return { heldId: held.id as string, id: id as string };
  }

  test('for a capture records its outcome if the response and the notification were lost', async () => {
    const { heldId, id } = await createUnheard();
    await app.clock.advance(1_000);
    expect(await sync(id)).toMatchObject({ status: 200, json: { status: 'Paid' } });
    expect((await readPayment(app, heldId)).status).toBe('Captured');
  });

  test('for an authorization records the outcome of its capture', async () => {
    const { heldId, id } = await createUnheard();
    await app.clock.advance(1_000);
    expect(await sync(heldId)).toMatchObject({ status: 200, json: { status: 'Captured' } });
    expect((await readPayment(app, id)).status).toBe('Paid');
  });
});

const isReplay = ({ headers }: Reply) => headers.get('idempotency-replayed') === 'true';

test('a repeated capture returns the capture in its current state, also after the authorization is Captured', async () => {
  const { id } = await createAuthorized(app);
  const body = capture(id);
  const first = await take(app, body, { key: 'replay' });
  expect(first).toMatchObject({ status: 201, json: { status: 'Processing' } });
  await untilStatus(app, first.json.id, 'Paid');
  expect(await readPayment(app, id)).toMatchObject({ status: 'Captured' });
  const again = await leavesNothing(app, () => take(app, body, { key: 'replay', prefer: 'wait=5' }));
  expect(again).toMatchObject({ status: 201, json: { id: first.json.id, status: 'Paid' } });
  expect(isReplay(again)).toBe(true);
  expect(await readHeld(app, id)).toMatchObject({ captures: [{ calls: 1 }] });
});

test('12 concurrent captures with one Idempotency-Key on two nodes create one capture', async () => {
  const { id } = await createAuthorized(app);
  const body = capture(id, { amount: 20 });
  const asked = Array.from({ length: 12 }, (_, nth) => take(nth % 2 ? twin : app, body, { key: 'many' }));
  const replies = await Promise.all(asked);
  const first = replies.find((reply) => !isReplay(reply)) as Reply;
  // Each node has its own address for checkout pages.
  const idsOf = (reply: Reply) => ({ status: reply.status, id: reply.json.id });
  expect(replies.map(idsOf)).toEqual(replies.map(() => ({ status: 201, id: first.json.id })));
  expect(replies.filter(isReplay)).toHaveLength(11);
  await untilStatus(app, first.json.id, 'Paid');
  expect(await app.sql('select from payments where authorization_id = $1', [id])).toHaveLength(1);
  expect(await readHeld(app, id)).toMatchObject({ captured: '20.00', captures: [{ calls: 1 }] });
});

test('a capture with another body and the same key returns 422, also after a full capture', async () => {
  const { id } = await createAuthorized(app);
  const body = capture(id, { amount: 20 });
  const first = await take(app, body, { key: 'other' });
  await untilStatus(app, first.json.id, 'Paid');
  for (const other of [{ ...body, amount: 21 }, capture((await createAuthorized(app)).id)]) {
    const reply = await leavesNothing(app, () => take(app, other, { key: 'other' }));
    expect(reply).toMatchObject({ status: 422, json: { code: 'idempotency_key_reused' } });
  }
});

test('one Idempotency-Key for captures of two authorizations captures one and leaves the other unclaimed', async () => {
  for (let round = 0; round < 4; round++) {
    const held = await Promise.all([createAuthorized(app), createAuthorized(app)]);
    const asked = held.map(({ id }, nth) => take(nth ? twin : app, capture(id), { key: `two-${round}` }));
    const replies = await Promise.all(asked);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 422]);
    const winner = replies.findIndex(({ status }) => status === 201);
    await untilStatus(app, replies[winner]?.json.id, 'Paid');
    expect(await readPayment(app, held[1 - winner].id)).toMatchObject({ status: 'Authorized', operation: null });
  }
});

test('a capture leaves the authorization unclaimed if another request stores its Idempotency-Key first', async () => {
  const { id, merchantId } = await createAuthorized(app);
  // The lock permits reads and blocks writes.
  const release = await holdLock(app.databaseUrl, 'lock table payments in share mode');
  const waiting = take(app, capture(id), { key: 'meanwhile' });
  try {
    const isWaiting = async () =>
      (await countWaiting(app.databaseUrl, 'update%payments')) + (await countWaiting(app.databaseUrl, 'with creation'));
    await until(isWaiting, 'the capture waiting to be written');
    await app.sql(
      `insert into idempotency_keys (merchant_id, key, fingerprint, status, body, created_at)
       values ($1, 'meanwhile', 'of another request', 201, '{}', $2)`,
      [merchantId, app.clock.now()],
    );
  } finally {
    await release();
  }
  expect(await waiting).toMatchObject({ status: 422, json: { code: 'idempotency_key_reused' } });
  expect(await readPayment(app, id)).toMatchObject({ status: 'Authorized', operation: null });
  await untilStatus(app, (await take(app, capture(id))).json.id, 'Paid');
});
