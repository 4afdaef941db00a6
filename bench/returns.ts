// A node with ten thousand streams is stopped in order: when its readers are back at the other, and what others wait for there meanwhile.
import { setTimeout as pause } from 'node:timers/promises';
import { percentileOf } from './load.ts';
import { createDatabase, startNodes, type GatewayNode } from './nodes.ts';
import { createPayments } from './payments.ts';
import type { Called, Calls } from './processes/caller.ts';
import type { Return } from './processes/returners.ts';
import { fetchToken, type Stage } from './stage.ts';
import { descriptorLimit } from './streams.ts';
import type { Row } from './table.ts';

const MOST_STREAMS = 10_000;
/** The default, and what so many streams want: a core takes up some 800 a second. */
const DRAINS_S = ['5', '20'];
const PER_SECOND = 20;

export async function benchReturns(stage: Stage): Promise<Row[]> {
  const count = Math.min(MOST_STREAMS, descriptorLimit() - 1_000);
  const rows: Row[] = [];
  for (const drainS of DRAINS_S) rows.push(...(await stopOne(stage, drainS, count)));
  return rows;
}

async function stopOne(stage: Stage, drainS: string, count: number): Promise<Row[]> {
  const databaseUrl = await createDatabase(stage, `returns_${drainS}`);
  const publicUrl = 'http://127.0.0.1';
  const options = { databaseUrl, rail: stage.rail, count: 2, publicUrl, env: { DRAIN_S: drainS } };
  const [leaving, staying] = (await startNodes(stage, options)) as [GatewayNode, GatewayNode];
  const token = await fetchToken(staying.url);
  const payments = await createPayments({ url: staying.url, token }, count);
  const readers = stage.start('bench/processes/returners.ts');
  const paths = payments.map(({ clientToken }) => `/checkout/${clientToken}/events`);
  await readers.ask('open', { url: leaving.url, paths });
  await readers.ask('send', { url: staying.url });

  const caller = stage.start('bench/processes/caller.ts');
  const calls: Calls = { url: staying.url, token, perSecond: PER_SECOND, count: 1e6, isKept: true };
  await caller.ask<Called>('call', { ...calls, count: 5 * PER_SECOND });
  const calling = caller.ask<Called>('call', calls);
  await leaving.stop();
  while ((await readers.ask<number>('count')) < count) await pause(100);
  await caller.ask('end');
  const { ms, failed } = await calling;
  const { returns, failed: refused } = await readers.ask<{ returns: Return[]; failed: number }>('collect');
  await Promise.all([readers, caller, staying].map((child) => child.stop()));
  if (Object.keys(failed).length > 0) console.error('calls beside it failed', failed);

  const backAt = returns.map((one) => one.backAt);
  const spreadS = (percentileOf(backAt, 0.99) - percentileOf(backAt, 0.01)) / 1_000;
  const gaps = returns.map((one) => one.backAt - one.lostAt);
  const most = mostInAQuarterSecond(backAt);
  const p99 = percentileOf(ms, 0.99);
  const about = `a node with ${count} streams stops (DRAIN_S=${drainS})`;
  const gap = `${(percentileOf(gaps, 0.5) / 1_000).toFixed(1)} s, at most ${(Math.max(...gaps) / 1_000).toFixed(1)}`;
  return [
    {
      name: `${about}: readers back at the other within ${spreadS.toFixed(1)} s (each without for ${gap}; ${refused} refused)`,
      ours: String(returns.length),
      floor: String(count),
      ratio: returns.length / count,
      target: { atLeast: 1 },
    },
    {
      name: `DRAIN_S=${drainS}: most of them in one quarter second ÷ all at once`,
      ours: String(most),
      floor: String(count),
      ratio: most / count,
      target: { atMost: 0.2 },
    },
    {
      name: `DRAIN_S=${drainS}: p99 of calls at the other meanwhile (${ms.length} of them) ÷ 100 ms`,
      ours: `${p99.toFixed(0)} ms`,
      floor: '100 ms',
      ratio: p99 / 100,
      target: { atMost: 1 },
    },
  ];
}

function mostInAQuarterSecond(times: number[]): number {
  const counts = new Map<number, number>();
  for (const at of times) counts.set(Math.floor(at / 250), (counts.get(Math.floor(at / 250)) ?? 0) + 1);
  return Math.max(...counts.values());
}
