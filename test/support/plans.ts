// The plans of prepared statements.
import pg from 'pg';
import type { TestApp } from './app.ts';
import type { Asked } from './statements.ts';

/** The generic plan of a statement, without sequential scans where an index will do. */
export async function explain(app: TestApp, { text, values = [] }: Asked): Promise<string> {
  const client = new pg.Client(app.databaseUrl);
  await client.connect();
  try {
    await client.query('set plan_cache_mode = force_generic_plan; set enable_seqscan = off');
    await client.query(`prepare asked as ${text}`);
    const given = values.length > 0 ? `(${values.map(literalOf).join(', ')})` : '';
    const { rows } = await client.query(`explain (costs off) execute asked${given}`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    await client.end();
  }
}

function literalOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return pg.escapeLiteral(textOf(value));
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `{${value.map((one) => JSON.stringify(one === null ? null : textOf(one))).join()}}`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
