// Starts gateways as child processes, in the same way as `npm start`.
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../test/support/free-port.ts';
import type { Child } from './child.ts';
import type { Rail } from './rail.ts';
import type { Scope } from './scope.ts';

/** The built file that `npm start` runs. */
const GATEWAY = 'dist/server/main.js';

/** Maximum database connections of a gateway, and of each floor (the default of DATABASE_POOL). */
export const POOL_MAX = 12;

/** Options of a child process that reports its memory and ends with its parent. */
export const PROBED = {
  execArgv: ['--expose-gc', '--import', new URL('./processes/probe.ts', import.meta.url).href],
};

export type Gateway = {
  url: string;
  pid(): number;
  call: Child['call'];
  isRunning(): boolean;
  /** Starts the gateway. Resolves when the gateway is ready. */
  start(): Promise<void>;
  /** Stops the gateway with SIGTERM. */
  stop(): Promise<void>;
  /** Stops the gateway with `kill -9`. */
  kill(): Promise<void>;
};

export type GatewayOptions = {
  dataDir: string;
  rail: Pick<Rail, 'url' | 'key'>;
  env?: Record<string, string>;
  profileDir?: string;
};

/** Starts a gateway and waits until it is ready. A later start uses the same port. */
export async function startGateway({ start }: Scope, options: GatewayOptions): Promise<Gateway> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { profileDir } = options;
  const profile = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`];
  let child: Child;
  const gateway: Gateway = {
    url,
    pid: () => child.pid,
    call: (job, callOptions) => child.call(job, callOptions),
    isRunning: () => child.isRunning(),
    async start() {
      child = start(GATEWAY, { execArgv: [...PROBED.execArgv, ...profile], env: gatewayEnv(port, options) });
      while (!(await isReady(url))) {
        if (!child.isRunning()) throw new Error('the gateway did not start');
        await pause(20);
      }
    },
    stop: () => child.stop(),
    kill: () => child.kill(),
  };
  await gateway.start();
  return gateway;
}

function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

const UNREACHABLE_LIMIT = '1000000000';

/** The gateway's settings. Every feature is on. Rate limits are counted, but too high to be reached. */
function gatewayEnv(port: number, { dataDir, rail, env }: GatewayOptions): Record<string, string> {
  return {
    BALCAO_ENV: 'sandbox',
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: '',
    DATA_DIR: dataDir,
    DATABASE_URL: '',
    DATABASE_POOL: String(POOL_MAX),
    REDIS_URL: '',
    SECRETS_KEYS: '',
    SANDBOX_PASSWORD: '',
    RATE_LIMIT_WRITE: UNREACHABLE_LIMIT,
    RATE_LIMIT_READ: UNREACHABLE_LIMIT,
    RATE_LIMIT_PUBLIC: UNREACHABLE_LIMIT,
    STREAMS_PER_PAYMENT: '0',
    CALLBACK_ALLOW_LOOPBACK: 'true',
    GPO_URL: rail.url,
    GPO_KEY: rail.key,
    PPR_URL: rail.url,
    PPR_KEY: rail.key,
    LOG_LEVEL: 'info',
    ...env,
  };
}

/** The settings of gateways that share one database. */
export function sharedEnv(databaseUrl: string): Record<string, string> {
  return { DATABASE_URL: databaseUrl, SECRETS_KEYS: `bench:${Buffer.alloc(32, 7).toString('base64')}` };
}

/** Fetches an access token of the demo merchant. */
export async function fetchToken(url: string): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: 'demo', client_secret: 'demo-secret' };
  const reply = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  return ((await reply.json()) as { access_token: string }).access_token;
}
