// Columns of CSV files that other tables have: the payer, the fees and the net, the person who charged, and the link.
import { sql } from 'kysely';
import { addMinor } from '../../../shared/money.ts';
import { STANDING_WORDS } from '../../../shared/standing.ts';
import { PAYMENT_METHOD_WORDS } from '../../../shared/state-words.ts';
import { prepared, unnestIds, type Db } from '../../database/db.ts';
import { documentOf } from '../../events/payer.ts';
import type { CsvColumn } from '../../exports/csv.ts';
import { viewMoney, type Counted } from './attention.ts';

/** The column of a payment's standing. */
export const STANDING_COLUMN = {
  kind: 'code',
  from: 'standing',
  words: STANDING_WORDS,
  pt: 'Situação',
  en: 'Standing',
  fr: 'Situation',
} as const satisfies CsvColumn<string>;

export const METHOD_COLUMN = {
  kind: 'code',
  from: 'paymentMethod',
  words: PAYMENT_METHOD_WORDS,
  pt: 'Forma de pagamento',
  en: 'Method',
  fr: 'Mode de paiement',
} as const satisfies CsvColumn<string>;

export const METADATA_COLUMN = {
  kind: 'text',
  from: 'customMetadata',
  pt: 'Dados da loja',
  en: 'customMetadata',
  fr: 'Données de la boutique',
} as const satisfies CsvColumn<string>;

export const REFUNDED_COLUMN = {
  kind: 'money',
  from: 'refundedMinor',
  currency: 'currency',
  pt: 'Devolvido',
  en: 'Refunded',
  fr: 'Remboursé',
} as const satisfies CsvColumn<string>;

/** The fees of a payment's movements, and their net: received money less its fees and less refunds of the rail. */
export const FEE_COLUMNS = [
  { kind: 'money', from: 'feeMinor', currency: 'currency', pt: 'Comissão', en: 'Fee', fr: 'Commission' },
  { kind: 'money', from: 'netMinor', currency: 'currency', pt: 'Líquido', en: 'Net', fr: 'Net' },
] as const satisfies CsvColumn<string>[];

export const PAYER_COLUMNS = [
  { kind: 'text', from: 'customerName', pt: 'Cliente', en: 'Customer', fr: 'Client' },
  { kind: 'text', from: 'documentNumber', pt: 'NIF ou documento', en: 'Tax number', fr: 'NIF ou document' },
  { kind: 'code', from: 'phone', pt: 'Telemóvel', en: 'Mobile number', fr: 'Numéro de mobile' },
] as const satisfies CsvColumn<string>[];

/** The person or the API client that charged. Empty for payers of a link. */
export const CASHIER_COLUMN = {
  kind: 'text',
  from: 'cashier',
  pt: 'Cobrado por',
  en: 'Charged by',
  fr: 'Encaissé par',
} as const satisfies CsvColumn<string>;

export const LINK_COLUMN = {
  kind: 'text',
  from: 'linkTitle',
  pt: 'Link de pagamento',
  en: 'Payment link',
  fr: 'Lien de paiement',
} as const satisfies CsvColumn<string>;

/** Selects the name of a person or an API client. @param kind, id the columns that name them */
export const nameOf = (kind: string, id: string) =>
  sql<string | null>`case when ${sql.ref(kind)} = 'user'
      then (select nullif(trim(concat_ws(' ', u.first_name, u.last_name)), '') from users u
        where u.id = case when ${sql.ref(kind)} = 'user' then ${sql.ref(id)}::uuid end)
    else (select c.name from clients c where c.id = ${sql.ref(id)}) end`;

const paymentFields = prepared((tables, { ids }: { ids: string[] }) =>
  tables
    .selectFrom(unnestIds(ids))
    .innerJoin('payments as p', 'p.id', 'each.id')
    .leftJoin('payment_references as r', (on) =>
      on.onRef('r.paymentId', '=', 'p.id').on('p.paymentType', '=', sql.lit('PPR')),
    )
    .leftJoin('link_payments as l', (on) => on.onRef('l.paymentId', '=', 'p.id').on('p.linkId', 'is not', null))
    .leftJoin('links as k', 'k.id', 'p.linkId')
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('transactions as t')
          .whereRef('t.paymentId', '=', 'p.id')
          .whereRef('t.currency', '=', 'p.currency')
          .select([
            sql<number | null>`sum(t.amount_minor)::bigint`.as('grossMinor'),
            sql<number | null>`sum(t.fee_minor)::bigint`.as('feeMinor'),
          ])
          .as('received'),
      (on) => on.onTrue(),
    )
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('refunds as b')
          .whereRef('b.paymentId', '=', 'p.id')
          .whereRef('b.currency', '=', 'p.currency')
          .where('b.status', '=', sql.lit('Succeeded'))
          .where('b.method', '=', sql.lit('rail'))
          .select(sql<number | null>`sum(b.amount_minor)::bigint`.as('returnedMinor'))
          .as('returned'),
      (on) => on.onTrue(),
    )
    .select([
      'p.id as paymentId',
      'received.grossMinor',
      'received.feeMinor',
      'returned.returnedMinor',
      'k.title as linkTitle',
      documentOf('p').as('documentNumber'),
      sql<string | null>`coalesce(r.customer_name, l.customer_name)`.as('customerName'),
      sql<string | null>`coalesce(p.phone, r.customer_telephone, l.customer_telephone)`.as('phone'),
      nameOf('p.createdByKind', 'p.createdById').as('cashier'),
    ]),
);

/** Reads the columns of these payments, by the ids of the payments. */
async function readPaymentFields(db: Db, ids: readonly string[]) {
  const found = await paymentFields.all(db, { ids: [...new Set(ids)] });
  return new Map(found.map((row) => [row.paymentId, viewFields(row)]));
}

type FieldsRow = Awaited<ReturnType<typeof paymentFields.all>>[number];

function viewFields({ paymentId: _id, grossMinor, returnedMinor, ...fields }: FieldsRow) {
  const isMoved = grossMinor !== null || returnedMinor !== null;
  const netMinor = addMinor(grossMinor ?? 0, -(fields.feeMinor ?? 0), -(returnedMinor ?? 0));
  return { ...fields, netMinor: isMoved ? netMinor : null };
}

/** Adds the columns of other tables to the rows of a file. One query reads those of a batch. */
export async function* withPaymentFields<Row>(db: Db, batches: AsyncGenerator<Row[]>, idOf: (row: Row) => string) {
  for await (const rows of batches) {
    const fields = await readPaymentFields(db, rows.map(idOf));
    yield rows.map((row) => ({ ...fields.get(idOf(row))!, ...row }));
  }
}

/** Like `withPaymentFields`, and adds the standing. */
export async function* withPaymentColumns<Row extends Counted>(
  db: Db,
  batches: AsyncGenerator<Row[]>,
  idOf: (row: Row) => string,
) {
  for await (const rows of withPaymentFields(db, batches, idOf))
    yield rows.map((row) => ({ ...row, standing: viewMoney(row).standing }));
}
