// Generated reference digits, with the range of numbers reduced to a thousand.
import { beforeAll, expect, test } from 'vitest';
import { DEMO } from '../../../../sandbox/seed.ts';
import { startTestApp, type Reply, type TestApp } from '../../../support/app.ts';
import { startProxiedRail, travelToRest, type ProxiedRail } from '../../../support/cashbook.ts';
import { testClock } from '../../../support/clock.ts';
import { enterConsole } from '../../../support/console.ts';
import { addMember } from '../../../support/members.ts';
import { cancel, createReference, DEMO_ENTITY, PPR, reference } from '../../../support/ppr.ts';

const PREFIX = '777001';
const ALL = Array.from({ length: 1000 }, (_, nth) => PREFIX + String(nth).padStart(3, '0'));
const DEFINED = ['777001000', '777001500', '777001999'];

/** Charging references without expiryDate do not expire. */
const open = (changes: object = {}) => reference({ amount: 0, referenceType: 'Charging', ...changes });

let app: TestApp;
let twin: TestApp;
let rail: ProxiedRail;
beforeAll(async () => {
  // Counted from 1 March, thirteen months have passed on 1 April of the next year, but not on 31 March.
  const clock = testClock('2026-03-01T09:00:00.000Z');
  rail = await startProxiedRail({ clock, gatewayUrl: () => app.url });
  const env = { ...rail.env, PPR_PREFIX: PREFIX };
  app = await startTestApp({ clock, env });
  twin = await app.startTwin();
  await Promise.all([app.token(), twin.token()]);
});

const nodeOf = (nth: number) => (nth % 2 ? twin : app);
const create = (nth: number) => nodeOf(nth).call(PPR, { body: open() });
const createMany = (nth: number, count: number) =>
  nodeOf(nth).call(`${PPR}/bulk`, { body: { references: Array.from({ length: count }, () => open()) } });
const readDigits = ({ json }: Reply): string[] => (json.data ?? [json]).map((one: any) => one.reference);
const countReferences = async () => (await app.sql('select count(*)::int as count from payment_references'))[0].count;

function expectExhausted(reply: Reply): void {
  expect(reply.json).toMatchObject({ status: 503, code: 'references_exhausted' });
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
}

const given: string[] = [];

test('concurrent bulks and creations on two nodes all get different digits', async () => {
  for (const digits of DEFINED) given.push((await createReference(app, { reference: digits })).reference);
  const bulks = Array.from({ length: 6 }, (_, nth) => createMany(nth, 120));
  const singles = Array.from({ length: 80 }, (_, nth) => create(nth));
  const replies = await Promise.all([...bulks, ...singles]);
  expect(replies.map(({ status, text }) => (status === 201 ? 201 : text))).toEqual(Array(86).fill(201));
  given.push(...replies.flatMap(readDigits));
  expect(given).toHaveLength(803);
  expect(new Set(given).size).toBe(803);
});

test('concurrent creations use every free number, then return 503', async () => {
  const bulks = Array.from({ length: 3 }, (_, nth) => createMany(nth, 50));
  const first = await Promise.all(bulks);
  expect(first.map(({ status, text }) => (status === 201 ? 201 : text))).toEqual([201, 201, 201]);
  const replies = await Promise.all(Array.from({ length: 60 }, (_, nth) => create(nth)));
  const [made, refused] = [
    replies.filter(({ status }) => status === 201),
    replies.filter(({ status }) => status !== 201),
  ];
  refused.forEach(expectExhausted);
  expect(made).toHaveLength(47);
  given.push(...[...first, ...made].flatMap(readDigits));
  expect(given.toSorted()).toEqual(ALL);
});

test('without a free number a creation, a bulk, a payment and a cashier get 503, and nothing is written', async () => {
  const before = await countReferences();
  expectExhausted(await create(0));
  expectExhausted(await createMany(1, 2));
  expectExhausted(await app.call('/api/payments', { body: { amount: 1, currency: 'AOA', paymentType: 'PPR' } }));
  const cashier = await enterConsole(app, await addMember(app, { merchantId: DEMO.merchantId, role: 'Cashier' }));
  const reply = await cashier.act('/console/charge', 'charge', { amount: '10', way: 'reference' });
  expect(reply.status).toBe(503);
  expect(reply.text).toContain('<strong>Não foi possível.</strong> Não há números livres agora.');
  expect(await countReferences()).toBe(before);
});

test('a creation with its own digits is accepted without a free number', async () => {
  const references = [open({ reference: '123456789' }), open({ reference: '777001000777' })];
  expect((await app.call(`${PPR}/bulk`, { body: { references } })).status).toBe(201);
  expectExhausted(await app.call(`${PPR}/bulk`, { body: { references: [open({ reference: '123456780' }), open()] } }));
});

test('another entity has a range of numbers of its own', async () => {
  const { token } = await app.addMerchant({ entity: '00998' });
  const { status, json } = await app.call(PPR, { body: open(), token });
  expect(status).toBe(201);
  expect(ALL).toContain(json.reference);
});

test('a bulk with more items than free numbers writes nothing', async () => {
  for (const digits of ALL.slice(10, 13)) expect((await cancel(app, digits)).status).toBe(200);
  await app.sql(
    `update payment_references set closed_at = closed_at - interval '2 years' where entity = $1 and status = 'Canceled'`,
    [DEMO_ENTITY],
  );
  const before = await countReferences();
  expectExhausted(await createMany(0, 4));
  expect(await countReferences()).toBe(before);
  const { status, json } = await createMany(0, 3);
  expect(status).toBe(201);
  expect(json.data.map((one: any) => one.reference).toSorted()).toEqual(ALL.slice(10, 13));
});

test('a merchant may reuse a canceled number immediately, and the gateway after 13 months', async () => {
  const [defined, resting] = ['777001400', '777001401'] as const;
  for (const digits of [defined, resting]) expect((await cancel(app, digits)).status).toBe(200);
  expectExhausted(await create(0));
  expect(await createReference(app, open({ reference: defined }))).toMatchObject({ reference: defined });
  // This test does not need the registrations of a thousand references.
  const unregistered = `registered_at is null and status = 'Pending'`;
  await app.sql(`update payment_references set registered_at = $1, due_at = expires_at where ${unregistered}`, [
    app.clock.now(),
  ]);
  await travelToRest(app, rail);
  for (const date of ['2027-03-31T12:00:00.000Z', '2027-04-01T08:00:00.000Z']) {
    app.clock.leap(Date.parse(date) - app.clock.now().getTime());
    expectExhausted(await create(0));
  }
  app.clock.leap(3_600_000 * 2);
  expect(await createReference(app, open())).toMatchObject({ reference: resting });
  expectExhausted(await create(0));
});
