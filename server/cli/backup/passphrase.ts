// The passphrase of a backup: from a file, the environment, or a person at the terminal.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Config } from '../../config.ts';
import { readInput } from '../operate.ts';
import { CommandError, UsageError, type Shell } from '../shell.ts';

/** A finder of the backup has any time to guess. */
const MIN_LENGTH = 12;

type Wanted = { file: string | undefined; config: Config; isNew: boolean };

/** @param isNew the person chooses it now, and types it twice. @throws UsageError, CommandError */
export async function readPassphrase(shell: Shell, { file, config, isNew }: Wanted): Promise<string> {
  const lines = file === undefined ? null : (await readInput(file, shell.terminal)).toString('utf8');
  const passphrase = lines?.split(/\r?\n/)[0] ?? config.BACKUP_PASSPHRASE ?? (await askHidden('Passphrase: ', shell));
  if (passphrase.length < MIN_LENGTH)
    throw new UsageError(`The passphrase must have ${MIN_LENGTH} characters or more.`);
  const isTyped = lines === null && config.BACKUP_PASSPHRASE === undefined;
  if (isNew && isTyped && (await askHidden('Repeat it: ', shell)) !== passphrase)
    throw new CommandError('The two passphrases differ. Nothing was written.');
  return passphrase;
}

async function askHidden(question: string, { terminal: { input, output } }: Shell): Promise<string> {
  if (!input.isTTY)
    throw new UsageError('BACKUP_PASSPHRASE: required, or --passphrase-file, since there is no terminal.');
  output.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true });
  const ended = new Promise<string>((resolve) => void lines.once('close', () => resolve('')));
  const typed = await Promise.race([lines.question(''), ended]);
  lines.close();
  output.write('\n');
  return typed;
}
