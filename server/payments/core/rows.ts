// Reads, locks and changes payments and attempts by id. Every visible change of a payment increments its revision.
import { sql, type Insertable, type Updateable } from 'kysely';
import { unnestIds, isAny, prepared, type Db, type Tables } from '../../database/db.ts';
import { parseExactJson } from '../../http/json.ts';
import type { Attempt, AttemptKind, Payment, Reference } from './entities.ts';
import { searchTermsOf } from './fields.ts';

type ById = { id: string };

/** The columns of a payment that callers may set. Only states.ts sets the status. */
export type PaymentChange = Omit<Updateable<Tables['payments']>, 'id' | 'status' | 'revision'>;

export const findPayment = prepared((tables, { id }: ById) =>
  tables.selectFrom('payments').selectAll().where('id', '=', id),
);

export const findPayments = prepared((tables, { ids }: { ids: string[] }) =>
  tables
    .selectFrom(unnestIds(ids))
    .innerJoinLateral(
      (eb) => eb.selectFrom('payments').selectAll().whereRef('payments.id', '=', 'each.id').limit(1).as('payment'),
      (join) => join.onTrue(),
    )
    .selectAll('payment'),
);

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

export const addRefunded = prepared((tables, { ids, amountMinor }: { ids: string[]; amountMinor: number }) =>
  tables
    .updateTable('payments')
    .set((eb) => ({ refundedMinor: eb('refundedMinor', '+', amountMinor), revision: eb('revision', '+', 1) }))
    .where('id', ...isAny(ids)),
);

export const lockOwn = prepared((tables, { id, merchantId }: ById & { merchantId: string }) =>
  tables.selectFrom('payments').selectAll().where('id', '=', id).where('merchantId', '=', merchantId).forUpdate(),
);

/** Sets the due time of a payment without a new revision, because no page shows that time. */
export const setPaymentDue = prepared((tables, { id, dueAt }: ById & { dueAt: Date | null }) =>
  tables.updateTable('payments').set({ dueAt }).where('id', '=', id),
);

/** Changes an authorization while this attempt holds its claim. */
export const changeClaimed = prepared(
  (tables, { id, operationId, set }: ById & { operationId: string; set: PaymentChange }) =>
    tables
      .updateTable('payments')
      .set(set)
      .set((eb) => ({ revision: eb('revision', '+', 1) }))
      .where('id', '=', id)
      .where('operationId', '=', operationId),
);

export const lockPaymentOf = prepared((tables, { attemptId }: { attemptId: string }) =>
  tables
    .selectFrom('payments')
    .selectAll()
    .where('id', '=', (eb) => eb.selectFrom('attempts').select('paymentId').where('attempts.id', '=', attemptId))
    .forUpdate(),
);

/** Locks the payment of an attempt and its authorization. Every lock takes an authorization before its capture. */
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
    .selectFrom(unnestIds(ids))
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

/**
 * Returns the attempt that made the hold or the QR code. The rail knows both by this attempt's id.
 */
export async function findCreatingAttempt(db: Db, paymentId: string, kind: AttemptKind): Promise<Attempt> {
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

/** Sorts refused attempts last. */
export const isDeclined = sql`case when status = 'Declined' then 1 else 0 end`;

/** Finds the running attempt that makes or withdraws a page's QR code. */
export const findOpenCode = prepared((tables, { paymentId }: { paymentId: string }) =>
  tables
    .selectFrom('attempts')
    .select('id')
    .where('paymentId', '=', paymentId)
    .where('kind', 'in', ['qrcode', 'void'])
    .where('status', 'in', ['Unsent', 'Sent'])
    .where('resolvedAt', 'is', null),
);

export const findByPayment = prepared((tables, { paymentId }: { paymentId: string }) =>
  tables.selectFrom('payment_references').selectAll().where('paymentId', '=', paymentId),
);

/** Finds the references of these payments. */
export const findReferencesOf = prepared((tables, { ids }: { ids: string[] }) =>
  tables
    .selectFrom('payment_references')
    .selectAll()
    .where('paymentId', ...isAny(ids)),
);

/** Lists the transactions of a payment, oldest first. */
export const listTransactions = prepared((tables, { paymentId }: { paymentId: string }) =>
  tables.selectFrom('transactions').selectAll().where('paymentId', '=', paymentId).orderBy('createdAt').orderBy('id'),
);

/** Returns the reference of a payment. Null for a payment by another method. */
export function findReferenceOf(db: Db, payment: Pick<Payment, 'id' | 'paymentType'>): Promise<Reference | null> {
  if (payment.paymentType !== 'PPR') return Promise.resolve(null);
  return findByPayment.first(db, { paymentId: payment.id });
}

/** The payer's data of a reference or a payment link (`customer` in the API). */
export type Payer = Record<'customerName' | 'customerEmail' | 'customerTelephone' | 'documentNumber', string | null>;

/** Returns the payer's data of a row. Absent values become null. */
export function payerOf(row: { [Name in keyof Payer]?: string | null | undefined }): Payer {
  const { customerEmail = null, customerName = null, customerTelephone = null, documentNumber = null } = row;
  return { customerEmail, customerName, customerTelephone, documentNumber };
}

export const findPayers = prepared((tables, { ids }: { ids: string[] }) =>
  tables
    .selectFrom('link_payments')
    .select(['paymentId', 'customerName', 'customerEmail', 'customerTelephone', 'documentNumber'])
    .where('paymentId', ...isAny(ids)),
);

/** Finds the payer of one payment, in its payment link or else in its request. */
export async function findPayerOf(
  db: Db,
  { id, linkId, payerTaxId: documentNumber = null }: Pick<Payment, 'id' | 'linkId' | 'payerTaxId'>,
): Promise<Payer> {
  const [found] = linkId ? await findPayers.all(db, { ids: [id] }) : [];
  return payerOf(found ?? { documentNumber });
}

const SEARCH_BATCH = 2_000;
const SEARCHED_MOST = 50_000;

/** Indexes the merchant's newest payments by its new `searchKeys`, in the transaction that changes the keys. */
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
