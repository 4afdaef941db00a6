// `balcao archive`: months go into files and out of the database, what is asked for of them is still found, late news goes on from them, and
// nothing is taken that is still needed.
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Clock } from '../../server/clock.ts';
import { beginOf, monthOf, openMonths } from '../../server/database/months.ts';
import { startTestApp, TEST_ENV, type TestApp, until } from '../support/app.ts';
import { openShop, sell, untilDelivery, type Shop } from '../support/callbacks.ts';
import { startHere, type Ended } from '../support/cli.ts';
import { openReference, receive, type Sold } from '../support/deliveries.ts';
import { foldLists } from '../../server/lists/fold.ts';
import { holdLock } from '../support/locks.ts';
import { PPR } from '../support/ppr.ts';
import { RECEIVER_ENV, startReceiver } from '../support/receiver.ts';

const dir = mkdtempSync(join(tmpdir(), 'balcao-archive-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

let app: TestApp;
let shop: Shop;
/** Of March, paid; of March, waiting for its payers; of April, paid. */
let march: Sold;
let open: Sold;
let april: Sold;
let histories: unknown[];
let feed: any[];

function run(args: string[], env: Record<string, string> = {}, clock: Clock = app.clock): Promise<Ended> {
  const own = { DATABASE_URL: app.databaseUrl, SECRETS_KEYS: TEST_ENV.SECRETS_KEYS, ARCHIVE_DIR: dir };
  return startHere(['archive', ...args], { env: { ...own, ...env }, clock }).ended;
}

const clockAt = (moment: string): Clock => ({ ...app.clock, now: () => new Date(moment) });

const MARCH = join(dir, '2026_03.ndjson.gz');

/** The next month begins, and everything so far is counted. */
async function turn(): Promise<void> {
  app.clock.leap(beginOf(monthOf(app.clock.now()) + 1).getTime() + 3_600_000 - app.clock.now().getTime());
  await openMonths(app.node.core);
  await foldLists(app.node.core);
}

async function sellOne(): Promise<Sold> {
  const sold = await sell(app, { ...shop, token: await shop.tokenFor({}) });
  await untilDelivery(shop, 'Delivered');
  // The last thing that happens to it: under way in a leap it would end in the month after.
  const withdrawn = `select from events where type = 'reference.withdrawn' and payment_id = $1`;
  await until(async () => (await app.sql(withdrawn, [sold.internalId])).length > 0, 'its withdrawal');
  return sold;
}

const historyOf = async ({ reference }: Sold) => (await shop.call(`${PPR}/${reference}/history`)).json.data;
const readFeed = async () => (await shop.call('/api/events?limit=500')).json;
const partsOf = async (table: string) =>
  (
    await app.sql(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass`,
      [table],
    )
  ).map(({ name }) => name);
const tables = async () =>
  (
    await app.sql(`select relname as name from pg_class where relnamespace = 'parts'::regnamespace and relkind = 'r'`)
  ).map(({ name }) => name);

beforeAll(async () => {
  app = await startTestApp({ env: { ...RECEIVER_ENV, ARCHIVE_DIR: dir } });
  shop = await openShop(app, (await startReceiver()).url);
  march = await sellOne();
  open = await openReference(app, shop);
  feed = (await readFeed()).data;
  await turn();
  april = await sellOne();
  await turn();
  histories = [await historyOf(march), await historyOf(april), await historyOf(open)];
});

describe('is refused, and nothing changes:', () => {
  let before: unknown[];
  beforeAll(async () => {
    before = await tables();
  });
  const unchanged = async () => {
    expect([await tables(), readdirSync(dir), await app.sql('select from archives')]).toEqual([before, [], []]);
  };

  test.each<[string, string[], Record<string, string>, number, string]>([
    ['a month that is not over', ['--before', '2026-06'], {}, 1, 'not all over'],
    ['no month', ['--before', '2026-13'], {}, 2, '--before must be a month'],
    ['none at all', [], {}, 2, '--before is needed'],
    ['no folder', ['--before', '2026-05'], { ARCHIVE_DIR: '' }, 1, 'ARCHIVE_DIR'],
    [
      'a folder that cannot be written',
      ['--before', '2026-05'],
      { ARCHIVE_DIR: join(MARCH, 'x') },
      1,
      'cannot be written',
    ],
  ])('%s', async (_, args, env, code, said) => {
    expect(await run(args, env)).toMatchObject({ code, stderr: expect.stringContaining(said) });
    await unchanged();
  });

  test('a payment under way, by its id', async () => {
    await app.sql(`update payments set status = 'Processing' where id = $1`, [open.internalId]);
    const { code, stderr } = await run(['--before', '2026-05']);
    await app.sql(`update payments set status = 'Pending' where id = $1`, [open.internalId]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`2026_03: payment ${open.internalId} is under way`)]);
    await unchanged();
  });

  test('one whose reference is over, and which nobody has closed yet', async () => {
    const { code, stderr } = await run(['--before', '2026-05'], {}, clockAt('2100-01-01T01:00:00Z'));
    expect([code, stderr]).toEqual([1, expect.stringContaining(`2026_03: payment ${open.internalId} is under way`)]);
    await unchanged();
  });

  test('a delivery that is due', async () => {
    await app.sql(`update deliveries set due_at = now() where payment_id = $1`, [march.internalId]);
    expect((await run(['--before', '2026-05'])).stderr).toContain('2026_03: deliveries of it are due');
    await app.sql(`update deliveries set due_at = null where payment_id = $1`, [march.internalId]);
    await unchanged();
  });

  test('lists that are not counted so far', async () => {
    await app.sql(`update list_folds set upto = upto - 68719476736 * 2 where list = 'takings'`);
    // The reference is due, but nobody is late with it.
    const { stderr } = await run(['--before', '2026-05'], {}, clockAt('2100-01-01T00:30:00Z'));
    expect(stderr).toContain('lists are not counted');
    expect(stderr).not.toContain('under way');
    await app.sql(`update list_folds set upto = upto + 68719476736 * 2 where list = 'takings'`);
    await unchanged();
  });

  test('while somebody else archives', async () => {
    const release = await holdLock(app.databaseUrl, `select pg_advisory_xact_lock(hashtextextended('archive', 0))`);
    expect(await run(['--before', '2026-05'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Somebody else'),
    });
    await release();
    await unchanged();
  });
});

describe('two months', () => {
  let rows: { events: number; deliveries: number; attempts: number };
  const count = async () =>
    (
      await app.sql(`select (select count(*)::int from events) as events, (select count(*)::int from deliveries) as deliveries,
        (select count(*)::int from delivery_attempts) as attempts`)
    )[0];

  beforeAll(async () => {
    rows = await count();
    const { code, stdout, stderr } = await run(['--before', '2026-05']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/2026_03[.]ndjson[.]gz: \d+ events, \d+ deliveries.*\n.*2026_04[.]ndjson[.]gz/);
  });

  test('are in their files, and nowhere else', async () => {
    expect(readdirSync(dir).toSorted()).toEqual([
      '2026_03.json',
      '2026_03.ndjson.gz',
      '2026_04.json',
      '2026_04.ndjson.gz',
    ]);
    expect(await partsOf('events')).not.toContain('events_2026_03');
    expect(await tables()).toEqual(expect.not.arrayContaining(['events_2026_03', 'deliveries_2026_04']));
    const left = await count();
    expect(left.attempts).toBe(0);
    const lines = ['2026_03', '2026_04'].flatMap((part) =>
      String(gunzipSync(readFileSync(join(dir, `${part}.ndjson.gz`))))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
    const of = (table: string) => lines.filter((line) => line.table === table);
    expect(of('events').length + left.events).toBe(rows.events);
    expect(of('deliveries').length + left.deliveries).toBe(rows.deliveries);
    expect(of('deliveries').flatMap(({ attempts }) => attempts)).toHaveLength(rows.attempts);
    // No word of what the merchant's server answered, or of the payer.
    expect(JSON.stringify(lines)).not.toMatch(/"(answer|nib|phone|phoneNumber|bank)":/);
  });

  test('are read where somebody asks for a payment', async () => {
    expect([await historyOf(march), await historyOf(april), await historyOf(open)]).toEqual(histories);
    expect((await shop.call(`/api/payments/${march.internalId}`)).json).toMatchObject({ status: 'Paid' });
  });

  test('are printed, whole or of one payment', async () => {
    const whole = await run(['read', MARCH]);
    expect([whole.code, whole.stdout]).toEqual([0, String(gunzipSync(readFileSync(MARCH)))]);
    const { stdout } = await run(['read', MARCH, '--payment', march.internalId]);
    const types = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ table, type }) => `${table} ${type}`);
    expect(types).toEqual(
      expect.arrayContaining(['events payment.created', 'events payment.paid', 'deliveries callback.ppr']),
    );
    expect(await run(['read', MARCH, '--payment', april.internalId])).toMatchObject({ code: 1 });
  });

  test('are passed over by the feed, whose cursors go on', async () => {
    const { data, next } = await readFeed();
    expect(data.map(({ cursor }: any) => cursor)).toEqual(expect.not.arrayContaining(feed.map(({ cursor }) => cursor)));
    expect((await shop.call(`/api/events?after=${next}`)).json.data).toEqual([]);
    await sellOne();
    const { data: news } = (await shop.call(`/api/events?after=${next}`)).json;
    expect(Number(news[0].cursor)).toBeGreaterThan(Number(next));
  });

  test('late money goes on from them: counts, takings and what is told of it', async () => {
    await receive(app, march);
    await foldLists(app.node.core);
    const [sums] = await app.sql(
      `select (select sum(n)::int from list_counts where list = 'takings' and keys[1] = 'taken' and grain = 'all') as taken,
        (select sum(amount_paid_minor)::int from payments) as paid,
        (select sum(n)::int from list_counts where list = 'payments' and keys[1] = 'Paid' and grain = 'all') as counted,
        (select count(*)::int from payments where status = 'Paid') as found`,
    );
    expect(sums).toEqual({ taken: sums.paid, paid: sums.paid, counted: sums.found, found: sums.found });
    const { data } = await readFeed();
    const told = data.findLast(
      ({ paymentId, data: about }: any) => paymentId === march.internalId && about?.transactions,
    );
    expect(told.data.transactions).toHaveLength(2);
    expect((await historyOf(march)).slice(0, (histories[0] as any[]).length)).toEqual(histories[0]);
  });

  test('a reference of theirs that is still open is paid and canceled, with all its history, and counted as what it is', async () => {
    await receive(app, open, '250.00');
    expect((await shop.call(`${PPR}/${open.reference}/cancel`, { method: 'POST' })).status).toBe(200);
    await foldLists(app.node.core);
    const before = histories[2] as any[];
    expect((await historyOf(open)).slice(0, before.length)).toEqual(before);
    expect((await shop.call(`/api/payments/${open.internalId}`)).json).toMatchObject({
      status: 'Paid',
      amountPaid: 250,
    });
    const counted = await app.sql(
      `select keys[1] as status, sum(n)::int as n from list_counts where list = 'references' and grain = 'all' and merchant_id = $1
        group by 1 having sum(n) <> 0 order by 1`,
      [shop.merchantId],
    );
    expect(counted).toEqual(
      await app.sql(
        `select status, count(*)::int as n from payment_references where merchant_id = $1 group by 1 order by 1`,
        [shop.merchantId],
      ),
    );
  });

  test('are archived once', async () => {
    expect(await run(['--before', '2026-05'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('nothing to archive'),
    });
  });

  test('a file that is damaged or gone is said so, and nothing of it is printed', async () => {
    const copy = join(dir, '2026_01.ndjson.gz');
    const bytes = readFileSync(MARCH);
    bytes[bytes.length - 20]! ^= 1;
    writeFileSync(copy, bytes);
    copyFileSync(join(dir, '2026_03.json'), join(dir, '2026_01.json'));
    const ended = await run(['read', copy]);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/2026_01/);
    rmSync(copy);
    expect(await run(['read', copy])).toMatchObject({ code: 1, stdout: '' });
    expect(existsSync(MARCH)).toBe(true);
  });
});
