// kill -9 of the server while a push is under way: after a restart every payment has the rail's truth, none is charged twice.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../support/app.ts';
import { killChildren } from '../../support/child.ts';
import { AFTER_30_S_MS, AFTER_LEASE_MS, startGateway, type Gateway } from '../../support/gateway.ts';
import type { HoldPoint } from '../../support/proxy.ts';

/** Approves a second after it was asked. */
const PHONE = '900000000';
const SECOND_MS = 1_000;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.rail.calls.cut());
afterAll(async () => {
  await killChildren();
});

/** Kills it when both its calls are at the point; what they carry stays held. Answers the payments' references. */
async function killWhileCalling(point: HoldPoint): Promise<string[]> {
  const { calls } = gateway.rail;
  calls.holdAt(point);
  const references = await gateway.pushTwo(PHONE);
  await until(() => calls.held() === 2, 'both calls being under way');
  await gateway.child().kill();
  calls.holdAt(null);
  return references;
}

const untilAsked = (references: string[]) =>
  until(async () => (await gateway.books(references)).length === 2, 'the rail asking both payers');

test('a push that had not reached the rail is sent after the restart', async () => {
  const references = await killWhileCalling('request');
  const books = () => gateway.books(references);
  gateway.rail.calls.cut();
  expect(await books()).toEqual([]);
  await gateway.restart(AFTER_LEASE_MS);
  await untilAsked(references);
  gateway.clock.jump(SECOND_MS);
  await gateway.untilResolved();
  expect(await gateway.statuses(references)).toEqual(['Paid', 'Paid']);
  expect(await books()).toMatchObject([{ calls: 1 }, { calls: 1 }]);
  await gateway.expectTruth();
});

test('a push that reaches the rail only after the restart has sent it again is one purchase', async () => {
  const references = await killWhileCalling('request');
  const books = () => gateway.books(references);
  await gateway.restart(AFTER_LEASE_MS);
  await untilAsked(references);
  gateway.rail.calls.release();
  await until(async () => (await books()).every(({ calls }) => calls === 2), 'the first one’s arrival');
  gateway.clock.jump(SECOND_MS);
  await gateway.untilResolved();
  expect(await gateway.statuses(references)).toEqual(['Paid', 'Paid']);
  await gateway.expectTruth();
});

test('a push the rail never saw in 30 s is given up, and its money recorded should it arrive after all', async () => {
  const references = await killWhileCalling('request');
  const books = () => gateway.books(references);
  await gateway.restart(AFTER_30_S_MS);
  await gateway.untilResolved();
  expect(await gateway.statuses(references)).toEqual(['Failed rail_unavailable', 'Pending rail_unavailable']);
  expect(await books()).toEqual([]);
  await gateway.expectTruth();
  // A packet that was stuck somewhere: the rail asks the payer, who approves.
  gateway.rail.calls.release();
  await untilAsked(references);
  gateway.clock.jump(SECOND_MS);
  await until(async () => (await gateway.statuses(references)).every((status) => status === 'Paid'), 'late money');
  await gateway.expectTruth();
  const money = `select t.late from transactions t join payments p on p.id = payment_id where reference = any($1)
    order by p.created_at`;
  expect(await gateway.sql(money, [references])).toEqual([{ late: true }, { late: false }]);
});

test('a push the rail has and we did not record is found, told by the rail or not', async () => {
  await gateway.rail.orderFault({ on: 'notification', kind: 'drop' });
  const references = await killWhileCalling('answer');
  const books = () => gateway.books(references);
  gateway.rail.calls.cut();
  // One notification is lost, the other finds nobody.
  gateway.clock.jump(SECOND_MS);
  await until(async () => (await books()).every(({ status }) => status === 'APPROVED'), 'both approvals');
  expect(await gateway.statuses(references)).toEqual(['Processing', 'Processing']);
  await gateway.restart(AFTER_LEASE_MS);
  await gateway.untilResolved();
  expect(await gateway.statuses(references)).toEqual(['Paid', 'Paid']);
  expect(await books()).toMatchObject([{ calls: 1 }, { calls: 1 }]);
  await gateway.expectTruth();
});

describe('while nobody can reach the rail', () => {
  test('a push whose end was recorded is given up after the restart, before the rail is back', async () => {
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

  test('a push whose call was cut off by the kill stays open: it may have arrived', async () => {
    const references = await killWhileCalling('request');
    gateway.rail.calls.cut();
    await gateway.rail.calls.stop();
    await gateway.restart(AFTER_30_S_MS);
    // Just after the payer's window, as after any look in which nobody answers.
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
