import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, type OpenDatabase } from '../../../server/database/orm.ts';
import { openWatch } from '../../../server/database/watch.ts';
import { entities } from '../../../server/entities.ts';
import { testClock } from '../../support/clock.ts';
import { freshDatabase, querySql, type FreshDatabase } from '../../support/database.ts';

/** Longer than any response of PostgreSQL on a busy machine takes. */
const SILENCE_MS = 4_000;

let fresh: FreshDatabase;
let line: Server;
let url: string;
let database: OpenDatabase;
/** Both sockets of every connection through the proxy. */
const ends = new Set<Socket>();

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
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  const through = new URL(fresh.url);
  through.host = `127.0.0.1:${(line.address() as AddressInfo).port}`;
  url = through.href;
  database = await openDatabase(url, { entities, poolMax: 1, silenceMs: SILENCE_MS });
});
afterAll(async () => {
  await database?.orm.close(true);
  for (const end of ends) end.destroy();
  line?.close();
  await fresh?.drop();
});

const readPid = async () => (await database.pool.query('select pg_backend_pid() as pid')).rows[0].pid;

test('an idle database connection survives the timeout for silent servers', async () => {
  const pid = await readPid();
  await querySql(fresh.url, 'select pg_sleep($1)', [(SILENCE_MS + 500) / 1_000]);
  expect(await readPid()).toBe(pid);
});

test('a statement without a response from PostgreSQL fails, and the next one opens a new connection', async () => {
  const pid = await readPid();
  for (const end of ends) end.pause();
  await expect(database.pool.query('select 1')).rejects.toThrow('Connection terminated');
  expect(await readPid()).not.toBe(pid);
});

test('PostgreSQL detects a lost node within 90 s', async () => {
  const settings = `select name, setting from pg_settings where name like 'tcp_keepalives%' order by name`;
  expect((await database.pool.query(settings)).rows).toEqual([
    { name: 'tcp_keepalives_count', setting: '3' },
    { name: 'tcp_keepalives_idle', setting: '60' },
    { name: 'tcp_keepalives_interval', setting: '10' },
  ]);
});

test('/readyz returns 503 while PostgreSQL does not respond, and 200 again over a new connection', async () => {
  const ended = new AbortController();
  const watch = await openWatch({
    databaseUrl: url,
    clock: testClock(),
    toleranceMs: Infinity,
    log: pino({ level: 'silent' }),
    stopping: ended.signal,
    holdWrites: () => {},
    withinMs: SILENCE_MS,
  });
  expect(watch.isReady()).toBe(true);
  for (const end of ends) end.pause();
  await watch.look();
  expect(watch.isReady()).toBe(false);
  await watch.look();
  expect(watch.isReady()).toBe(true);
  for (const end of ends) end.resume();
  ended.abort();
  await watch.close();
});

test('a connection that PostgreSQL closes at its start fails its statement and does not end the process', async () => {
  const ready = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);
  const fields = Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0');
  const fatal = Buffer.concat([Buffer.from([0x45, 0, 0, 0, fields.length + 4]), fields]);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.concat([ready, fatal])));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ended = await openDatabase(`postgres://u@127.0.0.1:${port}/d?sslmode=disable`, { entities, poolMax: 1 });
  await expect(ended.pool.query('select 1')).rejects.toThrow(/terminat|not queryable/);
  await ended.orm.close(true);
  server.close();
});
