// POST /rails/ppr/notifications: who is believed, what is stored, and what comes of each, once.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { NOTIFY_ENV, readPayment, untilApplied } from '../../support/notify.ts';
import {
  createPayable,
  moneyFor,
  pay,
  PPR_NOTIFY_PATH,
  readReference,
  readSteps,
  sendNews,
  tell,
  untilReceived,
  writeNews,
} from '../../support/ppr.ts';
import { sendRaw } from '../../support/raw.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { ...NOTIFY_ENV, PPR_KEY: 'a key for payments by reference' } });
});

const readInbox = () => app.sql('select notification_id, rail, body, outcome from inbox order by received_at, id');
const secondsFromNow = (seconds: number) => new Date(app.clock.now().getTime() + seconds * 1000);

test('what the rail itself sends is believed, kept word for word, and applied', async () => {
  const made = await createPayable(app);
  const [money] = await pay(app, made);
  await untilReceived(app, made.reference, 1500);
  const rows = await app.sql(`select * from inbox where body like '%"' || $1 || '"%'`, [made.reference]);
  expect(rows).toMatchObject([{ rail: 'ppr', outcome: 'applied', due_at: null }]);
  expect(JSON.parse(rows[0].body).payment).toEqual(money);
});

describe('a notification nobody can believe', () => {
  /** Money that would pay, sent in a way that proves nothing. */
  test.each<[string, (body: string) => Promise<{ status: number }>]>([
    ['not signed', (body) => app.call(PPR_NOTIFY_PATH, { body, token: null })],
    ['with a merchant’s token', (body) => app.call(PPR_NOTIFY_PATH, { body })],
    ['signed with another key', (body) => sendNews(app, body, { key: 'another key of somebody' })],
    ['signed with the other rail’s key', (body) => sendNews(app, body, { key: NOTIFY_ENV.GPO_KEY })],
    ['signed 301 s ago', (body) => sendNews(app, body, { signedAt: secondsFromNow(-301) })],
    ['signed 301 s ahead', (body) => sendNews(app, body, { signedAt: secondsFromNow(301) })],
    ['without its time', (body) => sendNews(app, body, { headers: { 'Rail-Timestamp': '' } })],
    ['with another time', (body) => sendNews(app, body, { headers: { 'Rail-Timestamp': '1772442001' } })],
    ['with half a signature', (body) => sendNews(app, body, { headers: { 'Rail-Signature': 'v1=00' } })],
    ['about a body that was changed', (body) => sendNews(app, body, { instead: body.replace('1500', '9500') })],
  ])('%s, is refused and not stored', async (_name, send) => {
    const made = await createPayable(app);
    const before = await readInbox();
    const reply = await send(writeNews(moneyFor(app, made)));
    expect(reply.status).toBe(401);
    expect(await readInbox()).toEqual(before);
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Pending', amountPaid: 0 });
  });

  test('of a hundred kilobytes is refused unread', async () => {
    const before = await readInbox();
    expect((await sendNews(app, 'x'.repeat(100_000))).status).toBe(413);
    expect(await readInbox()).toEqual(before);
  });

  test('one of the other rail is none of this one’s', async () => {
    const made = await createPayable(app);
    const body = writeNews(moneyFor(app, made));
    const reply = await app.call('/rails/gpo/notifications', { body, token: null });
    expect(reply.status).toBe(401);
  });
});

describe('a notification that is signed', () => {
  test.each([-300, 300])('%i s from our clock is taken', async (seconds) => {
    const made = await createPayable(app);
    const id = randomUUID();
    const reply = await sendNews(app, writeNews(moneyFor(app, made), id), { signedAt: secondsFromNow(seconds) });
    expect([reply.status, reply.json]).toEqual([200, { received: true }]);
    expect(await untilApplied(app, id)).toBe('applied');
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Paid' });
  });

  test('three times is stored and applied once, and acknowledged each time', async () => {
    const made = await createPayable(app);
    const id = randomUUID();
    const body = writeNews(moneyFor(app, made), id);
    for (let n = 0; n < 3; n++) {
      expect((await sendNews(app, body)).json).toEqual({ received: true });
      await untilApplied(app, id);
    }
    expect(await app.sql('select from inbox where strpos(body, $1) > 0', [id])).toHaveLength(1);
    expect((await readPayment(app, made.reference)).transactions).toHaveLength(1);
  });

  test('whose money another one told of already changes nothing', async () => {
    const made = await createPayable(app);
    const money = moneyFor(app, made);
    expect(await tell(app, money)).toBe('applied');
    const before = await readPayment(app, made.reference);
    expect(await tell(app, money)).toBe('applied');
    // Even when it says something else of it by now.
    expect(await tell(app, { ...money, amount: '9999.00', number: '8' })).toBe('applied');
    expect(await readPayment(app, made.reference)).toEqual(before);
  });

  /** Types drift between rails' test and production systems. */
  test.each<[string, (text: string) => string]>([
    ['the amount as a number', (text) => text.replace('"amount":"1500.00"', '"amount":1500.00')],
    ['the amount as a whole number', (text) => text.replace('"amount":"1500.00"', '"amount":1500')],
    ['the id of 18 digits as a number', (text) => text.replace(/"transactionId":"(\d+)"/, '"transactionId":$1')],
    [
      'number and period as numbers',
      (text) => text.replace('"period":"20515","number":"7"', '"period":20515,"number":7'),
    ],
    ['no account and no bank', (text) => text.replace(/"nib":.*?,"bank":"[^"]*"/, '"nib":null,"bank":null')],
    ['no terminal', (text) => text.replace(/"terminal":\{.*?\}/, '"terminal":null')],
    [
      'fields that nobody knows',
      (text) => text.replace('{"id"', '{"version":2,"id"').replace('"nib"', '"fee":"1.00","nib"'),
    ],
    ['an offset for Z', (text) => text.replace(/"paidAt":"(.*?)Z"/, '"paidAt":"$1+00:00"')],
  ])('with %s is read digit by digit', async (_name, change) => {
    const made = await createPayable(app);
    const id = randomUUID();
    const money = moneyFor(app, made, { transactionId: `987654321${serial()}` });
    const text = writeNews(money, id);
    const changed = change(text);
    expect(changed).not.toBe(text);
    await sendNews(app, changed);
    expect(await untilApplied(app, id)).toBe('applied');
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Paid', amountPaid: 1500, flags: [] });
    const [row] = await app.sql('select provider_ref from transactions where payment_id = $1', [made.internalId]);
    expect(row.provider_ref).toBe(money.transactionId);
  });

  test('from before its money was told by the list is applied without effect', async () => {
    const made = await createPayable(app);
    const [money] = await pay(app, made, { fault: 'lost' });
    await app.call(`/api/payments/${made.reference}/sync`, { method: 'POST' });
    expect(await tell(app, money!)).toBe('applied');
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Paid', amountPaid: 1500 });
  });

  test('thirty at once about one Charging reference add up', async () => {
    const made = await createPayable(app, { referenceType: 'Charging', amount: 0 });
    const news = Array.from({ length: 30 }, () => moneyFor(app, made, { amount: '0.10' }));
    await Promise.all([...news, ...news].map((money) => tell(app, money)));
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Paid', amountPaid: 3, flags: [] });
    expect((await readPayment(app, made.reference)).transactions).toHaveLength(30);
  });
});

let count = 0;
const serial = () => String(++count).padStart(9, '0');

describe('a notification that helps nobody', () => {
  const to = { entity: '00999', reference: '123456789' };
  const broken = (changes: Record<string, unknown>) => () => writeNews(moneyFor(app, to, changes));
  /** What the rail might send by mistake; signed, so it is kept for a person to look at. */
  test.each<[string, () => string | Uint8Array]>([
    ['no JSON', () => '<html>Bad gateway'],
    ['nothing', () => ''],
    ['bytes that are no text', () => Buffer.from([0xff, 0xfe, 0x00, 0x01])],
    ['another kind', () => JSON.stringify({ id: randomUUID(), type: 'holiday', payment: moneyFor(app, to) })],
    ['a purchase', () => JSON.stringify({ id: randomUUID(), type: 'purchase', purchase: { id: randomUUID() } })],
    ['no payment', () => JSON.stringify({ id: randomUUID(), type: 'reference_payment' })],
    ['a list', () => '[]'],
    ['60 000 levels', () => '['.repeat(60_000)],
    ['no amount', broken({ amount: null })],
    ['a negative amount', broken({ amount: '-1.00' })],
    ['half a cêntimo', broken({ amount: '0.005' })],
    ['an amount in words', broken({ amount: 'mil' })],
    ['a reference as a number, which has lost its zeros', broken({ reference: 123_456_789 })],
    ['an entity as a number', broken({ entity: 999 })],
    ['a reference of eight digits', broken({ reference: '12345678' })],
    ['no time', broken({ paidAt: null })],
    ['a time that is none', broken({ paidAt: '2026-02-30T10:00:00Z' })],
    ['no transaction', broken({ transactionId: null })],
    ['a transaction of 19 digits', broken({ transactionId: '1'.repeat(19) })],
    ['no currency', broken({ currency: null })],
  ])('%s is acknowledged, kept and marked unreadable', async (_name, write) => {
    const before = await readInbox();
    const body = write();
    expect((await sendNews(app, body)).status).toBe(200);
    const added = await until(async () => {
      const rows = (await readInbox()).slice(before.length);
      return rows[0]?.outcome && rows;
    }, 'it being looked at');
    expect(added).toMatchObject([{ rail: 'ppr', outcome: 'unreadable' }]);
    // What has no id of its own is known again by its bytes.
    await sendNews(app, body);
    expect((await readInbox()).length).toBe(before.length + 1);
  });
});

describe('money for digits that nobody has', () => {
  const unknownOf = (money: { transactionId: string }) =>
    app.sql('select * from inbox where notification_id = $1', [`unknown ${money.transactionId}`]);
  const eventsOf = (merchantId: string) =>
    app.sql(`select type, details from events where merchant_id = $1 and type = 'reference.unknown_paid'`, [
      merchantId,
    ]);

  test('is 200 to the rail, kept once, and told to the entity’s only merchant once', async () => {
    const { merchantId } = await app.addMerchant({ entity: '00555' });
    const money = moneyFor(app, { entity: '00555', reference: '555555555' });
    expect(await tell(app, money)).toBe('unknown_reference');
    expect(await tell(app, money)).toBe('unknown_reference');
    const kept = await unknownOf(money);
    expect(kept).toHaveLength(1);
    expect(kept[0]).toMatchObject({ rail: 'ppr', outcome: 'unknown_reference', due_at: null });
    expect(kept[0].body).toContain(money.transactionId);
    expect(await eventsOf(merchantId)).toEqual([
      {
        type: 'reference.unknown_paid',
        details: {
          entity: '00555',
          reference: '555555555',
          providerRef: money.transactionId,
          amount: '1500.00',
          currency: 'AOA',
        },
      },
    ]);
    expect(await app.sql('select from transactions where provider_ref = $1', [money.transactionId])).toEqual([]);
  });

  test.each([
    ['nobody’s entity', '00444', []],
    ['an entity of two merchants', '00333', ['00333', '00333']],
  ])('of %s is kept for a person, and told to nobody', async (_name, entity, entities) => {
    const merchants = [];
    for (const own of entities) merchants.push(await app.addMerchant({ entity: own }));
    const money = moneyFor(app, { entity, reference: '444444444' });
    expect(await tell(app, money)).toBe('unknown_reference');
    expect(await unknownOf(money)).toHaveLength(1);
    for (const { merchantId } of merchants) expect(await eventsOf(merchantId)).toEqual([]);
  });

  test('stays nobody’s, although somebody makes a reference with these digits later', async () => {
    const money = moneyFor(app, { entity: '00999', reference: '666666666' });
    expect(await tell(app, money)).toBe('unknown_reference');
    await app.clock.pass(60_000);
    const made = await createPayable(app, { reference: '666666666' });
    // After clearing the rail says again what it said, under an id of its own.
    expect(await tell(app, money)).toBe('unknown_reference');
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Pending', amountPaid: 0 });
    // What was paid long before these digits were made is not theirs either.
    const older = moneyFor(app, made, { paidAt: secondsFromNow(-3_600).toISOString() });
    expect(await tell(app, older)).toBe('unknown_reference');
    expect(await readSteps(app, made.reference)).toEqual(['payment.created', 'reference.registered']);
    await pay(app, made);
    expect(await untilReceived(app, made.reference, 1500)).toMatchObject({ status: 'Paid' });
  });

  test('where the rail’s clock is a little behind ours, money is the new reference’s', async () => {
    const made = await createPayable(app);
    const paidAt = secondsFromNow(-2).toISOString();
    expect(await tell(app, moneyFor(app, made, { paidAt }))).toBe('applied');
    expect(await readReference(app, made.reference)).toMatchObject({ status: 'Paid', amountPaid: 1500 });
  });
});

test('only POST is taken', async () => {
  expect((await sendRaw(app.url, `GET ${PPR_NOTIFY_PATH}`)).headers.get('allow')).toBe('POST');
});

test('a node without PPR_KEY believes its own simulator', async () => {
  const other = await startTestApp();
  const made = await createPayable(other);
  await pay(other, made);
  await untilReceived(other, made.reference, 1500);
  expect((await sendNews(other, writeNews(moneyFor(other, made)))).status).toBe(200);
  expect(
    (await sendNews(other, writeNews(moneyFor(other, made)), { key: 'a key for payments by reference' })).status,
  ).toBe(401);
  await other.stop();
});
