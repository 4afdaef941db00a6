// Notifications of rail accounts: proven messages are stored first, and of unproven messages the hint alone, within a quota.
import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { cleanDaily } from '../../../server/jobs/daily.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { testClock } from '../../support/clock.ts';
import { travelUntil } from '../../support/payments.ts';
import { PPR } from '../../support/ppr.ts';
import { readScrape } from '../../support/scrape.ts';
import {
  accountsPath,
  changeAccount,
  createPush,
  enterAppyPay,
  enterProxypay,
  openShop,
  readInbox,
  readPayment,
  untilApplied,
  untilThere,
  type Account,
  type Shop,
} from '../../support/rail-stage.ts';

const QUOTA = 5;
const DAY_MS = 24 * 3_600_000;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { RATE_LIMIT_HINTS: String(QUOTA) } });
});

type Addressed = Pick<Account, 'notificationUrl'>;

async function send({ notificationUrl }: Addressed, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(notificationUrl, { method: 'POST', body, headers });
  return { status: response.status, retryAfter: response.headers.get('retry-after') };
}

const statusOf = async (...sent: Parameters<typeof send>) => (await send(...sent)).status;

const signed = (apiKey: string, body: string) => ({
  'X-Signature': createHmac('sha256', apiKey).update(body).digest('hex'),
});

/** Removes the account once the withdrawal of its reference is certain: until then the API refuses to. */
const remove = (shop: Shop, { id }: Account) =>
  travelUntil(
    app,
    async () => (await shop.call(`${accountsPath(shop)}/${id}`, { method: 'DELETE' })).status === 204,
    'the account being removed',
  );

let entities = 800;

/** A ProxyPay account with a reference that its payer withdrew from, so that nothing is open. */
async function openWithdrawn() {
  const shop = await openShop(app, { entity: null });
  const { fake, account } = await enterProxypay(shop, { entity: `00${++entities}` });
  fake.book.notifyUrl = null;
  const { json } = await shop.call(PPR, { body: { amount: 1500 } });
  await until(() => fake.book.references.has(json.reference), 'the registration');
  await shop.call(`${PPR}/${json.reference}/cancel`, { method: 'POST' });
  await until(() => !fake.book.references.has(json.reference), 'the withdrawal');
  return { shop, fake, account, reference: json.reference as string, paymentId: json.internalId as string };
}

describe('an unproven message', () => {
  test('is stored as its ids alone if it names an order', async () => {
    const shop = await openShop(app);
    const { fake, account } = await enterAppyPay(shop);
    await createPush(shop);
    const charge = await untilThere(() => fake.book.charges[0], 'the push');
    const body = { id: charge.id, merchantTransactionId: charge.merchantTransactionId, payer: 'Domingas 923456789' };
    expect(await statusOf(account, JSON.stringify({ ...body, filler: 'x'.repeat(250_000) }))).toBe(200);
    const [stored] = await untilApplied(shop, account, 1);
    expect(JSON.parse(stored.body)).toEqual({
      about: 'hint',
      attempt: { attemptId: null, railKey: charge.merchantTransactionId, railOrderId: charge.id },
    });
    expect(JSON.stringify(stored)).not.toContain('923456789');
  });

  test.each([
    ['no JSON', 'x'.repeat(256 * 1024)],
    ['no id', JSON.stringify({ filler: 'y'.repeat(200_000) })],
    ['an id of 200 kB', JSON.stringify({ id: 'z'.repeat(200_000) })],
  ])('with %s is answered and counted, and not stored', async (_, body) => {
    const shop = await openShop(app);
    const { account } = await enterAppyPay(shop);
    const count = async () =>
      (await readScrape(app.url)).value('balcao_unreadable_hints_total', { connector: 'appypay' });
    const before = await count();
    expect(await statusOf(account, body)).toBe(200);
    expect(await count()).toBe(before + 1);
    expect(await readInbox(shop, account)).toEqual([]);
  });

  test('is refused above the quota of its account, while other accounts are served', async () => {
    const shop = await openShop(app);
    const { account } = await enterAppyPay(shop);
    const other = await enterAppyPay(shop, { kind: 'ppr' });
    const hint = (nth: number) => JSON.stringify({ id: `charge-${nth}` });
    for (let nth = 0; nth < QUOTA; nth++) expect(await statusOf(account, hint(nth))).toBe(200);
    const refused = await send(account, hint(QUOTA));
    expect(refused).toMatchObject({ status: 429 });
    expect(Number(refused.retryAfter)).toBeGreaterThan(0);
    expect(await readInbox(shop, account)).toHaveLength(QUOTA);
    expect(await statusOf(other.account, hint(0))).toBe(200);
  });

  test('for a removed account is 404, and is not stored', async () => {
    const shop = await openShop(app);
    const { account } = await enterAppyPay(shop);
    await remove(shop, account);
    expect(await statusOf(account, JSON.stringify({ id: 'charge-1' }))).toBe(404);
    const money = await openWithdrawn();
    await remove(money.shop, money.account);
    expect(await statusOf(money.account, '{}', signed('another key', '{}'))).toBe(404);
    expect(await readInbox(shop, account)).toEqual([]);
  });

  test('is deleted after three days, and a proven one is kept', async () => {
    const shop = await openShop(app);
    const { account } = await enterAppyPay(shop);
    await statusOf(account, JSON.stringify({ id: 'charge-1' }));
    const money = await openWithdrawn();
    await statusOf(money.account, '{}', signed(money.fake.book.apiKey, '{}'));
    await untilApplied(money.shop, money.account, 1);
    await app.sql(`update inbox set due_at = null, outcome = 'unmatched' where rail = $1`, [account.id]);
    const readAfter = async (days: number) => {
      const ended = new AbortController();
      const clock = testClock(new Date(app.clock.now().getTime() + days * DAY_MS).toISOString());
      const cleaning = cleanDaily({ ...app.node.core, clock, stopping: ended.signal });
      const wait = () => until(async () => clock.waits().length > 0, 'the cleaning having ended');
      await wait().finally(() => ended.abort());
      await cleaning;
      return [(await readInbox(shop, account)).length, (await readInbox(money.shop, money.account)).length];
    };
    expect(await readAfter(2.9)).toEqual([1, 1]);
    expect(await readAfter(3.1)).toEqual([0, 1]);
  });
});

describe('a proven message', () => {
  test('is stored word for word although its parser finds nothing in it', async () => {
    const { shop, fake, account } = await openWithdrawn();
    const body = '{"not": "a payment",  "at": "all"}';
    expect(await statusOf(account, body, signed(fake.book.apiKey, body))).toBe(200);
    const [stored] = await untilApplied(shop, account, 1);
    expect(stored).toMatchObject({ body, is_proven: true, outcome: 'unreadable' });
  });

  test('is stored once however often it arrives, and is never refused by the quota', async () => {
    const { shop, fake, account, reference } = await openWithdrawn();
    const money = fake.book.sign(await fake.book.pay(reference, '1500.00'));
    for (let nth = 0; nth < 2 * QUOTA; nth++) expect(await statusOf(account, money.body, money.headers)).toBe(200);
    expect(await untilApplied(shop, account, 1)).toHaveLength(1);
  });

  test.each(['disabled', 'removed'] as const)('to a %s account is recorded as late money', async (status) => {
    const { shop, fake, account, reference, paymentId } = await openWithdrawn();
    if (status === 'removed') await remove(shop, account);
    else expect((await changeAccount(shop, account, { status })).status).toBe(200);
    const money = fake.book.sign(await fake.book.pay(reference, '1500.00'));
    expect(await statusOf(account, money.body, money.headers)).toBe(200);
    const [stored] = await untilApplied(shop, account, 1);
    expect(stored).toMatchObject({ outcome: 'applied', is_proven: true });
    expect((await readPayment(shop, paymentId)).transactions).toMatchObject([{ amount: 1500, late: true }]);
  });
});
