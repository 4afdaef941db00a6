// "Pay by reference instead" against everything that can happen at the same moment: one thing is payable, and no money is lost or doubled.
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { createRefused, expectOnePayable, replaceable, switchByForm, switchOver } from '../../support/fallback.ts';
import { raceForPayment } from '../../support/locks.ts';
import { approved, declined, notify, NOTIFY_ENV, readAttempts, readPayment, SOMEBODY } from '../../support/notify.ts';
import { create, travelToStatus } from '../../support/payments.ts';
import { moneyFor, tell } from '../../support/ppr.ts';

let app: TestApp;
let twin: TestApp;
beforeAll(async () => {
  const env = { ...NOTIFY_ENV, PPR_KEY: 'one key for both nodes' };
  app = await startTestApp({ env });
  twin = await app.startTwin();
});

type Made = { id: string; clientToken: string };

const submit = (node: TestApp, { clientToken }: Made): Promise<Reply> =>
  node.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: SOMEBODY }, token: null });
const cancel = (node: TestApp, { id }: Pick<Made, 'id'>): Promise<Reply> =>
  node.call(`/api/payments/${id}/cancel`, { method: 'POST' });
const lastPush = async ({ id }: Made) => (await readAttempts(app, id)).at(-1);
const secondOf = async ({ id }: Made) =>
  (await app.sql('select id, status, reference from payments where replaces_id = $1', [id]))[0] ?? null;

test.each([2, 12])('%i taps at once, on two nodes, by script and by form, are one payment', async (count) => {
  const first = await createRefused(app);
  const taps = Array.from({ length: count }, (_, nth) => {
    const node = nth % 2 ? twin : app;
    return nth % 3 ? switchOver(node, first) : switchByForm(node, first);
  });
  const replies = await Promise.all(taps);
  const tokens = replies.map(({ json, headers }) => json?.clientToken ?? headers.get('location')?.slice(10, 53));
  expect(new Set(tokens).size).toBe(1);
  expect(replies.every(({ status }) => status === 201 || status === 303)).toBe(true);
  expect(await app.sql('select from payments where replaces_id = $1', [first.id])).toHaveLength(1);
  expect(await readPayment(app, first.id)).toMatchObject({ status: 'Canceled' });
  await expectOnePayable(app);
});

const race = (first: Made, one: () => Promise<any>, other: () => Promise<any>) =>
  raceForPayment(app, first.id, one, other);

describe('against another tab’s push', () => {
  test('the push before: it is under way, and nothing takes its place', async () => {
    const first = await createRefused(app);
    const [pushed, tapped] = await race(
      first,
      () => submit(app, first),
      () => switchOver(twin, first),
    );
    expect(pushed.status).toBe(202);
    expect(tapped).toMatchObject({ status: 409, json: { code: 'payment_in_progress' } });
    expect(await secondOf(first)).toBeNull();
  });

  test('the tap before: no push goes out', async () => {
    const first = await createRefused(app);
    const [tapped, pushed] = await race(
      first,
      () => switchOver(twin, first),
      () => submit(app, first),
    );
    expect(tapped.status).toBe(201);
    expect(pushed).toMatchObject({ status: 409, json: { code: 'payment_not_payable' } });
    expect(await readAttempts(app, first.id)).toHaveLength(1);
    expect(await secondOf(first)).toMatchObject({ status: 'Pending' });
  });
});

describe('against an approval that comes after the refusal', () => {
  test('the approval before: it is paid, and nothing takes its place', async () => {
    const first = await createRefused(app);
    const { id } = await lastPush(first);
    const [, tapped] = await race(
      first,
      () => notify(app, id, approved()),
      () => switchOver(twin, first),
    );
    expect(tapped).toMatchObject({ status: 409, json: { code: 'payment_not_payable' } });
    expect(await readPayment(app, first.id)).toMatchObject({ status: 'Paid', amountPaid: 1500, late: false });
    expect(await secondOf(first)).toBeNull();
  });

  test('the tap before: the money is recorded, late, and the reference is closed with it', async () => {
    const first = await createRefused(app);
    const { id } = await lastPush(first);
    const [tapped] = await race(
      first,
      () => switchOver(twin, first),
      () => notify(app, id, approved()),
    );
    expect(tapped.status).toBe(201);
    expect(await readPayment(app, first.id)).toMatchObject({ status: 'Paid', amountPaid: 1500, late: true, flags: [] });
    expect(await secondOf(first)).toMatchObject({ status: 'Canceled' });
    await expectOnePayable(app);
  });

  test('and against money for the reference at the same moment: both are recorded, and one is too much', async () => {
    for (let round = 0; round < 6; round++) {
      const first = await createRefused(app);
      const { id } = await lastPush(first);
      await switchOver(app, first);
      const { reference } = await secondOf(first);
      const told = [
        () => notify(app, id, approved()),
        () => tell(twin, moneyFor(twin, { entity: '00999', reference })),
      ];
      await Promise.all((round % 2 ? told : told.toReversed()).map((act) => act()));
      const [chain] = (await expectOnePayable(app)).filter((one) => one.reference === first.reference);
      expect(chain).toMatchObject({ first: 'Paid', second: 'Paid', first_paid: 150_000, second_paid: 150_000 });
    }
  });

  test('and against a part of it for the reference: all that came is recorded, and told once as too much', async () => {
    for (let round = 0; round < 6; round++) {
      const first = await createRefused(app);
      const { id } = await lastPush(first);
      await switchOver(app, first);
      const { reference } = await secondOf(first);
      const part = moneyFor(twin, { entity: '00999', reference }, { amount: '600.00' });
      const told = [() => notify(app, id, approved()), () => tell(twin, part)];
      await Promise.all((round % 2 ? told : told.toReversed()).map((act) => act()));
      const [chain] = (await expectOnePayable(app)).filter((one) => one.reference === first.reference);
      expect(chain).toMatchObject({ first: 'Paid', second: 'Canceled', first_paid: 150_000, second_paid: 60_000 });
      expect(chain.flags.toSorted()).toEqual(['amount_mismatch', 'overpaid']);
    }
  });
});

describe('against the merchant’s cancel', () => {
  test('the cancel before: nothing takes its place', async () => {
    const first = await createRefused(app);
    const [canceled, tapped] = await race(
      first,
      () => cancel(app, first),
      () => switchOver(twin, first),
    );
    expect(canceled.status).toBe(200);
    expect(tapped).toMatchObject({ status: 409, json: { code: 'payment_not_payable' } });
    expect(await secondOf(first)).toBeNull();
  });

  test('the tap before: the merchant hears what to cancel instead', async () => {
    const first = await createRefused(app);
    const [tapped, canceled] = await race(
      first,
      () => switchOver(twin, first),
      () => cancel(app, first),
    );
    expect(tapped.status).toBe(201);
    const { id } = await secondOf(first);
    expect(canceled).toMatchObject({ status: 409, json: { code: 'payment_replaced', replacedBy: id } });
  });
});

test('against its expiry: of a tap and a clock that runs out at once exactly one wins', async () => {
  const metadata = { allowReferenceFallback: true, expiresInMinutes: 5 };
  const payments = await Promise.all(Array.from({ length: 12 }, () => createRefused(app, replaceable({ metadata }))));
  await app.clock.pass(5 * 60_000 - 1);
  const [replies] = await Promise.all([
    Promise.all(payments.map((first, nth) => switchOver(nth % 2 ? twin : app, first))),
    app.clock.advance(2_000),
  ]);
  for (const [nth, first] of payments.entries()) {
    const isReplaced = replies[nth]?.status === 201;
    if (!isReplaced) expect(replies[nth]?.json).toMatchObject({ code: 'payment_not_payable' });
    await travelToStatus(app, first.id, isReplaced ? 'Canceled' : 'Expired');
    expect((await secondOf(first)) !== null).toBe(isReplaced);
  }
  await expectOnePayable(app);
});

/** What can happen to a payment that may be paid by reference; whatever is refused is refused. */
const ACTS: Record<string, (node: TestApp, first: Made) => Promise<unknown>> = {
  tap: switchOver,
  submit,
  cancel,
  async refuse(node, first) {
    const push = await lastPush(first);
    if (push?.status === 'Sent') await notify(node, push.id, declined('INSUFFICIENT_FUNDS'));
  },
  async approve(node, first) {
    const push = await lastPush(first);
    if (push && push.status !== 'Unsent') await notify(node, push.id, approved({ transactionId: `T${push.id}` }));
  },
  async payReference(node, first) {
    const second = await secondOf(first);
    if (second) await tell(node, moneyFor(node, { entity: '00999', reference: second.reference }));
  },
  async payPart(node, first) {
    const second = await secondOf(first);
    const part = { amount: '600.00' };
    if (second) await tell(node, moneyFor(node, { entity: '00999', reference: second.reference }, part));
  },
  async cancelSecond(node, first) {
    const second = await secondOf(first);
    if (second) await cancel(node, second);
  },
  async cancelReference(node, first) {
    const second = await secondOf(first);
    if (second) await node.call(`/api/references/ppr/${second.reference}/cancel`, { method: 'POST' });
  },
  wait: () => app.clock.pass(90_000),
};

const RUNS = 20;
const SEED = 20_261_127;

/** What was met: a property of nothing would hold too. */
const met = new Set<string>();

test(`in ${RUNS} random lives, several things at a time, at most one of a chain is payable`, async () => {
  const act = fc.record({ name: fc.constantFrom('tap', 'tap', ...Object.keys(ACTS)), isTwin: fc.boolean() });
  // Most begin where the tap is possible, so that there is something to race about.
  const moments = fc.array(fc.array(act, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 7 });
  const property = fc.asyncProperty(moments, fc.nat({ max: 3 }), async (lives, odds) => {
    const first = odds > 0 ? await createRefused(app) : await create(app, replaceable());
    for (const moment of lives) {
      const looking = watchChains();
      await Promise.all(moment.map(({ name, isTwin }) => ACTS[name]?.(isTwin ? twin : app, first)));
      await looking.stop();
    }
    const [chain] = (await expectOnePayable(app)).filter((one) => one.reference === first.reference);
    met.add(chain ? `${chain.first}/${chain.second}` : (await readPayment(app, first.id)).status);
    await expectMoneyKept(first);
  });
  await fc.assert(property, { seed: SEED, numRuns: RUNS, endOnFailure: true });
  expect([...met].filter((end) => end.includes('/')).length, 'chains met').toBeGreaterThan(1);
}, 240_000);

/** Looks again and again while things happen: no moment between shows two that are payable. */
function watchChains() {
  let isOver = false;
  const looking = (async () => {
    while (!isOver) await expectOnePayable(app);
  })();
  return { stop: () => ((isOver = true), looking) };
}

/** What both payments say they got is what was told of them, once. */
async function expectMoneyKept({ id }: Made): Promise<void> {
  const rows = await app.sql(
    `select p.amount_paid_minor::int as paid, (select coalesce(sum(t.amount_minor), 0)::int from transactions t
       where t.payment_id = p.id) as received, p.status
     from payments p where p.id = $1 or p.replaces_id = $1`,
    [id],
  );
  for (const { paid, received, status } of rows) {
    expect(paid).toBe(received);
    expect(status === 'Paid').toBe(paid >= 150_000);
  }
}
