// The kill run: kill -9 at random, again and again, while a merchant with accounts at AppyPay and ProxyPay is paid by push and by
// reference. In the end our books are theirs: nothing lost, doubled or undecided.
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
/** Of a run that failed, to repeat it: the same payments, deeds and moments of the kills (by what had come by then). */
const SEED = wanted('SEED', Math.floor(Math.random() * 2 ** 31));
const MERCHANTS_AT_ONCE = 8;
/** Past every poll, every lease and the next look into the queue. */
const LATER_MS = 65_000;

let gateway: OwnRailsGateway;
beforeAll(async () => {
  gateway = await startOwnRailsGateway();
});
afterAll(async () => {
  await killChildren();
});

/** What becomes of a payment, decided beforehand, so that a seed says it all. */
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

/** Creates one after another from the shared list, each until it is acknowledged; `meet` is what happens to it then. */
async function createAll(
  fates: Iterator<[number, Fate]>,
  made: Made[],
  meet: (fate: Fate, created: Reply) => void,
): Promise<void> {
  for (let next = fates.next(); !next.done; next = fates.next()) {
    const [nth, fate] = next.value;
    // Money that came to another payment shows by its amount.
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

/** Payers decide about pushes as they appear on their phones. */
async function decideAll(buttons: string[], isOver: () => boolean): Promise<void> {
  const { charges } = gateway.appypay.book;
  for (let nth = 0; ; nth++) {
    await until(() => charges.length > nth || isOver(), 'another push', WHOLE_MS);
    const charge = charges[nth];
    if (!charge) return;
    // An order too many would be paid.
    await gateway.appypay.act(charge.id, buttons[nth] ?? 'approve');
  }
}

/** A reference is paid as soon as it can be, or canceled, or both at once. */
async function meetReference({ isCanceled, isPaid }: Fate & { kind: 'reference' }, digits: string): Promise<void> {
  if (isPaid) await until(() => gateway.proxypay.book.references.has(digits), 'it being payable', WHOLE_MS);
  const canceled = isCanceled ? gateway.merchant.insist(`${PPR}/${digits}/cancel`, { method: 'POST' }) : null;
  if (isPaid) await gateway.pay(digits);
  // 409: it was paid before.
  if (canceled) expect([200, 409]).toContain((await canceled).status);
}

/** Kills when so many payments are made and a few more calls have come by, wherever the rest of its work is then. */
async function killAtRandom(made: Made[], { after, calls, laterMs }: Record<'after' | 'calls' | 'laterMs', number>) {
  const { appypay, proxypay } = gateway;
  const seen = () => appypay.requests.length + proxypay.requests.length;
  await until(() => made.length >= after, 'so many being made', WHOLE_MS);
  const enough = seen() + calls;
  await until(() => seen() >= enough || made.length === PAYMENTS, 'the next kill', WHOLE_MS);
  await gateway.killAndRestart(laterMs);
}

/** Whether all was done in the time that it takes where nothing has to be waited for. */
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
    // What a kill interrupted goes on when its lease is over, by clocks that are ahead.
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
    // All that was to be paid was, and each push went to its payer, or surely not, which a kill may do to some.
    const { approved, refused, lost, received } = books;
    expect(received).toBe(fates.filter((fate) => fate.kind === 'reference' && fate.isPaid).length);
    expect(approved + refused + lost).toBe(buttons.length);
    expect(approved).toBeGreaterThan(0);
    await annotate(`seed ${SEED}: ${JSON.stringify(books)}`);
  },
  WHOLE_MS + 120_000,
);
