// The end of a transaction: callbacks after its commit, and a commit that PostgreSQL turns into a rollback.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction, openDatabase, type OpenDatabase } from '../../../server/database/orm.ts';
import { entities } from '../../../server/entities.ts';
import { freshDatabase, querySql } from '../../support/database.ts';

let fresh: Awaited<ReturnType<typeof freshDatabase>>;
let database: OpenDatabase;
const logged: unknown[] = [];
beforeAll(async () => {
  fresh = await freshDatabase();
  // The pool has one connection, which the next transaction reuses.
  const opened = await openDatabase(fresh.url, { entities, poolMax: 1 });
  database = { ...opened, log: { error: (...line: unknown[]) => void logged.push(line) } };
  await querySql(fresh.url, 'create table notes (id int primary key)');
});
afterAll(async () => {
  await database?.orm.close(true);
  await fresh?.drop();
});

const write = (id: number, fail?: () => never) =>
  inTransaction(database, async (db) => {
    await db.pool.query('insert into notes values ($1)', [id]);
    if (fail) db.afterCommit?.(fail);
    db.afterCommit?.(() => void ran.push(id));
    return id;
  });
const ran: number[] = [];
const readIds = async () => (await querySql(fresh.url, 'select id from notes order by id')).map(({ id }) => id);

test('an afterCommit callback that throws is logged and stops no other callback', async () => {
  const broken = new Error('broken callback');
  const both = await Promise.all([
    write(1, () => {
      throw broken;
    }),
    write(2),
  ]);
  expect(both).toEqual([1, 2]);
  expect(ran).toEqual([1, 2]);
  expect(await readIds()).toEqual([1, 2]);
  expect(logged).toEqual([[{ err: broken }, expect.stringContaining('after a commit')]]);
});

test('a transaction that PostgreSQL rolls back at its commit throws, and runs no afterCommit callback', async () => {
  const swallowed = inTransaction(database, async (db) => {
    db.afterCommit?.(() => void ran.push(3));
    await db.pool.query('insert into notes values (3)');
    await db.pool.query('insert into notes values (1)').catch(() => {});
  });
  await expect(swallowed).rejects.toThrow('rolled back');
  expect(await readIds()).toEqual([1, 2]);
  expect(ran).toEqual([1, 2]);
  expect(await write(4)).toBe(4);
});
