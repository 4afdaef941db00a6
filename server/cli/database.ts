// The database as commands open it.
import { expressionBuilder, type Expression, type SqlBool } from 'kysely';
import { pino, type Logger } from 'pino';
import { systemClock } from '../clock.ts';
import { readConfig, type Config, type VariableName } from '../config.ts';
import type { Core } from '../core.ts';
import type { Tables } from '../database/db.ts';
import { attachEmbedded, startEmbedded } from '../database/embedded/start.ts';
import { openMigrated } from '../database/migrate.ts';
import { closeDatabase, type Database } from '../database/orm.ts';
import { entities } from '../entities.ts';
import { createJobs } from '../jobs/engine.ts';
import { openRailAccounts } from '../rails/rail-accounts.ts';
import { ownKeys, ownRails } from '../rails/node-rails.ts';
import { createChanges } from '../changes/notify.ts';
import { COST } from '../people/password.ts';
import { refuseRehearsal } from '../rehearsal.ts';
import { openKeyring } from '../secrets.ts';
import type { Shell } from './command.ts';

/** A transaction, and beside it a setting that is read outside of it. */
const CONNECTIONS = 4;

/** The settings of a command that reads the database, and nothing but it. */
export const STORE: readonly VariableName[] = [
  'BALCAO_ENV',
  'DATA_DIR',
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'SECRETS_KEYS',
];

/** No command listens, sends mail, limits callers or looks after other nodes. */
const OF_NODES =
  /^(HOST|TRUSTED_PROXIES|SMTP_URL|MAIL_FROM|SANDBOX_PASSWORD|DATABASE_(READ_URL|POOL)|DRAIN_S|CLOCK_TOLERANCE_S|RATE_LIMIT_.*|PUSHES_PER_PHONE|STREAMS_PER_PAYMENT|CALLBACK_ALLOW_LOOPBACK|ARCHIVE_DIR|BACKUP_PASSPHRASE|OTEL_.*|NOTIFY_URL|SIMULATOR_PORT)$/;

type Uses = { writesLinks?: boolean | undefined; storeAlone?: boolean };

/** Works beside running nodes, or without any. @throws ConfigError of the settings that it uses */
export async function withDatabase<T>(
  shell: Shell,
  work: (core: Core) => Promise<T>,
  { writesLinks = false, storeAlone = false }: Uses = {},
): Promise<T> {
  const isUsed = (name: VariableName) =>
    storeAlone ? STORE.includes(name) : !OF_NODES.test(name) && (writesLinks || name !== 'PUBLIC_URL');
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

/** The database that the settings name: the embedded one beside the node that runs it, or started for the while. */
export async function findDatabase(config: Config): Promise<{ url: string; stop(): Promise<void> }> {
  const url = config.DATABASE_DIRECT_URL ?? config.DATABASE_URL;
  if (url) return { url, stop: async () => {} };
  return (await attachEmbedded(config.DATA_DIR)) ?? (await startEmbedded({ dataDir: config.DATA_DIR }));
}

type Opened = { config: Config; database: Database; log: Logger };

async function workWith<T>({ config, database, log }: Opened, work: (core: Core) => Promise<T>): Promise<T> {
  const changes = await createChanges(config.REDIS_URL);
  const background: Promise<void>[] = [];
  const base = { config, clock: systemClock, ...database, changes, keyring: openKeyring(config), log };
  const simulatorUrl = `http://127.0.0.1:${config.PORT}/sandbox/rail`;
  const rails = await openRailAccounts(base, ownRails(base, ownKeys(base), simulatorUrl));
  try {
    const result = await work({
      ...base,
      jobs: createJobs(),
      reading: (read) => read(database),
      rails,
      passwordCost: COST,
      publicUrl: config.PUBLIC_URL ?? `http://localhost:${config.PORT}`,
      isOnTime: () => true,
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

const of = expressionBuilder<Tables, 'attempts' | 'payment_references' | 'terminals'>();

export function isOpenAttempt(): Expression<SqlBool> {
  return of('attempts.status', 'in', ['Unsent', 'Unreached', 'Sent']);
}

/** The rail was not told yet that it can be paid, or not that it cannot be paid any more. */
export function isOpenReference(): Expression<SqlBool> {
  return of.or([
    of.and([of('payment_references.status', '=', 'Pending'), of('payment_references.registeredAt', 'is', null)]),
    of.and([of('payment_references.status', '<>', 'Pending'), of('payment_references.withdrawnAt', 'is', null)]),
  ]);
}

export function isOpenTerminal(): Expression<SqlBool> {
  return of('terminals.status', 'in', ['Opening', 'Closing']);
}
