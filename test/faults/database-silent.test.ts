// A database that stops answering without hanging up: what was asked fails, and the next connection is a new one.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { PoolClient } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase, type OpenDatabase } from '../../server/database/orm.ts';
import { openWatch, type Watch } from '../../server/database/watch.ts';
import { entities } from '../../server/entities.ts';
import { until } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { freshDatabase, querySql, type FreshDatabase } from '../support/database.ts';

let fresh: FreshDatabase;
let line: Server;
let url: string;
let database: OpenDatabase;
/** Who ends a connection does not tell the other end. */
let isCut = false;
/** Both ends of every connection that was made. */
const ends = new Set<Socket>();
const used = new Set<PoolClient>();

beforeAll(async () => {
  fresh = await freshDatabase();
  const { hostname, port } = new URL(fresh.url);
  line = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(from);
      from.on('error', () => {});
      from.on('close', () => isCut || to.destroy());
      from.pipe(to);
    }
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  const through = new URL(fresh.url);
  through.host = `127.0.0.1:${(line.address() as AddressInfo).port}`;
  url = through.href;
  database = await openDatabase(url, { entities, poolMax: 1, silenceMs: 200 });
  database.pool.on('acquire', (client) => used.add(client));
});
afterAll(async () => {
  await database?.orm.close(true);
  for (const end of ends) end.destroy();
  line?.close();
  await fresh?.drop();
});

const streamOf = (client: PoolClient) => (client as unknown as { connection: { stream: Socket } }).connection.stream;

const readPid = async () => (await database.pool.query('select pg_backend_pid() as pid')).rows[0].pid;

test('a connection that nobody uses may be silent', async () => {
  const pid = await readPid();
  await Promise.all([...used].map((client) => once(streamOf(client), 'timeout')));
  expect(await readPid()).toBe(pid);
});

test('one that is asked something is ended, and the next is a new one', async () => {
  const pid = await readPid();
  const held = [...ends];
  for (const end of held) end.pause();
  await expect(database.pool.query('select 1')).rejects.toThrow('fell silent');
  expect(await readPid()).not.toBe(pid);
});

describe('beside a watch', () => {
  let watch: Watch;
  const ended = new AbortController();
  beforeAll(async () => {
    watch = await openWatch({
      databaseUrl: url,
      clock: testClock(),
      toleranceMs: Infinity,
      log: pino({ level: 'silent' }),
      stopping: ended.signal,
      abandoned: database.abandoned,
      withinMs: 200,
    });
  });
  afterAll(async () => {
    ended.abort();
    await watch?.close();
  });

  test('readiness is red when it hears nothing, and green by another connection', async () => {
    expect(watch.isReady()).toBe(true);
    for (const end of ends) end.pause();
    await watch.look();
    expect(watch.isReady()).toBe(false);
    await watch.look();
    expect(watch.isReady()).toBe(true);
    for (const end of ends) end.resume();
  });

  test('the backend of a connection that was cut is ended, so that it takes no place any more', async () => {
    const pid = await readPid();
    isCut = true;
    for (const end of ends) end.pause();
    await expect(database.pool.query('select 1')).rejects.toThrow('fell silent');
    await until(async () => {
      await watch.look();
      return database.abandoned?.pids().length === 0;
    }, 'nobody being left behind');
    expect(await querySql(fresh.url, 'select from pg_stat_activity where pid = $1', [pid])).toEqual([]);
    // Whatever it was, writing goes on.
    expect((await database.pool.query('show transaction_read_only')).rows).toEqual([{ transaction_read_only: 'off' }]);
  });
});
