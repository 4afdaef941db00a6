// Notifications of merchants' rail accounts. Verified ones are stored whole, and unverified ones only as ids.
import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { cleanDaily } from '../../../server/jobs/daily.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { testClock } from '../../support/clock.ts';
import { travelUntil } from '../../support/payments.ts';
import { PPR } from '../../support/ppr.ts';
import { readScrape } from '../../support/scrape.ts';
import {
  callRails,
  changeRail,
  createPush,
  enterAppyPay,
  enterProxypay,
  openMerchant,
  readInbox,
  untilApplied,
  untilThere,
  type Merchant,
  type RailAccount,
} from '../../support/rail-accounts.ts';
import { readPayment } from '../../support/notify.ts';
import { DAY_MS } from '../../../shared/durations.ts';

const QUOTA = 5;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { RATE_LIMIT_HINTS: String(QUOTA) } });
});

type Addressed = Pick<RailAccount, 'notificationUrl'>;

async function send({ notificationUrl }: Addressed, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(notificationUrl, { method: 'POST', body, headers });
  return { status: response.status, retryAfter: response.headers.get('retry-after') };
}

const statusOf = async (...sent: Parameters<typeof send>) => (await send(...sent)).status;

const signed = (apiKey: string, body: string) => ({
  'X-Signature': createHmac('sha256', apiKey).update(body).digest('hex'),
});

/** Removes the rail account after the second withdrawal of its reference. The API refuses the removal before. */
const remove = (merchant: Merchant, { id }: RailAccount) =>
  travelUntil(
    app,
    async () => (await callRails(app, merchant, { id, method: 'DELETE' })).status === 204,
    'the account being removed',
  );

let entities = 800;

/** Creates a ProxyPay account without open work, whose only reference is withdrawn. */
async function withdrawnFixture() {
  const merchant = await openMerchant(app, { entity: null });
  const { fake, account } = await enterProxypay(merchant, { entity: `00${++entities}` });
  fake.book.notifyUrl = null;
  const { json } = await merchant.call(PPR, { body: { amount: 1500 } });
  await until(() => fake.book.references.has(json.reference), 'the registration');
  await merchant.call(`${PPR}/${json.reference}/cancel`, { method: 'POST' });
  await until(() => !fake.book.references.has(json.reference), 'the withdrawal');
  return { merchant, fake, account, reference: json.reference as string, paymentId: json.internalId as string };
}

describe('an unverified rail notification', () => {
  test('is stored only as the ids of its order', async () => {
    const merchant = await openMerchant(app);
    const { fake, account } = await enterAppyPay(merchant);
    await createPush(merchant);
    const charge = await untilThere(() => fake.book.charges[0], 'the push');
    const body = { id: charge.id, merchantTransactionId: charge.merchantTransactionId, payer: 'Domingas 923456789' };
    expect(await statusOf(account, JSON.stringify({ ...body, filler: 'x'.repeat(250_000) }))).toBe(200);
    const [stored] = await untilApplied(merchant, account, 1);
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
  ])('with %s is counted and not stored', async (_, body) => {
    const merchant = await openMerchant(app);
    const { account } = await enterAppyPay(merchant);
    const count = async () =>
      (await readScrape(app.url)).value('balcao_unreadable_hints_total', { connector: 'appypay' });
    const before = await count();
    expect(await statusOf(account, body)).toBe(200);
    expect(await count()).toBe(before + 1);
    expect(await readInbox(merchant, account)).toEqual([]);
  });

  test('gets 429 above the quota of its account, which does not affect other accounts', async () => {
    const merchant = await openMerchant(app);
    const { account } = await enterAppyPay(merchant);
    const other = await enterAppyPay(merchant, { kind: 'ppr' });
    const hint = (nth: number) => JSON.stringify({ id: `charge-${nth}` });
    for (let nth = 0; nth < QUOTA; nth++) expect(await statusOf(account, hint(nth))).toBe(200);
    const refused = await send(account, hint(QUOTA));
    expect(refused).toMatchObject({ status: 429 });
    expect(Number(refused.retryAfter)).toBeGreaterThan(0);
    expect(await readInbox(merchant, account)).toHaveLength(QUOTA);
    expect(await statusOf(other.account, hint(0))).toBe(200);
  });

  test('for a removed account gets 404 and is not stored', async () => {
    const merchant = await openMerchant(app);
    const { account } = await enterAppyPay(merchant);
    await remove(merchant, account);
    expect(await statusOf(account, JSON.stringify({ id: 'charge-1' }))).toBe(404);
    const money = await withdrawnFixture();
    await remove(money.merchant, money.account);
    expect(await statusOf(money.account, '{}', signed('another key', '{}'))).toBe(404);
    expect(await readInbox(merchant, account)).toEqual([]);
  });

  test('is deleted after three days, and a verified one is kept', async () => {
    const merchant = await openMerchant(app);
    const { account } = await enterAppyPay(merchant);
    await statusOf(account, JSON.stringify({ id: 'charge-1' }));
    const money = await withdrawnFixture();
    await statusOf(money.account, '{}', signed(money.fake.book.apiKey, '{}'));
    await untilApplied(money.merchant, money.account, 1);
    await app.sql(`update inbox set due_at = null, outcome = 'unmatched' where rail = $1`, [account.id]);
    const readAfter = async (days: number) => {
      const ended = new AbortController();
      const clock = testClock(new Date(app.clock.now().getTime() + days * DAY_MS).toISOString());
      const cleaning = cleanDaily({ ...app.node.core, clock, stopping: ended.signal });
      const wait = () => until(async () => clock.waits().length > 0, 'the end of the cleaning');
      await wait().finally(() => ended.abort());
      await cleaning;
      return [(await readInbox(merchant, account)).length, (await readInbox(money.merchant, money.account)).length];
    };
    expect(await readAfter(2.9)).toEqual([1, 1]);
    expect(await readAfter(3.1)).toEqual([0, 1]);
  });
});

describe('a verified rail notification', () => {
  test('is stored byte for byte although it cannot be parsed', async () => {
    const { merchant, fake, account } = await withdrawnFixture();
    const body = '{"not": "a payment",  "at": "all"}';
    expect(await statusOf(account, body, signed(fake.book.apiKey, body))).toBe(200);
    const [stored] = await untilApplied(merchant, account, 1);
    expect(stored).toMatchObject({ body, is_proven: true, outcome: 'unreadable' });
  });

  test('is stored once although it arrives ten times, also above the quota', async () => {
    const { merchant, fake, account, reference } = await withdrawnFixture();
    const money = fake.book.sign(await fake.book.pay(reference, '1500.00'));
    for (let nth = 0; nth < 2 * QUOTA; nth++) expect(await statusOf(account, money.body, money.headers)).toBe(200);
    expect(await untilApplied(merchant, account, 1)).toHaveLength(1);
  });

  test.each(['disabled', 'removed'] as const)('for a %s account is recorded as late money', async (status) => {
    const { merchant, fake, account, reference, paymentId } = await withdrawnFixture();
    if (status === 'removed') await remove(merchant, account);
    else expect((await changeRail(merchant, account, { status })).status).toBe(200);
    const money = fake.book.sign(await fake.book.pay(reference, '1500.00'));
    expect(await statusOf(account, money.body, money.headers)).toBe(200);
    const [stored] = await untilApplied(merchant, account, 1);
    expect(stored).toMatchObject({ outcome: 'applied', is_proven: true });
    expect((await readPayment(merchant, paymentId)).transactions).toMatchObject([{ amount: 1500, late: true }]);
  });
});
