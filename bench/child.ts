// Processes of their own for what is measured and what measures: started here, asked by message, gone with their parent.
import { fork, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type Child = {
  pid: number;
  /** Has the child do one of the jobs it serves. @throws what the job threw there, or when the child is gone */
  ask<T>(job: string, options?: object): Promise<T>;
  isRunning(): boolean;
  /** SIGTERM; killed if it takes longer than that. */
  stop(atMostMs?: number): Promise<void>;
};

export type ChildOptions = { env?: Record<string, string>; execArgv?: string[]; cwd?: string };

type Question = { id: number; job: string; options: object };
type Reply = { id: number; result?: unknown; error?: string };

/** Starts a file of this repository (by its path there) under this very Node. */
export function startChild(file: string, { env = {}, execArgv = [], cwd }: ChildOptions = {}): Child {
  const stdio: StdioOptions = ['ignore', 'ignore', 'inherit', 'ipc'];
  const child = fork(fileURLToPath(new URL(`../${file}`, import.meta.url)), {
    execArgv,
    stdio,
    env: { ...process.env, ...env },
    ...(cwd && { cwd }),
  });
  const waiting = new Map<number, (reply: Reply) => void>();
  let nextId = 0;
  child.on('message', (message) => {
    const reply = message as Reply;
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  });
  child.once('exit', (code, signal) => {
    for (const [id, answer] of waiting) answer({ id, error: `${file} ended with ${signal ?? code}` });
    waiting.clear();
  });
  return {
    pid: child.pid ?? 0,
    async ask<T>(job: string, options: object = {}): Promise<T> {
      if (!isRunning(child)) throw new Error(`${file} is not running`);
      const id = nextId++;
      const answered = new Promise<Reply>((resolve) => waiting.set(id, resolve));
      child.send({ id, job, options } satisfies Question);
      const { result, error } = await answered;
      if (error !== undefined) throw new Error(`${file}: ${error}`);
      return result as T;
    },
    isRunning: () => isRunning(child),
    stop: (atMostMs = 15_000) => stopChild(child, atMostMs),
  };
}

type Job = (options: never) => unknown;

const served = new Map<string, Job>();

/** The child's side: does what the parent asks, and ends in order when the parent is gone. May be called again for more. */
export function serveParent(jobs: Record<string, Job>): void {
  const isFirst = served.size === 0;
  for (const [name, job] of Object.entries(jobs)) served.set(name, job);
  if (!isFirst) return;
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.on('message', (message) => void answerQuestion(message as Question));
}

async function answerQuestion({ id, job, options }: Question): Promise<void> {
  const reply: Reply = { id };
  try {
    const run = served.get(job);
    if (!run) throw new Error(`no job ${job}`);
    reply.result = await run(options as never);
  } catch (error) {
    reply.error = error instanceof Error ? error.message : String(error);
  }
  process.send?.(reply);
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

async function stopChild(child: ChildProcess, atMostMs: number): Promise<void> {
  if (!isRunning(child)) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), atMostMs);
  await gone;
  clearTimeout(force);
}
