// What an operator can have done to a noun (`balcao merchant create`): its names and options, the question before it, and its refusals.
import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { buffer } from 'node:stream/consumers';
import { PROBLEMS } from '../../shared/errors.ts';
import { messageOf } from '../../shared/messages.ts';
import type { Core } from '../core.ts';
import type { Actor } from '../audit/record.ts';
import { Problem } from '../http/problem.ts';
import {
  alignRows,
  CommandError,
  UsageError,
  type Call,
  type Command,
  type Option,
  type Output,
  type Terminal,
} from './command.ts';
import { withDatabase } from './database.ts';

export type Action = {
  about: string;
  /** What it is done to, in this order; with `?` it may be left out. */
  takes: readonly string[];
  options?: Record<string, Option>;
  notes?: string;
  /** It shows or mails addresses of the gateway, and so needs PUBLIC_URL. */
  writesLinks?: true;
  /** Whether a person must be sure: what it takes away, or moves, does not come back. */
  asks?: 'always' | 'sometimes';
  /** @throws UsageError, CommandError, Problem */
  run(desk: Desk): Promise<Output>;
};

/** What an action works with. */
export type Desk = {
  core: Core;
  actor: Actor;
  call: Call;
  /** As `takes` names them. */
  given: readonly string[];
  /** The text of a file; of `-` what is piped in, so that secrets need never be in a file or on a command line. @throws UsageError */
  readText(path: string): Promise<string>;
  /** The same, of a file that is no text. @throws UsageError */
  readBytes(path: string): Promise<Buffer>;
  /** Goes on when the person is sure, who types `name`. @throws UsageError, CommandError */
  confirm(warning: string, name: string): Promise<void>;
};

/** The actions of a noun, by their names. */
export type Group = Record<string, Action>;

const YES = { yes: { type: 'boolean', about: 'do not ask: I am sure' } } as const satisfies Record<string, Option>;

/** An action as a command of its own. */
export function commandOf(action: Action): Command {
  const { takes, notes, asks } = action;
  const names = takes.map((name) => (name.endsWith('?') ? `[${name.slice(0, -1)}]` : `<${name}>`));
  const options = { ...action.options, ...(asks && YES) };
  return {
    usage: [...names, '[options]'].join(' '),
    options,
    ...(notes && { notes }),
    async run(call, shell) {
      checkCount(takes, call.positionals);
      const isSure = call.values['yes'] === true;
      if (asks === 'always' && !isSure && !shell.terminal.input.isTTY) throw cannotAsk();
      const confirm: Desk['confirm'] = async (warning, name) => {
        if (!isSure) await askPerson(warning, name, shell.terminal);
      };
      const actor = { kind: 'operator', id: readOperator(), address: null } as const;
      const readBytes = (path: string) => readInput(path, shell.terminal);
      const readText = async (path: string) => (await readBytes(path)).toString('utf8');
      const desk = { actor, call, given: call.positionals, confirm, readText, readBytes };
      const uses = { writesLinks: action.writesLinks };
      return withDatabase(shell, (core) => action.run({ core, ...desk }), uses).catch((error: unknown) => {
        throw error instanceof Problem ? refusalOf(error) : error;
      });
    },
  };
}

/** The help of a noun. */
export function describeGroup(noun: string, about: string, group: Group): string {
  const rows = Object.entries(group).map(([verb, { takes, about }]) => [[verb, ...takes].join(' '), about]);
  const head = `Usage: npm run balcao -- ${noun} <action>\n\n${about[0]?.toUpperCase()}${about.slice(1)}.`;
  return `${head}\n\n${alignRows(rows)}\n\n${noun} <action> --help says more.\n`;
}

function checkCount(takes: readonly string[], given: string[]): void {
  const least = takes.filter((name) => !name.endsWith('?')).length;
  if (given.length >= least && given.length <= takes.length) return;
  throw new UsageError(
    takes.length === 0 ? 'This action takes no names.' : `This action takes ${takes.join(', ')}; --help says more.`,
  );
}

/** Asks at the terminal, on stderr: answers for programs go to stdout. @throws UsageError, CommandError */
export async function askPerson(warning: string, name: string, { input, output }: Terminal): Promise<void> {
  if (!input.isTTY) throw cannotAsk();
  const lines = createInterface({ input, output });
  try {
    const ended = new Promise<string>((resolve) => void lines.once('close', () => resolve('')));
    const typed = await Promise.race([lines.question(`${warning}\nType ${name} to go on: `), ended]);
    if (typed.trim() !== name) throw new CommandError('Nothing was changed.');
  } finally {
    lines.close();
  }
}

function cannotAsk(): UsageError {
  return new UsageError(
    'This asks before it goes on, and there is no terminal to ask at: --yes says that you are sure.',
  );
}

async function readInput(path: string, { input }: Terminal): Promise<Buffer> {
  if (path === '-') return buffer(input);
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} cannot be read (${error.code})`);
  });
}

/** Who is at the machine, for the audit. */
function readOperator(): string {
  try {
    return userInfo().username;
  } catch {
    // A container's user may have no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** A refusal of the gateway's own, as a sentence; of what was typed it is a wrong call. */
function refusalOf({ code, options }: Problem): Error {
  const { status, detail } = PROBLEMS[code];
  const faults = (options.faults ?? []).map(
    ({ pointer, code, params }) => `\n  ${pointer.slice(1)} ${messageOf(code, 'en', params)}`,
  );
  const sentence = faults.length > 0 ? `This cannot be:${faults.join('')}` : detail;
  return status === 400 ? new UsageError(sentence) : new CommandError(sentence, { status });
}
