import { beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { untilDatabaseRests } from '../../support/idle.ts';
import { addUnits, passUntil, readBalance, readRail, sendText } from '../../support/sms.ts';
import { orderFault } from '../../support/payments.ts';

let app: TestApp;
let second: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  second = await app.startTwin();
});

let next = 927_000_000;
const phones = (count: number) => Array.from({ length: count }, () => `+244${next++}`);

const REQUEST_FAULTS = ['delay', 'unavailable', 'reset_before', 'reset_after', 'hang', 'garbage'];
const FAULTS = {
  sms_send: REQUEST_FAULTS,
  sms_query: REQUEST_FAULTS,
  sms_notification: ['delay', 'drop', 'duplicate', 'reorder', 'garbage'],
};
const MAGIC = ['900000001', '900000002', '900000003', '900000005', '900000006', '900000007', '900000008'];

/** The expected status of an SMS for each status at the rail. */
const ENDS: Record<string, string> = {
  DELIVERED: 'Delivered',
  UNDELIVERED: 'Failed',
  REJECTED: 'Failed',
  SENT: 'Sent',
};

test.each([1, 2])('two nodes send each SMS once despite any faults of the rail (seed %i)', async (seed) => {
  let state = seed;
  const below = (bound: number) => (state = (state * 48_271) % 2_147_483_647) % bound;
  const pick = <T>(from: T[]): T => from[below(from.length)] as T;
  const { merchantId, token, clientId, secret } = await app.addMerchant();
  const elsewhere = await second.token(clientId, secret);
  await addUnits(app, merchantId, 400);
  const own: string[] = [];
  const read = (where: string) =>
    app.sql(`select id, status, parts from sms_messages where merchant_id = $1 and ${where}`, [merchantId]);
  for (let round = 0; round < 6; round++) {
    for (let nth = 0; nth < 12; nth++) {
      const [on, kinds] = pick(Object.entries(FAULTS));
      const kind = pick(kinds);
      const delay = kind === 'delay' && { delayMs: 1_000 + below(20_000) };
      await orderFault(app, { on, kind, times: 1 + below(3), ...delay });
    }
    const [some, few] = [phones(1 + below(20)), phones(1)];
    own.push(...some, ...few);
    const magic = MAGIC.filter(() => below(2) === 1);
    const replies = await Promise.all([
      sendText(app, [...some, '900000002'], 'x', { token }),
      sendText(second, [...few, ...magic], 'y'.repeat(161), { token: elsewhere }),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    await untilDatabaseRests(app);
    await app.clock.advance(below(8) * 1_000);
    // After this leap of the clock, every lease has ended.
    if (below(2)) app.clock.leap(60_000);
    await app.clock.advance(100);
  }
  await app.call('/sandbox/rail/faults', { method: 'DELETE' });
  const rest = `status = 'Pending' or status = 'Sent' and phone <> '+244900000003'`;
  // The leap makes every SMS due. The small steps then give the calls time for their responses.
  for (let nth = 0; nth < 1_000 && (await read(`(${rest})`)).length > 0; nth++) {
    if (nth % 100 === 0) app.clock.leap(20 * 60_000);
    // A query that overtakes the commit of its SMS would make the node send the SMS again.
    await untilDatabaseRests(app);
    await app.clock.advance(100);
  }

  const rail = new Map((await readRail(app)).map((one) => [one.id, one]));
  const messages = await read('true');
  // A call that timed out may still arrive. Without a query first, at least a third of the SMS would be sent twice.
  const twice = messages.filter(({ id }) => rail.get(id)?.calls !== 1).length;
  expect(twice).toBeLessThan(messages.length / 4);
  const letters = await app.sql(
    `select recipient from simulator.inbox where recipient = any($1) group by recipient having count(*) = 1`,
    [own],
  );
  expect(letters).toHaveLength(own.length);
  expect(messages.filter(({ id, status }) => status !== ENDS[rail.get(id)?.status ?? ''])).toEqual([]);
  const held = messages.reduce((sum, { status, parts }) => sum + (status === 'Failed' ? 0 : parts), 0);
  expect(await readBalance(app, merchantId)).toBe(400 - held);
});

test('the last query about an SMS is repeated if it gets no response, and the unit is then credited', async () => {
  const { merchantId, token } = await app.addMerchant();
  await addUnits(app, merchantId, 1);
  const to = '900000002';
  await orderFault(app, { on: 'sms_notification', kind: 'drop', phone: to });
  await sendText(app, [to], 'x', { token });
  const read = async () => (await app.sql('select * from sms_messages where merchant_id = $1', [merchantId]))[0];
  await passUntil(app, async () => (await read()).status === 'Sent', 'sending');
  await orderFault(app, { on: 'sms_query', kind: 'unavailable', phone: to });
  app.clock.leap(72 * 3_600_000);
  await passUntil(app, async () => (await app.call('/sandbox/rail/faults')).json.data?.length === 0, 'the question');
  // The node records the missing response before the test moves the clock by a day.
  await until(
    async () => new Date((await read()).due_at).getTime() - app.clock.now().getTime() > 3_600_000,
    'the next time',
  );
  app.clock.leap(25 * 3_600_000);
  await passUntil(app, async () => (await read()).status === 'Failed', 'the answer');
  expect(await readBalance(app, merchantId)).toBe(1);
});

test('a single SMS is sent before many long sending requests are finished', async () => {
  const merchants = await Promise.all(Array.from({ length: 25 }, () => app.addMerchant()));
  for (const { merchantId, token } of merchants) {
    await addUnits(app, merchantId, 60);
    await sendText(app, phones(60), 'Muitos', { token });
  }
  const other = await app.addMerchant();
  await addUnits(app, other.merchantId, 1);
  // The gateway accepts the single SMS after all the others.
  app.clock.leap(10);
  const [mine] = phones(1) as [string];
  await sendText(app, [mine], 'Só um', { token: other.token });
  // On a slow machine the node already sends many SMS before it accepts the single one.
  const before = (await readRail(app)).filter(({ text }) => text === 'Muitos').length;
  await passUntil(app, async () => (await readRail(app)).some(({ to }) => to === mine), 'the single one');
  const order = (await readRail(app)).filter(({ text }) => ['Muitos', 'Só um'].includes(text));
  // The engine picks merchants at random, so the bound of 600 SMS is wide.
  expect(order.findIndex(({ to }) => to === mine) - before).toBeLessThan(600);
});
