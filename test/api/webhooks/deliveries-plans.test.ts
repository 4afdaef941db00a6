// Checks the generic query plan of each statement that a node prepares while it works.
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { foldLists } from '../../../server/lists/fold.ts';
import { nightlyErasures } from '../../../server/privacy/retention.ts';
import { DUE_ENDPOINTS } from '../../../server/webhooks/deliveries.sql.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { openReference, receive } from '../../support/deliveries.ts';
import { create, travelUntil, webframe } from '../../support/payments.ts';
import { PPR } from '../../support/ppr.ts';
import { RECEIVER_ENV, startReceiver, CONFIRMATION, type Receiver } from '../../support/receiver.ts';
import { listStatements, type Statement } from '../../support/statements.ts';

let app: TestApp;
let fixture: CallbackFixture;
let merchant: Receiver;
let plans: { statement: Statement; plan: string }[];

const isTold = async () => (await fixture.deliveries()).every(({ status }) => status !== 'Pending');

async function sell() {
  const sold = await openReference(app, { token: await fixture.tokenFor({}) });
  await receive(app, sold);
  await until(isTold, 'its deliveries');
  return sold;
}

/** Runs typical requests about events and deliveries, and the jobs of the node. */
async function work(): Promise<void> {
  const { reference } = await sell();
  const paths = ['/api/events', '/api/events?after=now', '/api/callbacks', '/api/payments', '/api/refunds', PPR];
  for (const path of [...paths, `${PPR}/${reference}`]) expect((await fixture.call(path)).status).toBe(200);
  const { internalId } = await create(app, webframe());
  await app.call(`/api/payments/${internalId}/cancel`, { method: 'POST', body: {} });
  const [{ id }] = await fixture.deliveries();
  await fixture.call(`/api/callbacks/${id}`);
  merchant.answerWith({ status: 500 });
  await fixture.call(`/api/callbacks/${id}/replay`, { method: 'POST' });
  await until(
    async () => (await app.sql('select from deliveries where tries > 0 and due_at is not null')).length > 0,
    'a failure',
  );
  merchant.answerWith(CONFIRMATION);
  await travelUntil(app, isTold, 'it being told again', 60_000);
  await fixture.call('/api/callbacks/replay', { method: 'POST', body: { status: 'Delivered' } });
  await until(isTold, 'all being told again');
  await foldLists(app.node.core);
  for (const { run } of nightlyErasures(app.node.core)) await run();
  await app.clock.advance(2_000);
}

/** Returns the name of a hand-written statement, or the beginning of any other statement. */
const nameOf = ({ name, text = '' }: Statement) => (name?.includes('_') ? name : text.slice(0, 200));

beforeAll(async () => {
  app = await startTestApp({ env: RECEIVER_ENV });
  merchant = await startReceiver();
  fixture = await openCallbackFixture(app, merchant.url);
  expect((await fixture.call('/api/webhooks', { body: { url: merchant.url } })).status).toBe(201);
  await sell();
  const { statements } = await listStatements(work);
  const texts = new Map(statements.toReversed().map((one) => [one.text, one]));
  const ours = [...texts.values()].filter(({ name, text = '' }) => name && /\b(events|deliveries)\b(?!_)/.test(text));
  plans = [];
  for (const one of ours) plans.push({ statement: one, plan: await explain(app, one) });
});

/** Returns each scan of the tables together with the next line of the plan, which contains the condition. */
function scansOf(plan: string): { look: string; by: string }[] {
  const lines = plan.split('\n').map((line) => line.trim());
  return lines.flatMap((look, nth) =>
    /Scan.* on (events|deliveries)\b/.test(look) && !/Bitmap Heap/.test(look)
      ? [{ look, by: lines[nth + 1] ?? '' }]
      : [],
  );
}

/** These statements read an index from one end up to a limit, so they need no index condition. */
const ENDS = ['select max("seq")', 'due_endpoints', 'next_due'];

describe('a statement that a node prepares', () => {
  test('is in the list of frequent statements', () => {
    const names = plans.map(({ statement }) => nameOf(statement));
    const often = ['create_payments', 'claim_deliveries', 'record_attempts'];
    for (const name of often) expect(names).toContain(name);
    expect(plans.length).toBeGreaterThan(15);
  });

  test('reads events and deliveries by an index condition', () => {
    const wrong = plans.flatMap(({ statement, plan }) =>
      scansOf(plan)
        .filter(({ look, by }) => /Seq Scan/.test(look) || !/^(Index|Recheck) Cond/.test(by))
        .map(({ look }) => ({ name: nameOf(statement), look })),
    );
    expect(wrong.filter(({ name }) => !ENDS.some((end) => name.startsWith(end)))).toEqual([]);
  });
});

describe('the search for endpoints with due deliveries', () => {
  test('reads one row per endpoint, regardless of the number of due deliveries', async () => {
    // PostgreSQL collected these statistics when no delivery was due, as after a quiet night.
    await app.sql('analyze deliveries');
    await app.sql(
      `insert into deliveries (id, merchant_id, endpoint_id, kind, type, status, due_at, created_at)
       select gen_random_uuid(), $1, ('00000000-0000-7000-8000-' || lpad((n % 40)::text, 12, '0'))::uuid, 'webhook',
         'payment.paid', 'Pending', $2, $2 from generate_series(1, 4000) n`,
      [fixture.merchantId, app.clock.now()],
    );
    const lines = await app.sql(`explain (analyze, costs off, timing off) ${DUE_ENDPOINTS.text}`, [app.clock.now()]);
    const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
    const rows = scansOf(plan).map(({ look }) => Number(/rows=(\d+)/.exec(look)?.[1]));
    expect(rows.length).toBeGreaterThan(1);
    expect(Math.max(...rows)).toBe(1);
  });
});

/** Returns the generic plan of a prepared statement. The planner uses a sequential scan only if no index fits. */
async function explain(app: TestApp, { text, values = [] }: Statement): Promise<string> {
  const client = new pg.Client(app.databaseUrl);
  await client.connect();
  try {
    await client.query('set plan_cache_mode = force_generic_plan; set enable_seqscan = off');
    await client.query(`prepare asked as ${text}`);
    const parameters = values.length > 0 ? `(${values.map(literalOf).join(', ')})` : '';
    const { rows } = await client.query(`explain (costs off) execute asked${parameters}`);
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
