// Sends each invoice and credit note to the operator's certified program by a signed webhook.
// The gateway repeats the webhook until the program confirms it.
import { sql } from 'kysely';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { dueQueue, type Claim, type DueQueue } from '../jobs/due.ts';
import { signWebhook } from '../webhooks/message.ts';
import { LEASE_MS, nextTryAt } from '../webhooks/schedule.ts';
import { sendMessage, type Result } from '../webhooks/send.ts';
import { findDocumentExtras, viewCreditNote, viewInvoiceDetails } from './documents.ts';
import { CertificationRequest, CreditNote, Invoice } from './entities.ts';

/** The event type of the webhook to the certified program. Webhooks of merchants never receive it. */
const TYPE = 'invoice.to_certify';

/**
 * Requests the certification of a document after the commit of `db`. Does nothing without a certified program.
 * A second request for the same document starts the webhook attempts again.
 */
export async function requestCertification({ config, clock, jobs }: Core, db: Db, id: string): Promise<void> {
  if (!config.BILLING_CERTIFIER_URL) return;
  await upsertRequest.run(db, { id, at: clock.now() });
  db.afterCommit?.(() => jobs.wake(TABLE));
}

const TABLE = 'certification_requests';

const upsertRequest = prepared((tables, { id, at }: { id: string; at: Date }) =>
  tables
    .insertInto('certification_requests')
    .values({ id, askedAt: at, dueAt: at })
    .onConflict((known) =>
      known.column('id').doUpdateSet({ askedAt: at, dueAt: at, tries: 0, fault: null, toldAt: null }),
    ),
);

/** The queue of documents to send to the certified program. */
export function handoverQueue(core: Core): DueQueue {
  const run = (claim: Claim) => handOver(core, claim);
  return dueQueue(core, { table: TABLE, leaseMs: LEASE_MS, concurrency: 2, run });
}

async function handOver(core: Core, claim: Claim): Promise<void> {
  const { BILLING_CERTIFIER_URL: url, BILLING_CERTIFIER_SECRET: secret } = core.config;
  const claimed = { id: claim.id, dueCount: claim.dueCount };
  // Changes no row if another node has claimed the document, or if its certification was requested again.
  const settle = (set: Partial<CertificationRequest>) => em(core).nativeUpdate(CertificationRequest, claimed, set);
  const request = await em(core).findOne(CertificationRequest, { ...claimed, toldAt: null });
  const data = url && secret && request ? await describeDocument(core, claim.id) : null;
  // The settings no longer name a certified program, or the document is already certified.
  if (!url || !secret || !request || !data || data.fiscal) return void (await settle({ dueAt: null }));
  const body = JSON.stringify({ id: claim.id, type: TYPE, occurredAt: data.issuedAt, data });
  const proof = signWebhook({ id: claim.id, timestamp: core.clock.outside(), body, secrets: [secret] });
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)), ...proof };
  // The operator chose the program's URL, so it may be in a private network.
  const result = await sendMessage(core.clock, { aim: () => ({ url }) }, 'webhook', { url, headers, body });
  const now = core.clock.now();
  if (result.outcome === 'delivered') {
    // The program's confirmation counts even if this node has lost its claim.
    await em(core).nativeUpdate(CertificationRequest, { id: claim.id }, { toldAt: now, fault: null, dueAt: null });
    return;
  }
  const tries = request.tries + 1;
  const { retryAfterMs } = result;
  const dueAt = result.status === 410 ? null : nextTryAt({ tries, since: request.askedAt, now, retryAfterMs });
  const fault = describeFault(result);
  if (!dueAt)
    core.log.error({ documentId: claim.id, fault }, 'certified program did not confirm a document; giving up');
  await settle({ tries, fault, dueAt });
}

const describeFault = ({ status, error, outcome }: Result) => (status === null ? (error ?? outcome) : `HTTP ${status}`);

/** Returns a document with all data for its certification. Null if no such document exists. */
async function describeDocument(db: Db, id: string) {
  const invoice = await em(db).findOne(Invoice, { id });
  if (invoice) {
    const standing = await findDocumentExtras(db, [id]);
    return { kind: 'invoice', merchantId: invoice.merchantId, ...viewInvoiceDetails(invoice, standing) };
  }
  const note = await em(db).findOne(CreditNote, { id });
  if (!note) return null;
  const standing = await findDocumentExtras(db, [note.invoiceId]);
  const corrected = standing.fiscal.get(note.invoiceId) ?? null;
  const about = { kind: 'credit_note', merchantId: note.merchantId, invoiceFiscal: corrected };
  return { ...about, ...viewCreditNote(note, standing) };
}

/** Finds documents that are not certified: the named document, or all. */
export const findUncertified = prepared((tables, { documentId }: { documentId: string | null }) => {
  const ids = tables.selectFrom('invoices').select('id').unionAll(tables.selectFrom('credit_notes').select('id'));
  return tables
    .selectFrom(ids.as('d'))
    .leftJoin('fiscal_documents as f', 'f.id', 'd.id')
    .select('d.id')
    .where('f.id', 'is', null)
    .where(sql<boolean>`(${documentId}::uuid is null or d.id = ${documentId}::uuid)`);
});
