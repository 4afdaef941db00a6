// The floors of database and network: only the necessary statements by plain pg, and bare posts by node:http.
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import pg from 'pg';
import { v7 as uuid } from 'uuid';
import { serveParent } from '../child.ts';
import { runCounted, runPaced, runTimed, type CountedLoad, type PacedLoad, type TimedLoad } from '../load.ts';
import { EVENT_COLUMNS, KEY_COLUMNS, PAYMENT_COLUMNS, writeRows, type SampleRows } from '../sample.ts';

type Open = { databaseUrl: string; poolMax: number; merchantId: string };
type Statement = { name: string; text: string };
type Query = (statement: Statement, values?: unknown[]) => Promise<unknown>;

let pool: pg.Pool;
let merchantId = '';
let nth = 0;

serveParent({
  open(options: Open): void {
    pool = new pg.Pool({ connectionString: options.databaseUrl, max: options.poolMax });
    ({ merchantId } = options);
  },
  create: (load: TimedLoad): Promise<number> => runTimed(load, () => inTransaction(insertPayment)),
  read: ({ ids, ...load }: TimedLoad & { ids: string[] }): Promise<number> =>
    runTimed(load, () => pool.query({ ...SELECT, values: [ids[nth++ % ids.length], merchantId] })),
  scan: ({ ids, ...load }: TimedLoad & { ids: string[] }): Promise<number> =>
    runTimed(load, () => inTransaction((query) => addMoney(query, ids[nth++ % ids.length] as string, randomUUID()))),
  /** Sends bare posts. Returns the posts per second. */
  post: ({ url, ...load }: TimedLoad & { url: string }): Promise<number> =>
    runTimed(load, () => post(url, writeCallback(randomUUID()))),
  /** Runs one database transaction and one post for each payment of a QR code. Returns the ids of the transactions. */
  async pay({ ids, url, ...load }: PacedLoad & { ids: string[]; url: string }): Promise<string[]> {
    const moneyIds: string[] = [];
    await runPaced(load, async (turn) => {
      const moneyId = randomUUID();
      moneyIds.push(moneyId);
      await inTransaction((query) => addMoney(query, ids[turn % ids.length] as string, moneyId));
      await post(url, writeCallback(moneyId));
    });
    return moneyIds;
  },
  /** Runs two database transactions and two posts for each payment. */
  async journey({ url, ...load }: CountedLoad & { url: string }): Promise<void> {
    await runCounted(load, async () => {
      const { id } = await inTransaction(insertPayment);
      await post(`${url}/rail`, writeCallback(id));
      await inTransaction((query) => addMoney(query, id, randomUUID()));
      await post(`${url}/webhook`, writeCallback(id));
    });
  },
});

async function inTransaction<T>(run: (query: Query) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  const query: Query = (statement, values = []) => client.query({ ...statement, values });
  await query(BEGIN);
  const result = await run(query);
  await query(COMMIT);
  client.release();
  return result;
}

async function insertPayment(query: Query): Promise<SampleRows> {
  const rows = writeRows(merchantId);
  await query(INSERT_PAYMENT, rows.payment);
  await query(INSERT_EVENT, rows.event);
  await query(INSERT_KEY, rows.key);
  return rows;
}

/** Runs the statements of one approved amount: the payment's sum, the transaction and its event. */
async function addMoney(query: Query, id: string, moneyId: string): Promise<void> {
  const now = new Date();
  await query(ADD_SUM, [id]);
  await query(INSERT_MONEY, [uuid(), id, moneyId, now, MONEY_DETAILS, merchantId]);
  await query(INSERT_EVENT, [uuid(), merchantId, id, 'payment.transaction_accepted', 'Pending', now, '{}']);
}

const agent = new Agent({ keepAlive: true });

function post(url: string, body: string): Promise<void> {
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const call = request(url, { method: 'POST', agent, headers }, (reply) => {
      let text = '';
      reply.setEncoding('utf8');
      reply.on('data', (part: string) => (text += part));
      reply.on('end', () => {
        JSON.parse(text);
        resolve();
      });
    });
    call.on('error', reject);
    call.end(body);
  });
}

/** Writes a body in the size of a real callback. */
function writeCallback(id: string): string {
  const at = new Date().toISOString();
  const about = { clearingPeriod: '20', transactionNumber: '4711', status: 'ACCEPTED', transactionType: 'PURCHASE' };
  const paid = { amount: 15_250.5, currency: 'AOA', orderOrigin: 'QRCODE', merchantReferenceNumber: 'BENCH' };
  return JSON.stringify({ creationDate: at, updatedDate: at, id, ...about, ...paid });
}

function insertInto(table: string, columns: string): string {
  const values = columns.split(', ').map((_, column) => `$${column + 1}`);
  return `insert into ${table} (${columns}) values (${values.join(', ')})`;
}

const BEGIN = { name: 'begin', text: 'begin' };
const COMMIT = { name: 'commit', text: 'commit' };
const INSERT_PAYMENT = { name: 'payment', text: insertInto('payments', PAYMENT_COLUMNS) };
const INSERT_EVENT = { name: 'event', text: insertInto('events', EVENT_COLUMNS) };
const INSERT_KEY = { name: 'key', text: insertInto('idempotency_keys', KEY_COLUMNS) };
const SELECT = { name: 'select', text: 'select * from payments where id = $1 and merchant_id = $2' };
const ADD_SUM = {
  name: 'sum',
  text: `update payments set accepted_count = accepted_count + 1, amount_paid_minor = amount_paid_minor + amount_minor,
    revision = revision + 1 where id = $1`,
};
const INSERT_MONEY = {
  name: 'money',
  text: `insert into transactions (id, payment_id, rail, provider_ref, amount_minor, currency, status, late,
    occurred_at, created_at, details, merchant_id, period)
    values ($1, $2, 'gpo', $3, 1525050, 'AOA', 'Accepted', false, $4, $4, $5, $6, '20')`,
};
const MONEY_DETAILS =
  '{"transactionNumber":"4711","clearingPeriod":"20","terminalId":"demo-pos","orderOrigin":"QRCODE"}';
