// What a second node adds on one PostgreSQL, each with the same share of the processor: creations, and streams taken up.
import { medianOf, type Rate } from './load.ts';
import { createDatabase, startNodes, type GatewayNode } from './nodes.ts';
import { createPayments } from './payments.ts';
import { shareOut } from './shares.ts';
import { fetchToken, type Stage } from './stage.ts';
import { showRate, type Row } from './table.ts';

const ROUNDS = 5;
const ROUND_MS = 3_000;
const STREAMS = 2_000;
const CONCURRENCY = 16;

export async function benchSecondNode(stage: Stage): Promise<Row[]> {
  const databaseUrl = await createDatabase(stage, 'second_node');
  const options = { databaseUrl, rail: stage.rail, count: 2, publicUrl: 'http://127.0.0.1' };
  const nodes = (await startNodes(stage, options)) as Nodes;
  const shares = shareOut(nodes.map((node) => node.pid()));
  try {
    const token = await fetchToken(nodes[0].url);
    const creations = await compareCreations(stage, nodes, token);
    const streams = await compareStreams(stage, nodes, token);
    return [
      compare(`creations a second by two nodes (${shares.each}) ÷ by one`, creations),
      compare(`${STREAMS} streams opened, a second, by two nodes ÷ by one`, streams),
    ];
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
    shares.end();
  }
}

type Nodes = [GatewayNode, GatewayNode];

/** What one and what two did in each round, a second. */
type Round = { one: number; two: number };

async function compareCreations(stage: Stage, nodes: Nodes, token: string): Promise<Round[]> {
  const clients = nodes.map(() => stage.start('bench/processes/client.ts'));
  const create = async (count: number) => {
    const load = { concurrency: CONCURRENCY, durationMs: ROUND_MS, token };
    const rates = nodes.slice(0, count).map(({ url }, nth) => clients[nth]?.ask<Rate>('create', { ...load, url }));
    return (await Promise.all(rates)).reduce((sum, rate) => sum + (rate?.perSecond ?? Number.NaN), 0);
  };
  await create(2);
  const rounds = await inTurn(create);
  await Promise.all(clients.map((client) => client.stop()));
  return rounds;
}

/** Streams taken up, each with its first event: half of them by each node. */
async function compareStreams(stage: Stage, nodes: Nodes, token: string): Promise<Round[]> {
  const payments = await createPayments({ url: nodes[0].url, token }, STREAMS);
  const paths = payments.map(({ clientToken }) => `/checkout/${clientToken}/events`);
  const readers = nodes.map(() => stage.start('bench/processes/readers.ts'));
  const open = async (count: number) => {
    const startedAt = performance.now();
    const opened = nodes.slice(0, count).map(({ url }, nth) => {
      const own = paths.filter((_, place) => place % count === nth);
      return readers[nth]?.ask('open', { url, paths: own });
    });
    await Promise.all(opened);
    const tookMs = performance.now() - startedAt;
    await Promise.all(readers.map((reader) => reader.ask('close', { keep: 0 })));
    return (STREAMS * 1_000) / tookMs;
  };
  await open(2);
  const rounds = await inTurn(open);
  await Promise.all(readers.map((reader) => reader.stop()));
  return rounds;
}

/** Turn about, since the machine's speed wanders. */
async function inTurn(measure: (nodes: number) => Promise<number>): Promise<Round[]> {
  const rounds: Round[] = [];
  while (rounds.length < ROUNDS) rounds.push({ one: await measure(1), two: await measure(2) });
  return rounds;
}

function compare(name: string, rounds: Round[]): Row {
  return {
    name,
    ours: showRate(medianOf(rounds.map(({ two }) => two))),
    floor: showRate(medianOf(rounds.map(({ one }) => one))),
    ratio: medianOf(rounds.map(({ one, two }) => two / one)),
    target: { atLeast: 1.7 },
  };
}
