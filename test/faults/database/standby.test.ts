import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../server/clock.ts';
import { inTransaction, openDatabase, type OpenDatabase } from '../../../server/database/orm.ts';
import { openWatch, type Watch } from '../../../server/database/watch.ts';
import { AnswerLost, isDatabaseUnavailable } from '../../../server/database/unavailable.ts';
import { entities } from '../../../server/entities.ts';
import { until } from '../../support/app.ts';
import { querySql } from '../../support/database.ts';
import { startOwnPostgres, type OwnPostgres } from '../../support/own-postgres.ts';

const POOL = 4;
const WRITERS = 3 * POOL;
/**
 * The timeouts of this test are shorter than the 12 s and 2 s of production.
 * On a busy machine, one of the checks within the silence must still get its responses in time.
 */
const SILENCE_MS = 8_000;
const WITHIN_MS = 1_000;

let postgres: OwnPostgres;
let database: OpenDatabase;
let watch: Watch;
const ended = new AbortController();
const sql = (text: string, values: unknown[] = []) => querySql(postgres.url, text, values);
const nameStandby = async (name: string) => {
  await sql(`alter system set synchronous_standby_names = '${name}'`);
  await sql('select pg_reload_conf()');
};

/**
 * Waits until commits wait for a standby, because PostgreSQL applies a reloaded setting a moment later.
 * The watch and the counts of this test ignore the other database.
 */
async function untilCommitsWait(): Promise<void> {
  const { href } = Object.assign(new URL(postgres.url), { pathname: '/postgres' });
  const probe = new pg.Client({ connectionString: href, application_name: 'probe' });
  probe.on('error', () => {});
  await probe.connect();
  const commit = async () => {
    for (;;) await probe.query(`select pg_logical_emit_message(true, 'probe', '')`);
  };
  const ended = commit().catch(() => {});
  const waiting = `from pg_stat_activity where application_name = 'probe' and wait_event = 'SyncRep'`;
  await until(async () => (await sql(`select ${waiting}`)).length > 0, 'a commit waiting for a standby');
  await sql(`select pg_terminate_backend(pid) ${waiting}`);
  await ended;
}

beforeAll(async () => {
  postgres = await startOwnPostgres();
  await sql('create table notes (id int primary key)');
  database = await openDatabase(postgres.url, { entities, poolMax: POOL, silenceMs: SILENCE_MS });
  watch = await openWatch({
    databaseUrl: postgres.url,
    clock: systemClock,
    toleranceMs: Infinity,
    log: pino({ level: 'silent' }),
    stopping: ended.signal,
    holdWrites: database.holdWrites,
    withinMs: WITHIN_MS,
  });
});
afterAll(async () => {
  ended.abort();
  await watch?.close();
  await database?.orm.close(true);
  await postgres?.remove();
});

/** Counts PostgreSQL's backends of the pool and of the health probe, also those whose client is gone. */
async function countBackends(): Promise<{ pool: number; watch: number }> {
  const [counted] = await sql(`
    select count(*) filter (where application_name = '')::int as pool,
      count(*) filter (where application_name like 'balcao-watch-%')::int as watch
    from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`);
  return counted;
}

test('a silent standby delays writes only, and PostgreSQL runs at most two backends per pool connection', async () => {
  await until(() => watch.isReady(), 'the watch being ready');
  await nameStandby('nobody');
  await untilCommitsWait();
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
            error.code === '25006'
              ? 'asReadOnly'
              : isLost
                ? 'asLost'
                : isDatabaseUnavailable(error)
                  ? 'asAway'
                  : 'otherwise'
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
    // The pool has free connections from then on.
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
  expect(watch.isReady()).toBe(false);
  // A commit that waits for a standby may still succeed.
  expect(refused.asLost).toBeGreaterThan(0);
  expect(most.pool).toBeLessThanOrEqual(2 * POOL);
  expect(most.pool).toBeGreaterThan(POOL);
  expect(most.watch).toBeLessThanOrEqual(2);
  // A reader sees only rows that a standby has.
  expect(await sql('select id from notes')).toEqual([]);

  const left = await countBackends();
  await nameStandby('');
  await until(() => watch.isReady() && acknowledged.length > 0, 'writing going on');
  isOver = true;
  await Promise.all(writers);
  await until(async () => (await countBackends()).pool <= POOL, `the abandoned among ${left.pool} being gone`);
  const kept = new Set((await sql('select id from notes')).map(({ id }) => id));
  expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
});
