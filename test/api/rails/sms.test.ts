// KambaSMS and Ombala behind a complete gateway. The contract suites test the connectors alone.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { travelUntil } from '../../support/payments.ts';
import {
  changeRail,
  countCalls,
  enterKamba,
  enterOmbala,
  openMerchant,
  press,
  untilThere,
  type Merchant,
} from '../../support/rail-accounts.ts';
import { addUnits, readBalance, sendText } from '../../support/sms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

/** This time is longer than the timeout of a call and the lease of a query. */
const FOLLOW_UP_MS = 125_000;

async function merchantFixture() {
  const merchant = await openMerchant(app);
  await addUnits(app, merchant.merchantId, 10);
  return merchant;
}
async function kambaFixture() {
  const merchant = await merchantFixture();
  return { merchant, ...(await enterKamba(merchant)) };
}
async function ombalaFixture() {
  const merchant = await merchantFixture();
  return { merchant, ...(await enterOmbala(merchant)) };
}

const send = ({ token }: Merchant, text = 'A sua encomenda 20418 chegou.') =>
  sendText(app, ['923456789'], text, { token });
const readMessages = ({ merchantId }: Merchant) =>
  app.sql(
    `select m.status, m.rail_message_id, b.sender, b.rail from sms_messages m
     join sms_batches b on b.id = m.batch_id where m.merchant_id = $1 order by m.id`,
    [merchantId],
  );
const untilStatus = (merchant: Merchant, status: string, withinMs = 120_000) =>
  travelUntil(app, async () => (await readMessages(merchant)).every((one) => one.status === status), status, withinMs);

describe.each([
  ['KambaSMS', kambaFixture, 'fail'],
  ['Ombala', ombalaFixture, 'refuse'],
] as const)('an SMS by %s', (_connector, open, fail) => {
  test('has the account’s sender, and becomes Delivered by a query', async () => {
    const { merchant, fake, account } = await open();
    expect(await send(merchant)).toMatchObject({ status: 200, json: { partes: 1, unidades: 1 } });
    await untilStatus(merchant, 'Sent');
    const [message] = fake.book.messages;
    const sent = { sender: 'LOJAILHA', rail: account.id, rail_message_id: message!.id };
    expect(await readMessages(merchant)).toMatchObject([sent]);
    await press(fake, message!.id, 'deliver');
    app.clock.leap(FOLLOW_UP_MS);
    await untilStatus(merchant, 'Delivered');
    expect([fake.book.messages.length, await readBalance(app, merchant.merchantId)]).toEqual([1, 9]);
  });

  test('is credited with its unit if the rail could not deliver it', async () => {
    const { merchant, fake } = await open();
    await send(merchant);
    await untilStatus(merchant, 'Sent');
    await press(fake, fake.book.messages[0]!.id, fail);
    app.clock.leap(FOLLOW_UP_MS);
    await untilStatus(merchant, 'Failed');
    expect(await readBalance(app, merchant.merchantId)).toBe(10);
  });

  test('is queried at its draining account, while the next SMS is sent by the next account', async () => {
    const { merchant, fake, account } = await open();
    await send(merchant);
    await untilStatus(merchant, 'Sent');
    const other = await enterKamba(merchant, { priority: 20, label: 'Outra' });
    expect((await changeRail(merchant, account, { status: 'draining' })).status).toBe(200);
    await send(merchant, 'Outra mensagem.');
    await untilThere(() => other.fake.book.messages[0], 'the second message');
    // The node queries a message two minutes after it recorded the sending.
    await untilStatus(merchant, 'Sent');
    await press(fake, fake.book.messages[0]!.id, 'deliver');
    await press(other.fake, other.fake.book.messages[0]!.id, 'deliver');
    app.clock.leap(FOLLOW_UP_MS);
    await untilStatus(merchant, 'Delivered');
    expect([fake.book.messages.length, other.fake.book.messages.length]).toEqual([1, 1]);
  });
});

describe('KambaSMS', () => {
  test.each([
    ['a link', 'Veja https://loja.example/20418', 'link'],
    ['an emoji', 'Bom dia 🌞', 'emoji'],
    ['161 characters', 'x'.repeat(161), 'too_long'],
  ])('rejects text with %s: the gateway refuses the SMS before it costs a unit', async (_name, text, why) => {
    const { merchant, fake } = await kambaFixture();
    const { status, json } = await send(merchant, text);
    const error = { code: 'text_not_supported', message: expect.stringContaining(why) };
    expect([status, json.errors]).toMatchObject([400, [error]]);
    expect([fake.requests.length, await readBalance(app, merchant.merchantId)]).toEqual([0, 10]);
  });

  test.each(['drop_before', 'drop_after'] as const)(
    'sends one SMS for two requests with one Idempotency-Key after %s',
    async (fault) => {
      const { merchant, fake } = await kambaFixture();
      fake.fault(fault, { method: 'POST' });
      await send(merchant);
      await untilStatus(merchant, 'Sent');
      const posts = fake.requests.filter(({ method }) => method === 'POST');
      const keys = new Set(posts.map(({ headers }) => headers['idempotency-key']));
      expect([posts.length, keys.size, fake.book.messages.length]).toEqual([2, 1, 1]);
    },
  );
});

describe('Ombala', () => {
  test('lists an SMS whose response was lost, so that the gateway does not send it again', async () => {
    const { merchant, fake } = await ombalaFixture();
    fake.fault('drop_after', { method: 'POST' });
    await send(merchant);
    await untilStatus(merchant, 'Sent');
    expect([countCalls(fake, 'POST', '/messages'), fake.book.messages.length]).toEqual([1, 1]);
    expect(await readMessages(merchant)).toMatchObject([{ rail_message_id: fake.book.messages[0]!.id }]);
  });

  test('gets an SMS again if its list proves that the first call did not arrive', async () => {
    const { merchant, fake } = await ombalaFixture();
    fake.fault('drop_before', { method: 'POST' });
    await send(merchant);
    await untilStatus(merchant, 'Sent', 20 * 60_000);
    expect([countCalls(fake, 'POST', '/messages'), fake.book.messages.length]).toEqual([2, 1]);
  });

  test('lists an equal earlier SMS, which the gateway does not take for the lost one', async () => {
    const { merchant, fake } = await ombalaFixture();
    await send(merchant);
    await untilStatus(merchant, 'Sent');
    fake.fault('drop_before', { method: 'POST' });
    await send(merchant);
    await until(() => countCalls(fake, 'POST', '/messages') === 2, 'the second message being lost');
    await travelUntil(app, () => countCalls(fake, 'GET', '/messages') >= 3, 'the queries', 10 * 60_000);
    const [first, second] = await readMessages(merchant);
    expect([first.status, second.status, second.rail_message_id]).toEqual(['Sent', 'Pending', null]);
    expect([countCalls(fake, 'POST', '/messages'), fake.book.messages.length]).toEqual([2, 1]);
  });

  test('may return the same id for SMS of two accounts', async () => {
    const [one, other] = [await ombalaFixture(), await ombalaFixture()];
    await send(one.merchant);
    await untilStatus(one.merchant, 'Sent');
    other.fake.fault('drop_after', { method: 'POST' });
    await send(other.merchant);
    await untilStatus(other.merchant, 'Sent');
    expect(other.fake.book.messages[0]!.id).toBe(one.fake.book.messages[0]!.id);
  });
});
