// The payer in files, callbacks and events: the document number for the invoice, and the personal fields of events.
import { sql } from 'kysely';

/** The fields of an event's `details` that contain personal data of the payer. */
export const PAYER_DETAIL_FIELDS = ['nib', 'bank', 'phone', 'phoneNumber', 'name', 'email', 'note'];

/**
 * Selects the payer's document number (mostly the NIF) from a payment, its reference or its payment link.
 * @param payment the alias of the payment's row in the query
 */
export function documentOf(payment: string) {
  const column = (name: string) => sql.ref(`${payment}.${name}`);
  return sql<string | null>`case when ${column('paymentType')} = 'PPR'
      then (select r.document_number from payment_references r where r.payment_id = ${column('id')})
    when ${column('linkId')} is not null
      then (select l.document_number from link_payments l where l.payment_id = ${column('id')})
    else ${column('payerTaxId')} end`;
}

/** The SQL text of `documentOf`, for hand-written SQL. */
export function documentText(payment: string): string {
  return `case when ${payment}.payment_type = 'PPR'
      then (select r.document_number from payment_references r where r.payment_id = ${payment}.id)
    when ${payment}.link_id is not null
      then (select l.document_number from link_payments l where l.payment_id = ${payment}.id)
    else ${payment}.payer_tax_id end`;
}
