// Idempotency-Key (decisions §1): replays byte for byte, other requests refused, refusals that leave the key free, a day.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { testClock } from '../../support/clock.ts';
import { freshDatabase } from '../../support/database.ts';
import { SOMEBODY, untilSent } from '../../support/notify.ts';
import { purchase, travelToStatus, webframe } from '../../support/payments.ts';
import { countRows, leavesNothing } from '../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

/** Creates under a key; the body travels as this text. */
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

/** Expects the very answer of the first request again, and nothing written for it. */
async function expectReplay(first: Reply, again: () => Promise<Reply>): Promise<void> {
  const reply = await leavesNothing(app, again);
  expect(reply.status).toBe(first.status);
  expect(reply.text).toBe(first.text);
  expect(reply.headers.get('content-type')).toBe(first.headers.get('content-type'));
  expect(isReplay(reply)).toBe(true);
}

describe('the same request again', () => {
  test('gets the first answer, and makes nothing', async () => {
    const body = webframe();
    const first = await post('same-1', body);
    expect(first.status).toBe(201);
    expect(first.headers.has('idempotency-replayed')).toBe(false);
    await app.clock.pass(60_000);
    await expectReplay(first, () => post('same-1', body));
    await expectReplay(first, () => post('same-1', body));
  });

  test('gets the creation’s answer, whatever became of the payment since, and pushes nothing', async () => {
    const body = purchase('900000000');
    const first = await post('same-2', body);
    await travelToStatus(app, first.json.id, 'Paid');
    await expectReplay(first, () => post('same-2', body));
    expect(first.json.status).toBe('Processing');
    expect(await app.sql('select from attempts where payment_id = $1', [first.json.id])).toHaveLength(1);
  });

  test('twenty at once make one payment', async () => {
    const body = purchase(SOMEBODY);
    const replies = await Promise.all(Array.from({ length: 20 }, () => post('same-3', body)));
    expect(new Set(replies.map((reply) => `${reply.status} ${reply.text}`)).size).toBe(1);
    expect(replies.filter(isReplay)).toHaveLength(19);
    expect(await app.sql('select from payments where reference = $1', [body['reference']])).toHaveLength(1);
  });

  test('may prefer other things: Prefer is not part of the request', async () => {
    const body = purchase('900000000');
    const first = await post('same-4', body, { prefer: 'return=minimal' });
    await expectReplay(first, () => post('same-4', body, { prefer: 'wait=100' }));
  });

  test('gets the creation’s answer also when the first one waited for more', async () => {
    const body = purchase('900000008');
    const first = await post('same-5', body, { prefer: 'wait=100' });
    expect(first.json.status).toBe('Failed');
    const replayed = await leavesNothing(app, () => post('same-5', body));
    expect(replayed.json).toMatchObject({ id: first.json.id, status: 'Processing', failure: null });
    expect(isReplay(replayed)).toBe(true);
  });

  test('is replayed even when it could not be made any more', async () => {
    const body = purchase(SOMEBODY);
    const first = await post('same-6', body);
    expect((await app.call('/api/payments', { body })).json.code).toBe('reference_in_flight');
    await expectReplay(first, () => post('same-6', body));
  });
});

describe('another request under the same key', () => {
  test.each([
    ['another amount', (body: object) => ({ ...body, amount: 1 })],
    ['one more field', (body: object) => ({ ...body, more: null })],
  ])('%s is 422, and nothing is made', async (name, change) => {
    const body = webframe();
    const first = await post(`other ${name}`.replaceAll(' ', '-'), body);
    const key = `other ${name}`.replaceAll(' ', '-');
    const reply = await leavesNothing(app, () => post(key, change(body)));
    expect(reply.status).toBe(422);
    expect(reply.json.code).toBe('idempotency_key_reused');
    await expectReplay(first, () => post(key, body));
  });

  test.each([
    ['more white space', (body: object) => JSON.stringify(body, null, 2)],
    ['another order of the fields', (body: object) => Object.fromEntries(Object.entries(body).toReversed())],
    [
      'another spelling of the amount',
      (body: object) => JSON.stringify(body).replace(/"amount":1500\b/, '"amount":1.50e3'),
    ],
    ['escapes', (body: object) => JSON.stringify(body).replace('"amount"', '"\\u0061mount"')],
  ])('is none where the same one comes with %s', async (name, change) => {
    const key = `same ${name}`.replaceAll(' ', '-');
    const first = await post(key, webframe({ amount: 1500, reference: 'SAME' }));
    await expectReplay(first, () => post(key, change(webframe({ amount: 1500, reference: 'SAME' }))));
  });

  test('of another merchant is another key', async () => {
    const other = await app.addMerchant();
    const body = webframe();
    const mine = await post('shared', body);
    const theirs = await post('shared', body, {}, other.token);
    expect(theirs.status).toBe(201);
    expect(isReplay(theirs)).toBe(false);
    expect(theirs.json.id).not.toBe(mine.json.id);
    expect(theirs.json.merchantId).toBe(other.merchantId);
    await expectReplay(theirs, () => post('shared', body, {}, other.token));
    await expectReplay(mine, () => post('shared', body));
  });
});

describe('a refusal leaves the key free', () => {
  test.each([
    ['a wrong field', webframe({ amount: -1 }), 400],
    ['a GPO id of somebody else', webframe({ metadata: { gpo_pos_id: 'x' } }), 400],
    ['malformed JSON', '{"amount":', 400],
  ])('%s', async (name, body, status) => {
    const key = `free ${name}`.replaceAll(' ', '-');
    expect((await leavesNothing(app, () => post(key, body))).status).toBe(status);
    const corrected = await post(key, webframe());
    expect(corrected.status).toBe(201);
    expect(isReplay(corrected)).toBe(false);
  });

  test('reference_in_flight too', async () => {
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

describe('the key itself', () => {
  test.each([
    ['every visible character but the quote', '!#$%&()*+,-./09:;<=>?@AZ[\\]^_`az{|}~'],
    ['a UUID', '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e01'],
    ['255 characters', 'k'.repeat(255)],
    ['a quoted one with spaces', '"pedido 1 de hoje"'],
    ['255 quoted characters', `"${'q'.repeat(255)}"`],
  ])('may be %s', async (_name, key) => {
    const body = webframe();
    const first = await post(key, body);
    expect(first.status).toBe(201);
    await expectReplay(first, () => post(key, body));
  });

  test('is the same with and without quotes', async () => {
    const body = webframe();
    const first = await post('"quoted"', body);
    await expectReplay(first, () => post('quoted', body));
  });

  test('tells letters of another case apart', async () => {
    await post('Case', webframe());
    expect(isReplay(await post('case', webframe()))).toBe(false);
  });

  test.each([
    ['empty', ''],
    ['empty quotes', '""'],
    ['256 characters', 'k'.repeat(256)],
    ['spaces without quotes', 'a b'],
    ['half a quote', '"a'],
    ['a quote inside', 'a"b'],
    ['not ASCII', 'pedido-é'],
    ['two of them', 'a, b'],
    ['a tab', '"a\tb"'],
  ])('may not be: %s', async (_name, key) => {
    const reply = await leavesNothing(app, () => post(key, webframe()));
    expect(reply.status).toBe(400);
    expect(reply.json.code).toBe('idempotency_key_invalid');
  });

  test('without one, equal requests are different payments', async () => {
    const body = webframe();
    const before = await countRows(app);
    const ids = [await app.call('/api/payments', { body }), await app.call('/api/payments', { body })];
    expect(new Set(ids.map((reply) => reply.json.id)).size).toBe(2);
    expect((await countRows(app)).payments).toBe(before.payments! + 2);
  });
});

test('while the first request still runs, a repeat is told to come back', async () => {
  const body = JSON.stringify(webframe());
  // A request that waits for a rail leaves a key without an answer.
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

test('after a day the daily cleaning frees a key, not before', async () => {
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
  // Exactly a day after the younger one: a node cleans when it starts.
  const clock = testClock(new Date(start + 24 * 3_600_000).toISOString());
  const second = await startTestApp({ databaseUrl: database.url, clock, env });
  const keys = () => second.sql('select key from idempotency_keys order by key');
  await until(async () => (await keys()).length < 2, 'the old key being deleted');
  expect(await keys()).toEqual([{ key: 'young' }]);
  const replayed = await send(second, 'young', young);
  expect(replayed.text).toBe(kept.text);
  const anew = await send(second, 'old', old);
  expect(anew.status).toBe(201);
  expect(isReplay(anew)).toBe(false);
  const isYoungGone = async () => {
    clock.leap(3_600_000);
    return !(await keys()).some(({ key }) => key === 'young');
  };
  await until(isYoungGone, 'the daily cleaning');
  await second.stop();
  await database.drop();
});
