// The end of a reference's time: closed here and at the rail, its payment with it unless that was paid.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../../support/app.ts';
import { untilLooked } from '../../../support/idle.ts';
import { readPayment } from '../../../support/notify.ts';
import { creepUntil, travelUntil } from '../../../support/payments.ts';
import {
  createPayable,
  createReference,
  DEMO_ENTITY,
  digits,
  pay,
  PPR,
  readAtMachine,
  readReference,
  readSteps,
  tryToPay,
  untilReceived,
  untilRegistered,
} from '../../../support/ppr.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const open = { referenceType: 'Charging', amount: 0 };
const ahead = (ms: number) => new Date(app.clock.now().getTime() + ms).toISOString();
const travelToEnd = (own: string) =>
  travelUntil(app, async () => (await readSteps(app, own)).includes('reference.withdrawn'), `the end of ${own}`);

test.each([
  ['Dynamic', {}],
  ['Charging', open],
])('a %s one that nobody paid is Expired, both its statuses, within a second', async (_type, fields) => {
  const expiryDate = ahead(10_000);
  const made = await createPayable(app, { expiryDate, ...fields });
  await app.clock.pass(Date.parse(expiryDate) - app.clock.now().getTime() - 1);
  await untilLooked(app);
  expect((await readPayment(app, made.reference)).status).toBe('Pending');
  await app.clock.advance(1_000);
  await until(async () => (await readPayment(app, made.reference)).status === 'Expired', 'its end');
  await travelToEnd(made.reference);
  const shown = await readReference(app, made.reference);
  expect(shown).toEqual({ ...made, status: 'Expired', referenceStatus: 'Expired' });
  const { completedAt, status } = await readPayment(app, made.reference);
  expect(status).toBe('Expired');
  expect(Date.parse(completedAt) - Date.parse(expiryDate)).toBeLessThan(1_000);
  expect(await tryToPay(app, made, { amount: '1500.00' })).toMatch(/^REFERENCE_(EXPIRED|WITHDRAWN)$/);
});

test('a Charging one that was paid stays Paid, and its reference is Expired', async () => {
  const made = await createPayable(app, { expiryDate: ahead(10_000), ...open });
  await pay(app, made, { amount: '50.00' });
  await untilReceived(app, made.reference, 50);
  const { completedAt } = await readPayment(app, made.reference);
  await travelToEnd(made.reference);
  const shown = await readReference(app, made.reference);
  expect(shown).toEqual({ ...made, status: 'Paid', referenceStatus: 'Expired', amountPaid: 50 });
  expect(await readPayment(app, made.reference)).toMatchObject({ status: 'Paid', completedAt });
  expect(await readSteps(app, made.reference)).not.toContain('payment.expired');
  expect(await tryToPay(app, made, { amount: '1.00' })).toMatch(/^REFERENCE_(EXPIRED|WITHDRAWN)$/);
});

test('a Dynamic one that was paid too little is Expired, and what came is kept', async () => {
  const made = await createPayable(app, { expiryDate: ahead(10_000) });
  await pay(app, made, { amount: '1.00', fault: 'wrong_amount' });
  await untilReceived(app, made.reference, 1);
  await travelToEnd(made.reference);
  const shown = await readReference(app, made.reference);
  expect(shown).toMatchObject({ status: 'Expired', amountPaid: 1, flags: ['amount_mismatch'] });
});

test('a Dynamic one that was paid does not expire', async () => {
  const made = await createPayable(app, { expiryDate: ahead(10_000) });
  await pay(app, made);
  await untilReceived(app, made.reference, 1500);
  await app.clock.pass(30_000);
  expect(await readReference(app, made.reference)).toMatchObject({ status: 'Paid', referenceStatus: 'Paid' });
});

test('until its last moment it can be paid, from then on not', async () => {
  const made = await createPayable(app, { expiryDate: ahead(10_000), ...open });
  await app.clock.advance(9_999);
  await pay(app, made, { amount: '1.00' });
  await untilReceived(app, made.reference, 1);
  await app.clock.advance(1);
  expect(await tryToPay(app, made, { amount: '1.00' })).toMatch(/^REFERENCE_(EXPIRED|WITHDRAWN)$/);
});

describe('after a long silence', () => {
  test('many end at once', async () => {
    const references = Array.from({ length: 40 }, () => ({
      amount: 1,
      reference: digits(),
      expiryDate: ahead(HOUR_MS),
    }));
    expect((await app.call(`${PPR}/bulk`, { body: { references } })).status).toBe(201);
    app.clock.leap(DAY_MS);
    const own = references.map(({ reference }) => reference);
    const areExpired = async () => {
      const rows = await app.sql(
        `select from payment_references f join payments p on p.id = f.payment_id
         where f.reference = any($1) and f.status = 'Expired' and p.status = 'Expired' and f.closed_at is not null`,
        [own],
      );
      return rows.length === 40;
    };
    await creepUntil(app, areExpired, 'all of them being Expired');
  });

  test('a month is a month: a Dynamic one without a date ends then, a Charging one does not', async () => {
    const [dynamic, charging] = [await createPayable(app), await createPayable(app, open)];
    app.clock.leap(Date.parse(dynamic.expiresAt) - app.clock.now().getTime() - 1_000);
    expect(await readAtMachine(app, dynamic)).toMatchObject({ status: 'ACTIVE' });
    await travelToEnd(dynamic.reference);
    expect(await readReference(app, dynamic.reference)).toMatchObject({ status: 'Expired' });
    expect(await readReference(app, charging.reference)).toMatchObject({ referenceStatus: 'Pending' });
    await pay(app, charging, { amount: '2.00' });
    await untilReceived(app, charging.reference, 2);
  });
});

test('a node that starts again ends what ended meanwhile', async () => {
  const made = await createReference(app, { expiryDate: ahead(HOUR_MS) });
  await untilRegistered(app, made.reference);
  const { databaseUrl } = app;
  await app.node.stop();
  app.clock.leap(2 * HOUR_MS);
  app = await startTestApp({ databaseUrl, clock: app.clock });
  await travelToEnd(made.reference);
  expect(await readReference(app, made.reference)).toMatchObject({ referenceStatus: 'Expired', entity: DEMO_ENTITY });
});
