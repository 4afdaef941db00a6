// POST /api/references/ppr/legacy: the same reference, marked as made under the legacy contract.
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { createReference, pay, PPR, readReference, untilReceived, untilRegistered } from '../../../support/ppr.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const LEGACY = `${PPR}/legacy`;

test('answers as the current contract does, but for its name', async () => {
  const asked = {
    amount: 12.5,
    description: 'Propina',
    customerEmail: 'ana@example.ao',
    customMetadata: { Turma: 'A' },
  };
  const current = await createReference(app, asked);
  const legacy = await createReference(app, asked, { path: LEGACY });
  expect(Object.keys(legacy)).toEqual(Object.keys(current));
  const { internalId, reference, checkoutUrl, clientToken, ...rest } = current;
  expect(legacy).toMatchObject({ ...rest, contract: 'legacy' });
  expect(legacy.reference).toMatch(/^\d{9}$/);
  expect([legacy.internalId, legacy.reference, legacy.clientToken]).not.toContain(internalId);
  expect([reference, checkoutUrl, clientToken]).not.toContain(legacy.reference);
});

test('is registered, paid, read and listed like any other', async () => {
  const { reference } = await createReference(app, { amount: 12.5 }, { path: LEGACY });
  const shown = await untilRegistered(app, reference);
  expect(shown).toMatchObject({ contract: 'legacy', referenceStatus: 'Pending' });
  await pay(app, shown);
  expect(await untilReceived(app, reference, 12.5)).toMatchObject({ status: 'Paid', contract: 'legacy' });
  const { data } = (await app.call(`${PPR}?pageSize=1`)).json;
  expect(data).toEqual([await readReference(app, reference)]);
  expect((await app.call(`/api/payments/${reference}`)).json).toMatchObject({ id: reference, status: 'Paid' });
});

test('all others are of the current contract', async () => {
  const payment = { amount: 1, currency: 'AOA', paymentType: 'PPR' };
  const { reference } = (await app.call('/api/payments', { body: payment })).json;
  const bulk = await app.call(`${PPR}/bulk`, { body: { references: [{ amount: 1 }] } });
  expect([(await readReference(app, reference)).contract, bulk.json.data[0].contract]).toEqual(['current', 'current']);
});
