// Several gateways over one database, for what they do together: started, stopped in order, killed; and what stands before them.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../server/database/embedded/start.ts';
import type { Child } from './child.ts';
import type { Rail } from './rail.ts';
import { GATEWAY, gatewayEnv, untilReady, type Stage } from './stage.ts';

export type GatewayNode = {
  url: string;
  port: number;
  pid(): number;
  /** Resolves when it is ready. */
  start(): Promise<void>;
  /** SIGTERM, and gone. */
  stop(): Promise<void>;
  /** kill -9, and gone. */
  kill(): Promise<void>;
  isRunning(): boolean;
};

/** The longest DRAIN_S of the bench, and 30 s. */
const STOPS_WITHIN_MS = 60_000;

export type NodesOptions = {
  databaseUrl: string;
  rail: Pick<Rail, 'url' | 'key'>;
  count: number;
  /** Where callers reach them: the issuer of their tokens. */
  publicUrl: string;
  env?: Record<string, string>;
};

/** The first migrates, the others come after it. */
export async function startNodes(stage: Pick<Stage, 'start'>, options: NodesOptions): Promise<GatewayNode[]> {
  const nodes: GatewayNode[] = [];
  for (let nth = 0; nth < options.count; nth++) {
    const node = describeNode(stage, options, await freePort());
    await node.start();
    nodes.push(node);
  }
  return nodes;
}

function describeNode({ start }: Pick<Stage, 'start'>, options: NodesOptions, port: number): GatewayNode {
  const { databaseUrl, rail, publicUrl, env } = options;
  const url = `http://127.0.0.1:${port}`;
  let gateway: Child;
  return {
    url,
    port,
    pid: () => gateway.pid,
    async start() {
      const own = gatewayEnv({ databaseUrl, dataDir: '.data', port, rail });
      gateway = start(GATEWAY, { env: { ...own, LOG_LEVEL: 'error', PUBLIC_URL: publicUrl, ...env } });
      await untilReady(gateway, url);
    },
    stop: () => gateway.stop(STOPS_WITHIN_MS),
    async kill() {
      process.kill(gateway.pid, 'SIGKILL');
      while (gateway.isRunning()) await pause(2);
    },
    isRunning: () => gateway.isRunning(),
  };
}

/** A database of its own in the stage's PostgreSQL: no other node takes its work. */
export async function createDatabase({ database, databaseUrl }: Stage, name: string): Promise<string> {
  await database.query(`create database ${name}`);
  return databaseUrl.replace(/\/[^/]*$/, `/${name}`);
}

export type Front = { url: string; stop(): Promise<unknown> };

/** `isBlind`: it asks nobody whether they are ready. */
export type FrontOptions = { port: number; nodes: Pick<GatewayNode, 'port'>[]; isBlind?: boolean };

/** The bench's own balancer of connections, which looks at /readyz each second. */
export async function startBalancer(
  { start }: Pick<Stage, 'start'>,
  { port, nodes, isBlind }: FrontOptions,
): Promise<Front> {
  const balancer = start('bench/processes/balancer.ts');
  await balancer.ask('listen', { port, targets: nodes.map((node) => node.port), ...(!isBlind && { path: '/readyz' }) });
  return { url: `http://127.0.0.1:${port}`, stop: balancer.stop };
}

/** haproxy as docs/operate.md has it; null where it is not installed. */
export async function startHaproxy({ port, nodes }: FrontOptions): Promise<Front | null> {
  if (!hasHaproxy()) return null;
  const servers = nodes.map((node, nth) => `  server node${nth} 127.0.0.1:${node.port}`);
  const haproxy = runHaproxy([HAPROXY, `  bind 127.0.0.1:${port}`, ...servers, '']);
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${url}/readyz`).catch(() => null))?.ok) {
    haproxy.check();
    await pause(50);
  }
  return { url, stop: haproxy.stop };
}

function hasHaproxy(): boolean {
  return !spawnSync('haproxy', ['-v'], { stdio: 'ignore' }).error;
}

function runHaproxy(lines: string[]): { check(): void; stop(): Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), 'balcao-haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, lines.join('\n'));
  const haproxy = spawn('haproxy', ['-db', '-q', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  const gone = once(haproxy, 'exit');
  process.once('exit', () => haproxy.kill('SIGKILL'));
  return {
    check() {
      if (haproxy.exitCode !== null) throw new Error('haproxy did not start');
    },
    async stop() {
      haproxy.kill('SIGTERM');
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const HAPROXY = `global
  maxconn 4000
defaults
  mode http
  timeout connect 2s
  timeout client 75s
  timeout server 75s
  option redispatch
  retries 3
listen balcao
  option httpchk GET /readyz
  http-check expect status 200
  timeout check 3s
  default-server check inter 1s fastinter 200ms fall 2 rise 1`;

/** One address that leads to whoever of a pair of databases takes writes. */
export type DatabaseProxy = {
  name: string;
  port: number;
  /** The primary is another one now, or nobody. */
  follow(): Promise<unknown>;
  stop(): Promise<unknown>;
};

type Databases = { instances: readonly { name: string; port: number }[]; primary(): { port: number } | null };

/** haproxy, which asks who is the primary as it asks Patroni; where it is not installed the bench's own balancer, which is told. */
export async function openProxy({ start }: Pick<Stage, 'start'>, databases: Databases): Promise<DatabaseProxy> {
  const { instances, primary } = databases;
  const port = await freePort();
  if (!hasHaproxy()) {
    const balancer = start('bench/processes/balancer.ts');
    const follow = () => balancer.ask('point', { targets: [primary()].flatMap((one) => one?.port ?? []) });
    await balancer.ask('listen', { port, targets: [] });
    await follow();
    return { name: 'a balancer', port, follow, stop: () => balancer.stop() };
  }
  const agents = instances.map((one) =>
    createServer((_request, response) => response.writeHead(primary()?.port === one.port ? 200 : 503).end()),
  );
  const ports = await Promise.all(agents.map(listenAnywhere));
  const servers = instances.map((one, nth) => `  server ${one.name} 127.0.0.1:${one.port} check port ${ports[nth]}`);
  const haproxy = runHaproxy([HAPROXY_DATABASES, `  bind 127.0.0.1:${port}`, ...servers, '']);
  while (!(await canConnect(port))) {
    haproxy.check();
    await pause(50);
  }
  const stop = async () => {
    await haproxy.stop();
    for (const agent of agents) agent.close().closeAllConnections();
  };
  return { name: 'haproxy', port, follow: async () => {}, stop };
}

async function listenAnywhere(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}

const HAPROXY_DATABASES = `global
  maxconn 1000
defaults
  mode tcp
  retries 0
  timeout connect 2s
  timeout check 2s
  timeout client 1h
  timeout server 1h
listen postgres
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server check inter 100ms fall 3 rise 1 on-marked-down shutdown-sessions`;
