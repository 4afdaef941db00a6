// The orders that the cases of payments send: 1500.00 AOA each, with changes.
import { randomUUID } from 'node:crypto';
import type { PushOrder, QrOrder, ReferenceOrder, RefundOrder } from '../../server/providers/provider.ts';

const ORDER = {
  gpoMerchantId: '1',
  gpoPosId: '1',
  // No host listens there. The fake lists the notifications that it sent in vain.
  notifyUrl: 'http://127.0.0.1:1/rails/n-1/notifications',
  reference: 'FT 1',
  amountMinor: 1500_00,
  currency: 'AOA',
} as const;

export function makePush(changes: Partial<PushOrder> = {}): PushOrder {
  const push = { kind: 'purchase', wallet: null, phone: '+244923456789', description: null } as const;
  return { ...ORDER, ...push, attemptId: randomUUID(), ...changes };
}

/** A code for one payment. */
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

/** The whole of a payment. */
export function makeRefund(providerRef: string, changes: Partial<RefundOrder> = {}): RefundOrder {
  const { amountMinor, currency, notifyUrl, gpoMerchantId } = ORDER;
  const charge = { kind: 'purchase', id: 'a', railOrderId: providerRef, providerRef, amountMinor } as const;
  const money = { charge, amountMinor, currency };
  return { ...money, attemptId: randomUUID(), gpoMerchantId, description: null, notifyUrl, ...changes };
}
