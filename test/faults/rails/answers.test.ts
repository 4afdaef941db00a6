// After a lost, late or unreadable rail response the outcome stays open until the rail reports it.
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startAppBehind, until, type TestApp } from '../../support/app.ts';
import { readIdleMs } from '../../support/idle.ts';
import { create, purchase, travelToStatus } from '../../support/payments.ts';
import { startRail, type Rail } from '../../support/rail.ts';
import { expectTruth } from '../../support/truth.ts';

let app: TestApp;
let rail: Rail;
beforeAll(async () => {
  ({ app, rail } = await startAppBehind(startRail));
});
afterEach(async () => expectTruth(app.sql, await rail.books()));

/** The simulator's test number that approves after a second and sends no notification. */
const SILENT = '900000007';
/** Creates a payment whose push is answered while the clock does not move. */
async function createSent(phone: string): Promise<any> {
  const payment = await create(app, purchase(phone));
  const sent = `select from attempts where payment_id = $1 and status = 'Sent'`;
  await until(async () => (await app.sql(sent, [payment.id])).length === 1, 'the push being sent');
  return payment;
}

const ageOf = async (id: string, column: string): Promise<number> => {
  const [row] = await app.sql(
    `select extract(epoch from ${column} - created_at)::float8 as age from payments where id = $1`,
    [id],
  );
  return row.age;
};

test('the test clock of an idle node leaps over hours without running the steps between', async () => {
  const leaps = async () => {
    await app.clock.advance(500);
    return (await readIdleMs(app)) > 0;
  };
  await until(leaps, 'a leap');
});

describe('a purchase that took effect', () => {
  test.each(['reset_after', 'hang', 'garbage', 'delay'])(
    'is Processing after %s until a poll finds it Paid',
    async (kind) => {
      await rail.orderFault({ on: 'purchase', kind, phone: SILENT, delayMs: 60_000 });
      const payment = await create(app, purchase(SILENT));
      expect(payment.status).toBe('Processing');
      const paid = await travelToStatus(app, payment.id, 'Paid');
      expect(paid).toMatchObject({ amountPaid: 1500, failure: null, flags: [] });
      expect(paid.transactions).toHaveLength(1);
      // The node does not repeat the purchase.
      expect(await rail.books(payment.reference)).toMatchObject([{ calls: 1, notifications: 0 }]);
    },
  );
});

test('a purchase that the rail refuses with 503 is Processing for 30 s, then Failed', async () => {
  await rail.orderFault({ on: 'purchase', kind: 'unavailable', phone: SILENT });
  const payment = await createSent(SILENT);
  const failed = await travelToStatus(app, payment.id, 'Failed');
  expect(failed).toMatchObject({ failure: { code: 'rail_unavailable' }, transactions: [] });
  expect(await ageOf(payment.id, 'completed_at')).toBeGreaterThanOrEqual(30);
  expect(await rail.books(payment.reference)).toEqual([]);
});

test('a purchase is sent again with the same id if the connection is reset before its effect', async () => {
  await rail.orderFault({ on: 'purchase', kind: 'reset_before', phone: SILENT });
  const payment = await create(app, purchase(SILENT));
  await travelToStatus(app, payment.id, 'Paid');
  expect(await rail.books(payment.reference)).toMatchObject([{ calls: 1 }]);
});

describe('a poll', () => {
  test.each(['unavailable', 'reset_before', 'reset_after', 'hang', 'garbage', 'delay'])(
    'leaves the payment Processing after %s, and a later poll finds it Paid',
    async (kind) => {
      await rail.orderFault({ on: 'query', kind, times: 2, delayMs: 60_000 });
      const payment = await createSent(SILENT);
      await travelToStatus(app, payment.id, 'Paid');
      // The third poll finds the outcome.
      expect(await ageOf(payment.id, 'completed_at')).toBeGreaterThanOrEqual(15);
      expect(await rail.books(payment.reference)).toMatchObject([{ calls: 1 }]);
    },
  );
});

test.each([
  { phone: '900000003', code: 'timed_out', afterS: 90 },
  { phone: '900000004', code: 'rail_unavailable', afterS: 30 },
])('a push to $phone is Processing for $afterS s, then Failed as $code', async ({ phone, code, afterS }) => {
  const payment = await createSent(phone);
  const failed = await travelToStatus(app, payment.id, 'Failed');
  expect(failed.failure).toMatchObject({ code });
  const age = await ageOf(payment.id, 'completed_at');
  expect(age).toBeGreaterThanOrEqual(afterS);
  expect(age).toBeLessThan(afterS + 10);
});
