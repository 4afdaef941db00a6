// Erases payers from payments, and recipients from SMS. Amounts, references and times stay.
import { sql } from 'kysely';
import { isAny, prepared, type Db } from '../database/db.ts';
import { PAYER_DETAIL_FIELDS } from '../events/payer.ts';
import { untypedTables } from './walks.ts';

/** Text that replaces personal data in a column that cannot be null. */
export const ERASED = 'erased';

type Ids = { ids: string[] };

const withoutPayer = sql<Record<string, string>>`details - ${sql.lit(`{${PAYER_DETAIL_FIELDS.join()}}`)}::text[]`;
const hasPayer = sql<boolean>`details ?| ${sql.lit(`{${PAYER_DETAIL_FIELDS.join()}}`)}::text[]`;

/** Creates the statement that clears columns of the payments' rows in a table, for rows with personal data. */
const clearColumns = (table: string, set: Record<string, unknown>, hasPerson = sql<boolean>`true`, key = 'paymentId') =>
  prepared((tables, { ids }: Ids) =>
    untypedTables(tables)
      .updateTable(table)
      .set(set)
      .where(key, ...isAny(ids))
      .where(hasPerson),
  );

const NO_CUSTOMER = { customerEmail: null, customerName: null, customerTelephone: null, documentNumber: null };

/** The statements that erase a payer, one for each table with rows of a payment. */
const PARTS = [
  clearColumns(
    'payments',
    {
      phone: null,
      payerTaxId: null,
      customMetadata: null,
      searchTerms: null,
      description: null,
      returnUrl: null,
      cancelUrl: null,
    },
    undefined,
    'id',
  ),
  clearColumns('attempts', { phone: null }, sql`phone is not null`),
  clearColumns('payment_references', NO_CUSTOMER),
  clearColumns('link_payments', { ...NO_CUSTOMER, openedFrom: null }),
  clearColumns('transactions', { details: withoutPayer }, hasPayer),
  clearColumns('refunds', { details: withoutPayer, reason: null, proof: null }),
  clearColumns('events', { details: withoutPayer }, hasPayer),
  clearColumns('notifications', { details: withoutPayer }, hasPayer),
  prepared((tables, { ids }: Ids) =>
    tables
      .updateTable('delivery_attempts')
      .set({ answer: null })
      .where('answer', 'is not', null)
      .where('deliveryId', 'in', (eb) =>
        eb
          .selectFrom('deliveries')
          .select('id')
          .where('paymentId', ...isAny(ids)),
      ),
  ),
];

/** Erases the payers of these payments from all tables. `db` must be a transaction. */
export async function forgetPayments(db: Db, ids: string[]): Promise<void> {
  if (ids.length > 0) for (const part of PARTS) await part.run(db, { ids });
}

const forgetTexts = prepared((tables, { ids }: Ids) =>
  tables
    .updateTable('sms_messages')
    .set({ phone: ERASED, content: ERASED })
    .where('id', ...isAny(ids)),
);

const forgetLedgerEntries = prepared((tables, { ids }: Ids) =>
  tables
    .updateTable('sms_ledger as l')
    .from((eb) =>
      eb
        .selectFrom('sms_messages')
        .select('batchId')
        .distinct()
        .where('id', ...isAny(ids))
        .as('m'),
    )
    .set({ description: sql<string>`regexp_replace(l.description, '\\d[\\d ]{8,}$', ${sql.lit(ERASED)})` })
    .whereRef('l.batchId', '=', 'm.batchId')
    .where('l.kind', '=', 'refund'),
);

/** Erases number and text of finished messages, and the number in the ledger entries of these messages. */
export async function forgetMessages(db: Db, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await forgetLedgerEntries.run(db, { ids });
  await forgetTexts.run(db, { ids });
}
