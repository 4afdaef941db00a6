// Two accounts of one kind, over HTTP with their fakes: the second is asked only when the first surely did not and will not charge.
import { beforeAll, describe, expect, test } from 'vitest';
import type { FakeFault } from '../../../sandbox/rails/fake.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { answerPush, authorization, capture } from '../../support/authorizations.ts';
import { readAttempts } from '../../support/notify.ts';
import { travelFor, travelUntil, webframe } from '../../support/payments.ts';
import {
  changeAccount,
  countCalls,
  createPush,
  enterAppyPay,
  enterOpg,
  openShop,
  press,
  readEvents,
  readPayment,
  untilPayment,
  untilThere,
} from '../../support/rail-stage.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const CHARGES = '/v2.0/charges';
const TOKENS = '/oauth2/token';

/** A shop whose pushes go to AppyPay, and then to ProxyPay OPG. */
async function openTwo() {
  const shop = await openShop(app);
  const first = await enterAppyPay(shop, { label: 'Principal', priority: 1 });
  const second = await enterOpg(shop, { label: 'Reserva', priority: 2 });
  return { shop, first, second };
}

type Two = Awaited<ReturnType<typeof openTwo>>;

const railsOf = async (id: string) => (await readAttempts(app, id)).map(({ rail }) => rail);
const typesOf = async ({ shop }: Pick<Two, 'shop'>, id: string) => (await readEvents(shop, id)).map(({ type }) => type);
const untilSecond = ({ second }: Two) => untilThere(() => [...second.fake.book.transactions.values()][0], 'the push');
const refuseTokens = ({ first }: Two) => void (first.fake.book.clientSecret = 'another one');

describe('the second account is asked at once when', () => {
  const SURE: [string, (two: Two) => unknown, string][] = [
    ['no connection to the first was ever made', ({ first }) => first.fake.stop(), 'rail_unavailable'],
    ['the first refused the token', refuseTokens, 'acquirer_setup'],
    [
      'the first says that its contract is wrong',
      ({ first }) => first.fake.book.plans.push({ code: 206 }),
      'acquirer_setup',
    ],
  ];

  test.each(SURE)('%s', async (_name, fail, failureCode) => {
    const two = await openTwo();
    await fail(two);
    const payment = await createPush(two.shop);
    const { id } = await untilSecond(two);
    await press(two.second.fake, id, 'Approve');
    const paid = await untilPayment(two.shop, payment.id, 'Paid');
    expect(paid).toMatchObject({ amountPaid: 1500, failure: null, flags: [] });
    expect(await railsOf(payment.id)).toEqual([two.first.account.id, two.second.account.id]);
    const [event] = (await readEvents(two.shop, payment.id)).filter(({ type }) => type === 'payment.failed_over');
    expect(event?.details).toMatchObject({ from: 'Principal', to: 'Reserva', failureCode });
    expect(await typesOf(two, payment.id)).toEqual([
      'payment.created',
      'payment.processing',
      'payment.failed_over',
      'payment.paid',
    ]);
  });

  test('the first says for good that it cannot be done now', async () => {
    const shop = await openShop(app);
    await enterOpg(shop, { priority: 1 });
    const { fake } = await enterAppyPay(shop, { priority: 2 });
    const metadata = { paymentMethod: 'onetimepurchase', phoneNumber: '900001000' };
    const payment = await createPush(shop, { metadata });
    await travelUntil(app, () => fake.book.charges.length === 1, 'the second one being asked', 60_000);
    await press(fake, fake.book.charges[0]!.id, 'approve');
    await untilPayment(shop, payment.id, 'Paid');
  });

  test('but never when its payer or the payer’s bank said no', async () => {
    const two = await openTwo();
    two.first.fake.book.plans.push({ code: 231 });
    const payment = await createPush(two.shop);
    expect(await untilPayment(two.shop, payment.id, 'Failed')).toMatchObject({ failure: { code: 'customer_refused' } });
    expect(two.second.fake.requests).toEqual([]);
  });
});

describe('the second account is never asked after', () => {
  /** Each time that the push goes out: the first never answers it as it should. */
  const UNSURE: [string, FakeFault][] = [
    ['a timeout', 'hang'],
    ['a 5xx before the effect', 'error_before'],
    ['a 5xx after it', 'error_after'],
    ['a reset before the effect', 'drop_before'],
    ['a reset after it', 'drop_after'],
    ['an unreadable answer', 'garbage'],
    ['an answer without an end', 'oversize'],
  ];

  test.each(UNSURE)('%s', async (_name, fault) => {
    const two = await openTwo();
    two.first.fake.fault(fault, { method: 'POST', path: CHARGES, times: 99 });
    const payment = await createPush(two.shop);
    const arrived = fault !== 'error_before' && fault !== 'drop_before';
    // Long past the time at which the first may say that it never saw it.
    await travelFor(app, async () => (await readPayment(two.shop, payment.id)).status === 'Failed', 120_000);
    expect(await railsOf(payment.id)).toEqual([two.first.account.id]);
    expect(two.second.fake.requests).toEqual([]);
    const { status } = await readPayment(two.shop, payment.id);
    expect(status).toBe(arrived ? 'Processing' : 'Failed');
    if (!arrived) return;
    await press(two.first.fake, two.first.fake.book.charges[0]!.id, 'approve');
    await untilPayment(two.shop, payment.id, 'Paid');
    expect(two.first.fake.book.charges).toHaveLength(1);
  });

  test('an answer that it is on its way', async () => {
    const two = await openTwo();
    const payment = await createPush(two.shop);
    await travelFor(app, async () => false, 80_000);
    expect(await railsOf(payment.id)).toEqual([two.first.account.id]);
    await press(two.first.fake, two.first.fake.book.charges[0]!.id, 'fail');
    // What failed there on its way may still be charged: only after its payer's time it is final.
    expect(two.second.fake.requests).toEqual([]);
  });
});

describe('at most two accounts a payment', () => {
  const openThree = async () => {
    const two = await openTwo();
    const third = await enterAppyPay(two.shop, { label: 'Terceira', priority: 3 });
    await two.first.fake.stop();
    await two.second.fake.stop();
    return { ...two, third };
  };

  test('the third is not asked, although it could', async () => {
    const { shop, first, second, third } = await openThree();
    const payment = await createPush(shop);
    await travelUntil(app, async () => (await readPayment(shop, payment.id)).status === 'Failed', 'Failed', 90_000);
    expect(await railsOf(payment.id)).toEqual([first.account.id, second.account.id]);
    expect(third.fake.requests).toEqual([]);
  });

  test('nor when its payer tries again', async () => {
    const { shop, first, second, third } = await openThree();
    const { json: payment } = await shop.call('/api/payments', { body: webframe() });
    const pay = () => shop.call(`/checkout/${payment.clientToken}/pay`, { body: { phoneNumber: '923456789' } });
    const isRefused = async () => {
      const { status, failure } = await readPayment(shop, payment.id);
      return status === 'Pending' && failure?.code === 'rail_unavailable';
    };
    for (let push = 0; push < 2; push++) {
      expect((await pay()).status).toBe(202);
      await travelUntil(app, isRefused, 'the page being open again', 90_000);
    }
    for (const { account } of [first, second])
      expect((await changeAccount(shop, account, { status: 'draining' })).status).toBe(200);
    expect(await pay()).toMatchObject({ status: 503, json: { code: 'rail_unavailable' } });
    expect(new Set(await railsOf(payment.id))).toEqual(new Set([first.account.id, second.account.id]));
    expect(third.fake.requests).toEqual([]);
    // Another payment may go there.
    const other = await createPush(shop);
    expect(await railsOf(other.id)).toEqual([third.account.id]);
  });
});

describe('what an account made stays its own', () => {
  test('late money is recorded as its money, also when it is draining', async () => {
    const two = await openTwo();
    const { first, second, shop } = two;
    first.fake.book.plans.push({ code: 206 });
    const payment = await createPush(shop);
    const { id } = await untilSecond(two);
    await press(second.fake, id, 'Approve');
    await untilPayment(shop, payment.id, 'Paid');
    expect((await changeAccount(shop, first.account, { status: 'draining' })).status).toBe(200);
    // It contradicts itself: money moved after all.
    const charge = first.fake.book.charges[0]!;
    await press(first.fake, charge.id, 'approve');
    const money =
      'select rail, amount_minor::int as minor from transactions where payment_id = $1 order by created_at, id';
    await until(async () => (await app.sql(money, [payment.id])).length === 2, 'both being recorded');
    expect(await app.sql(money, [payment.id])).toEqual([
      { rail: second.account.id, minor: 150_000 },
      { rail: first.account.id, minor: 150_000 },
    ]);
    expect(await readPayment(shop, payment.id)).toMatchObject({ flags: ['overpaid'], amountPaid: 3000 });
  });

  test('a push under way is settled by the account that made it, also when it is draining', async () => {
    const two = await openTwo();
    const { first, shop } = two;
    const payment = await createPush(shop);
    const charge = await untilThere(() => first.fake.book.charges[0], 'the push');
    expect((await changeAccount(shop, first.account, { status: 'draining' })).status).toBe(200);
    const next = await createPush(shop);
    expect(await railsOf(next.id)).toEqual([two.second.account.id]);
    await press(first.fake, charge.id, 'approve');
    await untilPayment(shop, payment.id, 'Paid');
  });

  test('a hold of the operator’s account is captured and released there, whatever account the merchant has by now', async () => {
    const shop = await openShop(app);
    const authorize = async () => {
      const { json } = await shop.call('/api/payments', { body: authorization() });
      await answerPush(app, json.id, 'approve');
      await untilPayment(shop, json.id, 'Authorized');
      return json.id as string;
    };
    const [taken, released] = [await authorize(), await authorize()];
    const { fake } = await enterAppyPay(shop);
    const captured = await shop.call('/api/payments', { body: capture(taken) });
    expect(captured.status).toBe(201);
    await travelUntil(app, async () => (await readPayment(shop, taken)).status === 'Captured', 'Captured', 60_000);
    await shop.call(`/api/payments/${released}/cancel`, { method: 'POST' });
    await travelUntil(app, async () => (await readPayment(shop, released)).status === 'Canceled', 'Canceled', 60_000);
    expect(await railsOf(captured.json.id)).toEqual(['gpo']);
    expect(await railsOf(released)).toEqual(['gpo', 'gpo']);
    expect(fake.requests).toEqual([]);
  });
});

describe('an account that is set up wrong', () => {
  const failOne = async (two: Two) => {
    refuseTokens(two);
    const payment = await createPush(two.shop);
    await until(() => two.second.fake.book.transactions.size === 1, 'the second account being asked');
    return payment;
  };

  test('stands back at once for a minute, and comes back by one real push', async () => {
    const two = await openTwo();
    await failOne(two);
    const tokens = countCalls(two.first.fake, 'POST', TOKENS);
    const next = await createPush(two.shop);
    expect(await railsOf(next.id)).toEqual([two.second.account.id]);
    expect(countCalls(two.first.fake, 'POST', TOKENS)).toBe(tokens);
    two.first.fake.book.clientSecret = 'secret-1';
    app.clock.leap(61_000);
    // Of two at one moment, while nobody knows how it ends, one tries it.
    const { promise: held, resolve: answer } = Promise.withResolvers<void>();
    two.first.fake.fault(held, { method: 'POST', path: '/v2.0/charges' });
    const both = await Promise.all([createPush(two.shop), createPush(two.shop)]);
    const charge = await untilThere(() => two.first.fake.book.charges[0], 'the try');
    const rails = await Promise.all(both.map(({ id }) => railsOf(id)));
    expect(rails.toSorted()).toEqual([[two.first.account.id], [two.second.account.id]].toSorted());
    answer();
    const tried = both[rails.findIndex(([rail]) => rail === two.first.account.id)]!;
    await until(async () => (await readAttempts(app, tried.id))[0].status === 'Sent', 'the try being answered');
    const later = await createPush(two.shop);
    expect(await railsOf(later.id)).toEqual([two.first.account.id]);
    await press(two.first.fake, charge.id, 'approve');
    await untilPayment(two.shop, tried.id, 'Paid');
  });

  test('does not come back by a question that it answers', async () => {
    const two = await openTwo();
    const old = await createPush(two.shop);
    await untilThere(() => two.first.fake.book.charges[0], 'the push');
    two.first.fake.book.tokens.clear();
    await failOne(two);
    two.first.fake.book.clientSecret = 'secret-1';
    const { status } = await two.shop.call(`/api/payments/${old.id}/sync`, { method: 'POST' });
    expect(status).toBe(200);
    const next = await createPush(two.shop);
    expect(await railsOf(next.id)).toEqual([two.second.account.id]);
  });

  test('is told to its merchant’s people by its name, once a day, whatever account went on', async () => {
    const two = await openTwo();
    const told = async () => (await two.shop.call('/v1/notificacoes')).json.data;
    const { reference } = await failOne(two);
    expect(await told()).toMatchObject([
      { tipo: 'payment.acquirer_setup', mensagem: expect.stringContaining(reference) },
    ]);
    expect((await told())[0].mensagem).toContain('«Principal»');
    await changeAccount(two.shop, two.second.account, { status: 'disabled' });
    const failed = await createPush(two.shop);
    expect(await untilPayment(two.shop, failed.id, 'Failed')).toMatchObject({ failure: { code: 'acquirer_setup' } });
    expect(await told()).toHaveLength(1);
    expect((await (await openShop(app)).call('/v1/notificacoes')).json.data).toEqual([]);
  });
});
