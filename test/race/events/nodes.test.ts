// Two nodes on one database do due work once, notify each other, and can start together on an empty database.
import { beforeAll, expect, test } from 'vitest';
import { startAppBehind, startTestApp, until, type TestApp } from '../../support/app.ts';
import { freshDatabase, querySql } from '../../support/database.ts';
import { holdLock } from '../../support/locks.ts';
import { create, creepUntil, purchase, travelUntil, webframe } from '../../support/payments.ts';
import { startRail, type Rail } from '../../support/rail.ts';

const PHONE = '923000001';
/** How long after an unanswered push the gateway queries the rail each time. */
const POLLS_MS = [2_000, 5_000, 15_000, 30_000];

let app: TestApp;
let twin: TestApp;
let rail: Rail;
beforeAll(async () => {
  ({ app, rail } = await startAppBehind(startRail));
  twin = await app.startTwin();
});

test('two nodes poll each due push once', async () => {
  const payments = await Promise.all(Array.from({ length: 30 }, () => create(app, purchase(PHONE))));
  const ids = payments.map(({ id }) => id);
  const readAttempts = () =>
    app.sql<{ id: string; status: string; due_count: number; wait: number; age: number }>(
      `select id, status, due_count, round(extract(epoch from due_at - created_at) * 1000)::int as wait,
         round(extract(epoch from $2::timestamptz - created_at) * 1000)::int as age
       from attempts where payment_id = any($1)`,
      [ids, app.clock.now()],
    );
  await until(async () => (await readAttempts()).every(({ status }) => status === 'Sent'), 'all pushes being sent');
  // The test locks the rows until they are due. No node may wait for a row that another node has locked.
  const release = await holdLock(app.databaseUrl, 'select from attempts for update');
  const end = app.clock.now().getTime() + 3_200;
  await creepUntil(app, () => app.clock.now().getTime() >= end, 'both nodes having looked').finally(release);
  const arePolled = async () => (await readAttempts()).every(({ due_count }) => due_count > 0);
  await creepUntil(app, arePolled, 'every push being asked about');
  const queriesOf = (id: string) => rail.calls.seen.filter(({ method, path }) => method === 'GET' && path.endsWith(id));
  // A running job has a lease. After the job, the row has the time of its next poll, which has not come yet.
  const areRecorded = async () =>
    (await readAttempts()).every(
      ({ id, wait, age, due_count }) => POLLS_MS.includes(wait) && wait > age && queriesOf(id).length >= due_count,
    );
  await until(areRecorded, 'every poll being recorded');
  for (const { id, due_count, age } of await readAttempts()) {
    expect(queriesOf(id)).toHaveLength(due_count);
    expect(due_count).toBeLessThanOrEqual(POLLS_MS.filter((ms) => ms <= age).length);
    expect(rail.calls.seen.filter(({ method, body }) => method === 'POST' && body.includes(id))).toHaveLength(1);
  }
});

test('two nodes expire each payment once', async () => {
  const requests = Array.from({ length: 30 }, () => webframe({ metadata: { expiresInMinutes: 5 } }));
  const ids = (await Promise.all(requests.map((body) => create(app, body)))).map(({ id }) => id);
  const areOver = async () => {
    const open = await app.sql(`select from payments where id = any($1) and status <> 'Expired'`, [ids]);
    return open.length === 0;
  };
  await app.clock.pass(5 * 60_000);
  await travelUntil(app, areOver, 'expiry');
  const events = await app.sql(`select payment_id from events where type = 'payment.expired'`);
  expect(events.map(({ payment_id }) => payment_id).sort()).toEqual(ids.sort());
  const rows = await app.sql('select revision, due_at from payments where id = any($1)', [ids]);
  expect(new Set(rows.map(({ revision }) => revision))).toEqual(new Set([2]));
  expect(new Set(rows.map(({ due_at }) => due_at))).toEqual(new Set([null]));
});

test('a payment stream on one node shows a payment that another node settled', async () => {
  const { id, reference, clientToken } = await create(app, webframe());
  const ended = new AbortController();
  const response = await fetch(`${twin.url}/checkout/${clientToken}/events`, { signal: ended.signal });
  let text = '';
  const reading = (async () => {
    for await (const chunk of response.body as ReadableStream<Uint8Array>) text += Buffer.from(chunk).toString();
  })();
  const statuses = () => [...text.matchAll(/"status":"(\w+)"/g)].map(([, status]) => status);
  await until(() => statuses().length === 1, 'the snapshot');
  await app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: PHONE }, token: null });
  await creepUntil(app, () => statuses().includes('Processing'), 'the push on the other node’s stream');
  await until(async () => (await rail.books(reference)).length > 0, 'the push reaching the rail');
  await rail.answerPush(reference, 'approve');
  await until(async () => (await app.call(`/api/payments/${id}`)).json.status === 'Paid', 'Paid on the first node');
  await creepUntil(app, () => statuses().includes('Paid'), 'the money on the other node’s stream');
  // The server closes the stream of a payment in a final status.
  await reading;
  expect(statuses()).toEqual(['Pending', 'Processing', 'Paid']);
  expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, revision]) => Number(revision))).toEqual([1, 2, 3]);
  expect(text).toMatch(/event: end\ndata: \{\}\n\n$/);
});

test('three nodes that start together on an empty database share schema, signing key and merchant', async () => {
  const empty = await freshDatabase();
  await querySql(empty.url, 'drop schema public cascade; create schema public');
  const env = { GPO_KEY: 'one key for both nodes' };
  const nodes = await Promise.all([1, 2, 3].map(() => startTestApp({ env, databaseUrl: empty.url })));
  try {
    const [first] = nodes as [TestApp];
    expect(await first.node.core.orm.schema.getUpdateSchemaSQL()).toBe('');
    for (const node of nodes) expect(await create(node, webframe())).toMatchObject({ status: 'Pending' });
    expect(await first.sql('select count(*)::int as keys from signing_keys')).toEqual([{ keys: 1 }]);
    expect(await first.sql('select name from mikro_orm_migrations')).toHaveLength(
      (await first.sql('select distinct name from mikro_orm_migrations')).length,
    );
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
    await empty.drop();
  }
});
