// kill -9 of the server around a notification: stored and not applied, or settled and not yet answered.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../support/app.ts';
import { killChildren } from '../../support/child.ts';
import { AFTER_LEASE_MS, startGateway, type Gateway } from '../../support/gateway.ts';
import { holdLock } from '../../support/locks.ts';

const PHONE = '900000000';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  await killChildren();
});

const readInbox = async () =>
  (await gateway.sql('select applied_at is not null as done from inbox')).map(({ done }) => done);
const untilSent = () =>
  until(
    async () => (await gateway.sql(`select from attempts where status = 'Unsent'`)).length === 0,
    'both pushes being sent',
  );
const untilNotified = (references: string[]) =>
  until(
    async () => (await gateway.books(references)).every(({ notified }) => notified === 1),
    'both being acknowledged',
  );

test('a notification that was stored, acknowledged and not applied is applied after the restart', async () => {
  const references = await gateway.pushTwo(PHONE);
  await untilSent();
  // Nothing can be settled while nobody can write an event.
  const release = await holdLock(gateway.databaseUrl, 'lock table events in exclusive mode');
  gateway.clock.jump(1_000);
  await untilNotified(references);
  expect(await readInbox()).toEqual([false, false]);
  await gateway.child().kill();
  await release();
  // The rail has been told that we know, and cannot be asked: only what is stored can tell.
  await gateway.rail.calls.stop();
  await gateway.restart(AFTER_LEASE_MS);
  await gateway.untilResolved();
  expect(await gateway.statuses(references)).toEqual(['Paid', 'Paid']);
  await until(async () => (await readInbox()).every(Boolean), 'the inbox being empty');
  expect(await gateway.books(references)).toMatchObject([{ notifications: 1 }, { notifications: 1 }]);
  await gateway.expectTruth();
  await gateway.rail.calls.start();
});

test('a notification that was settled and whose answer was lost changes nothing when it is repeated', async () => {
  const { notifications } = gateway.rail;
  const references = await gateway.pushTwo(PHONE);
  await untilSent();
  notifications.holdAt('answer');
  gateway.clock.jump(1_000);
  await until(() => notifications.held() === 2, 'both answers being held');
  await gateway.untilResolved();
  await gateway.child().kill();
  notifications.holdAt(null);
  notifications.cut();
  const before = await gateway.sql('select id, revision from payments order by id');
  await gateway.restart(AFTER_LEASE_MS);
  // The rail repeats after 5 s what nobody acknowledged.
  gateway.clock.jump(6_000);
  await untilNotified(references);
  expect(await gateway.books(references)).toMatchObject([{ notifications: 2 }, { notifications: 2 }]);
  expect(await gateway.statuses(references)).toEqual(['Paid', 'Paid']);
  expect(await gateway.sql('select id, revision from payments order by id')).toEqual(before);
  // One may have been killed after its money was recorded and before it was marked: then it is applied again.
  await until(async () => (await readInbox()).every(Boolean), 'the inbox being empty');
  expect(await readInbox()).toHaveLength(4);
  await gateway.expectTruth();
});
