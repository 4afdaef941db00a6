// Who waits for whom: a later callback for the first attempt of the earlier one of its payment, and nobody for anything else.
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openShop, type Shop } from '../../support/callbacks.ts';
import {
  attemptOf,
  expectInOrder,
  moneyOf,
  openReference,
  openReferences,
  receive,
  sellOne,
  tellOf,
  type Sold,
} from '../../support/deliveries.ts';
import { travelUntil } from '../../support/payments.ts';
import { RECEIVER_ENV, startReceiver, TAKEN, type Receiver } from '../../support/receiver.ts';

/** Attempts under way at one endpoint. */
const ROOM = 16;

let app: TestApp;
let merchant: Receiver;
let shop: Shop;
beforeAll(async () => {
  app = await startTestApp({ env: RECEIVER_ENV });
});
beforeEach(async () => {
  merchant = await startReceiver();
  shop = await openShop(app, merchant.url);
  return () => merchant.stop();
});

const times = <T>(count: number, make: (nth: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, nth) => make(nth)));

/** Nothing is under way at the shop's endpoint any more. */
const untilQuiet = () =>
  until(async () => (await shop.deliveries()).every(({ leased_until }) => !leased_until), 'every attempt recorded');

describe('merchants that hang (the clock stands still, their calls never end)', () => {
  test('at every place they have, twenty of them, delay nobody else’s first attempts', async () => {
    const hanging: { receiver: Receiver; slow: Shop }[] = [];
    for (let nth = 0; nth < 20; nth++) {
      const receiver = await startReceiver({ answer: 'hang' });
      onTestFinished(() => receiver.stop());
      const slow = await openShop(app, receiver.url);
      const sold = await openReferences(app, slow, ROOM + 1);
      await Promise.all(sold.map((one) => tellOf(app, one)));
      // However full the node is by then, each endpoint has some places.
      await receiver.received(nth < 10 ? ROOM : 4);
      hanging.push({ receiver, slow });
    }

    const others = await times(4, async () => {
      const receiver = await startReceiver();
      onTestFinished(() => receiver.stop());
      const quick = await openShop(app, receiver.url);
      // One of its payments is told to nobody who answers.
      const [slowest, ...sold] = await openReferences(app, quick, 4);
      receiver.say(({ json }) => (json.refPagamento === slowest?.reference ? 'hang' : TAKEN));
      await receive(app, slowest as Sold);
      await receiver.received(1);
      await Promise.all(sold.map((one) => receive(app, one)));
      return { receiver, quick };
    });
    await Promise.all(others.map(({ receiver }) => receiver.received(4)));
    const ended = await app.sql(
      `select from deliveries d join delivery_attempts a on a.delivery_id = d.id where d.merchant_id = any($1)`,
      [hanging.map(({ slow }) => slow.merchantId)],
    );
    expect(ended).toEqual([]);
    // Nobody has more under way than there is room for.
    expect(Math.max(...hanging.map(({ receiver }) => receiver.requests.length))).toBeLessThanOrEqual(ROOM);
  });

  test('at one payment’s callback delay neither the merchant’s other payments nor their later callbacks', async () => {
    const slow = await times(ROOM - 1, () => openReference(app, shop));
    const digits = new Set(slow.map(({ reference }) => reference));
    merchant.say(({ json }) => (digits.has(json.refPagamento) ? 'hang' : TAKEN));
    await Promise.all(slow.map((sold) => receive(app, sold)));
    await merchant.received(ROOM - 1);
    const quick = await times(3, () => openReference(app, shop));
    for (const amount of ['10.00', '20.00', '30.00'])
      await Promise.all(quick.map((sold) => receive(app, sold, amount)));
    await merchant.received(ROOM - 1 + 9);
    expect(merchant.requests.filter(({ json }) => digits.has(json.refPagamento))).toHaveLength(ROOM - 1);
  });

  test('the same payment’s later callbacks wait until its first attempt has timed out, and not for its second', async () => {
    merchant.say((_, nth) => (nth === 1 ? 'hang' : TAKEN));
    const sold = await openReference(app, shop);
    await receive(app, sold, '10.00');
    await merchant.received(1);
    await receive(app, sold, '20.00');
    await receive(app, sold, '30.00');
    // Everything else that is due is looked at meanwhile.
    await app.clock.advance(9_000);
    await sellOne(app, shop);
    await merchant.received(2);
    expect(merchant.requests.map(({ json }) => json.montantePago)).toEqual([10, 1500]);
    await app.clock.advance(1_000);
    await merchant.received(4);
    await untilQuiet();
    expect(merchant.requests.slice(2).map(({ json }) => json.montantePago)).toEqual([20, 30]);
    await travelUntil(app, () => merchant.requests.length === 5, 'its second attempt', 10_000);
    expect(merchant.requests.map(attemptOf).at(-1)).toBe(`${merchant.requests[0]?.headers['balcao-delivery']} 2`);
  });
});

describe('callbacks of one payment', () => {
  test.each([
    ['500', { status: 500 }],
    ['no confirmation', { status: 200, body: { Success: false } }],
    ['410', { status: 410 }],
  ])('go out at once after the first attempt of the earlier one failed with %s', async (_name, said) => {
    merchant.say((_request, nth) => (nth <= 2 ? said : TAKEN));
    const sold = await openReference(app, shop);
    // Recorded while the endpoint is not asked: all are due at once.
    for (const amount of ['10.00', '20.00', '30.00']) await receive(app, sold, amount);
    await merchant.received(3);
    await untilQuiet();
    expect(merchant.requests.map(({ json }) => json.montantePago)).toEqual([10, 20, 30]);
    expect(merchant.requests.map(({ headers }) => headers['balcao-attempt'])).toEqual(['1', '1', '1']);
  });

  test('arrive in the order of the money, however many are told at once', async () => {
    const sold: Sold[] = await times(4, () => openReference(app, shop));
    await times(80, (nth) => tellOf(app, sold[nth % 4] as Sold, `${nth + 1}.00`));
    await merchant.received(80);
    await untilQuiet();
    const own = new Set(sold.map(({ internalId }) => internalId));
    const mine = async (text: string, values?: unknown[]) =>
      (await app.sql(text, values)).filter(({ payment_id }) => own.has(payment_id));
    await expectInOrder(mine, merchant.requests);
    expect(merchant.requests).toHaveLength(80);
    expect(new Set(merchant.requests.map(moneyOf)).size).toBe(80);
  });
});
