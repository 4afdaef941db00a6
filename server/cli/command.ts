// What a command of `npm run balcao` is: its options, its help, and the two ways in which it can fail.
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../clock.ts';

/** A flag, as `parseArgs` reads it, with what the help says of it. */
export type Option = {
  type: 'string' | 'boolean';
  short?: string;
  default?: string;
  /** The value's name in the help: `<url>`. */
  value?: string;
  about: string;
};

/** What the shell said. */
export type Call = { values: Record<string, string | boolean | undefined>; positionals: string[]; isJson: boolean };

/** Where it was said. */
export type Shell = {
  /** Instead of the process's own. */
  env?: Record<string, string | undefined>;
  clock: Clock;
  /** For who called, and programs: stdout. */
  say(line: string): void;
  /** For who called alone: stderr. */
  complain(line: string): void;
  terminal: Terminal;
  /** From here on Ctrl-C does not end the process, but aborts this. */
  untilStopped(): AbortSignal;
};

/** Where a person can be asked. */
export type Terminal = { input: Readable & { isTTY?: boolean }; output: Writable };

/** What a command that ends by itself has to tell. */
export type Output = { text: string; json: unknown };

export type Command = {
  /** What follows the command's name. */
  usage: string;
  options: Record<string, Option>;
  /** Further lines of its help. */
  notes?: string;
  /** Nothing when it has printed everything already. @throws UsageError, CommandError */
  run(call: Call, shell: Shell): Promise<Output | undefined>;
};

/** The call was wrong: exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** It could not be done, for a reason that a person understands: exit code 1. */
export class CommandError extends Error {
  /** The same may work in a moment: nobody answered, or nobody had the time. */
  readonly isTemporary: boolean;
  /** Of the answer that says no, where there is one. */
  readonly status: number | null;
  constructor(message: string, told: { isTemporary?: boolean; status?: number } = {}) {
    super(message);
    this.name = 'CommandError';
    this.isTemporary = told.isTemporary ?? false;
    this.status = told.status ?? null;
  }
}

/** The value of a flag that takes one. */
export function textOf({ values }: Call, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** The help of one command. */
export function describeCommand(name: string, about: string, { usage, options, notes }: Command): string {
  const all: Record<string, Option> = { ...options, ...COMMON_OPTIONS };
  const rows = Object.entries(all).map(([flag, { value, default: initial, about }]) => [
    `--${flag}${value ? ` <${value}>` : ''}`,
    initial === undefined ? about : `${about} (${initial})`,
  ]);
  const head = `Usage: npm run balcao -- ${name} ${usage}\n\n${about[0]?.toUpperCase()}${about.slice(1)}.`;
  return `${[head, alignRows(rows), ...(notes ? [notes] : [])].join('\n\n')}\n`;
}

/** What every command takes. */
export const COMMON_OPTIONS = {
  json: { type: 'boolean', about: 'for programs: JSON instead of words' },
  help: { type: 'boolean', short: 'h', about: 'this' },
} as const satisfies Record<string, Option>;

/** Two columns, indented. */
export function alignRows(rows: string[][]): string {
  const width = Math.max(...rows.map(([left = '']) => left.length));
  return rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
