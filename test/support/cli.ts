// `npm run balcao -- …` inside of this process, or as one of its own: what it printed, and how it ended.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { systemClock, type Clock } from '../../server/clock.ts';
import { runCommand } from '../../server/cli/program.ts';
import { until } from './app.ts';

const CLI = fileURLToPath(new URL('../../server/cli/main.ts', import.meta.url));

export type Ended = { code: number | null; stdout: string; stderr: string };

export type RunningCli = {
  /** Everything on stdout so far. */
  stdout(): string;
  stderr(): string;
  /** Waits until stdout or stderr has text like this. */
  untilSaid(pattern: RegExp): Promise<unknown>;
  isRunning(): boolean;
  /** As Ctrl-C does. */
  interrupt(): Promise<Ended>;
  ended: Promise<Ended>;
};

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** A command that is a process of its own. */
export type CliProcess = RunningCli & {
  /** As kill -9 does. */
  kill(): Promise<Ended>;
};

/** Starts a command as a process and goes on; `env` is added to the tests' own. */
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
  return {
    stdout: () => stdout,
    stderr: () => stderr,
    untilSaid: (pattern) =>
      until(() => {
        if (pattern.test(stdout) || pattern.test(stderr)) return true;
        if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${stdout}${stderr}`);
        return false;
      }, `the command saying ${pattern}, which said ${stdout}${stderr}`),
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
}

/** Runs a command as a process to its end. */
export function runCli(...args: string[]): Promise<Ended> {
  return startCli(args).ended;
}

/** Those in this process that end when they are told to. */
const here = new Set<RunningCli>();

/** What a command in this process is given beside its arguments: `env` is all that it knows, `piped` what comes in at its stdin. */
type Surroundings = { env?: Record<string, string>; clock?: Clock; piped?: string };

/** The same command inside of this process, which spares it a start: its shell is the test. */
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
    untilSaid: (pattern) =>
      until(() => {
        if (pattern.test(stdout) || pattern.test(stderr)) return true;
        if (isOver) throw new Error(`it ended: ${stdout}${stderr}`);
        return false;
      }, `the command saying ${pattern}, which said ${stdout}${stderr}`),
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

/** For afterEach: nothing started here is left behind. */
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
