// A payment charged in another way: the new payment, the links of both, and the refusals that keep money from
// being taken twice.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, type CallOptions, type Reply, type TestApp } from '../../support/app.ts';
import { travelToRest } from '../../support/authorizations.ts';
import { refusePush } from '../../support/fallback.ts';
import { addMember } from '../../support/members.ts';
import {
  approved,
  createPushed,
  declined,
  notify,
  NOTIFY_ENV,
  PENDING_PHONE,
  readAttempts,
  readPayment,
} from '../../support/notify.ts';
import { create, purchase, travelToStatus, webframe } from '../../support/payments.ts';
import { createPayable, moneyFor, notifyPprPayment, readFieldFaults } from '../../support/ppr.ts';
import { madeIdsOf } from '../../support/repeats.ts';
import { leavesNothing } from '../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { ...NOTIFY_ENV, PPR_KEY: 'a key for references' } });
});

const { merchantId } = DEMO;
type Body = { paymentMethod: string; phoneNumber?: string };
const replace = (id: string, body: Body, options: CallOptions = {}): Promise<Reply> =>
  app.call(`/api/payments/${id}/replacement`, { body, ...options });
const outlook = async (id: string): Promise<any> => (await app.call(`/api/payments/${id}/replacement`)).json;

/** Creates a push of 1 500,00 that the payer has refused. */
async function createRefusedPush(changes: Record<string, unknown> = {}): Promise<any> {
  const { payment, attemptId } = await createPushed(app, changes);
  await notify(app, attemptId, declined('INSUFFICIENT_FUNDS'));
  return { ...payment, attemptId };
}

/** Pushes of earlier tests time out at the same moment. Later tests count the rows of the events. */
const untilPushesEnded = () => travelToRest(app);

const custom = { order: 7 };
const createDescribed = () =>
  createRefusedPush({
    description: 'Pão e café',
    metadata: { paymentMethod: 'onetimepurchase', phoneNumber: PENDING_PHONE, custom },
  });

describe('replacePayment', () => {
  test.each([
    ['qrcode', 'qrcode', 'Pending'],
    ['reference', 'reference', 'Pending'],
    ['onetimepurchase', 'onetimepurchase', 'Processing'],
  ])('replaces a refused push by %s with the same money, words and custom fields', async (way, method, status) => {
    const first = await createDescribed();
    const cashier = await addMember(app, { merchantId, role: 'Cashier' });
    const reply = await replace(first.id, { paymentMethod: way }, { token: await cashier.token() });
    expect(reply.status, reply.text).toBe(201);
    const second = await readPayment(app, reply.json.internalId);
    expect(second).toMatchObject({
      paymentMethod: method,
      amount: 1500,
      currency: 'AOA',
      description: 'Pão e café',
      customMetadata: custom,
      createdBy: cashier.userId,
      replaces: first.id,
      amountPaid: 0,
    });
    expect(reply.json).toMatchObject({ status, replaces: first.id, customMetadata: custom });
    expect(await readPayment(app, first.id)).toMatchObject({ status: 'Failed', replacedBy: second.internalId });
  });

  test('sends a new push to the number of the first push, or to another number', async () => {
    const first = await createRefusedPush();
    const again = (await replace(first.id, { paymentMethod: 'onetimepurchase' })).json;
    const [push] = await readAttempts(app, again.internalId);
    expect(push.phone).toBe(`+244${PENDING_PHONE}`);
    await travelToStatus(app, again.internalId, 'Failed');
    await untilPushesEnded();
    const other = { paymentMethod: 'onetimepurchase', phoneNumber: '923 000 009' };
    const third = (await replace(again.internalId, other)).json;
    expect((await readAttempts(app, third.internalId))[0].phone).toBe('+244923000009');
  });

  test('returns the QR code as JSON', async () => {
    const first = await createRefusedPush();
    const { json } = await replace(first.id, { paymentMethod: 'qrcode' });
    expect(json.qrCode).toMatchObject({ content: expect.any(String), svg: expect.stringContaining('<svg') });
  });

  test.each([
    ['a page', async () => (await create(app, webframe())).id],
    [
      'a QR code',
      async () => {
        const body = webframe({ metadata: { paymentMethod: 'qrcode' } });
        const { json } = await app.call('/api/payments', { body, headers: { prefer: 'return=representation' } });
        return json.internalId;
      },
    ],
    ['a reference', async () => (await createPayable(app)).internalId],
  ])('cancels %s that is open, and then charges in another way', async (_what, make) => {
    const id = await make();
    expect(await outlook(id)).toMatchObject({ isReplaceable: true });
    const { status, json } = await replace(id, { paymentMethod: 'onetimepurchase', phoneNumber: PENDING_PHONE });
    expect(status).toBe(201);
    expect(await readPayment(app, id)).toMatchObject({ status: 'Canceled', replacedBy: json.internalId });
  });

  test('keeps the number of the push as the customer of a reference', async () => {
    const first = await createRefusedPush();
    const { json } = await replace(first.id, { paymentMethod: 'reference' });
    expect(json).toMatchObject({ paymentType: 'PPR', customerTelephone: `+244${PENDING_PHONE}` });
  });

  test('returns the existing replacement to a second request, and creates no other payment', async () => {
    const first = await createRefusedPush();
    const second = (await replace(first.id, { paymentMethod: 'qrcode' })).json;
    const reply = await leavesNothing(app, () => replace(first.id, { paymentMethod: 'reference' }));
    expect(reply).toMatchObject({ status: 200, json: { internalId: second.internalId, paymentMethod: 'qrcode' } });
  });

  test('replaces a replacement that has ended without money', async () => {
    const first = await createRefusedPush();
    const second = (await replace(first.id, { paymentMethod: 'reference' })).json;
    await app.call(`/api/payments/${second.internalId}/cancel`, { method: 'POST' });
    const third = await replace(first.id, { paymentMethod: 'qrcode' });
    expect(third).toMatchObject({ status: 201, json: { replaces: second.internalId } });
  });

  test.each(['qrcode', 'reference', 'onetimepurchase'])(
    'returns the same payment to a repeat with its Idempotency-Key for %s',
    async (paymentMethod) => {
      const first = await createRefusedPush();
      const headers = { 'idempotency-key': randomUUID() };
      const one = await replace(first.id, { paymentMethod }, { headers });
      const again = await leavesNothing(app, () => replace(first.id, { paymentMethod }, { headers }));
      expect([again.status, madeIdsOf(again)]).toEqual([201, madeIdsOf(one)]);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      const other = { paymentMethod: paymentMethod === 'qrcode' ? 'reference' : 'qrcode' };
      const reused = await replace(first.id, other, { headers });
      expect(reused).toMatchObject({ status: 422, json: { code: 'idempotency_key_reused' } });
    },
  );
});

describe('late money for a replaced payment', () => {
  test('is recorded, needs attention, and closes the open QR code of the replacement', async () => {
    const first = await createRefusedPush();
    const second = (await replace(first.id, { paymentMethod: 'qrcode' })).json;
    await notify(app, first.attemptId, approved());
    expect(await readPayment(app, first.id)).toMatchObject({
      status: 'Paid',
      amountPaid: 1500,
      late: true,
      attention: 'late_money',
    });
    expect(await readPayment(app, second.internalId)).toMatchObject({ status: 'Canceled', amountPaid: 0 });
    expect(await outlook(second.internalId)).toMatchObject({ isReplaceable: false });
    const again = await replace(second.internalId, { paymentMethod: 'reference' });
    expect(again).toMatchObject({ status: 200, json: { internalId: first.id, status: 'Paid' } });
    const refused = await replace(first.id, { paymentMethod: 'reference' });
    expect(refused).toMatchObject({ status: 409, json: { code: 'payment_not_replaceable' } });
  });

  test('is flagged as overpaid if the replacement is paid too', async () => {
    const first = await createRefusedPush();
    const second = (await replace(first.id, { paymentMethod: 'onetimepurchase' })).json;
    const [push] = await readAttempts(app, second.internalId);
    await travelToStatus(app, second.internalId, 'Failed');
    await untilPushesEnded();
    await notify(app, push.id, approved());
    await notify(app, first.attemptId, approved());
    expect(await readPayment(app, first.id)).toMatchObject({ status: 'Paid', flags: ['overpaid'] });
    expect(await readPayment(app, second.internalId)).toMatchObject({ status: 'Paid', amountPaid: 1500 });
  });

  test('for a reference cancels the reference that replaced it in two steps', async () => {
    const { internalId, entity, reference } = await createPayable(app);
    const second = (await replace(internalId, { paymentMethod: 'qrcode' })).json;
    const third = (await replace(second.internalId, { paymentMethod: 'reference' })).json;
    await notifyPprPayment(app, moneyFor(app, { entity, reference }));
    expect(await readPayment(app, internalId)).toMatchObject({ status: 'Paid', late: true });
    expect(await readPayment(app, third.internalId)).toMatchObject({ status: 'Canceled', amountPaid: 0 });
  });
});

describe('replacePayment refuses', () => {
  test('a push that the payer may still approve', async () => {
    const { payment } = await createPushed(app);
    const reply = await leavesNothing(app, () => replace(payment.id, { paymentMethod: 'reference' }));
    expect(reply).toMatchObject({ status: 409, json: { code: 'payment_in_progress' } });
  });

  test('a paid payment', async () => {
    const { payment, attemptId } = await createPushed(app);
    await notify(app, attemptId, approved());
    const reply = await leavesNothing(app, () => replace(payment.id, { paymentMethod: 'reference' }));
    expect(reply).toMatchObject({ status: 409, json: { code: 'payment_not_replaceable' } });
  });

  test.each([
    ['a Charging reference', () => createPayable(app, { referenceType: 'Charging', amount: 20 })],
    [
      'an authorization',
      () =>
        create(
          app,
          purchase(PENDING_PHONE, { metadata: { paymentMethod: 'authorization', phoneNumber: PENDING_PHONE } }),
        ),
    ],
  ])('%s', async (_what, make) => {
    const { internalId } = await make();
    const reply = await leavesNothing(app, () => replace(internalId, { paymentMethod: 'qrcode' }));
    expect(reply).toMatchObject({ status: 409, json: { code: 'payment_not_replaceable' } });
  });

  test.each([
    [{ paymentMethod: 'cash' }, ['/paymentMethod invalid_value']],
    [{ paymentMethod: 'onetimepurchase', phoneNumber: '12' }, ['/phoneNumber invalid_phone']],
  ])('%j', async (body, faults) => {
    const first = await createRefusedPush();
    const reply = await leavesNothing(app, () => replace(first.id, body));
    expect([reply.status, readFieldFaults(reply)]).toEqual([400, faults]);
  });

  test('a push without any number', async () => {
    const { id } = await create(app, webframe());
    const reply = await leavesNothing(app, () => replace(id, { paymentMethod: 'onetimepurchase' }));
    expect(readFieldFaults(reply)).toEqual(['/phoneNumber required']);
  });

  test('a caller of another merchant, a viewer and a caller without a token', async () => {
    const first = await createRefusedPush();
    const other = await app.addMerchant();
    const viewer = await addMember(app, { merchantId, role: 'Viewer' });
    const tokens = [await app.token(other.clientId, other.secret), await viewer.token(), null];
    const replies = [];
    for (const token of tokens)
      replies.push(await leavesNothing(app, () => replace(first.id, { paymentMethod: 'qrcode' }, { token })));
    expect(replies.map(({ status }) => status)).toEqual([404, 403, 401]);
  });
});

describe('readReplacement', () => {
  test('returns the full number of a running push and the end of its time', async () => {
    const { payment } = await createPushed(app);
    const sentAt = Date.parse((await readAttempts(app, payment.id))[0].created_at);
    expect(await outlook(payment.id)).toEqual({
      isReplaceable: false,
      payableUntil: null,
      push: {
        phoneNumber: `+244${PENDING_PHONE}`,
        sentAt: new Date(sentAt).toISOString(),
        expiresAt: new Date(sentAt + 90_000).toISOString(),
      },
    });
  });

  test('returns isReplaceable true after a refused push, also on a page', async () => {
    const first = await createRefusedPush();
    expect(await outlook(first.id)).toMatchObject({ isReplaceable: true });
    const page = await create(app, webframe());
    await refusePush(app, page);
    expect(await outlook(page.id)).toMatchObject({ isReplaceable: true });
  });

  test('returns 404 to another merchant', async () => {
    const { id } = await createRefusedPush();
    const other = await app.addMerchant();
    const token = await app.token(other.clientId, other.secret);
    expect((await app.call(`/api/payments/${id}/replacement`, { token })).status).toBe(404);
  });
});
