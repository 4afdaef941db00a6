// The floors of the database: the statements a payment cannot do without, from plain Node pg with the gateway's pool size.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { v7 as uuid } from 'uuid';
import { serveParent } from '../child.ts';
import { EVENT_COLUMNS, KEY_COLUMNS, PAYMENT_COLUMNS, writeRows, type SampleRow } from '../sample.ts';
import { runForAWhile, type Load, type Rate } from '../load.ts';

export type FloorOptions = Load & {
  databaseUrl: string;
  poolMax: number;
  merchantId: string;
  /** Payments to read, or to add money to. */
  ids: string[];
};

serveParent({
  insertInTransaction: (options: FloorOptions) => measure(options, insertInTransaction),
  insertAtOnce: (options: FloorOptions) => measure(options, insertAtOnce),
  select: (options: FloorOptions) => measure(options, selectOne),
  addMoney: (options: FloorOptions) => measure(options, addMoney),
});

type Floor = (pool: pg.Pool, options: FloorOptions, nth: number) => Promise<unknown>;

let nth = 0;

async function measure(options: FloorOptions, floor: Floor): Promise<Rate> {
  const pool = new pg.Pool({ connectionString: options.databaseUrl, max: options.poolMax });
  const rate = await runForAWhile(options, () => floor(pool, options, nth++));
  await pool.end();
  return rate;
}

async function insertInTransaction(pool: pg.Pool, options: FloorOptions, nth: number): Promise<void> {
  const rows = sampleRows(options, nth);
  const client = await pool.connect();
  await client.query(BEGIN);
  await client.query({ ...INSERT_PAYMENT, values: rows.payment });
  await client.query({ ...INSERT_EVENT, values: rows.event });
  await client.query({ ...INSERT_KEY, values: rows.key });
  await client.query(COMMIT);
  client.release();
}

function insertAtOnce(pool: pg.Pool, options: FloorOptions, nth: number): Promise<unknown> {
  const { payment, event, key } = sampleRows(options, nth);
  return pool.query({ ...INSERT_ALL, values: [...payment, ...event, ...key] });
}

function selectOne(pool: pg.Pool, { ids, merchantId }: FloorOptions, nth: number): Promise<unknown> {
  return pool.query({ ...SELECT, values: [ids[nth % ids.length], merchantId] });
}

/** Everybody at one row: what is recorded of a payment of a QR code, as far as no gateway can do without it. */
async function addMoney(pool: pg.Pool, { ids: [id], merchantId }: FloorOptions): Promise<void> {
  const client = await pool.connect();
  const now = new Date();
  await client.query(BEGIN);
  await client.query({ ...TAKE_PLACE, values: [id] });
  await client.query({ ...INSERT_MONEY, values: [uuid(), id, randomUUID(), now, MONEY_DETAILS, merchantId] });
  await client.query({
    ...INSERT_EVENT,
    values: [randomUUID(), merchantId, id, 'payment.transaction_accepted', 'Pending', now, '{}'],
  });
  await client.query(COMMIT);
  client.release();
}

function sampleRows({ merchantId }: FloorOptions, nth: number): SampleRow {
  return writeRows({ id: uuid(), eventId: uuid(), key: randomUUID(), merchantId, nth });
}

function insertInto(table: string, columns: string, first = 1): string {
  const places = columns.split(', ').map((_, nth) => `$${first + nth}`);
  return `insert into ${table} (${columns}) values (${places.join(', ')})`;
}

const BEGIN = { name: 'begin', text: 'begin' };
const COMMIT = { name: 'commit', text: 'commit' };
const INSERT_PAYMENT = { name: 'payment', text: insertInto('payments', PAYMENT_COLUMNS) };
const INSERT_EVENT = { name: 'event', text: insertInto('events', EVENT_COLUMNS) };
const INSERT_KEY = { name: 'key', text: insertInto('idempotency_keys', KEY_COLUMNS) };
const eventFirst = PAYMENT_COLUMNS.split(', ').length + 1;
const keyFirst = eventFirst + EVENT_COLUMNS.split(', ').length;
const INSERT_ALL = {
  name: 'all',
  text: `with payment as (${insertInto('payments', PAYMENT_COLUMNS)}),
    event as (${insertInto('events', EVENT_COLUMNS, eventFirst)})
    ${insertInto('idempotency_keys', KEY_COLUMNS, keyFirst)}`,
};
const SELECT = { name: 'select', text: 'select * from payments where id = $1 and merchant_id = $2' };
const TAKE_PLACE = {
  name: 'place',
  text: `update payments set accepted_count = accepted_count + 1, amount_paid_minor = amount_paid_minor + amount_minor,
    revision = revision + 1 where id = $1`,
};
const INSERT_MONEY = {
  name: 'money',
  text: `insert into transactions (id, payment_id, rail, provider_ref, amount_minor, currency, status, late, occurred_at,
    created_at, details, merchant_id, period) values ($1, $2, 'gpo', $3, 1525050, 'AOA', 'Accepted', false, $4, $4, $5, $6, '20')`,
};
const MONEY_DETAILS = `{"transactionNumber":"4711","clearingPeriod":"20","terminalId":"demo-pos","orderOrigin":"QRCODE"}`;
