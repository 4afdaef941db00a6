// A Vitest pool of one worker that outlives a run: the server is loaded once for hundreds of mutants, not once for each.
import { fork, type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import type { PoolOptions, PoolRunnerInitializer, PoolWorker, WorkerRequest } from 'vitest/node';

/** Each run of a test file keeps its modules in memory for good. */
const RUNS_OF_A_WORKER = 150;

let child: ChildProcess | null = null;
let current: EventEmitter | null = null;
let runs = 0;
let spent = false;
let isBusy = false;
/** Questions of the child to Vitest that have no answer yet; those of a run that was broken off never get one. */
const asked = new Set<string>();

process.on('exit', () => child?.kill('SIGKILL'));

function endChild(): ChildProcess | null {
  const gone = child;
  child = null;
  runs = 0;
  spent = false;
  isBusy = false;
  asked.clear();
  return gone;
}

type Run = Extract<WorkerRequest, { type: 'run' }>;

class KeptWorker implements PoolWorker {
  readonly name = 'kept';
  readonly cacheFs = true;
  readonly options: PoolOptions;
  readonly events = new EventEmitter();

  constructor(options: PoolOptions) {
    this.options = options;
  }

  on(event: string, listener: (message: any) => void): void {
    this.events.on(event, listener);
  }

  off(event: string, listener: (message: any) => void): void {
    this.events.off(event, listener);
  }

  send(message: WorkerRequest): void {
    const type = 'type' in message ? message.type : null;
    if (type === 'stop') return this.answer('stopped');
    if (type === 'start' && runs > 0) return this.answer('started');
    if ('t' in message && message.t === 's') asked.delete(String('i' in message && message.i));
    if (type === 'run') {
      runs++;
      isBusy = true;
      // The worker read its configuration when it started; the tests to run differ by mutant.
      const { testNamePattern } = this.options.project.config;
      if (testNamePattern) for (const file of (message as Run).context.files) file.testNamePattern = testNamePattern;
    }
    child?.send(message);
  }

  async start(): Promise<void> {
    current = this.events;
    // Only here: a run may start before the one before it is stopped.
    const isUsable = !spent && !isBusy && asked.size === 0 && runs < RUNS_OF_A_WORKER;
    if (!isUsable) endChild()?.kill('SIGKILL');
    child ??= this.forkChild();
  }

  /** Vitest stops its worker after each run; this one stays. */
  async stop(): Promise<void> {}

  deserialize(data: unknown): unknown {
    return data;
  }

  forkChild(): ChildProcess {
    const { distPath, env, execArgv } = this.options;
    const forked = fork(join(distPath, 'workers/forks.js'), {
      env: env as NodeJS.ProcessEnv,
      execArgv,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    forked.on('message', (message: any) => {
      if (child !== forked) return;
      if (message.type === 'testfileFinished') isBusy = false;
      if (message.t === 'q' && message.i) asked.add(message.i);
      if (message.spent || message.m === 'onUnhandledError') spent = true;
      if (!message.spent) current?.emit('message', message);
    });
    forked.on('error', (error) => child === forked && current?.emit('error', error));
    forked.on('exit', (code, signal) => {
      if (child !== forked) return;
      endChild();
      current?.emit('exit', code, signal);
    });
    return forked;
  }

  answer(type: 'started' | 'stopped'): void {
    setImmediate(() => this.events.emit('message', { type, __vitest_worker_response__: true }));
  }
}

export const keptPool: PoolRunnerInitializer = {
  name: 'kept',
  createPoolWorker: (options) => new KeptWorker(options),
};
