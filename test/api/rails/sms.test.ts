// A merchant with a contract of KambaSMS or Ombala, over HTTP with their fakes: each message sent once, whatever answer was lost.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { travelUntil } from '../../support/payments.ts';
import {
  changeAccount,
  countCalls,
  enterSms,
  openShop,
  press,
  untilThere,
  type Shop,
} from '../../support/rail-stage.ts';
import { addUnits, readBalance, sendText } from '../../support/sms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const PHONE = '923456789';
const TEXT = 'A sua encomenda 20418 chegou.';
/** Past the time that an answer is waited for, and the claim of whoever asked. */
const FOLLOW_UP_MS = 125_000;

async function openSmsShop<C extends 'kambasms' | 'ombala'>(connector: C) {
  const shop = await openShop(app);
  await addUnits(app, shop.merchantId, 10);
  return { shop, ...(await enterSms(shop, connector)) };
}

const send = async ({ token }: Shop, text = TEXT) => sendText(app, [PHONE], text, { token });
const readMessages = ({ merchantId }: Shop) =>
  app.sql(
    `select m.status, m.rail_message_id, b.sender, b.rail from sms_messages m
     join sms_batches b on b.id = m.batch_id where m.merchant_id = $1 order by m.id`,
    [merchantId],
  );
const untilStatus = (shop: Shop, status: string, withinMs = 120_000) =>
  travelUntil(app, async () => (await readMessages(shop)).every((one) => one.status === status), status, withinMs);

describe.each([
  ['kambasms', '/messages/send'],
  ['ombala', '/messages'],
] as const)('by %s a message', (connector, path) => {
  test('goes out under the account’s sender, and is Delivered when the rail says so to our question', async () => {
    const { shop, fake, account } = await openSmsShop(connector);
    expect(await send(shop)).toMatchObject({ status: 200, json: { partes: 1, unidades: 1 } });
    await untilStatus(shop, 'Sent');
    const [message] = fake.book.messages;
    expect(await readMessages(shop)).toMatchObject([
      { sender: 'LOJAILHA', rail: account.id, rail_message_id: message!.id },
    ]);
    await press(fake, message!.id, 'deliver');
    app.clock.leap(FOLLOW_UP_MS);
    await untilStatus(shop, 'Delivered');
    expect([fake.book.messages.length, await readBalance(app, shop.merchantId)]).toEqual([1, 9]);
  });

  test('that the rail could not deliver gives its unit back', async () => {
    const { shop, fake } = await openSmsShop(connector);
    await send(shop);
    await untilStatus(shop, 'Sent');
    await press(fake, fake.book.messages[0]!.id, connector === 'ombala' ? 'refuse' : 'fail');
    app.clock.leap(FOLLOW_UP_MS);
    await untilStatus(shop, 'Failed');
    expect(await readBalance(app, shop.merchantId)).toBe(10);
  });

  test('that is refused at once is Failed, and costs nothing', async () => {
    const { shop, fake } = await openSmsShop(connector);
    fake.book.senders = [];
    await send(shop);
    await untilStatus(shop, 'Failed');
    expect([countCalls(fake, 'POST', path), await readBalance(app, shop.merchantId)]).toEqual([1, 10]);
  });

  test('whose account is draining goes out by the next one, and its follow-up stays with the first', async () => {
    const { shop, fake, account } = await openSmsShop(connector);
    await send(shop);
    await untilStatus(shop, 'Sent');
    const other = await enterSms(shop, 'kambasms', { priority: 20, label: 'Outra' });
    expect((await changeAccount(shop, account, { status: 'draining' })).status).toBe(200);
    await send(shop, 'Outra mensagem.');
    await untilThere(() => other.fake.book.messages[0], 'the second message');
    await press(fake, fake.book.messages[0]!.id, 'deliver');
    await press(other.fake, other.fake.book.messages[0]!.id, 'deliver');
    app.clock.leap(FOLLOW_UP_MS);
    await untilStatus(shop, 'Delivered');
    expect([fake.book.messages.length, other.fake.book.messages.length]).toEqual([1, 1]);
  });
});

describe('KambaSMS', () => {
  test.each([
    ['a link', 'Veja https://loja.example/20418', 'link'],
    ['an emoji', 'Bom dia 🌞', 'emoji'],
    ['161 characters', 'x'.repeat(161), 'too_long'],
  ])('is not asked to send %s: it is refused before it is paid for', async (_name, text, why) => {
    const { shop, fake } = await openSmsShop('kambasms');
    const { status, json } = await send(shop, text);
    expect([status, json.errors]).toMatchObject([
      400,
      [{ code: 'text_not_supported', message: expect.stringContaining(why) }],
    ]);
    expect([fake.requests.length, await readBalance(app, shop.merchantId)]).toEqual([0, 10]);
  });

  test.each(['drop_before', 'drop_after', 'error_after'] as const)(
    'is sent a message whose answer was lost (%s) again under its key: it goes out once',
    async (fault) => {
      const { shop, fake } = await openSmsShop('kambasms');
      fake.fault(fault, { method: 'POST' });
      await send(shop);
      await untilStatus(shop, 'Sent');
      const keys = fake.requests
        .filter(({ method }) => method === 'POST')
        .map(({ headers }) => headers['idempotency-key']);
      expect([keys.length, new Set(keys).size, fake.book.messages.length]).toEqual([2, 1, 1]);
    },
  );
});

describe('Ombala', () => {
  test('is asked for a message whose answer was lost, and not sent it again', async () => {
    const { shop, fake } = await openSmsShop('ombala');
    fake.fault('drop_after', { method: 'POST' });
    await send(shop);
    await untilStatus(shop, 'Sent');
    expect([countCalls(fake, 'POST', '/messages'), fake.book.messages.length]).toEqual([1, 1]);
    expect(await readMessages(shop)).toMatchObject([{ rail_message_id: fake.book.messages[0]!.id }]);
  });

  test('is sent a message that never arrived again once its list shows surely that it did not', async () => {
    const { shop, fake } = await openSmsShop('ombala');
    fake.fault('drop_before', { method: 'POST' });
    await send(shop);
    await untilStatus(shop, 'Sent', 20 * 60_000);
    expect([countCalls(fake, 'POST', '/messages'), fake.book.messages.length]).toEqual([2, 1]);
  });

  test('takes no twin for the message that was lost: neither is sent twice, nor taken for sent', async () => {
    const { shop, fake } = await openSmsShop('ombala');
    await send(shop);
    await untilStatus(shop, 'Sent');
    fake.fault('drop_before', { method: 'POST' });
    await send(shop);
    await until(() => countCalls(fake, 'POST', '/messages') === 2, 'the second being lost');
    await travelUntil(app, () => countCalls(fake, 'GET', '/messages') >= 3, 'it being looked for', 10 * 60_000);
    const [first, second] = await readMessages(shop);
    expect([first.status, second.status, second.rail_message_id]).toEqual(['Sent', 'Pending', null]);
    expect([countCalls(fake, 'POST', '/messages'), fake.book.messages.length]).toEqual([2, 1]);
  });

  test('has ids that another account’s messages may have too', async () => {
    const [one, other] = [await openSmsShop('ombala'), await openSmsShop('ombala')];
    await send(one.shop);
    await untilStatus(one.shop, 'Sent');
    other.fake.fault('drop_after', { method: 'POST' });
    await send(other.shop);
    await untilStatus(other.shop, 'Sent');
    expect(other.fake.book.messages[0]!.id).toBe(one.fake.book.messages[0]!.id);
  });
});
