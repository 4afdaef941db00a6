// The number space narrowed to a thousand: every free number is found by whoever searches at once, none is given twice.
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../../support/app.ts';
import { startProxiedRail, travelToRest, type ProxiedRail } from '../../../support/cashbook.ts';
import { testClock } from '../../../support/clock.ts';
import { cancel, createReference, DEMO_ENTITY, PPR, reference } from '../../../support/ppr.ts';

const PREFIX = '777001';
const ALL = Array.from({ length: 1000 }, (_, nth) => PREFIX + String(nth).padStart(3, '0'));
/** What a merchant defines of them, before anything is generated. */
const DEFINED = ['777001000', '777001500', '777001999'];

/** Charging: nothing comes to an end by itself. */
const open = (changes: object = {}) => reference({ amount: 0, referenceType: 'Charging', ...changes });

let app: TestApp;
/** Another node on the same database. */
let twin: TestApp;
let rail: ProxiedRail;
beforeAll(async () => {
  // Thirteen months after the first of March are over on the first of April; on the 31st of March they are not.
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

test('bulks and single creations at once on two nodes get numbers of their own, beside those a merchant defined', async () => {
  for (const digits of DEFINED) given.push((await createReference(app, { reference: digits })).reference);
  const bulks = Array.from({ length: 6 }, (_, nth) => createMany(nth, 120));
  const singles = Array.from({ length: 80 }, (_, nth) => create(nth));
  const replies = await Promise.all([...bulks, ...singles]);
  expect(replies.map(({ status, text }) => (status === 201 ? 201 : text))).toEqual(Array(86).fill(201));
  given.push(...replies.flatMap(readDigits));
  expect(given).toHaveLength(803);
  expect(new Set(given).size).toBe(803);
});

test('the rest is found to the last one by a crowd; those who come too late are told that nothing is left', async () => {
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

test('with no number left a single creation and a bulk are refused, and write nothing', async () => {
  const before = await countReferences();
  expectExhausted(await create(0));
  expectExhausted(await createMany(1, 2));
  expectExhausted(await app.call('/api/payments', { body: { amount: 1, currency: 'AOA', paymentType: 'PPR' } }));
  expect(await countReferences()).toBe(before);
});

test('digits that a merchant defines need no free number, in any bulk', async () => {
  const references = [open({ reference: '123456789' }), open({ reference: '777001000777' })];
  expect((await app.call(`${PPR}/bulk`, { body: { references } })).status).toBe(201);
  expectExhausted(await app.call(`${PPR}/bulk`, { body: { references: [open({ reference: '123456780' }), open()] } }));
});

test('another entity has all its numbers still', async () => {
  const { token } = await app.addMerchant({ entity: '00998' });
  const { status, json } = await app.call(PPR, { body: open(), token });
  expect(status).toBe(201);
  expect(ALL).toContain(json.reference);
});

test('of a bulk that asks for more than is left nothing is written', async () => {
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

test('a canceled number rests: its merchant may define it at once, it is generated again after 13 months', async () => {
  const [defined, resting] = ['777001400', '777001401'] as const;
  for (const digits of [defined, resting]) expect((await cancel(app, digits)).status).toBe(200);
  expectExhausted(await create(0));
  expect(await createReference(app, open({ reference: defined }))).toMatchObject({ reference: defined });
  await travelToRest(app, rail);
  for (const date of ['2027-03-31T12:00:00.000Z', '2027-04-01T08:00:00.000Z']) {
    app.clock.leap(Date.parse(date) - app.clock.now().getTime());
    expectExhausted(await create(0));
  }
  app.clock.leap(3_600_000 * 2);
  expect(await createReference(app, open())).toMatchObject({ reference: resting });
  expectExhausted(await create(0));
});
