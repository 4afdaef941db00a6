// balcao archive: months that nothing needs any more go into files, and their space comes back; and what is in such a file.
import { resolve } from 'node:path';
import { ArchiveDamaged, fileOf, readName, readPayment, readWhole, tryFolder } from '../../archive/file.ts';
import { archivePart, CannotArchive, listParts, lockArchive, type Archiving } from '../../archive/part.ts';
import { readConfig } from '../../config.ts';
import { isMigrated } from '../../database/migrate.ts';
import { beginOf, monthOf } from '../../database/months.ts';
import { monthOfSuffix } from '../../database/months.sql.ts';
import { closeDatabase, openDatabase } from '../../database/orm.ts';
import { entities } from '../../entities.ts';
import {
  CommandError,
  needText,
  readId,
  textOf,
  UsageError,
  type Call,
  type Command,
  type Output,
  type Shell,
} from '../command.ts';
import { findDatabase } from '../database.ts';

export const archive: Command = {
  usage: '--before <month> | read <file> [--payment <id>]',
  options: {
    before: { type: 'string', value: 'month', about: 'archive the months before this one, such as 2026-01' },
    payment: { type: 'string', value: 'id', about: 'of a file: what is told of this payment alone' },
  },
  notes: `Events and deliveries of a month, with every attempt, go into one file of ARCHIVE_DIR and out of the database, beside running nodes.
It is read back before anything is dropped; killed in between, it goes on when it is run again. Not archived: a month that is not over, and
one in which a payment is open, a delivery due or a list not counted; it says which. What tells of payers is left out.
read prints its lines of JSON, having compared the file with what was written into it.`,
  async run(call, shell) {
    try {
      return call.positionals[0] === 'read' ? await readFile(call, shell) : await archiveMonths(call, shell);
    } catch (error) {
      if (error instanceof ArchiveDamaged || error instanceof CannotArchive) throw new CommandError(error.message);
      const { code = '', message } = error as NodeJS.ErrnoException;
      if (!/^E[A-Z]+$/.test(code)) throw error;
      throw new CommandError(`${message}. Nothing was dropped that is not in its file: run it again.`);
    }
  },
};

async function readFile(call: Call, shell: Shell): Promise<undefined> {
  const [, file, ...others] = call.positionals;
  if (!file || others.length > 0) throw new UsageError('archive read takes one file, such as 2026_01.ndjson.gz.');
  readName(file);
  const payment = textOf(call, 'payment');
  if (payment === undefined) {
    // Nothing is printed of a file that is not whole.
    await readWhole(file);
    await readWhole(file, shell.say);
    return;
  }
  const rows = await readPayment(file, readId(payment, '--payment'));
  if (rows.length === 0) throw new CommandError(`${file} has nothing of payment ${payment}.`);
  for (const row of rows) shell.say(JSON.stringify(row));
}

async function archiveMonths(call: Call, shell: Shell): Promise<Output> {
  if (call.positionals.length > 0) throw new UsageError('archive takes --before and a month, or read and a file.');
  const config = readConfig(shell.env);
  const month = readMonth(needText(call, 'before'), shell.clock.now());
  if (!config.ARCHIVE_DIR) throw new CommandError('ARCHIVE_DIR: name the folder of archives, which nodes read too.');
  const dir = resolve(config.ARCHIVE_DIR);
  await tryFolder(dir).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`ARCHIVE_DIR: ${dir} cannot be written: ${error.code}.`);
  });
  const { url, stop } = await findDatabase(config);
  try {
    // One holds the lock all the time.
    const database = await openDatabase(url, { entities, poolMax: 3, isPatient: true });
    try {
      if (!(await isMigrated(database)))
        throw new CommandError('DATABASE_URL: start a node of this release on it first.');
      return await archiveBefore({ pool: database.pool, clock: shell.clock, dir }, month);
    } finally {
      await closeDatabase(database);
    }
  } finally {
    await stop();
  }
}

/** The month as its parts end. @throws UsageError; CommandError where months before it are not over */
function readMonth(text: string, now: Date): string {
  const month = text.replace('-', '_');
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) throw new UsageError('--before must be a month such as 2026-01');
  if (monthOfSuffix(month) > monthOf(now)) throw new CommandError(`Months before ${text} are not all over.`);
  return month;
}

/** Each month that can be archived; the first that cannot ends it. */
async function archiveBefore(on: Archiving, month: string): Promise<Output> {
  const lock = await lockArchive(on.pool);
  if (!lock) throw new CommandError('Somebody else archives at this moment.', { isTemporary: true });
  try {
    const files: { file: string; events: number; deliveries: number; bytes: number }[] = [];
    for (const part of await listParts(on, month)) {
      const written = await archivePart(on, part, beginOf(monthOfSuffix(month)));
      if (written) files.push({ file: fileOf(on.dir, part), ...written.rows, bytes: written.bytes });
    }
    const lines = files.map(
      ({ file, events, deliveries, bytes }) => `${file}: ${events} events, ${deliveries} deliveries, ${bytes} bytes.`,
    );
    return { text: lines.join('\n') || 'There is nothing to archive.', json: { files } };
  } finally {
    // The lock ends with its connection.
    lock.release(true);
  }
}
