// Reads statements in our own rail protocol.
import { expect, test } from 'vitest';
import { readStatement } from '../../../server/providers/balcao-statement.ts';

const ENTRY = {
  type: 'PAYMENT',
  id: '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e01',
  transactionId: '177244920100000001',
  amount: '1500.00',
  currency: 'AOA',
  occurredAt: '2026-03-02T09:00:01.000Z',
  period: '20514',
};
const READ = {
  kind: 'payment',
  ownId: ENTRY.id,
  railKey: null,
  providerRef: ENTRY.transactionId,
  amountMinor: 150_000,
  currency: 'AOA',
  occurredAt: new Date(ENTRY.occurredAt),
  period: '20514',
};
const NOTHING = { result: 'unknown', movements: [], unreadable: [], next: null };

const read = (body: unknown, status = 200, kind: 'gpo' | 'ppr' = 'gpo') =>
  readStatement({ status, body: typeof body === 'string' ? body : JSON.stringify(body) }, { kind, period: '20514' });

test('readStatement returns the movements and the next cursor', () => {
  const movements = [ENTRY, { ...ENTRY, type: 'REFUND', id: null, occurredAt: 'yesterday' }];
  expect(read({ movements, next: '7' })).toEqual({
    result: 'told',
    movements: [READ, { ...READ, kind: 'refund', ownId: null, occurredAt: null }],
    unreadable: [],
    next: '7',
  });
});

test('readStatement strips leading zeros from the id of a payment by reference', () => {
  const movements = [{ ...ENTRY, transactionId: '00012' }];
  const refOf = (kind: 'gpo' | 'ppr') => read({ movements, next: null }, 200, kind).movements[0]?.providerRef;
  expect([refOf('ppr'), refOf('gpo')]).toEqual(['12', '00012']);
});

test.each([
  [{ type: 'FEE' }],
  [{ amount: '15,00' }],
  [{ amount: null }],
  [{ currency: 'kz' }],
  [{ transactionId: null }],
  [{ period: '20515' }],
])('readStatement keeps a movement with %j as unreadable text', (change) => {
  const said = { ...ENTRY, ...change };
  const page = read({ movements: [ENTRY, said], next: null });
  expect(page).toEqual({ result: 'told', movements: [READ], unreadable: [JSON.stringify(said)], next: null });
});

test.each([
  ['no next', { movements: [] }, 200],
  ['no list', { next: null }, 200],
  ['no JSON', '<html>', 200],
  ['an error', { movements: [], next: null }, 503],
  ['an address that is not there', { code: 'NOT_FOUND' }, 404],
])('readStatement returns unknown for %s', (_, body, status) => {
  expect(read(body, status)).toEqual(NOTHING);
});

test('readStatement returns unlisted for the rail’s code UNKNOWN_PERIOD', () => {
  expect(read({ code: 'UNKNOWN_PERIOD' }, 404)).toEqual({ ...NOTHING, result: 'unlisted' });
});

const OURS = { paymentId: 'p', merchantId: 'm', reference: 'PED_1' };
const ORDER = { kind: 'PURCHASE', merchantId: 'M-1', terminalId: 'POS-1', reference: 'PED-1', phone: '+244923456789' };
const ORDERED = { ...ORDER, amount: '1500.00', currency: 'AOA', ours: OURS };

test.each([
  ['whole', ORDERED, { gpoMerchantId: 'M-1', gpoPosId: 'POS-1', reference: 'PED-1', phone: ORDER.phone, ours: OURS }],
  [
    'with its required fields',
    { kind: 'PURCHASE', reference: 'PED-1', amount: '1500.00', currency: 'AOA', ours: { paymentId: 'p' } },
    { gpoMerchantId: null, gpoPosId: null, reference: 'PED-1', phone: null, ours: null },
  ],
  ['of another kind', { ...ORDERED, kind: 'CAPTURE' }, null],
  ['without an amount', { ...ORDERED, amount: null }, null],
  ['that is no object', 'PED-1', null],
])('readStatement reads an order %s', (_, order, expected) => {
  const [entry] = read({ movements: [{ ...ENTRY, order }], next: null }).movements;
  const money = { amountMinor: 150_000, currency: 'AOA' };
  expect(entry).toEqual(expected ? { ...READ, order: { ...money, ...expected } } : READ);
});

test('readStatement of a time range accepts movements of every period, and returns unlisted for 400', () => {
  const asked = { kind: 'gpo', since: new Date(0) } as const;
  const body = JSON.stringify({ movements: [{ ...ENTRY, period: null }], next: null });
  expect(readStatement({ status: 200, body }, asked).movements).toEqual([{ ...READ, period: null }]);
  expect(readStatement({ status: 400, body: '{}' }, asked)).toEqual({ ...NOTHING, result: 'unlisted' });
  expect(readStatement({ status: 404, body: '{"code":"UNKNOWN_PERIOD"}' }, asked)).toEqual(NOTHING);
});
