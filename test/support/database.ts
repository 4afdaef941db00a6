// A migrated, empty database of a test file's own.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export type FreshDatabase = { url: string; drop(): Promise<void> };

export async function freshDatabase(): Promise<FreshDatabase> {
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  const admin = new URL(inject('databaseUrl'));
  const template = admin.pathname.slice(1);
  admin.pathname = '/postgres';
  await runAs(admin, `create database ${name} template ${template}`);
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => runAs(admin, `drop database if exists ${name} with (force)`) };
}

async function runAs(url: URL, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url.href });
  client.on('error', () => {});
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** Runs statements on a database, over a connection of its own. */
export async function querySql<T = any>(url: string, text: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (values.length > 0 ? await client.query(text, values) : await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
