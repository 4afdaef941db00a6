import { beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { addPlan, choose, endMonth, untilIssued } from '../../support/billing.ts';
import { openCallbackFixture } from '../../support/callbacks.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { webframe } from '../../support/payments.ts';

const SHOPS = 12;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { DATABASE_POOL: '6' } });
});

test('invoices that wait for their number leave database connections free for payments', async () => {
  const planId = await addPlan(app);
  for (let nth = 0; nth < SHOPS; nth++) await choose(await openCallbackFixture(app), planId);
  const release = await holdLock(app.databaseUrl, `select pg_advisory_xact_lock(hashtextextended('invoices', 0))`);
  endMonth(app);
  const areWaiting = async () => {
    await app.clock.advance(100);
    return (await countWaiting(app.databaseUrl, 'pg_advisory_xact_lock')) >= 2;
  };
  await until(areWaiting, 'invoices waiting for their number');
  const waiting: number[] = [];
  const askAll = async () => {
    const token = await app.token();
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => app.call('/api/payments', { body: webframe(), token })),
    );
    waiting.push(await countWaiting(app.databaseUrl, 'pg_advisory_xact_lock'));
    return replies;
  };
  const replies = await askAll().finally(release);
  expect(replies.map(({ status }) => status)).toEqual(Array<number>(8).fill(201));
  expect(waiting).toEqual([2]);
  // One of the invoices belongs to the demo merchant.
  expect((await untilIssued(app, SHOPS + 1)).map(({ serial }) => serial)).toEqual(
    Array.from({ length: SHOPS + 1 }, (_, nth) => nth + 1),
  );
});
