// The rail away when a reference is made or ended: the answer does not wait, the rail is told until it knows, and the history says so.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../../support/app.ts';
import { orderFault, travelUntil } from '../../../support/payments.ts';
import {
  byReference,
  cancel,
  createPayable,
  digits,
  pay,
  PPR,
  readAtMachine,
  readCashbook,
  readHistory,
  readReference,
  readSteps,
  reference,
  travelToReceived,
  tryToPay,
  untilReceived,
} from '../../../support/ppr.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

/** The rail fails so often when it is told of these digits. */
const fail = (on: string, own: string, kind = 'unavailable', times = 1) =>
  orderFault(app, { on, kind, times, reference: own });

/** The clock runs slowly, so that each try is over before the next is due. */
const travelToStep = (own: string, type: string, withinMs = 300_000) =>
  travelUntil(app, async () => (await readSteps(app, own)).includes(type), `${type} of ${own}`, withinMs);

const WAYS: [name: string, create: (own: string, fields?: object) => Promise<{ status: number; json: any }>][] = [
  ['reference', (own, fields) => app.call(PPR, { body: reference({ reference: own, ...fields }) })],
  ['payment', (own, fields) => app.call('/api/payments', { body: byReference({ ...fields }, { reference: own }) })],
];

describe.each(WAYS)('a %s made while the rail is away', (_name, create) => {
  test('is answered 201, not registered, and registered when the rail is back', async () => {
    const own = digits();
    await fail('reference_register', own, 'unavailable', 4);
    const { status, json } = await create(own);
    expect([status, json.status, json.registeredAt]).toEqual([201, 'Pending', null]);
    await until(async () => (await readSteps(app, own)).length === 2, 'the first failure');
    expect(await readReference(app, own)).toMatchObject({ registeredAt: null, referenceStatus: 'Pending' });
    expect(await tryToPay(app, json)).not.toBe('201');
    await travelToStep(own, 'reference.registered');
    const registered = await readReference(app, own);
    expect(Date.parse(registered.registeredAt)).toBeGreaterThan(Date.parse(json.createdAt));
    // Each reason is told once, however often it was tried.
    const history = await readHistory(app, own);
    expect(history.map(({ type, details }) => [type, details.reason ?? null])).toEqual([
      ['payment.created', null],
      ['reference.registration_failed', 'rail_error'],
      ['reference.registered', null],
    ]);
    await pay(app, registered);
    expect(await untilReceived(app, own, 1500)).toMatchObject({ status: 'Paid' });
  });
});

describe('a registration', () => {
  test.each([
    ['reset_before', 'connection'],
    ['reset_after', 'connection'],
    ['garbage', 'unreadable'],
  ])('that ends in %s is repeated, and registers it once', async (kind, reason) => {
    const own = digits();
    await fail('reference_register', own, kind);
    const { json } = await app.call(PPR, { body: reference({ reference: own }) });
    await travelToStep(own, 'reference.registered');
    expect((await readHistory(app, own))[1]).toMatchObject({
      type: 'reference.registration_failed',
      status: 'Pending',
      amount: null,
      details: { reason },
    });
    expect((await readCashbook(app, own)).references).toHaveLength(1);
    await pay(app, json);
    await untilReceived(app, own, 1500);
  });

  test('that hangs does not hold the answer, and is over with its time', async () => {
    const own = digits();
    await fail('reference_register', own, 'hang');
    const { status, json } = await app.call(PPR, { body: reference({ reference: own }) });
    expect([status, json.registeredAt]).toEqual([201, null]);
    await travelToStep(own, 'reference.registered');
    expect((await readHistory(app, own)).map(({ details }) => details.reason)).toContain('timeout');
  });

  test('that fails in another way each time is told each time', async () => {
    const own = digits();
    await fail('reference_register', own, 'unavailable', 2);
    await fail('reference_register', own, 'garbage', 2);
    await app.call(PPR, { body: reference({ reference: own }) });
    await travelToStep(own, 'reference.registered');
    const reasons = (await readHistory(app, own)).flatMap(({ details }) => details.reason ?? []);
    expect(reasons.toSorted()).toEqual(['rail_error', 'unreadable']);
  });

  test('is made at once by a sync', async () => {
    const own = digits();
    await fail('reference_register', own);
    await app.call(PPR, { body: reference({ reference: own }) });
    await until(async () => (await readSteps(app, own)).length === 2, 'the first failure');
    const reply = await app.call(`/api/payments/${own}/sync`, { method: 'POST' });
    expect(reply.status).toBe(200);
    expect((await readReference(app, own)).registeredAt).toBe(app.clock.now().toISOString());
  });

  test('that never came before the end: expired, and the rail never takes it', async () => {
    const own = digits();
    await fail('reference_register', own, 'unavailable', 100);
    const expiryDate = new Date(app.clock.now().getTime() + 60_000).toISOString();
    const { json } = await app.call(PPR, { body: reference({ reference: own, expiryDate }) });
    await travelToStep(own, 'reference.withdrawn');
    const shown = await readReference(app, own);
    expect(shown).toMatchObject({ status: 'Expired', referenceStatus: 'Expired', registeredAt: null });
    expect(await readSteps(app, own)).toEqual([
      'payment.created',
      'reference.registration_failed',
      'payment.expired',
      'reference.expired',
      'reference.withdrawn',
    ]);
    expect(await tryToPay(app, json)).toBe('UNKNOWN_REFERENCE');
  });

  test('that never came before it was canceled', async () => {
    const own = digits();
    await fail('reference_register', own, 'unavailable', 100);
    await app.call(PPR, { body: reference({ reference: own }) });
    await until(async () => (await readSteps(app, own)).length === 2, 'the first failure');
    expect((await cancel(app, own)).json).toMatchObject({ referenceStatus: 'Canceled', registeredAt: null });
    await travelToStep(own, 'reference.withdrawn');
    expect(await readSteps(app, own)).not.toContain('reference.registered');
  });
});

describe('a withdrawal', () => {
  test('that fails is repeated until the machine refuses', async () => {
    const made = await createPayable(app, { reference: digits() });
    await fail('reference_withdraw', made.reference, 'unavailable', 3);
    expect((await cancel(app, made.reference)).status).toBe(200);
    await until(
      async () => (await readSteps(app, made.reference)).includes('reference.withdrawal_failed'),
      'a failure',
    );
    // The rail does not know yet: money may come, and is the reference's.
    expect(await readAtMachine(app, made)).toMatchObject({ status: 'ACTIVE' });
    await travelToStep(made.reference, 'reference.withdrawn');
    expect(await tryToPay(app, made)).toBe('REFERENCE_WITHDRAWN');
    expect(
      (await readSteps(app, made.reference)).filter((type) => type === 'reference.withdrawal_failed'),
    ).toHaveLength(1);
  });

  test('that fails while somebody pays: money wins', async () => {
    const made = await createPayable(app, { reference: digits() });
    await fail('reference_withdraw', made.reference, 'unavailable', 3);
    await cancel(app, made.reference);
    await pay(app, made);
    const shown = await untilReceived(app, made.reference, 1500);
    expect(shown).toMatchObject({ status: 'Paid', referenceStatus: 'Paid' });
    expect((await app.call(`/api/payments/${made.reference}`)).json).toMatchObject({ late: true });
    await travelToStep(made.reference, 'reference.withdrawn');
  });

  test.each(['reset_after', 'garbage'])('that ends in %s is repeated too', async (kind) => {
    const made = await createPayable(app, { reference: digits() });
    await fail('reference_withdraw', made.reference, kind);
    await cancel(app, made.reference);
    await travelToStep(made.reference, 'reference.withdrawn');
    expect(await readAtMachine(app, made)).toMatchObject({ status: 'WITHDRAWN' });
  });
});

describe('new digits that the rail has not let go of yet', () => {
  /** The old one, canceled here and payable there, and the new one, which the rail does not take so long. */
  async function createTwins() {
    const old = await createPayable(app, { reference: digits() });
    await fail('reference_withdraw', old.reference, 'unavailable', 3);
    await cancel(app, old.reference);
    const next = await app.call(PPR, { body: reference({ reference: old.reference, amount: 20 }) });
    expect(next.status).toBe(201);
    return { old, next: next.json };
  }

  test('are registered once it has', async () => {
    const { old } = await createTwins();
    await travelToStep(old.reference, 'reference.registered');
    expect((await readHistory(app, old.reference))[1]).toMatchObject({
      type: 'reference.registration_failed',
      details: { reason: 'REFERENCE_TAKEN' },
    });
    expect(await readAtMachine(app, old)).toMatchObject({ amount: '20.00', status: 'ACTIVE' });
  });

  test('bring money for the old one until then', async () => {
    const { old, next } = await createTwins();
    await app.clock.advance(1);
    await pay(app, old);
    await until(async () => (await app.call(`/api/payments/${old.internalId}`)).json.status === 'Paid', 'its payment');
    expect((await app.call(`/api/payments/${old.internalId}`)).json).toMatchObject({ amountPaid: 1500, late: true });
    expect((await app.call(`/api/payments/${next.internalId}`)).json).toMatchObject({ amountPaid: 0, flags: [] });
    await travelToStep(old.reference, 'reference.registered');
    await pay(app, next);
    expect(await untilReceived(app, old.reference, 20)).toMatchObject({ internalId: next.internalId, status: 'Paid' });
  });
});

test('a reference that was paid before the gateway knew that the rail has it', async () => {
  const own = digits();
  await fail('reference_register', own, 'reset_after', 1);
  const { json } = await app.call(PPR, { body: reference({ reference: own }) });
  await until(async () => (await readSteps(app, own)).includes('reference.registration_failed'), 'the failure');
  await pay(app, json, { fault: 'lost' });
  expect(await travelToReceived(app, own, 1500)).toMatchObject({ status: 'Paid', referenceStatus: 'Paid', flags: [] });
  expect((await app.call(`/api/payments/${own}`)).json).toMatchObject({ late: false });
});

test('texts of every script, and long ones, are shown at the machine as they are', async () => {
  for (const description of ['Matrícula nº 7 · 學費 😀 "x" \\ <b>', 'x'.repeat(4_000)]) {
    const made = await createPayable(app, { description });
    expect(await readAtMachine(app, made)).toMatchObject({ description });
    await pay(app, made);
    await untilReceived(app, made.reference, 1500);
  }
});
