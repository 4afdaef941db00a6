// balcao invoice: what merchants owe the operator, the newest first.
import { toDecimal } from '../../shared/money.ts';
import { Invoice } from '../billing/entities.ts';
import { numberOf } from '../billing/invoice.ts';
import { viewInvoice } from '../billing/view.ts';
import { em } from '../database/db.ts';
import type { Desk, Group } from './action.ts';
import { textOf, type Output } from './command.ts';
import { findMerchantOf, readCount } from './given.ts';
import { drawTable } from './table.ts';

export const invoice: Group = {
  list: {
    about: 'invoices, of everybody or of one merchant',
    takes: ['merchantId?'],
    options: { limit: { type: 'string', value: 'count', default: '50', about: 'the newest of them' } },
    run: showInvoices,
  },
};

async function showInvoices({ core, call, given }: Desk): Promise<Output> {
  const limit = readCount(textOf(call, 'limit'), '--limit', { least: 1, most: 10_000 });
  const wanted = given[0] === undefined ? {} : { merchantId: (await findMerchantOf(core, given[0])).id };
  const newest = { issuedAt: 'desc', year: 'desc', serial: 'desc' } as const;
  const found = await em(core).find(Invoice, wanted, { orderBy: newest, limit });
  const rows = found.map((invoice) => [
    numberOf(invoice),
    invoice.month,
    invoice.merchantName,
    `${toDecimal(invoice.totalMinor, invoice.currency)} ${invoice.currency}`,
    invoice.issuedAt,
  ]);
  const text = drawTable(['number', 'month', 'merchant', 'total', 'issued'], rows, 'There are none.');
  const json = found.map((invoice) => {
    const { merchantId, merchantName } = invoice;
    return { ...viewInvoice(invoice), merchantId, merchantName };
  });
  return { text, json };
}
