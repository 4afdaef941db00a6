// GET /api/events returns every event of a merchant once and in order, with a cursor for the next read.
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EVENT_TYPES } from '../../../server/webhooks/schemas.ts';
import { readFeed as readPage } from '../../../server/events/feed.ts';
import type { Db } from '../../../server/database/db.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { readEvents, readEventsOf, readFeed, writeEvents } from '../../support/events.ts';
import { approved, createPushed, notify, NOTIFY_ENV, readPayment, PENDING_PHONE } from '../../support/notify.ts';
import { create, creepUntil, orderFault, travelUntil, webframe } from '../../support/payments.ts';
import {
  createPayable,
  createReference,
  readFieldFaults,
  moneyFor,
  pay,
  readSteps,
  notifyPprPayment,
} from '../../support/ppr.ts';
import { createCode, notifyScan } from '../../support/qrcodes.ts';
import { ACCESS_KEY, RECEIVER_ENV, startReceiver, type Receiver } from '../../support/receiver.ts';
import { openTerminalFixture } from '../../support/terminals.ts';

let app: TestApp;
let merchant: Receiver;
let shop: CallbackFixture;
/** The app, with calls by the merchant of this test. */
let own: TestApp;
beforeAll(async () => {
  merchant = await startReceiver();
  app = await startTestApp({ env: { ...NOTIFY_ENV, ...RECEIVER_ENV } });
});
beforeEach(async () => {
  shop = await openCallbackFixture(app);
  own = { ...app, call: shop.call };
});
// Deleting the endpoint prevents that a retry of this test's callback arrives during the next test.
afterEach(() => app.sql('update endpoints set deleted_at = $1 where deleted_at is null', [app.clock.now()]));

const idsOf = (events: { id: string }[]) => events.map(({ id }) => id);
/** The stored events, in the order of insertion. */
const readRows = () => app.sql('select id, type from events where merchant_id = $1 order by seq', [shop.merchantId]);

describe('GET /api/events from the beginning', () => {
  test('returns an empty page with a cursor to a new merchant', async () => {
    expect(await readFeed(own)).toEqual({ data: [], next: '0' });
    const { id } = await create(own, webframe());
    const { data, next } = await readFeed(own, { after: '0' });
    expect(data).toMatchObject([{ type: 'payment.created', paymentId: id, cursor: next }]);
    expect(await readFeed(own, { after: next })).toEqual({ data: [], next });
    expect(await readFeed(own, { after: next })).toEqual({ data: [], next });
  });

  test('returns all fields of an event and of its payment', async () => {
    const { id } = await create(own, webframe());
    const { json: payment } = await own.call(`/api/payments/${id}`);
    const {
      data: [event],
    } = await readFeed(own);
    expect(event).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      type: 'payment.created',
      occurredAt: app.clock.now().toISOString(),
      paymentId: id,
      status: 'Pending',
      details: {},
      cursor: expect.stringMatching(/^\d+$/),
      data: payment,
    });
    const { json: history } = await own.call(`/api/payments/${id}/events`);
    expect(history.data).toMatchObject([{ id: event.id, type: event.type, occurredAt: event.occurredAt }]);
  });
});

describe('GET /api/events page by page', () => {
  test.each([1, 7, 500])('returns each event once, %i at a time, in the order of occurrence', async (limit) => {
    await writeEvents(app, shop.merchantId, 23);
    const { id } = await create(own, webframe());
    await own.call(`/api/payments/${id}/cancel`, { method: 'POST' });
    const events = await readEvents(own, { limit });
    expect(idsOf(events)).toEqual(idsOf(await readRows()));
    const cursors = events.map(({ cursor }) => Number(cursor));
    expect(cursors).toEqual(cursors.toSorted((a, b) => a - b));
    expect(new Set(cursors).size).toBe(25);
  });

  test('returns the last cursor as `next`, and continues after any cursor', async () => {
    await writeEvents(app, shop.merchantId, 10);
    const { data, next } = await readFeed(own, { limit: 4 });
    expect(data).toHaveLength(4);
    expect(next).toBe(data[3].cursor);
    const rest = await readEvents(own, { after: data[1].cursor });
    expect(idsOf(rest)).toEqual(idsOf(await readRows()).slice(2));
    expect((await readFeed(own, { limit: 4 })).data).toEqual(data);
  });

  test('returns 100 events by default and at most 500', async () => {
    await writeEvents(app, shop.merchantId, 1_300);
    expect((await readFeed(own)).data).toHaveLength(100);
    expect((await readFeed(own, { limit: 500 })).data).toHaveLength(500);
    const events = await readEvents(own, { limit: 499 });
    expect(events.map(({ details }) => details.nth)).toEqual(Array.from({ length: 1_300 }, (_, nth) => nth + 1));
  });

  test('returns an event that occurs between two pages on a later page', async () => {
    await writeEvents(app, shop.merchantId, 3);
    const { data, next } = await readFeed(own, { limit: 3 });
    await writeEvents(app, shop.merchantId, 2, 'later');
    const later = await readEvents(own, { after: next });
    expect(later.map(({ details }) => details.about)).toEqual(['later', 'later']);
    expect(idsOf(await readEvents(own))).toEqual([...idsOf(data), ...idsOf(later)]);
  });

  test('returns an event that commits late on a later page, even if it was inserted earlier', async () => {
    const connection = await app.node.core.pool.connect();
    try {
      await connection.query('begin');
      await connection.query(
        `insert into events (id, merchant_id, type, occurred_at, details)
         values (gen_random_uuid(), $1, 'terminal.open', now(), '{"about":"late"}')`,
        [shop.merchantId],
      );
      await writeEvents(app, shop.merchantId, 1, 'first');
      const { data, next } = await readFeed(own);
      expect(data.map(({ details }) => details.about)).toEqual(['first']);
      await connection.query('commit');
      expect((await readEvents(own, { after: next })).map(({ details }) => details.about)).toEqual(['late']);
    } finally {
      connection.release();
    }
  });

  test('returns only new events after `now`', async () => {
    await writeEvents(app, shop.merchantId, 1_100, 'old');
    const { data, next } = await readFeed(own, { after: 'now' });
    expect(data).toEqual([]);
    await writeEvents(app, shop.merchantId, 2, 'new');
    expect((await readEvents(own, { after: next })).map(({ details }) => details.about)).toEqual(['new', 'new']);
  });

  test('returns a full page even if another reader assigns the positions at the same time', async () => {
    await writeEvents(app, shop.merchantId, 3);
    const { core } = app.node;
    let isFirst = true;
    // Another reader assigns the positions between two statements of this reader.
    const query = async (asked: any, ...rest: any[]) => {
      if (isFirst && asked.text.includes('"position" is null')) {
        isFirst = false;
        await readPage(core, shop.merchantId, 0, 10);
      }
      return (core.pool.query as any)(asked, ...rest);
    };
    const page = await readPage({ ...core, pool: { query } } as unknown as Db as never, shop.merchantId, 0, 10);
    expect(page).toHaveLength(3);
  });
});

describe('GET /api/events with a wrong parameter', () => {
  test.each(['0', '501', 'x', '1.5', ''])('returns 400 for limit=%s', async (limit) => {
    const reply = await own.call(`/api/events?limit=${encodeURIComponent(limit)}`);
    expect(reply.status).toBe(400);
    expect(readFieldFaults(reply)).toMatchObject([expect.stringMatching(/^\/query\/limit /)]);
  });

  test.each(['x', '-1', '1.5', '', '9'.repeat(16)])('returns 400 for after=%s', async (after) => {
    const reply = await own.call(`/api/events?after=${encodeURIComponent(after)}`);
    expect(reply.status).toBe(400);
    expect(readFieldFaults(reply)).toEqual(['/query/after cursor_invalid']);
  });

  test('returns 400 for a cursor ahead of the feed, which a restored database causes', async () => {
    await writeEvents(app, shop.merchantId, 3);
    const { next } = await readFeed(own, { after: '2' });
    for (const after of [String(Number(next) + 1), '9'.repeat(15)]) {
      const reply = await own.call(`/api/events?after=${after}`);
      expect(reply).toMatchObject({ status: 400, json: { code: 'cursor_invalid' } });
    }
    expect(await readFeed(own, { after: next })).toEqual({ data: [], next });
  });

  test('returns 400 for two wrong parameters with both faults, and for repeated parameters', async () => {
    const both = await own.call('/api/events?after=x&limit=0');
    expect(readFieldFaults(both)).toEqual(['/query/after cursor_invalid', '/query/limit too_small']);
    expect((await own.call('/api/events?after=1&after=2')).status).toBe(400);
    expect((await own.call('/api/events?limit=1&limit=2')).status).toBe(400);
  });
});

describe('events of another merchant', () => {
  test('are not returned for any cursor', async () => {
    const other = await openCallbackFixture(app);
    await create({ ...app, call: other.call }, webframe());
    await writeEvents(app, other.merchantId, 5, 'theirs');
    const { next } = await readFeed({ ...app, call: other.call });
    await writeEvents(app, shop.merchantId, 10, 'mine');
    for (const after of ['0', '1', next, 'now']) {
      const { data } = await readFeed(own, { after });
      expect(new Set(data.map(({ details }) => details.about))).toEqual(new Set(data.length > 0 ? ['mine'] : []));
    }
    expect(await readEvents(own)).toHaveLength(10);
  });
});

describe('an event of the feed', () => {
  test('about a terminal has no payment', async () => {
    const till = await openTerminalFixture(app);
    await till.call('close');
    await until(async () => (await till.events()).some(({ type }) => type === 'terminal.closed'), 'it being closed');
    const { json } = await app.call('/api/events', { token: till.token });
    expect(json.data.length).toBeGreaterThan(0);
    for (const event of json.data) {
      expect(event).toMatchObject({ paymentId: null, data: null, details: { posId: till.posId } });
      expect(event.type).toMatch(/^terminal\./);
    }
    expect(json.data.at(-1)).toMatchObject({ type: 'terminal.closed', status: 'Closed' });
  });

  test('about a callback has the delivery, and the payment at the time of the event', async () => {
    await shop.setEndpoint(`${merchant.url}/hook`);
    merchant.answerWith({ status: 500 });
    const made = await createPayable(own);
    await pay(own, made);
    const failed = await untilEvent('callback.failed');
    const paid = await readPayment(own, made.internalId);
    expect(failed).toMatchObject({ paymentId: made.internalId, status: 'Pending' });
    expect(failed.data).toMatchObject({ status: 'Paid', amountPaid: 1500, transactions: paid.transactions });
    merchant.answerWith({ status: 410 });
    const abandoned = await travelUntil(app, () => findEvent('callback.abandoned'), 'it being given up');
    const [{ id }] = await shop.deliveries();
    expect(abandoned).toMatchObject({ status: 'Abandoned', details: { deliveryId: id, attempts: 2, httpStatus: 410 } });
    merchant.answerWith({ body: { Success: true } });
    await own.call(`/api/callbacks/${id}/replay`, { method: 'POST' });
    const delivered = await untilEvent('callback.delivered');
    expect(delivered).toMatchObject({
      status: 'Delivered',
      details: { deliveryId: id, attempts: 3, outcome: 'delivered' },
    });
    expect(delivered.details.transactionId).toBe(paid.transactions[0].id);
  });

  test('about a failing or a recovered endpoint occurs once', async () => {
    await shop.setEndpoint(`${merchant.url}/hook`);
    merchant.answerWith({ status: 500 });
    const made = await createPayable(own, { referenceType: 'Charging', amount: 0 });
    for (let nth = 1; nth <= 6; nth++) await notifyPprPayment(own, moneyFor(own, made, { amount: `${nth}.00` }));
    const failing = await untilEvent('callback.endpoint_failing');
    expect(failing).toMatchObject({
      paymentId: null,
      status: null,
      data: null,
      details: { failures: expect.any(Number) },
    });
    merchant.answerWith({ body: { Success: true } });
    await travelUntil(app, () => findEvent('callback.endpoint_recovered'), 'the endpoint working again');
    const types = (await readEvents(own)).map(({ type }) => type);
    expect(types.filter((type) => type === 'callback.endpoint_failing')).toHaveLength(1);
    expect(types.filter((type) => type === 'callback.endpoint_recovered')).toHaveLength(1);
  });

  test('about a reference occurs when the rail refuses it, and when the rail accepts it later', async () => {
    await orderFault(app, { on: 'reference_register', kind: 'unavailable' });
    const made = await createReference(own);
    const failed = await untilEvent('reference.registration_failed');
    expect(failed).toMatchObject({
      paymentId: made.internalId,
      data: { status: 'Pending', reference: made.reference },
    });
    await creepUntil(
      app,
      async () => (await readSteps(own, made.reference)).includes('reference.registered'),
      'its registration',
    );
    expect((await readEventsOf(own, made.internalId)).map(({ type }) => type)).toEqual([
      'payment.created',
      'reference.registration_failed',
      'reference.registered',
    ]);
  });

  test('about a webhook occurs when the webhook starts to fail, and when it recovers', async () => {
    merchant.answerWith({ status: 500 });
    const { json: hook } = await own.call('/api/webhooks', { body: { url: `${merchant.url}/events` } });
    for (let nth = 0; nth < 6; nth++) await create(own, webframe());
    expect(await untilEvent('webhook.endpoint_failing')).toMatchObject({
      paymentId: null,
      data: null,
      details: { endpointId: hook.id },
    });
    merchant.answerWith({ status: 204 });
    await travelUntil(app, () => findEvent('webhook.endpoint_recovered'), 'the webhook working again');
  });

  test('about an unmatched transaction belongs to the merchant with its PPR entity', async () => {
    const other = await app.addMerchant({ entity: '00777' });
    const money = moneyFor(app, { entity: '00777', reference: '123456789' });
    expect(await notifyPprPayment(app, money)).toBe('unknown_reference');
    const { json } = await app.call('/api/events', { token: other.token });
    expect(json.data).toMatchObject([
      {
        type: 'reference.unknown_paid',
        paymentId: null,
        status: null,
        data: null,
        details: { reference: '123456789' },
      },
    ]);
  });

  test('has a type that webhooks can choose, no secret and no complete phone number', async () => {
    await shop.setEndpoint(`${merchant.url}/hook`);
    merchant.answerWith({ body: { Success: true, Obs: 'an answer' } });
    const { attemptId } = await createPushed(own);
    await notify(own, attemptId, approved());
    const code = await createCode(own);
    await notifyScan(own, code);
    const made = await createPayable(own);
    await pay(own, made);
    await until(async () => (await readSteps(own, made.reference)).includes('reference.withdrawn'), 'its withdrawal');
    await until(async () => (await readEvents(own)).filter(({ type }) => type === 'callback.delivered').length === 2);
    const { text } = await own.call('/api/events?limit=500');
    const types = (await readEvents(own)).map(({ type }) => type);
    for (const type of types) expect(EVENT_TYPES).toContain(type);
    const expected = [
      'payment.created',
      'payment.processing',
      'payment.paid',
      'reference.registered',
      'reference.paid',
    ];
    expect(types).toEqual(expect.arrayContaining([...expected, 'reference.withdrawn', 'callback.delivered']));
    for (const secret of [
      ACCESS_KEY,
      PENDING_PHONE,
      `244${PENDING_PHONE}`,
      '923000009',
      'an answer',
      NOTIFY_ENV.GPO_KEY,
    ])
      expect(text).not.toContain(secret);
  });
});

/** Waits for an event of a type and returns the newest one. */
function untilEvent(type: string): Promise<any> {
  return until(() => findEvent(type), `an event ${type}`);
}

async function findEvent(type: string): Promise<any> {
  return (await readEvents(own)).findLast((event) => event.type === type);
}
