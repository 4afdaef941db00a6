import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { startAppBehind, until, type TestApp } from '../../../support/app.ts';
import {
  expectCash,
  isSettledWithin,
  startProxiedRail,
  travelToRest,
  type ProxiedRail,
} from '../../../support/cashbook.ts';
import { expectCounted } from '../../../support/lists.ts';
import { travelUntil } from '../../../support/payments.ts';
import { cancel, digits, PPR, sendPprNotification, pprNotificationBody } from '../../../support/ppr.ts';
import { referenceOrder, type Digits, type RailPayment } from '../../../support/references.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../shared/durations.ts';

const RUNS = 20;

let app: TestApp;
let rail: ProxiedRail;
beforeAll(async () => {
  ({ app, rail } = await startAppBehind(startProxiedRail));
});

type Run = {
  /** Whether the rail fails at random. */
  isTroubled: boolean;
  /** Digits that the merchant chooses, and uses repeatedly. */
  pool: string[];
  made: (Digits & { internalId: string | null })[];
  paid: RailPayment[];
};

type Step = {
  name: string;
  which: number;
  cents: number;
  type: 'Dynamic' | 'Charging';
  /** The amount 0 of a Charging reference lets the payer choose the amount. */
  isOpen: boolean;
  isDefined: boolean;
  lastsMs: number;
  channel: string;
  fault: string | null;
  spoil: Record<string, unknown>;
  ms: number;
};

const pick = ({ made }: Run, { which }: Step) => made[which % made.length];

/** The steps of a history. After each step, the rail knows every ended reference and the clock has moved. */
const STEPS: Record<string, (run: Run, step: Step) => Promise<unknown> | unknown> = {
  async create(run, { type, isOpen, cents, isDefined, which, lastsMs }) {
    const amount = type === 'Charging' && isOpen ? 0 : cents / 100;
    const own = isDefined ? { reference: run.pool[which % run.pool.length] } : {};
    const expiryDate = new Date(app.clock.now().getTime() + lastsMs).toISOString();
    const body = { amount, referenceType: type, expiryDate, ...own };
    const { status, json } = await app.call(PPR, { body });
    if (status === 201) return run.made.push(json);
    expect({ status, code: json.code }).toEqual({ status: 400, code: 'reference_in_use' });
  },
  /** Registers at the rail a reference that the gateway does not know, on the same entity. */
  async foreign(run, { cents }) {
    const order = referenceOrder(app.clock, { amountMinor: cents });
    await until(async () => (await rail.rail.register(order)).result === 'active', 'the rail taking it');
    run.made.push({ entity: order.entity, reference: order.reference, internalId: null });
  },
  async pay(run, step) {
    const to = pick(run, step);
    if (!to) return;
    const { channel, cents } = step;
    const { body: shown } = await rail.call('/atm/read', to);
    const amount = shown.amount === null || step.fault === 'wrong_amount' ? (cents / 100).toFixed(2) : null;
    // The rail can assign late money to a reference only if the reference was registered there.
    const fault = run.isTroubled && step.fault === 'late' ? null : step.fault;
    const { status, body } = await rail.pay(to, { amount, channel, ...(fault && { fault }) });
    if (status === 201) run.paid.push(...body.payments);
    else expect(body.code).toMatch(/^(REFERENCE_(PAID|EXPIRED|WITHDRAWN)|UNKNOWN_REFERENCE)$/);
  },
  async cancel(run, step) {
    const to = pick(run, step);
    if (!to?.internalId) return;
    expect([200, 409]).toContain((await cancel(app, to.reference)).status);
  },
  async sync(run, step) {
    const id = pick(run, step)?.internalId;
    const { status } = id ? await app.call(`/api/payments/${id}/sync`, { method: 'POST' }) : { status: 200 };
    expect(run.isTroubled ? [200, 503] : [200]).toContain(status);
  },
  trouble: ({ isTroubled }, { spoil }) => (isTroubled ? rail.orderFault(spoil) : undefined),
  wait: (_run, { ms }) => app.clock.advance(ms),
  /** Moves the clock by hours or days, in which references end and the rail publishes payments. */
  leap: (_run, { lastsMs }) => app.clock.leap(lastsMs),
  /** The rail repeats a notification, with the same id, with another id, or with zeros before its transaction id. */
  async repeat({ paid }, { which }) {
    const payment = paid[which % Math.max(1, paid.length)];
    if (!payment) return;
    const path = `/atm/payments/${payment.transactionId}/repeat`;
    const isPublic = (await rail.books(payment.reference)).referencePayments.some(
      (one) => one.transactionId === payment.transactionId && one.isPublic,
    );
    if (!isPublic) return;
    if (which % 3 < 2) expect((await rail.call(path, { newId: which % 3 === 0 })).status).toBe(201);
    else
      expect(
        (
          await sendPprNotification(
            app,
            pprNotificationBody({ ...payment, transactionId: `0${payment.transactionId}` }, randomUUID()),
          )
        ).status,
      ).toBe(200);
  },
};

const spoil = fc.oneof(
  fc.record({
    on: fc.constantFrom(
      ...(['reference_register', 'reference_register', 'reference_withdraw', 'reference_withdraw'] as const),
      ...(['reference_query', 'payments_list'] as const),
    ),
    kind: fc.constantFrom('unavailable', 'reset_before', 'reset_after', 'garbage'),
    times: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({
    on: fc.constant('reference_notification'),
    kind: fc.constantFrom('drop', 'duplicate', 'reorder', 'delay', 'garbage'),
  }),
);

const NAMES = `create create create pay pay pay pay cancel cancel trouble trouble trouble
  leap wait sync repeat repeat foreign`.split(/\s+/);
const FAULTS = [
  null,
  null,
  null,
  ...'twice late late wrong_amount wrong_amount wrong_amount notify_later lost'.split(' '),
];

const steps = fc.array(
  fc.record({
    name: fc.constantFrom(...NAMES),
    which: fc.nat({ max: 11 }),
    cents: fc.integer({ min: 1, max: 250_000 }),
    type: fc.constantFrom('Dynamic' as const, 'Dynamic' as const, 'Charging' as const),
    isOpen: fc.boolean(),
    isDefined: fc.constantFrom(true, true, false),
    lastsMs: fc.constantFrom(HOUR_MS / 2, 5 * HOUR_MS, 2 * DAY_MS, 40 * DAY_MS),
    channel: fc.constantFrom('ATM', 'IB', 'MB', 'POS'),
    fault: fc.constantFrom(...FAULTS),
    spoil,
    ms: fc.integer({ min: 100, max: 90_000 }),
  }),
  { minLength: 6, maxLength: 20 },
);

/** Returns the references whose current status the gateway has not sent to the rail. */
const UNTOLD = `select from payment_references f where not exists (
    select from events e where e.payment_id = f.payment_id and e.type = any(case when f.status = 'Pending'
      then array['reference.registered', 'reference.registration_failed']
      else array['reference.withdrawn', 'reference.withdrawal_failed'] end)) limit 1`;

async function runSteps(sequence: Step[], isTroubled: boolean): Promise<Run> {
  const pool = [digits(), digits(), digits()];
  const run: Run = { isTroubled, pool, made: [], paid: [] };
  for (const step of [{ ...sequence[0], name: 'create' } as Step, ...sequence]) {
    await STEPS[step.name]?.(run, step);
    // A leap of the clock may interrupt a call. Then the next movement of the clock starts another.
    await travelUntil(app, async () => (await app.sql(UNTOLD)).length === 0, `the rail knowing of a ${step.name}`);
    // If two steps happened at one moment, the owner of money would be ambiguous.
    await app.clock.advance(10);
  }
  return run;
}

/** Counts each final status, because a history without payments would fulfil the property too. */
const ends = new Map<string, number>();

async function countEnds({ made }: Run): Promise<void> {
  const rows = await app.sql(
    `select f.type || ' ' || p.status || '/' || f.status as end, p.late, p.flags from payment_references f
     join payments p on p.id = f.payment_id where p.id = any($1)`,
    [made.flatMap(({ internalId }) => internalId ?? [])],
  );
  const names = rows.flatMap(({ end, late, flags }) => [end, ...flags, ...(late ? ['late'] : [])]);
  for (const name of names) ends.set(name, (ends.get(name) ?? 0) + 1);
}

async function expectNothingLost(sequence: Step[], isTroubled: boolean): Promise<void> {
  const run = await runSteps(sequence, isTroubled);
  await rail.call('/faults', {}, 'DELETE');
  // The rail publishes its last payments after one hour.
  for (let hours = 0; hours < 3; hours++) {
    app.clock.leap(HOUR_MS);
    // Within two minutes, all due work runs and the node reads the rail's list of payments.
    if (await isSettledWithin(app, rail, 2 * MINUTE_MS)) break;
  }
  await travelToRest(app, rail);
  await expectCash(app.sql, await rail.books());
  await countEnds(run);
}

const SEED = 20_261_121;

test(`${RUNS} random histories of references neither lose, double nor misassign money`, async () => {
  const property = fc.asyncProperty(steps, (sequence) => expectNothingLost(sequence, false));
  await fc.assert(property, { seed: SEED, numRuns: RUNS, endOnFailure: true });
}, 240_000);

test(`${RUNS} random histories with a failing rail neither lose, double nor misassign money`, async () => {
  const property = fc.asyncProperty(steps, (sequence) => expectNothingLost(sequence, true));
  await fc.assert(property, { seed: SEED, numRuns: RUNS, endOnFailure: true });
}, 240_000);

test('the random histories include each final status and wrong amount, and the lists count them', async () => {
  await expectCounted(app);
  expect([...ends.keys()].toSorted()).toEqual([
    'Charging Canceled/Canceled',
    'Charging Expired/Expired',
    'Charging Paid/Canceled',
    'Charging Paid/Expired',
    'Charging Paid/Pending',
    'Charging Pending/Pending',
    'Dynamic Canceled/Canceled',
    'Dynamic Expired/Expired',
    'Dynamic Paid/Paid',
    'Dynamic Pending/Pending',
    'amount_mismatch',
    'late',
    'overpaid',
  ]);
});
