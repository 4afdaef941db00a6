// The GPO client: QR codes and scans.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readNotification } from '../../../server/providers/gpo/client.ts';
import { readQrAnswer, readScan, writeQrCode } from '../../../server/providers/gpo/qrcode.ts';

const CODE = '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e01';
const OTHER = '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e02';

const SCAN = {
  id: '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e09',
  qrCodeId: CODE,
  status: 'ACCEPTED',
  reason: null,
  transactionId: '177244920100000001',
  transactionNumber: '7',
  clearingPeriod: '20514',
  terminalId: 'POS-1',
  transactionType: 'PURCHASE',
  orderOrigin: 'QRCODE',
  amount: '1500.00',
  currency: 'AOA',
  phone: '+244923456789',
  creationDate: '2026-03-02T09:00:00.000Z',
  updatedDate: '2026-03-02T09:00:01.000Z',
};
const READ = {
  providerRef: '177244920100000001',
  amountMinor: 150_000,
  currency: 'AOA',
  occurredAt: new Date('2026-03-02T09:00:01.000Z'),
  details: {
    transactionNumber: '7',
    clearingPeriod: '20514',
    terminalId: 'POS-1',
    transactionType: 'PURCHASE',
    orderOrigin: 'QRCODE',
    creationDate: '2026-03-02T09:00:00.000Z',
    updatedDate: '2026-03-02T09:00:01.000Z',
  },
};
const ACTIVE = {
  id: CODE,
  status: 'ACTIVE',
  reason: null,
  content: `MCX:${CODE}`,
  accepted: 1,
  maxTransactions: 10,
  endDate: '2026-03-03T09:00:00.000Z',
  payments: [SCAN],
};

const read = (code: unknown, status = 200, method: 'GET' | 'POST' = 'GET') =>
  readQrAnswer({ status, body: typeof code === 'string' ? code : JSON.stringify(code) }, CODE, method);

describe('readQrAnswer', () => {
  test.each(['ACTIVE', 'USED_UP', 'ENDED'])('returns made for %s, with the accepted scans', (status) => {
    const refused = { ...SCAN, status: 'REFUSED', reason: 'TIMED_OUT', transactionId: null };
    const pending = { ...SCAN, status: 'PENDING', transactionId: null };
    expect(read({ ...ACTIVE, status, payments: [refused, SCAN, pending] }, 201, 'POST')).toEqual({
      result: 'made',
      failureCode: null,
      railOrderId: null,
      deeplink: null,
      endsAt: null,
      content: ACTIVE.content,
      scans: [READ],
      details: { railStatus: status },
    });
  });

  test.each([
    ['WITHDRAWN', null, 'issuer_refused'],
    ['WITHDRAWN', 'TERMINAL_CLOSED', 'terminal_closed'],
    ['REFUSED', 'TERMINAL_CLOSED', 'terminal_closed'],
    ['REFUSED', 'SOMETHING_NEW', 'issuer_refused'],
  ])('returns declined for %s %s as %s, with the accepted scans', (status, reason, failureCode) => {
    const declined = read({ ...ACTIVE, status, reason, content: null });
    expect(declined).toMatchObject({ result: 'declined', failureCode, content: null, scans: [READ] });
  });

  test.each([
    ['an unknown word', { status: 'PAUSED' }, 'status_unknown'],
    ['no content', { content: null }, 'content_unreadable'],
    ['a content too long', { content: 'x'.repeat(201) }, 'content_unreadable'],
    ['an unprintable content', { content: 'x\n' }, 'content_unreadable'],
  ])('returns unknown for %s, with the accepted scans', (_what, change, reason) => {
    expect(read({ ...ACTIVE, ...change })).toMatchObject({ result: 'unknown', scans: [READ], details: { reason } });
  });

  test('accepts a content of 200 characters', () => {
    expect(read({ ...ACTIVE, content: 'x'.repeat(200) })).toMatchObject({ result: 'made' });
  });

  test.each([
    ['amount', { amount: '15,00' }],
    ['currency', { currency: 'Kz' }],
    ['transaction', { transactionId: null }],
    ['code', { qrCodeId: OTHER }],
    ['reason', { reason: 'TIMED_OUT' }],
  ])('reports an unreadable scan if an accepted one has no valid %s', (_what, change) => {
    const code = read({ ...ACTIVE, payments: [{ ...SCAN, ...change }, SCAN] });
    expect(code).toMatchObject({ result: 'made', scans: [READ], details: { reason: 'scan_unreadable' } });
  });

  test.each([[[null]], [['x']], [[{}]], [null], [undefined], ['none'], [{}]])(
    'reports an unreadable scan for payments %j',
    (payments) => {
      expect(read({ ...ACTIVE, payments })).toMatchObject({
        result: 'made',
        scans: [],
        details: { reason: 'scan_unreadable' },
      });
    },
  );

  test.each(['', 'null', '[]', '<html>', '{"id":"x"}', '{"status":"ACTIVE"}'])(
    'returns unknown for the body %j',
    (body) => {
      expect(read(body)).toMatchObject({ result: 'unknown', scans: [], details: { reason: 'unreadable' } });
    },
  );

  test('returns unknown if the response has the id of another QR code', () => {
    expect(read({ ...ACTIVE, id: OTHER })).toMatchObject({
      result: 'unknown',
      scans: [],
      details: { reason: 'other_qrcode' },
    });
  });

  test('reports a scan without a status as unreadable, and returns the readable scan', () => {
    expect(read({ ...ACTIVE, payments: [SCAN, { ...SCAN, status: null }] })).toMatchObject({
      scans: [READ],
      details: { reason: 'scan_unreadable' },
    });
  });

  test('returns not_found only if a query returns the code UNKNOWN_QRCODE', () => {
    const unknown = { code: 'UNKNOWN_QRCODE' };
    expect(read(unknown, 404).result).toBe('not_found');
    expect(read(unknown, 404, 'POST').result).toBe('unknown');
    expect(read({ code: 'UNKNOWN_PURCHASE' }, 404).result).toBe('unknown');
    expect(read(unknown, 500)).toMatchObject({ result: 'unknown', details: { reason: 'rail_error' } });
    expect(read(ACTIVE, 409)).toMatchObject({ result: 'unknown', scans: [], details: { reason: 'rail_refused' } });
  });

  test('returns exactly the readable accepted scans of any list', () => {
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.record({ status: fc.constantFrom('ACCEPTED', 'REFUSED', 'PENDING'), amount: fc.jsonValue() }),
    );
    const good = fc.integer({ min: 1, max: 10 ** 12 }).map((ref) => ({ ...SCAN, transactionId: String(ref) }));
    fc.assert(
      fc.property(fc.array(fc.oneof(odd, good), { maxLength: 20 }), (payments) => {
        const refs = payments.flatMap((scan) => {
          const { qrCodeId, transactionId } = (scan ?? {}) as Partial<typeof SCAN>;
          return qrCodeId === CODE ? [transactionId] : [];
        });
        expect(read({ ...ACTIVE, payments }).scans.map(({ providerRef }) => providerRef)).toEqual(refs);
      }),
    );
  });
});

describe('readScan', () => {
  test('keeps every digit of ids and amounts that are numbers', () => {
    const body = JSON.stringify({ ...ACTIVE })
      .replace('"177244920100000001"', '177244920100000001')
      .replace('"1500.00"', '1500.0');
    expect(read(body).scans).toEqual([READ]);
  });

  test('uses the creation date if the decision has no date', () => {
    const scan = readScan({ ...SCAN, updatedDate: 'today' }, CODE);
    expect(scan?.occurredAt).toEqual(new Date(SCAN.creationDate));
  });
});

describe('readNotification', () => {
  const message = { id: 'n-1', type: 'qrcode_payment', createdAt: SCAN.updatedDate, payment: SCAN };

  test('returns the scan and the id of its QR code', () => {
    const expected = { notificationId: 'n-1', about: 'scan', attemptId: CODE, scan: READ };
    expect(readNotification(JSON.stringify(message))).toEqual(expected);
  });

  test.each([
    ['a refused scan', { status: 'REFUSED', reason: 'TIMED_OUT' }],
    ['a pending scan', { status: 'PENDING' }],
    ['no money', { amount: null }],
    ['an id that is no code of ours', { qrCodeId: 'x' }],
  ])('returns null for %s', (_what, change) => {
    expect(readNotification(JSON.stringify({ ...message, payment: { ...SCAN, ...change } }))).toBeNull();
  });
});

test('writeQrCode writes the amount as text, and equal bytes for equal orders', () => {
  const whose = { attemptId: CODE, gpoMerchantId: 'M-1', gpoPosId: 'POS-1', reference: 'PED-1' };
  const money = { amountMinor: 150_000, currency: 'AOA', description: 'Café' };
  const endDate = new Date('2026-03-03T09:00:00.000Z');
  const order = { ...whose, ...money, type: 'STATIC' as const, maxTransactions: 10, endDate, notifyUrl: '' };
  expect(JSON.parse(writeQrCode(order))).toEqual({
    id: CODE,
    merchantId: 'M-1',
    terminalId: 'POS-1',
    reference: 'PED-1',
    amount: '1500.00',
    currency: 'AOA',
    description: 'Café',
    type: 'STATIC',
    maxTransactions: 10,
    endDate: '2026-03-03T09:00:00.000Z',
  });
  expect(writeQrCode(order)).toBe(writeQrCode({ ...order }));
});
