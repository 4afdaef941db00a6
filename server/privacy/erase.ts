// Erases one person from the rows that an erasure found. Amounts, references and times stay. Rows in use are left.
import { sql } from 'kysely';
import { isFinal, PAYMENT_STATUSES } from '../../shared/status.ts';
import { isAny, prepared } from '../database/db.ts';
import type { RowInUse } from './entities.ts';
import { SMS_ERASERS } from './erase-sms.ts';
import { forgetPayments } from './forget.ts';
import { maskAnswer, maskMessage } from './mask.ts';
import { findParts, readRows, withRelated, type Row } from './reach.ts';
import { PARTS, type Scope, type Walk } from './walks.ts';
import { changeRows, redactRows, type Erased, type Erasing, type ErasingCore, type EraseRows } from './redact.ts';
import { normalizeEmail } from '../../shared/email.ts';
import { normalizePhone } from '../../shared/phone.ts';
import { patternOf, type Persona, type Subject } from './subject.ts';

type Found = { walk: Walk; scope: Scope; keys: string[][]; payments: readonly string[] };

/** Erases the person from these rows of a table. `core` has the step's transaction. */
export async function eraseRows(core: ErasingCore, { walk, scope, keys, payments }: Found): Promise<Erased> {
  if (keys.length === 0) return { counts: {}, left: [] };
  if (walk.table === 'payments') return erasePayments(core, scope, keys.flat());
  const rows = await readRows(core, NEEDED[walk.table] ?? walk, keys, { forUpdate: true });
  const erase = ERASERS[walk.table] ?? redactRows;
  return erase(core, { walk, scope, rows, payments });
}

const ERASERS: Partial<Record<string, EraseRows>> = {
  ...SMS_ERASERS,
  mails: redactSettled,
  inbox: redactSettled,
  idempotency_keys: redactAnswers,
};

const id = { column: 'id', type: 'uuid' } as const;

/** Extra columns of a table that show whether a row is still in use. */
const NEEDED: Partial<Record<string, Pick<Walk, 'table' | 'key' | 'shown'>>> = {
  sms_messages: { table: 'sms_messages', key: [id], shown: ['batchId', 'status', 'listedAt'] },
  mails: { table: 'mails', key: [id], shown: ['dueAt'] },
  inbox: { table: 'inbox', key: [id], shown: ['dueAt'] },
};

/** Erases the person from finished payments and from all rows of these payments. Open payments are left. */
async function erasePayments(core: ErasingCore, scope: Scope, found: string[]): Promise<Erased> {
  const ids = await withRelated(core, found);
  // Every change of a payment locks the payment first, so a closed payment stays closed until the commit.
  await lockPayments.run(core, { ids });
  const open = new Set((await findOpen.all(core, { ids })).map(({ id }) => id));
  const closed = ids.filter((id) => !open.has(id));
  // The names are read before the payments lose them, since the requested e-mail address leads to phone and name.
  const persona = await readPersona(core, scope.subject, closed);
  await forgetPayments(core, closed);
  await eraseReferences.run(core, { ids: closed, pattern: patternOf(persona) });
  for (const part of PARTS) {
    const isMessage = part.table === 'inbox';
    const keys = await findParts(core, part, closed, isMessage ? undefined : persona);
    if (keys.length === 0) continue;
    const rows = await readRows(core, part, keys, { forUpdate: true });
    if (isMessage) await changeRows(core, { walk: part, rows }, maskMessage);
    else await redactRows(core, { walk: part, scope, rows, persona });
  }
  return {
    counts: { payments: closed.length },
    left: [...open].map((id) => ({ table: 'payments', id })),
    payments: closed,
  };
}

/** Maximum number of phones, e-mail addresses and names that count as one person. */
const MAX_NAMES = 40;
const MIN_WORD = 4;

/** Returns the person's names, phones and e-mail addresses in these payments. */
async function readPersona(core: ErasingCore, subject: Subject, ids: string[]): Promise<Persona> {
  const persona: Persona = { subjects: [subject], words: [] };
  if (ids.length === 0) return persona;
  const names = new Set((await findNames.all(core, { ids, limit: MAX_NAMES })).map(({ name }) => name.trim()));
  for (const name of names) {
    const phone = normalizePhone(name);
    const email = normalizeEmail(name);
    if (phone) persona.subjects.push({ phone });
    else if (email) persona.subjects.push({ email });
    else if (name.length >= MIN_WORD) persona.words.push(name);
  }
  return persona;
}

const findNames = prepared((tables, { ids, limit }: Ids & { limit: number }) =>
  tables
    .selectFrom(
      sql<{ name: string }>`(
        select phone as name from payments where id = any(${ids}::uuid[])
        union select payer_tax_id from payments where id = any(${ids}::uuid[])
        union select phone from attempts where payment_id = any(${ids}::uuid[])
        union select unnest(array[customer_name, customer_email, customer_telephone, document_number])
          from payment_references where payment_id = any(${ids}::uuid[])
        union select unnest(array[customer_name, customer_email, customer_telephone, document_number])
          from link_payments where payment_id = any(${ids}::uuid[]))`.as('n'),
    )
    .select('n.name')
    .where('n.name', 'is not', null)
    .orderBy('n.name')
    .limit(limit),
);

type Ids = { ids: string[] };

const lockPayments = prepared((tables, { ids }: Ids) =>
  tables
    .selectFrom('payments')
    .select('id')
    .where('id', ...isAny(ids))
    .orderBy('id')
    .forNoKeyUpdate(),
);

/**
 * Finds payments that are not final, or that have an open order, refund or delivery.
 * An approved QR code is no open order, since the node polls it only for late money, which needs no payer.
 */
const findOpen = prepared((tables, { ids }: Ids) =>
  tables
    .selectFrom('payments as p')
    .select('p.id')
    .where('p.id', ...isAny(ids))
    .where((eb) =>
      eb.or([
        eb('p.status', 'not in', PAYMENT_STATUSES.filter(isFinal)),
        eb('p.dueAt', 'is not', null),
        eb.exists(
          eb
            .selectFrom('attempts as a')
            .select('a.id')
            .whereRef('a.paymentId', '=', 'p.id')
            .where('a.dueAt', 'is not', null)
            .where((of) => of.not(of.and([of('a.kind', '=', 'qrcode'), of('a.status', '=', 'Approved')]))),
        ),
        eb.exists(
          eb
            .selectFrom('deliveries as d')
            .select('d.id')
            .whereRef('d.paymentId', '=', 'p.id')
            .where('d.dueAt', 'is not', null),
        ),
        eb.exists(
          eb
            .selectFrom('refunds as r')
            .select('r.id')
            .whereRef('r.paymentId', '=', 'p.id')
            .where('r.completedAt', 'is', null),
        ),
      ]),
    ),
);

/** Replaces a merchant reference that has a phone or e-mail address by a unique value, as the index requires. */
const eraseReferences = prepared((tables, { ids, pattern }: Ids & { pattern: string }) =>
  tables
    .updateTable('payments')
    .set({
      reference: sql<string>`'erased-' || id`,
      referenceClaim: sql<string | null>`case when reference_claim is null then null else 'erased-' || id end`,
    })
    .where('id', ...isAny(ids))
    .where(sql<boolean>`reference ~* ${pattern}`),
);

/** Redacts rows that no job uses. A later step redacts rows in use. */
async function redactSettled(core: ErasingCore, { walk, scope, rows }: Erasing): Promise<Erased> {
  const isDue = ({ dueAt }: Row) => dueAt !== null;
  const { counts } = await redactRows(core, { walk, scope, rows: rows.filter((row) => !isDue(row)) });
  const table = walk.table as RowInUse['table'];
  return { counts, left: rows.filter(isDue).map((row) => ({ table, id: String(row['id']) })) };
}

/** Erases the payer from stored answers about an erased payment, and the person from all other stored answers. */
async function redactAnswers(core: ErasingCore, erasing: Erasing): Promise<Erased> {
  const ids = new Set(erasing.payments);
  const isAbout = ({ body }: Row) => typeof body === 'string' && [...ids].some((id) => body.includes(id));
  const about = ids.size > 0 ? erasing.rows.filter(isAbout) : [];
  const masked = await changeRows(core, { ...erasing, rows: about }, (body) => maskAnswer(body, ids));
  const keys = erasing.rows.map((row) => erasing.walk.key.map(({ column }) => String(row[column])));
  const rows = about.length > 0 ? await readRows(core, erasing.walk, keys) : erasing.rows;
  const named = await redactRows(core, { ...erasing, rows });
  const table = erasing.walk.table;
  return { counts: { [table]: Math.max(masked.counts[table] ?? 0, named.counts[table] ?? 0) }, left: [] };
}
