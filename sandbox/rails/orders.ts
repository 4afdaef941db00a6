// Orders over 1500.00 AOA for the contract cases of payments, and expected outcomes that several cases share.
import { randomUUID } from 'node:crypto';
import type {
  OrderKind,
  PushOrder,
  QrOrder,
  RailOrder,
  ReferenceOrder,
  RefundOrder,
} from '../../server/providers/provider.ts';
import { operation } from './contract.ts';
import type { Fixture } from './fixture.ts';

const ORDER = {
  gpoMerchantId: '1',
  gpoPosId: '1',
  // No host listens at this URL. The fake still records the notifications that it sent.
  notifyUrl: 'http://127.0.0.1:1/rails/n-1/notifications',
  reference: 'FT 1',
  amountMinor: 1500_00,
  currency: 'AOA',
} as const;

export function makePush(changes: Partial<PushOrder> = {}): PushOrder {
  const push = { kind: 'purchase', wallet: null, phone: '+244923456789', description: null } as const;
  return { ...ORDER, ...push, attemptId: randomUUID(), ...changes };
}

export function makeCode(changes: Partial<QrOrder> = {}): QrOrder {
  const endDate = new Date('2026-03-04T12:00:00.000Z');
  const code = { description: 'Bilhete', type: 'DYNAMIC', maxTransactions: 1, endDate } as const;
  return { ...ORDER, ...code, attemptId: randomUUID(), ...changes };
}

export function makeReference(changes: Partial<ReferenceOrder> = {}): ReferenceOrder {
  const { amountMinor, currency } = ORDER;
  const reference = { entity: '10116', reference: '123456789', type: 'Dynamic', amountMinor, currency } as const;
  const expiresAt = new Date('2026-03-06T12:00:00Z');
  return { ...reference, referenceId: randomUUID(), description: 'Propina de Março', expiresAt, ...changes };
}

export function makeRefund(providerRef: string, changes: Partial<RefundOrder> = {}): RefundOrder {
  const { amountMinor, currency, notifyUrl, gpoMerchantId } = ORDER;
  const charge = { kind: 'purchase', id: 'a', railOrderId: providerRef, providerRef, amountMinor } as const;
  const money = { charge, amountMinor, currency };
  return { ...money, attemptId: randomUUID(), gpoMerchantId, description: null, notifyUrl, ...changes };
}

/** Capabilities that all rails without terminals and authorizations share. */
export const PUSH_CAPABILITIES = {
  kind: 'gpo',
  purchase: true,
  authorization: false,
  partialCapture: false,
  refundRepeat: false,
  qrWithdraw: false,
  terminals: false,
  gpoIds: false,
  amounts: { stepMinor: 1, minMinor: 100, maxMinor: 1_000_000_000 },
  currencies: ['AOA'],
  windowMs: 90_000,
};

export const unknown = (reason: string, details: object = {}) => ({
  result: 'unknown',
  failureCode: null,
  details: { ...details, reason },
});

export const declined = (failureCode: string, reason?: string) => ({
  result: 'declined',
  failureCode,
  ...(reason && { details: { reason } }),
});

export const REFUSED_TOKEN = declined('acquirer_setup', 'token_refused');

/** Creates cases for a rail with pushes only. The rail declines other orders and queries, and refuses terminals. */
export function unsupportedCases<F extends Fixture>(failureCode: string, dialects?: readonly string[]) {
  const { attemptId, ...push } = makePush();
  const order = { ...push, attemptId };
  const orders: RailOrder[] = [
    { ...order, kind: 'authorization' },
    { ...order, kind: 'capture', authorizationId: attemptId },
    { ...order, kind: 'void', target: 'authorization', targetId: attemptId },
    { ...order, kind: 'void', target: 'qrcode', targetId: attemptId },
  ];
  const kinds: OrderKind[] = ['authorization', 'capture', 'void'];
  const refused = { result: 'refused', status: null, details: { reason: 'unsupported' } };
  return operation<F>('connector', { dialects })({
    'declines authorizations, captures, voids and their queries, and refuses terminals, without a request': {
      act: ({ clients: { gpo }, now }) =>
        Promise.all([
          ...orders.map((one) => gpo.send(one)),
          ...kinds.map((kind) => gpo.query({ kind, attemptId, railOrderId: 'x', sentAt: now })),
          gpo.moveTerminal({ operationId: 'o', posId: '111', action: 'open', supervisorId: null }),
          gpo.queryTerminal('111'),
        ]),
      expected: [...Array.from({ length: 7 }, () => declined(failureCode, 'unsupported')), refused, refused],
      wire: [],
    },
  });
}
