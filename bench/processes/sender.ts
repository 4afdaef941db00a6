// The load on the SMS API, and what it is measured by: the same messages by bare fetch, the same rows by bare statements.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { v7 as uuid } from 'uuid';
import { serveParent } from '../child.ts';
import { openConnections, writeHttp } from '../connection.ts';
import { runForAWhile, type Load, type Rate } from '../load.ts';
import { KEY_COLUMNS } from '../sample.ts';
import { openWallClock } from '../wall.ts';

export type ScheduleOptions = Load & { url: string; token: string; body: string };
export type DebitOptions = Load & { databaseUrl: string; poolMax: number; merchantId: string; answer: string };
/** `dueAt`: the time of day in milliseconds; `to`: a phone of its own. */
export type Moment = { to: string; dueAt: number };

const wallMs = openWallClock();

serveParent({
  schedule,
  debit,
  fetch: ({ railUrl, ...load }: Load & { railUrl: string }): Promise<Rate> =>
    runForAWhile(load, () => postMessage(railUrl, '+244923000000')),
  /** Each message by a timer of its own. */
  async later({ railUrl, moments }: { railUrl: string; moments: Moment[] }): Promise<void> {
    await Promise.all(
      moments.map(async ({ to, dueAt }) => {
        await pause(dueAt - wallMs());
        await postMessage(railUrl, to);
      }),
    );
  },
});

/** As the gateway writes one. */
async function postMessage(railUrl: string, to: string): Promise<void> {
  const body = JSON.stringify({
    id: randomUUID(),
    sender: 'BALCAO',
    to,
    text: 'A sua encomenda chegou. Pode levantar hoje.',
  });
  const answer = await fetch(`${railUrl}/v1/messages`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
  });
  await answer.json();
}

/** One schedule after another on each connection. @throws when one is refused */
async function schedule({ url, token, body, ...load }: ScheduleOptions): Promise<Rate> {
  const connections = await openConnections(url, load.concurrency);
  const address = new URL('/api/Envio/agendarSms', url);
  const rate = await runForAWhile(load, async () => {
    const headers = { Authorization: `Bearer ${token}`, 'Idempotency-Key': randomUUID() };
    const reply = await connections.send(writeHttp('POST', address, headers, body));
    if (reply.status !== 201) throw new Error(`answered ${reply.status}: ${reply.body}`);
  });
  connections.close();
  return rate;
}

/** The rows of one schedule; everybody at the account's row, last before the key, as it is held until the commit. */
async function debit({ databaseUrl, poolMax, merchantId, answer, ...load }: DebitOptions): Promise<Rate> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: poolMax });
  const rate = await runForAWhile(load, async () => {
    const client = await pool.connect();
    const [batchId, now] = [uuid(), new Date()];
    const runAt = new Date(now.getTime() + 2 * 86_400_000);
    await client.query(BEGIN);
    await client.query({ ...INSERT_BATCH, values: [batchId, merchantId, runAt, now] });
    await client.query({ ...INSERT_MESSAGE, values: [uuid(), merchantId, batchId] });
    await client.query({ ...DEBIT, values: [uuid(), merchantId, batchId, now] });
    await client.query({ ...INSERT_KEY, values: [merchantId, randomUUID(), 'x'.repeat(43), 201, answer, now] });
    await client.query(COMMIT);
    client.release();
  });
  await pool.end();
  return rate;
}

const BEGIN = { name: 'begin', text: 'begin' };
const COMMIT = { name: 'commit', text: 'commit' };
const INSERT_BATCH = {
  name: 'batch',
  text: `insert into sms_batches (id, merchant_id, sender, content, recipients, units, status, run_at, created_at, due_at)
    values ($1, $2, 'BALCAO', 'A sua encomenda chegou. Pode levantar hoje.', 1, 1, 'Scheduled', $3, $4, $3)`,
};
const INSERT_MESSAGE = {
  name: 'message',
  text: `insert into sms_messages (id, merchant_id, batch_id, phone, parts, status)
    values ($1, $2, $3, '+244922000000', 1, 'Pending')`,
};
const DEBIT = {
  name: 'debit',
  text: `with account as (
      update sms_accounts set balance = balance - 1, updated_at = $4 where merchant_id = $2 and balance >= 1 returning balance)
    insert into sms_ledger (id, merchant_id, kind, quantity, balance_after, description, batch_id, created_at)
    select $1, $2, 'debit', 1, balance, 'Agendamento de 1 SMS', $3, $4 from account`,
};
const INSERT_KEY = {
  name: 'key',
  text: `insert into idempotency_keys (${KEY_COLUMNS}) values ($1, $2, $3, $4, $5, $6)`,
};
