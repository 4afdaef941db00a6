// How the database goes about a statement of the house, once it plans it for any values.
import pg from 'pg';
import type { TestApp } from './app.ts';
import type { Asked } from './statements.ts';

/** Its generic plan, where sequential scans are as dear as can be; `isRun`: with what came of each step, undone after. */
export async function explain(app: TestApp, { text, values = [] }: Asked, isRun = false): Promise<string> {
  const client = new pg.Client(app.databaseUrl);
  await client.connect();
  try {
    await client.query('begin');
    await client.query('set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off');
    await client.query(`prepare asked as ${text}`);
    const given = values.length > 0 ? `(${values.map(literalOf).join(', ')})` : '';
    const how = isRun ? 'analyze, costs off, timing off, summary off, buffers off' : 'costs off';
    const { rows } = await client.query(`explain (${how}) execute asked${given}`);
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
