import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../../support/app.ts';
import { expectCounted, expectTakingsAgree } from '../../../support/lists.ts';
import {
  authorization,
  cancel,
  capture,
  expectAgreement,
  HOLD_MS,
  readFullBooks,
  take,
} from '../../../support/authorizations.ts';
import { NOTIFY_ENV, sendNotification } from '../../../support/notify.ts';
import { create, orderFault, travelFor, travelUntil } from '../../../support/payments.ts';

const RUNS = 25;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});

/** Test phones that decide automatically. One refuses, one loses notifications, and one repeats them. */
const PHONES = ['900000000', '900000001', '900000005', '900000006', '900000007'];
const REQUEST_FAULTS = ['delay', 'unavailable', 'reset_before', 'reset_after', 'hang', 'garbage'];
const NOTIFICATION_FAULTS = ['delay', 'drop', 'duplicate', 'reorder', 'garbage'];

type Run = {
  ids: string[];
  /** Requests that wait until the clock moves. */
  waiting: Promise<Reply>[];
};

type Step = { name: string; which: number; cents: number; phone: string; fault: Record<string, unknown>; ms: number };

const pick = ({ ids }: Run, { which }: Step) => ids[which % ids.length] ?? randomUUID();

/** The steps of a history. The test does not wait for requests that the rail may delay. */
const STEPS: Record<string, (run: Run, step: Step) => Promise<unknown> | unknown> = {
  async authorize(run, { phone, cents }) {
    run.ids.push((await create(app, authorization(phone, { amount: cents / 100 }))).id);
    const isDecided = async () =>
      (await app.sql(`select from payments where id = $1 and status <> 'Processing'`, [run.ids.at(-1)])).length > 0;
    // With a fault the decision takes longer, and the next step comes first.
    await travelFor(app, isDecided, 2_000);
  },
  capture(run, step) {
    const amount = Math.ceil(step.cents / 3) / 100;
    run.waiting.push(take(app, capture(pick(run, step), { amount })));
  },
  cancel: (run, step) => void run.waiting.push(cancel(app, pick(run, step))),
  both(run, step) {
    STEPS['capture']?.(run, step);
    STEPS['cancel']?.(run, step);
  },
  fault: (_run, { fault }) => orderFault(app, fault),
  sync: (run, step) => void run.waiting.push(app.call(`/api/payments/${pick(run, step)}/sync`, { method: 'POST' })),
  wait: (_run, { ms }) => app.clock.advance(ms),
  async expire() {
    // A token that is requested during the leap would have expired after it.
    await app.token();
    app.clock.leap(HOLD_MS);
    await app.token();
  },
  /** The rail repeats an earlier notification with a new id. */
  async repeat(_run, { which }) {
    const told = await app.sql('select body from inbox order by received_at, id');
    const body = told[told.length - 1 - (which % Math.max(1, told.length))]?.body;
    if (body?.startsWith('{')) await sendNotification(app, JSON.stringify({ ...JSON.parse(body), id: randomUUID() }));
  },
};

const fault = fc.oneof(
  fc.record({
    on: fc.constantFrom('authorization', 'capture', 'void', 'query'),
    kind: fc.constantFrom(...REQUEST_FAULTS),
    times: fc.integer({ min: 1, max: 3 }),
    delayMs: fc.constantFrom(1_500, 30_000),
  }),
  fc.record({ on: fc.constant('notification'), kind: fc.constantFrom(...NOTIFICATION_FAULTS) }),
);

const NAMES = 'authorize capture capture cancel both fault fault sync wait wait expire repeat'.split(' ');

const steps = fc.array(
  fc.record({
    name: fc.constantFrom(...NAMES),
    which: fc.nat({ max: 7 }),
    cents: fc.integer({ min: 1, max: 250_000 }),
    phone: fc.constantFrom(...PHONES),
    fault,
    ms: fc.integer({ min: 100, max: 20_000 }),
  }),
  { minLength: 4, maxLength: 16 },
);

/** Stops all faults and waits until no payment is in progress. */
async function settle({ waiting }: Run): Promise<void> {
  await fetch(`${app.url}/sandbox/rail/faults`, { method: 'DELETE' });
  let isAnswered = false;
  const answered = Promise.all(waiting).finally(() => (isAnswered = true));
  const busy = `select id from payments where (status = 'Processing' or operation is not null
    or (status = 'Authorized' and expires_at <= $1))`;
  const stuck = `${busy} and id in (select payment_id from events where type = 'payment.stuck')`;
  const isSettled = async () => {
    await app.clock.advance(1_500);
    // After a leap of a week the interrupted call is too old to be polled, so an operator requests a sync.
    for (const { id } of await app.sql(stuck, [app.clock.now()]))
      await app.call(`/api/payments/${id}/sync`, { method: 'POST' });
    return isAnswered && (await app.sql(busy, [app.clock.now()])).length === 0;
  };
  await travelUntil(app, isSettled, 'everything being settled', 7_200_000);
  // A token may expire during a leap, and a sync may fail. Every other request must succeed.
  for (const { status, json } of await answered)
    expect([200, 201, 400, 401, 404, 409, 503], json.code).toContain(status);
}

/** Counts each final status, because a history without payments would fulfil the property too. */
const ends = new Map<string, number>();

test(`${RUNS} random histories of authorizations neither lose, double nor invent money`, async () => {
  const property = fc.asyncProperty(steps, async (sequence) => {
    const run: Run = { ids: [], waiting: [] };
    for (const step of [{ ...sequence[0], name: 'authorize' } as Step, ...sequence])
      await STEPS[step.name]?.(run, step);
    await settle(run);
    await expectAgreement(app.sql, await readFullBooks(app));
    await expectTakingsAgree(app);
    const rows = await app.sql('select status from payments where id = any($1)', [run.ids]);
    for (const { status } of rows) ends.set(status, (ends.get(status) ?? 0) + 1);
  });
  await fc.assert(property, { seed: 20_261_121, numRuns: RUNS, endOnFailure: true });
  await expectCounted(app);
  expect([...ends.keys()].sort()).toEqual(['Authorized', 'Canceled', 'Captured', 'Expired', 'Failed']);
});
