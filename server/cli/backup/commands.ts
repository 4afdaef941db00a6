// balcao backup, restore, check: a file with everything, a new database from it, and whether a database is whole.
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readConfig, type VariableName } from '../../config.ts';
import { startEmbedded } from '../../database/embedded/start.ts';
import { closeDatabase, openDatabase } from '../../database/orm.ts';
import { entities } from '../../entities.ts';
import { markRehearsal } from '../../rehearsal.ts';
import { keyFileOf, readKeys } from '../../secrets.ts';
import { findDatabase, STORE } from '../database.ts';
import { print } from '../operate.ts';
import { CommandError, type Output, type Shell } from '../shell.ts';
import { checkWhole } from './check.ts';
import { openBackup, refuseInUse, refuseNewer, writeBackup, type Backup } from './copy.ts';
import { readPassphrase } from './passphrase.ts';

export const commands = { backup: defineBackup, restore: defineRestore, check: defineCheck };

const PASSPHRASE_FILE = [
  '--passphrase-file <file>',
  'its first line is the passphrase; - reads standard input',
] as const;

type Options = { passphraseFile?: string; check?: boolean; keysTo?: string };

function defineBackup(command: Command, shell: Shell): void {
  command
    .argument('<file>', 'the new file', (path) => resolve(path))
    .option(...PASSPHRASE_FILE)
    .addHelpText('after', '\nThe file has SECRETS_KEYS too. Keep it and the passphrase apart. Nodes go on meanwhile.')
    .action(async (file: string, options: Options) => print(shell, command, await backUp(file, options, shell)));
}

function defineRestore(command: Command, shell: Shell): void {
  command
    .argument('<file>', 'the backup', (path) => resolve(path))
    .option(...PASSPHRASE_FILE)
    .option('--check', 'check the new database, as balcao check does')
    .option('--keys-to <file>', 'restore nothing, and write its SECRETS_KEYS into this new file')
    .addHelpText(
      'after',
      `
It fills DATA_DIR, which must be new or empty, or the empty database of DATABASE_URL. The whole file is checked first.
With --check a backup of a production fills DATA_DIR too, as a rehearsal. No node starts on it.`,
    )
    .action(async (file: string, options: Options) => print(shell, command, await restore(file, options, shell)));
}

function defineCheck(command: Command, shell: Shell): void {
  command
    .addHelpText('after', '\nIt only reads, beside running nodes. Exit code 1 means that something is wrong.')
    .action(async () => print(shell, command, await checkWhole(shell)));
}

async function backUp(file: string, options: Options, shell: Shell): Promise<Output> {
  const config = readConfig(shell.env, (name) => STORE.includes(name) || name === 'BACKUP_PASSPHRASE');
  const passphrase = await readPassphrase(shell, { file: options.passphraseFile, config, isNew: true });
  const { url, stop } = await findDatabase(config);
  try {
    const about = {
      environment: config.BALCAO_ENV,
      secretsKeys: readKeys(config),
      takenAt: shell.clock.now().toISOString(),
    };
    return { json: await writeBackup(url, about, { file, passphrase }) };
  } finally {
    await stop();
  }
}

/** The keys are in the backup. */
const RESTORES: readonly VariableName[] = ['DATA_DIR', 'DATABASE_URL', 'BACKUP_PASSPHRASE'];

async function restore(file: string, options: Options, shell: Shell): Promise<Output> {
  const config = readConfig(shell.env, (name) => RESTORES.includes(name));
  const { BALCAO_ENV } = readConfig(shell.env, (name) => name === 'BALCAO_ENV');
  const passphrase = await readPassphrase(shell, { file: options.passphraseFile, config, isNew: false });
  const backup = await openBackup(file, passphrase);
  const { takenAt, environment, secretsKeys } = backup.about;
  if (options.keysTo !== undefined) return writeKeys(secretsKeys, options.keysTo);
  refuseNewer(backup);
  const url = config.DATABASE_URL;
  const isAtHome = environment === BALCAO_ENV && (environment === 'sandbox' || url !== undefined);
  // A production never runs in DATA_DIR, so a copy of it there is a rehearsal.
  if (!isAtHome && (url || !options.check)) throw new CommandError(explainAway(environment, BALCAO_ENV));
  const into = url ? 'DATABASE_URL' : resolve(config.DATA_DIR);
  const rows = url ? await fill(url, backup) : await fillNew(into, backup, !isAtHome);
  const next = isAtHome
    ? `After the start of a node, reconcile --since ${takenAt} records the money that rails took since then.`
    : 'It is a rehearsal, on which no node starts. Delete the folder.';
  const text = `Restored into ${into}: ${rows} rows, as of ${takenAt}.\n${next}`;
  const json = { into, takenAt, rows };
  if (!options.check) return { text, json };
  const check = await checkWhole(isAtHome ? shell : { ...shell, env: { DATA_DIR: into } });
  return { text: `${text}\n\n${check.text}`, json: { ...json, check: check.json } };
}

function explainAway(environment: string, own: string): string {
  const rehearse = 'To rehearse, restore it with --check into DATA_DIR, and without DATABASE_URL.';
  if (environment === own) return `DATABASE_URL: a production needs one. ${rehearse}`;
  return `BALCAO_ENV: this is a backup of a ${environment}, not of a ${own}. ${rehearse}`;
}

function writeKeys(secretsKeys: string, file: string): Output {
  try {
    writeFileSync(file, `${secretsKeys}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${(error as NodeJS.ErrnoException).code}.`);
  }
  return { json: { file } };
}

async function fill(url: string, backup: Backup): Promise<number> {
  const database = await openDatabase(url, { entities, poolMax: 3, isPatient: true });
  try {
    await refuseInUse(database);
    return await backup.load(database);
  } finally {
    await closeDatabase(database);
  }
}

/** Builds the folder beside its place, and moves it there once it is whole. */
async function fillNew(dataDir: string, backup: Backup, isRehearsal: boolean): Promise<number> {
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0)
    throw new CommandError(`DATA_DIR: ${dataDir} is not empty. A backup is restored into a new folder.`);
  const draft = `${dataDir}.restoring-${process.pid}`;
  try {
    mkdirSync(draft, { recursive: true, mode: 0o700 });
    writeFileSync(keyFileOf(draft), `${backup.about.secretsKeys}\n`, { mode: 0o600, flush: true });
    const embedded = await startEmbedded({ dataDir: draft });
    const rows = await fill(embedded.url, backup).finally(() => embedded.stop());
    if (isRehearsal) markRehearsal(draft);
    if (existsSync(dataDir)) rmdirSync(dataDir);
    renameSync(draft, dataDir);
    return rows;
  } finally {
    rmSync(draft, { recursive: true, force: true, maxRetries: 5 });
  }
}
