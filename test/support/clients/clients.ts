// The clients that the contract cases run with, and the driver program of each (docs/testing.md#clients).
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../source.ts';
import { stopLater } from '../stop-later.ts';

export type Client = {
  name: string;
  command: readonly [program: string, ...rest: string[]];
  /** The client has `finishOnce`. */
  finishes: boolean;
  /** The client runs only a part of the cases, and its absence does not fail CI. */
  isOptional: boolean;
  /** The client differs from another one only in its transport, and runs the cases of a transport. */
  isTransport: boolean;
  /** The program is installed. */
  isThere: boolean;
};

/** The folder where `.ci/run` installs PHP as WebAssembly. Without it these versions are skipped, also in CI. */
const PHP_WASM = process.env['PHP_WASM'];

const onWasm = (version: string) => ({
  name: `PHP ${version} (WebAssembly)`,
  program: process.execPath,
  file: 'driver-wasm.ts',
  given: [version],
  finishes: false,
  isOptional: true,
});

const DRIVERS = [
  { name: 'TypeScript', program: process.execPath, file: 'driver.ts', finishes: false },
  { name: 'PHP', program: 'php', file: 'driver.php', finishes: true },
  { name: 'PHP without curl', program: 'php', file: 'driver-streams.php', finishes: false, isTransport: true },
  ...['7.4', '8.1', '8.5'].map(onWasm),
  { name: 'Python', program: '/usr/bin/python3', file: 'driver.py', finishes: true },
];

export const CLIENTS: Client[] = DRIVERS.map((driver) => ({
  given: [],
  isOptional: false,
  isTransport: false,
  ...driver,
}))
  .map(({ file, ...driver }) => ({ path: join(ROOT, 'test/support/clients', file), ...driver }))
  .filter(({ path }) => existsSync(path))
  .map(({ path, program, given, isOptional, ...rest }) => ({
    ...rest,
    command: [program, path, ...given],
    isOptional,
    isThere: isOptional ? PHP_WASM !== undefined : spawnSync(program, ['--version']).status === 0,
  }));

type Failure = {
  code: string;
  status: number;
  message: string;
  pointers: { pointer: string; message: string }[];
};
/** `etag`: the entity tag of the answer, if it had one. */
export type Outcome = { result?: any; error?: Failure; etag?: string | null };

export type CallOptions = { idempotencyKey?: string; waitS?: number; ifMatch?: string };

/** Secrets are a string or a list. */
type Notification = { headers: Record<string, string>; body: string };

/** The questions to a driver. It answers each with an `Outcome`. */
export type Question =
  | { do: 'new'; url?: string | null; clientId?: string | null; clientSecret?: string | null; timeout?: number }
  | { do: 'call'; operation: string; arguments: unknown[]; options?: CallOptions }
  /** Answers the items of all pages of a list. */
  | { do: 'all'; operation: string; arguments: unknown[] }
  /** Answers the payment. `timeout` in seconds. */
  | { do: 'waitUntilPaid'; paymentId: string; timeout: number }
  /** Answers `{ type, id, reference, amount, isTest }`. */
  | ({ do: 'verifyCallback'; accessKey: string | string[] } & Notification)
  /** Answers the event. */
  | ({ do: 'verifyWebhook'; secret: string | string[] } & Notification)
  /**
   * Answers the ready answer as `{ status, body }` with the parsed body.
   * `handler`: the shop's handler returns `returns`, or it throws, or it is missing.
   */
  | ({
      do: 'answerCallback';
      accessKey: string | string[];
      webhookSecret?: string | string[];
      handler: { returns: string } | 'throws' | 'missing';
    } & Notification)
  /** Answers all events after the cursor. */
  | { do: 'readFeed'; after: string }
  /**
   * Answers `{ ran, payment }`. Calls with the same `store`, a folder, share one store.
   * The work appends the payment's id as a line to the file `work`, and then throws if `throws` is true.
   */
  | { do: 'finishOnce'; paymentId: string; store: string; work: string; throws?: boolean };

export type Driver = { ask(question: Question): Promise<Outcome>; stop(): void };

/** Starts the driver's process. It stops after the test file. */
export function startDriver({ command: [program, ...rest], name }: Client): Driver {
  const child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'pipe'] });
  const waiting = new Map<number, (outcome: Outcome) => void>();
  let [serial, errors] = [0, ''];
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk));
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, ...outcome } = JSON.parse(line);
    waiting.get(id)?.(outcome);
    waiting.delete(id);
  });
  const ended = new Promise<never>((_resolve, reject) =>
    child.once('close', (code) => reject(new Error(`the driver of ${name} ended with ${code}: ${errors}`))),
  );
  ended.catch(() => {});
  return stopLater({
    ask(question: Question) {
      const id = ++serial;
      const answered = new Promise<Outcome>((resolve) => waiting.set(id, resolve));
      child.stdin.write(`${JSON.stringify({ id, ...question })}\n`);
      return Promise.race([answered, ended]);
    },
    stop: () => void child.kill('SIGKILL'),
  });
}
