// The payer in what is told: whose tax number an invoice for money is to have, in the queries of files and callbacks; and what of an event's
// details is about a person.
import { sql } from 'kysely';

/** Of `details`, what tells of the payer: their account, their bank, their phone. */
export const PAYERS_DETAILS = ['nib', 'bank', 'phone', 'phoneNumber', 'name', 'email'];

/** The payer's document, where the payment or what it began by keeps it. @param payment what its row is called in the query */
export function documentOf(payment: string) {
  const column = (name: string) => sql.ref(`${payment}.${name}`);
  return sql<string | null>`case when ${column('paymentType')} = 'PPR'
      then (select r.document_number from payment_references r where r.payment_id = ${column('id')})
    when ${column('linkId')} is not null
      then (select l.document_number from link_payments l where l.payment_id = ${column('id')})
    else ${column('payerTaxId')} end`;
}

/** The same in a statement by hand; `payment` is its alias. */
export function documentText(payment: string): string {
  return `case when ${payment}.payment_type = 'PPR'
      then (select r.document_number from payment_references r where r.payment_id = ${payment}.id)
    when ${payment}.link_id is not null then (select l.document_number from link_payments l where l.payment_id = ${payment}.id)
    else ${payment}.payer_tax_id end`;
}
