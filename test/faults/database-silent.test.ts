// A database that stops answering without hanging up: what was asked fails, and the next connection is a new one.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { PoolClient } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, type Database } from '../../server/database/orm.ts';
import { entities } from '../../server/entities.ts';
import { freshDatabase, type FreshDatabase } from '../support/database.ts';

let fresh: FreshDatabase;
let line: Server;
let database: Database;
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
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  const through = new URL(fresh.url);
  through.host = `127.0.0.1:${(line.address() as AddressInfo).port}`;
  database = await openDatabase(through.href, { entities, poolMax: 1, silenceMs: 200 });
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
