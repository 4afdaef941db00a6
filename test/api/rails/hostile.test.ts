// Hosts of merchants' rail accounts that return too many or unusable list entries.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { wakeFeed } from '../../../server/rails/feed.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { sendJson, startHost, type HostCall, type HostileHost } from '../../support/receiver.ts';
import { travelUntil } from '../../support/payments.ts';
import { PPR } from '../../support/ppr.ts';
import {
  addRail,
  callRails,
  changeRail,
  openMerchant,
  readInbox,
  type RailAccount,
  type Merchant,
} from '../../support/rail-accounts.ts';
import { HOUR_MS } from '../../../shared/durations.ts';

const ENTITY = '00765';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

let host: HostileHost;
let merchant: Merchant;
let account: RailAccount;
type Answer = Parameters<typeof startHost>[0];
/** The bodies that the host returns to reads of its queue and of receipts. */
let answers: { queue: Answer; receipt: Answer };

beforeEach(async () => {
  const own = {
    queue: ((_call, res) => sendJson(res, [])) as Answer,
    receipt: ((_call, res) => res.writeHead(204).end()) as Answer,
  };
  answers = own;
  host = await startHost((call, res) => {
    if (call.method === 'GET' && call.path === '/payments') own.queue(call, res);
    else if (call.method === 'DELETE' && call.path.startsWith('/payments/')) own.receipt(call, res);
    else res.writeHead(204).end();
  });
  merchant = await openMerchant(app, { entity: null });
});

async function enter(): Promise<void> {
  paidAt = app.clock.now().toISOString();
  account = await addRail(app, merchant, {
    kind: 'ppr',
    connector: 'proxypay',
    label: 'Caixa da loja',
    environment: 'test',
    priority: 10,
    settings: { entity: ENTITY, isExclusive: true, baseUrl: host.url },
    secrets: { apiKey: 'a-key-of-the-merchant' },
  });
}

const listReads = () => host.calls.filter(({ method, path }: HostCall) => method === 'GET' && path === '/payments');
const receipts = () => host.calls.filter(({ method }: HostCall) => method === 'DELETE');
const readFeed = async () => (await app.sql('select * from rail_feeds where rail = $1', [account.id]))[0];
const readDueInMs = async () => Date.parse((await readFeed()).due_at) - app.clock.now().getTime();
const untilPaused = () => travelUntil(app, async () => (await readFeed())?.paused_at, 'the pause', 10_000);
const readNotices = () =>
  app.sql(`select details from notifications where merchant_id = $1 and type = 'rail.feed_paused'`, [
    merchant.merchantId,
  ]);
/** The payment time in the entries. It is later than the creation of the references. */
let paidAt: string;
const entryOf = (id: number, changes: Record<string, unknown> = {}) => ({
  id: 100_000_000_000 + id,
  amount: '25.00',
  reference_id: 123_456_789,
  entity_id: Number(ENTITY),
  datetime: paidAt,
  ...changes,
});

async function createCharging(): Promise<any> {
  const { json } = await merchant.call(PPR, { body: { amount: 0, referenceType: 'Charging' } });
  paidAt = app.clock.now().toISOString();
  return json;
}

/** Moves the clock by an hour and waits until the node reads a paused feed again. */
async function passHour(): Promise<void> {
  const before = listReads().length;
  app.clock.leap(HOUR_MS);
  await travelUntil(app, () => listReads().length > before, 'the list being read again', 120_000);
}

test.each([
  { name: 'numbers', entry: (nth: number) => nth, most: 20 },
  { name: 'payments without an amount', entry: (nth: number) => entryOf(nth, { amount: null }), most: 20 },
  { name: 'payments to unknown references', entry: (nth: number) => entryOf(nth), most: 100 },
])(
  'a feed with a thousand $name is paused after at most $most, and its merchant gets one notification',
  async (given) => {
    const { entry, most } = given;
    answers.queue = (_call, res) =>
      sendJson(
        res,
        Array.from({ length: 1_000 }, (_, nth) => entry(nth)),
      );
    await enter();
    await untilPaused();
    expect(await readInbox(merchant, account)).toHaveLength(most);
    const details = { account: 'Caixa da loja', railAccountId: account.id, count: 1_000 - most };
    expect(await readNotices()).toEqual([{ details }]);
    const dueInMs = await readDueInMs();
    expect(dueInMs).toBeGreaterThan(HOUR_MS - 60_000);
    expect(dueInMs).toBeLessThanOrEqual(HOUR_MS);
    await passHour();
    await until(async () => (await readInbox(merchant, account)).length === 2 * most, 'the next entries');
    // The node acknowledges the entries before it pauses the feed. The next hour begins with the pause.
    await until(async () => (await readDueInMs()) > HOUR_MS - 60_000, 'the next pause');
    expect(await readNotices()).toHaveLength(1);

    // A feed without new entries is read every minute.
    answers.queue = (_call, res) =>
      sendJson(
        res,
        Array.from({ length: most }, (_, nth) => entry(nth)),
      );
    await passHour();
    await until(async () => (await readFeed()).paused_at === null, 'the end of the pause');
    expect(await readInbox(merchant, account)).toHaveLength(2 * most);
  },
);

test('a paused feed is read again after a test of its account, and not after a rail notification', async () => {
  answers.queue = (_call, res) => sendJson(res, [...Array(30).keys()]);
  await enter();
  await untilPaused();
  const before = await readFeed();
  expect(await wakeFeed(app.node.core, account.id)).toBe(true);
  expect(await readFeed()).toEqual(before);
  app.clock.leap(2 * 60_000);
  answers.queue = (_call, res) => sendJson(res, []);
  const { json } = await callRails(app, merchant, { id: account.id, at: '/test', method: 'POST' });
  expect(json).toMatchObject({ result: 'ok' });
  await travelUntil(app, async () => (await readFeed()).paused_at === null, 'the list being read', 10_000);
});

test('a queue above the size limit of a response is read in parts, each payment once', async () => {
  await enter();
  const made = await createCharging();
  const padding = 'x'.repeat(16_000);
  const reference = Number(made.reference);
  const queue = new Map(
    Array.from({ length: 150 }, (_, nth) => [
      String(entryOf(nth).id),
      entryOf(nth, { reference_id: reference, amount: '1.00', padding }),
    ]),
  );
  answers.queue = (_call, res) => sendJson(res, [...queue.values()]);
  answers.receipt = ({ path }, res) => {
    queue.delete(path.split('/').at(-1) as string);
    res.writeHead(204).end();
  };
  expect(JSON.stringify([...queue.values()]).length).toBeGreaterThan(2 * 1024 * 1024);
  app.clock.leap(61_000);
  const before = listReads().length;
  await travelUntil(app, () => listReads().length > before, 'the queue being read', 120_000);
  // The clock stands still, so a single job reads the whole queue.
  await until(() => queue.size === 0, 'the queue being empty');
  const { json } = await merchant.call(`${PPR}/${made.reference}`);
  expect(json).toMatchObject({ amountPaid: 150 });
});

test('the feed of a disabled account is not read, and a read in progress stops', async () => {
  await enter();
  const made = await createCharging();
  const entries = [1, 2, 3].map((nth) => entryOf(nth, { reference_id: Number(made.reference) }));
  answers.queue = (_call, res) => sendJson(res, entries);
  const { promise: isHeld, resolve: hold } = Promise.withResolvers<() => void>();
  answers.receipt = (_call, res) => hold(() => res.writeHead(204).end());
  app.clock.leap(61_000);
  await travelUntil(app, () => receipts().length > 0, 'a receipt', 120_000);
  const release = await isHeld;
  expect((await changeRail(merchant, account, { status: 'disabled' })).status).toBe(200);
  release();
  // The lease of a read is shorter than one minute.
  const isOver = async () => (await readDueInMs()) > 30_000;
  await until(isOver, 'the end of the reading');
  expect(receipts()).toHaveLength(1);
  const reads = listReads().length;
  for (let minute = 0; minute < 3; minute++) {
    const { due_count: count } = await readFeed();
    app.clock.leap(61_000);
    await travelUntil(app, async () => (await readFeed()).due_count > count, 'the list coming due', 10_000);
  }
  expect(listReads()).toHaveLength(reads);
});

test('a removed rail account has no feed', async () => {
  await enter();
  expect((await callRails(app, merchant, { id: account.id, method: 'DELETE' })).status).toBe(204);
  expect(await readFeed()).toBeUndefined();
});
