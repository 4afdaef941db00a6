// Lists and shows invoices and credit notes, as JSON and PDF. A certified PDF replaces the gateway's own.
import type { Context } from 'koa';
import type { Core } from '../core.ts';
import { em } from '../database/db.ts';
import { inSnapshot } from '../database/orm.ts';
import { pageOf, viewPage } from '../http/fields.ts';
import { Problem, type Answer } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { findFile } from './certify.ts';
import {
  byCreditNote,
  byInvoice,
  creditNote,
  findDocumentExtras,
  invoiceDetails,
  listedInvoice,
  listQuery,
  numberOf,
  viewCreditNote,
  viewInvoice,
  viewInvoiceDetails,
} from './documents.ts';
import { CreditNote, Invoice } from './entities.ts';
import type { DocumentSheet } from './pdf.ts';

const about = {
  method: 'GET',
  tag: 'Billing',
  access: { kind: 'bearer', scope: 'billing:read' },
  bucket: 'read',
} as const;

export function invoiceRoutes(core: Core): Route[] {
  return [declareList(core), declareRead(core), declareCreditNote(core)];
}

function declareList(core: Core): Route {
  return route({
    ...about,
    path: '/api/billing/invoices',
    operationId: 'listInvoices',
    summary: 'List invoices, newest first',
    description:
      'One per calendar month in Luanda since the subscription, issued after the end of the month. The next invoice ' +
      'has payments that were recorded late. Each payment is on exactly one invoice. Before its certification ' +
      '(`fiscal`) the document is a statement of account without fiscal value.',
    query: listQuery,
    answers: { 200: { description: 'A page', schema: viewPage.schema(listedInvoice) } },
    run: ({ caller, query }) =>
      inSnapshot(core, async (db) => {
        const { merchantId } = caller;
        const newest = { orderBy: { year: 'desc', serial: 'desc' }, ...pageOf(query) } as const;
        const page = await em(db).find(Invoice, { merchantId }, newest);
        const total = await em(db).count(Invoice, { merchantId });
        const standing = await findDocumentExtras(
          db,
          page.map(({ id }) => id),
        );
        const shown = page.map((invoice) => viewInvoice(invoice, standing));
        return { status: 200, body: viewPage(shown, query, total) };
      }),
  });
}

const PDF =
  '`Accept: application/pdf`: the certified document, until there is one a sheet that says it has no fiscal value.';

function declareRead(core: Core): Route {
  return route({
    ...about,
    path: '/api/billing/invoices/{invoiceId}',
    operationId: 'readInvoice',
    summary: 'Read one invoice',
    description: `JSON with its lines and its credit notes. Only these notes and \`fiscal\` can change. ${PDF}`,
    params: byInvoice,
    answers: { 200: { description: 'The invoice', schema: invoiceDetails, also: ['application/pdf'] } },
    async run({ caller: { merchantId }, params: { invoiceId: id }, ctx }) {
      const invoice = await em(core).findOne(Invoice, { id, merchantId });
      if (!invoice) throw new Problem('not_found');
      if (wantsPdf(ctx)) return answerPdf(core, (pdf) => pdf.sheetOfInvoice(invoice));
      return { status: 200, body: viewInvoiceDetails(invoice, await findDocumentExtras(core, [id])) };
    },
  });
}

function declareCreditNote(core: Core): Route {
  return route({
    ...about,
    path: '/api/billing/credit-notes/{creditNoteId}',
    operationId: 'readCreditNote',
    summary: 'Read one credit note',
    description: `The correction of an invoice. Only \`fiscal\` can change. ${PDF}`,
    params: byCreditNote,
    answers: { 200: { description: 'The credit note', schema: creditNote, also: ['application/pdf'] } },
    async run({ caller: { merchantId }, params: { creditNoteId: id }, ctx }) {
      const note = await em(core).findOne(CreditNote, { id, merchantId });
      if (!note) throw new Problem('not_found');
      const invoice = await em(core).findOneOrFail(Invoice, { id: note.invoiceId });
      if (wantsPdf(ctx)) return answerPdf(core, (pdf) => pdf.sheetOfNote(note, numberOf(invoice)));
      return { status: 200, body: viewCreditNote(note, await findDocumentExtras(core, [note.invoiceId])) };
    },
  });
}

function wantsPdf(ctx: Context): boolean {
  ctx.vary('Accept');
  return ctx.accepts('application/json', 'application/pdf') === 'application/pdf';
}

async function answerPdf(core: Core, write: (pdf: typeof import('./pdf.ts')) => DocumentSheet): Promise<Answer> {
  // The PDF library is loaded at its first use, because it takes 17 MiB and a tenth of a start.
  const pdf = await import('./pdf.ts');
  const sheet = write(pdf);
  const certified = await findFile.first(core, { id: sheet.id });
  const name = certified ? `${certified.series}-${certified.number}` : sheet.number;
  return {
    status: 200,
    type: 'application/pdf',
    headers: { 'Content-Disposition': `inline; filename="${name.replace(/\W+/g, '-')}.pdf"` },
    body: certified ? certified.file : await pdf.drawDocument(sheet, core.config.isSandbox),
  };
}
