// The clients of our own rail protocol return a value for every response of a faulty server.
import { describe, expect, test } from 'vitest';
import type { RailOptions } from '../../../server/providers/rail-call.ts';
import { createRefundRail, writeRefund } from '../../../server/providers/balcao-refund.ts';
import type { SmsOrder } from '../../../server/providers/message.ts';
import { createPprRail, writeReference } from '../../../server/providers/ppr/client.ts';
import type { ReferenceOrder, RefundOrder } from '../../../server/providers/provider.ts';
import { createSmsRail, writeMessage } from '../../../server/providers/sms/client.ts';
import { badAnswers, BEGINNINGS, connectRail, outwait, readSigned } from '../../support/rail-server.ts';
import { pprById, smsById } from '../../support/lone-rail.ts';

const ID = '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e07';
const REF = '177244920100000003';

const createRail = (options: RailOptions) => ({
  ppr: pprById(createPprRail(options)),
  sms: smsById(createSmsRail(options)),
  refunds: createRefundRail(options),
});
type Rail = ReturnType<typeof createRail>;

const REFERENCE: ReferenceOrder = {
  referenceId: ID,
  entity: '00999',
  reference: '017756991',
  type: 'Charging',
  amountMinor: 0,
  currency: 'AOA',
  description: null,
  expiresAt: new Date('2099-12-31T23:59:59.000Z'),
};
const MESSAGE: SmsOrder = { messageId: ID, sender: 'BALCAO', to: '+244923456789', text: 'Olá, Ana: 🇦🇴' };
const REFUND: RefundOrder = {
  attemptId: ID,
  gpoMerchantId: 'M-1',
  charge: { kind: 'purchase', id: ID, railOrderId: null, providerRef: REF, amountMinor: 150_000 },
  amountMinor: 40_000,
  currency: 'AOA',
  description: 'Devolução',
  notifyUrl: '',
};

const PAYMENT = {
  transactionId: REF,
  entity: '00999',
  reference: '017756991',
  amount: '1500.00',
  currency: 'AOA',
  paidAt: '2026-03-02T09:00:01.000Z',
};

const reasonIn = (field: 'details' | 'reason') => (reason: string) =>
  field === 'reason' ? { result: 'unknown', reason, occurredAt: null } : { result: 'unknown', details: { reason } };
const unknownList = (more: object) => () => ({ result: 'unknown', payments: [], ...more });

type Call = {
  name: string;
  call(rail: Rail): Promise<unknown>;
  /** The expected method, path and body of the request. */
  request: [string, string, string];
  answer: object;
  expected: object;
  unknown(reason: string): object;
  /** The size limit of a response. */
  maxBytes?: number;
};

const KIB = 1024;
const told = { result: 'told', payments: [{ providerRef: REF, amountMinor: 150_000 }] };
const page = { payments: [PAYMENT], next: '8' };
const accepted = { result: 'accepted', reason: null, occurredAt: null };
const refunded = { id: ID, status: 'APPROVED', transactionId: '8', amount: '400.00', currency: 'AOA' };
const approved = { result: 'approved', providerRef: '8', amountMinor: 40_000 };
const refundQuery = { ...REFUND, railOrderId: null, sentAt: new Date(0) };

const CALLS: Call[] = [
  {
    name: 'ppr.register',
    call: ({ ppr }) => ppr.register(REFERENCE),
    request: ['PUT', `/v1/references/${ID}`, writeReference(REFERENCE)],
    answer: { id: ID, status: 'ACTIVE' },
    expected: { result: 'active', details: { railStatus: 'ACTIVE' } },
    unknown: reasonIn('details'),
    maxBytes: 8 * KIB * KIB,
  },
  {
    name: 'ppr.withdraw',
    call: ({ ppr }) => ppr.withdraw(ID),
    request: ['DELETE', `/v1/references/${ID}`, ''],
    answer: { id: ID, status: 'WITHDRAWN' },
    expected: { result: 'ended', details: { railStatus: 'WITHDRAWN' } },
    unknown: reasonIn('details'),
    maxBytes: 8 * KIB * KIB,
  },
  {
    name: 'ppr.query',
    call: ({ ppr }) => ppr.query(ID),
    request: ['GET', `/v1/references/${ID}`, ''],
    answer: { id: ID, status: 'WITHDRAWN', payments: [PAYMENT] },
    expected: told,
    unknown: unknownList({}),
    maxBytes: 8 * KIB * KIB,
  },
  {
    name: 'ppr.listPayments from the beginning',
    call: ({ ppr }) => ppr.listPayments(null),
    request: ['GET', '/v1/payments?limit=100', ''],
    answer: page,
    expected: { ...told, next: '8' },
    unknown: unknownList({ unreadable: [], next: null }),
    maxBytes: 8 * KIB * KIB,
  },
  {
    name: 'ppr.listPayments after a cursor',
    call: ({ ppr }) => ppr.listPayments('a&b=c'),
    request: ['GET', '/v1/payments?after=a%26b%3Dc&limit=100', ''],
    answer: page,
    expected: { ...told, next: '8' },
    unknown: unknownList({ unreadable: [], next: null }),
    maxBytes: 8 * KIB * KIB,
  },
  {
    name: 'sms.send',
    call: ({ sms }) => sms.send(MESSAGE),
    request: ['POST', '/v1/messages', writeMessage(MESSAGE)],
    answer: { id: ID, status: 'QUEUED' },
    expected: accepted,
    unknown: reasonIn('reason'),
  },
  {
    name: 'sms.query',
    call: ({ sms }) => sms.query(ID),
    request: ['GET', `/v1/messages/${ID}`, ''],
    answer: { id: ID, status: 'SENT' },
    expected: accepted,
    unknown: reasonIn('reason'),
  },
  {
    name: 'sms.query of an id with signs',
    call: ({ sms }) => sms.query('a/b?c'),
    request: ['GET', '/v1/messages/a%2Fb%3Fc', ''],
    answer: { id: ID, status: 'SENT' },
    expected: { result: 'unknown', reason: 'other_message' },
    unknown: reasonIn('reason'),
  },
  {
    name: 'refunds.refund',
    call: ({ refunds }) => refunds.refund(REFUND),
    request: ['POST', '/v1/refunds', writeRefund(REFUND)],
    answer: refunded,
    expected: approved,
    unknown: reasonIn('details'),
  },
  {
    name: 'refunds.queryRefund',
    call: ({ refunds }) => refunds.queryRefund(refundQuery),
    request: ['GET', `/v1/refunds/${ID}`, ''],
    answer: refunded,
    expected: approved,
    unknown: reasonIn('details'),
  },
];

describe.each(CALLS)('the result of $name', ({ call, request, answer, expected, unknown, maxBytes }) => {
  test('comes from the response to a signed request', async () => {
    const seen: unknown[] = [];
    const { rail, clock } = await connectRail(createRail, async (req, res) => {
      const { method, path, body, isSigned } = await readSigned(req, clock.now());
      seen.push([[method, path, body], isSigned]);
      res.writeHead(method === 'POST' ? 202 : 200).end(JSON.stringify(answer));
    });
    expect(await call(rail)).toMatchObject(expected);
    expect(seen).toEqual([[request, true]]);
  });

  test.each(BEGINNINGS)('is unknown at the timeout %s of the response', async (_when, begin) => {
    expect(await outwait(createRail, begin, call)).toMatchObject(unknown('timeout'));
  });

  test.each(badAnswers(maxBytes))('is unknown after %s: %s', async (_what, reason, listener) => {
    const { rail } = await connectRail(createRail, listener);
    expect(await call(rail)).toMatchObject(unknown(reason));
  });

  test('is unknown without a server', async () => {
    const { rail, stop } = await connectRail(createRail, () => {});
    await stop();
    expect(await call(rail)).toMatchObject(unknown('unreachable'));
  });
});

test('ppr.query reads ten thousand payments', async () => {
  const payments = Array.from({ length: 10_000 }, (_, index) => ({
    ...PAYMENT,
    transactionId: 177_244_920_000_000 + index,
    terminal: { type: 'ATM', id: '0000012345', location: 'Luanda Talatona' },
    nib: '004400006729503010102',
    bank: 'Banco de Poupança e Crédito de Angola',
  }));
  const body = JSON.stringify({ id: ID, status: 'ACTIVE', payments });
  const { rail } = await connectRail(createRail, (_req, res) => res.end(body));
  const { result, payments: read } = await rail.ppr.query(ID);
  expect(result).toBe('told');
  expect(new Set(read.map(({ providerRef }) => providerRef)).size).toBe(10_000);
});
