// Billing: plans, the subscription and usage; after the month's end the invoice and a credit note, as JSON and PDF.
import { certifyDocument } from '../../../server/billing/certify.ts';
import { creditInvoice } from '../../../server/billing/credit.ts';
import { endOf, monthOf } from '../../../shared/luanda.ts';
import { dropNextNotification } from './payers.ts';
import type { Tour } from './recorder.ts';

const OPERATOR = { kind: 'operator', id: 'ana', address: null } as const;
const CREDIT = { amount: '100.00', reason: 'Cobrado duas vezes' };
const CERTIFICATION = {
  number: '42',
  series: 'FT LOJA2026',
  url: null,
  hash: 'aB3x',
  issuedAt: null,
  file: Buffer.from('%PDF-1.4 certified'),
};

const PATH = '/api/billing';
const UNKNOWN = '00000000-0000-4000-8000-000000000099';
const WEEK_MS = 7 * 86_400_000;

export async function walkBilling(tour: Tour): Promise<void> {
  const { call, app } = tour;
  const plans = await call(`GET ${PATH}/plans`, 200);
  await call(`GET ${PATH}/subscription`, 200);
  await call(`GET ${PATH}/subscription`, 404, { token: await tour.strangerToken() });
  const body = { planId: plans.json.data[0].id };
  await call(`PUT ${PATH}/subscription`, 200, { body });
  await call(`PUT ${PATH}/subscription`, 400, { body: { planId: UNKNOWN } });
  await call(`GET ${PATH}/usage`, 200);
  await call(`GET ${PATH}/usage?from=x&to=2026-02-30`, 400);

  await dropNextNotification(tour);
  await tour.leap(WEEK_MS);
  const now = app.clock.now();
  await tour.leap(endOf(monthOf(now)).getTime() - now.getTime() + 10_000);
  const { json } = await call(`GET ${PATH}/invoices?pageSize=5`, 200);
  const [{ id }] = json.data;
  await call(`GET ${PATH}/invoices/${id}`, 200);
  await call(`GET ${PATH}/invoices/${id}`, 200, { accept: 'application/pdf' });
  await call(`GET ${PATH}/invoices/${id}`, 404, { token: await tour.strangerToken() });
  await call(`GET ${PATH}/credit-notes/${UNKNOWN}`, 404);
  const note = await creditInvoice(app.node.core, { invoiceId: id, input: CREDIT, actor: OPERATOR });
  const noteId = 'note' in note ? note.note.id : UNKNOWN;
  await call(`GET ${PATH}/credit-notes/${noteId}`, 200);
  await call(`GET ${PATH}/credit-notes/${noteId}`, 200, { accept: 'application/pdf' });
  await certifyDocument(app.node.core, { documentId: id, input: CERTIFICATION, actor: OPERATOR });
  await call(`GET ${PATH}/invoices/${id}`, 200);
}
