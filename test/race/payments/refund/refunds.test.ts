import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTwinsBehind, until, type TestApp } from '../../../support/app.ts';
import { raceForPayment } from '../../../support/locks.ts';
import { create, purchase, travelToStatus, travelUntil } from '../../../support/payments.ts';
import { startRail, type Rail } from '../../../support/rail.ts';
import { madeIdsOf } from '../../../support/repeats.ts';
import { byHand, createRefund, expectRefundsAgree, refund, travelToRefund } from '../../../support/refunds.ts';
import { expectTakingsAgree } from '../../../support/lists.ts';

let app: TestApp;
let twin: TestApp;
let rail: Rail;
beforeAll(async () => {
  ({ app, twin, rail } = await startTwinsBehind(startRail));
});
afterEach(async () => {
  await expectRefundsAgree(app);
  await expectTakingsAgree(app);
});

const nodeOf = (nth: number) => (nth % 2 ? twin : app);

async function createPaid(cents: number): Promise<any> {
  const { id } = await create(app, purchase('900000000', { amount: cents / 100 }));
  return travelToStatus(app, id, 'Paid');
}

const readRefunds = (paymentId: string) =>
  app.sql('select amount_minor::int as minor, status, method from refunds where payment_id = $1', [paymentId]);
const isHeld = ({ status }: { status: string }) => status === 'Pending' || status === 'Processing';
const areOver = async (paymentId: string) => !(await readRefunds(paymentId)).some(isHeld);
const sum = (amounts: number[]) => amounts.reduce((all, one) => all + one, 0);

async function sumAtRail({ reference }: { reference: string }): Promise<number> {
  const { refunds } = await rail.allBooks(reference);
  return sum(
    refunds.filter(({ status }) => status === 'APPROVED').map(({ amount }) => Math.round(Number(amount) * 100)),
  );
}

async function expectBooks(paid: { id: string; reference: string }, takenMinor: number): Promise<void> {
  await travelUntil(app, () => areOver(paid.id), 'every refund being over', 3_600_000);
  const given = (await readRefunds(paid.id)).filter(({ status }) => status === 'Succeeded');
  const byRail = given.filter(({ method }) => method === 'rail').map(({ minor }) => minor);
  expect(sum(byRail)).toBe(await sumAtRail(paid));
  expect(sum(given.map(({ minor }) => minor))).toBeLessThanOrEqual(takenMinor);
}

/** The simulator treats refunds of these amounts normally (docs/rail.md). */
const cents = fc.integer({ min: 1, max: 60_000 });
type Asked = { taken: number; parts: { cents: number | null; isManual: boolean }[]; faults: string[] };
const FAULTS = ['unavailable', 'reset_before', 'reset_after', 'garbage'];

describe('fifty concurrent refunds of one payment', () => {
  test('with random amounts never exceed the received money, and gateway and rail record the same', async () => {
    const asked = fc.record({
      taken: fc.integer({ min: 100_000, max: 500_000 }),
      parts: fc.array(fc.record({ cents: fc.option(cents), isManual: fc.boolean() }), { minLength: 50, maxLength: 50 }),
      faults: fc.array(fc.constantFrom(...FAULTS), { maxLength: 4 }),
    });
    const run = async ({ taken, parts, faults }: Asked) => {
      const paid = await createPaid(taken);
      for (const kind of faults) await rail.orderFault({ on: 'refund', kind, phone: '+244900000000' });
      const replies = await Promise.all(
        parts.map(({ cents: minor, isManual }, nth) => {
          const body = { ...(minor && { amount: minor / 100 }), ...(isManual && byHand()) };
          return refund(nodeOf(nth), paid.id, body);
        }),
      );
      expect(
        [...new Set(replies.map(({ status }) => status))].filter((status) => ![201, 400, 409].includes(status)),
      ).toEqual([]);
      const made = replies.filter(({ status }) => status === 201);
      expect(made.length).toBeGreaterThan(0);
      await expectBooks(paid, taken);
      // With few refunds at the rail some faults are left, which would refuse a refund of a later test.
      await rail.clearFaults();
    };
    await fc.assert(fc.asyncProperty(asked, run), { numRuns: 4 });
  });

  test('of the whole amount create one refund, and the others return nothing_to_refund', async () => {
    const paid = await createPaid(150_000);
    const replies = await Promise.all(Array.from({ length: 50 }, (_, nth) => refund(nodeOf(nth), paid.id)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(replies.filter(({ status }) => status !== 201).map(({ json }) => json.code))).toEqual(
      new Set(['nothing_to_refund']),
    );
    await expectBooks(paid, 150_000);
  });

  test('with one key create one refund, and all return it', async () => {
    const paid = await createPaid(150_000);
    const headers = { 'Idempotency-Key': `race-${paid.id}` };
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, nth) => refund(nodeOf(nth), paid.id, { amount: 10 }, { headers })),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(50).fill(201));
    expect(new Set(replies.flatMap(madeIdsOf)).size).toBe(1);
    await expectBooks(paid, 150_000);
    expect(await readRefunds(paid.id)).toHaveLength(1);
  });
});

test('a notification, a poll and four syncs at the same time record the outcome of a refund once', async () => {
  const paid = await createPaid(150_000);
  const { id } = await createRefund(app, paid.id);
  await until(async () => (await readRefunds(paid.id))[0].status === 'Processing', 'its status being Processing');
  const sync = (node: TestApp) => node.call(`/api/refunds/${id}/sync`, { method: 'POST' });
  await app.clock.advance(1_000);
  await Promise.all([sync(app), sync(twin), app.clock.advance(3_000), sync(app), sync(twin)]);
  await travelToRefund(app, id, 'Succeeded');
  const told = `select count(*)::int as count from events where payment_id = $1 and type = 'refund.succeeded'`;
  expect(await app.sql(told, [paid.id])).toEqual([{ count: 1 }]);
  await expectBooks(paid, 150_000);
});

test.each(['the first', 'the second'])(
  "%s of two refunds that wait for the payment's lock takes the money that is left",
  async (order) => {
    const paid = await createPaid(150_000);
    const whole = () => refund(app, paid.id);
    const part = () => refund(twin, paid.id, byHand({ amount: 1 }));
    const [one, other] = order === 'the first' ? [whole, part] : [part, whole];
    const replies = await raceForPayment(app, paid.id, one, other);
    const expected = order === 'the first' ? [201, 409] : [201, 201];
    expect(replies.map(({ status }) => status)).toEqual(expected);
    await expectBooks(paid, 150_000);
  },
);
