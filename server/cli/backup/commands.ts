// balcao backup, restore, check: writes a backup file, fills a new database from it, and checks a database.
import { existsSync, mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readConfig, type Config, type VariableName } from '../../config.ts';
import type { Core } from '../../core.ts';
import { hasCluster } from '../../database/embedded/cluster.ts';
import { startEmbedded } from '../../database/embedded/start.ts';
import { closeDatabase, inTransaction, openDatabase } from '../../database/orm.ts';
import { entities } from '../../entities.ts';
import { markRehearsal } from '../../rehearsal.ts';
import { listUnopened } from '../../sealed.ts';
import { keyFileOf, readKeys } from '../../secrets.ts';
import { findDatabase, STORE, withDatabase } from '../database.ts';
import { printResult } from '../operate.ts';
import { CommandError, UsageError, type Output, type Shell } from '../shell.ts';
import { WRONG_MONEY } from './catalog.sql.ts';
import { loadBackup, openBackup, writeBackup, type Backup } from './copy.ts';

export const commands = { backup: defineBackup, restore: defineRestore, check: defineCheck };

type Options = { check?: boolean; keysTo?: string };

function defineBackup(command: Command, shell: Shell): void {
  command
    .argument('<file>', 'the new file', (path) => resolve(path))
    .addHelpText(
      'after',
      '\nBACKUP_PASSPHRASE encrypts the file, which also has SECRETS_KEYS. Store passphrase and file separately.',
    )
    .action(async (file: string) => printResult(shell, command, await backUp(file, shell)));
}

function defineRestore(command: Command, shell: Shell): void {
  command
    .argument('<file>', 'the backup', (path) => resolve(path))
    .option('--check', 'check the new database; with it a production backup may be rehearsed in DATA_DIR')
    .option('--keys-to <file>', 'only write the SECRETS_KEYS of the backup into this new file')
    .addHelpText('after', '\nFills DATA_DIR, which must be new or empty, or the empty database of DATABASE_URL.')
    .action(async (file: string, options: Options) => printResult(shell, command, await restore(file, options, shell)));
}

function defineCheck(command: Command, shell: Shell): void {
  command
    .addHelpText('after', '\nNodes may run at the same time. Exit code 1 means that something is wrong.')
    .action(async () => printResult(shell, command, { json: await checkDatabase(shell) }));
}

async function backUp(file: string, shell: Shell): Promise<Output> {
  const config = readConfig(shell.env, (name) => STORE.includes(name) || name === 'BACKUP_PASSPHRASE');
  const into = { file, passphrase: requirePassphrase(config) };
  if (!config.DATABASE_URL && !hasCluster(config.DATA_DIR))
    throw new CommandError(`DATA_DIR: no database in ${resolve(config.DATA_DIR)}.`);
  const { url, stop } = await findDatabase(config);
  const takenAt = shell.clock.now().toISOString();
  const about = { environment: config.BALCAO_ENV, secretsKeys: readKeys(config), takenAt };
  return { json: await writeBackup(url, about, into).finally(stop) };
}

/** Returns the passphrase of backups. @throws UsageError if BACKUP_PASSPHRASE is not set */
function requirePassphrase({ BACKUP_PASSPHRASE }: Config): string {
  if (!BACKUP_PASSPHRASE) throw new UsageError('BACKUP_PASSPHRASE: required, with 12 characters or more.');
  return BACKUP_PASSPHRASE;
}

/** Settings that a restore reads. SECRETS_KEYS is not needed, because the backup contains the keys. */
const RESTORES: readonly VariableName[] = ['DATA_DIR', 'DATABASE_URL', 'BACKUP_PASSPHRASE'];

async function restore(file: string, options: Options, shell: Shell): Promise<Output> {
  const config = readConfig(shell.env, (name) => RESTORES.includes(name));
  const { BALCAO_ENV } = readConfig(shell.env, (name) => name === 'BALCAO_ENV');
  const backup = await openBackup(file, requirePassphrase(config));
  const { takenAt, environment, secretsKeys } = backup.manifest;
  if (options.keysTo !== undefined) {
    writeFileSync(options.keysTo, `${secretsKeys}\n`, { mode: 0o600, flag: 'wx' });
    return { json: { file: options.keysTo } };
  }
  const url = config.DATABASE_URL;
  const isAtHome = environment === BALCAO_ENV && (environment === 'sandbox' || url !== undefined);
  // Production never runs in DATA_DIR. A copy of production in that folder is a rehearsal.
  if (!isAtHome && (url || !options.check))
    throw new CommandError(
      `BALCAO_ENV, DATABASE_URL: this is a backup of a ${environment} gateway, but the settings name another kind. ` +
        'To rehearse, restore it with --check into DATA_DIR, and without DATABASE_URL.',
    );
  const into = url ? 'DATABASE_URL' : resolve(config.DATA_DIR);
  const rows = url ? await fill(url, backup) : await fillNew(into, backup, !isAtHome);
  const next = isAtHome
    ? `After the start of a node, reconcile --since ${takenAt} records the money that rails took since then.`
    : 'This is a rehearsal: no node starts on it. Delete the folder.';
  const checked = options.check && (await checkDatabase(isAtHome ? shell : { ...shell, env: { DATA_DIR: into } }));
  return { json: { into, takenAt, rows, next, ...checked } };
}

async function fill(url: string, backup: Backup): Promise<number> {
  const database = await openDatabase(url, { entities, poolMax: 3, isPatient: true });
  return loadBackup(database, backup).finally(() => closeDatabase(database));
}

/** Fills a folder under a temporary name, then renames it. @throws the system's error if `dataDir` is not empty */
async function fillNew(dataDir: string, backup: Backup, isRehearsal: boolean): Promise<number> {
  if (existsSync(dataDir)) rmdirSync(dataDir);
  const draft = `${dataDir}.restoring-${process.pid}`;
  try {
    mkdirSync(draft, { recursive: true, mode: 0o700 });
    writeFileSync(keyFileOf(draft), `${backup.manifest.secretsKeys}\n`, { mode: 0o600, flush: true });
    const embedded = await startEmbedded({ dataDir: draft });
    const rows = await fill(embedded.url, backup).finally(() => embedded.stop());
    if (isRehearsal) markRehearsal(draft);
    renameSync(draft, dataDir);
    return rows;
  } finally {
    rmSync(draft, { recursive: true, force: true, maxRetries: 5 });
  }
}

const SHOWN_AT_MOST = 20;

/** Checks whether keys open the secrets and whether sums of money are right. @throws CommandError with the faults */
async function checkDatabase(shell: Shell) {
  const work = async (core: Core) => {
    const { rows } = await inTransaction(core, async ({ pool }) => {
      await pool.query('set local statement_timeout = 0');
      return pool.query<{ fault: string }>(WRONG_MONEY);
    });
    const closed = (await listUnopened(core)).map((where) => `No key opens ${where}.`);
    return [...closed, ...rows.map(({ fault }) => fault)];
  };
  const faults = await withDatabase(shell, work, { storeAlone: true });
  if (faults.length > 0)
    throw new CommandError(`Faults: ${faults.length}\n${faults.slice(0, SHOWN_AT_MOST).join('\n')}`);
  return { keys: 'fine', payments: 'fine', refunds: 'fine' };
}
