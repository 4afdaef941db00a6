// The data of receipts for tests.
import type { ReceiptData, ReceiptPayment, ReceiptRefund } from '../../shared/receipt.ts';

type Transaction = ReceiptPayment['transactions'][number];

export const transaction = (more: Partial<Transaction> = {}): Transaction => ({
  id: '00000000-0000-4000-8000-000000000001',
  amount: 1500,
  currency: 'AOA',
  occurredAt: '2026-11-29T13:03:20.000Z',
  transactionNumber: '000123',
  ...more,
});

export const refundOf = (more: Partial<ReceiptRefund> = {}): ReceiptRefund => ({
  transactionId: transaction().id,
  amount: 500,
  currency: 'AOA',
  status: 'Succeeded',
  transactionNumber: '000777',
  refundedOn: null,
  createdAt: '2026-11-29T14:00:00.000Z',
  completedAt: '2026-11-29T14:10:00.000Z',
  ...more,
});

/** A payment of 1 500 Kz by push, paid at 14:03 in Luanda. */
export const receiptData = (
  payment: Partial<ReceiptPayment> = {},
  { refunds = [], ...more }: Partial<ReceiptData> = {},
): ReceiptData => ({
  payment: {
    reference: 'PEDIDO-1',
    description: '2 × Café',
    entity: null,
    paymentMethod: 'onetimepurchase',
    status: 'Paid',
    amount: 1500,
    currency: 'AOA',
    maxTransactions: null,
    referenceType: null,
    transactions: [transaction()],
    ...payment,
  },
  refunds,
  shop: { name: 'Loja da Ilha', taxId: '5417000000' },
  servedBy: 'Ana Paulo',
  ...more,
});
