// POST /api/references/ppr/{pprReference}/cancel: what can be canceled, what not, and that nobody can pay it any more.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../../support/app.ts';
import { travelUntil } from '../../../support/payments.ts';
import {
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

/** The rail knows that it ended. */
const untilWithdrawn = (reference: string) =>
  until(async () => (await readSteps(app, reference)).includes('reference.withdrawn'), `${reference} being withdrawn`);

const open = { referenceType: 'Charging', amount: 0 };

describe('a Pending one', () => {
  test.each([
    ['Dynamic', {}],
    ['Charging', open],
  ])('%s is canceled with its payment; no machine takes money for it', async (_type, fields) => {
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

  test('is canceled before the rail has heard of it', async () => {
    const made = await createReference(app);
    expect((await cancel(app, made.reference)).json.referenceStatus).toBe('Canceled');
    await untilWithdrawn(made.reference);
    expect(await tryToPay(app, made)).not.toBe('201');
  });

  test('is canceled by whoever finds it by its digits, however it was made', async () => {
    const body = { amount: 1, currency: 'AOA', paymentType: 'PPR', reference: digits() };
    await app.call('/api/payments', { body });
    const reply = await cancel(app, body.reference);
    expect([reply.status, reply.json.status]).toEqual([200, 'Canceled']);
  });

  test('a body is ignored', async () => {
    const made = await createPayable(app);
    const reply = await app.call(`${PPR}/${made.reference}/cancel`, { body: { reason: 'x' } });
    expect([reply.status, reply.json.status]).toEqual([200, 'Canceled']);
  });
});

test('again, answers the same and changes nothing', async () => {
  const made = await createPayable(app);
  const first = await cancel(app, made.reference);
  await untilWithdrawn(made.reference);
  await app.clock.advance(1_000);
  const second = await leavesNothing(app, () => cancel(app, made.reference));
  expect([second.status, second.json]).toEqual([200, first.json]);
});

describe('after payments', () => {
  test('a Charging one stays Paid, and its reference is Canceled', async () => {
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

  test('a Dynamic one that was paid too little is canceled, and what came is kept', async () => {
    const made = await createPayable(app);
    await pay(app, made, { amount: '500.00', fault: 'wrong_amount' });
    await untilReceived(app, made.reference, 500);
    const { status, json } = await cancel(app, made.reference);
    expect(status).toBe(200);
    expect(json).toMatchObject({ status: 'Canceled', amountPaid: 500, flags: ['amount_mismatch'] });
  });

  test('a Dynamic one that was paid is 409', async () => {
    const made = await createPayable(app);
    await pay(app, made);
    await untilReceived(app, made.reference, 1500);
    await untilWithdrawn(made.reference);
    const reply = await leavesNothing(app, () => cancel(app, made.reference));
    expect([reply.status, reply.json.code]).toEqual([409, 'reference_not_cancelable']);
    expect(await tryToPay(app, made)).toBe('REFERENCE_PAID');
  });
});

test('an expired one is 409', async () => {
  const expiryDate = new Date(app.clock.now().getTime() + 5_000).toISOString();
  const made = await createPayable(app, { expiryDate });
  await travelUntil(app, async () => (await readSteps(app, made.reference)).includes('reference.withdrawn'), 'its end');
  const reply = await leavesNothing(app, () => cancel(app, made.reference));
  expect([reply.status, reply.json.code]).toEqual([409, 'reference_not_cancelable']);
  expect(await tryToPay(app, made)).toMatch(/REFERENCE_(EXPIRED|WITHDRAWN)/);
});

test('what nobody has is 404; what another merchant has too', async () => {
  const made = await createPayable(app);
  const { token } = await app.addMerchant();
  const own = await app.addMerchant({ entity: made.entity });
  for (const stranger of [token, own.token]) {
    const reply = await leavesNothing(app, () =>
      app.call(`${PPR}/${made.reference}/cancel`, { method: 'POST', token: stranger }),
    );
    expect([reply.status, reply.json.code]).toEqual([404, 'not_found']);
  }
  expect((await cancel(app, '999999999')).status).toBe(404);
  expect((await readReference(app, made.reference)).referenceStatus).toBe('Pending');
  expect(await tryToPay(app, { entity: made.entity, reference: '999999999' })).toBe('UNKNOWN_REFERENCE');
});

test('POST /api/payments/{id}/cancel is not for references: it would leave the machine taking money', async () => {
  const made = await createPayable(app);
  const reply = await leavesNothing(app, () => app.call(`/api/payments/${made.internalId}/cancel`, { method: 'POST' }));
  expect([reply.status, reply.json.code]).toEqual([409, 'payment_not_cancelable']);
  expect(await readReference(app, made.reference)).toMatchObject({ status: 'Pending', referenceStatus: 'Pending' });
});
