// A merchant with a contract of ProxyPay OPG or vPOS, over HTTP with their fake: pushes that are sent once, and known by the rail's own id.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { leapToEnd, travelFor, travelUntil, webframe } from '../../support/payments.ts';
import {
  countCalls,
  createPush,
  enterOpg,
  openShop,
  press,
  readInbox,
  readPayment,
  untilApplied,
  untilPayment,
  untilThere,
} from '../../support/rail-stage.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

type Dialect = 'proxypay' | 'vpos';
type Opened = Awaited<ReturnType<typeof openAccount>>;

async function openAccount(dialect: Dialect) {
  const shop = await openShop(app);
  return { shop, ...(await enterOpg(shop, { dialect })) };
}

const untilPushed = ({ fake }: Opened) => untilThere(() => [...fake.book.transactions.values()][0], 'the push');
const countPushes = ({ fake }: Opened) =>
  fake.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/transactions')).length;
/** Where the order said that its news is to go. */
const callbackOf = ({ fake }: Opened) =>
  JSON.parse(fake.requests.find(({ method }) => method === 'POST')!.body).callback_url as string;
const isStatus = (opened: Opened, id: string, status: string) => async () =>
  (await readPayment(opened.shop, id)).status === status;

describe.each(['proxypay', 'vpos'] as const)('in the dialect %s a push', (dialect) => {
  test('is Paid once its callback was asked about', async () => {
    const opened = await openAccount(dialect);
    const payment = await createPush(opened.shop);
    const { id } = await untilPushed(opened);
    await press(opened.fake, id, 'Approve');
    const paid = await untilPayment(opened.shop, payment.id, 'Paid');
    expect(paid.transactions).toMatchObject([{ amount: 1500, clearingPeriod: '156' }]);
    expect(opened.fake.notices).toMatchObject([{ url: callbackOf(opened), status: 200 }]);
    const applied = await untilApplied(opened.shop, opened.account, 1);
    expect(applied).toMatchObject([{ is_proven: false, outcome: 'applied' }]);
  });

  test.each([
    ['Refuse', 'customer_refused'],
    ['No funds', 'insufficient_funds'],
  ])('that ends with “%s” is Failed: %s', async (action, code) => {
    const opened = await openAccount(dialect);
    const payment = await createPush(opened.shop);
    const { id } = await untilPushed(opened);
    await press(opened.fake, id, action);
    expect(await untilPayment(opened.shop, payment.id, 'Failed')).toMatchObject({ failure: { code }, amountPaid: 0 });
  });

  test('whose answer was lost stays unknown, is never sent again, and is known by the callback to its own address', async () => {
    const opened = await openAccount(dialect);
    opened.fake.fault('drop_after', { method: 'POST' });
    const payment = await createPush(opened.shop);
    const { id } = await untilPushed(opened);
    // Past every time at which an order might go out again.
    await travelFor(app, async () => false, 80_000);
    expect(await readPayment(opened.shop, payment.id)).toMatchObject({ status: 'Processing' });
    expect([countPushes(opened), opened.fake.requests.length]).toEqual([1, 1]);
    await press(opened.fake, id, 'Approve');
    await untilPayment(opened.shop, payment.id, 'Paid');
    expect(countPushes(opened)).toBe(1);
  });

  test('that never arrived is not sent again either: nobody can tell it from the other', async () => {
    const opened = await openAccount(dialect);
    opened.fake.fault('drop_before', { method: 'POST' });
    const payment = await createPush(opened.shop);
    await travelFor(app, async () => false, 120_000);
    expect([countPushes(opened), opened.fake.book.transactions.size]).toEqual([1, 0]);
    expect(await readPayment(opened.shop, payment.id)).toMatchObject({ status: 'Processing' });
  });

  test('of which the rail calls back before it answers is Paid', async () => {
    const opened = await openAccount(dialect);
    opened.fake.book.callsBackFirst = true;
    const metadata = { paymentMethod: 'onetimepurchase', phoneNumber: '900000000' };
    const payment = await createPush(opened.shop, { metadata });
    await travelUntil(app, isStatus(opened, payment.id, 'Paid'), 'Paid', 60_000);
    expect(opened.fake.book.transactions.size).toBe(1);
  });

  test('is refused by the rail’s own word for the account: the merchant is told that its contract is wrong', async () => {
    const opened = await openAccount(dialect);
    opened.fake.book.token = 'another token';
    const payment = await createPush(opened.shop);
    const failed = await untilPayment(opened.shop, payment.id, 'Failed');
    expect(failed).toMatchObject({ failure: { code: 'acquirer_setup' } });
  });
});

describe('a callback', () => {
  test('to an address that nobody was told is nobody’s', async () => {
    const opened = await openAccount('proxypay');
    await createPush(opened.shop);
    const { id } = await untilPushed(opened);
    const url = callbackOf(opened);
    const [account, attempt] = url.split('/').slice(-3, -1) as [string, string];
    const turn = (token: string) => (token.startsWith('A') ? 'B' : 'A') + token.slice(1);
    const forged = [
      url.replace(attempt, turn(attempt)),
      url.replace(account, turn(account)),
      url.replace('/opg/', '/appypay/'),
      url.replace(attempt, account),
    ];
    for (const address of forged)
      expect([address, (await opened.fake.notify(address, { id })).status]).toEqual([address, 404]);
    // The account's own is told to nobody: what arrives there is from nobody.
    expect((await opened.fake.notify(opened.account.notificationUrl, { id })).status).toBe(401);
    expect(await readInbox(opened.shop, opened.account)).toEqual([]);
  });

  test('by another account is not of this attempt', async () => {
    const opened = await openAccount('proxypay');
    const other = await openAccount('proxypay');
    const payment = await createPush(opened.shop);
    const { id } = await untilPushed(opened);
    opened.fake.fault('drop_before', { method: 'GET', times: 99 });
    await other.fake.notify(
      callbackOf(opened).replace(tokenOf(opened.account.notificationUrl), tokenOf(other.account.notificationUrl)),
      { id, status: 'accepted' },
    );
    await travelUntil(
      app,
      async () => (await readInbox(other.shop, other.account))[0]?.applied_at,
      'it being left',
      120_000,
    );
    expect(await readInbox(other.shop, other.account)).toMatchObject([{ outcome: 'unmatched' }]);
    expect(other.fake.requests).toEqual([]);
    expect(await readPayment(opened.shop, payment.id)).toMatchObject({ status: 'Processing' });
  });

  const tokenOf = (url: string) => url.split('/').at(-2) as string;

  test('that names another attempt’s transaction brings this one nothing', async () => {
    const opened = await openAccount('proxypay');
    const paid = await createPush(opened.shop);
    const { id } = await untilPushed(opened);
    opened.fake.fault('drop_after', { method: 'POST' });
    const lost = await createPush(opened.shop);
    await untilThere(() => [...opened.fake.book.transactions.values()][1], 'the second push');
    const { callback_url: url } = JSON.parse(opened.fake.requests.filter(({ method }) => method === 'POST')[1]!.body);
    opened.fake.book.transactions.get(id)!.status = 'accepted';
    await opened.fake.notify(url, { id, status: 'accepted' });
    await travelUntil(app, isStatus(opened, paid.id, 'Paid'), 'the first one being Paid', 60_000);
    const isApplied = async () => (await readInbox(opened.shop, opened.account))[0].applied_at;
    await travelUntil(app, isApplied, 'the callback being left', 120_000);
    expect(await readPayment(opened.shop, lost.id)).toMatchObject({ status: 'Processing', transactions: [] });
  });
});

test('a 303 is followed by the id that it ends with, whatever host it names', async () => {
  const opened = await openAccount('vpos');
  opened.fake.book.locate = (path) => `http://127.0.0.1:1/elsewhere${path}`;
  const payment = await createPush(opened.shop);
  const { id } = await untilPushed(opened);
  await press(opened.fake, id, 'Approve');
  await untilPayment(opened.shop, payment.id, 'Paid');
  expect(opened.fake.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /api/v1/transactions',
    `GET /api/v1/requests/r1-${id}`,
    `GET /api/v1/transactions/${id}`,
  ]);
});

describe('a QR code', () => {
  const create = ({ shop }: Opened, metadata: object = {}) =>
    shop.call('/api/payments', {
      body: webframe({ metadata: { paymentMethod: 'qrcode', ...metadata } }),
      headers: { prefer: 'return=representation' },
    });

  test('has a text, a link that opens the app, and the end that the rail gives it', async () => {
    const opened = await openAccount('proxypay');
    const { status, json } = await create(opened);
    expect(status).toBe(201);
    const [charge] = [...opened.fake.book.charges.values()];
    expect(json.qrCode).toMatchObject({ content: charge!.qrref, deeplink: `multicaixa://pay/${charge!.id}` });
    expect(json.expiresAt).toBe(charge!.expires_at);
    leapToEnd(app, json);
    await travelUntil(app, isStatus(opened, json.id, 'Expired'), 'Expired', 60_000);
  });

  test('that somebody scans and pays is Paid, by the callback and what the rail says of it', async () => {
    const opened = await openAccount('proxypay');
    const { json } = await create(opened);
    const [charge] = [...opened.fake.book.charges.values()];
    await press(opened.fake, charge!.id, 'Refuse');
    await press(opened.fake, charge!.id, 'Approve');
    const paid = await untilPayment(opened.shop, json.id, 'Paid');
    expect(paid).toMatchObject({ amountPaid: 1500, acceptedTransactions: 1 });
  });

  test.each([
    ['proxypay', { maxTransactions: 2 }, '/metadata/maxTransactions'],
    ['vpos', {}, '/metadata/paymentMethod'],
  ] as const)('that %s cannot make is refused', async (dialect, metadata, pointer) => {
    const opened = await openAccount(dialect);
    const { status, json } = await create(opened, metadata);
    expect([status, json.errors]).toMatchObject([400, [{ pointer, code: 'method_not_supported' }]]);
    expect(countCalls(opened.fake, 'POST', '/')).toBe(0);
  });
});
