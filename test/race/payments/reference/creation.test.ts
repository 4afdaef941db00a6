import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { startAppBehind, until, type Reply, type TestApp } from '../../../support/app.ts';
import { expectCash, startProxiedRail, travelToRest, type ProxiedRail } from '../../../support/cashbook.ts';
import { countWaiting, holdLock } from '../../../support/locks.ts';
import { byReference, DEMO_ENTITY, digits, readFieldFaults, PPR, reference } from '../../../support/ppr.ts';
import { madeIdsOf } from '../../../support/repeats.ts';

let app: TestApp;
let twin: TestApp;
let rail: ProxiedRail;
beforeAll(async () => {
  ({ app, rail } = await startAppBehind(startProxiedRail));
  twin = await app.startTwin();
  await Promise.all([app.token(), twin.token()]);
});
/** After each test, the rail has exactly one registration of each reference. */
afterEach(async () => {
  await travelToRest(app, rail);
  await expectCash(app.sql, await rail.books());
});

const nodeOf = (nth: number) => (nth % 2 ? twin : app);
const times = <T>(count: number, send: (nth: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, nth) => send(nth)));

const countBy = (replies: Reply[]) => {
  const named = Object.groupBy(replies, ({ status, json }) =>
    [status, json.code, ...(json.errors ?? []).map(({ code }: { code: string }) => code)].filter(Boolean).join(' '),
  );
  return Object.fromEntries(Object.entries(named).map(([name, group]) => [name, group?.length]));
};

const countRows = async () =>
  (
    await app.sql(`select (select count(*)::int from payments) as payments,
      (select count(*)::int from payment_references) as "references",
      (select count(*)::int from events where type = 'payment.created') as created,
      (select count(*)::int from idempotency_keys) as keys`)
  )[0];

/** Returns how many rows the work inserts. */
async function countMade(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await countRows();
  await work();
  const after = await countRows();
  return Object.fromEntries(Object.entries<number>(after).map(([table, count]) => [table, count - before[table]]));
}

/** Sends requests that all wait for the same lock of the table payment_references. */
async function sendTogether(requests: [node: TestApp, path: string, body: object][]): Promise<Reply[]> {
  const release = await holdLock(app.databaseUrl, 'lock table payment_references in exclusive mode');
  const sent = requests.map(([node, path, body]) => node.call(path, { body }));
  await until(
    async () => (await countWaiting(app.databaseUrl, 'with creation as')) === requests.length,
    'all of them standing at the same point',
  ).finally(release);
  return Promise.all(sent);
}

const bulkOf = (items: object[]) => ({ references: items });
const BULK = `${PPR}/bulk`;

test.each([
  { name: 'a generated reference', path: PPR, body: reference(), made: 1 },
  { name: 'a reference with digits of its own', path: PPR, body: reference({ reference: digits() }), made: 1 },
  { name: 'a payment by reference', path: '/api/payments', body: byReference(), made: 1 },
  { name: 'a legacy reference', path: `${PPR}/legacy`, body: reference({ referenceType: 'Charging' }), made: 1 },
  {
    name: 'a bulk',
    path: BULK,
    body: bulkOf([reference(), reference({ reference: digits() }), reference({ referenceType: 'Charging' })]),
    made: 3,
  },
])(
  '50 concurrent creations of $name with one key create it once and return it 50 times',
  async ({ path, body, made }) => {
    const headers = { 'idempotency-key': randomUUID() };
    let replies: Reply[] = [];
    const rows = await countMade(async () => {
      replies = await times(50, (nth) => nodeOf(nth).call(path, { body, headers }));
    });
    expect(countBy(replies)).toEqual({ 201: 50 });
    expect(new Set(replies.map((reply) => JSON.stringify(madeIdsOf(reply)))).size).toBe(1);
    expect(replies.filter(({ headers }) => !headers.has('idempotency-replayed'))).toHaveLength(1);
    expect(rows).toEqual({ payments: made, references: made, created: made, keys: 1 });
  },
);

test('20 concurrent creations of references with one key create one, and 422 for the others', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const replies = await times(20, (nth) => nodeOf(nth).call(PPR, { body: reference({ amount: 100 + nth }), headers }));
  expect(countBy(replies)).toEqual({ 201: 1, '422 idempotency_key_reused': 19 });
});

test('20 concurrent creations with the same digits, by two merchants on two nodes, create one reference', async () => {
  const { clientId, secret } = await app.addMerchant({ entity: DEMO_ENTITY });
  const tokens = await Promise.all(
    Array.from({ length: 4 }, (_, nth) => (nth < 2 ? nodeOf(nth).token() : nodeOf(nth).token(clientId, secret))),
  );
  const body = reference({ reference: digits() });
  let replies: Reply[] = [];
  const rows = await countMade(async () => {
    replies = await times(20, (nth) => nodeOf(nth).call(PPR, { body, token: tokens[nth % 4] as string }));
  });
  expect(countBy(replies)).toEqual({ 201: 1, '400 reference_in_use reference_in_use': 19 });
  for (const reply of replies.filter(({ status }) => status === 400))
    expect(readFieldFaults(reply)).toEqual(['/reference reference_in_use']);
  expect(rows).toEqual({ payments: 1, references: 1, created: 1, keys: 0 });
});

test('a creation and a bulk with the same digits at the same time create one reference', async () => {
  for (let round = 0; round < 4; round++) {
    const body = reference({ reference: digits() });
    const [single, bulk] = (await sendTogether([
      [app, PPR, body],
      [twin, BULK, bulkOf([reference(), body])],
    ])) as [Reply, Reply];
    expect([single.status, bulk.status].toSorted(), `${single.text} ${bulk.text}`).toEqual([201, 400]);
    const loser = single.status === 400 ? single : bulk;
    expect(readFieldFaults(loser)).toEqual([`${loser === bulk ? '/references/1' : ''}/reference reference_in_use`]);
  }
});

test.each([
  { order: 'the same order', turn: (items: object[]) => items },
  { order: 'opposite orders', turn: (items: object[]) => items.toReversed() },
])(
  'of two concurrent bulks with two common references in $order, one is written whole and the other not at all',
  async ({ turn }) => {
    for (let round = 0; round < 4; round++) {
      const shared = [reference({ reference: digits() }), reference({ reference: digits() })];
      const [a, b] = [reference({ reference: digits() }), reference({ reference: digits() })];
      let replies: Reply[] = [];
      const rows = await countMade(async () => {
        replies = await sendTogether([
          [app, BULK, bulkOf([...shared, a])],
          [twin, BULK, bulkOf([...turn(shared), b])],
        ]);
      });
      expect(replies.map(({ status }) => status).toSorted(), replies.map(({ text }) => text).join()).toEqual([
        201, 400,
      ]);
      const loser = replies.find(({ status }) => status === 400) as Reply;
      expect(readFieldFaults(loser)).toEqual([
        '/references/0/reference reference_in_use',
        '/references/1/reference reference_in_use',
      ]);
      expect(rows).toEqual({ payments: 3, references: 3, created: 3, keys: 0 });
    }
  },
);
