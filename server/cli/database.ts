// Opens the database for a command, with or without running nodes.
import { pino, type Logger } from 'pino';
import { systemClock } from '../clock.ts';
import { readConfig, type Config, type VariableName } from '../config.ts';
import type { Core } from '../core.ts';
import { attachEmbedded, startEmbedded } from '../database/embedded/start.ts';
import { openMigrated } from '../database/migrate.ts';
import { closeDatabase, type Database } from '../database/orm.ts';
import { entities } from '../entities.ts';
import { createJobs } from '../jobs/engine.ts';
import { openRailAccounts } from '../rails/rail-accounts.ts';
import { nodeRailKeys, createNodeRails } from '../rails/node-rails.ts';
import { createChanges } from '../changes/notify.ts';
import { COST } from '../people/password.ts';
import { refuseRehearsal } from '../rehearsal.ts';
import { openKeyring } from '../secrets.ts';
import type { Shell } from './shell.ts';

/** A command needs one connection for its transaction, and others for reads outside of it. */
const CONNECTIONS = 4;

/** Settings of a command that needs the database only. */
export const STORE: readonly VariableName[] = ['BALCAO_ENV', 'DATA_DIR', 'DATABASE_URL', 'SECRETS_KEYS'];

/** Pattern of settings that only nodes need: to listen, send mail, limit callers or watch other nodes. */
const OF_NODES = new RegExp(
  '^(HOST|TRUSTED_PROXIES|SMTP_URL|MAIL_FROM|SANDBOX_PASSWORD|DATABASE_POOL|DRAIN_S|CLOCK_TOLERANCE_S|' +
    'RATE_LIMIT_.*|PUSHES_PER_PHONE|STREAMS_PER_PAYMENT|CALLBACK_ALLOW_LOOPBACK|BACKUP_PASSPHRASE|OTEL_.*|' +
    'NOTIFY_URL|SIMULATOR_PORT)$',
);

/** Runs a command with an open database. @param storeAlone reads only the database's settings. @throws ConfigError */
export async function withDatabase<T>(
  shell: Shell,
  work: (core: Core) => Promise<T>,
  { storeAlone = false } = {},
): Promise<T> {
  const isUsed = (name: VariableName) => (storeAlone ? STORE.includes(name) : !OF_NODES.test(name));
  const config = readConfig(shell.env, isUsed);
  if (!storeAlone && !config.DATABASE_URL) refuseRehearsal(config.DATA_DIR);
  const { url, stop } = await findDatabase(config);
  try {
    const database = await openMigrated(url, { entities, poolMax: CONNECTIONS });
    const log = pino({ level: 'warn', base: null }, { write: (line) => shell.complain(line.trimEnd()) });
    return await workWith({ config, database, log }, work).finally(() => closeDatabase(database));
  } finally {
    await stop();
  }
}

/** Returns the external or the embedded database. The command starts the embedded one unless a node runs it. */
export async function findDatabase(config: Config): Promise<{ url: string; stop(): Promise<void> }> {
  const url = config.DATABASE_URL;
  if (url) return { url, stop: async () => {} };
  return (await attachEmbedded(config.DATA_DIR)) ?? (await startEmbedded({ dataDir: config.DATA_DIR }));
}

type Opened = { config: Config; database: Database; log: Logger };

async function workWith<T>({ config, database, log }: Opened, work: (core: Core) => Promise<T>): Promise<T> {
  const changes = await createChanges(config.REDIS_URL);
  const background: Promise<void>[] = [];
  const base = { config, clock: systemClock, ...database, changes, keyring: openKeyring(config), log };
  const simulatorUrl = `http://127.0.0.1:${config.PORT}/sandbox/rail`;
  const rails = await openRailAccounts(base, createNodeRails(base, nodeRailKeys(base), simulatorUrl));
  try {
    const result = await work({
      ...base,
      jobs: createJobs(),
      rails,
      passwordCost: COST,
      publicUrl: config.PUBLIC_URL ?? `http://localhost:${config.PORT}`,
      isClockCorrect: () => true,
      inBackground: (promise) => void background.push(promise),
      draining: new AbortController().signal,
      stopping: new AbortController().signal,
    });
    await Promise.allSettled(background);
    return result;
  } finally {
    rails.close();
    changes.close();
  }
}
