import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readConfig } from '../../../server/config.ts';
import { startNode } from '../../../server/start.ts';
import { expectCounted } from '../../support/lists.ts';
import { PRODUCTION_ENV, startTestApp, TEST_ENV, type Reply, type TestApp } from '../../support/app.ts';
import { startHere, type Ended } from '../../support/cli.ts';
import { querySql } from '../../support/database.ts';
import { purchase, travelToStatus, webframe } from '../../support/payments.ts';

const PASSPHRASE = 'uma frase que ninguém adivinha';
const DOES_NOT_OPEN = 'the passphrase is wrong, or the file is damaged or incomplete';
/** A transaction id that a new cluster has not reached. */
const AHEAD = '9000000000';
/** Tokens and links contain this address. */
const PUBLIC_URL = 'http://localhost:1';

const folder = mkdtempSync(join(tmpdir(), 'balcao-backup-'));
const taken = join(folder, 'taken');
let app: TestApp;
/** Answers to creations by their Idempotency-Key, before the backup was asked for. */
const before = new Map<string, Reply & { body: object }>();
let during: string[];
let after: string[];
let token: string;
let page: Reply;

function run(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const own = { DATABASE_URL: app.databaseUrl, SECRETS_KEYS: TEST_ENV.SECRETS_KEYS, BACKUP_PASSPHRASE: PASSPHRASE };
  return startHere(args, { env: { ...own, ...env } }).ended;
}

async function pay(): Promise<string> {
  const [key, body] = [randomUUID(), purchase('900000000')];
  const reply = await app.call('/api/payments', { body, headers: { 'idempotency-key': key } });
  before.set(key, { ...reply, body });
  await travelToStatus(app, reply.json.id, 'Paid');
  return key;
}

const made: string[] = [];
async function emptyDatabase(): Promise<string> {
  const url = new URL(inject('databaseUrl'));
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  url.pathname = '/postgres';
  await querySql(url.href, `create database ${name} template template0`);
  made.push(name);
  url.pathname = `/${name}`;
  return url.href;
}

beforeAll(async () => {
  app = await startTestApp({ env: { PUBLIC_URL } });
  token = await app.token();
  page = await app.call('/api/payments', { body: webframe() });
  for (let nth = 0; nth < 5; nth++) await pay();
  const keys = [...before.keys()];
  let isOver = false;
  // The next cluster's transaction ids begin below.
  await app.sql(`update list_folds set upto = $1`, [AHEAD]);
  const ended = run(['backup', taken]).finally(() => (isOver = true));
  while (!isOver) await pay();
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
  during = [...before.keys()].slice(keys.length);
  after = [await pay(), await pay()];
  for (const key of during) before.delete(key);
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  const url = new URL(inject('databaseUrl'));
  url.pathname = '/postgres';
  for (const name of made) await querySql(url.href, `drop database if exists ${name} with (force)`);
});

describe('a backup during payments', () => {
  let url: string;
  let restored: TestApp;
  beforeAll(async () => {
    url = await emptyDatabase();
    const ended = await run(['restore', taken, '--check'], { DATABASE_URL: url });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(/reconcile --since [^]*keys +fine[^]*payments +fine/);
    restored = await startTestApp({ databaseUrl: url, env: { PUBLIC_URL }, clock: app.clock });
  });

  test('has the state of one moment: complete payments with their money, and no later ones', async () => {
    expect(during.length).toBeGreaterThan(0);
    const keys = (await querySql(url, 'select key from idempotency_keys')).map(({ key }) => key);
    for (const key of before.keys()) expect(keys.includes(key), key).toBe(!after.includes(key));
    const [sums] = await querySql(
      url,
      `select count(*) filter (where status = 'Paid')::int as paid, sum(amount_paid_minor)::int as money,
        (select sum(amount_minor)::int from transactions) as received,
        (select count(*)::int from events where type = 'payment.paid') as told from payments`,
    );
    expect(sums).toEqual({ paid: sums.told, money: sums.received, received: sums.paid * 150_000, told: sums.told });
    expect(sums.paid).toBeGreaterThanOrEqual(5);
  });

  test('returns the payments of used keys, and its tokens and links are valid', async () => {
    for (const [key, { body, text }] of before) {
      if (after.includes(key)) continue;
      const again = await restored.call('/api/payments', { body, token, headers: { 'idempotency-key': key } });
      const repeated = again.headers.get('idempotency-replayed');
      expect([again.status, repeated, again.json.id]).toEqual([201, 'true', JSON.parse(text).id]);
    }
    const shown = await restored.call(`/checkout/${page.json.clientToken}`, { token: null });
    expect([shown.status, shown.text.includes(page.json.reference)]).toEqual([200, true]);
  });

  test('continues after its restore: numbers, simulator and new money', async () => {
    const { json } = await restored.call('/api/payments', { body: purchase('900000000') });
    await travelToStatus(restored, json.id, 'Paid');
    const numbers = 'select seq from events order by seq';
    const seqs = (await querySql(url, numbers)).map(({ seq }) => Number(seq));
    expect(new Set(seqs).size).toBe(seqs.length);
    expect(await run(['check'], { DATABASE_URL: url })).toMatchObject({ code: 0 });
  });

  test('recounts every list, because transaction ids belong to one cluster', async () => {
    await expectCounted(restored);
    expect(await querySql(url, 'select from list_folds where upto = $1', [AHEAD])).toEqual([]);
  });

  test('is not restored into a database with rows', async () => {
    const ended = await run(['restore', taken], { DATABASE_URL: url });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('not empty') });
    const dataDir = join(folder, 'used');
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'something'), '');
    const refused = await run(['restore', taken], { DATABASE_URL: '', DATA_DIR: dataDir });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('not empty') });
    expect(readdirSync(dataDir)).toEqual(['something']);
    const twice = await run(['backup', taken]);
    expect(twice).toMatchObject({ code: 1, stderr: expect.stringContaining('exists already') });
  });
});

describe('a rehearsal with a backup of production', () => {
  const NOTHING = { DATABASE_URL: '', SECRETS_KEYS: '' };
  const file = join(folder, 'production');
  const dataDir = join(folder, 'rehearsal');
  beforeAll(async () => {
    // This environment has no setting of a node.
    expect(await run(['backup', file], { BALCAO_ENV: 'production' })).toMatchObject({ code: 0, stderr: '' });
  });

  test('restores and checks in DATA_DIR in any environment without a setting of a node', async () => {
    const env = { ...NOTHING, BALCAO_ENV: 'production', DATA_DIR: dataDir };
    const ended = await run(['restore', file, '--check'], env);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain('This is a rehearsal: no node starts on it');
    expect(ended.stdout).toMatch(/keys +fine/);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(await run(['check'], { ...NOTHING, DATA_DIR: dataDir })).toMatchObject({ code: 0 });
  });

  test('starts no node and runs no command that could call a rail', async () => {
    const said = `DATA_DIR: ${dataDir} is a rehearsed restore`;
    await expect(startNode(readConfig({ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent' }))).rejects.toThrow(said);
    const ended = await run(['merchant', 'list'], { ...NOTHING, DATA_DIR: dataDir });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(said) });
  });

  test('requires --check and refuses DATABASE_URL', async () => {
    const env = { ...NOTHING, DATA_DIR: join(folder, 'rehearsal-2') };
    const unchecked = await run(['restore', file], env);
    expect(unchecked).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('To rehearse, restore it with --check'),
    });
    const elsewhere = await run(['restore', file, '--check'], { ...env, DATABASE_URL: await emptyDatabase() });
    expect(elsewhere).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('this is a backup of a production'),
    });
    expect(existsSync(env.DATA_DIR)).toBe(false);
  });
});

test('a backup contains no readable text without the passphrase', async () => {
  const bytes = readFileSync(taken);
  expect(statSync(taken).mode & 0o777).toBe(0o600);
  for (const text of ['900000000', 'payments', 'secretsKeys', TEST_ENV.SECRETS_KEYS.split(':')[1] as string])
    expect(bytes.includes(text)).toBe(false);
  const file = join(folder, 'keys');
  const args = ['restore', taken, '--keys-to', file];
  expect(await run(args)).toMatchObject({ code: 0 });
  expect(readFileSync(file, 'utf8')).toBe(`${TEST_ENV.SECRETS_KEYS}\n`);
  expect(await run(args)).toMatchObject({ code: 1, stderr: expect.stringContaining('EEXIST') });
});

describe('a restore of a faulty source is refused and creates nothing', () => {
  const flip = (at: number) => (bytes: Buffer) => bytes.with(at, (bytes.at(at) as number) ^ 1) as Buffer;
  const swap = (bytes: Buffer) =>
    Buffer.concat([
      bytes.subarray(0, 1_000),
      bytes.subarray(2_000, 3_000),
      bytes.subarray(1_000, 2_000),
      bytes.subarray(3_000),
    ]);
  const same = (bytes: Buffer) => bytes;
  test.each<[string, string, (bytes: Buffer) => Buffer, Record<string, string>]>([
    ['another passphrase', DOES_NOT_OPEN, same, { BACKUP_PASSPHRASE: 'uma frase que alguém adivinha' }],
    ['a file with a changed byte', DOES_NOT_OPEN, flip(5_000), {}],
    ['a file with a changed tag', DOES_NOT_OPEN, flip(-3), {}],
    ['a file in another order', DOES_NOT_OPEN, swap, {}],
    ['a file without its last byte', DOES_NOT_OPEN, (bytes) => bytes.subarray(0, -1), {}],
    ['the first half of a file', DOES_NOT_OPEN, (bytes) => bytes.subarray(0, bytes.length / 2), {}],
    ['the header of a file', 'is not a backup', (bytes) => bytes.subarray(0, 48), {}],
    ['a part of the header', 'is not a backup', (bytes) => bytes.subarray(0, 40), {}],
    ['a file of another format', 'is not a backup', flip(0), {}],
    ['a changed salt', DOES_NOT_OPEN, flip(20), {}],
    [
      'a sandbox’s backup in production',
      'BALCAO_ENV',
      same,
      { ...PRODUCTION_ENV, DATABASE_URL: 'postgres://127.0.0.1:1/none' },
    ],
    ['a backup without a passphrase', 'BACKUP_PASSPHRASE: required', same, { BACKUP_PASSPHRASE: '' }],
  ])('for %s', async (name, said, damage, env) => {
    const file = join(folder, name.replaceAll(/\W/g, '-'));
    writeFileSync(file, damage(readFileSync(taken)));
    const dataDir = join(folder, 'new', 'data');
    const ended = await run(['restore', file], { DATABASE_URL: '', DATA_DIR: dataDir, ...env });
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toContain(said);
    expect(existsSync(join(folder, 'new'))).toBe(false);
  });

  test('for a missing file', async () => {
    const ended = await run(['restore', join(folder, 'nothing')], { DATABASE_URL: '', DATA_DIR: join(folder, 'new') });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('ENOENT: no such file') });
  });

  test('for a folder, as backups from before 0.2.0 are', async () => {
    const ended = await run(['restore', folder], { DATABASE_URL: '', DATA_DIR: join(folder, 'new') });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('was made before release 0.2.0') });
  });

  test('for a backup of a newer release', async () => {
    const file = join(folder, 'newer');
    await app.sql(`insert into mikro_orm_migrations (id, name) values (99, '20990101_newer')`);
    const taken = await run(['backup', file]).finally(() => app.sql('delete from mikro_orm_migrations where id = 99'));
    expect(taken).toMatchObject({ code: 0 });
    const ended = await run(['restore', file], { DATABASE_URL: await emptyDatabase() });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('the migration 20990101_newer') });
  });
});

describe('a backup of a faulty source is refused and creates nothing', () => {
  const file = join(folder, 'refused');
  test.each<[string, string, string[]]>([
    ['an empty database', 'this database has no tables of a gateway', []],
    [
      'a database from before 0.2.0',
      'was made before release 0.2.0',
      ['create table mikro_orm_migrations (id int, name text)', `insert into mikro_orm_migrations values (1, 'old')`],
    ],
  ])('for %s', async (_name, said, statements) => {
    const url = await emptyDatabase();
    for (const statement of statements) await querySql(url, statement);
    const ended = await run(['backup', file], { DATABASE_URL: url });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(said) });
    expect(existsSync(file)).toBe(false);
  });

  test('for a folder without a database', async () => {
    const dataDir = join(folder, 'empty');
    const ended = await run(['backup', file], { DATABASE_URL: '', DATA_DIR: dataDir });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(`no database in ${dataDir}`) });
    expect([existsSync(file), existsSync(dataDir)]).toEqual([false, false]);
  });
});

test('the check of a backup names secrets without a key and payments with wrong amounts', async () => {
  const other = `other:${Buffer.alloc(32, 9).toString('base64')}`;
  const keys = await run(['check'], { SECRETS_KEYS: other });
  expect(keys).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Faults: \d+\nNo key opens signing_keys\.sealed_private_jwk /),
  });
  await app.sql(
    `update payments set amount_paid_minor = amount_paid_minor + 1 where id = (select max(id::text)::uuid from payments)`,
  );
  const money = await run(['check']);
  expect(money).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Faults: 1\nPayment \S+ has other money than its transactions\.\n$/),
  });
});
