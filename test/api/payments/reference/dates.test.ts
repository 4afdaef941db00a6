// When a reference expires: what `expiryDate` may look like, and what it is without one.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { testClock } from '../../../support/clock.ts';
import { byReference, faultsOf, PPR, readAtMachine, reference, untilRegistered } from '../../../support/ppr.ts';
import { leavesNothing } from '../../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ clock: testClock('2026-01-31T10:00:00.000Z') });
});

const WAYS = {
  reference: (expiryDate: unknown) => app.call(PPR, { body: reference({ expiryDate }) }),
  payment: (expiryDate: unknown) => app.call('/api/payments', { body: byReference({ expiryDate }) }),
};
const ways = Object.entries(WAYS);

describe.each(ways)('an expiryDate of a %s', (_name, create) => {
  test.each([
    ['2026-02-01T10:00:00Z', '2026-02-01T10:00:00.000Z'],
    ['2026-02-01T10:00:00.123Z', '2026-02-01T10:00:00.123Z'],
    ['2026-02-01T10:00:00+01:00', '2026-02-01T09:00:00.000Z'],
    ['2026-02-01T10:00:00-11:30', '2026-02-01T21:30:00.000Z'],
    // Without an offset it is Luanda's time (UTC+1 all year).
    ['2026-02-01T10:00:00', '2026-02-01T09:00:00.000Z'],
    ['2026-02-01T00:30:00.5', '2026-01-31T23:30:00.500Z'],
    ['2026-02-01 10:00', '2026-02-01T09:00:00.000Z'],
    ['20260201T100000+0100', '2026-02-01T09:00:00.000Z'],
    ['20260201', '2026-02-01T22:59:59.999Z'],
    // A date alone is its last moment there: today's too.
    ['2026-02-01', '2026-02-01T22:59:59.999Z'],
    ['2026-01-31', '2026-01-31T22:59:59.999Z'],
    ['2028-02-29', '2028-02-29T22:59:59.999Z'],
    ['2150-06-01', '2150-06-01T22:59:59.999Z'],
    ['9999-12-31', '9999-12-31T22:59:59.999Z'],
    ['2026-01-31T10:00:00.001Z', '2026-01-31T10:00:00.001Z'],
  ])('%s is %s', async (expiryDate, expiresAt) => {
    const { status, json } = await create(expiryDate);
    expect(status).toBe(201);
    expect(json.expiresAt).toBe(expiresAt);
    await untilRegistered(app, json.reference);
    expect(await readAtMachine(app, json)).toMatchObject({ expiresAt });
  });
});

describe('a date of the past', () => {
  test.each([
    '2026-01-31T10:00:00.000Z',
    '2026-01-31T09:59:59.999Z',
    '2026-01-31T10:59:59',
    '2026-01-30',
    '0001-01-01',
  ])('%s is refused by every way', async (expiryDate) => {
    const pointers = { reference: '/expiryDate', payment: '/metadata/expiryDate' };
    for (const [name, create] of ways) {
      const reply = await leavesNothing(app, () => create(expiryDate));
      expect(reply.status).toBe(400);
      expect(faultsOf(reply)).toEqual([`${pointers[name as keyof typeof pointers]} date_in_past`]);
    }
    const bulk = await leavesNothing(app, () =>
      app.call(`${PPR}/bulk`, { body: { references: [reference(), reference({ expiryDate })] } }),
    );
    expect(faultsOf(bulk)).toEqual(['/references/1/expiryDate date_in_past']);
  });
});

test.each([
  '',
  ' ',
  'tomorrow',
  '2026',
  '2026-03',
  '2026-02-30',
  '2027-02-29',
  '2026-02-29T10:00:00Z',
  '2026-13-01T10:00:00Z',
  '2026-03-01T24:01:00Z',
  '2026-03-01T10:60:00Z',
  '2026-03-01T10:00:00+25:00',
  '01/03/2026',
  '2026-03-01 at 10:00:00',
  '2026-0301T100000Z',
  '+010000-01-01T00:00:00Z',
  '0000-01-01',
  '2026-03-01T10:00:00Z Z',
])('%j is no date', async (expiryDate) => {
  const replies = await leavesNothing(app, async () => [
    await WAYS.reference(expiryDate),
    await WAYS.payment(expiryDate),
  ]);
  expect(replies.map((reply) => [reply.status, ...faultsOf(reply)])).toEqual([
    [400, '/expiryDate invalid_expiry'],
    [400, '/metadata/expiryDate invalid_expiry'],
  ]);
});

test('a date between two offsets of the year 10000 does not reach the database', async () => {
  const reply = await leavesNothing(app, () => WAYS.reference('9999-12-31T23:59:59-14:00'));
  expect(faultsOf(reply)).toEqual(['/expiryDate invalid_expiry']);
});

describe('without one', () => {
  /** From day to day; the clock only goes on. */
  test.each([
    ['2026-01-31T10:00:00.000Z', '2026-02-28T10:00:00.000Z'],
    ['2026-03-31T10:00:00.000Z', '2026-04-30T10:00:00.000Z'],
    ['2026-04-30T10:00:00.000Z', '2026-05-30T10:00:00.000Z'],
    ['2026-12-31T10:00:00.000Z', '2027-01-31T10:00:00.000Z'],
    ['2028-01-31T10:00:00.000Z', '2028-02-29T10:00:00.000Z'],
    ['2028-02-29T10:00:00.000Z', '2028-03-29T10:00:00.000Z'],
  ])('a Dynamic one made on %s ends on %s, a Charging one with 2099', async (today, expiresAt) => {
    const ahead = Date.parse(today) - app.clock.now().getTime();
    expect(ahead).toBeGreaterThanOrEqual(0);
    app.clock.leap(ahead);
    for (const create of Object.values(WAYS)) {
      const { json } = await create(undefined);
      expect(json).toMatchObject({ createdAt: today, expiresAt });
    }
    const charging = await app.call(PPR, { body: { referenceType: 'Charging' } });
    expect(charging.json.expiresAt).toBe('2099-12-31T23:59:59.000Z');
  });
});
