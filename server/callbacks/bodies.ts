// What the two callbacks say, field for field as interface.md "Events" has them; values as the rail told them.
import { z } from 'zod';
import { toMajor } from '../../shared/money.ts';
import type { Money } from './claim.ts';

/** Of money that was paid to a reference (interface.md "PPR payment callback"). */
export function viewPprCallback(money: Money) {
  const { details } = money;
  return {
    idTransacao: money.providerRef,
    numLogSistema: details['transactionNumber'] ?? null,
    idLogSistema: details['clearingPeriod'] ?? null,
    dataTransaccaoCliente: money.occurredAt.toISOString(),
    montantePago: toMajor(money.amountMinor, money.currency),
    tipoTerminal: details['terminalType'] ?? null,
    iIdentTerminal: details['terminalId'] ?? null,
    localidadeTerminal: details['terminalLocation'] ?? null,
    refPagamento: money.reference,
    // Ours, and the same as in the payment's `transactions`: money that the rail told of twice is told on once.
    Id: money.id,
    nib: details['nib'] ?? null,
    banco: details['bank'] ?? null,
  };
}

/** Of a scan of a QR code (interface.md "QR code payment callback"); refused scans are never told of. */
export function viewQrCallback(money: Money) {
  const { details } = money;
  return {
    creationDate: readTime(details['creationDate']) ?? money.occurredAt.toISOString(),
    updatedDate: readTime(details['updatedDate']) ?? money.occurredAt.toISOString(),
    id: money.providerRef,
    amount: toMajor(money.amountMinor, money.currency),
    clearingPeriod: details['clearingPeriod'] ?? null,
    transactionNumber: details['transactionNumber'] ?? null,
    status: 'ACCEPTED',
    transactionType: details['transactionType'] ?? null,
    orderOrigin: details['orderOrigin'] ?? null,
    currency: money.currency,
    merchantReferenceNumber: money.reference,
  };
}

const moment = z.iso.datetime({ offset: true });

/** The rail's words for a moment, as ISO 8601 in UTC; what is none is not guessed. */
function readTime(text: string | null | undefined): string | null {
  const read = moment.safeParse(text);
  return read.success ? new Date(read.data).toISOString() : null;
}

/** A callback's body by its type. */
export const CALLBACK_BODIES: Record<string, (money: Money) => object> = {
  'callback.ppr': viewPprCallback,
  'callback.qrcode': viewQrCallback,
};

/** Money that never was, for trying an endpoint: its ids say so. @param id of the delivery, so that each test is a new one */
export function sampleMoney(type: string, id: string, at: Date): Money {
  const common = { transactionNumber: '1', clearingPeriod: '1' };
  const details: Record<string, string> =
    type === 'callback.qrcode'
      ? { ...common, transactionType: 'TEST', orderOrigin: 'TEST' }
      : { ...common, terminalType: 'ATM', terminalId: '0000000001', terminalLocation: 'Luanda TESTE' };
  const what = { amountMinor: 150_000, currency: 'AOA', reference: type === 'callback.qrcode' ? 'TESTE' : '000000000' };
  return { id, providerRef: `test-${id}`, ...what, occurredAt: at, details };
}
