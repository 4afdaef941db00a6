import { LockMode } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { em, prepared, query, type Db } from '../../../server/database/db.ts';
import { inTransaction, openDatabase, type Database } from '../../../server/database/orm.ts';
import { entities } from '../../../server/entities.ts';
import { IdempotencyKey } from '../../../server/http/entities.ts';
import { freshDatabase } from '../../support/database.ts';
import { stopLater } from '../../support/stop-later.ts';

let database: Database;
const merchantId = randomUUID();
const at = new Date('2026-03-02T10:00:00.123Z');

beforeAll(async () => {
  const { url, drop } = await freshDatabase();
  stopLater({ stop: drop });
  database = await openDatabase(url, { entities, poolMax: 3 });
  stopLater({ stop: () => database.orm.close() });
});

const findKey = prepared((tables, { key }: { key: string }) =>
  tables.selectFrom('idempotency_keys').selectAll().where('merchantId', '=', merchantId).where('key', '=', key),
);

const insertKey = prepared((tables, { row }: { row: { key: string; body?: string } }) =>
  tables
    .insertInto('idempotency_keys')
    .values({ ...row, merchantId, fingerprint: 'f', createdAt: at })
    .returning('key'),
);

const changeKey = prepared((tables, { key, set }: { key: string; set: { status?: number; body?: string | null } }) =>
  tables.updateTable('idempotency_keys').set(set).where('merchantId', '=', merchantId).where('key', '=', key),
);

describe('a prepared query', () => {
  test('returns rows with the property names and types of their entity class', async () => {
    expect(await insertKey.one(database, { row: { key: 'a', body: '{}' } })).toEqual({ key: 'a' });
    const row = await findKey.one(database, { key: 'a' });
    expect(row).toMatchObject({ merchantId, key: 'a', body: '{}', status: null, createdAt: at, inFlightUntil: null });
    expect(await findKey.first(database, { key: 'b' })).toBeNull();
    await expect(findKey.one(database, { key: 'b' })).rejects.toThrow('a required row is missing');
  });

  test('works with each set of changed columns, and returns the number of changed rows', async () => {
    await insertKey.run(database, { row: { key: 'c' } });
    expect(await changeKey.run(database, { key: 'c', set: { status: 201 } })).toBe(1);
    expect(await changeKey.run(database, { key: 'c', set: { status: 202, body: 'x' } })).toBe(1);
    expect(await changeKey.run(database, { key: 'c', set: { body: null } })).toBe(1);
    expect(await changeKey.run(database, { key: 'nobody’s', set: { body: 'y' } })).toBe(0);
    expect(await findKey.one(database, { key: 'c' })).toMatchObject({ status: 202, body: null });
  });

  test('is prepared in the database with its column names', async () => {
    const statements = await inTransaction(database, async (db) => {
      await findKey.first(db, { key: 'a' });
      return (await db.pool.query('select statement from pg_prepared_statements')).rows.map(
        ({ statement }) => statement,
      );
    });
    const [statement] = statements.filter(
      (text: string) => text.startsWith('select') && text.includes('idempotency_keys'),
    );
    expect(statement).toContain('"idempotency_keys"."in_flight_until"');
    expect(statement).not.toContain('*');
  });

  test('does not compile if a column is missing', () => {
    // @ts-expect-error this column does not exist
    prepared((tables, { id }: { id: string }) => tables.selectFrom('payments').selectAll().where('idd', '=', id));
    // @ts-expect-error an amount is a number
    prepared((tables, { id }: { id: string }) => tables.updateTable('payments').set({ amountMinor: id }));
    // @ts-expect-error this status does not exist
    prepared((tables) => tables.selectFrom('payments').select('id').where('status', '=', 'Payed'));
    // @ts-expect-error the row has only selected columns
    const revisionOf = async (db: Db, id: string) => (await selectId.one(db, { id })).revision;
    expect(revisionOf).toBeDefined();
  });

  const selectId = prepared((tables, { id }: { id: string }) =>
    tables.selectFrom('payments').select('id').where('id', '=', id),
  );
});

test('a query without a fixed shape selects the columns of its tables, but not those of a `with`', async () => {
  const twice = query((tables) =>
    tables
      .with('mine', (on) => on.selectFrom('idempotency_keys').selectAll().where('key', '=', 'a'))
      .selectFrom('idempotency_keys as k')
      .innerJoin('mine', 'mine.key', 'k.key')
      .selectAll('k')
      .select('mine.body as itsBody'),
  );
  expect(await twice.one(database)).toMatchObject({ merchantId, key: 'a', body: '{}', itsBody: '{}' });
  const changed = query((tables) => tables.updateTable('idempotency_keys').set({ status: 200 }).returningAll());
  expect((await changed.all(database)).map(({ key, status }) => ({ key, status }))).toEqual([
    { key: 'a', status: 200 },
    { key: 'c', status: 200 },
  ]);
});

describe('the entity manager of a transaction', () => {
  const given = { merchantId, fingerprint: 'f', createdAt: at };

  test('writes on the connection of the transaction, invisible to others before the commit', async () => {
    const undone = inTransaction(database, async (db) => {
      await em(db).insert(IdempotencyKey, { ...given, key: 'd' });
      expect(await findKey.first(db, { key: 'd' })).toMatchObject({ key: 'd' });
      expect(await findKey.first(database, { key: 'd' })).toBeNull();
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await findKey.first(database, { key: 'd' })).toBeNull();
  });

  test('reads a row from the database when it locks the row, and not from its cache', async () => {
    await em(database).insert(IdempotencyKey, { ...given, key: 'e' });
    await inTransaction(database, async (db) => {
      const find = () => em(db).findOneOrFail(IdempotencyKey, { key: 'e' }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      expect((await find()).status).toBeNull();
      expect(await em(db).nativeUpdate(IdempotencyKey, { key: 'e', status: null }, { status: 201 })).toBe(1);
      expect((await find()).status).toBe(201);
      const { rowCount } = await database.pool.query(
        `select from idempotency_keys where key = 'e' for update skip locked`,
      );
      expect(rowCount).toBe(0);
    });
  });
});
