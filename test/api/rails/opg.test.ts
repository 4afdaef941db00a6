// ProxyPay OPG and vPOS behind a complete gateway. The contract suite tests the connector alone.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { leapToEnd, travelFor, travelUntil, untilStatus, webframe } from '../../support/payments.ts';
import {
  countCalls,
  createPush,
  enterOpg,
  openMerchant,
  press,
  readInbox,
  untilApplied,
  untilThere,
} from '../../support/rail-accounts.ts';
import { readPayment } from '../../support/notify.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

type Dialect = 'proxypay' | 'vpos';
type Fixture = Awaited<ReturnType<typeof opgFixture>>;

async function opgFixture(dialect: Dialect = 'proxypay') {
  const merchant = await openMerchant(app);
  return { merchant, ...(await enterOpg(merchant, { dialect })) };
}

const untilPushed = ({ fake }: Fixture) => untilThere(() => [...fake.book.transactions.values()][0], 'the push');
const pushesOf = ({ fake }: Fixture) =>
  fake.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/transactions'));
/** Returns the callback URL of the push with this index. */
const callbackOf = (fixture: Fixture, nth = 0) => JSON.parse(pushesOf(fixture)[nth]!.body).callback_url as string;
const isStatus = (fixture: Fixture, id: string, status: string) => async () =>
  (await readPayment(fixture.merchant, id)).status === status;
const isApplied =
  ({ merchant, account }: Fixture) =>
  async () =>
    (await readInbox(merchant, account))[0]?.applied_at;

describe.each<Dialect>(['proxypay', 'vpos'])('a push in the dialect %s', (dialect) => {
  test('becomes Paid by the query that its callback causes', async () => {
    const fixture = await opgFixture(dialect);
    const payment = await createPush(fixture.merchant);
    const { id } = await untilPushed(fixture);
    await press(fixture.fake, id, 'Approve');
    const paid = await untilStatus(fixture.merchant, payment.id, 'Paid');
    expect(paid.transactions).toMatchObject([{ amount: 1500, clearingPeriod: '156' }]);
    expect(fixture.fake.notices).toMatchObject([{ url: callbackOf(fixture), status: 200 }]);
    const applied = await untilApplied(fixture.merchant, fixture.account, 1);
    expect(applied).toMatchObject([{ is_proven: false, outcome: 'applied' }]);
  });

  test('is not sent again after a lost response, and becomes Paid by the callback to its own URL', async () => {
    const fixture = await opgFixture(dialect);
    fixture.fake.fault('drop_after', { method: 'POST' });
    const payment = await createPush(fixture.merchant);
    const { id } = await untilPushed(fixture);
    // This time is longer than the delay of every repeated order.
    await travelFor(app, async () => false, 80_000);
    expect(await readPayment(fixture.merchant, payment.id)).toMatchObject({ status: 'Processing' });
    expect([pushesOf(fixture).length, fixture.fake.requests.length]).toEqual([1, 1]);
    await press(fixture.fake, id, 'Approve');
    await untilStatus(fixture.merchant, payment.id, 'Paid');
    expect(pushesOf(fixture)).toHaveLength(1);
  });
});

describe('a push at ProxyPay OPG', () => {
  test('is not sent again although it never arrived, because no query can prove this', async () => {
    const fixture = await opgFixture();
    fixture.fake.fault('drop_before', { method: 'POST' });
    const payment = await createPush(fixture.merchant);
    await travelFor(app, async () => false, 120_000);
    expect([pushesOf(fixture).length, fixture.fake.book.transactions.size]).toEqual([1, 0]);
    expect(await readPayment(fixture.merchant, payment.id)).toMatchObject({ status: 'Processing' });
  });

  test('becomes Paid although its callback arrives before the response', async () => {
    const fixture = await opgFixture();
    fixture.fake.book.callsBackFirst = true;
    const metadata = { paymentMethod: 'onetimepurchase', phoneNumber: '900000000' };
    const payment = await createPush(fixture.merchant, { metadata });
    await travelUntil(app, isStatus(fixture, payment.id, 'Paid'), 'Paid', 60_000);
    expect(fixture.fake.book.transactions.size).toBe(1);
  });
});

describe('a callback of ProxyPay OPG', () => {
  const tokenOf = (url: string) => url.split('/').at(-2) as string;

  test('gets 404 at a forged URL and 401 at the account’s own URL', async () => {
    const fixture = await opgFixture();
    await createPush(fixture.merchant);
    const { id } = await untilPushed(fixture);
    const url = callbackOf(fixture);
    const [account, attempt] = url.split('/').slice(-3, -1) as [string, string];
    const turn = (token: string) => (token.startsWith('A') ? 'B' : 'A') + token.slice(1);
    const forged = [
      url.replace(attempt, turn(attempt)),
      url.replace(account, turn(account)),
      url.replace('/opg/', '/appypay/'),
      url.replace(attempt, account),
    ];
    for (const address of forged)
      expect([address, (await fixture.fake.notify(address, { id })).status]).toEqual([address, 404]);
    expect((await fixture.fake.notify(fixture.account.notificationUrl, { id })).status).toBe(401);
    expect(await readInbox(fixture.merchant, fixture.account)).toEqual([]);
  });

  test('from another account changes nothing', async () => {
    const [fixture, other] = [await opgFixture(), await opgFixture()];
    const payment = await createPush(fixture.merchant);
    const { id } = await untilPushed(fixture);
    fixture.fake.fault('drop_before', { method: 'GET', times: 99 });
    const [own, theirs] = [fixture, other].map(({ account }) => tokenOf(account.notificationUrl)) as [string, string];
    await other.fake.notify(callbackOf(fixture).replace(own, theirs), { id, status: 'accepted' });
    await travelUntil(app, isApplied(other), 'the callback being applied', 120_000);
    expect(await readInbox(other.merchant, other.account)).toMatchObject([{ outcome: 'unmatched' }]);
    expect(other.fake.requests).toEqual([]);
    expect(await readPayment(fixture.merchant, payment.id)).toMatchObject({ status: 'Processing' });
  });

  test('changes nothing if it names the transaction of another attempt', async () => {
    const fixture = await opgFixture();
    const paid = await createPush(fixture.merchant);
    const { id } = await untilPushed(fixture);
    fixture.fake.fault('drop_after', { method: 'POST' });
    const lost = await createPush(fixture.merchant);
    await untilThere(() => [...fixture.fake.book.transactions.values()][1], 'the second push');
    fixture.fake.book.transactions.get(id)!.status = 'accepted';
    await fixture.fake.notify(callbackOf(fixture, 1), { id, status: 'accepted' });
    await travelUntil(app, isStatus(fixture, paid.id, 'Paid'), 'the first push being Paid', 60_000);
    await travelUntil(app, isApplied(fixture), 'the callback being applied', 120_000);
    expect(await readPayment(fixture.merchant, lost.id)).toMatchObject({ status: 'Processing', transactions: [] });
  });
});

describe('a QR code of ProxyPay OPG', () => {
  const create = ({ merchant }: Fixture, metadata: object = {}) =>
    merchant.call('/api/payments', {
      body: webframe({ metadata: { paymentMethod: 'qrcode', ...metadata } }),
      headers: { prefer: 'return=representation' },
    });

  test('has the text, the deep link and the expiry that the rail returns', async () => {
    const fixture = await opgFixture();
    const { status, json } = await create(fixture);
    expect(status).toBe(201);
    const [charge] = [...fixture.fake.book.charges.values()];
    expect(json.qrCode).toMatchObject({ content: charge!.qrref, deeplink: `multicaixa://pay/${charge!.id}` });
    expect(json.expiresAt).toBe(charge!.expires_at);
    leapToEnd(app, json);
    await travelUntil(app, isStatus(fixture, json.id, 'Expired'), 'Expired', 60_000);
  });

  test('becomes Paid by an approved scan after a refused one', async () => {
    const fixture = await opgFixture();
    const { json } = await create(fixture);
    const [charge] = [...fixture.fake.book.charges.values()];
    await press(fixture.fake, charge!.id, 'Refuse');
    await press(fixture.fake, charge!.id, 'Approve');
    const paid = await untilStatus(fixture.merchant, json.id, 'Paid');
    expect(paid).toMatchObject({ amountPaid: 1500, acceptedTransactions: 1 });
  });

  test.each([
    ['proxypay', { maxTransactions: 2 }, '/metadata/maxTransactions'],
    ['vpos', {}, '/metadata/paymentMethod'],
  ] as const)('returns 400 if the dialect %s does not support it: %j', async (dialect, metadata, pointer) => {
    const fixture = await opgFixture(dialect);
    const { status, json } = await create(fixture, metadata);
    expect([status, json.errors]).toMatchObject([400, [{ pointer, code: 'method_not_supported' }]]);
    expect(countCalls(fixture.fake, 'POST', '/')).toBe(0);
  });
});
