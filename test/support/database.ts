// Creates a migrated, empty database for a test file.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export type FreshDatabase = { url: string; drop(): Promise<void> };

/** The pools of these databases. Opening a connection takes a hundred times as long as most statements. */
const pools = new Map<string, pg.Pool>();

export async function freshDatabase(): Promise<FreshDatabase> {
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  const admin = new URL(inject('databaseUrl'));
  const template = admin.pathname.slice(1);
  admin.pathname = '/postgres';
  // The strategy `file_copy` copies files. The default strategy writes each page twice, because it uses the log.
  await runAs(admin, `create database ${name} template ${template} strategy file_copy`);
  const { href: url } = Object.assign(new URL(admin), { pathname: `/${name}` });
  const pool = new pg.Pool({ connectionString: url, idleTimeoutMillis: 0, allowExitOnIdle: true });
  pool.on('error', () => {});
  pools.set(url, pool);
  return {
    url,
    async drop() {
      pools.delete(url);
      const ended = pool.end();
      await runAs(admin, `drop database if exists ${name} with (force)`);
      // The pool ends after the database, because dropping the database ends statements that wait for a lock.
      await ended;
    },
  };
}

export async function emptyDatabase(): Promise<FreshDatabase> {
  const admin = new URL(inject('databaseUrl'));
  admin.pathname = '/postgres';
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  await runAs(admin, `create database ${name} template template0`);
  const { href: url } = Object.assign(new URL(admin), { pathname: `/${name}` });
  return { url, drop: () => runAs(admin, `drop database if exists ${name} with (force)`) };
}

async function runAs(url: URL, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url.href });
  client.on('error', () => {});
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** Runs a statement on the test database with this URL. */
export async function querySql<T = any>(url: string, text: string, values: unknown[] = []): Promise<T[]> {
  const pool = pools.get(url);
  if (pool) return (await run(pool, text, values)).rows;
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await run(client, text, values)).rows;
  } finally {
    await client.end();
  }
}

function run(on: pg.Pool | pg.Client, text: string, values: unknown[]): Promise<pg.QueryResult> {
  return values.length > 0 ? on.query(text, values) : on.query(text);
}
