// A rolling restart under load: two nodes stopped and started in turn, behind haproxy and behind a balancer of connections; what failed.
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../server/database/embedded/start.ts';
import { createDatabase, startBalancer, startHaproxy, startNodes, type Front, type GatewayNode } from './nodes.ts';
import { percentileOf } from './load.ts';
import type { Called, Calls } from './processes/caller.ts';
import { fetchToken, type Stage } from './stage.ts';
import type { Row } from './table.ts';

const REQUESTS = 10_000;
const PER_SECOND = 150;
const DRAIN_S = '5';
/** What a balancer needs to find that a node is back. */
const SEEN_MS = 2_500;

export async function benchRestart(stage: Stage): Promise<Row[]> {
  const databaseUrl = await createDatabase(stage, 'restart');
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const nodes = await startNodes(stage, { databaseUrl, rail: stage.rail, count: 2, publicUrl, env: { DRAIN_S } });
  const rows: Row[] = [];
  const fronts = {
    haproxy: () => startHaproxy({ port, nodes }),
    'an L4 balancer': () => startBalancer(stage, { port, nodes }),
  };
  for (const [name, open] of Object.entries(fronts)) {
    const front: Front | null = await open();
    if (!front) {
      console.error(`${name} is not installed: left out`);
      continue;
    }
    for (const isKept of [true, false]) rows.push(await restartUnderLoad(stage, { name, front, nodes, isKept }));
    await front.stop();
  }
  await Promise.all(nodes.map((node) => node.stop()));
  return rows;
}

type Scene = { name: string; front: Front; nodes: GatewayNode[]; isKept: boolean };

async function restartUnderLoad(stage: Stage, { name, front, nodes, isKept }: Scene): Promise<Row> {
  const caller = stage.start('bench/processes/caller.ts');
  const token = await fetchToken(front.url);
  const calls: Calls = { url: front.url, token, perSecond: PER_SECOND, count: REQUESTS, isKept };
  let isCalling = true;
  const calling = caller.ask<Called>('call', calls).finally(() => (isCalling = false));
  let restarts = 0;
  while (isCalling) {
    const node = nodes[restarts % nodes.length] as GatewayNode;
    await node.stop();
    await node.start();
    restarts++;
    await pause(SEEN_MS);
  }
  const { answered, failed, ms } = await calling;
  await caller.stop();
  const lost = Object.values(failed).reduce((sum, count) => sum + count, 0);
  if (lost > 0) console.error(name, failed);
  const connections = isKept ? 'kept connections' : 'a connection each';
  return {
    name: `failed of ${REQUESTS} requests through ${restarts} restarts, ${name}, ${connections} (p99 ${percentileOf(ms, 0.99).toFixed(0)} ms)`,
    ours: String(lost),
    floor: String(answered + lost),
    ratio: lost / (answered + lost),
    target: { atMost: 0 },
  };
}
