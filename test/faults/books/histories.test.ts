// Random payments and refunds while the node is killed with kill -9. The settlements must equal the rail's books.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clearingDayOf, endOfClearingDay } from '../../../shared/clearing.ts';
import { until, type CallOptions, type Reply } from '../../support/app.ts';
import { readSettlements } from '../../support/books.ts';
import { killChildren, connectMerchant } from '../../support/child.ts';
import { startGatewayFixture } from '../../support/gateway.ts';
import type { JumpClock } from '../../support/jump-clock.ts';
import { startLoneRail } from '../../support/lone-rail.ts';
import { purchase } from '../../support/payments.ts';
import { PPR } from '../../support/ppr.ts';
import { startProxy } from '../../support/proxy.ts';
import { qrcode, SCANNER } from '../../support/qrcodes.ts';
import { BUSY, expectRailBooks } from '../../support/rail-books.ts';
import { RAIL_KEY } from '../../support/rail.ts';
import { payAtRail, PPR_KEY } from '../../support/references.ts';
import { byHand, expectRefundsAgree } from '../../support/refunds.ts';
import { madeIdsOf } from '../../support/repeats.ts';
import { HOUR_MS } from '../../../shared/durations.ts';

// The gateway and the simulator of both rails share a database. The simulator survives the kills.
/** The rail's timeout: less than half of the 30 s after which the node sends an attempt again. */
const TIMEOUT_S = 12;
/** The lease of an interrupted call is the rail's timeout plus 5 s. */
const AFTER_LEASE_MS = (TIMEOUT_S + 6) * 1_000;
/** The node does not send an attempt of this age again. */
const AFTER_30_S_MS = 40_000;
/** After this time every lease has ended and the node has read the rail's payment list again. */
const AFTER_SWEEP_MS = 70_000;

async function startRails({ clock, gatewayUrl }: { clock: JumpClock; gatewayUrl: () => string }) {
  const notifications = await startProxy(gatewayUrl);
  const notifyUrl = (rail: string) => `${notifications.url}/rails/${rail}/notifications`;
  const [gpo, ppr] = [() => notifyUrl('gpo'), () => notifyUrl('ppr')];
  const rail = await startLoneRail({ clock, key: RAIL_KEY, notifyUrl: gpo, pprKey: PPR_KEY, pprNotifyUrl: ppr });
  const calls = await startProxy(() => rail.url);
  const env = {
    GPO_URL: calls.url,
    GPO_KEY: RAIL_KEY,
    GPO_TIMEOUT_S: String(TIMEOUT_S),
    PPR_URL: calls.url,
    PPR_KEY,
    PPR_TIMEOUT_S: String(TIMEOUT_S),
    // These URLs prevent the gateway from starting a second simulator.
    SMS_URL: calls.url,
    SMS_KEY: RAIL_KEY,
    DATABASE_URL: rail.databaseUrl,
  };
  const stop = async () => {
    await calls.stop();
    await notifications.stop();
    await rail.stop();
  };
  return { rail, calls, notifications, env, stop };
}

type BooksFixture = Awaited<ReturnType<typeof startBooksFixture>>;

async function startBooksFixture() {
  const { rail: rails, clock, sql, child, restart, merchant } = await startGatewayFixture(startRails);
  const { rail, calls, notifications } = rails;
  const fixture = { rail, calls, notifications, clock, sql, merchant, killAndRestart };
  return fixture;

  /** Kills the node, runs `away`, and restarts it on its port with later clocks. */
  async function killAndRestart(laterMs: number, away?: () => unknown): Promise<void> {
    await child().kill();
    await away?.();
    clock.jump(laterMs);
    await restart(laterMs);
    // A token expires after an hour.
    fixture.merchant = connectMerchant(() => child().url);
  }
}

const wanted = (name: string, otherwise: number) => Number(process.env[`BOOKS_RUN_${name}`] ?? otherwise);
const RUNS = wanted('KILLED_HISTORIES', 1);
/** The seed of a failed run repeats its steps, and its kills after the same number of calls. */
const SEED = wanted('SEED', Math.floor(Math.random() * 2 ** 31));
const KILLS = 3;
const STEPS_EACH = 18;
/** The simulated payer with this phone number approves immediately. */
const APPROVING = '900000000';

let gateway: BooksFixture;
let startedAt: Date;
beforeAll(async () => {
  gateway = await startBooksFixture();
  startedAt = gateway.clock.now();
});
afterAll(async () => {
  await killChildren();
});

type Step = {
  name: string;
  which: number;
  cents: number;
  phone: string;
  cash: string | null;
  fault: Record<string, unknown>;
};

/** A request of the merchant and its response. */
type Made = { path: string; request: CallOptions; created: Reply };

type History = { made: Made[]; refunds: Reply[]; codes: string[]; references: { entity: string; reference: string }[] };

const pick = <T>(from: T[], { which }: Step): T | undefined => from[which % from.length];

/** Repeats the merchant's request until a node responds. */
async function make({ made }: History, path: string, body: object, headers: Record<string, string> = {}) {
  const request = { body, headers: { 'idempotency-key': randomUUID(), ...headers } };
  const created = await gateway.merchant.insist(path, request);
  expect(created.status, created.text).toBe(201);
  made.push({ path, request, created });
  return created.json;
}

const MONEY = `select t.payment_id as "paymentId", t.id as "transactionId",
    (t.amount_minor - t.refunded_minor - t.refunding_minor)::int as "leftMinor"
  from transactions t where t.created_at >= $1 order by t.created_at, t.id`;

async function giveBack({ refunds }: History, step: Step, body: (leftMinor: number) => object): Promise<void> {
  const money = pick(await gateway.sql(MONEY, [startedAt]), step);
  if (!money) return;
  const { paymentId, transactionId, leftMinor } = money;
  const request = { body: { transactionId, ...body(leftMinor) }, headers: { 'idempotency-key': randomUUID() } };
  const reply = await gateway.merchant.insist(`/api/payments/${paymentId}/refunds`, request);
  expect([201, 400, 409], reply.text).toContain(reply.status);
  if (reply.status === 201) refunds.push(reply);
}

/** The steps of a history. Each step continues after a kill until it has succeeded. */
const STEPS: Record<string, (history: History, step: Step) => Promise<unknown>> = {
  push: (history, { phone, cents }) => make(history, '/api/payments', purchase(phone, { amount: cents / 100 })),
  async code(history, { which, cents }) {
    const body = qrcode({ maxTransactions: 1 + (which % 3) }, { amount: cents / 100 });
    const { qrCode } = await make(history, '/api/payments', body, { prefer: 'return=representation' });
    if (qrCode?.content) history.codes.push(qrCode.content);
  },
  async scan({ codes }, step) {
    const content = pick(codes, step);
    if (content) await gateway.rail.call('/scans', { content, phone: SCANNER });
  },
  async reference(history, { which, cents }) {
    const body = { amount: cents / 100, referenceType: which % 2 ? 'Dynamic' : 'Charging' };
    history.references.push(await make(history, PPR, body));
  },
  async cash({ references }, step) {
    const to = pick(references, step);
    if (!to) return;
    const amount = step.cash === 'wrong_amount' ? (step.cents / 100).toFixed(2) : null;
    const { status, body } = await payAtRail(gateway.rail.url, to, { amount, ...(step.cash && { fault: step.cash }) });
    // The reference is not registered yet.
    expect(status === 201 ? '201' : body.code).toMatch(/^(201|REFERENCE_PAID|UNKNOWN_REFERENCE)$/);
  },
  whole: (history, step) => giveBack(history, step, () => ({})),
  part: (history, step) =>
    giveBack(history, step, (left) => ({ amount: Math.max(1, Math.floor((left * step.cents) / MOST_CENTS)) / 100 })),
  manual: (history, step) => giveBack(history, step, (left) => byHand({ amount: Math.ceil(left / 4 || 1) / 100 })),
  fault: (_history, { fault }) => gateway.rail.orderFault(fault),
};

/** Refunds stay below this amount, because the simulated rail treats larger ones differently. */
const MOST_CENTS = 90_000;

const fault = fc.oneof(
  fc.record({
    on: fc.constantFrom('purchase', 'qrcode', 'query', 'refund', 'refund_query', 'payments_list', 'reference_register'),
    kind: fc.constantFrom('unavailable', 'reset_before', 'reset_after', 'garbage'),
    times: fc.integer({ min: 1, max: 2 }),
  }),
  fc.record({
    on: fc.constantFrom('notification', 'notification', 'reference_notification', 'refund_notification'),
    kind: fc.constantFrom('drop', 'drop', 'duplicate', 'reorder', 'garbage'),
  }),
);

const OFTEN = ['push', 'push', 'cash', 'cash', 'scan', 'whole', 'part', 'part', 'fault'];
const SELDOM = ['code', 'reference', 'manual'];

const drawStep = (...names: string[]) =>
  fc.record({
    name: fc.constantFrom(...names),
    which: fc.nat({ max: 11 }),
    cents: fc.integer({ min: 3, max: MOST_CENTS }),
    // The simulated payers of these test numbers decide automatically. Pushes to 900000004 never reach the rail.
    phone: fc.constantFrom(...[0, 0, 1, 4, 5, 6, 7, 8].map((digit) => `90000000${digit}`)),
    cash: fc.constantFrom(null, null, 'twice', 'late', 'wrong_amount', 'lost'),
    fault,
  });

/** Payers pay while the node is down. `calls`: the number of rail calls before the kill. */
const kill = fc.record({
  meanwhile: drawStep('push', 'whole', 'part', 'cash', 'scan', 'code', 'reference'),
  calls: fc.nat({ max: 2 }),
  away: drawStep('cash', 'cash', 'scan'),
  laterMs: fc.constantFrom(0, AFTER_LEASE_MS, AFTER_30_S_MS),
});

const histories = fc.array(
  fc.record({
    steps: fc.array(drawStep(...OFTEN, ...OFTEN, ...SELDOM), { minLength: 4, maxLength: STEPS_EACH / KILLS }),
    kill,
  }),
  { minLength: KILLS, maxLength: KILLS },
);

const FIRST = ['reference', 'code', 'push'];

type Kill = { meanwhile: Step; calls: number; away: Step; laterMs: number };

const take = (history: History, step: Step) => STEPS[step.name]?.(history, step);

async function killDuring(history: History, { meanwhile, calls, away, laterMs }: Kill): Promise<void> {
  const seen = () => gateway.calls.seen.length + gateway.notifications.seen.length;
  const enough = seen() + calls;
  // A push causes at least two calls.
  const push = { ...meanwhile, name: 'push', phone: APPROVING };
  const going = Promise.all([take(history, meanwhile), take(history, push)]);
  going.catch(() => {});
  await until(() => seen() >= enough, 'the next kill');
  // The idempotency key of a QR code creation is locked until its lease ends.
  const leastMs = meanwhile.name === 'code' ? AFTER_LEASE_MS : 0;
  await gateway.killAndRestart(Math.max(laterMs, leastMs), () => take(history, away));
  await going;
}

/** The number of unfinished orders that BUSY does not count. Open QR codes do not count. */
const UNDER_WAY = `${BUSY} union all select 'undecided ' || id from attempts
  where status = 'Unsent' or resolved_at is null and kind <> 'qrcode'`;

const isAtRestWithin = (ms: number) =>
  until(async () => (await gateway.sql(UNDER_WAY)).length === 0, 'rest', ms).then(
    () => true,
    () => false,
  );

/** Stops all faults and moves the clock until every order has ended. One leap of the clock usually suffices. */
async function settle(): Promise<void> {
  await gateway.rail.call('/faults', {}, 'DELETE');
  let rounds = 0;
  do await gateway.killAndRestart(AFTER_SWEEP_MS);
  while (
    // Each round waits longer, because on a busy machine a kill may interrupt the work of the round before.
    !(await isAtRestWithin(10_000 * (rounds + 1))) &&
    ++rounds < 4
  );
  expect(await gateway.sql(UNDER_WAY)).toEqual([]);
}

const PAID_TWICE = `select t.payment_id from transactions t join payments p on p.id = t.payment_id
  where p.payment_method = 'onetimepurchase' group by t.payment_id having count(*) > 1`;

/** Expects that every acknowledged payment and refund exists exactly once. */
async function expectMade({ made, refunds }: History, since: Date): Promise<void> {
  for (const { path, request, created } of made) {
    const again = await gateway.merchant.call(path, request);
    expect({ status: again.status, ids: madeIdsOf(again) }).toEqual({ status: 201, ids: madeIdsOf(created) });
  }
  // The node acknowledges no failed QR code, so the next request with its key makes another.
  const payments = `select id from payments where created_at >= $1 and (payment_method <> 'qrcode' or qr_content is not null)`;
  const idsOf = async (text: string) => (await gateway.sql(text, [since])).map(({ id }) => id).toSorted();
  expect(await idsOf(payments)).toEqual(made.map(({ created }) => created.json.internalId).toSorted());
  const given = await idsOf('select id from refunds where created_at >= $1');
  expect(given).toEqual(refunds.map(({ json }) => json.id).toSorted());
  expect(await gateway.sql(PAID_TWICE)).toEqual([]);
}

/** Closes every period of the day and compares all settlements with the rail. */
async function expectBooks(): Promise<void> {
  const now = gateway.clock.now();
  await gateway.killAndRestart(endOfClearingDay(clearingDayOf(now)).getTime() + HOUR_MS + 1 - now.getTime());
  const open = `select from settlements where due_at is not null limit 1`;
  await until(async () => (await gateway.sql(open)).length === 0, 'every period being closed');
  const { merchant, sql, rail } = gateway;
  const app = { sql, call: merchant.insist };
  const settlements = await readSettlements(app, `?from=${clearingDayOf(startedAt)}&limit=100`);
  const { body: books } = await rail.call('/books');
  for (const { type } of await expectRailBooks(app, { settlements, books, since: startedAt })) met.add(type);
  await expectRefundsAgree(gateway);
}

/** The kinds of records that occurred. Without this check an empty history would pass the test. */
const met = new Set<string>();

test(
  `the settlements equal the rail’s books after ${RUNS} random histories with ${KILLS} kills each (BOOKS_RUN_SEED=${SEED})`,
  async () => {
    const property = fc.asyncProperty(histories, async (parts) => {
      const since = gateway.clock.now();
      const history: History = { made: [], refunds: [], codes: [], references: [] };
      for (const name of FIRST) await take(history, { ...(parts[0]?.steps[0] as Step), name, phone: APPROVING });
      for (const { steps, kill } of parts) {
        for (const step of steps) await take(history, step);
        await killDuring(history, kill);
      }
      await settle();
      await expectMade(history, since);
      await expectBooks();
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS, endOnFailure: true });
    const often = RUNS < 10 ? [] : ['payment', 'reference', 'refund', 'scan'];
    expect([...met]).toEqual(expect.arrayContaining(often));
    expect(met.size).toBeGreaterThan(0);
  },
  300_000 + RUNS * 60_000,
);
