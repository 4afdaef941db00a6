// Writes a person's data to every table with personal data, and searches for traces of the person.
import type { TestApp } from './app.ts';

/** The spellings in which the person's data can be stored. */
export const TRACES = [
  '923456789',
  '923 456 789',
  'Domingas Kiala',
  'domingas@correio.example',
  'AO06000600000100037131174',
];

/** Returns the rows of all tables as text. */
async function dump(app: TestApp): Promise<Map<string, string>> {
  const names = await app.sql<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public'
      and table_type = 'BASE TABLE'`,
  );
  const rows = await Promise.all(
    names.map(async ({ name }) => [
      name,
      (await app.sql(`select coalesce(string_agg(t::text, e'\\n'), '') as all from "${name}" t`))[0].all as string,
    ]),
  );
  return new Map(rows as [string, string][]);
}

/** Lists the tables that contain a spelling, once for each spelling. */
export async function findTraces(app: TestApp, traces: readonly string[]): Promise<string[]> {
  const tables = [...(await dump(app))];
  return tables.flatMap(([table, text]) => traces.filter((trace) => text.includes(trace)).map(() => table));
}

/** Creates a payment with all data of its payer, and sends the payer an SMS. */
export async function insertPerson(app: TestApp, merchantId: string, createdAt: Date): Promise<{ paymentId: string }> {
  const [{ id: paymentId }] = await app.sql(
    `insert into payments (id, merchant_id, reference, amount_minor, amount_paid_minor, currency, payment_type,
      payment_method, status,
       revision, description, custom_metadata, phone, return_url, search_terms, created_at)
     values (uuidv7(), $1, 'ENC-1', 150000, 150000, 'AOA', 'GPO', 'push', 'Paid', 3, 'Para Domingas Kiala',
       '{"nome":"Domingas Kiala"}', '+244923456789', 'https://loja.example/?c=domingas@correio.example',
       '{"nome=Domingas Kiala"}', $2)
     returning id`,
    [merchantId, createdAt],
  );
  const of = [paymentId, createdAt];
  await app.sql(
    `insert into attempts (id, payment_id, phone, status, created_at, sent_at)
      values (uuidv7(), $1, '+244923456789', 'Approved', $2, $2)`,
    of,
  );
  await app.sql(
    `insert into payment_references (id, payment_id, merchant_id, entity, reference, type, contract, status,
      customer_name,
       customer_email, customer_telephone, document_number, created_at, expires_at)
     values (uuidv7(), $1, $3, '00888', '017756991', 'Dynamic', 'current', 'Paid', 'Domingas Kiala',
       'domingas@correio.example',
       '923456789', '923456789LA', $2, $2)`,
    [...of, merchantId],
  );
  await app.sql(
    `insert into link_payments (payment_id, link_id, merchant_id, status, customer_name, customer_email,
      customer_telephone,
       document_number, created_at)
     values ($1, gen_random_uuid(), $3, 'paid', 'Domingas Kiala', 'domingas@correio.example', '923456789',
       '923456789LA', $2)`,
    [...of, merchantId],
  );
  const [{ id: transactionId }] = await app.sql(
    `insert into transactions (id, merchant_id, payment_id, rail, provider_ref, amount_minor, currency, status, late,
      occurred_at,
       created_at, period, details)
     values (uuidv7(), $3, $1, 'gpo', gen_random_uuid()::text, 150000, 'AOA', 'Accepted', false, $2, $2, 'p1',
       '{"transactionNumber":"77","nib":"AO06000600000100037131174"}') returning id`,
    [...of, merchantId],
  );
  await app.sql(
    `insert into refunds (id, merchant_id, payment_id, transaction_id, amount_minor, currency, status, revision,
      method, rail, period, reason, proof,
       requested_by_kind, requested_by_id, details, created_at, completed_at)
     values (uuidv7(), $3, $1, $4, 100, 'AOA', 'Succeeded', 1, 'rail', 'gpo', 'p1', 'Domingas Kiala pediu',
       'talão de 923 456 789', 'client', 'c',
       '{"nib":"AO06000600000100037131174"}', $2, $2)`,
    [...of, merchantId, transactionId],
  );
  await app.sql(
    `insert into events (id, merchant_id, payment_id, type, status, occurred_at, details)
     values (gen_random_uuid(), $3, $1, 'payment.paid', 'Paid', $2,
       '{"via":"query","nib":"AO06000600000100037131174"}')`,
    [...of, merchantId],
  );
  await app.sql(
    `with told as (insert into deliveries (id, merchant_id, kind, type, payment_id, status, created_at)
       values (gen_random_uuid(), $3, 'callback', 'callback.ppr', $1, 'Delivered', $2) returning id)
     insert into delivery_attempts (delivery_id, number, started_at, outcome, status, answer)
     select id, 1, $2, 'delivered', 200, '{"Success":true,"Obs":"Domingas Kiala"}' from told`,
    [...of, merchantId],
  );
  await app.sql(
    `insert into notifications (id, merchant_id, type, payment_id, details, subject, created_at)
     values (gen_random_uuid(), $3, 'payment.late', $1::uuid, '{"nib":"AO06000600000100037131174"}',
       'payment.late ' || $1::uuid, $2)`,
    [...of, merchantId],
  );
  await app.sql(
    `insert into inbox (id, rail, notification_id, body, received_at, applied_at, outcome)
     values (uuidv7(), 'ppr', gen_random_uuid()::text, '{"phone":"+244923456789"}', $1, $1, 'applied')`,
    [createdAt],
  );
  await app.sql(
    `with sent as (insert into sms_batches (id, merchant_id, sender, content, recipients, units, status, created_at,
      released_at)
       values (uuidv7(), $1::uuid, 'LOJA', 'Olá Domingas Kiala', 1, 1, 'Released', $2::timestamptz, $2::timestamptz)
         returning id),
     message as (insert into sms_messages (id, merchant_id, batch_id, phone, content, parts, status, listed_at, sent_at)
       select uuidv7(), $1::uuid, id, '+244923456789', 'Olá Domingas Kiala', 1, 'Failed', $2::timestamptz,
         $2::timestamptz from sent)
     insert into sms_ledger (id, merchant_id, kind, quantity, balance_after, description, batch_id, created_at)
     select uuidv7(), $1::uuid, 'refund', 1, 1, 'SMS não entregue a 923 456 789', id, $2::timestamptz from sent`,
    [merchantId, createdAt],
  );
  return { paymentId };
}
