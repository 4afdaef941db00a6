// The gateway's database for a command: the one that is running, or one started for the moment; and what features are handed.
import { pino } from 'pino';
import { systemClock } from '../clock.ts';
import { readConfig, type Config } from '../config.ts';
import type { Core } from '../core.ts';
import { attachEmbedded, startEmbedded } from '../database/embedded.ts';
import { migrate, openDatabase, type Database } from '../database/orm.ts';
import { entities } from '../entities.ts';
import { createChanges } from '../live/changes.ts';
import { openKeyring } from '../secrets.ts';

/** A transaction, and beside it a setting that is read outside of it. */
const CONNECTIONS = 4;

/** Works beside running nodes, or without any. @throws ConfigError */
export async function withDatabase<T>(work: (core: Core) => Promise<T>): Promise<T> {
  const config = readConfig();
  const embedded = config.DATABASE_URL
    ? null
    : ((await attachEmbedded(config.DATA_DIR)) ?? (await startEmbedded({ dataDir: config.DATA_DIR })));
  const url = config.DATABASE_URL ?? (embedded?.url as string);
  const database = await openDatabase(url, { entities, poolMax: CONNECTIONS });
  try {
    await migrate(database);
    return await workWith(config, database, work);
  } finally {
    await database.orm.close(true);
    await embedded?.stop();
  }
}

async function workWith<T>(config: Config, database: Database, work: (core: Core) => Promise<T>): Promise<T> {
  const changes = createChanges(config.REDIS_URL);
  const background: Promise<void>[] = [];
  try {
    const result = await work({
      config,
      clock: systemClock,
      ...database,
      changes,
      keyring: openKeyring(config),
      // Where answers for programs are not.
      log: pino({ level: 'warn', base: null }, pino.destination({ dest: 2, sync: true })),
      publicUrl: config.PUBLIC_URL ?? `http://localhost:${config.PORT}`,
      inBackground: (promise) => void background.push(promise),
      stopping: new AbortController().signal,
    });
    await Promise.allSettled(background);
    return result;
  } finally {
    changes.close();
  }
}
