import { beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../../support/app.ts';
import { travelUntil } from '../../../support/payments.ts';
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
} from '../../../support/ppr.ts';
import { leavesNothing } from '../../../support/rows.ts';

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
])('a cancel ends a %s reference with its payment and withdraws it at the rail', async (_type, fields) => {
  const made = await createPayable(app, fields);
  const reply = await cancel(app, made.reference);
  expect(reply.status).toBe(200);
  expect(reply.json).toEqual({ ...made, status: 'Canceled', referenceStatus: 'Canceled' });
  await untilWithdrawn(made.reference);
  expect(await readReference(app, made.reference)).toEqual(reply.json);
  const { completedAt, referenceStatus, status } = (await app.call(`/api/payments/${made.reference}`)).json;
  expect([status, referenceStatus, completedAt]).toEqual(['Canceled', 'Canceled', app.clock.now().toISOString()]);
  expect(await readAtMachine(app, made)).toMatchObject({ status: 'WITHDRAWN' });
  expect(await tryToPay(app, made, { amount: '1500.00' })).toBe('REFERENCE_WITHDRAWN');
});

test('a cancel before the registration leaves a reference that no machine takes', async () => {
  const made = await createReference(app);
  expect((await cancel(app, made.reference)).json.referenceStatus).toBe('Canceled');
  await untilWithdrawn(made.reference);
  expect(await tryToPay(app, made)).not.toBe('201');
});

test('a cancel takes the digits of a reference that POST /api/payments created, and ignores its body', async () => {
  const own = digits();
  await app.call('/api/payments', { body: byReference({}, { reference: own }) });
  const reply = await app.call(`${PPR}/${own}/cancel`, { body: { reason: 'x' } });
  expect([reply.status, reply.json.status]).toEqual([200, 'Canceled']);
});

test('a second cancel returns the first answer and writes nothing', async () => {
  const made = await createPayable(app);
  const first = await cancel(app, made.reference);
  await untilWithdrawn(made.reference);
  await app.clock.advance(1_000);
  const second = await leavesNothing(app, () => cancel(app, made.reference));
  expect([second.status, second.json]).toEqual([200, first.json]);
});

test('a cancel of a paid Charging reference leaves its payment Paid', async () => {
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

test('a cancel of an underpaid Dynamic reference keeps the received amount', async () => {
  const made = await createPayable(app);
  await pay(app, made, { amount: '500.00', fault: 'wrong_amount' });
  await untilReceived(app, made.reference, 500);
  const { json } = await cancel(app, made.reference);
  expect(json).toMatchObject({ status: 'Canceled', amountPaid: 500, flags: ['amount_mismatch'] });
});

test('a cancel of a paid Dynamic reference returns 409', async () => {
  const made = await createPayable(app);
  await pay(app, made);
  await untilReceived(app, made.reference, 1500);
  await untilWithdrawn(made.reference);
  await expectRefused(made.reference);
  expect(await tryToPay(app, made)).toBe('REFERENCE_PAID');
});

test('a cancel of an expired reference returns 409', async () => {
  const expiryDate = new Date(app.clock.now().getTime() + 5_000).toISOString();
  const made = await createPayable(app, { expiryDate });
  await travelUntil(app, async () => (await readSteps(app, made.reference)).includes('reference.withdrawn'), 'its end');
  await expectRefused(made.reference);
});

test('POST /api/payments/{id}/cancel returns 409 for a reference, which machines would still take', async () => {
  const made = await createPayable(app);
  const reply = await leavesNothing(app, () => app.call(`/api/payments/${made.internalId}/cancel`, { method: 'POST' }));
  expect([reply.status, reply.json.code]).toEqual([409, 'payment_not_cancelable']);
  expect(await readReference(app, made.reference)).toMatchObject({ status: 'Pending', referenceStatus: 'Pending' });
});
