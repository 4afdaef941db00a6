import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../../support/app.ts';
import {
  authorization,
  cancel,
  capture,
  createAuthorized,
  notifyOrder,
  readHeld,
  take,
  travelToRest,
} from '../../../support/authorizations.ts';
import { approved, declined, NOTIFY_ENV, readPayment, PENDING_PHONE, untilSent } from '../../../support/notify.ts';
import {
  create,
  orderFault,
  purchase,
  travelToStatus,
  untilCalled,
  untilStatus,
  webframe,
} from '../../../support/payments.ts';
import { leavesNothing } from '../../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});

const faultsOf = (reply: Reply) => reply.json.errors.map((fault: any) => `${fault.pointer} ${fault.code}`);

/** Sends a capture that must be refused. The refusal stores neither rows nor the Idempotency-Key. */
async function refuse(body: object, token?: string): Promise<Reply> {
  const key = randomUUID();
  const reply = await leavesNothing(app, () => take(app, body, { key, ...(token && { token }) }));
  expect(await app.sql('select from idempotency_keys where key = $1', [key])).toEqual([]);
  return reply;
}

describe('a capture returns 400', () => {
  test.each<[string, () => Promise<unknown> | unknown]>([
    ['no GUID', () => 'PEDIDO-1'],
    ['a GUID in braces', () => `{${randomUUID()}}`],
    ['an unknown id', () => randomUUID()],
    ['a webframe', async () => (await create(app, webframe())).id],
    ['a purchase', async () => (await create(app, purchase(PENDING_PHONE))).id],
    [
      'the rail’s id of an authorization',
      async () => (await untilSent(app, (await create(app, authorization())).id)).id,
    ],
    ['a capture', captureOnce],
  ])('for %s as authorizationId', async (_name, makeId) => {
    const reply = await refuse(capture(await makeId()));
    expect([reply.status, reply.json.code]).toEqual([400, 'authorization_not_found']);
    expect(faultsOf(reply)).toEqual(['/metadata/authorizationId authorization_not_found']);
  });

  test('for an authorization of another merchant, with the same problem as for an unknown id', async () => {
    const { token } = await app.addMerchant();
    const held = await createAuthorized(app);
    const words = ({ status, json }: Reply) => ({ status, ...json, instance: null });
    const reply = await refuse(capture(held.id), token);
    expect(reply).toMatchObject({ status: 400, json: { code: 'authorization_not_found' } });
    expect(words(reply)).toEqual(words(await refuse(capture(randomUUID()), token)));
    expect(await readPayment(app, held.id)).toEqual(held);
  });
});

async function captureOnce(): Promise<string> {
  const { id } = await create(app, capture((await createAuthorized(app)).id));
  await untilStatus(app, id, 'Paid');
  return id;
}

describe('a capture returns 400 for the amount', () => {
  test.each([
    [1500.01, 'AOA', '/amount capture_exceeds_authorization'],
    [10_000_000, 'AOA', '/amount capture_exceeds_authorization'],
    [1500, 'USD', '/currency authorization_currency'],
    [1, 'JPY', '/currency authorization_currency'],
    [0, 'AOA', '/amount amount_out_of_range'],
    [1.001, 'AOA', '/amount amount_precision'],
  ])('%d %s', async (amount, currency, fault) => {
    const held = await createAuthorized(app);
    const reply = await refuse(capture(held.id, { amount, currency }));
    expect(reply.status).toBe(400);
    expect(faultsOf(reply)).toEqual([fault]);
    const [, code] = fault.split(' ');
    expect(reply.json.code).toBe(code === 'authorization_currency' ? 'validation_failed' : code);
    expect(await readPayment(app, held.id)).toEqual(held);
  });

  test('above the amount that the rail holds', async () => {
    const { id } = await create(app, authorization());
    const { id: attemptId } = await untilSent(app, id);
    await notifyOrder(app, 'authorization', attemptId, approved({ amount: '900.00' }));
    const reply = await refuse(capture(id, { amount: 900.01 }));
    expect(faultsOf(reply)).toEqual(['/amount capture_exceeds_authorization']);
    expect(reply.json.errors[0].message).toContain('900');
    const taken = await take(app, capture(id, { amount: 900 }));
    expect(taken.status).toBe(201);
    // The rail holds another amount in its own records, so it refuses the capture.
    await untilStatus(app, taken.json.internalId, 'Failed');
  });
});

/** For each status, creates an authorization without held money. */
const UNUSABLE: Record<string, () => Promise<string>> = {
  async Processing() {
    return (await create(app, authorization())).id;
  },
  async Failed() {
    const { id } = await create(app, authorization());
    await notifyOrder(app, 'authorization', (await untilSent(app, id)).id, declined('CUSTOMER_REFUSED'));
    return id;
  },
  async Canceled() {
    const { id } = await createAuthorized(app);
    await cancel(app, id);
    return id;
  },
  async Captured() {
    const { id } = await createAuthorized(app);
    await untilStatus(app, (await create(app, capture(id, { amount: 1 }))).id, 'Paid');
    return id;
  },
  async Expired() {
    const { id, expiresAt } = await createAuthorized(app);
    app.clock.leap(Date.parse(expiresAt) - app.clock.now().getTime());
    await travelToStatus(app, id, 'Expired');
    await travelToRest(app);
    return id;
  },
};

describe('a capture and a cancel of an authorization with the status', () => {
  test.each(Object.keys(UNUSABLE))('%s return 409', async (status) => {
    const id = await (UNUSABLE[status] as () => Promise<string>)();
    const before = await readPayment(app, id);
    expect(before.status).toBe(status);
    const reply = await refuse(capture(id));
    expect(reply).toMatchObject({ status: 409, json: { code: 'authorization_not_capturable' } });
    if (status !== 'Canceled') {
      const canceled = await leavesNothing(app, () => cancel(app, id, { key: randomUUID() }));
      expect(canceled).toMatchObject({ status: 409, json: { code: 'payment_not_cancelable' } });
    }
    expect(await readPayment(app, id)).toEqual(before);
  });
});

describe('a capture and a cancel of an authorization during the operation', () => {
  test.each([
    ['capturing', async (id: string) => void (await create(app, capture(id)))],
    ['voiding', async (id: string) => void (await cancel(app, id))],
  ])('%s return 409', async (operation, begin) => {
    const { id } = await create(app, authorization('900000005'));
    await travelToStatus(app, id, 'Authorized');
    // The rail needs ten seconds for the operation, and the clock stands still.
    await begin(id);
    const before = await readPayment(app, id);
    expect(before).toMatchObject({ status: 'Authorized', operation });
    const canceled = await leavesNothing(app, () => cancel(app, id, { key: randomUUID() }));
    for (const reply of [await refuse(capture(id)), canceled])
      expect(reply).toMatchObject({ status: 409, json: { code: 'authorization_busy' } });
    expect(await readPayment(app, id)).toEqual(before);
  });
});

describe('a capture that the rail refuses', () => {
  test('becomes Failed, and its authorization can be captured again', async () => {
    const held = await createAuthorized(app);
    await orderFault(app, { on: 'capture', kind: 'reset_before', phone: PENDING_PHONE });
    const { id } = await create(app, capture(held.id));
    // The first call has consumed the fault, so the second capture does not meet it.
    await untilCalled(app, id);
    const [{ id: attemptId }] = await app.sql('select id from attempts where payment_id = $1', [id]);
    await notifyOrder(app, 'capture', attemptId, declined('ISSUER_REFUSED'));
    expect(await readPayment(app, id)).toMatchObject({ status: 'Failed', failure: { code: 'issuer_refused' } });
    expect(await readPayment(app, held.id)).toEqual(held);
    await untilStatus(app, (await create(app, capture(held.id))).id, 'Paid');
    expect(await readHeld(app, held.id)).toMatchObject({ captured: '1500.00', held: '0.00' });
  });
});
