import { afterEach, beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../../support/app.ts';
import {
  capture,
  createAuthorized,
  expectAgreement,
  readFullBooks,
  readHeld,
  take,
} from '../../../support/authorizations.ts';
import { testClock } from '../../../support/clock.ts';
import { countWaiting, holdLock } from '../../../support/locks.ts';
import { readPayment } from '../../../support/notify.ts';
import { untilStatus } from '../../../support/payments.ts';
import { leavesNothing } from '../../../support/rows.ts';

const KEY = 'one key for both nodes';

let app: TestApp;
let twin: TestApp;
beforeAll(async () => {
  const clock = testClock();
  app = await startTestApp({ clock, env: { GPO_KEY: KEY } });
  twin = await app.startTwin();
});
afterEach(async () => expectAgreement(app.sql, await readFullBooks(app)));

const isReplay = ({ headers }: Reply) => headers.get('idempotency-replayed') === 'true';

test('a repeated capture returns the first answer’s bytes, also after the authorization is Captured', async () => {
  const { id } = await createAuthorized(app);
  const body = capture(id);
  const first = await take(app, body, { key: 'replay' });
  expect(first).toMatchObject({ status: 201, json: { status: 'Processing' } });
  await untilStatus(app, first.json.id, 'Paid');
  expect(await readPayment(app, id)).toMatchObject({ status: 'Captured' });
  const again = await leavesNothing(app, () => take(app, body, { key: 'replay', prefer: 'wait=5' }));
  expect(again).toMatchObject({ status: 201, text: first.text });
  expect(isReplay(again)).toBe(true);
  expect(await readHeld(app, id)).toMatchObject({ captures: [{ calls: 1 }] });
});

test('12 concurrent captures with one key on two nodes are one capture', async () => {
  const { id } = await createAuthorized(app);
  const body = capture(id, { amount: 20 });
  const asked = Array.from({ length: 12 }, (_, nth) => take(nth % 2 ? twin : app, body, { key: 'many' }));
  const replies = await Promise.all(asked);
  const first = replies.find((reply) => !isReplay(reply)) as Reply;
  // The address of the checkout is each node's own.
  const idsOf = (reply: Reply) => ({ status: reply.status, id: reply.json.id });
  expect(replies.map(idsOf)).toEqual(replies.map(() => ({ status: 201, id: first.json.id })));
  expect(replies.filter(isReplay)).toHaveLength(11);
  await untilStatus(app, first.json.id, 'Paid');
  expect(await app.sql('select from payments where authorization_id = $1', [id])).toHaveLength(1);
  expect(await readHeld(app, id)).toMatchObject({ captured: '20.00', captures: [{ calls: 1 }] });
});

test('another body with the key returns 422, also after the authorization is Captured', async () => {
  const { id } = await createAuthorized(app);
  const body = capture(id, { amount: 20 });
  const first = await take(app, body, { key: 'other' });
  await untilStatus(app, first.json.id, 'Paid');
  for (const other of [{ ...body, amount: 21 }, capture((await createAuthorized(app)).id)]) {
    const reply = await leavesNothing(app, () => take(app, other, { key: 'other' }));
    expect(reply).toMatchObject({ status: 422, json: { code: 'idempotency_key_reused' } });
  }
});

test('one key for captures of two authorizations captures one and claims nothing of the other', async () => {
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

test('a key that another request takes during the write of a capture claims nothing', async () => {
  const { id, merchantId } = await createAuthorized(app);
  // Reads go on, and nothing can be written.
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
