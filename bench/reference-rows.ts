// Payment references as the bench makes them: by request, by row, and a million at once.
import { randomUUID } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import type { Pool } from 'pg';

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

/** The rows of such a creation, as `INSERT_ROWS` takes them; `first` makes the digits. */
export function writeRows(merchantId: string, count: number, first: number): string {
  const now = new Date();
  const expiresAt = new Date(now.getTime() + 30 * 86_400_000);
  const rows = Array.from({ length: count }, (_, nth) => ({
    id: uuid(),
    reference_id: uuid(),
    event_id: randomUUID(),
    merchant_id: merchantId,
    entity: ENTITY,
    // The gateway chooses among 9 digits.
    reference: String(first + nth).padStart(10, '0'),
    amount_minor: 1_525_050,
    description: DESCRIPTION,
    custom_metadata: JSON.stringify(CUSTOM),
    customer_email: CUSTOMER.email,
    customer_name: CUSTOMER.name,
    customer_telephone: CUSTOMER.telephone,
    document_number: DOCUMENT,
    created_at: now,
    expires_at: expiresAt,
  }));
  return JSON.stringify(rows);
}

/** Payments, references and events from one JSON text, prepared: of the ways to send many rows the quickest. */
export const INSERT_ROWS = {
  name: 'insert_references',
  text: `with sent as (
    select * from json_to_recordset($1::json) as r(id uuid, reference_id uuid, event_id uuid, merchant_id uuid,
      entity text, reference text, amount_minor bigint, description text, custom_metadata text, customer_email text,
      customer_name text, customer_telephone text, document_number text, created_at timestamptz, expires_at timestamptz)
  ), payment as (
    insert into payments (id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status,
      revision, description, custom_metadata, attempts_made, created_at, expires_at)
    select id, merchant_id, reference, amount_minor, 'AOA', 'PPR', 'reference', 'Pending', 1, description,
      custom_metadata, 0, created_at, expires_at from sent
  ), event as (
    insert into events (id, merchant_id, payment_id, type, status, occurred_at, details)
    select event_id, merchant_id, id, 'payment.created', 'Pending', created_at, '{}' from sent
  )
  insert into payment_references (id, payment_id, merchant_id, entity, reference, type, contract, status,
    customer_email, customer_name, customer_telephone, document_number, created_at, expires_at, due_at)
  select reference_id, id, merchant_id, entity, reference, 'Dynamic', 'current', 'Pending', customer_email,
    customer_name, customer_telephone, document_number, created_at, expires_at, expires_at from sent`,
};

/** Puts so many references beside each other, of every type and state that lists tell apart, one a second until now. */
export async function fillReferences(pool: Pool, merchantId: string, count: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    // What is written here fits together: checking a million keys would take longer than writing them.
    await client.query('set local session_replication_role = replica');
    await client.query(FILL, [merchantId, count, ENTITY]);
    await client.query('commit');
    await client.query('vacuum analyze payments, payment_references');
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
)
insert into payment_references (id, payment_id, merchant_id, entity, reference, type, contract, status, customer_email,
  customer_name, customer_telephone, document_number, created_at, expires_at, registered_at)
select reference_id, id, $1::uuid, $3, digits, type, 'current', status, '${CUSTOMER.email}', '${CUSTOMER.name}',
  '${CUSTOMER.telephone}', '${DOCUMENT}', created_at, expires_at, created_at from made`;
