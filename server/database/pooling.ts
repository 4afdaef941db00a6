// How the database is reached: by itself, or through a pooler (PgBouncer) that lends its connections for a session or for a transaction.
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { CannotStart } from '../config.ts';
import { connectTo, DatabaseClient } from './connect.ts';

export type Pooling = 'none' | 'session' | 'transaction';

/** In milliseconds, by the database's own names. */
export type Timeouts = Partial<
  Record<'statement_timeout' | 'idle_in_transaction_session_timeout' | 'lock_timeout', number>
>;

/** What a pool needs so that its connections have these. */
export function withTimeouts(pooling: Pooling, timeouts: Timeouts): Partial<pg.PoolConfig> {
  // With the connection itself, which costs nothing; a pooler takes none so.
  if (pooling === 'none') return timeouts;
  // Here a session's settings would stay with whoever has the connection next: the pooler's own connections have them.
  if (pooling === 'transaction') return {};
  return setTimeouts(timeouts);
}

/** Sets them whatever the database or its pooler has set by itself; 0 is none. */
export function setTimeouts(timeouts: Timeouts): Partial<pg.PoolConfig> {
  const text = Object.entries(timeouts)
    .map(([name, ms]) => `set ${name} = ${ms}`)
    .join('; ');
  return {
    onConnect: async (client) => {
      // Nobody watches yet whether it falls silent.
      await client.query({ text, query_timeout: ASK_MS } as pg.QueryConfig);
    },
  };
}

const ASK_MS = 5_000;

/** Whether an error of a first connection is a pooler's, which takes no time-outs with it. */
export function isPoolersRefusal(error: unknown): boolean {
  const { code, message } = error as { code?: string; message: string };
  return code === '08P01' && message.startsWith('unsupported startup parameter');
}

/** A pooler calls its sessions by numbers of its own. */
export async function isPooled(pool: pg.Pool): Promise<boolean> {
  const client = await pool.connect();
  try {
    return (await askPid(client)) !== (client as unknown as { processID: number }).processID;
  } finally {
    client.release();
  }
}

/** How a pooler lends its connections. @throws CannotStart where we could not work so */
export async function askPooler(url: string, atMost: Timeouts): Promise<Pooling> {
  const mode = await tellMode(url);
  if (mode === 'transaction') await demandTimeouts(url, atMost);
  return mode;
}

async function askPid(client: pg.ClientBase, name?: string): Promise<number> {
  const asked = { text: 'select pg_backend_pid() as pid', query_timeout: ASK_MS, ...(name && { name }) };
  return (await client.query<{ pid: number }>(asked)).rows[0]?.pid as number;
}

/** Of a busy pooler the connection that one session gave back may be with somebody else before the other asks. */
const LOOKS = 20;

/** Two sessions that have one connection of the database in turn have it for a transaction each. */
async function tellMode(url: string): Promise<'session' | 'transaction'> {
  return withClients(url, 2, async ([one, other]) => {
    const known = new Set<number>();
    for (let look = 0; look < LOOKS; look++) {
      // Both prepare it: where they meet, a pooler that keeps no account of prepared statements refuses the second.
      const name = `look_${randomUUID()}`;
      const pids = [await askPid(one, name), await askPid(other, name)];
      if (pids[0] === pids[1]) return 'transaction';
      for (const pid of pids) known.add(pid);
    }
    return known.size > 2 ? 'transaction' : 'session';
  }).catch((error: unknown) => {
    // It exists already, or does not exist yet.
    if (!['42P05', '26000'].includes(String((error as { code?: string }).code))) throw error;
    throw new CannotStart(
      'DATABASE_URL: this pooler lends its connections by the transaction and keeps no prepared statements; it must be PgBouncer 1.21 or newer with max_prepared_statements, or lend by the session (pool_mode = session).',
    );
  });
}

async function demandTimeouts(url: string, atMost: Timeouts): Promise<void> {
  const names = Object.keys(atMost);
  const { rows } = await withClients(url, 1, ([client]) =>
    client.query<{ name: keyof Timeouts; ms: number }>(
      'select name, setting::int as ms from pg_settings where name = any($1)',
      [names],
    ),
  );
  if (rows.every(({ name, ms }) => ms > 0 && ms <= (atMost[name] ?? 0))) return;
  const sets = Object.entries(atMost).map(([name, ms]) => `set ${name} = ${ms}`);
  throw new CannotStart(
    `DATABASE_URL: a pooler that lends its connections by the transaction must give them their time-outs itself, connect_query='${sets.join('; ')}' (docs/operate.md, PgBouncer).`,
  );
}

async function withClients<T>(
  url: string,
  count: number,
  work: (clients: [pg.Client, pg.Client]) => Promise<T>,
): Promise<T> {
  const connecting = connectTo(url, { withinMs: ASK_MS, isLimit: true });
  const clients = Array.from({ length: count }, () => new DatabaseClient(connecting));
  try {
    for (const client of clients) {
      client.on('error', () => {});
      await client.connect();
    }
    return await work(clients as pg.Client[] as [pg.Client, pg.Client]);
  } finally {
    for (const client of clients) await client.end().catch(() => {});
  }
}
