// Measures a node that starts as by `npm start`: the time of a start on an existing folder, and its memory at rest and after requests.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../server/database/embedded/start.ts';
import type { Child } from './child.ts';
import { medianOf, type Rate } from './load.ts';
import { fetchToken, GATEWAY, gatewayEnv, untilReady, type Stage } from './stage.ts';
import { weigh, type Row } from './table.ts';

const STARTS = 5;
const REQUESTS = 100_000;
const ROUND_MS = 5_000;
/** Whatever a start goes on with is over. */
const REST_MS = 10_000;
const MIB = 1024;

export async function benchMemory(stage: Stage): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'balcao-memory-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  // With the database that it brings along, as somebody has it who tries it.
  const env = { ...gatewayEnv({ databaseUrl: '', dataDir: folder, port, rail: stage.rail }), SECRETS_KEYS: '' };
  const times: number[] = [];
  const start = async () => {
    const startedAt = performance.now();
    const node = stage.start(GATEWAY, { env });
    await untilReady(node, url);
    times.push(performance.now() - startedAt);
    return node;
  };
  let node = await start();
  // The first makes the folder.
  times.length = 0;
  while (times.length < STARTS) {
    await node.stop();
    node = await start();
  }
  await pause(REST_MS);
  const rest = memoryOf(node);
  const client = stage.start('bench/processes/client.ts');
  const load = { concurrency: 16, durationMs: ROUND_MS, url, token: await fetchToken(url) };
  for (let done = 0; done < REQUESTS;) done += ((await client.ask<Rate>('create', load)).perSecond * ROUND_MS) / 1_000;
  const worked = memoryOf(node);
  await Promise.all([client.stop(), node.stop()]);
  await rm(folder, { recursive: true, force: true });
  return [
    weigh('memory of a node at rest', rest, 170, 'MiB'),
    weigh(`memory of a node after ${REQUESTS} creations`, worked, 260, 'MiB'),
    weigh('start on a folder that is there, until ready', medianOf(times), 1_500, 'ms'),
  ];
}

/** Of the node alone: its database is another program. */
function memoryOf({ pid }: Child): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / MIB;
}
