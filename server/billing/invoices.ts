// Invoices: listed, shown, as JSON and PDF.
import type { Core } from '../core.ts';
import { em } from '../database/db.ts';
import { inReading } from '../database/replica.ts';
import { pageOf, viewPage } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { Invoice } from './entities.ts';
import { drawInvoice } from './pdf.ts';
import { byInvoice, invoiceDetails, listedInvoice, listQuery, viewInvoice, viewInvoiceDetails } from './schemas.ts';
import { numberOf } from './schemas.ts';

const about = {
  method: 'GET',
  tag: 'Billing',
  access: { kind: 'bearer', scope: 'billing:read' },
  bucket: 'read',
} as const;

export function invoiceRoutes(core: Core): Route[] {
  return [declareList(core), declareRead(core)];
}

function declareList(core: Core): Route {
  return route({
    ...about,
    path: '/api/billing/invoices',
    operationId: 'listInvoices',
    summary: 'List invoices, newest first',
    description:
      'One for each calendar month in Luanda since the subscription, issued when the month is over. Payments recorded late are on the next invoice; each is on exactly one.',
    query: listQuery,
    answers: { 200: { description: 'A page', schema: viewPage.schema(listedInvoice) } },
    run: ({ caller, query }) =>
      inReading(core, async (db) => {
        const { merchantId } = caller;
        const newest = { orderBy: { year: 'desc', serial: 'desc' }, ...pageOf(query) } as const;
        const page = await em(db).find(Invoice, { merchantId }, newest);
        const total = await em(db).count(Invoice, { merchantId });
        return { status: 200, body: viewPage(page.map(viewInvoice), query, total) };
      }),
  });
}

function declareRead(core: Core): Route {
  return route({
    ...about,
    path: '/api/billing/invoices/{invoiceId}',
    operationId: 'readInvoice',
    summary: 'Read one invoice',
    description: 'JSON with its lines, or a PDF of one page by `Accept: application/pdf`. It never changes.',
    params: byInvoice,
    answers: { 200: { description: 'The invoice', schema: invoiceDetails, also: ['application/pdf'] } },
    async run({ caller, params, ctx }) {
      const invoice = await em(core).findOne(Invoice, { id: params.invoiceId, merchantId: caller.merchantId });
      if (!invoice) throw new Problem('not_found');
      ctx.vary('Accept');
      if (ctx.accepts('application/json', 'application/pdf') !== 'application/pdf')
        return { status: 200, body: viewInvoiceDetails(invoice) };
      const name = numberOf(invoice).replace(/\W/g, '-');
      return {
        status: 200,
        type: 'application/pdf',
        headers: { 'Content-Disposition': `inline; filename="${name}.pdf"` },
        body: await drawInvoice(invoice, core.config.isSandbox),
      };
    },
  });
}
