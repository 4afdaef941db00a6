// Credit notes. A credit note refunds a part of an invoice and leaves the invoice unchanged.
import { LockMode } from '@mikro-orm/postgresql';
import { v7 as uuid } from 'uuid';
import { z } from 'zod';
import { addMinor, shareMinor, toMajor, toReceivedMinor } from '../../shared/money.ts';
import type { Core } from '../core.ts';
import { em, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordAudit, type Actor } from '../audit/record.ts';
import { recordEvent } from '../events/record.ts';
import { faultsOf } from '../http/validate.ts';
import { singleLine } from '../http/fields.ts';
import { invalidFields } from '../http/problem.ts';
import { numberOf } from './documents.ts';
import { CreditNote, Invoice } from './entities.ts';
import { requestCertification } from './handover.ts';
import { takeNumber } from './numbers.ts';

const request = z.object({
  /** The amount of the credit note as decimal text in major units, without tax. `all` means the rest of the invoice. */
  amount: z.string(),
  reason: singleLine(200),
});

type Crediting = { invoiceId: string; input: z.input<typeof request>; actor: Actor };

/**
 * - `credited`: a note with this reason and amount exists, now or since an earlier call.
 * - `different`: a note with this reason has another amount.
 * - `too_much`: only `leftMinor` of the invoice's subtotal is left.
 * - `unknown`: no such invoice exists.
 */
export type Credited =
  | { result: 'new' | 'credited' | 'different'; note: CreditNote }
  | { result: 'too_much'; leftMinor: number; currency: string }
  | { result: 'unknown' };

/** Creates a credit note. All notes of an invoice together never exceed it. @throws Problem validation_failed */
export async function creditInvoice(core: Core, { invoiceId, input, actor }: Crediting): Promise<Credited> {
  const { data, error } = request.safeParse(input);
  if (error) throw invalidFields(faultsOf(error, input));
  return inTransaction(core, async (db) => {
    // The lock keeps the rest of the invoice unchanged until the transaction ends.
    const invoice = await em(db).findOne(Invoice, { id: invoiceId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!invoice) return { result: 'unknown' };
    const notes = await em(db).find(CreditNote, { invoiceId });
    const before = {
      subtotalMinor: addMinor(...notes.map(({ subtotalMinor }) => subtotalMinor)),
      taxMinor: addMinor(...notes.map(({ taxMinor }) => taxMinor)),
    };
    const leftMinor = addMinor(invoice.subtotalMinor, -before.subtotalMinor);
    const known = notes.find(({ reason }) => reason === data.reason);
    const netMinor = data.amount === 'all' ? (known?.subtotalMinor ?? leftMinor) : readNet(data.amount, invoice);
    if (known) return { result: known.subtotalMinor === netMinor ? 'credited' : 'different', note: known };
    if (netMinor > leftMinor || leftMinor === 0) return { result: 'too_much', leftMinor, currency: invoice.currency };
    const sums = sumNote(invoice, before, netMinor);
    return { result: 'new', note: await insertNote(core, db, { invoice, reason: data.reason, sums, actor }) };
  });
}

/** Reads the amount of a credit note without tax. @throws Problem validation_failed */
function readNet(amount: string, { currency }: Invoice): number {
  const read = toReceivedMinor(amount, currency);
  if ('minor' in read && read.minor > 0) return read.minor;
  const params = { minimum: String(toMajor(1, currency)), currency, digits: 2 };
  throw invalidFields([{ pointer: '/amount', code: 'fault' in read ? read.fault : 'amount_out_of_range', params }]);
}

type Sums = Pick<CreditNote, 'subtotalMinor' | 'taxMinor' | 'totalMinor'>;

/**
 * Computes the sums of a credit note. Its tax is the rounded tax of all notes, minus the tax of the earlier notes.
 * If notes credit a whole invoice, in any number of parts, their tax is therefore exactly the invoice's tax.
 */
export function sumNote({ taxBps }: Pick<Invoice, 'taxBps'>, before: Omit<Sums, 'totalMinor'>, netMinor: number): Sums {
  const taxOfAll = shareMinor(addMinor(before.subtotalMinor, netMinor), taxBps);
  const taxMinor = addMinor(taxOfAll, -before.taxMinor);
  return { subtotalMinor: netMinor, taxMinor, totalMinor: addMinor(netMinor, taxMinor) };
}

type NewNote = { invoice: Invoice; reason: string; sums: Sums; actor: Actor };

async function insertNote(core: Core, db: Db, { invoice, reason, sums, actor }: NewNote): Promise<CreditNote> {
  const { id: invoiceId, merchantId, merchantName, merchantTaxId = null, currency, taxBps } = invoice;
  const { BILLING_ISSUER: issuerName, BILLING_TAX_ID: issuerTaxId, BILLING_ADDRESS: issuerAddress } = core.config;
  const id = uuid();
  const numbered = await takeNumber(core, db, 'credit_notes');
  const of = { merchantId, invoiceId, merchantName, merchantTaxId, currency, taxBps };
  const row = { id, ...numbered, ...of, reason, issuerName, issuerTaxId, issuerAddress, ...sums };
  await em(db).insert(CreditNote, row);
  await requestCertification(core, db, id);
  const at = numbered.issuedAt;
  const [number, total] = [numberOf(numbered, 'credit_note'), toMajor(sums.totalMinor, currency)];
  const details = { invoiceId, creditNoteId: id, number, total, currency };
  const event = { merchantId, paymentId: null, status: null, occurredAt: at };
  await recordEvent(db, { ...event, type: 'invoice.credited', details });
  const changes = { invoice: numberOf(invoice), number, reason, total, currency };
  await recordAudit(db, { merchantId, actor, action: 'invoice.credited', target: id, changes, at });
  return row;
}
