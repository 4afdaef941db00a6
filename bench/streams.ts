// Open streams of the checkout beside bare node:http: memory a stream, one event at every stream, commit to page.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Child } from './child.ts';
import { medianOf, percentileOf } from './load.ts';
import { createPayments, openMover, type Mover, type Payment } from './payments.ts';
import type { Arrival } from './processes/readers.ts';
import { PROBED, type Stage } from './stage.ts';
import type { Row } from './table.ts';

const MOST_STREAMS = 10_000;
const WATCHED_STREAMS = 1_000;
const WARM_STREAMS = 200;
const CHANGES_PER_SECOND = 200;
const FANOUTS = 6;

export async function benchStreams(stage: Stage): Promise<Row[]> {
  const count = Math.min(MOST_STREAMS, descriptorLimit() - 1_000);
  const payments = await createPayments(stage, count + WARM_STREAMS);
  const event = await readFirstEvent(stage, payments[0] as Payment);
  const bare = stage.start('bench/processes/bare.ts', PROBED);
  const bareUrl = await bare.ask<string>('listen', { event });
  const readers = { ours: stage.start('bench/processes/readers.ts'), bare: stage.start('bench/processes/readers.ts') };
  const scene: Scene = { stage, bare, bareUrl, readers, mover: await openMover(stage) };
  const warm = payments.splice(0, WARM_STREAMS);
  await warmUp(scene, warm);
  const memory = await compareMemory(scene, payments);
  await closeStreams(scene, WATCHED_STREAMS);
  // Nine thousand that end at once are no part of what follows.
  await Promise.all([stage.gateway.ask('memory'), bare.ask('memory')]);
  const latency = await compareLatency(scene, payments.slice(0, WATCHED_STREAMS));
  await closeStreams(scene, 0);
  const beside = await compareBeside(scene, payments.slice(WATCHED_STREAMS, 2 * WATCHED_STREAMS));
  await closeStreams(scene, 0);
  const fanout = await compareFanout(scene, count);
  scene.mover.close();
  await Promise.all([bare, readers.ours, readers.bare].map((child) => child.stop()));
  return [memory, fanout, ...latency, beside];
}

type Scene = {
  stage: Stage;
  bare: Child;
  bareUrl: string;
  readers: { ours: Child; bare: Child };
  mover: Mover;
};

/** How many connections a process here may have at once. */
export function descriptorLimit(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
  const soft = Number(userLimits?.open_files?.soft);
  return Number.isFinite(soft) ? soft : Infinity;
}

const pathOf = ({ clientToken }: Payment): string => `/checkout/${clientToken}/events`;

/** The gateway's own bytes for one event, which the bare server repeats. */
async function readFirstEvent({ url }: Stage, payment: Payment): Promise<string> {
  const request = get(url + pathOf(payment));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) {
    text += String(chunk);
    const event = /id: .*\nevent: session\ndata: .*\n\n/.exec(text)?.[0];
    if (event) return event;
  }
  throw new Error(`no event: ${text}`);
}

async function openStreams({ stage, bareUrl, readers }: Scene, paths: string[]): Promise<void> {
  await readers.ours.ask('open', { url: stage.url, paths });
  await readers.bare.ask('open', { url: bareUrl, paths });
}

async function closeStreams({ readers }: Scene, keep: number): Promise<void> {
  await Promise.all([readers.ours.ask('close', { keep }), readers.bare.ask('close', { keep })]);
  await pause(500);
}

/** Every path once, so that compiled code and pools are no part of what is measured. */
async function warmUp(scene: Scene, payments: Payment[]): Promise<void> {
  await openStreams(scene, payments.map(pathOf));
  await Promise.all([moveEach(scene, payments, 'pay'), scene.bare.ask('writeInTurn', { perSecond: 400 })]);
  await moveEach(scene, payments, 'approve');
  await Promise.all(
    [scene.readers.ours, scene.readers.bare].map((reader) => reader.ask('collect', { count: payments.length })),
  );
  await closeStreams(scene, 0);
}

async function compareMemory(scene: Scene, payments: Payment[]): Promise<Row> {
  const { gateway } = scene.stage;
  const before = { ours: await gateway.ask<number>('memory'), bare: await scene.bare.ask<number>('memory') };
  await openStreams(scene, payments.map(pathOf));
  const perStream = async (child: Child, base: number) =>
    ((await child.ask<number>('memory')) - base) / payments.length;
  const ours = await perStream(gateway, before.ours);
  const floor = await perStream(scene.bare, before.bare);
  const show = (bytes: number) => `${(bytes / 1024).toFixed(1)} KiB`;
  return {
    name: `memory a stream, ${payments.length} open ÷ bare node:http`,
    ours: show(ours),
    floor: show(floor),
    ratio: ours / floor,
    target: { atMost: 1.6 },
  };
}

type Step = 'pay' | 'approve';

/** So many a second, each payment once; not waiting for one another. */
async function moveEach({ mover }: Scene, payments: Payment[], step: Step): Promise<void> {
  const startedAt = performance.now();
  const moves: Promise<void>[] = [];
  for (const payment of payments) {
    const waitMs = startedAt + (moves.length * 1000) / CHANGES_PER_SECOND - performance.now();
    if (waitMs > 0) await pause(waitMs);
    moves.push(step === 'pay' ? mover.pay(payment) : mover.decide(payment, 'approved'));
  }
  await Promise.all(moves);
}

/** The most that p99 may be of the bare server's, and what else is under way, for the row's name. */
type Compared = { atMost: number; beside: string };

/** Turn about, so that a slow moment of the machine meets both: bare, payers, bare, the rail. */
async function compareLatency(
  scene: Scene,
  payments: Payment[],
  { atMost, beside }: Compared = { atMost: 5, beside: '' },
): Promise<[p50: Row, p99: Row]> {
  const ours: number[] = [];
  const floor: number[] = [];
  for (const step of ['pay', 'approve'] as const) {
    const writtenAt = await scene.bare.ask<number[]>('writeInTurn', { perSecond: CHANGES_PER_SECOND });
    const arrivals = await scene.readers.bare.ask<Arrival[]>('collect', { count: payments.length });
    floor.push(...arrivals.map(({ stream, at }) => at - (writtenAt[stream] ?? Number.NaN)));
    await moveEach(scene, payments, step);
    const seen = await scene.readers.ours.ask<Arrival[]>('collect', { count: payments.length });
    const commits = await readCommits(scene.stage, payments, step);
    ours.push(...seen.map(({ stream, at }) => at - (commits.get(payments[stream]?.id ?? '') ?? Number.NaN)));
  }
  const row = (share: number, target: Row['target']): Row => {
    const [mine, bare] = [percentileOf(ours, share), percentileOf(floor, share)];
    return {
      name: `commit to page, p${share * 100}, ${CHANGES_PER_SECOND} changes/s over ${payments.length} streams${beside} ÷ the bare server's event`,
      ours: showMs(mine),
      floor: showMs(bare),
      ratio: mine / bare,
      target,
    };
  };
  return [row(0.5, null), row(0.99, { atMost })];
}

/** The same while somebody else keeps a core busy. */
async function compareBeside(scene: Scene, payments: Payment[]): Promise<Row> {
  await openStreams(scene, payments.map(pathOf));
  const burner = scene.stage.start('bench/processes/burner.ts');
  const [, p99] = await compareLatency(scene, payments, { atMost: 10, beside: ' beside a busy core' });
  await burner.stop();
  return p99;
}

/** When the database committed each payment's newest change of this kind. */
async function readCommits({ database }: Stage, payments: Payment[], step: Step): Promise<Map<string, number>> {
  const { rows } = await database.query<{ id: string; at: number }>(
    `select payment_id as id, (extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000)::float8 as at
     from events where payment_id = any($1) and type = $2 order by seq`,
    [payments.map(({ id }) => id), step === 'pay' ? 'payment.processing' : 'payment.paid'],
  );
  return new Map(rows.map(({ id, at }) => [id, at]));
}

/** All streams on one payment, whose payer tries and is refused, and tries again. */
async function compareFanout(scene: Scene, count: number): Promise<Row> {
  const { stage, bare, readers, mover } = scene;
  const [payment] = (await createPayments(stage, 1)) as [Payment];
  await openStreams(
    scene,
    Array.from({ length: count }, () => pathOf(payment)),
  );
  const ours: number[] = [];
  const floor: number[] = [];
  for (let nth = 0; nth < FANOUTS; nth++) {
    const startedAt = await bare.ask<number>('writeToAll');
    floor.push(lastOf(await readers.bare.ask<Arrival[]>('collect', { count })) - startedAt);
    await (nth % 2 === 0 ? mover.pay(payment) : mover.decide(payment, 'refused'));
    const last = lastOf(await readers.ours.ask<Arrival[]>('collect', { count }));
    ours.push(last - (await readLastCommit(stage, payment)));
  }
  // The first of each warms up.
  const [mine, bareMs] = [medianOf(ours.slice(1)), medianOf(floor.slice(1))];
  const name = `one event at each of ${count} streams ÷ bare node:http`;
  return { name, ours: showMs(mine), floor: showMs(bareMs), ratio: mine / bareMs, target: { atMost: 2 } };
}

function lastOf(arrivals: Arrival[]): number {
  return Math.max(...arrivals.map(({ at }) => at));
}

async function readLastCommit({ database }: Stage, { id }: Payment): Promise<number> {
  const { rows } = await database.query<{ at: number }>(
    `select (extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000)::float8 as at
     from events where payment_id = $1 order by seq desc limit 1`,
    [id],
  );
  return rows[0]?.at ?? Number.NaN;
}

function showMs(ms: number): string {
  return `${ms.toFixed(ms < 10 ? 2 : 0)} ms`;
}
