// Months are archived beside everybody: who writes and reads notices nothing, two that archive at once take each month once, and what is asked
// for again in the last moment stays.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { beginOf, monthOf, openMonths } from '../../server/database/months.ts';
import { startTestApp, TEST_ENV, type TestApp, until } from '../support/app.ts';
import { openShop, sell, untilDelivery, type Shop } from '../support/callbacks.ts';
import { startHere, type Ended } from '../support/cli.ts';
import { foldLists } from '../../server/lists/fold.ts';
import { countWaiting, holdLock } from '../support/locks.ts';
import { PPR } from '../support/ppr.ts';
import { RECEIVER_ENV, startReceiver } from '../support/receiver.ts';

let app: TestApp;
let shop: Shop;
let sold: { reference: string; internalId: string };
let dir: string;
const dirs: string[] = [];
afterAll(() => dirs.forEach((one) => rmSync(one, { recursive: true, force: true })));

/** March is over, with one payment in it, told. */
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'balcao-archive-'));
  dirs.push(dir);
  app = await startTestApp({ env: { ...RECEIVER_ENV, ARCHIVE_DIR: dir } });
  shop = await openShop(app, (await startReceiver()).url);
  sold = await sell(app, shop);
  await untilDelivery(shop, 'Delivered');
  // The last thing that happens to it: under way in the leap it would end in April.
  const withdrawn = `select from events where type = 'reference.withdrawn'`;
  await until(async () => (await app.sql(withdrawn)).length > 0, 'the reference being withdrawn');
  app.clock.leap(beginOf(monthOf(app.clock.now()) + 1).getTime() + 3_600_000 - app.clock.now().getTime());
  await openMonths(app.node.core);
  await foldLists(app.node.core);
});

const archive = (): Promise<Ended> =>
  startHere(['archive', '--before', '2026-04'], {
    env: { DATABASE_URL: app.databaseUrl, SECRETS_KEYS: TEST_ENV.SECRETS_KEYS, ARCHIVE_DIR: dir },
    clock: app.clock,
  }).ended;

const linesOf = () =>
  String(gunzipSync(readFileSync(join(dir, '2026_03.ndjson.gz'))))
    .trimEnd()
    .split('\n');

test('beside who writes and reads, by two at once: all is written, the history is whole at each look, and each month has one file', async () => {
  const path = `${PPR}/${sold.reference}/history`;
  const token = await shop.tokenFor({});
  const history = (await app.call(path, { token })).json.data;
  const idsOf = async () => (await app.sql('select id from events')).map(({ id }) => id);
  const before = await idsOf();
  let isDone = false;
  const made: string[] = [];
  const writers = [1, 2].map(async () => {
    while (!isDone) made.push((await sell(app, { ...shop, token })).internalId);
  });
  let looks = 0;
  const reader = (async () => {
    for (; !isDone; looks++) {
      expect((await app.call(path, { token })).json.data).toEqual(history);
      expect((await app.call('/api/events', { token })).status).toBe(200);
    }
  })();
  const ended = await Promise.all([archive(), archive()]);
  isDone = true;
  await Promise.all([...writers, reader]);
  expect(ended.map(({ code }) => code)).toContain(0);
  for (const { code, stderr } of ended) if (code !== 0) expect(stderr).toContain('Somebody else');
  expect(looks).toBeGreaterThan(0);
  const archived = linesOf()
    .map((line) => JSON.parse(line))
    .filter(({ table }) => table === 'events')
    .map(({ id }) => id);
  const left = await idsOf();
  expect(archived.length).toBeGreaterThanOrEqual(history.length);
  expect(archived.filter((id) => left.includes(id))).toEqual([]);
  expect(before.filter((id) => !archived.includes(id) && !left.includes(id))).toEqual([]);
  for (const id of made) expect((await app.call(`/api/payments/${id}`, { token })).json.status).toBe('Paid');
});

test('a backup that is under way has the month, which goes after it', async () => {
  const counted = async () => (await app.sql('select count(*)::int as count from events'))[0].count;
  const count = await counted();
  // Tables are copied by their names: it has begun, and is not at its events yet.
  const release = await holdLock(app.databaseUrl, 'lock table audit_entries in access exclusive mode');
  const backup = startHere(['backup', join(dir, 'backup')], {
    env: {
      DATABASE_URL: app.databaseUrl,
      SECRETS_KEYS: TEST_ENV.SECRETS_KEYS,
      BACKUP_PASSPHRASE: 'uma frase que ninguém adivinha',
    },
  }).ended;
  await until(() => countWaiting(app.databaseUrl, 'copy (select %'), 'the backup waiting');
  const ended = archive();
  await until(() => countWaiting(app.databaseUrl, 'alter table events detach'), 'the detaching waiting');
  await release();
  expect(await backup).toMatchObject({ code: 0, stderr: '' });
  const { tables } = JSON.parse(readFileSync(join(dir, 'backup/manifest.json'), 'utf8')).contents;
  expect(tables.find(({ name }: { name: string }) => name === 'events').rows).toBeGreaterThanOrEqual(count);
  expect(await ended).toMatchObject({ code: 0 });
  expect(await counted()).toBeLessThan(count);
});

test('a delivery that is sent again just before its month goes keeps the month', async () => {
  const [{ id }] = await shop.deliveries();
  // Detaching waits, steps aside, and comes again.
  const release = await holdLock(app.databaseUrl, 'lock table parts.deliveries_2026_03 in access share mode');
  const ended = archive();
  await until(() => countWaiting(app.databaseUrl, 'alter table deliveries detach'), 'the detaching waiting');
  await app.sql(`update deliveries set due_at = now() where id = $1`, [id]);
  await release();
  expect(await ended).toMatchObject({ code: 1, stderr: expect.stringContaining('deliveries of it are due') });
  expect((await shop.deliveries()).map((one) => one.id)).toContain(id);
  await app.sql(`update deliveries set due_at = null where id = $1`, [id]);
  expect(await archive()).toMatchObject({ code: 0 });
  expect(linesOf().some((line) => JSON.parse(line).id === id)).toBe(true);
});
