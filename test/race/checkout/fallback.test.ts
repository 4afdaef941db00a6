// The switch of a page to a reference, against concurrent events: one payment stays payable, and no money is lost.
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { createRefused, expectOnePayable, replaceable, switchByForm, switchOver } from '../../support/fallback.ts';
import { raceForPayment } from '../../support/locks.ts';
import {
  approved,
  declined,
  notify,
  NOTIFY_ENV,
  readAttempts,
  readPayment,
  PENDING_PHONE,
} from '../../support/notify.ts';
import { create, travelToStatus } from '../../support/payments.ts';
import { moneyFor, notifyPprPayment } from '../../support/ppr.ts';

let app: TestApp;
let twin: TestApp;
beforeAll(async () => {
  const env = { ...NOTIFY_ENV, PPR_KEY: 'one key for both nodes' };
  app = await startTestApp({ env });
  twin = await app.startTwin();
});

type Made = { id: string; clientToken: string };

const submit = (node: TestApp, { clientToken }: Made): Promise<Reply> =>
  node.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: PENDING_PHONE }, token: null });
const cancel = (node: TestApp, { id }: Pick<Made, 'id'>): Promise<Reply> =>
  node.call(`/api/payments/${id}/cancel`, { method: 'POST' });
const lastPush = async ({ id }: Made) => (await readAttempts(app, id)).at(-1);
const secondOf = async ({ id }: Made) =>
  (await app.sql('select id, status, reference from payments where replaces_id = $1', [id]))[0] ?? null;

test.each([2, 12])(
  '%i concurrent taps on "pay by reference" on two nodes, by script and by form, create one payment',
  async (count) => {
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
  },
);

const race = (first: Made, one: () => Promise<any>, other: () => Promise<any>) =>
  raceForPayment(app, first.id, one, other);

type Rival = {
  act: (first: Made) => Promise<any>;
  /** The status of the rival's response if the rival wins, and the problem code that the tap gets. */
  wins: { status: number; code: string };
  /** Checks the response of the rival if the tap wins. */
  loses: (reply: any, first: Made) => Promise<void>;
};

const RIVALS: Record<string, Rival> = {
  'a push of another tab': {
    act: (first) => submit(app, first),
    wins: { status: 202, code: 'payment_in_progress' },
    async loses(reply, first) {
      expect(reply).toMatchObject({ status: 409, json: { code: 'payment_not_payable' } });
      expect(await readAttempts(app, first.id)).toHaveLength(1);
      expect(await secondOf(first)).toMatchObject({ status: 'Pending' });
    },
  },
  'a cancellation of the merchant': {
    act: (first) => cancel(app, first),
    wins: { status: 200, code: 'payment_not_payable' },
    async loses(reply, first) {
      const { id } = await secondOf(first);
      expect(reply).toMatchObject({ status: 409, json: { code: 'payment_replaced', replacedBy: id } });
    },
  },
};

describe.each(Object.entries(RIVALS))('a tap on "pay by reference" against %s', (_name, { act, wins, loses }) => {
  test('is refused if the rival wins', async () => {
    const first = await createRefused(app);
    const [won, tapped] = await race(
      first,
      () => act(first),
      () => switchOver(twin, first),
    );
    expect(won.status).toBe(wins.status);
    expect(tapped).toMatchObject({ status: 409, json: { code: wins.code } });
    expect(await secondOf(first)).toBeNull();
  });

  test('replaces the payment if the tap wins', async () => {
    const first = await createRefused(app);
    const [tapped, lost] = await race(
      first,
      () => switchOver(twin, first),
      () => act(first),
    );
    expect(tapped.status).toBe(201);
    await loses(lost, first);
  });
});

describe('a tap on "pay by reference" against a late approval', () => {
  test('is refused if the approval wins', async () => {
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

  test('causes late money and a canceled reference if the tap wins', async () => {
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

  test.each([
    ['the whole amount', undefined, { second: 'Paid', second_paid: 150_000 }, ['overpaid']],
    ['a part', '600.00', { second: 'Canceled', second_paid: 60_000 }, ['amount_mismatch', 'overpaid']],
  ])(
    'and against money of %s for the reference records both amounts, and one overpayment',
    async (_what, amount, end, flags) => {
      for (let round = 0; round < 6; round++) {
        const first = await createRefused(app);
        const { id } = await lastPush(first);
        await switchOver(app, first);
        const { reference } = await secondOf(first);
        const money = moneyFor(twin, { entity: '00999', reference }, amount ? { amount } : {});
        const acts = [() => notify(app, id, approved()), () => notifyPprPayment(twin, money)];
        await Promise.all((round % 2 ? acts : acts.toReversed()).map((act) => act()));
        const [chain] = (await expectOnePayable(app)).filter((one) => one.reference === first.reference);
        expect(chain).toMatchObject({ first: 'Paid', first_paid: 150_000, ...end });
        expect(chain.flags.toSorted()).toEqual(flags);
      }
    },
  );
});

test('a tap on "pay by reference" against the expiry of the payment has exactly one winner', async () => {
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

/** The events that can happen to a payment with a fallback reference. Each of them may be refused. */
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
    if (second) await notifyPprPayment(node, moneyFor(node, { entity: '00999', reference: second.reference }));
  },
  async payPart(node, first) {
    const second = await secondOf(first);
    const part = { amount: '600.00' };
    if (second) await notifyPprPayment(node, moneyFor(node, { entity: '00999', reference: second.reference }, part));
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

/** The final statuses of all runs. They prove that the property tested chains of payments. */
const met = new Set<string>();

test(`${RUNS} random histories of concurrent events leave at most one payable payment`, async () => {
  const act = fc.record({ name: fc.constantFrom('tap', 'tap', ...Object.keys(ACTS)), isTwin: fc.boolean() });
  // Most runs begin with a refused payment, because only then a tap is possible.
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

/** Checks in a loop that two payments of a chain are never payable at the same time. */
function watchChains() {
  let isOver = false;
  const looking = (async () => {
    while (!isOver) await expectOnePayable(app);
  })();
  return { stop: () => ((isOver = true), looking) };
}

/** Expects that amountPaid of both payments equals the sum of their transactions. */
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
