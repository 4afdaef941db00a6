// Runs an operator's command: opens the database, asks before irreversible changes, and prints the result.
import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { buffer } from 'node:stream/consumers';
import { Option, type Command } from 'commander';
import { PROBLEMS } from '../../shared/errors.ts';
import { messageOf } from '../../shared/messages.ts';
import type { Core } from '../core.ts';
import { em, type Db } from '../database/db.ts';
import type { Actor } from '../audit/record.ts';
import { Problem } from '../http/problem.ts';
import { Merchant } from '../merchants/entities.ts';
import { withDatabase } from './database.ts';
import { CommandError, formatOutput, UsageError, type Output, type Shell, type Terminal } from './shell.ts';

/** Services of an operator's command. */
export type CommandContext = {
  core: Core;
  actor: Actor;
  /** Reads a file, or standard input for `-`, which keeps secrets out of arguments. @throws UsageError */
  readInput(path: string): Promise<Buffer>;
  /** Continues if the operator types `name` or passed `--yes`. @throws UsageError, CommandError */
  confirm(warning: string, name: string): Promise<void>;
};

/** The option `--yes` of commands that ask for confirmation. */
export const YES = new Option('--yes', 'make the change without asking');

/** Wraps `run` as a commander action. `run` receives the command context, the operands in order, and the options. */
export function operate<A extends unknown[]>(
  shell: Shell,
  run: (context: CommandContext, ...args: A) => Promise<Output>,
) {
  return async (...args: [...A, Command]): Promise<void> => {
    const command = args.at(-1) as Command;
    const { yes = false } = command.opts<{ yes?: boolean }>();
    const context: Omit<CommandContext, 'core'> = {
      actor: { kind: 'operator', id: readOperator(), address: null },
      readInput: (path) => readInput(path, shell.terminal),
      confirm: async (warning, name) => void (yes || (await askConfirmation(warning, name, shell.terminal))),
    };
    const given = args.slice(0, -1) as unknown as A;
    const output = await withDatabase(shell, (core) => run({ core, ...context }, ...given)).catch((error: unknown) => {
      throw error instanceof Problem ? refusalOf(error) : error;
    });
    printResult(shell, command, output);
  };
}

/** Prints a command's result for people, or as JSON with `--json`. */
export function printResult(shell: Shell, command: Command, output: Output): void {
  shell.say(wantsJson(command) ? JSON.stringify(output.json, null, 2) : formatOutput(output));
}

/** True if the operator passed `--json`, which every command accepts. */
export const wantsJson = (command: Command): boolean => command.optsWithGlobals<{ json?: boolean }>().json === true;

/** Asks the operator on stderr, because programs read the result from stdout. @throws UsageError, CommandError */
export async function askConfirmation(warning: string, name: string, { input, output }: Terminal): Promise<void> {
  if (!input.isTTY)
    throw new UsageError('This command asks for confirmation, and there is no terminal. --yes confirms the change.');
  const lines = createInterface({ input, output });
  try {
    const ended = new Promise<string>((resolve) => void lines.once('close', () => resolve('')));
    const typed = await Promise.race([lines.question(`${warning}\nType ${name} to continue: `), ended]);
    if (typed.trim() !== name) throw new CommandError('Nothing was changed.');
  } finally {
    lines.close();
  }
}

/** Reads a file, or standard input for `-`. @throws UsageError */
export async function readInput(path: string, { input }: Terminal): Promise<Buffer> {
  if (path === '-') return buffer(input);
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} cannot be read (${error.code}).`);
  });
}

/** Returns the operator's user name on this machine, for the audit. */
function readOperator(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the current user may have no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Converts a refusal by the gateway's own rules to an error with a sentence. */
function refusalOf({ code, options }: Problem): Error {
  const { status, detail } = PROBLEMS[code];
  const faults = (options.faults ?? []).map(
    ({ pointer, code, params }) => `\n  ${pointer.slice(1)} ${messageOf(code, 'en', params)}`,
  );
  const sentence = faults.length > 0 ? `The request is invalid:${faults.join('')}` : detail;
  return status === 400 ? new UsageError(sentence) : new CommandError(sentence, { status });
}

/** Returns the merchant with this id. @throws CommandError for an unknown id */
export async function findMerchantOf(db: Db, id: string): Promise<Merchant> {
  const merchant = await em(db).findOne(Merchant, { id });
  if (!merchant) throw new CommandError(`There is no merchant ${id}. The command merchant list shows them.`);
  return merchant;
}
