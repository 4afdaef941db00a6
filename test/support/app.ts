// A node for tests with a real database, the simulator over HTTP, its own port and a test clock.
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { readConfig } from '../../server/config.ts';
import type { PasswordCost } from '../../server/core.ts';
import { startNode, type RunningNode } from '../../server/start.ts';
import type { Clock } from '../../server/clock.ts';
import type { Lag } from '../../server/http/overload.ts';
import { hashSecret } from '../../server/oauth/clients.ts';
import { SCOPES } from '../../shared/scopes.ts';
import { testClock, type TestClock } from './clock.ts';
import { expectContract } from './contract.ts';
import { freshDatabase } from './database.ts';
import { stopLater } from './stop-later.ts';

export type Reply = { status: number; headers: Headers; text: string; json: any };
export type CallOptions = {
  method?: string;
  body?: unknown;
  token?: string | null;
  headers?: Record<string, string>;
  redirect?: RequestRedirect;
};

export type TestApp = {
  node: RunningNode;
  url: string;
  databaseUrl: string;
  clock: TestClock;
  /** Calls the API with the demo merchant's token. An object as body is sent as JSON, a string unchanged. */
  call(path: string, options?: CallOptions): Promise<Reply>;
  /** Requests a token with client credentials. */
  token(clientId?: string, secret?: string, scope?: string): Promise<string>;
  /** Creates another merchant with its own API client. */
  addMerchant(
    options?: Partial<NewMerchant>,
  ): Promise<{ merchantId: string; clientId: string; secret: string; token: string }>;
  sql<T = any>(text: string, values?: unknown[]): Promise<T[]>;
  /** Starts another node of the same gateway on its database, clock and environment, with changes. */
  startTwin(changes?: Omit<TestAppOptions, 'databaseUrl' | 'clock'>): Promise<TestApp>;
  /** Stops the node. Each test file calls it at its end. */
  stop(): Promise<void>;
};

type NewMerchant = {
  name: string;
  gpoMerchantIds: string[];
  gpoPosIds: string[];
  returnOrigins: string[];
  /** The PPR entity of the merchant's payment references. Null for a merchant without an entity. */
  entity: string | null;
  scopes: readonly string[];
};

export type TestAppOptions = {
  env?: Record<string, string>;
  clock?: Clock;
  databaseUrl?: string;
  logTo?: NodeJS.WritableStream;
  /** The argon2 cost of a password hash. The default is the lowest cost. */
  passwordCost?: PasswordCost;
  /** The watch of the event loop. By default it reports no lag. */
  lag?: Lag;
  /** The folder of another build. Default: the build of this repository. */
  distDir?: string;
};

/** Starts a node without rate limits. It stops after the test file. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const fresh = options.databaseUrl ? { url: options.databaseUrl, drop: async () => {} } : await freshDatabase();
  const clock = (options.clock ?? testClock()) as TestClock;
  const config = readConfig({ ...TEST_ENV, DATABASE_URL: fresh.url, ...options.env });
  const log = options.logTo ? pino(options.logTo) : pino({ level: process.env['TEST_LOG'] ?? 'silent' });
  const lag = options.lag ?? { isOverloaded: () => false };
  const { passwordCost = CHEAP, distDir } = options;
  const node = await startNode(config, { clock, log, passwordCost, lag, ...(distDir && { distDir }) });
  const base = node.url;
  const tokens = new Map<string, { token: string; renewAtMs: number }>();
  const app: TestApp = {
    node,
    url: base,
    databaseUrl: fresh.url,
    clock,
    async call(path, { method, body, token, headers = {}, redirect = 'manual' } = {}) {
      const bearer = token === undefined ? await app.token() : token;
      const verb = method ?? (body === undefined ? 'GET' : 'POST');
      const response = await fetch(base + path, {
        method: verb,
        redirect,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(bearer && { authorization: `Bearer ${bearer}` }),
          ...headers,
        },
        ...(body !== undefined && {
          body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
        }),
      });
      const reply = await readReply(response);
      expectContract(node.app.routes, { method: verb, path, ...reply });
      return reply;
    },
    async token(clientId = 'demo', secret = 'demo-secret', scope) {
      const name = `${clientId} ${scope}`;
      const known = tokens.get(name);
      if (known && clock.now().getTime() < known.renewAtMs) return known.token;
      const form = new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: secret,
        ...(scope && { scope }),
      });
      const reply = await readReply(await fetch(`${base}/oauth/token`, { method: 'POST', body: form }));
      if (reply.status !== 200) throw new Error(`no token: ${reply.text}`);
      const { access_token: token, expires_in } = reply.json;
      tokens.set(name, { token, renewAtMs: clock.now().getTime() + (expires_in - 60) * 1000 });
      return token;
    },
    async addMerchant(given = {}) {
      const merchant = {
        name: 'Outra Loja',
        gpoMerchantIds: ['other-merchant'],
        gpoPosIds: ['other-pos'],
        returnOrigins: [],
        entity: '00888',
        scopes: SCOPES,
        ...given,
      };
      const [row] = await app.sql<{ id: string }>(
        `insert into merchants (id, name, allowed_origins, return_origins, gpo_merchant_ids, gpo_pos_ids, entity,
          created_at)
         values (gen_random_uuid(), $1, '{}', $2, $3, $4, $5, now()) returning id`,
        [merchant.name, merchant.returnOrigins, merchant.gpoMerchantIds, merchant.gpoPosIds, merchant.entity],
      );
      const merchantId = row!.id;
      const clientId = `client-${randomBytes(6).toString('hex')}`;
      const secret = randomBytes(32).toString('base64url');
      await app.sql(
        `insert into clients (id, merchant_id, name, secret_hash, scopes, created_at)
          values ($1, $2, 'test', $3, $4, now())`,
        [clientId, merchantId, hashSecret(secret), merchant.scopes],
      );
      return { merchantId, clientId, secret, token: await app.token(clientId, secret) };
    },
    sql: async (text, values = []) => (await node.core.pool.query(text, values)).rows,
    startTwin: (changes = {}) =>
      startTestApp({ ...options, ...changes, env: { ...options.env, ...changes.env }, databaseUrl: fresh.url, clock }),
    async stop() {
      await node.stop();
      await fresh.drop();
    },
  };
  return stopLater(app);
}

/** The lowest cost of argon2id, because no test measures how long a password guess takes. */
const CHEAP: PasswordCost = { memory: 8, passes: 1, parallelism: 1 };

export const TEST_ENV = {
  PORT: '0',
  LOG_LEVEL: 'silent',
  DRAIN_S: '0',
  // The test clock differs from the database's clock, so 0 turns this check off.
  CLOCK_TOLERANCE_S: '0',
  SECRETS_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
  RATE_LIMIT_WRITE: '0',
  RATE_LIMIT_READ: '0',
  RATE_LIMIT_PUBLIC: '0',
};

/** Starts a rail that notifies `gatewayUrl`. */
type StartRail<R> = (options: { clock: TestClock; gatewayUrl: () => string }) => Promise<R>;

/** Starts a node and its simulated rail, which use HTTP and share one test clock. */
export async function startAppBehind<R extends { env: Record<string, string> }>(
  start: StartRail<R>,
  { clock = testClock(), env = {}, ...own }: Pick<TestAppOptions, 'env' | 'databaseUrl'> & { clock?: TestClock } = {},
): Promise<{ app: TestApp; rail: R }> {
  const rail = await start({ clock, gatewayUrl: () => app.url });
  const app: TestApp = await startTestApp({ ...own, clock, env: { ...rail.env, ...env } });
  return { app, rail };
}

/** Starts two nodes on one database and clock. The rail sends its notifications to them alternately. */
export async function startTwinsBehind<R extends { env: Record<string, string> }>(
  start: StartRail<R>,
): Promise<{ app: TestApp; twin: TestApp; rail: R }> {
  let turn = 0;
  let twin: TestApp | undefined;
  const { app, rail } = await startAppBehind<R>(({ clock, gatewayUrl }) =>
    start({ clock, gatewayUrl: () => (twin && turn++ % 2 ? twin.url : gatewayUrl()) }),
  );
  twin = await app.startTwin();
  return { app, twin, rail };
}

/** Starts a node in production mode whose rails never respond. */
export const PRODUCTION_ENV = {
  BALCAO_ENV: 'production',
  PUBLIC_URL: 'https://pay.example',
  GPO_URL: 'https://127.0.0.1:9',
  GPO_KEY: 'a key of a real rail',
  SMTP_URL: 'smtps://127.0.0.1:9',
  MAIL_FROM: 'no-reply@pay.example',
  TRUSTED_PROXIES: 'none',
};

export async function readReply(response: Response): Promise<Reply> {
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text ? JSON.parse(text) : undefined,
  };
}

/** Only ends tests that hang. On a busy machine, the work of a second may take half a minute. */
const HANGS_MS = 90_000;

/** Waits until `check` is truthy. Its pauses grow to `maxPauseMs`, so that the work under test has the processor. */
export async function until<T>(
  check: () => Promise<T> | T,
  what = 'the condition',
  timeoutMs = HANGS_MS,
  maxPauseMs = 50,
): Promise<NonNullable<T>> {
  const startedAt = performance.now();
  for (;;) {
    const value = await check();
    if (value) return value as NonNullable<T>;
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > timeoutMs) throw new Error(`${what} did not come true within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(5 + waitedMs / 10, maxPauseMs)));
  }
}
