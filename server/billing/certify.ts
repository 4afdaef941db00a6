// Stores the certified document of an invoice or credit note. Another program issues it, and it never changes.
import { createHash } from 'node:crypto';
import { LockMode } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordAudit, type Actor } from '../audit/record.ts';
import { recordEvent } from '../events/record.ts';
import { fault, faultsOf } from '../http/validate.ts';
import { singleLine } from '../http/fields.ts';
import { invalidFields } from '../http/problem.ts';
import { numberOf, type DocumentKind, type Fiscal } from './documents.ts';
import { CertificationRequest, CreditNote, Invoice } from './entities.ts';

/** The largest certified PDF: a few pages with a logo. */
const MAX_FILE_BYTES = 5 * 1024 * 1024;

const certification = z.object({
  number: singleLine(60),
  series: singleLine(60),
  url: z
    .url({ protocol: /^https$/ })
    .max(2_048)
    .nullable(),
  hash: singleLine(512),
  /** The issue time of the certified document. Null means now, for a new document. */
  issuedAt: z.date().nullable(),
  file: z
    .instanceof(Buffer)
    .refine((bytes) => bytes.subarray(0, 5).toString('latin1') === '%PDF-', fault('invalid_format'))
    .refine((bytes) => bytes.length <= MAX_FILE_BYTES, fault('too_big', { maximum: MAX_FILE_BYTES })),
});

export type Certification = z.input<typeof certification>;

type Certifying = { documentId: string; input: Certification; actor: Actor };

/**
 * - `certified`: the invoice or credit note has this certified document, now or since an earlier call.
 * - `different`: the invoice or credit note has another certified document, which stays.
 * - `taken`: another certified document has this number in the series.
 * - `unknown`: no such invoice or credit note exists.
 */
export type Certified =
  { result: 'new' | 'certified' | 'different'; number: string; fiscal: Fiscal } | { result: 'taken' | 'unknown' };

/** Stores the certified document of an invoice or credit note. @throws Problem validation_failed with every fault */
export async function certifyDocument(core: Core, { documentId, input, actor }: Certifying): Promise<Certified> {
  const { data, error } = certification.safeParse(input);
  if (error) throw invalidFields(faultsOf(error, input));
  return inTransaction(core, async (db) => {
    const document = await lockDocument(db, documentId);
    if (!document) return { result: 'unknown' };
    const number = numberOf(document, document.kind);
    const at = core.clock.now();
    const fileHash = createHash('sha256').update(data.file).digest('hex');
    const known = await findKnown.first(db, { id: documentId });
    if (known) {
      const reported = { ...data, fileHash, issuedAt: data.issuedAt ?? known.issuedAt };
      return { result: isSame(known, reported) ? 'certified' : 'different', number, fiscal: known };
    }
    const fiscal = { ...data, issuedAt: data.issuedAt ?? at };
    const row = { ...fiscal, id: documentId, fileHash, createdAt: at };
    // The lock excludes a concurrent certification, so the conflict can only be the number in the series.
    if ((await insertFiscal.run(db, { row })) === 0) return { result: 'taken' };
    await em(db).nativeUpdate(CertificationRequest, { id: documentId }, { dueAt: null });
    const { merchantId, invoiceId, kind } = document;
    const creditNoteId = kind === 'credit_note' ? documentId : null;
    const details = { invoiceId, creditNoteId, number, fiscalSeries: data.series, fiscalNumber: data.number };
    const event = { merchantId, paymentId: null, status: null, occurredAt: at };
    await recordEvent(db, { ...event, type: 'invoice.certified', details });
    const changes = { number, series: data.series, fiscalNumber: data.number, hash: data.hash, fileHash };
    await recordAudit(db, { merchantId, actor, action: 'invoice.certified', target: documentId, changes, at });
    return { result: 'new', number, fiscal };
  });
}

type Known = Fiscal & { fileHash: string };

function isSame(known: Known, reported: Known): boolean {
  const fields = ['number', 'series', 'hash', 'fileHash'] as const;
  const isUrlSame = (known.url ?? null) === (reported.url ?? null);
  return fields.every((name) => known[name] === reported[name]) && isUrlSame && +known.issuedAt === +reported.issuedAt;
}

type Locked = { merchantId: string; invoiceId: string; year: number; serial: number; kind: DocumentKind };

/** Locks the invoice or credit note, so that no other transaction certifies it. */
async function lockDocument(db: Db, id: string): Promise<Locked | null> {
  const locked = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
  const invoice = await em(db).findOne(Invoice, { id }, locked);
  if (invoice) return { ...invoice, invoiceId: id, kind: 'invoice' };
  const note = await em(db).findOne(CreditNote, { id }, locked);
  return note && { ...note, kind: 'credit_note' };
}

const findKnown = prepared((tables, { id }: { id: string }) =>
  tables
    .selectFrom('fiscal_documents')
    .select(['number', 'series', 'url', 'hash', 'issuedAt', 'fileHash'])
    .where('id', '=', id),
);

type NewFiscal = Known & { id: string; file: Buffer; createdAt: Date };

const insertFiscal = prepared((tables, { row }: { row: NewFiscal }) =>
  tables
    .insertInto('fiscal_documents')
    .values(row)
    .onConflict((taken) => taken.columns(['series', 'number']).doNothing()),
);

/** Returns the certified PDF of a document. Null without a certified PDF. */
export const findFile = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('fiscal_documents').select(['series', 'number', 'file']).where('id', '=', id),
);
