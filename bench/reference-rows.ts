// Payment references as the bench makes them: by request, by row, and a million at once.
import { randomUUID } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import type { Pool, QueryConfig } from 'pg';

/** The demo merchant's (decisions §10). */
const ENTITY = '00999';

const DESCRIPTION = 'Propina de Março, 11.ª classe, turma B';
const CUSTOMER = { email: 'encarregado@escola.ao', name: 'Ana Paula dos Santos', telephone: '+244 923 000 001' };
const DOCUMENT = '005417832LA041';
const CUSTOM = { student: 20418, month: '2026-03', school: 'Colégio da Ilha' };

/** The body of a bulk creation whose digits the gateway chooses. */
export function writeBulk(count: number): string {
  const item = {
    amount: 15_250.5,
    referenceType: 'Dynamic',
    description: DESCRIPTION,
    customerEmail: CUSTOMER.email,
    customerName: CUSTOMER.name,
    customerTelephone: CUSTOMER.telephone,
    documentNumber: DOCUMENT,
    customMetadata: CUSTOM,
  };
  return JSON.stringify({ references: Array.from({ length: count }, () => item) });
}

const PAYMENT_COLUMNS =
  'id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status, revision, description, custom_metadata, attempts_made, created_at, expires_at';
const EVENT_COLUMNS = 'id, merchant_id, payment_id, type, status, occurred_at, details';
const REFERENCE_COLUMNS =
  'id, payment_id, merchant_id, entity, reference, type, contract, status, customer_email, customer_name, customer_telephone, document_number, created_at, expires_at, due_at';

export type SampleRows = { payments: unknown[][]; events: unknown[][]; references: unknown[][] };

/** The rows of such a creation; `first` makes the digits, of which the gateway's own have one less. */
export function writeRows(merchantId: string, count: number, first: number): SampleRows {
  const now = new Date();
  const expiresAt = new Date(now.getTime() + 30 * 86_400_000);
  const ids = Array.from({ length: count }, () => uuid());
  const digitsOf = (nth: number) => String(first + nth).padStart(10, '0');
  return {
    // prettier-ignore
    payments: ids.map((id, nth) => [
      id, merchantId, digitsOf(nth), 1_525_050, 'AOA', 'PPR', 'reference', 'Pending', 1,
      DESCRIPTION, JSON.stringify(CUSTOM), 0, now, expiresAt,
    ]),
    events: ids.map((id) => [randomUUID(), merchantId, id, 'payment.created', 'Pending', now, '{}']),
    // Due when they expire: the gateway has nothing to do for them in this run.
    // prettier-ignore
    references: ids.map((id, nth) => [
      uuid(), id, merchantId, ENTITY, digitsOf(nth), 'Dynamic', 'current', 'Pending',
      CUSTOMER.email, CUSTOMER.name, CUSTOMER.telephone, DOCUMENT, now, expiresAt, expiresAt,
    ]),
  };
}

/** All of them as rows of VALUES, in one statement that is prepared once for each count. */
export function insertRows({ payments, events, references }: SampleRows): QueryConfig {
  const values = [payments, events, references].flatMap((rows) => rows.flat());
  let place = 0;
  const placesOf = (rows: unknown[][]) => rows.map((row) => `(${row.map(() => `$${++place}`).join(', ')})`).join(', ');
  const text = `with payment as (insert into payments (${PAYMENT_COLUMNS}) values ${placesOf(payments)}),
    event as (insert into events (${EVENT_COLUMNS}) values ${placesOf(events)})
    insert into payment_references (${REFERENCE_COLUMNS}) values ${placesOf(references)}`;
  return { name: `insert_${payments.length}_references`, text, values };
}

/** Puts so many references beside each other, of every type and state that lists tell apart, one a second until now. */
export async function fillReferences(pool: Pool, merchantId: string, count: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    // What is written here fits together: checking a million keys would take longer than writing them.
    await client.query('set local session_replication_role = replica');
    await client.query(FILL, [merchantId, count, ENTITY]);
    await client.query('commit');
    await client.query('vacuum analyze payments, payment_references, events');
  } finally {
    client.release();
  }
}

const FILL = `
with made as (
  select uuidv7() as id, uuidv7() as reference_id, lpad(nth::text, 11, '0') as digits,
    case when nth % 4 = 0 then 'Charging' else 'Dynamic' end as type,
    case when nth / 4 % 10 < 4 then 'Pending' when nth / 4 % 10 = 8 then 'Canceled' when nth / 4 % 10 = 9 then 'Expired'
      when nth % 4 = 0 then 'Pending' else 'Paid' end as status,
    now() - ($2::int - nth) * interval '1 second' as created_at, now() + interval '1 year' as expires_at
  from generate_series(1, $2::int) as nth
), payment as (
  insert into payments (id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status,
    revision, description, custom_metadata, attempts_made, created_at, expires_at)
  select id, $1::uuid, digits, 1525050, 'AOA', 'PPR', 'reference', status, 1, '${DESCRIPTION}',
    '${JSON.stringify(CUSTOM)}', 0, created_at, expires_at from made
), event as (
  insert into events (${EVENT_COLUMNS})
  select gen_random_uuid(), $1::uuid, id, 'payment.created', status, created_at, '{}' from made
)
insert into payment_references (id, payment_id, merchant_id, entity, reference, type, contract, status, customer_email,
  customer_name, customer_telephone, document_number, created_at, expires_at, registered_at)
select reference_id, id, $1::uuid, $3, digits, type, 'current', status, '${CUSTOMER.email}', '${CUSTOMER.name}',
  '${CUSTOMER.telephone}', '${DOCUMENT}', created_at, expires_at, created_at from made`;
