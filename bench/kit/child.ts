// Child processes of the bench: started here, called by message, and stopped together with their parent.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type Child = {
  pid: number;
  /** Runs one of the jobs that the child process serves. @throws the job's error, or if the child has ended */
  call<T = void>(job: string, options?: object): Promise<T>;
  isRunning(): boolean;
  /** Sends SIGTERM to the process, and SIGKILL after `withinMs`. */
  stop(withinMs?: number): Promise<void>;
  /** Sends SIGKILL to the process. */
  kill(): Promise<void>;
};

export type ChildOptions = { env?: Record<string, string>; execArgv?: string[] };

type Request = { id: number; job: string; options: object };
type Reply = { id: number; result?: unknown; error?: string };

/** Starts a file of this repository with the current Node. The file is named by its path. */
export function startChild(file: string, { env = {}, execArgv = [] }: ChildOptions = {}): Child {
  const path = fileURLToPath(new URL(`../../${file}`, import.meta.url));
  const child = fork(path, {
    execArgv,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
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
  const end = async (signal: NodeJS.Signals, withinMs: number) => {
    if (!isRunning(child)) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    const force = setTimeout(() => child.kill('SIGKILL'), withinMs);
    await exited;
    clearTimeout(force);
  };
  return {
    pid: child.pid ?? 0,
    async call<T>(job: string, options: object = {}): Promise<T> {
      if (!isRunning(child)) throw new Error(`${file} is not running`);
      const id = nextId++;
      const replied = new Promise<Reply>((resolve) => waiting.set(id, resolve));
      child.send({ id, job, options } satisfies Request);
      const { result, error } = await replied;
      if (error !== undefined) throw new Error(`${file}: ${error}`);
      return result as T;
    },
    isRunning: () => isRunning(child),
    stop: (withinMs = 15_000) => end('SIGTERM', withinMs),
    kill: () => end('SIGKILL', 1_000),
  };
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

type Job = (options: never) => unknown;

const served = new Map<string, Job>();

/**
 * Serves the parent's calls in a child process. A preloaded probe and the server itself may both call it.
 * The child process gets SIGTERM after its parent has ended, even if SIGKILL ended the parent.
 */
export function serveParent(jobs: Record<string, Job>): void {
  const isFirst = served.size === 0;
  for (const [name, job] of Object.entries(jobs)) served.set(name, job);
  if (!isFirst) return;
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.on('message', (message) => void runJob(message as Request));
}

async function runJob({ id, job, options }: Request): Promise<void> {
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
