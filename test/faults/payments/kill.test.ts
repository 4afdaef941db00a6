import { randomInt, randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { until, type CallOptions, type Reply } from '../../support/app.ts';
import { AFTER_30_S_MS, AFTER_LEASE_MS, startGateway, type Gateway } from '../../support/gateway.ts';
import { holdLock } from '../../support/locks.ts';
import { purchase, webframe } from '../../support/payments.ts';
import type { HoldPoint } from '../../support/proxy.ts';
import { madeIdsOf } from '../../support/repeats.ts';

/** The simulated payer with this phone number approves after one second. */
const PHONE = '900000000';
const SECOND_MS = 1_000;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.rail.calls.cut());

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

test('a stored rail notification is applied after the restart, although the rail is unreachable', async () => {
  const references = await gateway.pushTwo(PHONE);
  await untilSent();
  // The lock prevents the node from applying the stored notifications.
  const release = await holdLock(gateway.databaseUrl, 'lock table events in exclusive mode');
  gateway.clock.jump(1_000);
  await untilNotified(references);
  expect(await readInbox()).toEqual([false, false]);
  await gateway.child().kill();
  await release();
  // The rail cannot be queried: the outcome comes from the stored notifications.
  await gateway.rail.calls.stop();
  await gateway.restart(AFTER_LEASE_MS);
  await gateway.untilResolved();
  expect(await gateway.statuses(references)).toEqual(['Paid', 'Paid']);
  await until(async () => (await readInbox()).every(Boolean), 'the inbox being empty');
  expect(await gateway.books(references)).toMatchObject([{ notifications: 1 }, { notifications: 1 }]);
  await gateway.expectTruth();
  await gateway.rail.calls.start();
});

test('a rail notification that was applied without a response changes nothing when the rail repeats it', async () => {
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
  // The rail repeats unacknowledged notifications after 5 s.
  gateway.clock.jump(6_000);
  await untilNotified(references);
  expect(await gateway.books(references)).toMatchObject([{ notifications: 2 }, { notifications: 2 }]);
  expect(await gateway.statuses(references)).toEqual(['Paid', 'Paid']);
  expect(await gateway.sql('select id, revision from payments order by id')).toEqual(before);
  // A notification that was recorded but not marked before the kill is applied again.
  await until(async () => (await readInbox()).every(Boolean), 'the inbox being empty');
  expect(await readInbox()).toHaveLength(4);
  await gateway.expectTruth();
});

/** Kills the gateway while the proxy holds both its calls at this point. Returns the payments' references. */
async function killWhileCalling(point: HoldPoint): Promise<string[]> {
  const { calls } = gateway.rail;
  calls.holdAt(point);
  const references = await gateway.pushTwo(PHONE);
  await until(() => calls.held() === 2, 'both calls being under way');
  await gateway.child().kill();
  calls.holdAt(null);
  return references;
}

const untilDecided = (references: string[]) =>
  until(async () => (await gateway.books(references)).length === 2, 'the rail asking both payers');

test('a push that did not reach the rail before the kill is sent after it', async () => {
  const references = await killWhileCalling('request');
  const books = () => gateway.books(references);
  gateway.rail.calls.cut();
  expect(await books()).toEqual([]);
  await gateway.restart(AFTER_LEASE_MS);
  await untilDecided(references);
  gateway.clock.jump(SECOND_MS);
  await gateway.untilResolved();
  expect(await gateway.statuses(references)).toEqual(['Paid', 'Paid']);
  expect(await books()).toMatchObject([{ calls: 1 }, { calls: 1 }]);
  await gateway.expectTruth();
});

test('a push is one purchase if its first call reaches the rail after the repeated call', async () => {
  const references = await killWhileCalling('request');
  const books = () => gateway.books(references);
  await gateway.restart(AFTER_LEASE_MS);
  await untilDecided(references);
  gateway.rail.calls.release();
  await until(async () => (await books()).every(({ calls }) => calls === 2), 'the first one’s arrival');
  gateway.clock.jump(SECOND_MS);
  await gateway.untilResolved();
  expect(await gateway.statuses(references)).toEqual(['Paid', 'Paid']);
  await gateway.expectTruth();
});

test('a push that the rail does not know after 30 s fails, and money that arrives later is recorded', async () => {
  const references = await killWhileCalling('request');
  const books = () => gateway.books(references);
  await gateway.restart(AFTER_30_S_MS);
  await gateway.untilResolved();
  expect(await gateway.statuses(references)).toEqual(['Failed rail_unavailable', 'Pending rail_unavailable']);
  expect(await books()).toEqual([]);
  await gateway.expectTruth();
  // The delayed request arrives, and the payer approves.
  gateway.rail.calls.release();
  await untilDecided(references);
  gateway.clock.jump(SECOND_MS);
  await until(async () => (await gateway.statuses(references)).every((status) => status === 'Paid'), 'late money');
  await gateway.expectTruth();
  const money = `select t.late from transactions t join payments p on p.id = payment_id where reference = any($1)
    order by p.created_at`;
  expect(await gateway.sql(money, [references])).toEqual([{ late: true }, { late: false }]);
});

test('a push that was approved but not recorded before the kill is found with or without a notification', async () => {
  await gateway.rail.orderFault({ on: 'notification', kind: 'drop' });
  // The clock of the rail stands still, so that no payer approves before the kill.
  const references = await gateway.clock.standStill(() => killWhileCalling('answer'));
  const books = () => gateway.books(references);
  gateway.rail.calls.cut();
  // One notification is lost, the other reaches no gateway.
  gateway.clock.jump(SECOND_MS);
  await until(async () => (await books()).every(({ status }) => status === 'APPROVED'), 'both approvals');
  expect(await gateway.statuses(references)).toEqual(['Processing', 'Processing']);
  await gateway.restart(AFTER_LEASE_MS);
  await gateway.untilResolved();
  expect(await gateway.statuses(references)).toEqual(['Paid', 'Paid']);
  expect(await books()).toMatchObject([{ calls: 1 }, { calls: 1 }]);
  await gateway.expectTruth();
});

describe('while the rail is unreachable,', () => {
  test('a push that never reached the rail fails after the restart', async () => {
    await gateway.rail.calls.stop();
    const references = await gateway.pushTwo(PHONE);
    const unreached = `select from attempts where status = 'Unreached'`;
    await until(async () => (await gateway.sql(unreached)).length === 2, 'both calls’ end being recorded');
    await gateway.child().kill();
    await gateway.restart(AFTER_30_S_MS);
    await gateway.untilResolved();
    expect(await gateway.statuses(references)).toEqual(['Failed rail_unavailable', 'Pending rail_unavailable']);
    await gateway.rail.calls.start();
  });

  test('a push whose call the kill interrupted stays open, because the call may have arrived', async () => {
    const references = await killWhileCalling('request');
    gateway.rail.calls.cut();
    await gateway.rail.calls.stop();
    await gateway.restart(AFTER_30_S_MS);
    // The next poll comes just after the payer's window.
    const asked = `select from attempts where resolved_at is null and due_at = created_at + interval '92 seconds'`;
    await until(async () => (await gateway.sql(asked)).length === 2, 'both having been asked about in vain');
    expect(await gateway.statuses(references)).toEqual(['Processing', 'Processing']);
    await gateway.rail.calls.start();
    await gateway.child().kill();
    await gateway.restart(2 * AFTER_30_S_MS);
    await gateway.untilResolved();
    expect(await gateway.statuses(references)).toEqual(['Failed rail_unavailable', 'Pending rail_unavailable']);
    await gateway.expectTruth();
  });
});

const PAYMENTS = 40;
const MERCHANTS_AT_ONCE = 8;
const KILLS = 3;
/** Test numbers that decide within a second. 900000004 never reaches the rail. 900000007 gets no notification. */
const PHONES = [0, 1, 2, 4, 6, 7, 8].map((digit) => `90000000${digit}`);

type Made = { request: CallOptions; created: Reply };

/** Creates the payments of the shared list, each until it is acknowledged. Every fourth is paid on its page. */
async function createAll(nths: Iterator<number>, made: Made[]): Promise<void> {
  for (let next = nths.next(); !next.done; next = nths.next()) {
    const phoneNumber = PHONES[next.value % PHONES.length] as string;
    const isPage = next.value % 4 === 0;
    const request = { body: isPage ? webframe() : purchase(phoneNumber), headers: { 'idempotency-key': randomUUID() } };
    const created = await gateway.merchant.insist('/api/payments', request);
    made.push({ request, created });
    if (isPage) await gateway.merchant.insist(`/checkout/${created.json.clientToken}/pay`, { body: { phoneNumber } });
  }
}

/** Kills the gateway after some more rail calls, at a random point of its other work. */
async function killAtRandom(isDone: () => boolean): Promise<void> {
  const { calls, notifications } = gateway.rail;
  const watched = randomInt(2) ? calls.seen : notifications.seen;
  const enough = watched.length + randomInt(1, 5);
  await until(() => watched.length >= enough || isDone(), 'the next kill');
  await gateway.child().kill();
  await gateway.restart(AFTER_LEASE_MS);
}

test(`${PAYMENTS} payments survive ${KILLS} kills: each acknowledged one equals one of the rail`, async () => {
  // The restarts above moved the gateway's clock so far that the rail would refuse its signatures.
  gateway = await startGateway();
  const made: Made[] = [];
  const nths = Array.from({ length: PAYMENTS }, (_, nth) => nth).values();
  let isDone = false;
  const creating = Promise.all(Array.from({ length: MERCHANTS_AT_ONCE }, () => createAll(nths, made))).then(() => {
    isDone = true;
  });
  for (let nth = 0; nth < KILLS; nth++) await killAtRandom(() => isDone);
  await creating;
  await until(async () => (await gateway.rail.books()).every(({ status }) => status !== 'PENDING'), 'all decisions');
  // After this time the gateway has polled every push and failed those that the rail does not know.
  await gateway.child().kill();
  await gateway.restart(90_000);
  await gateway.untilResolved();

  expect(made.map(({ created }) => created.status)).toEqual(Array(PAYMENTS).fill(201));
  const ids = made.map(({ created }) => created.json.internalId);
  const rows = await gateway.sql('select id from payments');
  expect(rows.map(({ id }) => id).sort()).toEqual(ids.sort());
  for (const { request, created } of made) {
    const again = await gateway.merchant.call('/api/payments', request);
    expect({ status: again.status, ids: madeIdsOf(again) }).toEqual({ status: 201, ids: madeIdsOf(created) });
  }
  await gateway.expectTruth();
});
