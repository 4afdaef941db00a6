// kill -9 at random, again and again, while a merchant who never gives up creates payments: nothing is lost, nothing made twice.
import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until, type CallOptions, type Reply } from '../../support/app.ts';
import { killChildren } from '../../support/child.ts';
import { AFTER_LEASE_MS, startGateway, type Gateway } from '../../support/gateway.ts';
import { purchase, webframe } from '../../support/payments.ts';

const PAYMENTS = 40;
const MERCHANTS_AT_ONCE = 8;
const KILLS = 3;
/** All that decide by themselves within a second; 900000004 never reaches the rail, 900000007 loses its notification. */
const PHONES = [0, 1, 2, 4, 6, 7, 8].map((digit) => `90000000${digit}`);

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  await killChildren();
});

type Made = { request: CallOptions; created: Reply };

/** Creates one payment after another from the shared list, each until it is acknowledged; every fourth by its page. */
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

/** Kills when some more of its calls have come by, wherever the rest of its work is then. */
async function killAtRandom(isDone: () => boolean): Promise<void> {
  const { calls, notifications } = gateway.rail;
  const watched = randomInt(2) ? calls.seen : notifications.seen;
  const enough = watched.length + randomInt(1, 5);
  await until(() => watched.length >= enough || isDone(), 'the next kill');
  await gateway.child().kill();
  await gateway.restart(AFTER_LEASE_MS);
}

test(`${PAYMENTS} payments survive ${KILLS} kills: each acknowledged one exists once and has the rail's truth`, async () => {
  const made: Made[] = [];
  const nths = Array.from({ length: PAYMENTS }, (_, nth) => nth).values();
  let isDone = false;
  const creating = Promise.all(Array.from({ length: MERCHANTS_AT_ONCE }, () => createAll(nths, made))).then(() => {
    isDone = true;
  });
  for (let nth = 0; nth < KILLS; nth++) await killAtRandom(() => isDone);
  await creating;
  await until(async () => (await gateway.rail.books()).every(({ status }) => status !== 'PENDING'), 'all decisions');
  // Time enough for every poll and for giving up what the rail never saw.
  await gateway.child().kill();
  await gateway.restart(90_000);
  await gateway.untilResolved();

  expect(made.map(({ created }) => created.status)).toEqual(Array(PAYMENTS).fill(201));
  const ids = made.map(({ created }) => created.json.internalId);
  const rows = await gateway.sql('select id from payments');
  expect(rows.map(({ id }) => id).sort()).toEqual(ids.sort());
  for (const { request, created } of made) {
    const again = await gateway.merchant.call('/api/payments', request);
    expect({ status: again.status, text: again.text }).toEqual({ status: 201, text: created.text });
  }
  await gateway.expectTruth();
}, 60_000);
