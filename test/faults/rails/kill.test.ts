// Kills the gateway at random (kill -9) while payers pay a merchant through AppyPay and ProxyPay.
// At the end the gateway's records must equal the providers'.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProxypayPayment } from '../../../sandbox/rails/proxypay-payment.ts';
import { toMinor } from '../../../shared/money.ts';
import { until, type CallOptions, type Reply } from '../../support/app.ts';
import { killChildren, type MerchantClient } from '../../support/child.ts';
import { startGatewayFixture } from '../../support/gateway.ts';
import type { JumpClock } from '../../support/jump-clock.ts';
import { purchase } from '../../support/payments.ts';
import { PPR } from '../../support/ppr.ts';
import { openAppyPay, openProxypay, railPath, type RailBody } from '../../support/rail-accounts.ts';
import type { Book } from '../../support/rail.ts';
import { randomFrom } from '../../support/random.ts';
import { madeIdsOf } from '../../support/repeats.ts';
import { areAllResolved, expectTruth, type Sql } from '../../support/truth.ts';

const wanted = (name: string, otherwise: number) => Number(process.env[`KILL_RUN_${name}`] ?? otherwise);
const PAYMENTS = wanted('PAYMENTS', 60);
const KILLS = wanted('KILLS', 4);
/** The random seed of a failed run repeats its payments, decisions and kills. */
const SEED = wanted('SEED', Math.floor(Math.random() * 2 ** 31));
const MERCHANTS_AT_ONCE = 8;
/** This time is longer than the interval of every poll, lease and read of the queue. */
const LATER_MS = 65_000;

let gateway: OwnRailsFixture;
beforeAll(async () => {
  gateway = await startOwnRailsFixture();
});
afterAll(async () => {
  await killChildren();
});

/** The outcome of a payment, chosen by the random seed. */
type Fate = { kind: 'push'; button: string } | { kind: 'reference'; isCanceled: boolean; isPaid: boolean };

const BUTTONS = ['approve', 'approve', 'approve', 'approve', 'approve', 'refuse', 'time out'];

function drawFates(random: (most: number) => number): Fate[] {
  return Array.from({ length: PAYMENTS }, (_, nth) => {
    if (nth % 2 === 0) return { kind: 'push', button: BUTTONS[random(BUTTONS.length)] as string };
    const isCanceled = random(5) === 0;
    return { kind: 'reference', isCanceled, isPaid: !isCanceled || random(2) === 0 };
  });
}

type Made = { request: [path: string, options: CallOptions]; created: Reply };

/** Creates the payments of the shared list one by one, each until it is acknowledged, then calls `meet`. */
async function createAll(
  fates: Iterator<[number, Fate]>,
  made: Made[],
  meet: (fate: Fate, created: Reply) => void,
): Promise<void> {
  for (let next = fates.next(); !next.done; next = fates.next()) {
    const [nth, fate] = next.value;
    // Each amount is unique, so that a transaction at a wrong payment is detected.
    const amount = 100 + nth;
    const isPush = fate.kind === 'push';
    const body = isPush ? purchase(`92${String(nth).padStart(7, '0')}`, { amount }) : { amount };
    const path = isPush ? '/api/payments' : PPR;
    const request: Made['request'] = [path, { body, headers: { 'idempotency-key': randomUUID() } }];
    const created = await gateway.merchant.insist(...request);
    expect(created.status, created.text).toBe(201);
    made.push({ request, created });
    meet(fate, created);
  }
}

/** Presses one of the fake's buttons for each push that arrives. */
async function decideAll(buttons: string[], isOver: () => boolean): Promise<void> {
  const { charges } = gateway.appypay.book;
  for (let nth = 0; ; nth++) {
    await until(() => charges.length > nth || isOver(), 'another push', WHOLE_MS);
    const charge = charges[nth];
    if (!charge) return;
    // The fake would approve an order that the gateway sent twice, and the comparison would detect it.
    await gateway.appypay.act(charge.id, buttons[nth] ?? 'approve');
  }
}

/** Pays a reference, cancels it, or does both concurrently. */
async function meetReference({ isCanceled, isPaid }: Fate & { kind: 'reference' }, digits: string): Promise<void> {
  if (isPaid) await until(() => gateway.proxypay.book.references.has(digits), 'it being payable', WHOLE_MS);
  const canceled = isCanceled ? gateway.merchant.insist(`${PPR}/${digits}/cancel`, { method: 'POST' }) : null;
  if (isPaid) await gateway.pay(digits);
  // The cancel returns 409 if the payment was faster.
  if (canceled) expect([200, 409]).toContain((await canceled).status);
}

/** Kills the gateway after a number of payments and a few more rail calls. */
async function killAtRandom(made: Made[], { after, calls, laterMs }: Record<'after' | 'calls' | 'laterMs', number>) {
  const { appypay, proxypay } = gateway;
  const seen = () => appypay.requests.length + proxypay.requests.length;
  await until(() => made.length >= after, 'so many being made', WHOLE_MS);
  const enough = seen() + calls;
  await until(() => seen() >= enough || made.length === PAYMENTS, 'the next kill', WHOLE_MS);
  await gateway.killAndRestart(laterMs);
}

/** Returns whether the open work ends without waiting for a lease. */
const isDoneWithin = (ms: number, isDone: () => Promise<boolean>) =>
  until(isDone, 'rest', ms).then(
    () => true,
    () => false,
  );

/** This limit only ends a test that hangs. A wait may last as long as all kills together. */
const WHOLE_MS = 240_000 + 100 * PAYMENTS + 5_000 * KILLS;

test(
  `${PAYMENTS} payments by AppyPay and ProxyPay survive ${KILLS} kills (KILL_RUN_SEED=${SEED})`,
  async ({ annotate }) => {
    const random = randomFrom(SEED);
    const fates = drawFates(random);
    const buttons = fates.flatMap((fate) => (fate.kind === 'push' ? [fate.button] : []));
    const moments = Array.from({ length: KILLS }, (_, nth) => ({
      after: Math.floor(((nth + 0.5) * PAYMENTS) / (KILLS + 1)) + random(Math.ceil(PAYMENTS / (KILLS + 1) / 2)),
      calls: random(10),
      laterMs: random(3) * AFTER_LEASE_MS,
    }));

    const made: Made[] = [];
    const references: Promise<void>[] = [];
    const meet = (fate: Fate, { json }: Reply) =>
      void (fate.kind === 'reference' && references.push(meetReference(fate, json.reference)));
    const list = fates.entries();
    const creating = Promise.all(Array.from({ length: MERCHANTS_AT_ONCE }, () => createAll(list, made, meet)));
    let isAllSent = false;
    const deciding = decideAll(buttons, () => isAllSent);
    for (const moment of moments) await killAtRandom(made, moment);
    await creating;
    let isAllMet = false;
    const meeting = Promise.all(references).then(() => {
      isAllMet = true;
    });
    // Interrupted work continues after its lease, so the test moves the clocks.
    // Each round waits longer, because on a busy machine a kill may interrupt the work of the round before.
    const isDone = async () => isAllMet && (await gateway.isAtRest());
    for (let rounds = 0; rounds < 8 && !(await isDoneWithin(2_000 * (rounds + 1), isDone)); rounds++)
      await gateway.killAndRestart(LATER_MS);
    isAllSent = true;
    await Promise.all([deciding, meeting]);

    const ids = made.map(({ created }) => created.json.internalId);
    const rows = await gateway.sql('select id from payments');
    expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    for (const { request, created } of made) {
      const again = await gateway.merchant.call(...request);
      expect({ status: again.status, ids: madeIdsOf(again) }).toEqual({ status: 201, ids: madeIdsOf(created) });
    }
    expect(await gateway.isAtRest()).toBe(true);
    const books = await gateway.expectBooks();
    // Every reference is paid once. Every push is decided, or failed because it certainly did not reach the rail.
    const { approved, refused, lost, received } = books;
    expect(received).toBe(fates.filter((fate) => fate.kind === 'reference' && fate.isPaid).length);
    expect(approved + refused + lost).toBe(buttons.length);
    expect(approved).toBeGreaterThan(0);
    await annotate(`seed ${SEED}: ${JSON.stringify(books)}`);
  },
  WHOLE_MS + 120_000,
);

/** This timeout is long enough for the fakes to respond on a slow machine. */
const TIMEOUT_S = 8;
/** The gateway repeats an interrupted call after its lease: the rail's timeout plus 5 s. */
const AFTER_LEASE_MS = (TIMEOUT_S + 6) * 1_000;

type AppyPay = Awaited<ReturnType<typeof openAppyPay>>['fake'];

type OwnRailsFixture = Awaited<ReturnType<typeof startOwnRailsFixture>>;

async function startFakes({ clock }: { clock: JumpClock }) {
  const [appypay, proxypay] = [await openAppyPay(clock), await openProxypay(clock)];
  // The fakes stop after the test file.
  return { appypay, proxypay, env: {}, stop: async () => {} };
}

/** Starts a gateway process, and fakes of AppyPay and ProxyPay, which keep running during kills. */
async function startOwnRailsFixture() {
  const timeouts = { GPO_TIMEOUT_S: String(TIMEOUT_S), PPR_TIMEOUT_S: String(TIMEOUT_S) };
  const { rail, clock, merchant, sql, child, restart } = await startGatewayFixture(startFakes, timeouts);
  const { fake: appypay, body: appypayBody } = rail.appypay;
  const { fake: proxypay, body: proxypayBody } = rail.proxypay;
  const enter = (body: RailBody) => enterAccount(merchant, sql, body);
  appypay.book.notifyUrl = (await enter(appypayBody)).notificationUrl;
  const account = await enter(proxypayBody);
  proxypay.book.notifyUrl = account.notificationUrl;
  const received: ProxypayPayment[] = [];
  return {
    appypay,
    proxypay,
    merchant,
    sql,
    /** Kills the gateway with kill -9, moves all clocks, and restarts it on the same port. */
    async killAndRestart(laterMs: number) {
      await child().kill();
      clock.jump(laterMs);
      await restart(laterMs);
    },
    /** Pays a registered reference. Resolves after the fake has sent its notification. */
    async pay(digits: string) {
      const amount = proxypay.book.references.get(digits)?.amount;
      if (!amount) throw new Error(`${digits} cannot be paid`);
      received.push(await proxypay.book.pay(digits, amount));
    },
    /** True if the gateway has no open work. */
    isAtRest: async () =>
      proxypay.book.queue.size === 0 && (await areAllResolved(sql)) && (await sql(OPEN)).length === 0,
    /** Compares the gateway's records with those of both fakes, and returns the counts. */
    async expectBooks() {
      const orders = await readOrders(sql, appypay);
      // Each order must have an attempt, and each payment's status must match its transactions.
      await expectTruth(sql, orders);
      expect(new Set(orders.map(({ id }) => id)).size).toBe(orders.length);
      expect(await sql(DOUBTFUL)).toEqual([]);
      await expectReceived(sql, account.id, received);
      expect([...proxypay.book.references.keys()], 'payable references').toEqual([]);
      const count = (wanted: string) => orders.filter(({ status }) => status === wanted).length;
      const [{ lost }] = await sql(
        `select count(*)::int as lost from attempts where failure_code = 'rail_unavailable'`,
      );
      return { approved: count('APPROVED'), refused: count('DECLINED'), lost, received: received.length };
    },
  };
}

async function enterAccount(merchant: MerchantClient, sql: Sql, body: RailBody): Promise<any> {
  const [{ merchant_id: merchantId }] = await sql(`select merchant_id from clients where id = 'demo'`);
  const { status, text, json } = await merchant.insist(railPath(merchantId), { body });
  expect(status, text).toBe(201);
  return json;
}

/** Finds open work other than attempts. */
const OPEN = `select from payments where status in ('Pending', 'Processing')
  union all select from payment_references where status = 'Pending' or withdrawn_at is null or due_at is not null
  union all select from inbox where applied_at is null limit 1`;

/** Finds payments with two pushes or an alert. */
const DOUBTFUL = `select payment_id from attempts group by payment_id having count(*) > 1
  union all select payment_id from events
    where type in ('payment.stuck', 'payment.overpaid', 'reference.unknown_paid')`;

/** Reads AppyPay's orders, with our ids. */
async function readOrders(sql: Sql, { book }: AppyPay): Promise<Book[]> {
  const attempts = await sql('select id, rail_key from attempts');
  const idOf = new Map(attempts.map(({ id, rail_key: key }) => [key, id]));
  return book.charges.map(({ id, merchantTransactionId: key, amount, transactionEvents, createdDate }) => {
    const { code } = (transactionEvents.at(-1) as { responseStatus: { code: number } }).responseStatus;
    const common = { id: idOf.get(key) ?? key, reference: key, phone: '', calls: 1, notifications: 0, notified: 0 };
    const said = { ...common, amount: Number(amount).toFixed(2), createdAt: createdDate };
    if (code === 100) return { ...said, status: 'APPROVED', reason: null, transactionId: id };
    const reason = REASONS[code] ?? null;
    return { ...said, status: reason ? 'DECLINED' : 'PENDING', reason, transactionId: null };
  });
}

/** The failure codes of the fake's buttons (docs/rails/appypay.md). */
const REASONS: Record<number, string> = { 210: 'TIMED_OUT', 231: 'CUSTOMER_REFUSED' };

/** Expects our transactions of references to equal ProxyPay's payments. */
async function expectReceived(sql: Sql, railId: string, received: ProxypayPayment[]): Promise<void> {
  const rows = await sql(
    `select f.reference, t.provider_ref as ref, t.amount_minor::int as minor
     from transactions t join payment_references f on f.payment_id = t.payment_id where t.rail = $1`,
    [railId],
  );
  const ours = rows.map(({ reference, ref, minor }) => `${reference} ${ref} ${minor}`);
  const theirs = received.map(({ id, reference_id: number, amount: text }) => {
    const amount = toMinor(text, 'AOA');
    return `${String(number).padStart(9, '0')} ${id} ${'minor' in amount ? amount.minor : text}`;
  });
  expect(ours.toSorted()).toEqual(theirs.toSorted());
}
