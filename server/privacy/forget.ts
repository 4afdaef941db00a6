// What payments and messages lose with their person: phones, names, texts, the rail's words about a payer. Money, references and amounts stay.
import { sql } from 'kysely';
import { isAny, prepared, type Db } from '../database/db.ts';
import { PAYERS_DETAILS } from '../events/payer.ts';

/** Stands where a column cannot be empty. */
export const ERASED = 'erased';

type Ids = { ids: string[] };

const withoutPayer = sql<Record<string, string>>`details - ${sql.lit(`{${PAYERS_DETAILS.join()}}`)}::text[]`;
const hasPayer = sql<boolean>`details ?| ${sql.lit(`{${PAYERS_DETAILS.join()}}`)}::text[]`;

/** Each statement of a payment's parts. */
const PARTS = [
  prepared((tables, { ids }: Ids) =>
    tables
      .updateTable('payments')
      .set({
        phone: null,
        payerTaxId: null,
        customMetadata: null,
        searchTerms: null,
        description: null,
        returnUrl: null,
        cancelUrl: null,
      })
      .where('id', ...isAny(ids)),
  ),
  prepared((tables, { ids }: Ids) =>
    tables
      .updateTable('attempts')
      .set({ phone: null })
      .where('paymentId', ...isAny(ids))
      .where('phone', 'is not', null),
  ),
  prepared((tables, { ids }: Ids) =>
    tables
      .updateTable('payment_references')
      .set({ customerEmail: null, customerName: null, customerTelephone: null, documentNumber: null })
      .where('paymentId', ...isAny(ids)),
  ),
  prepared((tables, { ids }: Ids) =>
    tables
      .updateTable('link_payments')
      .set({
        customerEmail: null,
        customerName: null,
        customerTelephone: null,
        documentNumber: null,
        openedFrom: null,
      })
      .where('paymentId', ...isAny(ids)),
  ),
  prepared((tables, { ids }: Ids) =>
    tables
      .updateTable('transactions')
      .set({ details: withoutPayer })
      .where('paymentId', ...isAny(ids))
      .where(hasPayer),
  ),
  prepared((tables, { ids }: Ids) =>
    tables
      .updateTable('refunds')
      .set({ details: withoutPayer, reason: null, proof: null })
      .where('paymentId', ...isAny(ids)),
  ),
  prepared((tables, { ids }: Ids) =>
    tables
      .updateTable('events')
      .set({ details: withoutPayer })
      .where('paymentId', ...isAny(ids))
      .where(hasPayer),
  ),
  prepared((tables, { ids }: Ids) =>
    tables
      .updateTable('notifications')
      .set({ details: withoutPayer })
      .where('paymentId', ...isAny(ids))
      .where(hasPayer),
  ),
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

/** Takes from payments, and from all that belongs to them, what tells of their payers; `db` must be a transaction. */
export async function forgetPayments(db: Db, ids: string[]): Promise<void> {
  if (ids.length > 0) for (const part of PARTS) await part.run(db, { ids });
}

const forgetTexts = prepared((tables, { ids }: Ids) =>
  tables
    .updateTable('sms_messages')
    .set({ phone: ERASED, content: ERASED })
    .where('id', ...isAny(ids)),
);

const forgetLines = prepared((tables, { ids }: Ids) =>
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

/** Takes from messages that are done to whom they went and what they said; from the ledger's lines about them the number. */
export async function forgetMessages(db: Db, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await forgetLines.run(db, { ids });
  await forgetTexts.run(db, { ids });
}
