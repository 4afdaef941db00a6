import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { closeDatabase } from '../../../server/database/orm.ts';
import { reachDatabase } from '../../../server/database/wait-for-database.ts';
import { entities } from '../../../server/entities.ts';
import { until } from '../../support/app.ts';
import { freshDatabase, querySql, type FreshDatabase } from '../../support/database.ts';

const OPENING = { entities, poolMax: 2 };

let fresh: FreshDatabase;
/** The URL of the database for a role that may open one connection. */
let url: string;
beforeAll(async () => {
  fresh = await freshDatabase();
  const name = new URL(fresh.url).pathname.slice(1);
  await querySql(fresh.url, `create role ${name} login password 'few' connection limit 1`);
  url = Object.assign(new URL(fresh.url), { username: name, password: 'few' }).href;
  return async () => {
    await querySql(fresh.url, `drop role ${name}`);
    await fresh.drop();
  };
});

const changed = (changes: Partial<URL>) => Object.assign(new URL(url), changes).href;

test('a starting node waits for a database without free connections, and logs this once', async () => {
  const hog = new pg.Client({ connectionString: url });
  await hog.connect();
  const said: string[] = [];
  const reached = reachDatabase(url, OPENING, { log: (message) => void said.push(message), pauseMs: 5 });
  await until(() => said.length === 1, 'it being told');
  await expect(reachDatabase(url, OPENING)).rejects.toThrow(/^DATABASE_URL: too many connections for role "t_\w+"\.$/);
  await hog.end();
  await closeDatabase(await reached);
  // PostgreSQL counts a closed connection until its process has ended.
  const connections = 'select from pg_stat_activity where usename = $1';
  const areGone = async () => (await querySql(fresh.url, connections, [new URL(url).username])).length === 0;
  await until(areGone, 'the end of the connections');
  expect(said).toEqual([expect.stringMatching(/^database not reachable yet, will retry: too many connections/)]);
});

test.each<[string, Partial<URL>, RegExp]>([
  ['where nobody listens', { port: '9' }, /^DATABASE_URL: the server does not respond \(ECONNREFUSED\)\.$/],
  ['with a wrong password', { password: 'many' }, /^DATABASE_URL: password authentication failed for user "t_\w+"\.$/],
  [
    'that does not exist',
    { pathname: '/nowhere' },
    /^DATABASE_URL: database "nowhere" does not exist; create it, or correct the name\.$/,
  ],
])('a start of a node with a database %s fails with one sentence', async (_what, changes, said) => {
  await expect(reachDatabase(changed(changes), OPENING)).rejects.toMatchObject({
    name: 'CannotStart',
    message: expect.stringMatching(said),
  });
});
