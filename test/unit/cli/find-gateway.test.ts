import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findGateway } from '../../../server/cli/find-gateway.ts';
import { claimDataDir } from '../../../server/database/embedded/data-folder-lock.ts';
import { startHere } from '../../support/cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'balcao-find-'));
const [taken, quiet, free] = ['taken', 'quiet', 'free'].map((name) => mkdtempSync(join(folder, name))) as [
  string,
  string,
  string,
];
let claims: Awaited<ReturnType<typeof claimDataDir>>[];
beforeAll(async () => {
  // The second owner is a command, not a gateway.
  claims = [await claimDataDir(taken, 'http://127.0.0.1:9123'), await claimDataDir(quiet)];
});
afterAll(() => {
  for (const claim of claims) claim.release();
  rmSync(folder, { recursive: true });
});

const DATABASE = { DATABASE_URL: 'postgres://db.internal/balcao', SECRETS_KEYS: `a:${'A'.repeat(43)}=` };
const PASSWORD = { SANDBOX_PASSWORD: 'a-password-of-tests' };

describe('the search for a gateway', () => {
  test.each<[string, string | undefined, Record<string, string>, string, RegExp]>([
    ['as told', 'http://told.example/x', { PORT: '9000' }, 'http://told.example', /^$/],
    ['as told, whatever the environment', 'http://told.example', { PORT: 'many' }, 'http://told.example', /^$/],
    ['by PUBLIC_URL', undefined, { PUBLIC_URL: 'http://localhost:81', PORT: '9000' }, 'http://localhost:81', /PUBLIC_/],
    ['by PORT', undefined, { PORT: '9000', DATA_DIR: taken }, 'http://127.0.0.1:9000', / from PORT\./],
    [
      'by PORT and HOST',
      undefined,
      { PORT: '9000', HOST: '10.0.0.7', ...PASSWORD },
      'http://10.0.0.7:9000',
      / from PORT\./,
    ],
    [
      'by PORT, at any address',
      undefined,
      { PORT: '9000', HOST: '::', ...PASSWORD },
      'http://[::1]:9000',
      / from PORT\./,
    ],
    ['by its data folder', undefined, { DATA_DIR: taken }, 'http://127.0.0.1:9123', / from the data folder .*taken/],
    ['there, when PORT is any', undefined, { DATA_DIR: taken, PORT: '0' }, 'http://127.0.0.1:9123', /folder/],
    ['nowhere: a free folder', undefined, { DATA_DIR: free }, 'http://127.0.0.1:8080', /no gateway runs on .*free/],
    ['nowhere: no gateway’s folder', undefined, { DATA_DIR: quiet }, 'http://127.0.0.1:8080', /no gateway runs/],
    ['nowhere: no folder', undefined, { DATA_DIR: taken, ...DATABASE }, 'http://127.0.0.1:8080', /nor PORT is set\./],
  ])('%s', (_how, told, env, url, hint) => {
    const found = findGateway(told === undefined ? undefined : new URL(told), env);
    expect(found).toEqual({ url, hint: expect.stringMatching(hint) });
    if (told === undefined) expect(found.hint).toMatch(/\. --url names another gateway\.$/);
  });
});

describe('a gateway that does not respond makes the command exit with 1 and print its URL and --url', () => {
  const PORT = '1';
  const LISTEN = ['listen', '--forward-to', 'http://localhost:3000'];
  test.each([[['trigger', 'payment.paid']], [LISTEN]])('%j', async (args) => {
    const { code, stdout, stderr } = await startHere(args, { env: { PORT } }).ended;
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      'http://127.0.0.1:1 does not answer: unreachable (ECONNREFUSED). Its address is from PORT. --url names another gateway.\n',
    );
  });

  test('a command exits with 2 for invalid settings in the environment', async () => {
    const { code, stderr } = await startHere(['trigger', 'payment.paid'], { env: { PORT: 'many' } }).ended;
    expect([code, stderr]).toEqual([2, expect.stringContaining('PORT: ')]);
  });
});
