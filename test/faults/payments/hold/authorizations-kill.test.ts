import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { until, type CallOptions, type Reply } from '../../../support/app.ts';
import { authorization, capture, expectAgreement } from '../../../support/authorizations.ts';
import { AFTER_30_S_MS, AFTER_LEASE_MS, startGateway, type Gateway } from '../../../support/gateway.ts';
import { countWaiting, holdLock } from '../../../support/locks.ts';
import type { HoldPoint } from '../../../support/proxy.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.rail.calls.cut());

/** An authorization whose captures and voids the rail executes immediately. */
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

type Asked = { id: string; ends: string; request: [path: string, options: CallOptions] };

const keyed = () => ({ headers: { 'idempotency-key': randomUUID() } });

async function askCapture(): Promise<Asked> {
  const id = await authorize();
  return { id, ends: 'Captured', request: ['/api/payments', { body: capture(id), ...keyed() }] };
}

async function askCancel(): Promise<Asked> {
  const id = await authorize();
  return { id, ends: 'Canceled', request: [`/api/payments/${id}/cancel`, { method: 'POST', ...keyed() }] };
}

const askBoth = async () => [await askCapture(), await askCancel()];

/** Sends the requests. The node responds to a capture before it calls the rail, and to a cancel after that call. */
const sendAll = (all: Asked[]) =>
  Promise.all(all.map(({ request }) => gateway.merchant.call(...request).catch(() => null)));

/** Sends requests and kills the gateway while the proxy holds their calls to the rail at this point. */
async function killWhileCalling(point: HoldPoint, all: Asked[]): Promise<void> {
  const { calls } = gateway.rail;
  calls.holdAt(point);
  const replies = sendAll(all);
  await until(() => calls.held() === all.length, 'the calls of the rail');
  await gateway.child().kill();
  await replies;
  calls.holdAt(null);
}

const untilSteps = (all: Asked[], check: (step: { status: string; calls: number } | undefined) => boolean) =>
  until(async () => {
    const steps = await Promise.all(all.map(async ({ id }) => (await readSteps(id))[0]));
    return steps.every(check);
  }, 'the rail having them');

/** Expects that the gateway's and the rail's records agree, and that a repeat returns the recorded outcome. */
async function expectTruth(all: Asked[], calls: number): Promise<void> {
  await gateway.untilResolved();
  await expectAgreement(gateway.sql, await gateway.rail.allBooks());
  for (const { id, ends, request } of all) {
    expect(await readStatus(id)).toBe(ends);
    const replies: Reply[] = [await gateway.merchant.call(...request), await gateway.merchant.call(...request)];
    expect(replies.map(({ status }) => status)).toEqual(Array(2).fill(ends === 'Captured' ? 201 : 200));
    expect(replies[1]?.text).toBe(replies[0]?.text);
    expect(replies[1]?.headers.get('idempotency-replayed')).toBe('true');
    if (ends === 'Canceled') expect(replies[0]?.json).toEqual({ message: 'The payment is Canceled.' });
    expect(await readSteps(id)).toEqual([{ status: 'APPROVED', calls }]);
  }
}

describe('a capture and a cancel that a kill interrupts', () => {
  test('are sent after the restart if they did not reach the rail', async () => {
    const all = await askBoth();
    await killWhileCalling('request', all);
    gateway.rail.calls.cut();
    for (const { id } of all) expect(await readSteps(id)).toEqual([]);
    await gateway.restart(AFTER_LEASE_MS);
    await untilSteps(all, Boolean);
    await expectTruth(all, 1);
  });

  test('take effect once if their first calls arrive after the repeated calls', async () => {
    const all = await askBoth();
    await killWhileCalling('request', all);
    await gateway.restart(AFTER_LEASE_MS);
    await untilSteps(all, Boolean);
    gateway.rail.calls.release();
    await untilSteps(all, (step) => step?.calls === 2);
    await expectTruth(all, 2);
  });

  test('are found by a poll if the rail executed them without a notification', async () => {
    const all = await askBoth();
    await gateway.rail.orderFault({ on: 'notification', kind: 'drop', times: 2 });
    await killWhileCalling('answer', all);
    gateway.rail.calls.cut();
    await untilSteps(all, (step) => step?.status === 'APPROVED');
    for (const { id } of all) expect(await readStatus(id)).toBe('Authorized');
    await gateway.restart(AFTER_LEASE_MS);
    await expectTruth(all, 1);
  });

  test.each([
    ['a capture', askCapture],
    ['a cancel', askCancel],
  ])('are recorded after the restart if the kill interrupts the write of an outcome: %s', async (_name, ask) => {
    const all = [await ask()];
    const { calls } = gateway.rail;
    calls.holdAt('answer');
    // The rail sends no notification, so only its response has the outcome.
    await gateway.rail.orderFault({ on: 'notification', kind: 'drop' });
    const replies = sendAll(all);
    await until(() => calls.held() === 1, 'the rail having done it');
    // The outcome arrives, and the lock delays its write.
    const release = await holdLock(gateway.databaseUrl, 'lock table events in exclusive mode');
    calls.holdAt(null);
    calls.release();
    await until(async () => (await countWaiting(gateway.databaseUrl, '')) > 0, 'it being written');
    await gateway.child().kill();
    await replies;
    await release();
    await gateway.restart(AFTER_LEASE_MS);
    await expectTruth(all, 1);
  });
});

test('a capture that the rail does not know after 30 s is Failed, and Paid if it arrives later', async () => {
  const asked = await askCapture();
  const { id } = asked;
  await killWhileCalling('request', [asked]);
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
  await expectTruth([asked], 1);
});
