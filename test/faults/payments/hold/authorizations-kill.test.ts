// kill -9 of the server while a capture or a cancellation is under way: after a restart our truth is the rail's.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { until, type CallOptions, type Reply } from '../../../support/app.ts';
import { authorization, capture, expectAgreement } from '../../../support/authorizations.ts';
import { killChildren } from '../../../support/child.ts';
import { AFTER_30_S_MS, AFTER_LEASE_MS, startGateway, type Gateway } from '../../../support/gateway.ts';
import { countWaiting, holdLock } from '../../../support/locks.ts';
import type { HoldPoint } from '../../../support/proxy.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.rail.calls.cut());
afterAll(async () => {
  await killChildren();
});

/** An authorization whose steps the rail does at once. */
async function authorize(): Promise<string> {
  const { merchant, rail } = gateway;
  const { json } = await merchant.insist('/api/payments', { body: authorization() });
  await until(async () => (await rail.allBooks(json.reference)).authorizations.length === 1, 'the rail asking');
  await rail.answerPush(json.reference, 'approve');
  await until(async () => (await readStatus(json.id)) === 'Authorized', 'the hold');
  return json.id;
}

const readStatus = async (id: string): Promise<string> =>
  (await gateway.sql('select status from payments where id = $1', [id]))[0].status;

async function readSteps(id: string) {
  const books = await gateway.rail.allBooks();
  const [made] = await gateway.sql(`select id from attempts where payment_id = $1 and kind = 'authorization'`, [id]);
  const steps = [
    ...books.captures.filter(({ authorizationId }) => authorizationId === made.id),
    ...books.voids.filter(({ targetId }) => targetId === made.id),
  ];
  return steps.map(({ status, calls }) => ({ status, calls }));
}

type Step = { name: string; ends: string; ask(id: string): [path: string, CallOptions] };

const STEPS: Step[] = [
  {
    name: 'a capture',
    ends: 'Captured',
    ask: (id) => ['/api/payments', { body: capture(id), headers: { 'idempotency-key': randomUUID() } }],
  },
  {
    name: 'a cancellation',
    ends: 'Canceled',
    ask: (id) => [`/api/payments/${id}/cancel`, { method: 'POST', headers: { 'idempotency-key': randomUUID() } }],
  },
];

/** Asks, and kills the server when its call to the rail is at the point; what it carries stays held. */
async function killWhileCalling(point: HoldPoint, [path, options]: [string, CallOptions]): Promise<void> {
  const { calls } = gateway.rail;
  calls.holdAt(point);
  // A capture is answered before, a cancellation never.
  const asked = gateway.merchant.call(path, options).catch(() => null);
  await until(() => calls.held() === 1, 'the call being under way');
  await gateway.child().kill();
  await asked;
  calls.holdAt(null);
}

/** All is settled, both sides agree, and the same request again tells what is recorded. */
async function expectTruth(id: string, ends: string, [path, options]: [string, CallOptions]): Promise<void> {
  await gateway.untilResolved();
  expect(await readStatus(id)).toBe(ends);
  await expectAgreement(gateway.sql, await gateway.rail.allBooks());
  const replies: Reply[] = [await gateway.merchant.call(path, options), await gateway.merchant.call(path, options)];
  expect(replies.map(({ status }) => status)).toEqual(Array(2).fill(ends === 'Captured' ? 201 : 200));
  expect(replies[1]?.text).toBe(replies[0]?.text);
  expect(replies[1]?.headers.get('idempotency-replayed')).toBe('true');
  if (ends === 'Canceled') expect(replies[0]?.json).toEqual({ message: 'The payment is Canceled.' });
}

describe.each(STEPS)('$name', ({ ends, ask }) => {
  test('that had not reached the rail is sent after the restart', async () => {
    const id = await authorize();
    const asked = ask(id);
    await killWhileCalling('request', asked);
    gateway.rail.calls.cut();
    expect(await readSteps(id)).toEqual([]);
    await gateway.restart(AFTER_LEASE_MS);
    await until(async () => (await readSteps(id)).length === 1, 'the rail having it');
    await expectTruth(id, ends, asked);
    expect(await readSteps(id)).toEqual([{ status: 'APPROVED', calls: 1 }]);
  });

  test('that reaches the rail after the restart has sent it again acts once', async () => {
    const id = await authorize();
    const asked = ask(id);
    await killWhileCalling('request', asked);
    await gateway.restart(AFTER_LEASE_MS);
    await until(async () => (await readSteps(id)).length === 1, 'the rail having it');
    gateway.rail.calls.release();
    await until(async () => (await readSteps(id))[0]?.calls === 2, 'the first one’s arrival');
    await expectTruth(id, ends, asked);
    expect(await readSteps(id)).toEqual([{ status: 'APPROVED', calls: 2 }]);
  });

  test('that the rail did, of which nobody heard, is found', async () => {
    const id = await authorize();
    const asked = ask(id);
    await gateway.rail.orderFault({ on: 'notification', kind: 'drop' });
    await killWhileCalling('answer', asked);
    gateway.rail.calls.cut();
    await until(async () => (await readSteps(id))[0]?.status === 'APPROVED', 'the rail having done it');
    expect(await readStatus(id)).toBe('Authorized');
    await gateway.restart(AFTER_LEASE_MS);
    await expectTruth(id, ends, asked);
    expect(await readSteps(id)).toEqual([{ status: 'APPROVED', calls: 1 }]);
  });

  test('whose outcome could not be written is known after the restart', async () => {
    const id = await authorize();
    const asked = ask(id);
    const { calls } = gateway.rail;
    calls.holdAt('answer');
    // Only its answer tells.
    await gateway.rail.orderFault({ on: 'notification', kind: 'drop' });
    const answer = gateway.merchant.call(...asked).catch(() => null);
    await until(() => calls.held() === 1, 'the rail having done it');
    // The outcome is there, and nobody can write its event.
    const release = await holdLock(gateway.databaseUrl, 'lock table events in exclusive mode');
    calls.holdAt(null);
    calls.release();
    await until(async () => (await countWaiting(gateway.databaseUrl, '')) > 0, 'it being written');
    await gateway.child().kill();
    await answer;
    await release();
    await gateway.restart(AFTER_LEASE_MS);
    await expectTruth(id, ends, asked);
    expect(await readSteps(id)).toEqual([{ status: 'APPROVED', calls: 1 }]);
  });
});

test('a capture that the rail never saw in 30 s is Failed and claims nothing; should it arrive after all, it is Paid', async () => {
  const id = await authorize();
  const asked = STEPS[0]?.ask(id) as [string, CallOptions];
  await killWhileCalling('request', asked);
  await gateway.restart(AFTER_30_S_MS);
  await gateway.untilResolved();
  const capturesOf = 'select status, failure_code, late from payments where authorization_id = $1';
  const failed = { status: 'Failed', failure_code: 'rail_unavailable', late: false };
  expect(await gateway.sql(capturesOf, [id])).toEqual([failed]);
  const [free] = await gateway.sql('select status, operation from payments where id = $1', [id]);
  expect(free).toEqual({ status: 'Authorized', operation: null });
  gateway.rail.calls.release();
  await until(async () => (await readSteps(id)).length === 1, 'its arrival');
  await until(async () => (await readStatus(id)) === 'Captured', 'the late money');
  expect(await gateway.sql(capturesOf, [id])).toEqual([{ status: 'Paid', failure_code: null, late: true }]);
  await expectTruth(id, 'Captured', asked);
});
