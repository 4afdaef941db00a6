import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../support/app.ts';
import { AFTER_LEASE_MS, startCallbackGateway, type CallbackGateway } from '../../support/callback-gateway.ts';
import { killChildren } from '../../support/child.ts';
import { attemptOf, expectInOrder, expectOnce } from '../../support/deliveries.ts';
import { SCANNER } from '../../support/qrcodes.ts';
import { randomFrom } from '../../support/random.ts';
import { CONFIRMATION, type Received, type ReceiverAnswer } from '../../support/receiver.ts';

const PAYMENTS = 200;
const KILLS = 5;
const PAYERS_AT_ONCE = 8;
/** The random seed. The seed of a failed run repeats its payments, faults and times of the kills. */
const SEED = Number(process.env['CALLBACKS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

let gateway: CallbackGateway;
beforeAll(async () => {
  gateway = await startCallbackGateway({ count: 2 });
});
afterAll(async () => {
  await killChildren();
});

/** Payers share the list. A rail repeats notifications that reach no node. */
async function payAll(nths: Iterator<number>, pay: (nth: number) => Promise<void>): Promise<void> {
  for (let next = nths.next(); !next.done; next = nths.next()) await pay(next.value);
}

/** Waits until no more callbacks arrive, and returns whether every delivery has ended. */
async function isAllTold(): Promise<boolean> {
  const { requests } = gateway.receiver;
  const isDone = async () => {
    const [{ ended }] = await gateway.sql(`select count(*)::int as ended from deliveries where status <> 'Pending'`);
    return ended === PAYMENTS;
  };
  for (let seen = -1; seen < requests.length;) {
    const known = (seen = requests.length);
    await until(async () => requests.length > known || (await isDone()), 'another', 1_000).catch(() => {});
  }
  return isDone();
}

/** Returns our id of a callback's transaction. The callback of a scan has the rail's id. */
async function readIds(): Promise<(request: Received) => string> {
  const rows = await gateway.sql('select id, provider_ref, rail from transactions');
  const byRef = new Map(rows.filter(({ rail }) => rail === 'gpo').map(({ id, provider_ref }) => [provider_ref, id]));
  return ({ json }) => json.Id ?? byRef.get(json.id) ?? `unknown ${json.id}`;
}

const TITLE = `${PAYMENTS} payments cause one callback each, in order, through ${KILLS} kills of two nodes`;
test(`${TITLE} (CALLBACKS_SEED=${SEED})`, async () => {
  const random = randomFrom(SEED);
  const references = await Promise.all(Array.from({ length: 12 }, () => gateway.createReference()));
  const codes = await Promise.all(Array.from({ length: 6 }, () => gateway.createCode()));
  const { receiver } = gateway;
  // The merchant does not confirm the first attempt of one in ten callbacks.
  const refusals: ReceiverAnswer[] = [
    { status: 500 },
    { body: { Success: false } },
    'hang',
    { body: 'garbage' },
    'hang',
  ];
  receiver.answerWith((_request, nth) =>
    nth % 10 === 0 ? (refusals[(nth / 10) % refusals.length] ?? CONFIRMATION) : CONFIRMATION,
  );

  const targets = Array.from({ length: PAYMENTS }, () => random(references.length + codes.length));
  let paid = 0;
  const nths = targets.keys();
  const paying = Promise.all(
    Array.from({ length: PAYERS_AT_ONCE }, () =>
      payAll(nths, async (nth) => {
        const target = targets[nth] as number;
        const code = codes[target - references.length];
        if (code) expect((await gateway.gpo.scan(code.content, SCANNER)).status).toBe(201);
        else await gateway.pay(references[target], `${nth + 1}.00`);
        // The payers wait for callbacks, so that the kills happen while nodes send callbacks.
        await until(() => receiver.requests.length >= paid - 60, 'some callbacks to arrive');
        paid++;
      }),
    ),
  );
  for (let kills = 1; kills <= KILLS; kills++) {
    const enough = Math.floor(((kills - 0.5) * PAYMENTS) / (KILLS + 1)) + random(PAYMENTS / 10);
    await until(() => receiver.requests.length >= enough || paid === PAYMENTS, `kill ${kills}`);
    const victim = random(2);
    await gateway.nodes[victim]?.kill();
    await gateway.restart(victim, random(3) * AFTER_LEASE_MS);
  }
  await paying;
  // New nodes with a later clock repeat the rails' notifications and the attempts.
  for (let rounds = 0; rounds < 24 && !(await isAllTold()); rounds++) {
    const nth = rounds % 2;
    await gateway.nodes[nth]?.kill();
    await gateway.restart(nth, 65_000);
  }

  const deliveries = await gateway.sql('select * from deliveries order by seq');
  expect(deliveries).toHaveLength(PAYMENTS);
  expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(['Delivered']));
  const idOf = await readIds();
  const reportedIds = new Set(receiver.requests.map(idOf));
  expect([...reportedIds].toSorted()).toEqual(deliveries.map(({ transaction_id }) => transaction_id).toSorted());
  await expectInOrder(gateway.sql, receiver.requests, idOf);
  expectOnce(receiver.requests);
  // Every request belongs to a recorded attempt.
  const attempts = await gateway.sql(`select delivery_id || ' ' || number as attempt, outcome from delivery_attempts`);
  expect(attempts).toHaveLength(deliveries.reduce((sum, one) => sum + one.attempts, 0));
  const known = new Set(attempts.map(({ attempt }) => attempt));
  expect(receiver.requests.map(attemptOf).filter((attempt) => !known.has(attempt))).toEqual([]);
  const [{ extra }] = await gateway.sql(
    `select count(*)::int - count(distinct details ->> 'deliveryId')::int as extra
     from events where type = 'callback.delivered'`,
  );
  expect(extra).toBe(0);
  for (const { json } of receiver.requests.filter(({ json: body }) => body.refPagamento))
    expect(references.map(({ reference }) => reference)).toContain(json.refPagamento);
}, 600_000);
