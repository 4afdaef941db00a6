// Cases of pushes: the request, the faults on its way, and how an accepted push is read.
import { cases } from '../../contract.ts';
import { UNCERTAIN_TIMES, UNREADABLE_AMOUNTS, wireCases } from '../../faults.ts';
import { DIALECTS, POS_ID, TOKEN, type OpgFixture } from './fixture.ts';

const dialects = DIALECTS;

export const unknown = (reason: string) => ({
  result: 'unknown',
  failureCode: null,
  providerRef: null,
  details: { reason },
});
export const declined = (failureCode: string, reason?: string) => ({
  result: 'declined',
  failureCode,
  ...(reason && { details: { reason } }),
});
const REFUSED_TOKEN = declined('acquirer_setup', 'token_refused');

const push = cases<OpgFixture>('push', { dialects, call: (fixture, changes) => fixture.push(changes) }, [
  {
    name: 'is one POST with token, key and exactly the fields of the protocol',
    request: { phone: '+244923456789', amountMinor: 12_345 },
    wire: ['POST /transactions'],
    sent: ({ order }) => ({
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'idempotency-key': order.attemptId,
        'content-type': /^application\/json/,
      },
      body: { type: 'payment', pos_id: POS_ID, mobile: '923456789', amount: '123.45', callback_url: order.notifyUrl },
    }),
  },
]);

const faults = wireCases<OpgFixture>('push', {
  dialects,
  call: (fixture) => fixture.push(),
  countEffects: ({ book }) => book.transactions.size,
  expected: (reason) => ({ ...unknown(reason), railOrderId: null }),
  instead: {
    401: REFUSED_TOKEN,
    403: REFUSED_TOKEN,
    garbage: { result: 'unknown', details: { reason: /unreadable$/ } },
  },
});

const reading = cases<OpgFixture, string | null, Record<string, unknown>>(
  'query of an accepted push',
  {
    dialects,
    setUp: (fixture) => fixture.decide(),
    answer: (fixture, changes) => fixture.rewrite(changes),
    call: (fixture, railOrderId) => fixture.query(railOrderId),
  },
  [
    {
      name: 'returns the amount that was taken, not the amount that was ordered',
      outcomes: [
        [{ amount: '1499.99' }, { result: 'approved', amountMinor: 149_999 }],
        [{ amount: '20000000.00' }, { result: 'approved', amountMinor: 2_000_000_000 }],
      ],
    },
    {
      name: 'returns unknown for an amount that cannot be read',
      answers: UNREADABLE_AMOUNTS.map((amount) => ({ amount })),
      expected: { ...unknown('amount_unreadable'), amountMinor: null },
    },
    {
      name: 'leaves out a time whose moment is uncertain',
      answers: UNCERTAIN_TIMES.map((status_datetime) => ({ status_datetime })),
      expected: { result: 'approved', occurredAt: null },
    },
  ],
);

export const pushCases = [...push, ...faults, ...reading];
