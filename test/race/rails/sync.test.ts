// Sync, poll and rail notification report one outcome at the same time on two nodes.
import { beforeAll, expect, test } from 'vitest';
import { startAppBehind, until, type TestApp } from '../../support/app.ts';
import { create, purchase, travelToStatus } from '../../support/payments.ts';
import { startRail, type Rail } from '../../support/rail.ts';
import { expectTruth } from '../../support/truth.ts';

const PHONE = '923000001';

let app: TestApp;
let twin: TestApp;
let rail: Rail;
beforeAll(async () => {
  ({ app, rail } = await startAppBehind(startRail));
  twin = await app.startTwin();
});

const untilSent = (ids: string[]) =>
  until(async () => {
    const sent = await app.sql(`select from attempts where status = 'Sent' and payment_id = any($1)`, [ids]);
    return sent.length === ids.length;
  }, 'the pushes being sent');

test('20 concurrent syncs of one payment send one query to the rail', async () => {
  const { id } = await create(app, purchase(PHONE));
  await untilSent([id]);
  const before = rail.calls.seen.length;
  rail.calls.holdAt('answer');
  const syncs = Array.from({ length: 20 }, () => app.call(`/api/payments/${id}/sync`, { method: 'POST' }));
  await until(() => rail.calls.held() > 0, 'the query');
  // No second query starts while the first is in progress.
  for (let nth = 0; nth < 10; nth++) await app.call(`/api/payments/${id}`);
  expect(rail.calls.seen.length - before).toBe(1);
  rail.calls.holdAt(null);
  rail.calls.release();
  for (const { status } of await Promise.all(syncs)) expect(status).toBe(200);
});

test('an approval that notification, sync and poll report on two nodes is recorded once', async () => {
  const payments = await Promise.all(Array.from({ length: 10 }, () => create(app, purchase(PHONE))));
  const ids = payments.map(({ id }) => id);
  await untilSent(ids);
  // The test holds the rail's notifications until every push is approved.
  rail.notifications.holdAt('request');
  for (const { reference } of payments) await rail.answerPush(reference, 'approve');
  await until(() => rail.notifications.held() === payments.length, 'the held notifications');
  rail.notifications.holdAt(null);
  rail.notifications.release();
  await Promise.all([
    app.clock.advance(3_000),
    ...ids.flatMap((id) => [app, twin].map((node) => node.call(`/api/payments/${id}/sync`, { method: 'POST' }))),
  ]);
  for (const id of ids) {
    await travelToStatus(app, id, 'Paid');
    const events = await app.sql('select type from events where payment_id = $1 order by seq', [id]);
    expect(events.map(({ type }) => type)).toEqual(['payment.created', 'payment.processing', 'payment.paid']);
  }
  const books = await rail.books();
  expect(books.every(({ calls }) => calls === 1)).toBe(true);
  await expectTruth(app.sql, books);
});
