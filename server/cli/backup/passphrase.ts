// The passphrase of a backup: out of a file, the environment, or typed by a person whom nobody can look over the shoulder.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Config } from '../../config.ts';
import { CommandError, textOf, UsageError, type Call, type Option, type Shell, type Terminal } from '../command.ts';

/** Who finds the backup may guess as long as they like. */
const LEAST_LETTERS = 12;

export const PASSPHRASE_FILE = {
  'passphrase-file': {
    type: 'string',
    value: 'file',
    about: 'where the passphrase is, in its first line; - takes what is piped in',
  },
} as const satisfies Record<string, Option>;

/** @param isNew it is chosen now, and so typed twice. @throws UsageError, CommandError */
export async function readPassphrase(call: Call, shell: Shell, config: Config, isNew: boolean): Promise<string> {
  const file = textOf(call, 'passphrase-file');
  const given = file ? await readFirstLine(file, shell.terminal) : config.BACKUP_PASSPHRASE;
  const passphrase = given ?? (await askPassphrase(shell.terminal, isNew));
  if (passphrase.length < LEAST_LETTERS)
    throw new UsageError(`The passphrase must have ${LEAST_LETTERS} letters or more.`);
  return passphrase;
}

async function readFirstLine(file: string, { input }: Terminal): Promise<string> {
  const lines = file === '-' ? await text(input) : readText(file);
  return lines.split(/\r?\n/)[0] ?? '';
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

async function askPassphrase(terminal: Terminal, isNew: boolean): Promise<string> {
  if (!terminal.input.isTTY)
    throw new UsageError('BACKUP_PASSPHRASE: required, or --passphrase-file, where there is no terminal to ask at');
  const typed = await askHidden('Passphrase of the backup: ', terminal);
  if (isNew && (await askHidden('The same again: ', terminal)) !== typed)
    throw new CommandError('These are two passphrases; nothing was written.');
  return typed;
}

async function askHidden(question: string, { input, output }: Terminal): Promise<string> {
  output.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true });
  try {
    const ended = new Promise<string>((resolve) => void lines.once('close', () => resolve('')));
    return await Promise.race([lines.question(''), ended]);
  } finally {
    lines.close();
    output.write('\n');
  }
}
