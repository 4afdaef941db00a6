// Billing: plans, the subscription, usage; a hold's week and the month go by, and the invoice is read as JSON and as a document.
import { certifyDocument } from '../../../server/billing/certify.ts';
import { creditInvoice } from '../../../server/billing/credit.ts';
import { endOf, monthOf } from '../../../shared/luanda.ts';
import { loseNextWord } from './payers.ts';
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
const nobody = '00000000-0000-4000-8000-000000000099';
const WEEK_MS = 7 * 86_400_000;

export async function walkBilling(tour: Tour): Promise<void> {
  const { call, app, made } = tour;
  const plans = await call('the plans', `GET ${PATH}/plans`);
  await call('the subscription', `GET ${PATH}/subscription`);
  await call('a subscription of another', `GET ${PATH}/subscription`, { token: await tour.strangerToken() });
  const body = { planId: plans.json.data[0].id };
  const headers = { 'idempotency-key': 'plan-1' };
  await call('a plan is chosen', `PUT ${PATH}/subscription`, { body, headers });
  await call('a plan is chosen by the same key', `PUT ${PATH}/subscription`, { body, headers });
  await call('a plan that is none', `PUT ${PATH}/subscription`, { body: { planId: nobody } });
  await call('the usage', `GET ${PATH}/usage`);
  await call('the usage of days', `GET ${PATH}/usage?from=2026-03-01&to=2026-03-02`);
  await call('the usage with faults', `GET ${PATH}/usage?from=x&to=2026-02-30`);
  await call('the invoices at first', `GET ${PATH}/invoices`);

  await loseNextWord(tour);
  await tour.leap(WEEK_MS);
  await call('a hold that was left', `GET /api/payments/${made['hold'].id}`);
  const now = app.clock.now();
  await tour.leap(endOf(monthOf(now)).getTime() - now.getTime() + 10_000);
  const { json } = await call('the invoices', `GET ${PATH}/invoices?pageSize=5`);
  const [{ id }] = json.data;
  await call('an invoice', `GET ${PATH}/invoices/${id}`);
  await call('an invoice as a document', `GET ${PATH}/invoices/${id}`, { headers: { accept: 'application/pdf' } });
  await call('another’s invoice', `GET ${PATH}/invoices/${id}`, { token: await tour.strangerToken() });
  await call('a credit note that is none', `GET ${PATH}/credit-notes/${nobody}`);
  const note = await creditInvoice(app.node.core, { invoiceId: id, asked: CREDIT, actor: OPERATOR });
  const noteId = 'note' in note ? note.note.id : nobody;
  await call('a credit note', `GET ${PATH}/credit-notes/${noteId}`);
  await call('a credit note as a document', `GET ${PATH}/credit-notes/${noteId}`, {
    headers: { accept: 'application/pdf' },
  });
  await certifyDocument(app.node.core, { documentId: id, asked: CERTIFICATION, actor: OPERATOR });
  await call('an invoice that is certified and corrected', `GET ${PATH}/invoices/${id}`);
  await call('the usage after', `GET ${PATH}/usage`);
  await call('the notifications at the end', 'GET /v1/notificacoes?pageSize=3');
}
