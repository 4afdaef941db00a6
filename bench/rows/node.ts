// One gateway with its embedded database, as `npm start` runs it: the gateway's memory and its start time.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BenchFixture } from '../kit/fixture.ts';
import { fetchToken, startGateway } from '../kit/gateway.ts';
import type { Row } from '../kit/table.ts';

const CREATIONS = 30_000;
/** The background work after a gateway's start ends within this time. */
const REST_MS = 10_000;

export async function openMemory(fixture: BenchFixture): Promise<Row[]> {
  const gateway = await startGateway(fixture, { dataDir: fixture.makeFolder(), rail: fixture.rail });
  const client = fixture.start('bench/kit/processes/client.ts');
  const bare = fixture.start('bench/kit/processes/stream-floor.ts');
  await bare.call('listen', { event: '' });
  return [
    {
      name: 'memory of a node at rest ÷ bare node:http',
      unit: 'MiB',
      target: { atMost: 2 },
      rounds: 1,
      async measure() {
        await pause(REST_MS);
        return memoryOf(gateway.pid());
      },
      floor: () => memoryOf(bare.pid),
    },
    {
      name: `memory of a node after ${CREATIONS.toLocaleString('en')} creations ÷ bare node:http`,
      unit: 'MiB',
      target: { atMost: 3 },
      rounds: 1,
      async measure() {
        const { url } = gateway;
        const load = { concurrency: 16, count: CREATIONS };
        await client.call('createMany', { url, token: await fetchToken(url), ...load });
        return memoryOf(gateway.pid());
      },
      floor: () => memoryOf(bare.pid),
    },
  ];
}

export async function openStart(fixture: BenchFixture): Promise<Row[]> {
  const gateway = await startGateway(fixture, { dataDir: fixture.makeFolder(), rail: fixture.rail });
  const dataDir = join(fixture.makeFolder(), 'database');
  return [
    {
      name: 'start on an existing folder until ready ÷ PostgreSQL started by Node alone',
      unit: 'ms',
      target: { atMost: 2.5 },
      async measure() {
        await gateway.stop();
        return timeOnce(gateway.start);
      },
      async floor() {
        const database = fixture.start('bench/kit/processes/database.ts');
        const ms = await timeOnce(() => database.call('start', { dataDir }));
        await database.stop();
        return ms;
      },
    },
  ];
}

async function timeOnce(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

/** Reads the resident memory of a process in MiB. PostgreSQL is a separate process and not included. */
function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
