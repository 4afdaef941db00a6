// Commands of `npm run balcao` in this process or in a child process, with their output and exit codes.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { userInfo } from 'node:os';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { runCommand } from '../../server/cli/program.ts';
import { systemClock, type Clock } from '../../server/clock.ts';
import { until, TEST_ENV, type TestApp } from './app.ts';

const CLI = fileURLToPath(new URL('../../server/cli/main.ts', import.meta.url));

export type Ended = { code: number | null; stdout: string; stderr: string };

export type RunningCli = {
  /** The standard output so far. */
  stdout(): string;
  stderr(): string;
  /** Waits until stdout or stderr matches this expression. */
  untilSaid(pattern: RegExp): Promise<unknown>;
  isRunning(): boolean;
  /** Interrupts the command, as Ctrl-C does. */
  interrupt(): Promise<Ended>;
  ended: Promise<Ended>;
};

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** A command in a separate process. */
type CliProcess = RunningCli & {
  /** Kills the process, as kill -9 does. */
  kill(): Promise<Ended>;
};

/** Starts a command as a child process with `env` added to the environment. */
export function startCli(args: string[], env: Record<string, string> = {}): CliProcess {
  const child = spawn(process.execPath, [CLI, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  running.add(child);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk));
  const ended = once(child, 'close').then(([code]: (number | null)[]) => {
    running.delete(child);
    return { code: code ?? null, stdout, stderr };
  });
  const cli: CliProcess = {
    stdout: () => stdout,
    stderr: () => stderr,
    untilSaid: (pattern) => untilSaid(cli, pattern),
    isRunning: () => child.exitCode === null && child.signalCode === null,
    interrupt() {
      child.kill('SIGINT');
      return ended;
    },
    kill() {
      child.kill('SIGKILL');
      return ended;
    },
    ended,
  };
  return cli;
}

function untilSaid({ stdout, stderr, isRunning }: RunningCli, pattern: RegExp): Promise<unknown> {
  return until(() => {
    if (pattern.test(stdout()) || pattern.test(stderr())) return true;
    if (!isRunning()) throw new Error(`it ended: ${stdout()}${stderr()}`);
    return false;
  }, `the command writing ${pattern}`);
}

export function runCli(...args: string[]): Promise<Ended> {
  return startCli(args).ended;
}

/** Running commands of this process. */
const here = new Set<RunningCli>();

/** The complete environment, the clock and the standard input of a command. */
type Surroundings = { env?: Record<string, string>; clock?: Clock; piped?: string };

/** Starts the same command in this process, which is faster than a child process. */
export function startHere(
  args: string[],
  { env = {}, clock = systemClock, piped = '' }: Surroundings = {},
): RunningCli {
  const stopping = new AbortController();
  const input = new PassThrough().end(piped);
  let [stdout, stderr, isOver] = ['', '', false];
  const code = runCommand(args, {
    env,
    clock,
    say: (line) => void (stdout += `${line}\n`),
    complain: (line) => void (stderr += `${line}\n`),
    terminal: { input, output: new PassThrough() },
    untilStopped() {
      here.add(cli);
      return stopping.signal;
    },
  });
  const ended = code.then((code) => {
    isOver = true;
    here.delete(cli);
    return { code, stdout, stderr };
  });
  const cli: RunningCli = {
    stdout: () => stdout,
    stderr: () => stderr,
    untilSaid: (pattern) => untilSaid(cli, pattern),
    isRunning: () => !isOver,
    interrupt() {
      stopping.abort();
      return ended;
    },
    ended,
  };
  return cli;
}

/** Runs a command inside of this process to its end. */
export function runHere(...args: string[]): Promise<Ended> {
  return startHere(args).ended;
}

/** Ends all commands. For afterEach. */
export async function stopClis(): Promise<void> {
  await Promise.all([...here].map((cli) => cli.interrupt()));
  await Promise.all(
    [...running].map((child) => {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      return closed;
    }),
  );
}

/** The settings that a command shares with its gateway. */
function operatorEnv(app: TestApp): Record<string, string> {
  return {
    DATABASE_URL: app.databaseUrl,
    SECRETS_KEYS: TEST_ENV.SECRETS_KEYS,
    PUBLIC_URL: app.node.core.publicUrl,
    LOG_LEVEL: 'silent',
  };
}

/** Runs `npm run balcao -- …` to its end inside of this process. `env` overrides settings, `piped` is its stdin. */
export function operate(app: TestApp, args: string[], env: Record<string, string> = {}, piped = ''): Promise<Ended> {
  return startHere(args, { env: { ...operatorEnv(app), ...env }, piped }).ended;
}

/** Runs the same command as a child process, for tests of its exit. */
export function operateAlone(app: TestApp, args: string[]): Promise<Ended> {
  return startOperator(app, args).ended;
}

/** Starts the same command as a child process, and returns while it runs. */
export function startOperator(app: TestApp, args: string[]): CliProcess {
  return startCli(args, operatorEnv(app));
}

/** Runs a command and returns its JSON output. @throws if the command fails */
export async function operateJson(app: TestApp, ...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await operate(app, [...args, '--json']);
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Expects this exit code and this message without a stack. */
export async function expectRefusal(app: TestApp, args: string[], code: number, said: string): Promise<void> {
  expectEnd(await operate(app, args), code, said);
}

/** Expects this exit code and message of a command that has ended. */
export function expectEnd({ code, stdout, stderr }: Ended, expected: number, said: string): void {
  expect([code, stdout]).toEqual([expected, '']);
  expect(stderr).toContain(said);
  expect(stderr).not.toContain('    at ');
}

/** The audit entries of an action, oldest first. Expects that the operator made each. */
export async function readAudit(app: TestApp, action: string, merchantId: string | null): Promise<any[]> {
  const rows = await app.sql(
    'select * from audit_entries where action = $1 and merchant_id is not distinct from $2::uuid order by seq',
    [action, merchantId],
  );
  for (const { actor_kind, actor_id, address } of rows)
    expect([actor_kind, actor_id, address]).toEqual(['operator', userInfo().username, null]);
  return rows;
}

/** The error message of a command that needs a confirmation but has no terminal. */
export const NO_TERMINAL = 'there is no terminal. --yes confirms the change.';
