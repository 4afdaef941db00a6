// Failover between two rail accounts: the second gets a push only if the first certainly never charges the payer.
import { beforeAll, describe, expect, test } from 'vitest';
import type { FakeFault } from '../../../sandbox/rails/fake.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { answerPush, authorization, capture } from '../../support/authorizations.ts';
import { readAttempts, readPayment } from '../../support/notify.ts';
import { travelFor, travelUntil, untilStatus, webframe } from '../../support/payments.ts';
import {
  changeRail,
  countCalls,
  createPush,
  enterAppyPay,
  enterOpg,
  openMerchant,
  press,
  readEvents,
  SECRET,
  UNREACHABLE_URL,
  untilThere,
  type Merchant,
  type RailAccount,
} from '../../support/rail-accounts.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const CHARGES = '/v2.0/charges';
const TOKENS = '/oauth2/token';

/** Creates a merchant with two rail accounts: AppyPay first, ProxyPay OPG second. */
async function failoverFixture() {
  const merchant = await openMerchant(app);
  const first = await enterAppyPay(merchant, { label: 'Principal', priority: 1 });
  const second = await enterOpg(merchant, { label: 'Reserva', priority: 2 });
  return { merchant, first, second };
}

type Two = Awaited<ReturnType<typeof failoverFixture>>;

const railsOf = async (id: string) => (await readAttempts(app, id)).map(({ rail }) => rail);
const typesOf = async ({ merchant }: Pick<Two, 'merchant'>, id: string) =>
  (await readEvents(merchant, id)).map(({ type }) => type);
const untilSecond = ({ second }: Two) => untilThere(() => [...second.fake.book.transactions.values()][0], 'the push');
/** Changes the account, so that no call connects. A stopped server would leave its port to any other server. */
async function disconnect(merchant: Merchant, account: RailAccount): Promise<void> {
  for (const name of ['baseUrl', 'tokenUrl']) if (name in account.settings) account.settings[name] = UNREACHABLE_URL;
  expect((await changeRail(merchant, account, {})).status).toBe(200);
}
const refuseTokens = ({ first }: Two) => void (first.fake.book.clientSecret = 'another one');

describe('a push moves to the second account', () => {
  const SURE: [string, (two: Two) => unknown, string][] = [
    [
      'no connection to the first account was made',
      ({ merchant, first }) => disconnect(merchant, first.account),
      'rail_unavailable',
    ],
    ['the first account gets no access token', refuseTokens, 'acquirer_setup'],
    [
      'the first account reports a wrong contract',
      ({ first }) => first.fake.book.plans.push({ code: 206 }),
      'acquirer_setup',
    ],
  ];

  test.each(SURE)('if %s', async (_name, fail, failureCode) => {
    const two = await failoverFixture();
    await fail(two);
    const payment = await createPush(two.merchant);
    const { id } = await untilSecond(two);
    await press(two.second.fake, id, 'Approve');
    const paid = await untilStatus(two.merchant, payment.id, 'Paid');
    expect(paid).toMatchObject({ amountPaid: 1500, failure: null, flags: [] });
    expect(await railsOf(payment.id)).toEqual([two.first.account.id, two.second.account.id]);
    const [event] = (await readEvents(two.merchant, payment.id)).filter(({ type }) => type === 'payment.failed_over');
    expect(event?.details).toMatchObject({ from: 'Principal', to: 'Reserva', failureCode });
    expect(await typesOf(two, payment.id)).toEqual([
      'payment.created',
      'payment.processing',
      'payment.failed_over',
      'payment.paid',
    ]);
  });

  test('if the first account refuses the order as `unavailable`', async () => {
    const merchant = await openMerchant(app);
    await enterOpg(merchant, { priority: 1 });
    const { fake } = await enterAppyPay(merchant, { priority: 2 });
    const metadata = { paymentMethod: 'onetimepurchase', phoneNumber: '900001000' };
    const payment = await createPush(merchant, { metadata });
    await travelUntil(app, () => fake.book.charges.length === 1, 'the second push', 60_000);
    await press(fake, fake.book.charges[0]!.id, 'approve');
    await untilStatus(merchant, payment.id, 'Paid');
  });
});

describe('a push does not move to the second account', () => {
  /** Each of these faults applies to all requests about a push at the first account. */
  const UNSURE: [string, FakeFault][] = [
    ['a timeout', 'hang'],
    ['a 500 before the effect', 'error_before'],
    ['a reset after the effect', 'drop_after'],
  ];

  test.each(UNSURE)('after the fault %s', async (_name, fault) => {
    const two = await failoverFixture();
    two.first.fake.fault(fault, { method: 'POST', path: CHARGES, times: 99 });
    const payment = await createPush(two.merchant);
    const arrived = fault !== 'error_before';
    // After this time the first account no longer returns "unknown order".
    await travelFor(app, async () => (await readPayment(two.merchant, payment.id)).status === 'Failed', 120_000);
    expect(await railsOf(payment.id)).toEqual([two.first.account.id]);
    expect(two.second.fake.requests).toEqual([]);
    const { status } = await readPayment(two.merchant, payment.id);
    expect(status).toBe(arrived ? 'Processing' : 'Failed');
    if (!arrived) return;
    await press(two.first.fake, two.first.fake.book.charges[0]!.id, 'approve');
    await untilStatus(two.merchant, payment.id, 'Paid');
    expect(two.first.fake.book.charges).toHaveLength(1);
  });

  test('after its payer refuses it', async () => {
    const two = await failoverFixture();
    two.first.fake.book.plans.push({ code: 231 });
    const payment = await createPush(two.merchant);
    expect(await untilStatus(two.merchant, payment.id, 'Failed')).toMatchObject({
      failure: { code: 'customer_refused' },
    });
    expect(two.second.fake.requests).toEqual([]);
  });

  test('after the response that it is pending', async () => {
    const two = await failoverFixture();
    const payment = await createPush(two.merchant);
    await travelFor(app, async () => false, 80_000);
    expect(await railsOf(payment.id)).toEqual([two.first.account.id]);
    await press(two.first.fake, two.first.fake.book.charges[0]!.id, 'fail');
    // A push whose call failed may still charge the payer until the payer's time to decide ends.
    expect(two.second.fake.requests).toEqual([]);
  });
});

describe('a payment is sent to at most two rail accounts', () => {
  const openThree = async () => {
    const two = await failoverFixture();
    const third = await enterAppyPay(two.merchant, { label: 'Terceira', priority: 3 });
    for (const { account } of [two.first, two.second]) await disconnect(two.merchant, account);
    return { ...two, third };
  };

  test('although a third account could process its push', async () => {
    const { merchant, first, second, third } = await openThree();
    const payment = await createPush(merchant);
    await travelUntil(app, async () => (await readPayment(merchant, payment.id)).status === 'Failed', 'Failed', 90_000);
    expect(await railsOf(payment.id)).toEqual([first.account.id, second.account.id]);
    expect(third.fake.requests).toEqual([]);
  });

  test('although its payer starts another push', async () => {
    const { merchant, first, second, third } = await openThree();
    const { json: payment } = await merchant.call('/api/payments', { body: webframe() });
    const pay = () => merchant.call(`/checkout/${payment.clientToken}/pay`, { body: { phoneNumber: '923456789' } });
    const isRefused = async () => {
      const { status, failure } = await readPayment(merchant, payment.id);
      return status === 'Pending' && failure?.code === 'rail_unavailable';
    };
    for (let push = 0; push < 2; push++) {
      expect((await pay()).status).toBe(202);
      await travelUntil(app, isRefused, 'the page being open again', 90_000);
    }
    for (const { account } of [first, second])
      expect((await changeRail(merchant, account, { status: 'draining' })).status).toBe(200);
    expect(await pay()).toMatchObject({ status: 503, json: { code: 'rail_unavailable' } });
    expect(new Set(await railsOf(payment.id))).toEqual(new Set([first.account.id, second.account.id]));
    expect(third.fake.requests).toEqual([]);
    // The third account is still used for another payment.
    const other = await createPush(merchant);
    expect(await railsOf(other.id)).toEqual([third.account.id]);
  });
});

describe('an order is completed by the account that created it', () => {
  test('if the account drains when late money arrives', async () => {
    const two = await failoverFixture();
    const { first, second, merchant } = two;
    first.fake.book.plans.push({ code: 206 });
    const payment = await createPush(merchant);
    const { id } = await untilSecond(two);
    await press(second.fake, id, 'Approve');
    await untilStatus(merchant, payment.id, 'Paid');
    expect((await changeRail(merchant, first.account, { status: 'draining' })).status).toBe(200);
    // The first account approves a push that it refused before.
    const charge = first.fake.book.charges[0]!;
    await press(first.fake, charge.id, 'approve');
    const money =
      'select rail, amount_minor::int as minor from transactions where payment_id = $1 order by created_at, id';
    await until(async () => (await app.sql(money, [payment.id])).length === 2, 'both transactions');
    expect(await app.sql(money, [payment.id])).toEqual([
      { rail: second.account.id, minor: 150_000 },
      { rail: first.account.id, minor: 150_000 },
    ]);
    expect(await readPayment(merchant, payment.id)).toMatchObject({ flags: ['overpaid'], amountPaid: 3000 });
  });

  test('if the account drains before its push has an outcome', async () => {
    const two = await failoverFixture();
    const { first, merchant } = two;
    const payment = await createPush(merchant);
    const charge = await untilThere(() => first.fake.book.charges[0], 'the push');
    expect((await changeRail(merchant, first.account, { status: 'draining' })).status).toBe(200);
    const next = await createPush(merchant);
    expect(await railsOf(next.id)).toEqual([two.second.account.id]);
    await press(first.fake, charge.id, 'approve');
    await untilStatus(merchant, payment.id, 'Paid');
  });

  test('if its merchant gets another account before a hold is captured or released', async () => {
    const merchant = await openMerchant(app);
    const authorize = async () => {
      const { json } = await merchant.call('/api/payments', { body: authorization() });
      await answerPush(app, json.id, 'approve');
      await untilStatus(merchant, json.id, 'Authorized');
      return json.id as string;
    };
    const [taken, released] = [await authorize(), await authorize()];
    const { fake } = await enterAppyPay(merchant);
    const captured = await merchant.call('/api/payments', { body: capture(taken) });
    expect(captured.status).toBe(201);
    await travelUntil(app, async () => (await readPayment(merchant, taken)).status === 'Captured', 'Captured', 60_000);
    await merchant.call(`/api/payments/${released}/cancel`, { method: 'POST' });
    await travelUntil(
      app,
      async () => (await readPayment(merchant, released)).status === 'Canceled',
      'Canceled',
      60_000,
    );
    expect(await railsOf(captured.json.id)).toEqual(['gpo']);
    expect(await railsOf(released)).toEqual(['gpo', 'gpo']);
    expect(fake.requests).toEqual([]);
  });
});

describe('a rail account with wrong settings', () => {
  const failOne = async (two: Two) => {
    refuseTokens(two);
    const payment = await createPush(two.merchant);
    await until(() => two.second.fake.book.transactions.size === 1, 'the push at the second account');
    return payment;
  };

  test('is skipped for a minute, then a single push tests it', async () => {
    const two = await failoverFixture();
    await failOne(two);
    const tokens = countCalls(two.first.fake, 'POST', TOKENS);
    const next = await createPush(two.merchant);
    expect(await railsOf(next.id)).toEqual([two.second.account.id]);
    expect(countCalls(two.first.fake, 'POST', TOKENS)).toBe(tokens);
    two.first.fake.book.clientSecret = SECRET;
    app.clock.leap(61_000);
    // One of two concurrent pushes tests the account. The other skips the account until the test has an outcome.
    const { promise: held, resolve: answer } = Promise.withResolvers<void>();
    two.first.fake.fault(held, { method: 'POST', path: '/v2.0/charges' });
    const both = await Promise.all([createPush(two.merchant), createPush(two.merchant)]);
    const charge = await untilThere(() => two.first.fake.book.charges[0], 'the try');
    const rails = await Promise.all(both.map(({ id }) => railsOf(id)));
    expect(rails.toSorted()).toEqual([[two.first.account.id], [two.second.account.id]].toSorted());
    answer();
    const tried = both[rails.findIndex(([rail]) => rail === two.first.account.id)]!;
    await until(async () => (await readAttempts(app, tried.id))[0].status === 'Sent', 'the answer to the try');
    const later = await createPush(two.merchant);
    expect(await railsOf(later.id)).toEqual([two.first.account.id]);
    await press(two.first.fake, charge.id, 'approve');
    await untilStatus(two.merchant, tried.id, 'Paid');
  });

  test('is still skipped after it responds to a query', async () => {
    const two = await failoverFixture();
    const old = await createPush(two.merchant);
    await untilThere(() => two.first.fake.book.charges[0], 'the push');
    two.first.fake.book.tokens.clear();
    await failOne(two);
    two.first.fake.book.clientSecret = SECRET;
    const { status } = await two.merchant.call(`/api/payments/${old.id}/sync`, { method: 'POST' });
    expect(status).toBe(200);
    const next = await createPush(two.merchant);
    expect(await railsOf(next.id)).toEqual([two.second.account.id]);
  });

  test('causes one notification a day, which names the account to its merchant', async () => {
    const two = await failoverFixture();
    const isRefusal = ({ tipo }: { tipo: string }) => tipo === 'payment.acquirer_setup';
    const readNotices = async () => (await two.merchant.call('/v1/notificacoes')).json.data.filter(isRefusal);
    const { reference } = await failOne(two);
    expect(await readNotices()).toMatchObject([{ mensagem: expect.stringContaining(reference) }]);
    expect((await readNotices())[0].mensagem).toContain('«Principal»');
    await changeRail(two.merchant, two.second.account, { status: 'disabled' });
    const failed = await createPush(two.merchant);
    expect(await untilStatus(two.merchant, failed.id, 'Failed')).toMatchObject({
      failure: { code: 'acquirer_setup' },
    });
    expect(await readNotices()).toHaveLength(1);
    expect((await (await openMerchant(app)).call('/v1/notificacoes')).json.data).toEqual([]);
  });
});
