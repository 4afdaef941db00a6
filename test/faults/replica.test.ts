// Lists from a streaming replica: never older than what was acknowledged before, whatever becomes of the replica.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { counts } from '../../server/metrics/counts.ts';
import { openDatabase } from '../../server/database/orm.ts';
import { openReplica } from '../../server/database/replica.ts';
import { entities } from '../../server/entities.ts';
import { startTestApp, until, type TestApp } from '../support/app.ts';
import { startPair, type Instance, type Pair } from '../support/database-pair.ts';
import { querySql } from '../support/database.ts';
import { create, webframe } from '../support/payments.ts';
import { SCRATCH } from '../support/scratch.ts';

let folder: string;
let pair: Pair;
let app: TestApp;
let standby: Instance;

beforeAll(async () => {
  folder = mkdtempSync(join(SCRATCH, 'balcao-pair-'));
  pair = await startPair(folder, false);
  const [primary] = pair.instances as [Instance, Instance];
  standby = pair.instances[1] as Instance;
  const env = { DATABASE_READ_URL: pair.urlAt(standby.port) };
  app = await startTestApp({ databaseUrl: pair.urlAt(primary.port), env });
});
afterAll(async () => {
  await app?.stop();
  await pair?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const onStandby = (text: string) => querySql(pair.urlAt(standby.port), text);

/** References of the newest payments, and who answered with them. */
async function list(): Promise<{ references: string[]; from: string[] }> {
  const read = async () => new Map((await counts.reads.get()).values.map(({ labels, value }) => [labels.from, value]));
  const before = await read();
  const { json } = await app.call('/api/payments?pageSize=2');
  const after = await read();
  const from = ['replica', 'primary'].filter((who) => after.get(who) !== before.get(who));
  return { references: json.data.map(({ reference }: { reference: string }) => reference), from };
}

test('what was just created is in the list, from a replica that has it', async () => {
  const { reference } = await create(app, webframe());
  // The first look of a fresh copy may come before it has all.
  const found = await until(async () => {
    const { references, from } = await list();
    expect(references).toEqual([reference]);
    return from.includes('replica') && from;
  }, 'the replica answering');
  expect(found).toEqual(['replica']);
});

test('one that does not have it yet is not asked', async () => {
  await onStandby('select pg_wal_replay_pause()');
  const { reference } = await create(app, webframe());
  expect(await list()).toMatchObject({ references: [reference, expect.anything()], from: ['primary'] });
  await onStandby('select pg_wal_replay_resume()');
  await until(async () => (await list()).from.includes('replica'), 'the replica answering again');
});

test('nor one that follows nobody, whose log may be another’s', async () => {
  await pair.cutLink();
  await until(async () => (await onStandby('select from pg_stat_wal_receiver')).length === 0, 'the link being cut');
  expect(await list()).toMatchObject({ references: { length: 2 }, from: ['primary'] });
});

test('one that dies is missed by nobody', async () => {
  standby.child?.kill('SIGKILL');
  const { reference } = await create(app, webframe());
  expect(await list()).toMatchObject({ references: [reference, expect.anything()], from: ['primary'] });
});

test('another server than a copy is refused at the start, one that is away is not', async () => {
  const database = await openDatabase(app.databaseUrl, { entities, poolMax: 2 });
  const log = pino({ level: 'silent' });
  const open = (url: string) => openReplica(database, { url, poolMax: 2, clock: systemClock, log });
  const stranger = Object.assign(new URL(app.databaseUrl), { pathname: '/postgres' }).href;
  await expect(open(stranger)).rejects.toThrow('DATABASE_READ_URL: is no replica');
  await (await open(pair.urlAt(standby.port))).close();
  await database.orm.close(true);
});
