import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../../support/app.ts';
import { createRefused, replaceable, switchOver } from '../../../support/fallback.ts';
import { approved, declined, notify, NOTIFY_ENV, PENDING_PHONE } from '../../../support/notify.ts';
import { purchase, leapToEnd, travelUntil, webframe } from '../../../support/payments.ts';
import { creepUntilRegistered, moneyFor, notifyPprPayment } from '../../../support/ppr.ts';
import { leavesNothing } from '../../../support/rows.ts';
import { authorization, answerPush, capture, travelToRest } from '../../../support/authorizations.ts';

let app: TestApp;
let merchant: Awaited<ReturnType<TestApp['addMerchant']>>;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});

/** Each test creates its own merchant. */
beforeEach(async () => {
  merchant = await app.addMerchant();
  await turn(true);
});

async function turn(on: boolean): Promise<void> {
  await app.sql('update merchants set unique_references = $2 where id = $1', [merchant.merchantId, on]);
  // Waits some seconds, because nodes cache the setting.
  await app.clock.advance(6_000);
}

const post = (body: object, headers: Record<string, string> = {}) =>
  app.call('/api/payments', { body, token: merchant.token, headers });
const read = async (id: string) => (await app.call(`/api/payments/${id}`, { token: merchant.token })).json;
const attemptOf = async (id: string) =>
  (await app.sql('select id from attempts where payment_id = $1 order by created_at', [id]))[0].id as string;

async function make(body: object): Promise<any> {
  const reply = await post(body);
  expect(reply.status).toBe(201);
  return reply.json;
}

/** Creates an authorization that its payer has approved. */
async function hold(reference: string): Promise<string> {
  const { id } = await make(authorization(PENDING_PHONE, { reference }));
  await answerPush(app, id, 'approve');
  await until(async () => (await read(id)).status === 'Authorized', 'the money being reserved');
  return id;
}

async function expectRefused(body: object): Promise<void> {
  const reply = await leavesNothing(app, () => post(body));
  expect([reply.status, reply.json.code]).toEqual([400, 'reference_in_use']);
  expect(reply.json.errors).toMatchObject([{ pointer: '/reference', code: 'reference_in_use' }]);
}

/** The GPO methods whose requests may have a reference. */
const TAKERS: [string, (reference: string) => Record<string, unknown>][] = [
  ['webframe', (reference) => webframe({ reference, amount: 7 })],
  ['onetimepurchase', (reference) => purchase('923000009', { reference, amount: 8 })],
  ['authorization', (reference) => authorization('923000009', { reference, amount: 9 })],
  ['qrcode', (reference) => webframe({ reference, amount: 10, metadata: { paymentMethod: 'qrcode' } })],
];

describe('a second payment with a used merchant reference', () => {
  test.each(TAKERS)('is refused for the method %s', async (_name, take) => {
    await make(webframe({ reference: 'TWICE' }));
    await expectRefused(take('TWICE'));
    expect((await post(take('ONCE'))).status).toBeLessThan(300);
  });

  test('is refused with a message in the language of the caller', async () => {
    await make(webframe({ reference: 'WORDS' }));
    const { json } = await post(webframe({ reference: 'WORDS' }), { 'accept-language': 'pt' });
    expect(json.errors[0].message).toBe('está em uso (GPO): outro pagamento tem esta referência');
  });

  test('is refused if the first payment is Paid or has a push in progress', async () => {
    const first = await make(purchase(PENDING_PHONE, { reference: 'PAID' }));
    await expectRefused(purchase(PENDING_PHONE, { reference: 'PAID' }));
    await notify(app, await attemptOf(first.id), approved());
    expect(await read(first.id)).toMatchObject({ status: 'Paid' });
    await expectRefused(webframe({ reference: 'PAID' }));
  });

  test('is refused also if the first payment is older than the setting', async () => {
    await turn(false);
    await make(webframe({ reference: 'BEFORE' }));
    await make(webframe({ reference: 'BEFORE' }));
    await turn(true);
    await expectRefused(webframe({ reference: 'BEFORE' }));
    await turn(false);
    await make(webframe({ reference: 'BEFORE' }));
  });

  test('is created for a reference that is spelled differently, and for another merchant', async () => {
    await make(webframe({ reference: 'Mine' }));
    await make(webframe({ reference: 'MINE' }));
    const other = await app.addMerchant();
    await app.sql('update merchants set unique_references = true where id = $1', [other.merchantId]);
    const reply = await app.call('/api/payments', { body: webframe({ reference: 'Mine' }), token: other.token });
    expect(reply.status).toBe(201);
  });

  test('is created if it is a payment by reference (PPR)', async () => {
    const digits = '912345678';
    await make(webframe({ reference: digits }));
    const ppr = { amount: 5, currency: 'AOA', paymentType: 'PPR', reference: digits };
    expect((await post(ppr)).status).toBe(201);
    const taken = '912345679';
    expect((await post({ ...ppr, reference: taken })).status).toBe(201);
    await make(webframe({ reference: taken }));
  });
});

describe('the merchant reference of a payment', () => {
  test('may be used again after a failure, even if the first payment then receives late money', async () => {
    const first = await make(purchase(PENDING_PHONE, { reference: 'LATE' }));
    const attemptId = await attemptOf(first.id);
    await notify(app, attemptId, declined('CUSTOMER_REFUSED'));
    expect(await read(first.id)).toMatchObject({ status: 'Failed' });
    const second = await make(webframe({ reference: 'LATE' }));
    await notify(app, attemptId, approved());
    expect(await read(first.id)).toMatchObject({ status: 'Paid' });
    expect(await read(second.id)).toMatchObject({ status: 'Pending' });
    await expectRefused(webframe({ reference: 'LATE' }));
  });

  test('may not be used again if the failed payment receives late money', async () => {
    const first = await make(purchase(PENDING_PHONE, { reference: 'REVIVED' }));
    const attemptId = await attemptOf(first.id);
    await notify(app, attemptId, declined('CUSTOMER_REFUSED'));
    await notify(app, attemptId, approved());
    expect(await read(first.id)).toMatchObject({ status: 'Paid' });
    await expectRefused(webframe({ reference: 'REVIVED' }));
  });

  test('may be used again after the payment expires', async () => {
    const first = await make(webframe({ reference: 'OVER', metadata: { expiresInMinutes: 5 } }));
    leapToEnd(app, first);
    await travelUntil(app, async () => (await read(first.id)).status === 'Expired', 'the payment being over');
    await make(webframe({ reference: 'OVER' }));
    // Pushes of earlier tests time out too. Later tests count the rows of the events.
    await travelToRest(app);
  });

  test('may be used again after the authorization is canceled', async () => {
    const id = await hold('HELD');
    await expectRefused(webframe({ reference: 'HELD' }));
    await app.call(`/api/payments/${id}/cancel`, { method: 'POST', token: merchant.token });
    await travelUntil(app, async () => (await read(id)).status === 'Canceled', 'the cancellation');
    await make(webframe({ reference: 'HELD' }));
  });

  test('may not be used again while the payer of a page may try again', async () => {
    const { id, clientToken } = await make(webframe({ reference: 'AGAIN' }));
    await app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: PENDING_PHONE }, token: null });
    await notify(app, await attemptOf(id), declined('CUSTOMER_REFUSED'));
    expect(await read(id)).toMatchObject({ status: 'Pending' });
    await expectRefused(webframe({ reference: 'AGAIN' }));
  });
});

describe('the merchant reference of a payment whose payer switched to a payment reference', () => {
  async function replace(reference: string) {
    const first = await createRefused(app, replaceable({ reference }), merchant.token);
    expect((await switchOver(app, first)).status).toBe(201);
    await creepUntilRegistered(app);
    const { replacedBy } = await read(first.id);
    return { first, second: await read(replacedBy) };
  }

  test('may not be used again while the replacement can be paid, nor after it is paid', async () => {
    const { first, second } = await replace('ONWARD');
    expect(await read(first.id)).toMatchObject({ status: 'Canceled' });
    await expectRefused(webframe({ reference: 'ONWARD' }));
    await notifyPprPayment(app, moneyFor(app, second));
    expect(await read(second.internalId)).toMatchObject({ status: 'Paid' });
    await creepUntilRegistered(app);
    await expectRefused(webframe({ reference: 'ONWARD' }));
  });

  test('may be used again after the replacement is canceled, unless late money arrives', async () => {
    const { second } = await replace('NO-MORE');
    await app.call(`/api/payments/${second.internalId}/cancel`, { method: 'POST', token: merchant.token });
    expect(await read(second.internalId)).toMatchObject({ status: 'Canceled' });
    const { id } = await make(webframe({ reference: 'NO-MORE' }));
    await app.call(`/api/payments/${id}/cancel`, { method: 'POST', token: merchant.token });
    await notifyPprPayment(app, moneyFor(app, second));
    expect(await read(second.internalId)).toMatchObject({ status: 'Paid', late: true });
    await creepUntilRegistered(app);
    await expectRefused(webframe({ reference: 'NO-MORE' }));
  });

  test('may not be used again if the replaced push is paid late', async () => {
    const { first } = await replace('AFTER-ALL');
    await notify(app, await attemptOf(first.id), approved());
    expect(await read(first.id)).toMatchObject({ status: 'Paid' });
    await creepUntilRegistered(app);
    await expectRefused(webframe({ reference: 'AFTER-ALL' }));
  });
});

describe('a capture with unique references', () => {
  const codeOf = ({ status, json }: Reply) => (status === 201 ? '201' : `${status} ${json.code}`);

  test('may have the reference of its authorization, which may not be used again afterwards', async () => {
    const id = await hold('TAKE');
    const taken = await make(capture(id, { reference: 'TAKE' }));
    await travelUntil(app, async () => (await read(taken.id)).status === 'Paid', 'the capture being paid');
    expect(await read(id)).toMatchObject({ status: 'Captured' });
    await expectRefused(webframe({ reference: 'TAKE' }));
  });

  test('is refused with the reference of another payment, and does not claim the authorization', async () => {
    const id = await hold('MINE');
    await make(webframe({ reference: 'OTHER' }));
    const headers = { 'idempotency-key': randomUUID() };
    expect(codeOf(await post(capture(id, { reference: 'OTHER' }), headers))).toBe('400 reference_in_use');
    expect(await read(id)).toMatchObject({ status: 'Authorized', operation: null });
    expect(codeOf(await post(capture(id, { reference: 'MINE' }), headers))).toBe('201');
  });

  test('keeps a new reference permanently in use', async () => {
    const id = await hold('HELD');
    const taken = await make(capture(id, { reference: 'TAKEN' }));
    await until(async () => (await read(taken.id)).status === 'Paid', 'the capture being paid');
    for (const reference of ['HELD', 'TAKEN']) await expectRefused(webframe({ reference }));
  });

  test('and a concurrent payment cannot both take one new reference', async () => {
    for (let nth = 0; nth < 5; nth++) {
      const [id, reference] = [await hold(`HELD-${nth}`), `NEW-${nth}`];
      const bodies = [capture(id, { reference }), webframe({ reference }), webframe({ reference })];
      const codes = (await Promise.all(bodies.map((body) => post(body)))).map(codeOf);
      expect(codes.toSorted()).toEqual(['201', '400 reference_in_use', '400 reference_in_use']);
      if (codes[0] !== '201') expect(await read(id)).toMatchObject({ status: 'Authorized', operation: null });
    }
  });
});
