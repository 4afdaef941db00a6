// balcao backup, restore, check: everything into a folder, out of it into a new database, and whether that is whole.
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readConfig, type Config, type VariableName } from '../../config.ts';
import { startEmbedded } from '../../database/embedded/start.ts';
import { closeDatabase, openDatabase } from '../../database/orm.ts';
import { entities } from '../../entities.ts';
import { markRehearsal } from '../../rehearsal.ts';
import { keyFileOf, readKeys } from '../../secrets.ts';
import { alignRows, CommandError, UsageError, type Call, type Command, type Output, type Shell } from '../command.ts';
import { findDatabase, STORE, withDatabase } from '../database.ts';
import { checkDatabase, findLastMoney } from './check.ts';
import { loadBackup, refuseInUse, refuseNewer, type Backup } from './load.ts';
import { openBackup } from './manifest.ts';
import { PASSPHRASE_FILE, readPassphrase } from './passphrase.ts';
import { writeBackup } from './write.ts';

export const backup: Command = {
  usage: '<folder> [options]',
  options: PASSPHRASE_FILE,
  notes: `The folder must be new. What is in it is sealed under the passphrase, the keys of SECRETS_KEYS too: keep both, apart from each other.
Nodes go on meanwhile; what is copied is all of one moment.`,
  async run(call, shell) {
    const dir = readFolder(call);
    const config = readConfig(shell.env, (name) => STORE.includes(name) || name === 'BACKUP_PASSPHRASE');
    const passphrase = await readPassphrase(call, shell, config, true);
    const { url, stop } = await findDatabase(config);
    try {
      const source = { url, clock: shell.clock, environment: config.BALCAO_ENV, secretsKeys: readKeys(config) };
      const { takenAt, tables } = await writeBackup(source, dir, passphrase);
      const rows = tables.reduce((sum, table) => sum + table.rows, 0);
      const bytes = tables.reduce((sum, table) => sum + table.bytes, 0);
      const text = `${dir}: ${tables.length} tables, ${rows} rows, ${bytes} bytes, as of ${takenAt}.`;
      return { text, json: { folder: dir, takenAt, tables: tables.length, rows, bytes } };
    } finally {
      await stop();
    }
  },
};

export const restore: Command = {
  usage: '<folder> [options]',
  options: {
    ...PASSPHRASE_FILE,
    check: { type: 'boolean', about: 'look through what was restored, as balcao check does' },
    'keys-to': { type: 'string', value: 'file', about: 'restore nothing; write its SECRETS_KEYS into this new file' },
  },
  notes: `Into DATA_DIR, which must not be there yet or be empty, or into the empty database of DATABASE_URL. Everything is compared with
what was written before anything is restored. With --check a production's backup goes into DATA_DIR too, as a rehearsal: no node starts on it, since it
would call rails and merchants.`,
  async run(call, shell) {
    const dir = readFolder(call);
    const config = readConfig(shell.env, (name) => RESTORES.includes(name));
    const { BALCAO_ENV } = readConfig(shell.env, (name) => name === 'BALCAO_ENV');
    const opened = { dir, ...(await openBackup(dir, await readPassphrase(call, shell, config, false))) };
    const keysTo = call.values['keys-to'];
    if (typeof keysTo === 'string') return writeKeys(opened, keysTo);
    refuseNewer(opened);
    const { environment } = opened.contents;
    const url = config.DATABASE_URL;
    const isChecked = call.values['check'] === true;
    const isAtHome = environment === BALCAO_ENV && (environment === 'sandbox' || url !== undefined);
    // A production never runs in DATA_DIR, so that a copy of it there is a rehearsal.
    if (!isAtHome && (url || !isChecked)) throw new CommandError(explainAway(environment, BALCAO_ENV));
    const where = url ? await fillOwn(url, opened) : await fillNew(config, opened, !isAtHome);
    const { takenAt, tables } = opened.contents;
    const restored = { into: where, takenAt, rows: tables.reduce((sum, { rows }) => sum + rows, 0) };
    const next = isAtHome
      ? `Once a node runs on it, what rails took since then is made good by: reconcile --since ${takenAt}`
      : 'It is a rehearsal, on which no node starts. Delete the folder.';
    const text = `Restored into ${where}: ${restored.rows} rows, as of ${takenAt}.\n${next}`;
    if (!isChecked) return { text, json: restored };
    const checked = await runCheck(isAtHome ? shell : { ...shell, env: { DATA_DIR: where } }, isAtHome);
    return { text: `${text}\n\n${checked.text}`, json: { ...restored, check: checked.json } };
  },
};

export const check: Command = {
  usage: '[options]',
  options: {},
  notes: 'Reads only, beside running nodes. Exit code 1 where something is wrong.',
  run: async (_call, shell) => runCheck(shell, false),
};

/** Its keys are in the backup. */
const RESTORES: readonly VariableName[] = ['DATA_DIR', 'DATABASE_URL', 'BACKUP_PASSPHRASE'];

function explainAway(environment: string, own: string): string {
  const wrong = `BALCAO_ENV: this is a backup of a ${environment}, not of a ${own}`;
  const rehearse = 'to rehearse, restore it with --check into DATA_DIR, and without DATABASE_URL';
  return environment === own ? `DATABASE_URL: a production needs one; ${rehearse}.` : `${wrong}; ${rehearse}.`;
}

function readFolder({ positionals }: Call): string {
  const [dir, ...others] = positionals;
  if (!dir || others.length > 0) throw new UsageError('This command takes one name, the folder of the backup.');
  return resolve(dir);
}

function writeKeys({ secrets }: Backup, file: string): Output {
  try {
    writeFileSync(file, `${secrets.secretsKeys}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${(error as NodeJS.ErrnoException).code}.`);
  }
  return { text: `${file} has what SECRETS_KEYS was.`, json: { file } };
}

/** A database that somebody else runs. */
async function fillOwn(url: string, backup: Backup): Promise<string> {
  const database = await openDatabase(url, { entities, poolMax: 3, isPatient: true });
  try {
    await refuseInUse(database);
    await loadBackup(database, backup);
    return 'DATABASE_URL';
  } finally {
    await closeDatabase(database);
  }
}

/** Made beside its place, and moved there when it is whole. */
async function fillNew({ DATA_DIR }: Config, backup: Backup, isRehearsed: boolean): Promise<string> {
  const dataDir = resolve(DATA_DIR);
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0)
    throw new CommandError(`DATA_DIR: ${dataDir} is not empty; a backup is restored into a new folder.`);
  const draft = `${dataDir}.restoring-${process.pid}`;
  try {
    mkdirSync(draft, { recursive: true, mode: 0o700 });
    writeFileSync(keyFileOf(draft), `${backup.secrets.secretsKeys}\n`, { mode: 0o600, flush: true });
    const embedded = await startEmbedded({ dataDir: draft });
    try {
      const database = await openDatabase(embedded.url, { entities, poolMax: 3, isPatient: true });
      await loadBackup(database, backup).finally(() => closeDatabase(database));
    } finally {
      await embedded.stop();
    }
    if (isRehearsed) markRehearsal(draft);
    if (existsSync(dataDir)) rmdirSync(dataDir);
    renameSync(draft, dataDir);
    return dataDir;
  } finally {
    rmSync(draft, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** @throws CommandError with all that was found where something is wrong */
async function runCheck(shell: Shell, isRestored: boolean): Promise<Output> {
  const { findings, lastMoneyAt } = await withDatabase(
    shell,
    async (core) => ({ findings: await checkDatabase(core), lastMoneyAt: await findLastMoney(core) }),
    { storeAlone: true },
  );
  const rows = findings.map(({ name, isFine, about }) => [name, `${isFine ? 'fine ' : 'WRONG'}  ${about}`]);
  const since = lastMoneyAt ? `The last money is of ${lastMoneyAt.toISOString()}. ` : '';
  const text = `${alignRows(rows)}\n\n${since}${isRestored ? NEXT : ''}`.trimEnd();
  if (findings.some(({ isFine }) => !isFine)) throw new CommandError(text);
  return { text, json: { findings, lastMoneyAt } };
}

/** What only the rails know, this machine cannot tell. */
const NEXT = `What rails took after that is not in it: once nodes run, stuck requery all asks about what was open, and
reconcile --since with a moment before it asks the rails what they took. What is left then is told by money unmatched.`;
