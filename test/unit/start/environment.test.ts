import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findTrouble, type Machine } from '../../support/environment.ts';
import { ROOT } from '../../support/source.ts';

const GIB = 2 ** 30;

const machine = (lacking: Partial<Machine> = {}): Machine => ({
  folder: tmpdir(),
  freeBytes: () => 10 * GIB,
  listen: async () => {},
  ...lacking,
});

function runPreflight(env: Record<string, string>) {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'test/support/preflight.ts')], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  return { status, said: stderr.trim() };
}

test('the check of this machine passes and leaves no temporary file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'balcao-environment-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(await findTrouble(machine({ folder }))).toBe(null);
  expect(readdirSync(folder)).toEqual([]);
});

test('the check of this machine reports a temporary folder that is not writable', async () => {
  expect(runPreflight({ TMPDIR: '/proc/nowhere' })).toEqual({
    status: 1,
    said: 'The temporary folder /proc/nowhere cannot be written (ENOENT): set TMPDIR to a folder that can.',
  });
});

test('the check of this machine reports a full disk', async () => {
  expect(await findTrouble(machine({ folder: tmpdir(), freeBytes: () => 3 * 2 ** 20 }))).toBe(
    `The temporary folder ${tmpdir()} has 3 MiB left and the tests need 2048: ` +
      'make room, or set TMPDIR to another disk.',
  );
});

test('the check of this machine reports that no port can be opened', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const listen = async () => {
    await once(createServer().listen(taken.address() as object), 'listening');
  };
  expect(await findTrouble(machine({ listen }))).toBe(
    'No port of 127.0.0.1 can be opened (EADDRINUSE): let programs listen there, or end those that hold all ports.',
  );
});

test('the check of this machine reports a Chromium that does not exist', () => {
  expect(runPreflight({ CHROMIUM: '/nowhere/chromium' })).toEqual({
    status: 1,
    said: 'CHROMIUM names /nowhere/chromium, which is not there: set it to a Chromium.',
  });
});
