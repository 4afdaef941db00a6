import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { testClock } from '../../support/clock.ts';
import { expectInOrder, expectOnce, openReference, receive, sellOne } from '../../support/deliveries.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { creepUntil, travelUntil } from '../../support/payments.ts';
import { RECEIVER_ENV, startReceiver, CONFIRMATION, type Receiver } from '../../support/receiver.ts';

const FAILED = { status: 503 };

let app: TestApp;
let merchant: Receiver;
let fixture: CallbackFixture;
beforeAll(async () => {
  const clock = testClock();
  app = await startTestApp({ clock, env: RECEIVER_ENV });
  await app.startTwin();
});
beforeEach(async () => {
  merchant = await startReceiver({ answer: FAILED });
  fixture = await openCallbackFixture(app, merchant.url);
  return () => merchant.stop();
});

const readEndpoint = async () => (await fixture.call(fixture.endpointPath)).json;
const readNews = async () =>
  (
    await app.sql(`select type from events where merchant_id = $1 and type like 'callback.endpoint%' order by seq`, [
      fixture.merchantId,
    ])
  ).map(({ type }) => type);

/** Blocks the update that counts the endpoint's failures. */
const holdEndpoint = () =>
  holdLock(app.databaseUrl, `select from endpoints where merchant_id = '${fixture.merchantId}' for update`);

async function failFive(): Promise<void> {
  for (let nth = 1; nth <= 5; nth++) {
    await sellOne(app, fixture);
    await merchant.received(nth);
    await fixture.untilQuiet();
  }
  await until(async () => (await readEndpoint()).status === 'failing', 'the circuit being open');
}

/** Waits until both nodes have polled. Each node then sends callbacks of another merchant. */
async function letNodesLook(): Promise<void> {
  const elsewhere = await startReceiver();
  const other = await openCallbackFixture(app, elsewhere.url);
  for (let nth = 1; nth <= 3; nth++) {
    const { id } = await sellOne(app, other);
    await elsewhere.received(nth);
    await until(async () => (await other.deliveries()).every(({ status }) => status === 'Delivered'), `${id} taken`);
  }
  await elsewhere.stop();
}

describe('the fifth failure of an endpoint in a row', () => {
  test('opens the circuit with one event, and stops all calls until the probe', async () => {
    await failFive();
    expect(await readNews()).toEqual(['callback.endpoint_failing']);
    expect(await readEndpoint()).toMatchObject({ failures: 5, failingSince: expect.any(String) });
    for (let nth = 0; nth < 3; nth++) await sellOne(app, fixture);
    await app.clock.advance(4_000);
    await letNodesLook();
    expect(merchant.requests).toHaveLength(5);
    // The first probe is one call, although every delivery is due.
    await travelUntil(app, () => merchant.requests.length === 6, 'a probe', 3_000);
    await fixture.untilQuiet();
    await letNodesLook();
    expect(merchant.requests).toHaveLength(6);
    expect(await readNews()).toEqual(['callback.endpoint_failing']);
  });
});

describe('an open circuit', () => {
  test('sends one probe at a time from two nodes', async () => {
    await failFive();
    for (let nth = 0; nth < 4; nth++) await sellOne(app, fixture);
    merchant.answerWith('hang');
    await travelUntil(app, () => merchant.requests.length === 6, 'a probe', 10_000);
    const began = app.clock.now().getTime();
    // The call times out after 10 s.
    await creepUntil(app, () => app.clock.now().getTime() >= began + 8_500, 'nearly its time');
    await letNodesLook();
    expect(merchant.requests).toHaveLength(6);
  });

  test('closes after a successful probe, and the deliveries of each payment are sent in order', async () => {
    await failFive();
    const sold = await Promise.all([1, 2, 3].map(() => openReference(app, fixture)));
    for (const amount of ['10.00', '20.00', '30.00', '40.00']) for (const one of sold) await receive(app, one, amount);
    merchant.answerWith(CONFIRMATION);
    await travelUntil(app, fixture.areDelivered, 'everything being delivered', 120_000);
    expect(await readNews()).toEqual(['callback.endpoint_failing', 'callback.endpoint_recovered']);
    expect(await readEndpoint()).toMatchObject({ status: 'active', failures: 0, failingSince: null });
    const own = async (text: string, values?: unknown[]) => {
      const ids = (await fixture.deliveries()).map(({ payment_id }) => payment_id);
      return (await app.sql(text, values)).filter(({ payment_id }) => ids.includes(payment_id));
    };
    await expectInOrder(own, merchant.requests);
    expectOnce(merchant.requests);
  });
});

describe('the circuit of an endpoint', () => {
  test('closes immediately for another URL', async () => {
    await failFive();
    for (let nth = 0; nth < 3; nth++) await sellOne(app, fixture);
    const moved = await startReceiver();
    expect((await fixture.setEndpoint(`${moved.url}/new`)).status).toBe(200);
    await moved.received(3);
    expect(await readEndpoint()).toMatchObject({ status: 'active', failures: 0 });
    await fixture.untilQuiet();
    await moved.stop();
  });

  test('stays closed if calls to the former URL fail later', async () => {
    merchant.answerWith('hang');
    await Promise.all(Array.from({ length: 8 }, () => sellOne(app, fixture)));
    await merchant.received(8);
    const moved = await startReceiver();
    expect((await fixture.setEndpoint(moved.url)).status).toBe(200);
    await app.clock.advance(10_000);
    await fixture.untilQuiet();
    await sellOne(app, fixture);
    await moved.received(1);
    expect(await readEndpoint()).toMatchObject({ status: 'active', failures: 0 });
    expect(await readNews()).toEqual([]);
    await moved.stop();
  });

  test('closes immediately after a confirmed test delivery', async () => {
    await failFive();
    await sellOne(app, fixture);
    merchant.answerWith(CONFIRMATION);
    const tested = await fixture.call('/api/callbacks/test', { body: { type: 'PPR' } });
    expect(tested.json).toMatchObject({ status: 'Delivered' });
    // The node sends the test delivery before the waiting callbacks.
    expect(merchant.requests[5]?.headers['balcao-test']).toBe('true');
    await merchant.received(7);
    expect(await readNews()).toEqual(['callback.endpoint_failing', 'callback.endpoint_recovered']);
  });

  test('stays open after a test delivery that fails', async () => {
    await failFive();
    for (let nth = 0; nth < 3; nth++) await sellOne(app, fixture);
    const tested = await fixture.call('/api/callbacks/test', { body: { type: 'QR' } });
    expect(tested.json).toMatchObject({ status: 'Abandoned', attempts: [{ number: 1, status: 503 }] });
    await letNodesLook();
    expect(merchant.requests).toHaveLength(6);
    expect(await readEndpoint()).toMatchObject({ status: 'failing' });
  });

  test('closes immediately after a confirmed replay', async () => {
    await failFive();
    merchant.answerWith(CONFIRMATION);
    const [first] = await fixture.deliveries();
    expect((await fixture.call(`/api/callbacks/${first.id}/replay`, { method: 'POST' })).status).toBe(202);
    await merchant.received(6);
    expect(merchant.requests[5]?.headers).toMatchObject({ 'balcao-delivery': first.id, 'balcao-attempt': '2' });
    await until(async () => (await readEndpoint()).status === 'active', 'the circuit being closed');
  });
});

test('a locked row of an endpoint does not delay attempts of other merchants', async () => {
  const elsewhere = await startReceiver();
  const other = await openCallbackFixture(app, elsewhere.url);
  const release = await holdEndpoint();
  try {
    // PostgreSQL cancels a statement that waits for 10 s. After such a pause of the machine, the test tries again.
    const areTakenDuringWait = async () => {
      await sellOne(app, fixture);
      await until(async () => (await fixture.deliveries()).every(({ tries }) => tries > 0), 'its own record');
      await Promise.all([1, 2, 3].map(() => sellOne(app, other)));
      const areTaken = async () => (await other.deliveries()).every(({ status }) => status === 'Delivered');
      await until(areTaken, 'the others’ records');
      return (await countWaiting(app.databaseUrl, '')) > 0;
    };
    await until(areTakenDuringWait, 'the others’ records before the end of the wait');
  } finally {
    await release();
  }
  await until(async () => (await readEndpoint()).failures >= 1, 'its failure being counted');
  await elsewhere.stop();
});
