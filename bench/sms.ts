// SMS in numbers: large sendings beside small ones, units of one merchant, schedules at their minute, messages to the rail.
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { DEMO } from '../sandbox/seed.ts';
import { medianOf, percentileOf, type Rate } from './load.ts';
import type { Carried } from './processes/carrier.ts';
import type { Moment } from './processes/sender.ts';
import { openScene, phoneOf, post, SCHEDULE, TEXT, untilSent, writeSchedule, type Scene } from './sms-scene.ts';
import { POOL_MAX, type Stage } from './stage.ts';
import { showRate, type Row } from './table.ts';

const MANY = 1_000;
const ROUNDS = 5;
const UNIT_LOAD = { concurrency: 16, durationMs: 2_000 };
const SCHEDULES = 100;
const APART_MS = 20;
const TURNS = 3;
const BACKLOG = 3_000;
/** As many as the gateway has under way. */
const FLOOR = { concurrency: 16, durationMs: 2_000 };

export async function benchSms(stage: Stage): Promise<Row[]> {
  const { scene, close } = await openScene(stage);
  const rows = [
    await compareMany(scene),
    await compareUnits(scene),
    ...(await compareLateness(scene)),
    await compareRates(scene),
  ];
  await close();
  return rows;
}

async function compareMany(scene: Scene): Promise<Row> {
  const rounds: { many: number; one: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const one = await timeSending(scene, 1);
    const many = await timeSending(scene, MANY);
    // The first round warms up.
    if (round > 0) rounds.push({ many, one });
  }
  return {
    name: `SMS to ${MANY} numbers accepted ÷ to one`,
    ours: showMs(medianOf(rounds.map(({ many }) => many))),
    floor: showMs(medianOf(rounds.map(({ one }) => one))),
    ratio: medianOf(rounds.map(({ many, one }) => many / one)),
    target: { atMost: 10 },
  };
}

/** Milliseconds until it is accepted; returns when all of it was sent. */
async function timeSending(scene: Scene, recipients: number): Promise<number> {
  const numerosDestino = Array.from({ length: recipients }, (_, nth) => phoneOf(nth));
  const body = JSON.stringify({ numerosDestino, conteudo: TEXT });
  const startedAt = performance.now();
  await post(scene, '/api/Envio/enviarSms', 200, body);
  const tookMs = performance.now() - startedAt;
  await untilSent(scene);
  return tookMs;
}

async function compareUnits({ sender, url, token, databaseUrl }: Scene): Promise<Row> {
  const body = writeSchedule('+244922000000');
  const answer = await post({ url, token }, SCHEDULE, 201, body);
  const onDatabase = { ...UNIT_LOAD, databaseUrl, poolMax: POOL_MAX, merchantId: DEMO.merchantId, answer };
  const rounds: { ours: number; floor: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const { perSecond: floor } = await sender.ask<Rate>('debit', onDatabase);
    const { perSecond: ours } = await sender.ask<Rate>('schedule', { ...UNIT_LOAD, url, token, body });
    if (round > 0) rounds.push({ ours, floor });
  }
  return {
    name: `SMS of one merchant debited, ${UNIT_LOAD.concurrency} at once ÷ BEGIN, 2 INSERT, UPDATE of one row, 2 INSERT, COMMIT`,
    ours: showRate(medianOf(rounds.map(({ ours }) => ours))),
    floor: showRate(medianOf(rounds.map(({ floor }) => floor))),
    ratio: medianOf(rounds.map(({ ours, floor }) => ours / floor)),
    target: { atLeast: 0.4 },
  };
}

async function compareLateness(scene: Scene): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, apartMs] of [
    [`${SCHEDULES} SMS of one minute`, 0],
    [`SMS due each ${APART_MS} ms`, APART_MS],
  ] as const) {
    const turns: { ours: number; floor: number }[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      const phones = Array.from({ length: SCHEDULES }, (_, nth) => phoneOf(nth));
      for (const phone of phones) await post(scene, SCHEDULE, 201, writeSchedule(phone));
      const ours = await lateness(scene, phones, apartMs, (moments) => moveSchedules(scene.database, moments));
      await untilSent(scene);
      const floor = await lateness(scene, phones, apartMs, (moments) =>
        scene.sender.ask('later', { railUrl: scene.railUrl, moments }),
      );
      turns.push({ ours, floor });
    }
    const [ours, floor] = [medianOf(turns.map((turn) => turn.ours)), medianOf(turns.map((turn) => turn.floor))];
    rows.push({
      name: `${name}: from their moment to the rail, p99 ÷ timer and bare fetch`,
      ours: showMs(ours),
      floor: showMs(floor),
      ratio: ours / floor,
      target: { atMost: 15 },
    });
  }
  return rows;
}

/** Milliseconds from the moment of each phone's message until the rail has it, of all but the latest hundredth. */
async function lateness(
  { carrier }: Scene,
  phones: string[],
  apartMs: number,
  plan: (moments: Moment[]) => Promise<unknown>,
): Promise<number> {
  await carrier.ask('collect', { count: 0 });
  // Far enough ahead that whoever looks once a second knows of it.
  const firstAt = Date.now() + 2_500;
  const moments = phones.map((to, nth) => ({ to, dueAt: firstAt + nth * apartMs }));
  await plan(moments);
  const due = new Map(moments.map(({ to, dueAt }) => [to, dueAt]));
  const carried = await carrier.ask<Carried[]>('collect', { count: phones.length });
  return percentileOf(
    carried.map(({ to, at }) => at - (due.get(to) ?? Number.NaN)),
    0.99,
  );
}

/** Nobody can schedule for a moment so near: the schedules of these phones are moved there. */
async function moveSchedules(database: pg.Pool, moments: Moment[]): Promise<void> {
  await database.query(
    `update sms_batches b set run_at = p.at, due_at = p.at
     from unnest($1::text[], $2::timestamptz[]) p(phone, at) join sms_messages m on m.phone = p.phone
     where b.id = m.batch_id and b.status = 'Scheduled'`,
    [moments.map(({ to }) => to), moments.map(({ dueAt }) => new Date(dueAt))],
  );
}

async function compareRates(scene: Scene): Promise<Row> {
  const { sender, carrier, database, railUrl } = scene;
  const rounds: { ours: number; floor: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const { perSecond: floor } = await sender.ask<Rate>('fetch', { railUrl, ...FLOOR });
    await carrier.ask('collect', { count: 0 });
    await database.query(BACK_LOG, [DEMO.merchantId, BACKLOG, randomUUID(), new Date()]);
    const [first] = await carrier.ask<Carried[]>('collect', { count: 1 });
    await untilSent(scene);
    const ours = (BACKLOG * 1000) / (Date.now() - (first?.at ?? Number.NaN));
    if (round > 0) rounds.push({ ours, floor });
  }
  return {
    name: `SMS handed to the rail from a backlog of ${BACKLOG} ÷ bare fetch, ${FLOOR.concurrency} at once`,
    ours: showRate(medianOf(rounds.map(({ ours }) => ours))),
    floor: showRate(medianOf(rounds.map(({ floor }) => floor))),
    ratio: medianOf(rounds.map(({ ours, floor }) => ours / floor)),
    target: { atLeast: 0.6 },
  };
}

/** One sending that was just accepted. */
const BACK_LOG = `
with batch as (
  insert into sms_batches (id, merchant_id, sender, content, recipients, units, status, created_at, released_at)
  values ($3, $1, 'BALCAO', 'A sua encomenda chegou. Pode levantar hoje.', $2, $2, 'Released', $4, $4) returning *)
insert into sms_messages (id, merchant_id, batch_id, phone, parts, status, listed_at, due_at)
select gen_random_uuid(), merchant_id, id, '+244' || (930000000 + nth)::text, 1, 'Pending', created_at, created_at
from batch cross join generate_series(1, $2) nth`;

function showMs(ms: number): string {
  return `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;
}
