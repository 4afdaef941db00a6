// The GPO translator word by word, and its client against a server that misbehaves.
import { describe, expect, test } from 'vitest';
import { signMessage, verifySignature } from '../../../server/http/signature.ts';
import { createGpoRail, readNotification, readOrderAnswer, writeOrder } from '../../../server/providers/gpo/client.ts';
import type { RailOptions } from '../../../server/providers/ask.ts';
import type { PushOrder } from '../../../server/providers/provider.ts';
import { badAnswers, BEGINNINGS, connectRail, outwait, readSigned } from '../../support/rail-server.ts';
import { gpoById } from '../../support/rail-by-id.ts';

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

describe('a purchase read', () => {
  test('approved: what was taken, whose number, and when', () => {
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
    'declined %s is %s; any other status with it is pending',
    (reason, failureCode) => {
      const declined = read({ ...APPROVED, status: 'DECLINED', reason, transactionId: null });
      expect(declined).toMatchObject({ result: 'declined', failureCode, providerRef: null, amountMinor: null });
      expect(declined.occurredAt).toEqual(new Date(APPROVED.decidedAt));
      for (const status of ['PENDING', 'APPROVED', 'approved', 'REVERSED', 'toString', 5]) {
        expect(read({ ...APPROVED, status, reason })).toMatchObject({ result: 'pending', failureCode: null });
      }
    },
  );

  test.each(STRANGE)('a reason of %j declines nothing', (reason) => {
    for (const status of ['PENDING', 'DECLINED', 'SOMETHING_NEW']) {
      expect(read({ ...APPROVED, status, reason })).toMatchObject({ result: 'pending', amountMinor: null });
    }
    const result = reason === null || reason === '' ? 'approved' : 'pending';
    expect(read({ ...APPROVED, reason }).result).toBe(result);
  });

  test('a pending one keeps the words nobody understood', () => {
    const { details } = read({ ...APPROVED, status: 'ON_HOLD', reason: 'MOON_PHASE' });
    expect(details).toMatchObject({ railStatus: 'ON_HOLD', railReason: 'MOON_PHASE' });
  });

  test('numeric ids keep every digit', () => {
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
  ])('an amount of %s is read exactly', (amount, amountMinor) => {
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
  ])('an amount of %s %s is not guessed', (amount, currency) => {
    const body = JSON.stringify(APPROVED).replace('"1500.00"', amount).replace('"AOA"', currency);
    expect(read(body)).toMatchObject({
      result: 'unknown',
      amountMinor: null,
      details: { reason: 'amount_unreadable' },
    });
  });

  test('money without a number of its own is not booked', () => {
    for (const transactionId of [null, '', '\0', 'x'.repeat(65)]) {
      expect(read({ ...APPROVED, transactionId })).toMatchObject({
        result: 'unknown',
        details: { reason: 'transaction_unreadable' },
      });
    }
  });

  test('a time that is none stays out', () => {
    for (const decidedAt of ['yesterday', 12, null, '2026-99-99T00:00:00Z']) {
      expect(read({ ...APPROVED, decidedAt })).toMatchObject({ result: 'approved', occurredAt: null });
    }
  });

  test.each(['', 'null', '[]', '"APPROVED"', '{"status":"APPROVED"', '<html>', '{"id":"x"}', '{"status":"APPROVED"}'])(
    'a body of %j says nothing',
    (body) => expect(read(body)).toMatchObject({ result: 'unknown', details: { reason: 'unreadable' } }),
  );

  test('the answer about another purchase says nothing of this one', () => {
    const answer = read({ ...APPROVED, id: ATTEMPT.replace('01', '02') });
    expect(answer).toMatchObject({ result: 'unknown', details: { reason: 'other_purchase' } });
  });
});

describe('an answer that is no purchase', () => {
  const unknownPurchase = '{"code":"UNKNOWN_PURCHASE"}';

  test('only the rail itself, asked, can say that it never saw one', () => {
    expect(readAnswer({ status: 404, body: unknownPurchase }, ATTEMPT, 'GET').result).toBe('not_found');
    expect(readAnswer({ status: 404, body: unknownPurchase }, ATTEMPT, 'POST').result).toBe('unknown');
    expect(readAnswer({ status: 404, body: '<html>nginx' }, ATTEMPT, 'GET').result).toBe('unknown');
    expect(readAnswer({ status: 404, body: '{}' }, ATTEMPT, 'GET').result).toBe('unknown');
    expect(readAnswer({ status: 500, body: unknownPurchase }, ATTEMPT, 'GET').result).toBe('unknown');
  });

  test.each([400, 401, 403, 409, 422, 429])('%i is a refusal to be looked at, never a failed payment', (status) => {
    const outcome = readAnswer({ status, body: '{"code":"BAD_SIGNATURE"}' }, ATTEMPT, 'POST');
    expect(outcome).toMatchObject({ result: 'unknown', failureCode: null });
    expect(outcome.details).toEqual({
      reason: 'rail_refused',
      httpStatus: String(status),
      railCode: 'BAD_SIGNATURE',
    });
  });

  test.each([204, 301, 500, 502, 503, 504])('%i leaves everything open, whatever its body', (status) => {
    expect(read(APPROVED, status)).toMatchObject({ result: 'unknown', details: { reason: 'rail_error' } });
  });
});

describe('a notification read', () => {
  const message = { id: 'n-1', type: 'purchase', createdAt: APPROVED.decidedAt, purchase: APPROVED };

  test('names itself, the attempt and the outcome', () => {
    const notification = readNotification(JSON.stringify(message));
    expect(notification).toEqual({
      notificationId: 'n-1',
      about: 'order',
      kind: 'purchase',
      attemptId: ATTEMPT,
      outcome: read(APPROVED),
    });
  });

  test('its id may be a number beyond a double', () => {
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
    ['an id that was never ours', JSON.stringify({ ...message, purchase: { ...APPROVED, id: "1' or '1'='1" } })],
  ])('%s is none', (_what, body) => expect(readNotification(body)).toBeNull());
});

test('an order is written with the amount as exact text, the same bytes each time', () => {
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

describe('a signature', () => {
  const now = new Date('2026-03-02T09:00:00.000Z');
  const message = { method: 'POST', path: '/v1/purchases?a=1', body: '{"é":1}' };
  const sign = () => lowerCased(signMessage(KEY, message, now));
  const lowerCased = (headers: Record<string, string>) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

  test('holds for this message, as text or bytes, for five minutes either way', () => {
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

  test('is the one that docs/rail.md shows', () => {
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
  ])('does not hold for %s', (_what, key, changed, headers) => {
    expect(verifySignature(key, changed, { ...sign(), ...headers }, now)).toBe(false);
  });
});

describe('the client', () => {
  test('signs the path after the base, and reads the answer', async () => {
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

  test.each(BEGINNINGS)('gives up %s when the clock says so, and knows nothing', async (_when, begin) => {
    const outcome = await outwait(createGpo, begin, (rail) => rail.send(ORDER));
    expect(outcome).toMatchObject({ result: 'unknown', details: { reason: 'timeout' } });
  });

  test.each(badAnswers())('%s is unknown: %s', async (_what, reason, listener) => {
    const { rail } = await connectRail(createGpo, listener);
    expect(await rail.send(ORDER)).toMatchObject({ result: 'unknown', details: { reason } });
  });

  test('nobody at the address is unknown, and says so', async () => {
    const { rail, stop } = await connectRail(createGpo, () => {});
    await stop();
    expect(await rail.query('purchase', ATTEMPT)).toMatchObject({
      result: 'unknown',
      details: { reason: 'unreachable', error: 'unreachable (ECONNREFUSED)' },
    });
  });
});
