// Payments and attempts by their ids, and a payment's reference: read, locked, changed. Whatever changes a payment counts its revision.
import { sql, type Insertable, type Updateable } from 'kysely';
import { eachId, isAny, prepared, type Db, type Tables } from '../../database/db.ts';
import { parseExactJson } from '../../http/json.ts';
import type { Attempt, AttemptKind, Payment, Reference } from './entities.ts';
import { searchTermsOf } from './fields.ts';

type ById = { id: string };

/** Columns of a payment that may be set; its status is states.ts's. */
export type PaymentChange = Omit<Updateable<Tables['payments']>, 'id' | 'status' | 'revision'>;

export const findPayment = prepared((tables, { id }: ById) =>
  tables.selectFrom('payments').selectAll().where('id', '=', id),
);

export const findPayments = prepared((tables, { ids }: { ids: string[] }) =>
  tables
    .selectFrom(eachId(ids))
    .innerJoinLateral(
      (eb) => eb.selectFrom('payments').selectAll().whereRef('payments.id', '=', 'each.id').limit(1).as('payment'),
      (join) => join.onTrue(),
    )
    .selectAll('payment'),
);

/** As it is once the lock is won; until the transaction ends nobody else changes it. */
export const lockPayment = prepared((tables, { id }: ById) =>
  tables.selectFrom('payments').selectAll().where('id', '=', id).forUpdate(),
);

export const changePayment = prepared((tables, { id, set }: ById & { set: PaymentChange }) =>
  tables
    .updateTable('payments')
    .set(set)
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('id', '=', id),
);

/** What payments have given back grows, and with it their revision: pages show it. */
export const addRefunded = prepared((tables, { ids, amountMinor }: { ids: string[]; amountMinor: number }) =>
  tables
    .updateTable('payments')
    .set((eb) => ({ refundedMinor: eb('refundedMinor', '+', amountMinor), revision: eb('revision', '+', 1) }))
    .where('id', ...isAny(ids)),
);

/** A merchant's own, locked. */
export const lockOwn = prepared((tables, { id, merchantId }: ById & { merchantId: string }) =>
  tables.selectFrom('payments').selectAll().where('id', '=', id).where('merchantId', '=', merchantId).forUpdate(),
);

/** When its time is looked at next, which is no change that anybody is shown. */
export const setPaymentDue = prepared((tables, { id, dueAt }: ById & { dueAt: Date | null }) =>
  tables.updateTable('payments').set({ dueAt }).where('id', '=', id),
);

/** An authorization, while it is claimed by this attempt. */
export const changeClaimed = prepared(
  (tables, { id, operationId, set }: ById & { operationId: string; set: PaymentChange }) =>
    tables
      .updateTable('payments')
      .set(set)
      .set((eb) => ({ revision: eb('revision', '+', 1) }))
      .where('id', '=', id)
      .where('operationId', '=', operationId),
);

/** The payment an attempt is of, locked. */
export const lockPaymentOf = prepared((tables, { attemptId }: { attemptId: string }) =>
  tables
    .selectFrom('payments')
    .selectAll()
    .where('id', '=', (eb) => eb.selectFrom('attempts').select('paymentId').where('attempts.id', '=', attemptId))
    .forUpdate(),
);

/** The same with the authorization that it draws on, in their order of locking: an authorization before its capture, everywhere. */
export const lockPaymentsOf = prepared((tables, { attemptId }: { attemptId: string }) =>
  tables
    .selectFrom('payments')
    .selectAll()
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('attempts')
        .select(sql<string>`payment_id`.as('id'))
        .where('attempts.id', '=', attemptId)
        .unionAll(
          eb
            .selectFrom('attempts as a')
            .innerJoin('payments as p', 'p.id', 'a.paymentId')
            .select(sql<string>`p.authorization_id`.as('id'))
            .where('a.id', '=', attemptId),
        ),
    )
    .orderBy('authorizationId', (order) => order.asc().nullsFirst())
    .forUpdate(),
);

export const findAttempt = prepared((tables, { id }: ById) =>
  tables.selectFrom('attempts').selectAll().where('id', '=', id),
);

export const findAttempts = prepared((tables, { ids }: { ids: string[] }) =>
  tables
    .selectFrom(eachId(ids))
    .innerJoinLateral(
      (eb) => eb.selectFrom('attempts').selectAll().whereRef('attempts.id', '=', 'each.id').limit(1).as('attempt'),
      (join) => join.onTrue(),
    )
    .selectAll('attempt'),
);

export const insertAttempt = prepared((tables, { row }: { row: Insertable<Tables['attempts']> }) =>
  tables.insertInto('attempts').values(row).returningAll(),
);

export const changeAttempt = prepared((tables, { id, set }: ById & { set: Updateable<Tables['attempts']> }) =>
  tables.updateTable('attempts').set(set).where('id', '=', id),
);

/** The attempt that made what a capture takes from, or a void ends: its id is the rail's name of it. @throws where there is none */
export async function findMaker(db: Db, paymentId: string, kind: AttemptKind): Promise<Attempt> {
  const maker = await findFirst.first(db, { paymentId, kind });
  if (!maker) throw new Error(`payment ${paymentId} was never made at the rail`);
  return maker;
}

const findFirst = prepared((tables, { paymentId, kind }: { paymentId: string; kind: AttemptKind }) =>
  tables
    .selectFrom('attempts')
    .selectAll()
    .where('paymentId', '=', paymentId)
    .where('kind', '=', kind)
    .orderBy(isDeclined)
    .orderBy('createdAt', 'desc')
    .limit(1),
);

/** Of several that were asked for, the newest that was made: what is refused makes nothing. */
export const isDeclined = sql`case when status = 'Declined' then 1 else 0 end`;

/** A code of a page that is being made now, or taken back. */
export const findOpenCode = prepared((tables, { paymentId }: { paymentId: string }) =>
  tables
    .selectFrom('attempts')
    .select('id')
    .where('paymentId', '=', paymentId)
    // While an older one is being taken back, which of two is meant could not be said.
    .where('kind', 'in', ['qrcode', 'void'])
    .where('status', 'in', ['Unsent', 'Sent'])
    .where('resolvedAt', 'is', null),
);

/** Each payment has one at most. */
export const findByPayment = prepared((tables, { paymentId }: { paymentId: string }) =>
  tables.selectFrom('payment_references').selectAll().where('paymentId', '=', paymentId),
);

/** The transactions of a payment, oldest first. */
export const findMoneyOfPayment = prepared((tables, { paymentId }: { paymentId: string }) =>
  tables.selectFrom('transactions').selectAll().where('paymentId', '=', paymentId).orderBy('createdAt').orderBy('id'),
);

/** A payment's reference; null for a payment by other means. */
export function findReferenceOf(db: Db, payment: Pick<Payment, 'id' | 'paymentType'>): Promise<Reference | null> {
  if (payment.paymentType !== 'PPR') return Promise.resolve(null);
  return findByPayment.first(db, { paymentId: payment.id });
}

/** Who pays, as its reference or its link keeps it (decisions §3, `customer`). */
export type Payer = Record<'customerName' | 'customerEmail' | 'customerTelephone' | 'documentNumber', string | null>;

export const NOBODY: Payer = { customerName: null, customerEmail: null, customerTelephone: null, documentNumber: null };

/** Of payments that were begun by a link, what it asked. */
export const findPayers = prepared((tables, { ids }: { ids: string[] }) =>
  tables
    .selectFrom('link_payments')
    .select(['paymentId', 'customerName', 'customerEmail', 'customerTelephone', 'documentNumber'])
    .where('paymentId', ...isAny(ids)),
);

/** The same of one; where it has no link, what its request said. */
export async function findPayerOf(
  db: Db,
  { id, linkId, payerTaxId: documentNumber = null }: Pick<Payment, 'id' | 'linkId' | 'payerTaxId'>,
): Promise<Payer> {
  const [found] = linkId ? await findPayers.all(db, { ids: [id] }) : [];
  if (!found) return { ...NOBODY, documentNumber };
  const { paymentId: _, ...payer } = found;
  return payer;
}

const SEARCH_BATCH = 2_000;
const SEARCHED_MOST = 50_000;

/** After its keys have changed: the newest payments of the merchant are found by the new ones. Part of the change, all or nothing. */
export async function renewSearchTerms(db: Db, merchantId: string, keys: string[]): Promise<void> {
  let before: string | null = null;
  for (let done = 0; done < SEARCHED_MOST; done += SEARCH_BATCH) {
    const rows: { id: string; customMetadata: string }[] = await listDescribed.all(db, { merchantId, before });
    const terms = rows.map(({ customMetadata }) => searchTermsOf(keys, parseExactJson(customMetadata) as object));
    await writeTerms.run(db, { ids: rows.map(({ id }) => id), terms: terms.map((all) => JSON.stringify(all ?? [])) });
    before = rows.at(-1)?.id ?? null;
    if (rows.length < SEARCH_BATCH) return;
  }
}

const listDescribed = prepared((tables, { merchantId, before }: { merchantId: string; before: string | null }) =>
  tables
    .selectFrom('payments')
    .select(['id', 'customMetadata'])
    .where('merchantId', '=', merchantId)
    .where('customMetadata', 'is not', null)
    .where(sql<boolean>`${before}::uuid is null or id < ${before}::uuid`)
    .$narrowType<{ customMetadata: string }>()
    .orderBy('id', 'desc')
    .limit((eb) => eb.lit(SEARCH_BATCH)),
);

const writeTerms = prepared((tables, { ids, terms }: { ids: string[]; terms: string[] }) =>
  tables
    .updateTable('payments')
    .from(
      sql<{ id: string; terms: string }>`unnest(${ids}::uuid[], ${terms}::text[])`.as<'written'>(
        sql`written(id, terms)`,
      ),
    )
    .set({ searchTerms: sql`(select array_agg(term) from json_array_elements_text(terms::json) as term)` })
    .whereRef('payments.id', '=', 'written.id'),
);
