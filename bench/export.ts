// A long list as CSV: rows a second beside PostgreSQL's COPY, memory of the node, and the latency of other requests.
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { DEMO } from '../sandbox/seed.ts';
import type { Child } from './child.ts';
import { medianOf, percentileOf } from './load.ts';
import type { Taken } from './processes/exporter.ts';
import type { Options, Stage } from './stage.ts';
import { showRate, type Row } from './table.ts';

const ROUNDS = 3;
const READS_PER_SECOND = 200;
const ALONE_MS = 5_000;
const MOST_MIB = 32;
const MIB = 2 ** 20;

/** What the gateway writes, in its order. */
const COPY = `copy (select created_at, completed_at, id, reference, payment_type, payment_method, status, amount_minor,
  amount_paid_minor, refunded_minor, currency, description, custom_metadata from payments
  where merchant_id = '${DEMO.merchantId}' order by created_at desc, id desc) to stdout (format csv, header)`;

type Round = { ours: number; copy: number; grown: number; alone: number; meanwhile: number };

export async function benchExport(stage: Stage, { rows }: Options): Promise<Row[]> {
  await fillPayments(stage.database, rows);
  const taker = stage.start('bench/processes/exporter.ts');
  const reader = stage.start('bench/processes/exporter.ts');
  const rounds: Round[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const measured = await runRound(stage, { rows, taker, reader });
    // The first round warms up.
    if (round > 0) rounds.push(measured);
  }
  await Promise.all([taker.stop(), reader.stop()]);
  const median = (read: (round: Round) => number) => medianOf(rounds.map(read));
  return [
    {
      name: `${rows} payments as CSV ÷ COPY … TO STDOUT, rows`,
      ours: showRate(median(({ ours }) => ours)),
      floor: showRate(median(({ copy }) => copy)),
      ratio: median(({ ours, copy }) => ours / copy),
      target: { atLeast: 0.15 },
    },
    {
      name: `memory of the node at most meanwhile, beyond before ÷ ${MOST_MIB} MiB`,
      ours: `${median(({ grown }) => grown).toFixed(1)} MiB`,
      floor: `${MOST_MIB.toFixed(1)} MiB`,
      ratio: median(({ grown }) => grown / MOST_MIB),
      target: { atMost: 1 },
    },
    {
      name: `GET /api/payments/{id}, p99, ${READS_PER_SECOND}/s meanwhile ÷ alone`,
      ours: `${median(({ meanwhile }) => meanwhile).toFixed(2)} ms`,
      floor: `${median(({ alone }) => alone).toFixed(2)} ms`,
      ratio: median(({ alone, meanwhile }) => meanwhile / alone),
      target: { atMost: 3 },
    },
  ];
}

type RoundOptions = { rows: number; taker: Child; reader: Child };

async function runRound(stage: Stage, { rows: count, taker, reader }: RoundOptions): Promise<Round> {
  const { databaseUrl, database, gateway, url, token } = stage;
  const { rows } = await database.query<{ id: string }>('select id from payments limit 1');
  const one = { url, token, id: rows[0]?.id, perSecond: READS_PER_SECOND };
  const takeList = () => taker.ask<Taken>('takeList', { url: `${url}/api/payments?dialect=rfc4180`, token });
  const copied = await taker.ask<Taken>('copy', { databaseUrl, statement: COPY });
  const before = await gateway.ask<number>('memory');
  const resident = watchMemory(gateway);
  const taken = await takeList();
  const most = await resident.stop();
  const read = async (while_: () => Promise<unknown>) => {
    const reading = reader.ask<number[]>('readInTurn', one);
    await while_();
    await reader.ask('stopReading');
    return percentileOf(await reading, 0.99);
  };
  const alone = await read(() => pause(ALONE_MS));
  const meanwhile = await read(takeList);
  for (const { lines } of [taken, copied]) if (lines !== count + 1) throw new Error(`${lines} lines of ${count + 1}`);
  const rate = ({ lines, ms }: Taken) => (lines * 1_000) / ms;
  return { ours: rate(taken), copy: rate(copied), grown: (most - before) / MIB, alone, meanwhile };
}

/** The most that the process has of the machine's memory, until it is stopped. */
function watchMemory(gateway: Child): { stop(): Promise<number> } {
  let isOver = false;
  const watching = (async () => {
    let most = 0;
    while (!isOver) {
      most = Math.max(most, await gateway.ask<number>('resident'));
      await pause(50);
    }
    return most;
  })();
  return {
    stop() {
      isOver = true;
      return watching;
    },
  };
}

/** So many payments of the demo merchant and of nobody else, a second apart until now. */
async function fillPayments(pool: Pool, count: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    // What is written here fits together: checking a million keys would take longer than writing them.
    await client.query('set local session_replication_role = replica');
    await client.query('truncate payments cascade');
    await client.query(FILL, [DEMO.merchantId, count]);
    await client.query('commit');
    await client.query('vacuum analyze payments');
  } finally {
    client.release();
  }
}

const FILL = `
insert into payments (id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status, revision,
  description, custom_metadata, attempts_made, created_at, completed_at, amount_paid_minor)
select uuidv7(), $1::uuid, 'B' || nth, 1525050 + nth, 'AOA', 'GPO', 'webframe', 'Paid', 1,
  'Encomenda 20418: 2 kg de café de Amboim, 1 pano samakaka',
  '{"orderId":"20418","cart":[{"sku":"cafe-amboim","quantity":2}],"channel":"loja"}', 0,
  now() - ($2::int - nth) * interval '1 second', now(), 1525050 + nth
from generate_series(1, $2::int) as nth`;
