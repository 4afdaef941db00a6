import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { creepUntil, travelUntil } from '../../../support/payments.ts';
import {
  cancel,
  createPayable,
  createReference,
  DEMO_ENTITY,
  digits,
  readFieldFaults,
  pay,
  PPR,
  readAtMachine,
  readReference,
  readSteps,
  reference,
  untilReceived,
  untilReference,
  untilRegistered,
} from '../../../support/ppr.ts';
import { leavesNothing } from '../../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const post = (own: string, token?: string) =>
  app.call(PPR, { body: reference({ reference: own }), ...(token && { token }) });

describe('POST /api/references/ppr with digits that are in use', () => {
  test('returns 400 and names the entity of the reference', async () => {
    const { reference: own } = await createPayable(app, { reference: digits() });
    const reply = await leavesNothing(app, () => post(own));
    expect([reply.status, reply.json.code]).toEqual([400, 'reference_in_use']);
    expect(readFieldFaults(reply)).toEqual(['/reference reference_in_use']);
    expect(reply.json.errors[0].message).toContain(DEMO_ENTITY);
  });

  test('returns 400 to another merchant with the same entity and reveals nothing else', async () => {
    const { token } = await app.addMerchant({ entity: DEMO_ENTITY });
    const { reference: own } = await createPayable(app, { reference: digits() });
    const reply = await leavesNothing(app, () => post(own, token));
    expect([reply.status, reply.json.code]).toEqual([400, 'reference_in_use']);
    expect(reply.text).not.toContain('client');
    expect((await app.call(`${PPR}/${own}`, { token })).status).toBe(404);
  });

  test('returns 400 for a Charging reference that was paid and stays payable', async () => {
    const made = await createPayable(app, { reference: digits(), referenceType: 'Charging', amount: 0 });
    await pay(app, made, { amount: '5.00' });
    await untilReceived(app, made.reference, 5);
    expect((await post(made.reference)).json.code).toBe('reference_in_use');
  });

  test('creates an independent reference on another entity', async () => {
    const { reference: own } = await createPayable(app, { reference: digits() });
    const { token } = await app.addMerchant({ entity: '00777' });
    const { status, json } = await post(own, token);
    expect(status).toBe(201);
    expect((await app.call(`${PPR}/${own}`, { token })).json).toMatchObject({ reference: own, entity: '00777' });
    expect((await app.call(`/api/payments/${own}`, { token })).json.internalId).toBe(json.internalId);
    await app.call(`${PPR}/${own}/cancel`, { method: 'POST', token });
    const isWithdrawn = async () => {
      const history = await app.call(`${PPR}/${own}/history`, { token });
      return history.json.data.some(({ type }: any) => type === 'reference.withdrawn');
    };
    await untilReference(app, own, isWithdrawn, 'its namesake being withdrawn');
    expect(await readReference(app, own)).toMatchObject({ entity: DEMO_ENTITY, referenceStatus: 'Pending' });
  });

  test('creates the reference if only a GPO payment has these digits as its reference', async () => {
    const own = digits();
    const body = { amount: 1, currency: 'AOA', paymentType: 'GPO', reference: own };
    expect((await app.call('/api/payments', { body })).status).toBe(201);
    const made = await createPayable(app, { reference: own });
    expect((await app.call(`/api/payments/${own}`)).json.internalId).toBe(made.internalId);
    expect((await app.call(`/api/payments?reference=${own}`)).json.data).toHaveLength(2);
  });
});

test('POST /api/references/ppr returns 400 to a merchant that has no entity', async () => {
  const { token } = await app.addMerchant({ entity: null });
  const reply = await leavesNothing(app, () => post(digits(), token));
  expect([reply.status, reply.json.code]).toEqual([400, 'entity_not_assigned']);
});

const ENDS: Record<string, (made: any) => Promise<unknown>> = {
  canceled: ({ reference }) => cancel(app, reference),
  async paid(made) {
    await pay(app, made);
    await untilReceived(app, made.reference, 1500);
  },
  async expired({ reference }) {
    await app.clock.pass(60_000);
    await travelUntil(app, async () => (await readReference(app, reference)).referenceStatus === 'Expired', 'its end');
  },
};

describe.each(Object.entries(ENDS))('the digits of a %s reference that ended', (how, end) => {
  test('are accepted for a new reference, and every endpoint then finds the new one by the digits', async () => {
    const expiryDate = how === 'expired' ? new Date(app.clock.now().getTime() + 30_000).toISOString() : null;
    const first = await createPayable(app, { reference: digits(), expiryDate, description: 'first' });
    const own = first.reference;
    await end(first);
    const isWithdrawn = async () => (await readSteps(app, own)).includes('reference.withdrawn');
    // A withdrawal that fails is retried later, so the test moves the clock.
    await creepUntil(app, isWithdrawn, `${own} being withdrawn`);
    const before = (await app.call(`/api/payments/${first.internalId}`)).json;
    const second = await createReference(app, { reference: own, amount: 20, description: 'second' });
    expect(second.internalId).not.toBe(first.internalId);
    expect(second.clientToken).not.toBe(first.clientToken);
    const shown = await untilRegistered(app, own);
    expect(shown).toMatchObject({ internalId: second.internalId, description: 'second', referenceStatus: 'Pending' });
    expect((await app.call(`/api/payments/${own}`)).json.internalId).toBe(second.internalId);
    expect((await app.call(`${PPR}/${own}/history`)).json.data).toHaveLength(2);
    expect(await readAtMachine(app, first)).toMatchObject({ amount: '20.00', status: 'ACTIVE' });
    const { data } = (await app.call(`/api/payments?reference=${own}`)).json;
    expect(data.map((item: any) => item.internalId)).toEqual([second.internalId, first.internalId]);
    expect((await post(own)).json.code).toBe('reference_in_use');
    expect((await cancel(app, own)).status).toBe(200);
    expect((await app.call(`/api/payments/${first.internalId}`)).json).toEqual(before);
  });
});
