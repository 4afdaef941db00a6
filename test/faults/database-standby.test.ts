// A synchronous standby that is silent: commits hang for as long as it is, and reading goes on; connections do not pile up meanwhile.
import { pino } from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { inTransaction, openDatabase, type OpenDatabase } from '../../server/database/orm.ts';
import { openWatch, type Watch } from '../../server/database/watch.ts';
import { AnswerLost, isDatabaseAway } from '../../server/database/away.ts';
import { entities } from '../../server/entities.ts';
import { until } from '../support/app.ts';
import { querySql } from '../support/database.ts';
import { startOwnPostgres, type OwnPostgres } from '../support/own-postgres.ts';

const POOL = 4;
const WRITERS = 3 * POOL;
/** In place of twelve seconds and two. */
const SOON_MS = 250;

let postgres: OwnPostgres;
let database: OpenDatabase;
let watch: Watch;
const ended = new AbortController();
const sql = (text: string, values: unknown[] = []) => querySql(postgres.url, text, values);
const nameStandby = async (name: string) => {
  await sql(`alter system set synchronous_standby_names = '${name}'`);
  await sql('select pg_reload_conf()');
};

beforeAll(async () => {
  postgres = await startOwnPostgres();
  await sql('create table notes (id int primary key)');
  database = await openDatabase(postgres.url, { entities, poolMax: POOL, silenceMs: SOON_MS });
  watch = await openWatch({
    databaseUrl: postgres.url,
    clock: systemClock,
    toleranceMs: Infinity,
    log: pino({ level: 'silent' }),
    stopping: ended.signal,
    abandoned: database.abandoned,
    withinMs: SOON_MS,
  });
});
afterAll(async () => {
  ended.abort();
  await watch?.close();
  await database?.orm.close(true);
  await postgres?.remove();
});

/** Backends of the pool and of the watch, whether anybody is at their other end or not. */
async function countBackends(): Promise<{ pool: number; watch: number }> {
  const [counted] = await sql(`
    select count(*) filter (where application_name = '')::int as pool,
      count(*) filter (where application_name like 'balcao-watch-%')::int as watch
    from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`);
  return counted;
}

test('it holds up writing and nothing else, with no more backends than twice the pool; then all goes on', async () => {
  expect(watch.isReady()).toBe(true);
  await nameStandby('nobody');
  await until(() => !watch.isReady(), 'readiness being red');

  const acknowledged: number[] = [];
  const refused = { asReadOnly: 0, asLost: 0, asAway: 0, otherwise: 0 };
  let nextId = 0;
  let isOver = false;
  const write = async () => {
    while (!isOver) {
      const id = nextId++;
      await inTransaction(database, (db) => db.pool.query('insert into notes values ($1)', [id])).then(
        () => acknowledged.push(id),
        (error: { code?: string }) => {
          const isLost = error instanceof AnswerLost;
          refused[
            error.code === '25006' ? 'asReadOnly' : isLost ? 'asLost' : isDatabaseAway(error) ? 'asAway' : 'otherwise'
          ]++;
        },
      );
    }
  };
  onTestFinished(() => void (isOver = true));
  const writers = Array.from({ length: WRITERS }, write);
  const most = { pool: 0, watch: 0 };
  let read = 0;
  await until(async () => {
    // Nobody else writes by then.
    if (refused.asReadOnly > 0) {
      await database.pool.query('select from notes');
      read++;
    }
    const counted = await countBackends();
    most.pool = Math.max(most.pool, counted.pool);
    most.watch = Math.max(most.watch, counted.watch);
    return read > 5 && refused.asReadOnly > 50;
  }, 'reads beside refused writes');
  expect(acknowledged).toEqual([]);
  expect(refused.otherwise).toBe(0);
  // A commit that waits for a standby may still succeed.
  expect(refused.asLost).toBeGreaterThan(0);
  expect(most.pool).toBeLessThanOrEqual(2 * POOL);
  expect(most.pool).toBeGreaterThan(POOL);
  expect(most.watch).toBeLessThanOrEqual(2);
  // Nobody has seen what no standby has.
  expect(await sql('select id from notes')).toEqual([]);

  const left = await countBackends();
  await nameStandby('');
  await until(() => watch.isReady() && acknowledged.length > 0, 'writing going on');
  isOver = true;
  await Promise.all(writers);
  await until(async () => (await countBackends()).pool <= POOL, `the abandoned among ${left.pool} being gone`);
  expect(database.abandoned?.pids()).toEqual([]);
  expect(database.pool.options.max).toBe(POOL);
  const kept = new Set((await sql('select id from notes')).map(({ id }) => id));
  expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
});
