// What creating references refuses, one by one, in bulk and as payments: all that is wrong in one answer, and nothing written.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../../support/app.ts';
import { createPayable, digits, faultsOf } from '../../../support/ppr.ts';
import { WAYS, type Fields } from '../../../support/reference-ways.ts';
import { leavesNothing } from '../../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

let nth = 0;
/** Sends a creation with a key: a refusal must leave neither rows nor the key. */
const send = (way: string, fields: Fields, headers: Record<string, string> = {}): Promise<Reply> => {
  const { path, body } = WAYS[way]!;
  const options = { body: body(fields), headers: { 'idempotency-key': `refuse-${++nth}`, ...headers } };
  return leavesNothing(app, () => app.call(path, options));
};

describe.each(Object.keys(WAYS))('%s', (way) => {
  test('every fault is named in one answer: of schema, clock and database', async () => {
    const { reference } = await createPayable(app, { reference: digits() });
    const reply = await send(way, {
      reference,
      amount: 0.001,
      referenceType: 'dynamic',
      expiryDate: '2026-01-01',
      description: 1,
      customerEmail: 2,
      customerName: 'x'.repeat(321),
      customerTelephone: [],
      documentNumber: {},
      customMetadata: 'x',
    });
    expect([reply.status, reply.json.code]).toEqual([400, 'validation_failed']);
    expect(reply.headers.get('content-type')).toBe('application/problem+json');
    const faults = [
      '/amount amount_precision',
      '/customMetadata invalid_type',
      '/customerEmail invalid_type',
      '/customerName too_long',
      '/customerTelephone invalid_type',
      '/description invalid_type',
      '/documentNumber invalid_type',
      '/expiryDate date_in_past',
      '/reference reference_in_use',
    ].map((fault) => fault.replace(/^\S+/, (pointer) => WAYS[way]?.at(pointer) ?? ''));
    expect(faultsOf(reply).toSorted()).toEqual(faults.toSorted());
  });

  test('messages come in Portuguese for those who ask', async () => {
    const reply = await send(way, { amount: 1, reference: '1' }, { 'accept-language': 'pt-AO, en;q=0.5' });
    expect(reply.headers.get('content-language')).toBe('pt');
    expect(reply.json.errors[0].message).toBe('deve ter 9 a 15 dígitos, em texto');
  });
});

describe('POST /api/payments with PPR', () => {
  const post = (body: object) => leavesNothing(app, () => app.call('/api/payments', { body }));
  const valid = { amount: 1, currency: 'AOA', paymentType: 'PPR' };
  test('what only the merchant’s settings show is named beside what the clock and the database show', async () => {
    const { reference } = await createPayable(app, { reference: digits() });
    const metadata = { returnUrl: 'https://evil.example/', expiryDate: '2020-01-01' };
    const reply = await post({ ...valid, reference, metadata });
    expect(faultsOf(reply).toSorted()).toEqual([
      '/metadata/expiryDate date_in_past',
      '/metadata/returnUrl origin_not_registered',
      '/reference reference_in_use',
    ]);
  });
});
