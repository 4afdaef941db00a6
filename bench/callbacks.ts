// Callbacks from commit to merchant beside bare posts to the same server: how soon, how many, and beside merchants that hang.
import pg from 'pg';
import type { Child } from './child.ts';
import { medianOf, percentileOf, type Rate } from './load.ts';
import type { Arrived } from './processes/merchant.ts';
import type { Stage } from './stage.ts';
import { showRate, type Row } from './table.ts';

const MERCHANTS = 100;
const HANGING = 10;
const PER_SECOND = 200;
const TURNS = 5;
const TURN_COUNT = 1_000;
const WARM_COUNT = 2_000;
const BACKLOG = 3_000;
const ROUNDS = 5;
const FLOOR = { concurrency: 64, durationMs: 2_000 };
type Scene = { database: pg.Pool; engine: Child; sink: Child; sinkUrl: string; poster: Child };

export async function benchCallbacks(stage: Stage): Promise<Row[]> {
  // A database of its own: no other node takes what this one is measured by.
  await stage.database.query('create database callbacks');
  const databaseUrl = stage.databaseUrl.replace(/\/[^/]*$/, '/callbacks');
  const database = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  const sink = stage.start('bench/processes/merchant.ts');
  const sinkUrl = await sink.ask<string>('listen');
  const poster = stage.start('bench/processes/poster.ts');
  const engine = stage.start('bench/processes/engine.ts');
  await engine.ask('open', { databaseUrl, sinkUrl, count: MERCHANTS });
  await reuseLog(database);
  const scene: Scene = { database, engine, sink, sinkUrl, poster };
  await Promise.all([measureOurs(scene, WARM_COUNT), poster.ask('pace', { url: sinkUrl, perSecond: 400, count: 200 })]);
  await sink.ask('collect', { count: 0 });
  const latency = await compareLatency(scene);
  const rates = await compareRates(scene);
  const hanging = await compareHanging(scene, latency.ours);
  await Promise.all([engine, sink, poster].map((child) => child.stop()));
  await database.end();
  return [...latency.rows, ...rates, hanging];
}

/** A new database makes each segment of its log when it comes to it, and stands still meanwhile; an old one writes over others. */
async function reuseLog(database: pg.Pool): Promise<void> {
  for (let segment = 0; segment < 10; segment++) {
    await database.query('create table filler (); drop table filler');
    await database.query('select pg_switch_wal()');
  }
  await database.query('checkpoint');
}

type Percentiles = { p50: number; p99: number };

/** Of each turn by itself, and of these the middle one: a moment in which the machine stood still is no part of it. */
function middleOf(turns: number[][]): Percentiles {
  const of = (share: number) => medianOf(turns.map((turn) => percentileOf(turn, share)));
  return { p50: of(0.5), p99: of(0.99) };
}

/** Turn about, so that a slow moment of the machine meets both. */
async function compareLatency(scene: Scene): Promise<{ rows: Row[]; ours: Percentiles }> {
  const turns: { ours: number[]; floor: number[] }[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const pace = { url: scene.sinkUrl, perSecond: PER_SECOND, count: TURN_COUNT };
    const sent = new Map(await scene.poster.ask<[string, number][]>('pace', pace));
    const arrived = await scene.sink.ask<Arrived[]>('collect', { count: TURN_COUNT });
    const floor = arrived.map(({ id, at }) => at - (sent.get(id) ?? Number.NaN));
    turns.push({ floor, ours: await measureOurs(scene, TURN_COUNT) });
  }
  const [ours, floor] = [middleOf(turns.map((turn) => turn.ours)), middleOf(turns.map((turn) => turn.floor))];
  const row = (name: 'p50' | 'p99', target: Row['target']): Row => ({
    name: `commit to merchant, ${name}, ${PER_SECOND} payments/s of ${MERCHANTS} merchants ÷ a bare POST`,
    ours: showMs(ours[name]),
    floor: showMs(floor[name]),
    ratio: ours[name] / floor[name],
    target,
  });
  return { rows: [row('p50', null), row('p99', { atMost: 8 })], ours };
}

/** Payments of the merchants' codes in turn; from each one's commit until its callback was there. `without`: not of these. */
async function measureOurs(scene: Scene, count: number, without: ReadonlySet<string> = new Set()): Promise<number[]> {
  const { engine, sink } = scene;
  const committed = new Map(await engine.ask<[string, number][]>('pay', { perSecond: PER_SECOND, count }));
  const expected = without.size === 0 ? count : (count * (MERCHANTS - without.size)) / MERCHANTS;
  const arrivals: Arrived[] = [];
  const isTold = ({ id, path }: Arrived) => committed.has(id) && !without.has(path);
  while (arrivals.filter(isTold).length < expected)
    arrivals.push(...(await sink.ask<Arrived[]>('collect', { count: 1 })));
  return arrivals.filter(isTold).map(({ id, at }) => at - (committed.get(id) ?? Number.NaN));
}

/** A backlog of all merchants at once, until it is delivered and recorded. */
async function compareRates(scene: Scene): Promise<Row[]> {
  const { poster, sinkUrl: url, sink } = scene;
  const rounds: { ours: number; fetch: number; http: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const { perSecond: http } = await poster.ask<Rate>('http', { url, ...FLOOR });
    const { perSecond: fetch } = await poster.ask<Rate>('fetch', { url, ...FLOOR });
    await sink.ask('collect', { count: 0 });
    const ours = await deliverBacklog(scene);
    // The first round warms up.
    if (round > 0) rounds.push({ ours, fetch, http });
  }
  const row = (floor: 'fetch' | 'http', name: string, target: number): Row => ({
    name: `callbacks delivered from a backlog of ${BACKLOG} ÷ ${name}`,
    ours: showRate(medianOf(rounds.map(({ ours }) => ours))),
    floor: showRate(medianOf(rounds.map((one) => one[floor]))),
    ratio: medianOf(rounds.map((one) => one.ours / one[floor])),
    target: { atLeast: target },
  });
  return [row('fetch', 'bare fetch, 64 at once', 0.5), row('http', 'bare node:http, 64 at once', 0.33)];
}

/** From the first that arrives to the last that is recorded. */
async function deliverBacklog({ database, engine, sink }: Scene): Promise<number> {
  await database.query(BACK_LOG, [BACKLOG]);
  await engine.ask('wake');
  const [first] = await sink.ask<Arrived[]>('collect', { count: 1 });
  await sink.ask('collect', { count: BACKLOG - 1 - 64 });
  for (;;) {
    const { rows } = await database.query<{ left: string }>(
      `select count(*) as left from deliveries where due_at is not null`,
    );
    if (rows[0]?.left === '0') break;
  }
  const { rows } = await database.query<{ at: number }>(
    `select (extract(epoch from max(delivered_at)) * 1000)::float8 as at from deliveries`,
  );
  return (BACKLOG * 1000) / ((rows[0]?.at ?? Number.NaN) - (first?.at ?? Number.NaN));
}

/** Callbacks that were all delivered before, made due once more: the newest of each merchant. */
const BACK_LOG = `
update deliveries set status = 'Pending', due_at = created_at, tries = 0, tries_since = null
where seq in (
  select d.seq from endpoints e cross join lateral (
    select seq from deliveries where endpoint_id = e.id order by seq desc limit $1::int / ${MERCHANTS}) d)`;

async function compareHanging(scene: Scene, alone: Percentiles): Promise<Row> {
  const hanging = new Set(Array.from({ length: HANGING }, (_, nth) => `/m${nth}`));
  await scene.sink.ask('hang', { paths: [...hanging] });
  const turns: number[][] = [];
  for (let turn = 0; turn < TURNS; turn++) turns.push(await measureOurs(scene, TURN_COUNT, hanging));
  const { p99 } = middleOf(turns);
  return {
    name: `commit to merchant, p99, of the others while ${HANGING} of ${MERCHANTS} hang ÷ while none does`,
    ours: showMs(p99),
    floor: showMs(alone.p99),
    ratio: p99 / alone.p99,
    target: { atMost: 1.5 },
  };
}

function showMs(ms: number): string {
  return `${ms.toFixed(ms < 10 ? 2 : 0)} ms`;
}
