// A settlement of 100,000 movements in one page: beside its bare query, and what others wait for meanwhile.
import { DEMO } from '../sandbox/seed.ts';
import { medianOf } from './load.ts';
import type { PageRead } from './processes/exporter.ts';
import { fillReceived } from './received.ts';
import type { Stage } from './stage.ts';
import type { Row } from './table.ts';

const MOVEMENTS = 100_000;
const PERIOD = '90000';
const ROUNDS = 5;

/** What each movement shows, in its order. */
const QUERY = `select t.id, t.payment_id, p.reference, p.payment_method, t.rail, t.currency, t.late, t.provider_ref,
    t.details ->> 'transactionNumber', t.amount_minor, t.fee_minor, t.refunded_minor, t.occurred_at, t.created_at, t.period
  from transactions t join payments p on p.id = t.payment_id
  where t.merchant_id = '${DEMO.merchantId}' and t.rail = 'gpo' and t.period = '${PERIOD}' and t.currency = 'AOA'
  order by t.occurred_at desc, t.id desc limit ${MOVEMENTS}`;

export async function benchBooks(stage: Stage): Promise<Row[]> {
  const { url, token, databaseUrl, database, gateway } = stage;
  await fillReceived(database, PERIOD, MOVEMENTS);
  const found = await database.query<{ id: string }>('select id from settlements where period = $1', [PERIOD]);
  const page = { token, url: `${url}/api/settlements/${found.rows[0]?.id}?limit=${MOVEMENTS}` };
  const reader = stage.start('bench/processes/exporter.ts');
  const rounds: { ours: number; query: number; stopped: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const { ms: query } = await reader.ask<PageRead>('queryPage', { databaseUrl, statement: QUERY });
    await gateway.ask('watchLoop');
    const { ms: ours } = await reader.ask<PageRead>('readPage', page);
    const stopped = await gateway.ask<number>('longestStop');
    // The first round warms up.
    if (round > 0) rounds.push({ ours, query, stopped });
  }
  await reader.stop();
  const median = (read: (round: (typeof rounds)[number]) => number) => medianOf(rounds.map(read));
  return [
    {
      name: `GET /api/settlements/{id}, ${MOVEMENTS} movements in one page ÷ their query`,
      ours: `${median(({ ours }) => ours).toFixed(0)} ms`,
      floor: `${median(({ query }) => query).toFixed(0)} ms`,
      ratio: median(({ ours, query }) => ours / query),
      target: { atMost: 3 },
    },
    {
      name: `the longest that its node stands still for others meanwhile ÷ 50 ms`,
      ours: `${median(({ stopped }) => stopped).toFixed(0)} ms`,
      floor: '50 ms',
      ratio: median(({ stopped }) => stopped / 50),
      target: { atMost: 1 },
    },
  ];
}
