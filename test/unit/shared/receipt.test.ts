import { describe, expect, test } from 'vitest';
import { LANGUAGES } from '../../../shared/language.ts';
import { describeReceipt, hasReceipt, writeReceipt, writeReceiptSms } from '../../../shared/receipt.ts';
import { measureText } from '../../../shared/sms-parts.ts';
import { receiptData, refundOf, transaction } from '../../support/receipts.ts';

const OTHER = '00000000-0000-4000-8000-000000000002';
const textOf = (data = receiptData()) => writeReceipt(describeReceipt('pt', data)).replaceAll('\u00a0', ' ');
const second = transaction({ id: OTHER, occurredAt: '2026-11-29T13:09:00.000Z', transactionNumber: '000124' });

describe('writeReceipt', () => {
  test('lists the money, the method, the time in Luanda, the number, the cashier and the description', () => {
    expect(textOf().split('\n')).toEqual([
      'Comprovativo de pagamento',
      'Loja da Ilha',
      'NIF: 5417000000',
      'Pago: 1 500,00 Kz',
      'Forma de pagamento: Multicaixa Express',
      'Referência: PEDIDO-1',
      'Data (hora de Luanda): 29/11/2026 14:03',
      'N.º da transacção: 000123',
      'Atendido por: Ana Paulo',
      'Descrição: 2 × Café',
      'Este comprovativo não é uma factura.',
    ]);
  });

  test('omits the NIF, the number, the cashier and the description that it does not have', () => {
    const text = textOf(
      receiptData(
        { description: null, transactions: [transaction({ transactionNumber: null })] },
        { shop: { name: 'Loja da Ilha', taxId: null }, servedBy: null },
      ),
    );
    expect(text).not.toMatch(/NIF|N\.º|Atendido|Descrição|null/);
  });

  test('has the entity and the grouped digits of a payment by reference', () => {
    const text = textOf(receiptData({ paymentMethod: 'reference', entity: '00348', reference: '974610647' }));
    expect(text).toContain('Forma de pagamento: Referência\nEntidade: 00348\nReferência: 974 610 647');
  });

  test('names a QR code as the method', () => {
    expect(textOf(receiptData({ paymentMethod: 'qrcode', maxTransactions: 1 }))).toContain(
      'Forma de pagamento: Código QR',
    );
  });

  test('lists both transactions and the requested amount of a payment that was paid twice', () => {
    const text = textOf(receiptData({ transactions: [transaction(), second] }));
    expect(text).toContain('Pago: 3 000,00 Kz\nMontante pedido: 1 500,00 Kz');
    expect(text).toContain('1.º pagamento: 1 500,00 Kz, 29/11/2026 14:03, N.º da transacção 000123');
    expect(text).toContain('2.º pagamento: 1 500,00 Kz, 29/11/2026 14:09, N.º da transacção 000124');
  });

  test('says Recebido for money that does not pay the whole amount', () => {
    const text = textOf(receiptData({ status: 'Processing', transactions: [transaction({ amount: 1000 })] }));
    expect(text).toContain('Recebido: 1 000,00 Kz\nMontante pedido: 1 500,00 Kz');
    expect(text).not.toContain('Pago');
  });

  test('says Devolvido em parte, and lists each successful refund', () => {
    const refunds = [
      refundOf({
        amount: 200,
        completedAt: '2026-11-29T15:00:00.000Z',
        transactionNumber: null,
        refundedOn: '2026-11-28',
      }),
      refundOf({ amount: 300 }),
      refundOf({ amount: 400, status: 'Processing' }),
      refundOf({ amount: 600, status: 'Failed' }),
    ];
    const text = textOf(receiptData({}, { refunds }));
    expect(text).toContain('Pago: 1 500,00 Kz\nDevolvido em parte: 500,00 Kz');
    expect(text).toContain('1.ª devolução: 300,00 Kz, 29/11/2026 15:10, N.º da transacção 000777');
    expect(text).toContain('2.ª devolução: 200,00 Kz, 28/11/2026');
    expect(text).not.toMatch(/400,00|600,00/);
  });

  test('says Devolvido after a refund of the whole amount', () => {
    const text = textOf(receiptData({}, { refunds: [refundOf({ amount: 1500 })] }));
    expect(text).toContain('Pago: 1 500,00 Kz\nDevolvido: 1 500,00 Kz');
    expect(text).toContain('Devolução: 1 500,00 Kz');
  });

  test('has only the chosen transaction of a payment that several customers pay', () => {
    const payment = { maxTransactions: 5, status: 'Pending', transactions: [transaction(), second] };
    const refunds = [refundOf({ transactionId: OTHER })];
    const text = textOf(receiptData(payment, { refunds, transactionId: OTHER }));
    expect(text).toContain('Pago: 1 500,00 Kz\nDevolvido em parte: 500,00 Kz');
    expect(text).toContain('N.º da transacção: 000124');
    expect(text).not.toContain('000123');
  });

  test('has a sum for each currency', () => {
    const dollars = transaction({ id: OTHER, amount: 10, currency: 'USD' });
    expect(textOf(receiptData({ transactions: [transaction(), dollars] }))).toContain(
      'Pago: 1 500,00 Kz + 10,00 USD\n',
    );
  });
});

describe('writeReceiptSms', () => {
  test('has the shop, the NIF, the amount, the time, the number and the reference', () => {
    const data = receiptData({}, { refunds: [refundOf({ amount: 500 })] });
    expect(writeReceiptSms('pt', data)).toBe(
      'Loja da Ilha, NIF 5417000000. Pago 1 500,00 Kz, 29/11/2026 14:03, Multicaixa Express. ' +
        'Devolvido em parte 500,00 Kz. N. 000123. Ref. PEDIDO-1.',
    );
  });

  test('has the number of payments and the time of the last one', () => {
    expect(writeReceiptSms('pt', receiptData({ transactions: [transaction(), second] }))).toContain(
      'Pago 3 000,00 Kz, 2 pagamentos, 29/11/2026 14:09',
    );
  });

  test.each(LANGUAGES)('has at most two parts of GSM-7 in %s with the longest texts', (language) => {
    const data = receiptData(
      {
        reference: 'PEDIDO/'.repeat(40),
        paymentMethod: 'qrcode',
        transactions: [transaction({ amount: 9_999_999.99, transactionNumber: '9'.repeat(40) })],
      },
      {
        shop: { name: 'Padaria São João da Conceição e Irmãos 😀 [Luanda]'.repeat(3), taxId: '5417000000' },
        refunds: [refundOf({ amount: 9_999_999.98 })],
      },
    );
    const { parts, encoding } = measureText(writeReceiptSms(language, data));
    expect(encoding).toBe('GSM-7');
    expect(parts).toBeLessThanOrEqual(2);
    expect(writeReceiptSms(language, data)).toContain('Padaria Sao Joao da Conceicao');
  });

  test('has no link in the name of the shop', () => {
    const data = receiptData({}, { shop: { name: 'loja.ao/x', taxId: null } });
    expect(writeReceiptSms('pt', data)).toMatch(/^loja ao x\. /);
  });
});

test('a payment without a transaction has no receipt', () => {
  expect(hasReceipt({ transactions: [] })).toBe(false);
});
