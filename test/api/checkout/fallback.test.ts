// POST /checkout/{clientToken}/reference replaces a refused payment by a payment reference.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import {
  createRefused,
  openSession,
  refusePush,
  replaceable,
  switchByForm,
  switchOver,
} from '../../support/fallback.ts';
import {
  approved,
  notify,
  NOTIFY_ENV,
  readAttempts,
  readPayment,
  PENDING_PHONE,
  untilSent,
} from '../../support/notify.ts';
import { create, purchase, travelToStatus, travelUntil, webframe } from '../../support/payments.ts';
import { pay, travelToReceived, untilRegistered } from '../../support/ppr.ts';
import { leavesNothing } from '../../support/rows.ts';

const SHOP = 'https://loja.example';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
  await app.sql(`update merchants set return_origins = return_origins || $1::text`, [SHOP]);
});

type Made = { id: string; clientToken: string };

const lastPush = async ({ id }: { id: string }) => (await readAttempts(app, id)).at(-1);
const cancelByApi = (id: string) => app.call(`/api/payments/${id}/cancel`, { method: 'POST' });

describe('POST …/reference', () => {
  test('cancels the refused payment, and returns a reference with the same amount and description', async () => {
    const custom = '{"order":7,"price":10.50,"z":{"b":1,"a":9007199254740993}}';
    const metadata =
      '{"allowReferenceFallback":true,"description":"Café",' +
      `"returnUrl":"${SHOP}/ok","cancelUrl":"${SHOP}/no","custom":${custom}}`;
    const body =
      '{"amount":1500.50,"currency":"AOA","paymentType":"GPO",' + `"reference":"PEDIDO-9","metadata":${metadata}}`;
    const first = await createRefused(app, body);
    const { status, json } = await switchOver(app, first);
    expect(status).toBe(201);
    expect(json).toMatchObject({
      url: `${app.node.core.publicUrl}/checkout/${json.clientToken}?lang=pt`,
      session: { method: 'reference', status: 'Pending', amount: '1500.50', description: 'Café' },
    });
    const second = (await app.call(`/api/payments/${json.session.reference}`)).json;
    expect(second).toMatchObject({
      paymentType: 'PPR',
      paymentMethod: 'reference',
      status: 'Pending',
      amount: 1500.5,
      currency: 'AOA',
      description: 'Café',
      entity: '00999',
      reference: expect.stringMatching(/^\d{9}$/),
      referenceType: 'Dynamic',
      referenceStatus: 'Pending',
      replaces: first.id,
      replacedBy: null,
    });
    expect(json.session).toMatchObject({ returnUrl: `${SHOP}/ok`, cancelUrl: `${SHOP}/no`, canUseReference: null });
    const text = (await app.call(`/api/payments/${second.internalId}`)).text;
    expect(text).toContain(`"customMetadata":${custom}`);
    expect(await readPayment(app, first.id)).toMatchObject({
      status: 'Canceled',
      replacedBy: second.internalId,
      replaces: null,
      failure: { code: 'customer_refused' },
    });
  });

  test('creates a reference whose money pays only the new payment', async () => {
    const first = await createRefused(app);
    const { json } = await switchOver(app, first);
    const made = await untilRegistered(app, json.session.reference);
    await pay(app, made);
    const paid = await travelToReceived(app, made.reference, 1500);
    expect(paid).toMatchObject({ status: 'Paid', referenceStatus: 'Paid', contract: 'current' });
    expect(await readPayment(app, first.id)).toMatchObject({ status: 'Canceled', amountPaid: 0, transactions: [] });
    const callbacks = `select kind, status from deliveries where payment_id = $1 and kind = 'callback'`;
    expect(await app.sql(callbacks, [made.internalId])).toHaveLength(1);
  });

  test('returns the same payment to a repeated request', async () => {
    const first = await createRefused(app);
    const { json } = await switchOver(app, first);
    await untilRegistered(app, json.session.reference);
    const again = await leavesNothing(app, () => switchOver(app, first));
    expect(again.status).toBe(201);
    expect(again.json.clientToken).toBe(json.clientToken);
  });

  test.each([
    ['900000002', 'insufficient_funds'],
    ['900000003', 'timed_out'],
    ['900000004', 'rail_unavailable'],
  ])('is offered when the push to %s fails with %s', async (phoneNumber, code) => {
    const first = await create(app, replaceable());
    await app.call(`/checkout/${first.clientToken}/pay`, { body: { phoneNumber }, token: null });
    await travelUntil(app, async () => (await readPayment(app, first.id)).failure?.code === code, code);
    expect(await openSession(app, first)).toMatchObject({ status: 'Pending', canUseReference: true });
    expect((await switchOver(app, first)).status).toBe(201);
  });

  test('is offered when the payer has no attempts left', async () => {
    const first = await createRefused(app);
    for (let tries = 1; tries < 5; tries++) await refusePush(app, first);
    expect(await openSession(app, first)).toMatchObject({ attemptsLeft: 0, canUseReference: true });
    expect((await switchOver(app, first)).status).toBe(201);
  });
});

describe('the replacement of a payment by a reference', () => {
  test('emits an event of each payment, in the history and in the feed', async () => {
    const first = await createRefused(app);
    const { next } = (await app.call('/api/events?limit=500')).json;
    const second = (await switchOver(app, first)).json.session.reference;
    const made = await untilRegistered(app, second);
    const { data } = (await app.call(`/api/events?after=${next}`)).json;
    const [canceled, created] = data;
    expect(canceled).toMatchObject({ type: 'payment.canceled', data: { internalId: first.id, status: 'Canceled' } });
    expect(canceled.data.replacedBy).toBe(made.internalId);
    expect(created).toMatchObject({ type: 'payment.created', data: { internalId: made.internalId } });
    expect(created.data.replaces).toBe(first.id);
    const history = (await app.call(`/api/payments/${first.id}/events`)).json.data;
    expect(history.at(-1)).toMatchObject({ type: 'payment.canceled', details: { replacedBy: made.internalId } });
    // Events before the replacement show the payment without a replacement.
    const feed = (await app.call('/api/events?limit=500')).json.data;
    const before = feed.filter(({ data }: any) => data?.internalId === first.id).slice(0, -1);
    expect(before.map(({ data }: any) => data.replacedBy)).toEqual(before.map(() => null));
  });

  test('appears in the page, the stream and the session of the refused payment', async () => {
    const first = await createRefused(app);
    expect(await openSession(app, first)).toMatchObject({ canUseReference: true, replacedByUrl: null });
    const { json } = await switchOver(app, first);
    const page = await app.call(`/checkout/${first.clientToken}?lang=fr&embed=1`, { token: null });
    expect(page.status).toBe(303);
    expect(page.headers.get('location')).toBe(`/checkout/${json.clientToken}?lang=fr&embed=1`);
    expect(await openSession(app, first, '?lang=en')).toMatchObject({
      status: 'Canceled',
      canUseReference: false,
      replacedByUrl: `${app.node.core.publicUrl}/checkout/${json.clientToken}?lang=en`,
    });
    const stream = await app.call(`/checkout/${first.clientToken}/events`, { token: null });
    expect(stream.text).toContain(`/checkout/${json.clientToken}?lang=pt`);
    expect(stream.text).toContain('event: end');
  });

  test('redirects a form that submits a phone to the reference, and refuses the same request of a script', async () => {
    const first = await createRefused(app);
    const { json } = await switchOver(app, first);
    const path = `/checkout/${first.clientToken}/pay`;
    const refused = await app.call(path, { body: { phoneNumber: PENDING_PHONE }, token: null });
    expect(refused).toMatchObject({ status: 409, json: { code: 'payment_not_payable' } });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const form = await app.call(path, { body: `phoneNumber=${PENDING_PHONE}`, headers, token: null });
    expect(form.status).toBe(303);
    expect(form.headers.get('location')).toContain(json.clientToken);
  });
});

describe('POST …/reference by a form', () => {
  test('redirects to the new payment’s page in the payer’s language, also if repeated', async () => {
    const first = await createRefused(app);
    const replies = [await switchByForm(app, first, '?lang=fr'), await switchByForm(app, first, '?lang=fr')];
    const second = (await switchOver(app, first)).json.clientToken;
    for (const reply of replies) {
      expect(reply.status).toBe(303);
      expect(reply.headers.get('location')).toBe(`/checkout/${second}?lang=fr`);
    }
  });

  test('redirects to the refused payment’s page while a push is in progress', async () => {
    const first = await createRefused(app);
    await app.call(`/checkout/${first.clientToken}/pay`, { body: { phoneNumber: PENDING_PHONE }, token: null });
    const reply = await switchByForm(app, first, '?lang=en');
    expect(reply.status).toBe(303);
    expect(reply.headers.get('location')).toBe(`/checkout/${first.clientToken}?lang=en`);
  });
});

/** Payments that cannot be replaced: the reason, the error code, and `canUseReference` of the session. */
const REFUSED: [when: string, make: () => Promise<Made>, code: string, canUseReference: boolean | null][] = [
  ['if the merchant does not allow it', () => createRefused(app, webframe()), 'reference_not_offered', null],
  [
    'if the payment forbids it',
    () => createRefused(app, webframe({ metadata: { allowReferenceFallback: false } })),
    'reference_not_offered',
    null,
  ],
  ['before a refusal', () => create(app, replaceable()), 'reference_not_offered', false],
  ['during a push', async () => startPush(await createRefused(app)), 'payment_in_progress', false],
  ['after the payment', () => approveLate(), 'payment_not_payable', false],
  ['after some money arrived', () => approveLate({ amount: '10.00' }), 'reference_not_offered', false],
  [
    'after a cancellation',
    async () => {
      const first = await createRefused(app);
      expect((await cancelByApi(first.id)).status).toBe(200);
      return first;
    },
    'payment_not_payable',
    false,
  ],
  [
    'for a one-time purchase',
    async () => {
      const metadata = { paymentMethod: 'onetimepurchase', phoneNumber: PENDING_PHONE, allowReferenceFallback: true };
      const first = await create(app, purchase(PENDING_PHONE, { metadata }));
      await untilSent(app, first.id);
      return first;
    },
    'payment_in_progress',
    null,
  ],
  [
    'for a merchant without an entity',
    async () => createRefused(app, undefined, (await app.addMerchant({ entity: null })).token),
    'reference_not_offered',
    null,
  ],
];

async function startPush(first: Made): Promise<Made> {
  await app.call(`/checkout/${first.clientToken}/pay`, { body: { phoneNumber: PENDING_PHONE }, token: null });
  await untilSent(app, first.id);
  return first;
}

async function approveLate(money: { amount?: string } = {}): Promise<Made> {
  const first = await createRefused(app);
  await notify(app, (await lastPush(first)).id, approved(money));
  return first;
}

describe('POST …/reference', () => {
  test.each(REFUSED)('is refused %s', async (_when, make, code, canUseReference) => {
    const first = await make();
    const reply = await leavesNothing(app, () => switchOver(app, first));
    expect(reply).toMatchObject({ status: 409, json: { code } });
    expect(await openSession(app, first)).toMatchObject({ canUseReference, replacedByUrl: null });
  });

  test.each([['yes'], [1], [[]], [{}]])(
    'needs a boolean: creating a payment with allowReferenceFallback %j returns 400',
    async (allowReferenceFallback) => {
      const reply = await app.call('/api/payments', { body: webframe({ metadata: { allowReferenceFallback } }) });
      expect(reply.status).toBe(400);
      expect(reply.json.errors).toMatchObject([{ pointer: '/metadata/allowReferenceFallback', code: 'invalid_type' }]);
    },
  );
});

// This test runs last, because it advances the clock.
test('POST …/reference is refused after the expiry, even if the status is not yet Expired', async () => {
  const first = await createRefused(app);
  const other = await createRefused(app);
  await app.sql('update payments set due_at = null where id = $1', [first.id]);
  await app.clock.pass(31 * 60_000);
  await travelToStatus(app, other.id, 'Expired');
  for (const payment of [first, other])
    expect((await switchOver(app, payment)).json).toMatchObject({ code: 'payment_not_payable' });
});
