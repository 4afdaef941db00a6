import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../support/app.ts';
import { addMoney, addRefund, inOneTransaction } from '../../support/books.ts';
import { killChildren } from '../../support/child.ts';
import { startGateway, type Gateway } from '../../support/gateway.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';

/** After this time the claim of the killed node has ended. */
const AFTER_LEASE_MS = 61_000;

let gateway: Gateway;
let merchantId: string;
beforeAll(async () => {
  gateway = await startGateway();
  [{ id: merchantId }] = (await gateway.sql('select id from merchants')) as [{ id: string }];
});
afterAll(async () => {
  await killChildren();
});

const read = async (id: string) => (await gateway.merchant.insist(`/api/settlements/${id}`)).json;
const find = (period: string) => gateway.sql('select * from settlements where period = $1', [period]);

/** Each row: the moment of the kill, the lock that stops the closing, and the statement that waits for the lock. */
const POINTS = [
  [
    'before it sums',
    (period: string) => `select pg_advisory_xact_lock_shared(
      hashtextextended('settlement ${merchantId} gpo ${period} AOA', 0))`,
    'select pg_advisory_xact_lock(%',
  ],
  [
    'between its sums and their writing down',
    () => 'lock table settlement_credits in access exclusive mode',
    'select count(*)%',
  ],
] as const;

test.each(POINTS)(
  'a node that is killed %s closes the period once and completely after its restart',
  async (name, lock, waiting) => {
    const period = String(POINTS.findIndex(([point]) => point === name));
    const release = await holdLock(gateway.databaseUrl, lock(period));
    const [at, rail] = ['2026-02-10T10:00:00.000Z', 'gpo'];
    const written = await inOneTransaction(gateway, async (books) => {
      const first = await addMoney(books, { merchantId }, { at, rail, period });
      const second = await addMoney(books, { merchantId }, { at, rail, period });
      return [first.id, second.id, await addRefund(books, { merchantId }, second, { at, period })];
    });
    await until(async () => (await countWaiting(gateway.databaseUrl, waiting)) > 0, 'the closing being held up');
    await gateway.child().kill();
    await release();
    expect(await find(period)).toMatchObject([{ closed_at: null, closed_count: null, movement_count: 0 }]);
    await gateway.restart(AFTER_LEASE_MS);
    const closed = await until(async () => (await find(period)).find(({ closed_at }) => closed_at), 'it being closed');
    expect(closed).toMatchObject({ movement_count: 3, closed_count: 3, closed_minor: '250000', due_at: null });
    const report = await read(closed.id);
    expect(report).toMatchObject({
      count: 3,
      taken: 3000,
      refunded: 500,
      expectedCredit: 2500,
      changedAfterClose: null,
    });
    const ids = report.movements.data.map(({ id }: { id: string }) => id);
    expect(ids.toSorted()).toEqual(written.toSorted());
  },
);
