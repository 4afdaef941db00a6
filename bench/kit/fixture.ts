// The fixture of all bench rows: a durable database, a rail, and one gateway with every feature on.
import { join } from 'node:path';
import pg from 'pg';
import { fetchToken, sharedEnv, startGateway, type Gateway } from './gateway.ts';
import { startRail, type Rail } from './rail.ts';
import { openScope, type Scope } from './scope.ts';

export type BenchFixture = Scope & {
  databaseUrl: string;
  /** The bench's own database connections. */
  database: pg.Pool;
  rail: Rail;
  gateway: Gateway;
  url: string;
  /** The demo merchant's access token. */
  token: string;
};

/** Opens the fixture of the bench. @param profileDir the folder for the gateway's processor profile */
export async function openBenchFixture(profileDir?: string): Promise<BenchFixture> {
  const scope = openScope();
  try {
    const folder = scope.makeFolder();
    const databaseUrl = await startDatabase(scope, join(folder, 'database'));
    const database = new pg.Pool({ connectionString: databaseUrl, max: 2 });
    database.on('error', () => {});
    scope.defer(() => database.end());
    const rail = await startRail();
    scope.defer(rail.close);
    const options = { dataDir: join(folder, 'gateway'), rail, env: sharedEnv(databaseUrl) };
    const gateway = await startGateway(scope, profileDir === undefined ? options : { ...options, profileDir });
    const { url } = gateway;
    return { ...scope, databaseUrl, database, rail, gateway, url, token: await fetchToken(url) };
  } catch (error) {
    await scope.close();
    throw error;
  }
}

/** Starts a PostgreSQL that records when each transaction committed, because "commit to page" begins at the commit. */
async function startDatabase(scope: Scope, dataDir: string): Promise<string> {
  const child = scope.start('bench/kit/processes/database.ts');
  const url = await child.call<string>('start', { dataDir });
  const client = new pg.Client(url);
  await client.connect();
  await client.query('alter system set track_commit_timestamp = on');
  await client.end();
  await child.call('stop');
  return child.call<string>('start', { dataDir });
}

/** Reads the wall-clock time in milliseconds at which each row's transaction committed, by the row's `id`. */
export async function readCommits(database: pg.Pool, from: string, values: unknown[]): Promise<Map<string, number>> {
  const { rows } = await database.query<{ id: string; at: number }>(
    `select id, (extract(epoch from pg_xact_commit_timestamp(xid)) * 1000)::float8 as at from (${from}) found`,
    values,
  );
  return new Map(rows.map(({ id, at }) => [id, at]));
}
