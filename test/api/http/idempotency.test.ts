// Idempotency-Key: a repeated request returns the first response and has no second effect.
import { beforeAll, describe, expect, test } from 'vitest';
import { runKeyed } from '../../../server/http/idempotency.ts';
import { Problem } from '../../../server/http/problem.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { testClock } from '../../support/clock.ts';
import { freshDatabase } from '../../support/database.ts';
import { PENDING_PHONE, untilSent } from '../../support/notify.ts';
import { purchase, travelToStatus, webframe } from '../../support/payments.ts';
import { byHand, createPaid, refund, travelToRefund } from '../../support/refunds.ts';
import { countRows, leavesNothing } from '../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

/** Creates a payment with an idempotency key. A text body is sent unchanged. */
function post(
  key: string,
  body: string | object,
  headers: Record<string, string> = {},
  token?: string,
): Promise<Reply> {
  const options = { body, headers: { 'idempotency-key': key, ...headers }, ...(token && { token }) };
  return app.call('/api/payments', options);
}

const isReplay = (reply: Reply) => reply.headers.get('idempotency-replayed') === 'true';

/** Expects the status of the first response, its payment or refund in its current state, and no new row. */
async function expectReplay(first: Reply, again: () => Promise<Reply>, token?: string): Promise<void> {
  const reply = await leavesNothing(app, again);
  expect(reply.status).toBe(first.status);
  expect(reply.headers.get('content-type')).toBe(first.headers.get('content-type'));
  expect(isReplay(reply)).toBe(true);
  const { internalId, id } = first.json ?? {};
  if (!id) return expect(reply.text).toBe(first.text);
  const now = await app.call(internalId ? `/api/payments/${internalId}` : `/api/refunds/${id}`, token ? { token } : {});
  expect(reply.json).toEqual(now.json);
}

describe('a repeated request', () => {
  test('returns the payment and writes nothing', async () => {
    const body = webframe();
    const first = await post('same-1', body);
    expect(first.status).toBe(201);
    expect(first.headers.has('idempotency-replayed')).toBe(false);
    await app.clock.pass(60_000);
    await expectReplay(first, () => post('same-1', body));
    await expectReplay(first, () => post('same-1', body));
  });

  test('returns the paid payment, and sends no second push', async () => {
    const body = purchase('900000000');
    const first = await post('same-2', body);
    await travelToStatus(app, first.json.id, 'Paid');
    await expectReplay(first, () => post('same-2', body));
    expect(first.json.status).toBe('Processing');
    expect(await app.sql('select from attempts where payment_id = $1', [first.json.id])).toHaveLength(1);
  });

  test('creates one payment if twenty arrive concurrently', async () => {
    const body = purchase(PENDING_PHONE);
    const replies = await Promise.all(Array.from({ length: 20 }, () => post('same-3', body)));
    expect(new Set(replies.map((reply) => `${reply.status} ${reply.text}`)).size).toBe(1);
    expect(replies.filter(isReplay)).toHaveLength(19);
    expect(await app.sql('select from payments where reference = $1', [body['reference']])).toHaveLength(1);
  });

  test('waits for the outcome as its own Prefer header says', async () => {
    const body = purchase('900000000');
    const first = await post('same-4', body, { prefer: 'return=minimal' });
    expect(first.json.status).toBe('Processing');
    const waiting = post('same-4', body, { prefer: 'wait=100' });
    await travelToStatus(app, first.json.id, 'Paid');
    const reply = await waiting;
    expect(reply).toMatchObject({ status: 201, json: { id: first.json.id, status: 'Paid' } });
    expect(isReplay(reply)).toBe(true);
    expect(reply.headers.get('preference-applied')).toBe('wait=100');
  });

  test('returns the outcome for which the first request waited', async () => {
    const body = purchase('900000008');
    const first = await post('same-5', body, { prefer: 'wait=100' });
    expect(first.json.status).toBe('Failed');
    await expectReplay(first, () => post('same-5', body));
  });

  test('returns the payment although a new request would be refused', async () => {
    const body = purchase(PENDING_PHONE);
    const first = await post('same-6', body);
    expect((await app.call('/api/payments', { body })).json.code).toBe('reference_in_flight');
    await expectReplay(first, () => post('same-6', body));
  });
});

describe('another request with a used idempotency key', () => {
  test.each([
    ['another amount', (body: object) => ({ ...body, amount: 1 })],
    ['one more field', (body: object) => ({ ...body, more: null })],
  ])('returns 422 for %s and writes nothing', async (name, change) => {
    const body = webframe();
    const first = await post(`other ${name}`.replaceAll(' ', '-'), body);
    const key = `other ${name}`.replaceAll(' ', '-');
    const reply = await leavesNothing(app, () => post(key, change(body)));
    expect(reply.status).toBe(422);
    expect(reply.json.code).toBe('idempotency_key_reused');
    await expectReplay(first, () => post(key, body));
  });

  test('counts as the same request if its JSON differs only in spelling', async () => {
    const body = { ...webframe({ reference: 'SAME' }), amount: 1500 };
    const first = await post('spelling', body);
    const text = JSON.stringify(Object.fromEntries(Object.entries(body).toReversed()), null, 2);
    await expectReplay(first, () => post('spelling', text.replace(/1500\b/, '1.50e3')));
  });

  test('is accepted as a new request if it comes from another merchant', async () => {
    const other = await app.addMerchant();
    const body = webframe();
    const mine = await post('shared', body);
    const theirs = await post('shared', body, {}, other.token);
    expect(theirs.status).toBe(201);
    expect(isReplay(theirs)).toBe(false);
    expect(theirs.json.id).not.toBe(mine.json.id);
    expect(theirs.json.merchantId).toBe(other.merchantId);
    await expectReplay(theirs, () => post('shared', body, {}, other.token), other.token);
    await expectReplay(mine, () => post('shared', body));
  });
});

describe('a refused request', () => {
  test.each([
    ['a wrong field', webframe({ amount: -1 }), 400],
    ['a foreign GPO id', webframe({ metadata: { gpo_pos_id: 'x' } }), 400],
    ['malformed JSON', '{"amount":', 400],
  ])('leaves its idempotency key unused after %s', async (name, body, status) => {
    const key = `free ${name}`.replaceAll(' ', '-');
    expect((await leavesNothing(app, () => post(key, body))).status).toBe(status);
    const corrected = await post(key, webframe());
    expect(corrected.status).toBe(201);
    expect(isReplay(corrected)).toBe(false);
  });

  test('leaves its idempotency key unused after reference_in_flight', async () => {
    const body = purchase('900000001');
    const first = await post('free-a', body);
    expect((await leavesNothing(app, () => post('free-b', body))).status).toBe(409);
    await untilSent(app, first.json.id);
    await travelToStatus(app, first.json.id, 'Failed');
    const second = await post('free-b', body);
    expect(second.status).toBe(201);
    expect(second.json.id).not.toBe(first.json.id);
  });
});

describe('an Idempotency-Key', () => {
  test('is the same with and without quotes', async () => {
    const body = webframe();
    const first = await post('"quoted"', body);
    await expectReplay(first, () => post('quoted', body));
  });

  test('is case-sensitive', async () => {
    await post('Case', webframe());
    expect(isReplay(await post('case', webframe()))).toBe(false);
  });

  test('is refused if it has spaces and no quotes', async () => {
    const reply = await leavesNothing(app, () => post('a b', webframe()));
    expect([reply.status, reply.json.code]).toEqual([400, 'idempotency_key_invalid']);
  });

  test('is optional: equal requests without a key create two payments', async () => {
    const body = webframe();
    const before = await countRows(app);
    const ids = [await app.call('/api/payments', { body }), await app.call('/api/payments', { body })];
    expect(new Set(ids.map((reply) => reply.json.id)).size).toBe(2);
    expect((await countRows(app)).payments).toBe(before.payments! + 2);
  });
});

test('a repeated request returns 409 with Retry-After while the first request runs', async () => {
  const body = JSON.stringify(webframe());
  // A request that waits for a rail stores its key without a response.
  await post('finished', body);
  await app.sql(
    `insert into idempotency_keys (merchant_id, key, fingerprint, created_at)
     select merchant_id, 'busy', fingerprint, created_at from idempotency_keys where key = 'finished'`,
  );
  const reply = await leavesNothing(app, () => post('busy', body));
  expect(reply.status).toBe(409);
  expect(reply.json.code).toBe('idempotency_in_progress');
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect((await post('busy', webframe())).status).toBe(422);
});

test('the daily cleaning deletes an idempotency key after seven days', async () => {
  const database = await freshDatabase();
  const env = { PUBLIC_URL: 'http://localhost:8080' };
  const first = await startTestApp({ databaseUrl: database.url, env });
  const send = (node: TestApp, key: string, body: object) =>
    node.call('/api/payments', { body, headers: { 'idempotency-key': key } });
  const [old, young] = [webframe(), webframe()];
  await send(first, 'old', old);
  await first.clock.pass(60_000);
  const kept = await send(first, 'young', young);
  const start = first.clock.now().getTime();
  await first.stop();
  // The node deletes old keys at its start, which is exactly seven days after the younger key.
  const clock = testClock(new Date(start + 7 * 24 * 3_600_000).toISOString());
  const second = await startTestApp({ databaseUrl: database.url, clock, env });
  const keys = () => second.sql('select key from idempotency_keys order by key');
  await until(async () => (await keys()).length < 2, 'the old key being deleted');
  expect(await keys()).toEqual([{ key: 'young' }]);
  const replayed = await send(second, 'young', young);
  expect([isReplay(replayed), replayed.json.id]).toEqual([true, kept.json.id]);
  const renewed = await send(second, 'old', old);
  expect(renewed.status).toBe(201);
  expect(isReplay(renewed)).toBe(false);
  const isYoungGone = async () => {
    clock.leap(3_600_000);
    return !(await keys()).some(({ key }) => key === 'young');
  };
  await until(isYoungGone, 'the daily cleaning');
  await second.stop();
  await database.drop();
});

test.each<[string, Record<string, unknown>, string]>([
  ['a push that is refused', purchase('900000001'), 'Failed'],
  ['a hold', webframe({ metadata: { paymentMethod: 'authorization', phoneNumber: '900000000' } }), 'Authorized'],
  ['a page whose time is over', webframe({ metadata: { expiresInMinutes: 5 } }), 'Expired'],
  [
    'a push with all that is asked for, and numbers as they were written',
    webframe({
      metadata: {
        paymentMethod: 'onetimepurchase',
        phoneNumber: '900000000',
        documentNumber: '5417823905',
        description: 'Café',
        custom: { total: 1e21, rate: 0.1, list: [{ é: null }, true] },
      },
    }),
    'Paid',
  ],
])('a repeated creation returns the payment in its current state: %s', async (name, body, status) => {
  const send = () => post(name.replaceAll(/[^a-z]/g, '-'), body);
  const first = await send();
  expect(first.status).toBe(201);
  const { id } = first.json;
  await travelToStatus(app, id, status);
  if (status === 'Paid') {
    await refund(app, id, byHand());
    await travelToRefund(app, (await app.call(`/api/payments/${id}/refunds`)).json.data[0].id, 'Succeeded');
  }
  await expectReplay(first, send);
});

test.each<[string, number, string]>([
  ['is given back', 100.5, 'Succeeded'],
  ['the rail refuses', 900.01, 'Failed'],
])('a repeated refund request returns the refund in its current state: the money %s', async (name, amount, status) => {
  const { id: paymentId } = await createPaid(app);
  const refundRequest = { amount, reason: 'Devolução “à risca”', reference: `R ${name}` };
  const send = () => refund(app, paymentId, refundRequest, { headers: { 'idempotency-key': `refund-${status}` } });
  const first = await send();
  expect(first).toMatchObject({ status: 201, json: { status: 'Pending' } });
  await travelToRefund(app, first.json.id, status);
  await expectReplay(first, send);
});

test('a repeated creation returns the client token, which no stored row contains', async () => {
  const body = webframe({ description: 'Café' });
  const headers = { 'idempotency-key': 'token-kept-nowhere' };
  const first = await app.call('/api/payments', { body, headers });
  const [stored] = await app.sql(`select k::text as row from idempotency_keys k where key = $1`, [
    'token-kept-nowhere',
  ]);
  expect(stored.row).not.toContain(first.json.clientToken);
  await expectReplay(first, () => app.call('/api/payments', { body, headers }));
});

test('a repeated creation returns the payment although new settings would refuse the request', async () => {
  const { merchantId, token } = await app.addMerchant({ returnOrigins: ['https://loja.example'] });
  const body = webframe({ metadata: { returnUrl: 'https://loja.example/fim' } });
  const headers = { 'idempotency-key': 'before-the-change' };
  const first = await app.call('/api/payments', { body, headers, token });
  expect(first.status).toBe(201);
  await app.sql(`update merchants set return_origins = '{}' where id = $1`, [merchantId]);
  await app.clock.advance(6_000);
  expect((await app.call('/api/payments', { body, headers, token })).text).toBe(first.text);
  expect(await app.call('/api/payments', { body, token })).toMatchObject({
    status: 400,
    json: { code: 'origin_not_registered' },
  });
});

describe('runKeyed', () => {
  const { merchantId } = DEMO;
  const run = (key: string | null, work: Parameters<typeof runKeyed>[2]) =>
    runKeyed(app.node.core, { merchantId, keyed: key === null ? null : { key, fingerprint: key } }, work);

  test('runs the work of every call without a key, and stores no response', async () => {
    const answers = await leavesNothing(app, async () => [
      await run(null, async () => ({ status: 201, body: { nth: 1 } })),
      await run(null, async () => ({ status: 200 })),
    ]);
    expect(answers).toEqual([{ status: 201, body: { nth: 1 } }, { status: 200 }]);
  });

  test.each([
    ['an object', { id: 'a' }, '{"id":"a"}'],
    ['a text', 'as it is', 'as it is'],
    ['nothing', undefined, ''],
  ])('returns the bytes of %s at the first call and at a repeated call', async (name, body, kept) => {
    const work = async () => ({ status: 200, ...(body !== undefined && { body }) });
    expect(await run(`bytes of ${name}`, work)).toMatchObject({ status: 200, body: kept });
    expect(await run(`bytes of ${name}`, work)).toMatchObject({
      status: 200,
      body: kept,
      headers: { 'Idempotency-Replayed': 'true' },
    });
  });

  /** While the work runs, another request commits a response with the same key. Then the work throws. */
  const failAfterOther = (key: string, error: Error) =>
    run(key, async () => {
      await run(key, async () => ({ status: 201, body: 'first' }));
      throw error;
    });

  test('returns the response of the concurrent request if that request caused the refusal', async () => {
    expect(await failAfterOther('refused', new Problem('not_found'))).toMatchObject({ status: 201, body: 'first' });
  });

  test('throws an error that is no refusal, although the key has a response', async () => {
    await expect(failAfterOther('broken', new Error('broken'))).rejects.toThrow('broken');
  });

  test.each([['a key'], [null]])('throws the refusal of a first request with %s as the key', async (key) => {
    const refused = run(key && 'refused first', async () => {
      throw new Problem('not_found');
    });
    await expect(refused).rejects.toThrow('not_found');
  });
});
