// Whose digits they are: one live reference an entity, whoever's it is; free again once it has ended.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../../support/app.ts';
import { creepUntil, travelUntil } from '../../../support/payments.ts';
import {
  byReference,
  cancel,
  createPayable,
  createReference,
  DEMO_ENTITY,
  digits,
  faultsOf,
  pay,
  PPR,
  readAtMachine,
  readReference,
  readSteps,
  reference,
  untilReceived,
  untilRegistered,
} from '../../../support/ppr.ts';
import { leavesNothing } from '../../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const WAYS: [name: string, path: string, write: (own: string) => object, pointer: string][] = [
  ['one reference', PPR, (own) => reference({ reference: own }), '/reference'],
  ['a legacy one', `${PPR}/legacy`, (own) => reference({ reference: own }), '/reference'],
  [
    'a bulk of one',
    `${PPR}/bulk`,
    (own) => ({ references: [reference({ reference: own })] }),
    '/references/0/reference',
  ],
  ['a payment', '/api/payments', (own) => byReference({}, { reference: own }), '/reference'],
];

describe.each(WAYS)('%s', (_name, path, write, pointer) => {
  test('of live digits is refused', async () => {
    const { reference: own } = await createPayable(app, { reference: digits() });
    const reply = await leavesNothing(app, () => app.call(path, { body: write(own) }));
    expect(reply.status).toBe(400);
    expect(reply.json.code).toBe('reference_in_use');
    expect(faultsOf(reply)).toEqual([`${pointer} reference_in_use`]);
    expect(reply.json.errors[0].message).toContain(DEMO_ENTITY);
    expect((await readReference(app, own)).referenceStatus).toBe('Pending');
  });

  test('of live digits of another merchant on the same entity is refused', async () => {
    const { token } = await app.addMerchant({ entity: DEMO_ENTITY });
    const { reference: own } = await createPayable(app, { reference: digits() });
    const reply = await leavesNothing(app, () => app.call(path, { body: write(own), token }));
    expect([reply.status, reply.json.code]).toEqual([400, 'reference_in_use']);
    // Nothing else of the other merchant's is told.
    expect(reply.text).not.toContain('client');
    expect((await app.call(`${PPR}/${own}`, { token })).status).toBe(404);
  });

  test('of the same digits on another entity is made', async () => {
    const { reference: own } = await createPayable(app, { reference: digits() });
    const { token } = await app.addMerchant({ entity: '00777' });
    const reply = await app.call(path, { body: write(own), token });
    expect(reply.status).toBe(201);
    const theirs = (await app.call(`${PPR}/${own}`, { token })).json;
    expect(theirs).toMatchObject({ reference: own, entity: '00777' });
    expect((await readReference(app, own)).entity).toBe(DEMO_ENTITY);
    expect((await app.call(`/api/payments/${own}`, { token })).json.internalId).toBe(theirs.internalId);
    await app.call(`${PPR}/${own}/cancel`, { method: 'POST', token });
    await until(async () => {
      const { json } = await app.call(`${PPR}/${own}/history`, { token });
      return json.data.some(({ type }: any) => type === 'reference.withdrawn');
    }, 'theirs being withdrawn');
    expect((await readReference(app, own)).referenceStatus).toBe('Pending');
  });

  test('without an entity of the merchant’s is refused', async () => {
    const { token } = await app.addMerchant({ entity: null });
    const reply = await leavesNothing(app, () => app.call(path, { body: write(digits()), token }));
    expect([reply.status, reply.json.code]).toEqual([400, 'entity_not_assigned']);
    expect(reply.json.errors).toMatchObject([{ code: 'entity_not_assigned' }]);
  });
});

/** It has ended, and the rail has let go of it. */
async function end(made: any, how: string): Promise<void> {
  await ENDS[how]?.(made);
  const isOver = async () => (await readSteps(app, made.reference)).includes('reference.withdrawn');
  // What went wrong once is tried again later: the clock goes on.
  await creepUntil(app, isOver, `${made.reference} being withdrawn`);
}

/** Ways in which a reference ends. */
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

describe.each(Object.keys(ENDS))('digits of one that was %s', (how) => {
  test('are free again, and lead to the newest from then on', async () => {
    const expiryDate = how === 'expired' ? new Date(app.clock.now().getTime() + 30_000).toISOString() : null;
    const first = await createPayable(app, { reference: digits(), expiryDate, description: 'first' });
    await end(first, how);
    const second = await createReference(app, { reference: first.reference, amount: 20, description: 'second' });
    expect(second.internalId).not.toBe(first.internalId);
    expect(second.clientToken).not.toBe(first.clientToken);
    const shown = await untilRegistered(app, first.reference);
    expect(shown).toMatchObject({ internalId: second.internalId, description: 'second', referenceStatus: 'Pending' });
    expect((await app.call(`/api/payments/${first.reference}`)).json.internalId).toBe(second.internalId);
    expect((await app.call(`${PPR}/${first.reference}/history`)).json.data).toHaveLength(2);
    expect(await readAtMachine(app, first)).toMatchObject({ amount: '20.00', status: 'ACTIVE' });
    // The older one is found by its own id, and both are in the list.
    const old = (await app.call(`/api/payments/${first.internalId}`)).json;
    expect(old).toMatchObject({ internalId: first.internalId, id: first.reference, description: 'first' });
    const { data } = (await app.call(`/api/payments?reference=${first.reference}`)).json;
    expect(data.map((item: any) => item.internalId)).toEqual([second.internalId, first.internalId]);
    const again = await app.call(PPR, { body: reference({ reference: first.reference }) });
    expect(again.json.code).toBe('reference_in_use');
  });

  test('are another reference: what becomes of the new one does not touch the old one', async () => {
    const expiryDate = how === 'expired' ? new Date(app.clock.now().getTime() + 30_000).toISOString() : null;
    const first = await createPayable(app, { reference: digits(), expiryDate });
    await end(first, how);
    const before = (await app.call(`/api/payments/${first.internalId}`)).json.status;
    await createReference(app, { reference: first.reference });
    expect((await cancel(app, first.reference)).status).toBe(200);
    expect((await app.call(`/api/payments/${first.internalId}`)).json.status).toBe(before);
  });
});

test('a Charging one that was paid is still in use', async () => {
  const made = await createPayable(app, { reference: digits(), referenceType: 'Charging', amount: 0 });
  await pay(app, made, { amount: '5.00' });
  await untilReceived(app, made.reference, 5);
  const reply = await app.call(PPR, { body: reference({ reference: made.reference }) });
  expect(reply.json.code).toBe('reference_in_use');
});

test('a GPO payment’s reference is another thing', async () => {
  const own = digits();
  const gpo = await app.call('/api/payments', {
    body: { amount: 1, currency: 'AOA', paymentType: 'GPO', reference: own },
  });
  expect(gpo.status).toBe(201);
  const made = await createReference(app, { reference: own });
  expect((await app.call(`/api/payments/${own}`)).json.internalId).toBe(made.internalId);
  const { data } = (await app.call(`/api/payments?reference=${own}`)).json;
  expect(data).toHaveLength(2);
});
