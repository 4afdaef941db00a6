// Runs the server as a process that tests kill and restart, and a merchant's client that repeats its requests.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { readReply, TEST_ENV, until, type CallOptions, type Reply } from './app.ts';
import { ROOT } from './source.ts';

const LATE_START = new URL('late-start.ts', import.meta.url).href;

export type Child = {
  url: string;
  port: number;
  process: ChildProcess;
  output(): string;
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<void>;
  /** The exit code, or null after a signal. */
  exited: Promise<number | null>;
};

type ChildOptions = {
  env: Record<string, string>;
  /** The port. A restart keeps it, because the port is a part of the issuer in access tokens. */
  port?: number;
  /** Moves the clock of the new process forward, so that the leases of the killed process have ended. */
  lateMs?: number;
};

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Starts `dist/server` and waits until it is ready. */
export async function startChild({ env, port, lateMs = 0 }: ChildOptions): Promise<Child> {
  const own = port ?? (await freePort());
  const late = lateMs > 0 ? ['--import', LATE_START] : [];
  const main = join(ROOT, 'dist/server/main.js');
  const child = spawn(process.execPath, [...late, main], {
    env: {
      ...TEST_ENV,
      // The compile cache halves the start time of a process.
      NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled'),
      ...env,
      PORT: String(own),
      LATE_START_MS: String(lateMs),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  const exited = once(child, 'exit').then(([code]: (number | null)[]) => {
    running.delete(child);
    return code ?? null;
  });
  const url = `http://127.0.0.1:${own}`;
  // The first output of the process means that it listens. Earlier polls would slow down its start.
  await Promise.race([once(child.stdout, 'data'), exited]);
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}: ${output}`);
    return fetch(`${url}/readyz`).then(
      (answer) => answer.status === 200,
      () => false,
    );
  }, 'the server being ready');
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  return { url, port: own, process: child, output: () => output, kill, exited };
}

/** Kills all processes that were started here. */
export async function killChildren(): Promise<void> {
  const ended = [...running].map((child) => {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    return exit;
  });
  await Promise.all(ended);
}

export type MerchantClient = {
  /** Sends the request once. Rejects if the connection breaks. */
  call(path: string, options?: CallOptions): Promise<Reply>;
  /** Repeats the request until the status is below 500. */
  insist(path: string, options?: CallOptions): Promise<Reply>;
};

/** A client of the demo merchant for the node at `url`, which may be down. */
export function connectMerchant(url: () => string): MerchantClient {
  let token: Promise<string> | null = null;
  const readToken = async () => {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'demo',
      client_secret: 'demo-secret',
    });
    const response = await fetch(`${url()}/oauth/token`, { method: 'POST', body });
    if (response.status !== 200) throw new Error(`no token: ${response.status}`);
    return ((await response.json()) as { access_token: string }).access_token;
  };
  const client: MerchantClient = {
    async call(path, { method, body, headers = {} } = {}) {
      token ??= readToken().catch((error: unknown) => {
        token = null;
        throw error;
      });
      const response = await fetch(url() + path, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: { 'content-type': 'application/json', authorization: `Bearer ${await token}`, ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return readReply(response);
    },
    insist: (path, options) =>
      until(async () => {
        const reply = await client.call(path, options).catch(() => null);
        if (reply && reply.status < 500) return reply;
        await pause(50);
        return null;
      }, `an answer to ${path}`),
  };
  return client;
}
