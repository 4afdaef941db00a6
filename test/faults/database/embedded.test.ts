import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { attachEmbedded, readOwner, startEmbedded, type Embedded } from '../../../server/database/embedded/start.ts';
import { readPidFile } from '../../../server/database/embedded/data-folder-lock.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'balcao-embedded-'));
const ownerScript = fileURLToPath(new URL('../../support/embedded-owner.ts', import.meta.url));
const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
const children: ChildProcess[] = [];
let current: Embedded | undefined;
let rows = 0;

beforeAll(async () => {
  await query((await start()).url, 'create table kept (row int)');
  await current!.stop();
});

afterEach(async () => {
  await Promise.all(children.splice(0).map(kill));
  await current?.stop();
  current = undefined;
});

afterAll(async () => {
  await (await start()).stop(); // ends the database that a killed child left behind
  rmSync(dataDir, { recursive: true, force: true });
});

test('a second start of the embedded database finds the rows of the first', async () => {
  await addRow((await start()).url);
  await current!.stop();
  expect(await countRows((await start()).url)).toBe(rows);
});

test('only their user can read the password and owner files, and PostgreSQL refuses a wrong password', async () => {
  const { url } = await start();
  for (const file of ['postgres.password', 'owner.json', 'owner.lock', 'postgres.log']) {
    expect(statSync(join(dataDir, file)).mode & 0o777, file).toBe(0o600);
  }
  await expect(query(url.replace(/:[0-9a-f]+@/, ':guess@'), 'select 1')).rejects.toThrow(
    /password authentication failed/,
  );
});

test('a killed PostgreSQL starts again at the same URL with its rows', async () => {
  const onRestart = vi.fn();
  const { url } = await start({ onRestart });
  for (let restarts = 1; restarts <= 2; restarts++) {
    await addRow(url);
    process.kill(readPostmasterPid(), 'SIGKILL');
    await expect.poll(() => onRestart.mock.calls.length).toBe(restarts);
    expect(await countRows(url)).toBe(rows);
  }
  expect((await attachEmbedded(dataDir))?.url).toBe(url);
});

test('stop() during a restart of the embedded database leaves no process', async () => {
  const { stop } = await start();
  const pid = readPostmasterPid();
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => isRunning(pid)).toBe(false);
  await stop();
  expect(readOwner(dataDir)).toBeNull();
  expect(isRunning(readPostmasterPid())).toBe(false);
});

test('a process that starts after kill -9 of the owner takes over the running database with its rows', async () => {
  const child = await startChild('own');
  await addRow(child.line);
  const orphan = readPostmasterPid();
  await kill(child.process);
  expect(isRunning(orphan)).toBe(true);
  expect(readOwner(dataDir)).toBeNull();
  expect(await attachEmbedded(dataDir)).toBeNull();
  const { url } = await start();
  expect(isRunning(orphan)).toBe(false);
  expect(await countRows(url)).toBe(rows);
});

test('a process that starts after kill -9 of the owner and of PostgreSQL finds all rows', async () => {
  const child = await startChild('own');
  await addRow(child.line);
  process.kill(child.process.pid!, 'SIGSTOP'); // so that the owner cannot restart PostgreSQL before its own kill
  process.kill(readPostmasterPid(), 'SIGKILL');
  await kill(child.process);
  expect(await countRows((await start()).url)).toBe(rows);
});

test.each(['end', 'crash'])('an owner process stops the embedded database when it ends by %s', async (mode) => {
  const child = await startChild(mode);
  expect(child.line).toMatch(/^postgres:/);
  const pid = readPostmasterPid();
  await expect.poll(() => isRunning(pid)).toBe(false);
});

test('a second owner of a data folder is refused with the name of the first, and clients may attach', async () => {
  const { url } = await start();
  await expect(startEmbedded({ dataDir })).rejects.toMatchObject({ code: 'data_dir_in_use', pid: process.pid });
  await expect(startEmbedded({ dataDir })).rejects.toThrow(`process ${process.pid}`);
  expect((await startChild('own')).line).toBe('data_dir_in_use');
  expect((await startChild('attach')).line).toBe(url);
  const attached = await attachEmbedded(dataDir);
  expect(attached).toMatchObject({ url });
  await attached!.stop();
  expect(await countRows(url)).toBe(rows);
});

test('one of several concurrent starts wins, also after kill -9', async () => {
  for (let round = 0; round < 2; round++) {
    const starts = await Promise.all([1, 2, 3].map(() => startChild('own')));
    const winners = starts.filter(({ line }) => line.startsWith('postgres:'));
    expect(winners).toHaveLength(1);
    expect(starts.filter(({ line }) => line === 'data_dir_in_use')).toHaveLength(2);
    expect(await countRows(winners[0]!.line)).toBe(rows);
    await kill(winners[0]!.process);
  }
});

test('a foreign process with the pid in postmaster.pid keeps running', async () => {
  const { stop } = await start();
  const lines = readFileSync(pidFile, 'utf8').split('\n');
  await stop();
  const innocent = spawn('sleep', ['600']);
  children.push(innocent);
  writeFileSync(pidFile, [innocent.pid, ...lines.slice(1)].join('\n'));
  expect(await countRows((await start()).url)).toBe(rows);
  expect(isRunning(innocent.pid!)).toBe(true);
});

test('an owner file with the pid of another process is ignored', async () => {
  const child = await startChild('own');
  await kill(child.process);
  const record = JSON.parse(readFileSync(join(dataDir, 'owner.json'), 'utf8')) as { pid: number };
  writeFileSync(join(dataDir, 'owner.json'), JSON.stringify({ ...record, pid: process.pid }));
  expect(readOwner(dataDir)).toBeNull();
  expect(await attachEmbedded(dataDir)).toBeNull();
  expect(await countRows((await start()).url)).toBe(rows);
  expect(readOwner(dataDir)?.pid).toBe(process.pid);
});

async function start(options: { onRestart?: () => void } = {}): Promise<Embedded> {
  current = await startEmbedded({ dataDir, durable: false, ...options });
  return current;
}

async function startChild(mode: string): Promise<{ process: ChildProcess; line: string }> {
  const child = spawn(process.execPath, [ownerScript, dataDir, mode], { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { process: child, line };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function query(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  try {
    await client.connect();
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

async function addRow(url: string): Promise<void> {
  await query(url, 'insert into kept values (1)');
  rows++;
}

async function countRows(url: string): Promise<number> {
  return Number((await query(url, 'select count(*) from kept')).rows[0].count);
}

function readPostmasterPid(): number {
  return Number.parseInt(readPidFile(join(dataDir, 'postgres'))[0] ?? '', 10);
}

function isRunning(pid: number): boolean {
  // A zombie does not run.
  return /^[^Z]/.test(spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout);
}
