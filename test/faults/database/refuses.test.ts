import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { querySql } from '../../support/database.ts';
import { startOwnPostgres, type OwnPostgres } from '../../support/own-postgres.ts';
import { create, webframe } from '../../support/payments.ts';

let postgres: OwnPostgres;
let app: TestApp;
let written = '';
const disk = mkdtempSync(join(tmpdir(), 'balcao-disk-'));
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk]).status === 0;

beforeAll(async () => {
  postgres = await startOwnPostgres();
  const logTo = new PassThrough();
  logTo.on('data', (chunk: Buffer) => (written += chunk));
  app = await startTestApp({ databaseUrl: postgres.url, logTo });
});
afterAll(async () => {
  await app?.stop();
  await postgres?.remove();
  if (isMounted) spawnSync('umount', [disk]);
  rmSync(disk, { recursive: true });
});

const set = async (setting: string) => {
  await querySql(postgres.url, `alter system set ${setting}`);
  await querySql(postgres.url, 'select pg_reload_conf()');
};
const readReady = async () => (await app.call('/readyz', { token: null })).status;
const untilReady = (status: number) => until(async () => (await readReady()) === status, `readiness being ${status}`);

/** Waits for the first refused creation. Some creations before still fit into free space of table pages. */
const untilRefused = () =>
  until(async () => {
    const reply = await app.call('/api/payments', { body: webframe() });
    return reply.status === 201 ? null : reply;
  }, 'a creation being refused');

function expectLater(reply: Reply): void {
  expect(reply.json).toMatchObject({ status: 503, code: 'service_unavailable' });
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
}

/** Returns the log lines with this PostgreSQL error code. */
const linesOf = (code: string): { said?: Record<string, number> }[] =>
  written
    .split('\n')
    .filter((line) => line.includes(`"code":"${code}"`))
    .map((line) => JSON.parse(line));

/** Checks an outage from the first refused write to the next accepted one. */
async function expectOutage(code: string, begin: () => unknown, end: () => unknown): Promise<void> {
  const { id } = await create(app, webframe());
  await begin();
  for (let nth = 0; nth < 3; nth++) expectLater(await untilRefused());
  expect((await app.call(`/api/payments/${id}`)).status).toBe(200);
  await app.clock.advance(1_000);
  await untilReady(503);
  expect((await app.call('/metrics', { token: null })).text).toMatch(/^balcao_ready 0$/m);
  const count = () => linesOf(code).reduce((sum, { said }) => sum + (said?.['request failed'] ?? 0), 0);
  await until(() => count() === 3, 'the log counting what was refused');
  expect(JSON.stringify(linesOf(code))).not.toContain('"stack"');
  await end();
  await untilReady(200);
  expect((await app.call('/api/payments', { body: webframe() })).status).toBe(201);
}

test('/readyz needs no connection of the pool', async () => {
  const { pool } = app.node.core;
  const taken = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  expect(await readReady()).toBe(200);
  for (const client of taken) client.release();
});

test('a read-only database returns 503 to writes and serves reads', async () => {
  const be = (word: string) => set(`default_transaction_read_only = ${word}`);
  await expectOutage(
    '25006',
    async () => {
      await be('on');
      // Each connection applies the read-only setting at another time.
      await until(async () => (await app.sql('show transaction_read_only'))[0].transaction_read_only === 'on');
    },
    () => be('off'),
  );
});

test.skipIf(!isMounted)('a database with a full disk returns 503 to writes and serves reads', async () => {
  const [{ pid }] = await app.sql('select pg_backend_pid() as pid');
  const { uid, gid } = statSync(`/proc/${pid}`);
  spawnSync('chown', [`${uid}:${gid}`, disk]);
  await app.sql(`create tablespace small location '${disk}'`);
  for (const table of ['payments', 'events']) await app.sql(`alter table ${table} set tablespace small`);
  await set('temp_tablespaces = small');
  const filler = join(disk, 'filler');
  await expectOutage(
    '53100',
    () => fill(filler),
    () => rmSync(filler),
  );
});

function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (;;) writeSync(file, Buffer.alloc(4_096));
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  } finally {
    closeSync(file);
  }
}
