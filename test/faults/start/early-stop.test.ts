import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { expect, test } from 'vitest';
import { startTestApp, TEST_ENV, until } from '../../support/app.ts';

const MAIN = fileURLToPath(new URL('../../../server/main.ts', import.meta.url));

test.concurrent('SIGTERM during the start leaves no database process', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'balcao-early-'));
  const child = spawn(process.execPath, [MAIN], { env: { ...TEST_ENV, DATA_DIR: dataDir }, stdio: 'ignore' });
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
  // PostgreSQL creates the file empty, so a read may find no content yet.
  const readPid = () => (existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8').split('\n')[0]) : 0);
  const postmaster = await until(readPid, 'the database being started');
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
  expect(() => process.kill(postmaster, 0)).toThrow('ESRCH');
  rmSync(dataDir, { recursive: true, force: true });
});

// The test waits for a timeout of ten seconds, so it runs concurrently with the other test.
test.concurrent('a token request returns 503 if its table stays locked for ten seconds', async () => {
  const app = await startTestApp();
  const blocker = new pg.Client({ connectionString: app.databaseUrl });
  await blocker.connect();
  await blocker.query('begin; lock table clients in access exclusive mode');
  const credentials = { grant_type: 'client_credentials', client_id: 'demo', client_secret: 'demo-secret' };
  const reply = await app.call('/oauth/token', { body: credentials, token: null });
  expect(reply.status).toBe(503);
  expect(reply.headers.get('retry-after')).toBe('2');
  await blocker.query('rollback');
  await blocker.end();
  expect((await app.call('/oauth/token', { body: credentials, token: null })).status).toBe(200);
  await app.stop();
});
