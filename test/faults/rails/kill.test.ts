// The kill run: random kill -9 while a merchant is paid by AppyPay and ProxyPay. At the end both books are equal.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until, type CallOptions, type Reply } from '../../support/app.ts';
import { killChildren } from '../../support/child.ts';
import { AFTER_LEASE_MS, startOwnRailsGateway, type OwnRailsGateway } from '../../support/own-rails-gateway.ts';
import { purchase } from '../../support/payments.ts';
import { PPR } from '../../support/ppr.ts';
import { randomFrom } from '../../support/random.ts';

const wanted = (name: string, otherwise: number) => Number(process.env[`KILL_RUN_${name}`] ?? otherwise);
const PAYMENTS = wanted('PAYMENTS', 60);
const KILLS = wanted('KILLS', 4);
/** Repeats the payments, decisions and moments of the kills of a failed run. */
const SEED = wanted('SEED', Math.floor(Math.random() * 2 ** 31));
const MERCHANTS_AT_ONCE = 8;
/** Longer than every poll, lease and read of the queue. */
const LATER_MS = 65_000;

let gateway: OwnRailsGateway;
beforeAll(async () => {
  gateway = await startOwnRailsGateway();
});
afterAll(async () => {
  await killChildren();
});

/** The outcome of a payment, drawn from the seed. */
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

/** Creates payments of the shared list one after another, each until it is acknowledged, then calls `meet`. */
async function createAll(
  fates: Iterator<[number, Fate]>,
  made: Made[],
  meet: (fate: Fate, created: Reply) => void,
): Promise<void> {
  for (let next = fates.next(); !next.done; next = fates.next()) {
    const [nth, fate] = next.value;
    // Each amount is unique, so money at another payment shows.
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

/** Payers decide about each push that arrives. */
async function decideAll(buttons: string[], isOver: () => boolean): Promise<void> {
  const { charges } = gateway.appypay.book;
  for (let nth = 0; ; nth++) {
    await until(() => charges.length > nth || isOver(), 'another push', WHOLE_MS);
    const charge = charges[nth];
    if (!charge) return;
    // A surplus order would be approved.
    await gateway.appypay.act(charge.id, buttons[nth] ?? 'approve');
  }
}

/** A reference is paid, canceled, or both concurrently. */
async function meetReference({ isCanceled, isPaid }: Fate & { kind: 'reference' }, digits: string): Promise<void> {
  if (isPaid) await until(() => gateway.proxypay.book.references.has(digits), 'it being payable', WHOLE_MS);
  const canceled = isCanceled ? gateway.merchant.insist(`${PPR}/${digits}/cancel`, { method: 'POST' }) : null;
  if (isPaid) await gateway.pay(digits);
  // 409: it was paid before.
  if (canceled) expect([200, 409]).toContain((await canceled).status);
}

/** Kills after some payments and a few more calls. */
async function killAtRandom(made: Made[], { after, calls, laterMs }: Record<'after' | 'calls' | 'laterMs', number>) {
  const { appypay, proxypay } = gateway;
  const seen = () => appypay.requests.length + proxypay.requests.length;
  await until(() => made.length >= after, 'so many being made', WHOLE_MS);
  const enough = seen() + calls;
  await until(() => seen() >= enough || made.length === PAYMENTS, 'the next kill', WHOLE_MS);
  await gateway.killAndRestart(laterMs);
}

/** True if the work ends without waiting for a lease. */
const isDoneSoon = (isDone: () => Promise<boolean>) =>
  until(isDone, 'rest', 2_000).then(
    () => true,
    () => false,
  );

const WHOLE_MS = 30_000 + 100 * PAYMENTS + 5_000 * KILLS;

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
    // Interrupted work continues after its lease, so the clocks leap.
    const isDone = async () => isAllMet && (await gateway.isAtRest());
    for (let rounds = 0; rounds < 8 && !(await isDoneSoon(isDone)); rounds++) await gateway.killAndRestart(LATER_MS);
    isAllSent = true;
    await Promise.all([deciding, meeting]);

    const ids = made.map(({ created }) => created.json.internalId);
    const rows = await gateway.sql('select id from payments');
    expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    for (const { request, created } of made) {
      const again = await gateway.merchant.call(...request);
      expect({ status: again.status, text: again.text }).toEqual({ status: 201, text: created.text });
    }
    expect(await gateway.isAtRest()).toBe(true);
    const books = await gateway.expectBooks();
    // Every reference is paid once. A push is decided, or failed because it certainly did not arrive.
    const { approved, refused, lost, received } = books;
    expect(received).toBe(fates.filter((fate) => fate.kind === 'reference' && fate.isPaid).length);
    expect(approved + refused + lost).toBe(buttons.length);
    expect(approved).toBeGreaterThan(0);
    await annotate(`seed ${SEED}: ${JSON.stringify(books)}`);
  },
  WHOLE_MS + 120_000,
);
