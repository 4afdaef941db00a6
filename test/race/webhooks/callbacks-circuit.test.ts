// The circuit of an endpoint that fails: told once, probed by one attempt at a time on whichever node, closed by whatever shows that it works.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openShop, type Shop } from '../../support/callbacks.ts';
import { testClock } from '../../support/clock.ts';
import { expectInOrder, expectOnce, openReference, receive, sellOne } from '../../support/deliveries.ts';
import { holdLock } from '../../support/locks.ts';
import { creepUntil, travelUntil } from '../../support/payments.ts';
import { RECEIVER_ENV, startReceiver, TAKEN, type Receiver, type Said } from '../../support/receiver.ts';

const FAILED = { status: 503 };

let app: TestApp;
let merchant: Receiver;
let shop: Shop;
beforeAll(async () => {
  const clock = testClock();
  app = await startTestApp({ clock, env: RECEIVER_ENV });
  await app.startTwin();
});
beforeEach(async () => {
  merchant = await startReceiver({ answer: FAILED });
  shop = await openShop(app, merchant.url);
  return () => merchant.stop();
});

const readEndpoint = async () => (await shop.call(shop.endpointPath)).json;
const readNews = async () =>
  (
    await app.sql(`select type from events where merchant_id = $1 and type like 'callback.endpoint%' order by seq`, [
      shop.merchantId,
    ])
  ).map(({ type }) => type);
const areDelivered = async () => (await shop.deliveries()).every(({ status }) => status === 'Delivered');
const isQuiet = async () => (await shop.deliveries()).every(({ leased_until }) => !leased_until);
const untilQuiet = () => until(isQuiet, 'every attempt recorded');

/** Nobody else can count what happens at the shop's endpoint. */
const holdEndpoint = () =>
  holdLock(app.databaseUrl, `select from endpoints where merchant_id = '${shop.merchantId}' for update`);

/** Five payments, one after the other, whose first attempts fail. */
async function failFive(): Promise<void> {
  for (let nth = 1; nth <= 5; nth++) {
    await sellOne(app, shop);
    await merchant.received(nth);
    await untilQuiet();
  }
  await until(async () => (await readEndpoint()).status === 'failing', 'the circuit being open');
}

/** Both nodes have looked for what is due at this moment: another merchant's callback, made due again, has arrived. */
async function letNodesLook(): Promise<void> {
  const elsewhere = await startReceiver();
  const other = await openShop(app, elsewhere.url);
  for (let nth = 1; nth <= 3; nth++) {
    const { id } = await sellOne(app, other);
    await elsewhere.received(nth);
    await until(async () => (await other.deliveries()).every(({ status }) => status === 'Delivered'), `${id} taken`);
  }
  await elsewhere.stop();
}

describe('five failures in a row', () => {
  test('open it: that is told once, and nothing goes out until a probe', async () => {
    await failFive();
    expect(await readNews()).toEqual(['callback.endpoint_failing']);
    expect(await readEndpoint()).toMatchObject({ failures: 5, failingSince: expect.any(String) });
    for (let nth = 0; nth < 3; nth++) await sellOne(app, shop);
    await app.clock.advance(4_000);
    await letNodesLook();
    expect(merchant.requests).toHaveLength(5);
    // The probe of the first 5 s is one call, though everything is due by then.
    await travelUntil(app, () => merchant.requests.length === 6, 'a probe', 3_000);
    await untilQuiet();
    await letNodesLook();
    expect(merchant.requests).toHaveLength(6);
    expect(await readNews()).toEqual(['callback.endpoint_failing']);
  });

  test('that others interrupt leave it closed', async () => {
    merchant.say((_request, nth) => (nth % 5 === 0 ? TAKEN : FAILED));
    for (let nth = 1; nth <= 11; nth++) {
      await sellOne(app, shop);
      await merchant.received(nth);
      await untilQuiet();
    }
    expect(await readNews()).toEqual([]);
    expect(await readEndpoint()).toMatchObject({ status: 'active' });
  });

  test('leave it closed when a call that began before them succeeds after them', async () => {
    let answer: (said: Said) => void = () => {};
    const told = new Promise<Said>((resolve) => (answer = resolve));
    merchant.say((_request, nth) => (nth === 1 ? told : FAILED));
    for (let nth = 1; nth <= 5; nth++) {
      await sellOne(app, shop);
      await merchant.received(nth);
    }
    await until(async () => (await readEndpoint()).failures === 4, 'four failures');
    answer(TAKEN);
    await until(async () => (await readEndpoint()).failures === 0, 'the success being counted');
    await sellOne(app, shop);
    await merchant.received(6);
    await until(async () => (await readEndpoint()).failures === 1, 'another failure');
    expect(await readNews()).toEqual([]);
  });

  test('at once are no more than one after the other: the first probe comes after 5 s', async () => {
    merchant.say('hang');
    await Promise.all(Array.from({ length: 16 }, () => sellOne(app, shop)));
    await merchant.received(16);
    // Most of them are counted together.
    const release = await holdEndpoint();
    await app.clock.advance(10_000);
    await untilQuiet().finally(release);
    await until(async () => (await readEndpoint()).status === 'failing', 'the circuit being open');
    const opened = app.clock.now().getTime();
    await travelUntil(app, () => merchant.requests.length === 17, 'a probe', 10_000);
    expect(app.clock.now().getTime() - opened).toBeGreaterThanOrEqual(4_500);
    expect(await readNews()).toEqual(['callback.endpoint_failing']);
  });

  test('are counted although each confirmed attempt before was a success', async () => {
    merchant.say(TAKEN);
    await sellOne(app, shop);
    await merchant.received(1);
    await untilQuiet();
    merchant.say(FAILED);
    for (let nth = 2; nth <= 6; nth++) {
      await sellOne(app, shop);
      await merchant.received(nth);
      await untilQuiet();
    }
    await until(async () => (await readEndpoint()).failures === 5, 'five failures');
    expect(await readNews()).toEqual(['callback.endpoint_failing']);
  });
});

describe('while it is open', () => {
  test('one probe at a time goes out, from two nodes: the next only when its call has ended', async () => {
    await failFive();
    for (let nth = 0; nth < 4; nth++) await sellOne(app, shop);
    merchant.say('hang');
    await travelUntil(app, () => merchant.requests.length === 6, 'a probe', 10_000);
    const began = app.clock.now().getTime();
    // The call's own time is 10 s.
    await creepUntil(app, () => app.clock.now().getTime() >= began + 8_500, 'nearly its time');
    await letNodesLook();
    expect(merchant.requests).toHaveLength(6);
  });

  test('probes are 5, 10, 20, 40 s apart, then a minute', async () => {
    await failFive();
    for (let nth = 0; nth < 8; nth++) await sellOne(app, shop);
    const gaps: number[] = [];
    for (let nth = 6; nth <= 11; nth++) {
      const since = app.clock.now().getTime();
      await travelUntil(app, () => merchant.requests.length === nth, `probe ${nth - 5}`, 70_000);
      gaps.push((app.clock.now().getTime() - since) / 1_000);
      await untilQuiet();
      await until(async () => (await readEndpoint()).failures === nth, 'the failure being counted');
    }
    const planned = [5, 10, 20, 40, 60, 60];
    for (const [nth, gap] of gaps.entries()) {
      expect(gap).toBeGreaterThan((planned[nth] ?? 0) - 1);
      // Nodes look each second, and the clock runs in half seconds.
      expect(gap).toBeLessThan((planned[nth] ?? 0) + 5);
    }
    expectOnce(merchant.requests);
    expect(await readNews()).toEqual(['callback.endpoint_failing']);
  }, 60_000);

  test('a probe that succeeds closes it: told once, and everything goes out, of each payment in its order', async () => {
    await failFive();
    const sold = await Promise.all([1, 2, 3].map(() => openReference(app, shop)));
    for (const amount of ['10.00', '20.00', '30.00', '40.00']) for (const one of sold) await receive(app, one, amount);
    merchant.say(TAKEN);
    await travelUntil(app, areDelivered, 'everything being delivered', 120_000);
    expect(await readNews()).toEqual(['callback.endpoint_failing', 'callback.endpoint_recovered']);
    expect(await readEndpoint()).toMatchObject({ status: 'active', failures: 0, failingSince: null });
    const own = async (text: string, values?: unknown[]) => {
      const ids = (await shop.deliveries()).map(({ payment_id }) => payment_id);
      return (await app.sql(text, values)).filter(({ payment_id }) => ids.includes(payment_id));
    };
    await expectInOrder(own, merchant.requests);
    expectOnce(merchant.requests);
  });

  test('a second outage is told again', async () => {
    await failFive();
    merchant.say(TAKEN);
    await travelUntil(app, areDelivered, 'recovery', 120_000);
    merchant.say(FAILED);
    const before = merchant.requests.length;
    for (let nth = 1; nth <= 5; nth++) {
      await sellOne(app, shop);
      await merchant.received(before + nth);
      await untilQuiet();
    }
    await until(async () => (await readNews()).length === 3, 'the second outage');
    expect(await readNews()).toEqual([
      'callback.endpoint_failing',
      'callback.endpoint_recovered',
      'callback.endpoint_failing',
    ]);
  });
});

describe('it is closed at once (the clock stands still)', () => {
  test('by another url: everything that waited goes there', async () => {
    await failFive();
    for (let nth = 0; nth < 3; nth++) await sellOne(app, shop);
    const moved = await startReceiver();
    expect((await shop.setEndpoint(`${moved.url}/new`)).status).toBe(200);
    await moved.received(3);
    expect(await readEndpoint()).toMatchObject({ status: 'active', failures: 0 });
    await untilQuiet();
    await moved.stop();
  });

  test('and stays so when calls to the former url end only now', async () => {
    merchant.say('hang');
    await Promise.all(Array.from({ length: 8 }, () => sellOne(app, shop)));
    await merchant.received(8);
    const moved = await startReceiver();
    expect((await shop.setEndpoint(moved.url)).status).toBe(200);
    await app.clock.advance(10_000);
    await untilQuiet();
    await sellOne(app, shop);
    await moved.received(1);
    expect(await readEndpoint()).toMatchObject({ status: 'active', failures: 0 });
    expect(await readNews()).toEqual([]);
    await moved.stop();
  });

  test('by a test that is taken', async () => {
    await failFive();
    await sellOne(app, shop);
    merchant.say(TAKEN);
    const tested = await shop.call('/api/callbacks/test', { body: { type: 'PPR' } });
    expect(tested.json).toMatchObject({ status: 'Delivered' });
    // It goes before what waited.
    expect(merchant.requests[5]?.headers['balcao-test']).toBe('true');
    await merchant.received(7);
    expect(await readNews()).toEqual(['callback.endpoint_failing', 'callback.endpoint_recovered']);
  });

  test('or tried at least, by a test that is not taken: the answer tells it', async () => {
    await failFive();
    for (let nth = 0; nth < 3; nth++) await sellOne(app, shop);
    const tested = await shop.call('/api/callbacks/test', { body: { type: 'QR' } });
    expect(tested.json).toMatchObject({ status: 'Abandoned', attempts: [{ number: 1, status: 503 }] });
    await letNodesLook();
    expect(merchant.requests).toHaveLength(6);
    expect(await readEndpoint()).toMatchObject({ status: 'failing' });
  });

  test('by a replay that is taken', async () => {
    await failFive();
    merchant.say(TAKEN);
    const [first] = await shop.deliveries();
    expect((await shop.call(`/api/callbacks/${first.id}/replay`, { method: 'POST' })).status).toBe(202);
    await merchant.received(6);
    expect(merchant.requests[5]?.headers).toMatchObject({ 'balcao-delivery': first.id, 'balcao-attempt': '2' });
    await until(async () => (await readEndpoint()).status === 'active', 'the circuit being closed');
  });
});

test('an endpoint whose row somebody holds delays the records of nobody else', async () => {
  const elsewhere = await startReceiver();
  const other = await openShop(app, elsewhere.url);
  const release = await holdEndpoint();
  try {
    await sellOne(app, shop);
    await until(async () => (await shop.deliveries())[0]?.tries === 1, 'its own record');
    await Promise.all([1, 2, 3].map(() => sellOne(app, other)));
    const areTaken = async () => (await other.deliveries()).every(({ status }) => status === 'Delivered');
    await until(areTaken, 'the others’ records', 5_000);
  } finally {
    await release();
  }
  await until(async () => (await readEndpoint()).failures === 1, 'its failure being counted');
  await elsewhere.stop();
});
