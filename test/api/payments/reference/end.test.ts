import { beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../../support/app.ts';
import { untilNoStatementRuns } from '../../../support/idle.ts';
import { readPayment } from '../../../support/notify.ts';
import { travelUntil, creepUntil } from '../../../support/payments.ts';
import {
  byReference,
  cancel,
  createPayable,
  createReference,
  digits,
  pay,
  PPR,
  readAtMachine,
  readReference,
  readSteps,
  tryToPay,
  untilReceived,
  DEMO_ENTITY,
  untilRegistered,
} from '../../../support/ppr.ts';
import { leavesNothing } from '../../../support/rows.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/durations.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const untilWithdrawn = (own: string) =>
  until(async () => (await readSteps(app, own)).includes('reference.withdrawn'), `${own} being withdrawn`);

const open = { referenceType: 'Charging', amount: 0 };

async function expectRefused(own: string): Promise<void> {
  const reply = await leavesNothing(app, () => cancel(app, own));
  expect([reply.status, reply.json.code]).toEqual([409, 'reference_not_cancelable']);
}

test.each([
  ['Dynamic', {}],
  ['Charging', open],
])(
  'the cancel of a %s reference cancels its payment too and withdraws the reference at the rail',
  async (_type, fields) => {
    const made = await createPayable(app, fields);
    const reply = await cancel(app, made.reference);
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({ ...made, status: 'Canceled', standing: 'canceled', referenceStatus: 'Canceled' });
    await untilWithdrawn(made.reference);
    expect(await readReference(app, made.reference)).toEqual(reply.json);
    const { completedAt, referenceStatus, status } = (await app.call(`/api/payments/${made.reference}`)).json;
    expect([status, referenceStatus, completedAt]).toEqual(['Canceled', 'Canceled', app.clock.now().toISOString()]);
    expect(await readAtMachine(app, made)).toMatchObject({ status: 'WITHDRAWN' });
    expect(await tryToPay(app, made, { amount: '1500.00' })).toBe('REFERENCE_WITHDRAWN');
  },
);

test('the cancel of a reference before its registration makes every payment machine refuse the reference', async () => {
  const made = await createReference(app);
  expect((await cancel(app, made.reference)).json.referenceStatus).toBe('Canceled');
  await untilWithdrawn(made.reference);
  expect(await tryToPay(app, made)).not.toBe('201');
});

test('the cancel endpoint finds a reference of POST /api/payments by its digits, and ignores the body', async () => {
  const own = digits();
  await app.call('/api/payments', { body: byReference({}, { reference: own }) });
  const reply = await app.call(`${PPR}/${own}/cancel`, { body: { reason: 'x' } });
  expect([reply.status, reply.json.status]).toEqual([200, 'Canceled']);
});

test('a second cancel returns the first response and writes nothing', async () => {
  const made = await createPayable(app);
  const first = await cancel(app, made.reference);
  await untilWithdrawn(made.reference);
  await app.clock.advance(1_000);
  const second = await leavesNothing(app, () => cancel(app, made.reference));
  expect([second.status, second.json]).toEqual([200, first.json]);
});

test('the cancel of a paid Charging reference leaves its payment Paid', async () => {
  const made = await createPayable(app, open);
  await pay(app, made, { amount: '20.00' });
  await untilReceived(app, made.reference, 20);
  const reply = await cancel(app, made.reference);
  expect(reply.json).toMatchObject({ status: 'Paid', referenceStatus: 'Canceled', amountPaid: 20 });
  await untilWithdrawn(made.reference);
  expect(await tryToPay(app, made, { amount: '1.00' })).toBe('REFERENCE_WITHDRAWN');
  const { status, referenceStatus } = (await app.call(`/api/payments/${made.reference}`)).json;
  expect([status, referenceStatus]).toEqual(['Paid', 'Canceled']);
  expect(await readSteps(app, made.reference)).not.toContain('payment.canceled');
  expect((await cancel(app, made.reference)).json).toEqual(reply.json);
});

test('the cancel of an underpaid Dynamic reference keeps the received amount', async () => {
  const made = await createPayable(app);
  await pay(app, made, { amount: '500.00', fault: 'wrong_amount' });
  await untilReceived(app, made.reference, 500);
  const { json } = await cancel(app, made.reference);
  expect(json).toMatchObject({ status: 'Canceled', amountPaid: 500, flags: ['amount_mismatch'] });
});

test('the cancel of a paid Dynamic reference returns 409', async () => {
  const made = await createPayable(app);
  await pay(app, made);
  await untilReceived(app, made.reference, 1500);
  await untilWithdrawn(made.reference);
  await expectRefused(made.reference);
  expect(await tryToPay(app, made)).toBe('REFERENCE_PAID');
});

test('the cancel of an expired reference returns 409', async () => {
  const expiryDate = new Date(app.clock.now().getTime() + 5_000).toISOString();
  const made = await createPayable(app, { expiryDate });
  await travelUntil(app, async () => (await readSteps(app, made.reference)).includes('reference.withdrawn'), 'its end');
  await expectRefused(made.reference);
});

test('POST /api/payments/{id}/cancel returns 409 for a payment by reference', async () => {
  const made = await createPayable(app);
  const reply = await leavesNothing(app, () => app.call(`/api/payments/${made.internalId}/cancel`, { method: 'POST' }));
  expect([reply.status, reply.json.code]).toEqual([409, 'payment_not_cancelable']);
  expect(await readReference(app, made.reference)).toMatchObject({ status: 'Pending', referenceStatus: 'Pending' });
});

const ahead = (ms: number) => new Date(app.clock.now().getTime() + ms).toISOString();
const travelToEnd = (own: string) =>
  travelUntil(app, async () => (await readSteps(app, own)).includes('reference.withdrawn'), `the end of ${own}`);

test.each([
  ['Dynamic', {}],
  ['Charging', open],
])('an unpaid %s reference and its payment expire within one second of expiryDate', async (_type, fields) => {
  const expiryDate = ahead(10_000);
  const made = await createPayable(app, { expiryDate, ...fields });
  await app.clock.pass(Date.parse(expiryDate) - app.clock.now().getTime() - 1);
  await untilNoStatementRuns(app);
  expect((await readPayment(app, made.reference)).status).toBe('Pending');
  await app.clock.advance(1_000);
  await until(async () => (await readPayment(app, made.reference)).status === 'Expired', 'its end');
  await travelToEnd(made.reference);
  const shown = await readReference(app, made.reference);
  expect(shown).toEqual({ ...made, status: 'Expired', standing: 'expired', referenceStatus: 'Expired' });
  const { completedAt } = await readPayment(app, made.reference);
  expect(Date.parse(completedAt) - Date.parse(expiryDate)).toBeLessThan(1_000);
});

test('a paid Charging reference is payable until it expires, and its payment stays Paid', async () => {
  const made = await createPayable(app, { expiryDate: ahead(10_000), ...open });
  await app.clock.advance(9_999);
  await pay(app, made, { amount: '50.00' });
  await untilReceived(app, made.reference, 50);
  const { completedAt } = await readPayment(app, made.reference);
  await app.clock.advance(1);
  expect(await tryToPay(app, made, { amount: '1.00' })).toMatch(/^REFERENCE_(EXPIRED|WITHDRAWN)$/);
  await travelToEnd(made.reference);
  const shown = await readReference(app, made.reference);
  expect(shown).toEqual({ ...made, status: 'Paid', standing: 'paid', referenceStatus: 'Expired', amountPaid: 50 });
  expect(await readPayment(app, made.reference)).toMatchObject({ status: 'Paid', completedAt });
  expect(await readSteps(app, made.reference)).not.toContain('payment.expired');
});

test('an underpaid Dynamic reference expires and keeps the received amount', async () => {
  const made = await createPayable(app, { expiryDate: ahead(10_000) });
  await pay(app, made, { amount: '1.00', fault: 'wrong_amount' });
  await untilReceived(app, made.reference, 1);
  await travelToEnd(made.reference);
  const shown = await readReference(app, made.reference);
  expect(shown).toMatchObject({ status: 'Expired', amountPaid: 1, flags: ['amount_mismatch'] });
});

test('a paid Dynamic reference does not expire', async () => {
  const made = await createPayable(app, { expiryDate: ahead(10_000) });
  await pay(app, made);
  await untilReceived(app, made.reference, 1500);
  await app.clock.pass(30_000);
  expect(await readReference(app, made.reference)).toMatchObject({ status: 'Paid', referenceStatus: 'Paid' });
});

test('40 references whose expiryDate passed during an outage of the rail all expire', async () => {
  const references = Array.from({ length: 40 }, () => ({ amount: 1, reference: digits(), expiryDate: ahead(HOUR_MS) }));
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

test('without expiryDate a Dynamic reference expires after one month, and a Charging reference does not', async () => {
  const [dynamic, charging] = [await createPayable(app), await createPayable(app, open)];
  app.clock.leap(Date.parse(dynamic.expiresAt) - app.clock.now().getTime() - 1_000);
  expect(await readAtMachine(app, dynamic)).toMatchObject({ status: 'ACTIVE' });
  await travelToEnd(dynamic.reference);
  expect(await readReference(app, dynamic.reference)).toMatchObject({ status: 'Expired' });
  expect(await readReference(app, charging.reference)).toMatchObject({ referenceStatus: 'Pending' });
  await pay(app, charging, { amount: '2.00' });
  await untilReceived(app, charging.reference, 2);
});

test('a restarted node expires the references that ended while it was stopped', async () => {
  const made = await createReference(app, { expiryDate: ahead(HOUR_MS) });
  await untilRegistered(app, made.reference);
  const { databaseUrl } = app;
  await app.node.stop();
  app.clock.leap(2 * HOUR_MS);
  app = await startTestApp({ databaseUrl, clock: app.clock });
  await travelToEnd(made.reference);
  expect(await readReference(app, made.reference)).toMatchObject({ referenceStatus: 'Expired', entity: DEMO_ENTITY });
});
