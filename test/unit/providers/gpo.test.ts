// The GPO client: purchases, signatures, and responses of faulty servers.
import { describe, expect, test } from 'vitest';
import { signMessage, verifySignature } from '../../../server/http/signature.ts';
import { createGpoRail, readNotification, readOrderAnswer, writeOrder } from '../../../server/providers/gpo/client.ts';
import type { RailOptions } from '../../../server/providers/rail-call.ts';
import type { PushOrder } from '../../../server/providers/provider.ts';
import { badAnswers, BEGINNINGS, connectRail, outwait, readSigned } from '../../support/rail-server.ts';
import { gpoById } from '../../support/lone-rail.ts';

const createGpo = (options: RailOptions) => gpoById(createGpoRail(options));

const ATTEMPT = '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e01';
const KEY = 'a key for the rail only';

const ORDER: PushOrder = {
  kind: 'purchase',
  attemptId: ATTEMPT,
  gpoMerchantId: 'M-1',
  gpoPosId: 'POS-1',
  reference: 'PED-1',
  phone: '+244923456789',
  amountMinor: 150_000,
  currency: 'AOA',
  description: null,
  wallet: null,
  notifyUrl: '',
};

const APPROVED = {
  id: ATTEMPT,
  status: 'APPROVED',
  reason: null,
  transactionId: '177244920100000001',
  transactionNumber: '7',
  clearingPeriod: '20514',
  terminalId: 'POS-1',
  amount: '1500.00',
  currency: 'AOA',
  phone: '+244923456789',
  createdAt: '2026-03-02T09:00:00.000Z',
  decidedAt: '2026-03-02T09:00:01.000Z',
};

const readAnswer = (answer: { status: number; body: string }, attemptId: string, method: 'GET' | 'POST') =>
  readOrderAnswer(answer, 'purchase', attemptId, method);

const read = (purchase: unknown, status = 200) =>
  readAnswer({ status, body: typeof purchase === 'string' ? purchase : JSON.stringify(purchase) }, ATTEMPT, 'GET');

describe('a purchase in a rail response', () => {
  test('is approved with its amount, transaction and time', () => {
    expect(read(APPROVED)).toEqual({
      result: 'approved',
      failureCode: null,
      railOrderId: null,
      providerRef: '177244920100000001',
      amountMinor: 150_000,
      currency: 'AOA',
      occurredAt: new Date('2026-03-02T09:00:01.000Z'),
      details: { transactionNumber: '7', clearingPeriod: '20514', terminalId: 'POS-1' },
    });
  });

  const REASONS = {
    CUSTOMER_REFUSED: 'customer_refused',
    INSUFFICIENT_FUNDS: 'insufficient_funds',
    LIMIT_EXCEEDED: 'limit_exceeded',
    NUMBER_NOT_ACTIVE: 'number_not_active',
    TIMED_OUT: 'timed_out',
    TERMINAL_CLOSED: 'terminal_closed',
    ISSUER_REFUSED: 'issuer_refused',
  };
  const STRANGE = [null, '', 'customer_refused', 'SOMETHING_NEW', 'constructor', 17, {}];

  test.each(Object.entries(REASONS))(
    'is declined for %s as %s, and pending with another status',
    (reason, failureCode) => {
      const declined = read({ ...APPROVED, status: 'DECLINED', reason, transactionId: null });
      expect(declined).toMatchObject({ result: 'declined', failureCode, providerRef: null, amountMinor: null });
      expect(declined.occurredAt).toEqual(new Date(APPROVED.decidedAt));
      for (const status of ['PENDING', 'APPROVED', 'approved', 'REVERSED', 'toString', 5]) {
        expect(read({ ...APPROVED, status, reason })).toMatchObject({ result: 'pending', failureCode: null });
      }
    },
  );

  test.each(STRANGE)('is not declined for the reason %j', (reason) => {
    for (const status of ['PENDING', 'DECLINED', 'SOMETHING_NEW']) {
      expect(read({ ...APPROVED, status, reason })).toMatchObject({ result: 'pending', amountMinor: null });
    }
    const result = reason === null || reason === '' ? 'approved' : 'pending';
    expect(read({ ...APPROVED, reason }).result).toBe(result);
  });

  test('is pending with an unknown status and reason, and keeps their text', () => {
    const { details } = read({ ...APPROVED, status: 'ON_HOLD', reason: 'MOON_PHASE' });
    expect(details).toMatchObject({ railStatus: 'ON_HOLD', railReason: 'MOON_PHASE' });
  });

  test('keeps every digit of numeric ids', () => {
    const body = JSON.stringify(APPROVED)
      .replace('"177244920100000001"', '177244920100000001')
      .replace('"POS-1"', '0.10')
      .replace('"7"', '900719925474099399');
    expect(read(body)).toMatchObject({
      result: 'approved',
      providerRef: '177244920100000001',
      details: { terminalId: '0.10', transactionNumber: '900719925474099399' },
    });
  });

  test.each([
    ['"1500.00"', 150_000],
    ['"1500"', 150_000],
    ['1500', 150_000],
    ['1500.0', 150_000],
    ['1500.01', 150_001],
    ['1.5e3', 150_000],
    ['"0.10"', 10],
    ['0', 0],
  ])('has the exact amount of %s', (amount, amountMinor) => {
    expect(read(JSON.stringify(APPROVED).replace('"1500.00"', amount))).toMatchObject({
      result: 'approved',
      amountMinor,
    });
  });

  test.each([
    ['"1500.005"', '"AOA"'],
    ['-1500', '"AOA"'],
    ['"1 500,00"', '"AOA"'],
    ['1e400', '"AOA"'],
    ['""', '"AOA"'],
    ['null', '"AOA"'],
    ['["1500.00"]', '"AOA"'],
    ['"1500.00"', '"Kz"'],
    ['"1500.00"', 'null'],
    ['"1500.00"', '973'],
  ])('is unknown for the amount %s %s', (amount, currency) => {
    const body = JSON.stringify(APPROVED).replace('"1500.00"', amount).replace('"AOA"', currency);
    expect(read(body)).toMatchObject({
      result: 'unknown',
      amountMinor: null,
      details: { reason: 'amount_unreadable' },
    });
  });

  test('is unknown without a valid transaction id', () => {
    for (const transactionId of [null, '', '\0', 'x'.repeat(65)]) {
      expect(read({ ...APPROVED, transactionId })).toMatchObject({
        result: 'unknown',
        details: { reason: 'transaction_unreadable' },
      });
    }
  });

  test('is approved without a time if the time is invalid', () => {
    for (const decidedAt of ['yesterday', 12, null, '2026-99-99T00:00:00Z']) {
      expect(read({ ...APPROVED, decidedAt })).toMatchObject({ result: 'approved', occurredAt: null });
    }
  });

  test.each(['', 'null', '[]', '"APPROVED"', '{"status":"APPROVED"', '<html>', '{"id":"x"}', '{"status":"APPROVED"}'])(
    'is unknown for the body %j',
    (body) => expect(read(body)).toMatchObject({ result: 'unknown', details: { reason: 'unreadable' } }),
  );

  test('is unknown if the response has the id of another purchase', () => {
    const answer = read({ ...APPROVED, id: ATTEMPT.replace('01', '02') });
    expect(answer).toMatchObject({ result: 'unknown', details: { reason: 'other_purchase' } });
  });
});

describe('a purchase after an error response', () => {
  const unknownPurchase = '{"code":"UNKNOWN_PURCHASE"}';

  test('is not_found only if a query returns the code UNKNOWN_PURCHASE', () => {
    expect(readAnswer({ status: 404, body: unknownPurchase }, ATTEMPT, 'GET').result).toBe('not_found');
    expect(readAnswer({ status: 404, body: unknownPurchase }, ATTEMPT, 'POST').result).toBe('unknown');
    expect(readAnswer({ status: 404, body: '<html>nginx' }, ATTEMPT, 'GET').result).toBe('unknown');
    expect(readAnswer({ status: 404, body: '{}' }, ATTEMPT, 'GET').result).toBe('unknown');
    expect(readAnswer({ status: 500, body: unknownPurchase }, ATTEMPT, 'GET').result).toBe('unknown');
  });

  test.each([400, 401, 403, 409, 422, 429])('is unknown for %i, with the code of the rail', (status) => {
    const outcome = readAnswer({ status, body: '{"code":"BAD_SIGNATURE"}' }, ATTEMPT, 'POST');
    expect(outcome).toMatchObject({ result: 'unknown', failureCode: null });
    expect(outcome.details).toEqual({ reason: 'rail_refused', httpStatus: String(status), railCode: 'BAD_SIGNATURE' });
  });

  test.each([204, 301, 500, 502, 503, 504])('is unknown for %i with the body of an approval', (status) => {
    expect(read(APPROVED, status)).toMatchObject({ result: 'unknown', details: { reason: 'rail_error' } });
  });
});

describe('readNotification', () => {
  const message = { id: 'n-1', type: 'purchase', createdAt: APPROVED.decidedAt, purchase: APPROVED };

  test('returns its id, the attempt and the outcome', () => {
    const notification = readNotification(JSON.stringify(message));
    expect(notification).toEqual({
      notificationId: 'n-1',
      about: 'order',
      kind: 'purchase',
      attemptId: ATTEMPT,
      outcome: read(APPROVED),
    });
  });

  test('keeps every digit of a numeric id', () => {
    const body = JSON.stringify(message).replace('"n-1"', '123456789012345678');
    expect(readNotification(body)?.notificationId).toBe('123456789012345678');
  });

  test.each([
    ['no JSON', '<html>'],
    ['nothing', ''],
    ['an array', '[]'],
    ['another type', JSON.stringify({ ...message, type: 'refund' })],
    ['no id', JSON.stringify({ ...message, id: undefined })],
    ['no purchase', JSON.stringify({ ...message, purchase: null })],
    ['an id that is no attempt of ours', JSON.stringify({ ...message, purchase: { ...APPROVED, id: "1' or '1'='1" } })],
  ])('returns null for %s', (_what, body) => expect(readNotification(body)).toBeNull());
});

test('writeOrder writes the amount as text, and equal bytes for equal orders', () => {
  expect(JSON.parse(writeOrder(ORDER))).toEqual({
    id: ATTEMPT,
    merchantId: 'M-1',
    terminalId: 'POS-1',
    reference: 'PED-1',
    phone: '+244923456789',
    amount: '1500.00',
    currency: 'AOA',
    description: null,
  });
  expect(writeOrder(ORDER)).toBe(writeOrder({ ...ORDER }));
  expect(JSON.parse(writeOrder({ ...ORDER, amountMinor: 5, currency: 'JPY' })).amount).toBe('5');
  const ours = { paymentId: 'p', merchantId: 'm', reference: 'PED_1' };
  expect(JSON.parse(writeOrder({ ...ORDER, ours })).ours).toEqual(ours);
  expect(JSON.parse(writeOrder({ ...ORDER, ours, kind: 'authorization' })).ours).toBeUndefined();
});

describe('the signature of a rail message', () => {
  const now = new Date('2026-03-02T09:00:00.000Z');
  const message = { method: 'POST', path: '/v1/purchases?a=1', body: '{"é":1}' };
  const sign = () => lowerCased(signMessage(KEY, message, now));
  const lowerCased = (headers: Record<string, string>) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

  test('is valid for five minutes, for the message as text or as bytes', () => {
    expect(verifySignature(KEY, message, sign(), now)).toBe(true);
    expect(verifySignature(KEY, { ...message, body: Buffer.from(message.body) }, sign(), now)).toBe(true);
    for (const [seconds, holds] of [
      [-300, true],
      [300, true],
      [-301, false],
      [301, false],
    ] as const) {
      expect(verifySignature(KEY, message, sign(), new Date(now.getTime() + seconds * 1000))).toBe(holds);
    }
  });

  test('equals the example in docs/rail.md', () => {
    const documented = { method: 'GET', path: `/v1/purchases/${ATTEMPT}`, body: '' };
    expect(signMessage(KEY, documented, now)).toEqual({
      'Rail-Timestamp': '1772442000',
      'Rail-Signature': 'v1=039deca8a3509813d02dfeebd5372b0901575144110b030991da839cd005e275',
    });
  });

  test.each([
    ['another key', `${KEY}!`, message, {}],
    ['another method', KEY, { ...message, method: 'GET' }, {}],
    ['another path', KEY, { ...message, path: '/v1/purchases?a=2' }, {}],
    ['another body', KEY, { ...message, body: '{"é":2}' }, {}],
    ['another time', KEY, message, { 'rail-timestamp': '1772442001' }],
    ['no time', KEY, message, { 'rail-timestamp': undefined }],
    ['a time that is no number', KEY, message, { 'rail-timestamp': 'NaN' }],
    ['no signature', KEY, message, { 'rail-signature': undefined }],
    ['another scheme', KEY, message, { 'rail-signature': 'v0=00' }],
  ])('is invalid for %s', (_what, key, changed, headers) => {
    expect(verifySignature(key, changed, { ...sign(), ...headers }, now)).toBe(false);
  });
});

describe('the GPO client', () => {
  test('signs the path below its base URL, and reads the response', async () => {
    const seen: unknown[] = [];
    const { rail, clock } = await connectRail(createGpo, async (req, res) => {
      const { method, path, body, isSigned } = await readSigned(req, clock.now());
      seen.push([method, path, isSigned, body.length > 0]);
      res.writeHead(method === 'POST' ? 202 : 200).end(JSON.stringify(APPROVED));
    });
    expect(await rail.send(ORDER)).toEqual(read(APPROVED));
    expect(await rail.query('purchase', ATTEMPT)).toEqual(read(APPROVED));
    expect(seen).toEqual([
      ['POST', '/v1/purchases', true, true],
      ['GET', `/v1/purchases/${ATTEMPT}`, true, false],
    ]);
  });

  test.each(BEGINNINGS)('returns unknown at the timeout %s of the response', async (_when, begin) => {
    const outcome = await outwait(createGpo, begin, (rail) => rail.send(ORDER));
    expect(outcome).toMatchObject({ result: 'unknown', details: { reason: 'timeout' } });
  });

  test.each(badAnswers())('returns unknown after %s: %s', async (_what, reason, listener) => {
    const { rail } = await connectRail(createGpo, listener);
    expect(await rail.send(ORDER)).toMatchObject({ result: 'unknown', details: { reason } });
  });

  test('returns unknown without a server', async () => {
    const { rail, stop } = await connectRail(createGpo, () => {});
    await stop();
    expect(await rail.query('purchase', ATTEMPT)).toMatchObject({
      result: 'unknown',
      details: { reason: 'unreachable', error: 'unreachable (ECONNREFUSED)' },
    });
  });
});
