// What every part of the bench plays on: a durable database of its own, and one gateway with everything on.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort, startEmbedded, type Embedded } from '../server/database/embedded/start.ts';
import pg from 'pg';
import { startChild, type Child, type ChildOptions } from './child.ts';
import { startRail, type Rail } from './rail.ts';

export type Stage = {
  databaseUrl: string;
  /** The database as the bench itself reads it. */
  database: pg.Pool;
  rail: Rail;
  gateway: Child;
  url: string;
  token: string;
  /** Starts another process that ends with the stage. */
  start(file: string, options?: ChildOptions): Child;
  close(): Promise<void>;
};

/** What a run of the bench is asked for beside its parts. */
export type Options = {
  /** How often somebody is killed, nodes or a database; null: as often as the part does by itself. */
  kills: number | null;
  /** Which part of its load a trial brings, on a weak machine. */
  rate: number;
  /** Whether the standby confirms later than the first one answers. */
  isAsync: boolean;
  /** How long a merchant's lists are. */
  rows: number;
};

/** Connections of the gateway's pool, and so of the floors' (the default of DATABASE_POOL). */
export const POOL_MAX = 12;

/** The file that `npm start` runs. */
export const GATEWAY = 'dist/server/main.js';

/** Lets a process tell its memory, and clear it before. */
export const PROBED = {
  execArgv: ['--expose-gc', '--import', new URL('./processes/probe.ts', import.meta.url).href],
};

/** @param profileDir where the gateway's processor profile is written when it ends; null for none */
export async function openStage(profileDir: string | null): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'balcao-bench-'));
  const stops: (() => Promise<unknown>)[] = [async () => rmSync(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  const start: Stage['start'] = (file, options) => {
    const child = startChild(file, options);
    stops.push(child.stop);
    return child;
  };
  try {
    const embedded = await startDatabase(join(folder, 'database'));
    stops.push(embedded.stop);
    const database = new pg.Pool({ connectionString: embedded.url, max: 2 });
    database.on('error', () => {});
    stops.push(() => database.end());
    const key = 'the key of the bench and its rail';
    const rail = await startRail(key);
    stops.push(rail.close);
    const port = await freePort();
    const profile = profileDir ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`] : [];
    const gateway = start(GATEWAY, {
      execArgv: [...PROBED.execArgv, ...profile],
      env: gatewayEnv({ databaseUrl: embedded.url, dataDir: join(folder, 'gateway'), port, rail }),
    });
    const url = `http://127.0.0.1:${port}`;
    await untilReady(gateway, url);
    return { databaseUrl: embedded.url, database, rail, gateway, url, token: await fetchToken(url), start, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Durable, and telling when each transaction committed, which is where "commit to page" begins. */
async function startDatabase(dataDir: string): Promise<Embedded> {
  mkdirSync(dataDir, { mode: 0o755 });
  const first = await startEmbedded({ dataDir });
  const client = new pg.Client(first.url);
  await client.connect();
  await client.query('alter system set track_commit_timestamp = on');
  await client.end();
  await first.stop();
  return startEmbedded({ dataDir });
}

type GatewayPlaces = { databaseUrl: string; dataDir: string; port: number; rail: Pick<Rail, 'url' | 'key'> };

/** The environment of a gateway with every feature on; limits count but never refuse. */
export function gatewayEnv({ databaseUrl, dataDir, port, rail }: GatewayPlaces): Record<string, string> {
  const unreachable = '1000000000';
  return {
    BALCAO_ENV: 'sandbox',
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: '',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    DATABASE_POOL: String(POOL_MAX),
    REDIS_URL: '',
    SECRETS_KEYS: `bench:${Buffer.alloc(32, 7).toString('base64')}`,
    SANDBOX_PASSWORD: '',
    RATE_LIMIT_WRITE: unreachable,
    RATE_LIMIT_READ: unreachable,
    RATE_LIMIT_PUBLIC: unreachable,
    STREAMS_PER_PAYMENT: '0',
    CALLBACK_ALLOW_LOOPBACK: 'true',
    GPO_URL: rail.url,
    GPO_KEY: rail.key,
    PPR_URL: rail.url,
    PPR_KEY: rail.key,
    LOG_LEVEL: 'info',
  };
}

export async function untilReady(gateway: Child, url: string): Promise<void> {
  while (gateway.isRunning()) {
    const reply = await fetch(`${url}/readyz`).catch(() => null);
    if (reply?.ok) return;
    await pause(50);
  }
  throw new Error('the gateway did not start');
}

export async function fetchToken(url: string): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: 'demo', client_secret: 'demo-secret' };
  const reply = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  return ((await reply.json()) as { access_token: string }).access_token;
}
