// The options of every connection to a database: pool, watch, figures, migrations, commands and backups.
import { readFileSync } from 'node:fs';
import { isIP, Socket } from 'node:net';
import type { ConnectionOptions as TlsOptions } from 'node:tls';
import pg from 'pg';
import { CannotStart } from '../config.ts';
import { readDatabaseUrl, WrongUrl, type DatabaseUrl, type Host } from '../database-url.ts';

type Timing = {
  /** The time limit for connecting in milliseconds, unless the URL has one. */
  withinMs: number;
  /** True if the URL may only shorten the time limit. */
  isLimit?: boolean;
};

type Connecting = pg.ClientConfig & { database: string; Client: typeof DatabaseClient; target: Target };

/**
 * Returns the connection settings of a pool or a client.
 * They lead to the first server of the URL that responds, and that accepts writes if the URL requires this.
 * @throws CannotStart for a URL or a file that cannot be read; the last server's error if no server qualifies
 */
export async function connectTo(url: string, { withinMs, isLimit = false }: Timing): Promise<Connecting> {
  const read = orCannotStart(() => readDatabaseUrl(url));
  const { user, password, database, connectWithinMs, options, applicationName } = read;
  const connectionTimeoutMillis = isLimit
    ? Math.min(withinMs, connectWithinMs ?? withinMs)
    : (connectWithinMs ?? withinMs);
  const base = {
    user,
    database,
    connectionTimeoutMillis,
    keepAlive: read.keepsAlive,
    enableChannelBinding: read.bindsChannel,
    ...(password !== undefined && { password }),
    ...(options && { options }),
    ...(applicationName && { application_name: applicationName }),
    ...(read.keepAliveIdleMs && { keepAliveInitialDelayMillis: read.keepAliveIdleMs }),
  };
  const ways = read.hosts.flatMap((host) => waysTo(host, read));
  const target: Target = { base, ways, mustWrite: read.mustWrite, way: ways[0] as Way, choosing: null };
  await choose(target);
  return { ...base, Client: DatabaseClient, target };
}

function orCannotStart<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof WrongUrl) throw new CannotStart(`DATABASE_URL: ${error.message}.`);
    throw error;
  }
}

/** One server of the URL, with or without TLS. */
type Way = { host: string; port: number; ssl: TlsOptions | false };

/** The servers of a URL in their order. `choosing`: the running search, shared by all connections that need it. */
type Target = {
  base: pg.ClientConfig & { database: string };
  ways: Way[];
  /** True if a read-only server does not qualify. */
  mustWrite: boolean;
  way: Way;
  choosing: Promise<void> | null;
};

function waysTo({ name, port }: Host, { tlsMode, files, keyPassword }: DatabaseUrl): Way[] {
  const plain: Way = { host: name, port, ssl: false };
  // A Unix socket needs no TLS, because its data crosses no network.
  if (name.startsWith('/') || tlsMode === 'disable') return [plain];
  const root = files.root && files.root !== 'system' ? readPem('sslrootcert', files.root) : undefined;
  const isVerified = tlsMode.startsWith('verify-') || (tlsMode === 'require' && root !== undefined);
  const ssl: TlsOptions = {
    rejectUnauthorized: isVerified,
    // Node compares the certificate with this name, and with `localhost` if no name is given.
    host: name,
    ...(isIP(name) === 0 && { servername: name }),
    ...(isVerified && root && { ca: root }),
    ...(isVerified && tlsMode !== 'verify-full' && { checkServerIdentity: () => undefined }),
    ...(files.certificate && files.key
      ? { cert: readPem('sslcert', files.certificate), key: readPem('sslkey', files.key) }
      : {}),
    ...(keyPassword && { passphrase: keyPassword }),
  };
  const secure: Way = { host: name, port, ssl };
  if (tlsMode === 'allow') return [plain, secure];
  return tlsMode === 'prefer' ? [secure, plain] : [secure];
}

function readPem(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CannotStart(`DATABASE_URL: ${name}=${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/**
 * A connection to the server that was chosen last. If it fails, the next connection searches all servers again.
 */
export class DatabaseClient extends pg.Client {
  readonly #target: Target;
  readonly #socket: Socket;

  constructor(options?: pg.ClientConfig) {
    const { target } = options as Connecting;
    const socket = new Socket();
    super({ ...options, ...target.base, ...target.way, stream: () => socket });
    this.#target = target;
    this.#socket = socket;
    socket.on('timeout', () => void this.end());
    // A lost connection fails its next statement. Without a listener from the start, its error would end the process.
    this.on('error', () => {});
  }

  /**
   * After this time without data from the server, the connection ends and its statement fails. 0 means never.
   * The socket's own timer costs less than pg's `query_timeout`, which is a timer for each statement.
   */
  endAfterSilence(ms: number): void {
    this.#socket.setTimeout(ms);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void;
  override connect(given?: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): unknown {
    const connected = this.#connect();
    const callback = given as ((error: Error | null, client?: pg.Client) => void) | undefined;
    if (!callback) return connected;
    // The callback runs outside of the promise, because an error of the callback is no failed connection.
    return void connected.then(
      (client) => process.nextTick(callback, null, client),
      (error: Error) => process.nextTick(callback, error),
    );
  }

  async #connect(): Promise<pg.Client> {
    const target = this.#target;
    try {
      await super.connect();
      await demandWrites(this, target);
      return this;
    } catch (error) {
      this.end().catch(() => {});
      await choose(target).catch(() => {});
      throw error;
    }
  }
}

/** Connects to the servers one by one until one qualifies. A single server needs no search. */
async function choose(target: Target): Promise<void> {
  if (target.ways.length === 1) return;
  await (target.choosing ??= search(target)
    .then((way) => void (target.way = way))
    .finally(() => (target.choosing = null)));
}

async function search(target: Target): Promise<Way> {
  const errors: Error[] = [];
  for (const [nth, way] of target.ways.entries()) {
    const client = new pg.Client({ ...target.base, ...way });
    client.on('error', () => {});
    try {
      await client.connect();
      await demandWrites(client, target);
      return way;
    } catch (error) {
      errors.push(error as Error);
      // A server that refuses the password ends the search, like in libpq. Without TLS the server may still accept it.
      const isRefusal = String((error as { code?: string }).code).startsWith('28');
      const next = target.ways[nth + 1];
      if (isRefusal && (next?.host !== way.host || next.port !== way.port)) throw error;
    } finally {
      await client.end().catch(() => {});
    }
  }
  throw joinErrors(errors);
}

/** Returns the last error, with the messages of all errors. */
function joinErrors(errors: Error[]): Error {
  const last = errors.at(-1) as Error & { code?: string };
  const words = new Set(errors.map(({ message }) => message).filter((message) => message !== WITHOUT_TLS));
  if (words.size < 2) return last;
  return Object.assign(new Error([...words].join('; '), { cause: last }), last.code && { code: last.code });
}

const WITHOUT_TLS = 'The server does not support SSL connections';

async function demandWrites(client: pg.Client, { mustWrite }: Target): Promise<void> {
  if (!mustWrite) return;
  const [found] = (await client.query<{ transaction_read_only: string }>('show transaction_read_only')).rows;
  // 25006 is PostgreSQL's code of a read-only server. The gateway treats the database as unavailable.
  if (found?.transaction_read_only === 'on')
    throw Object.assign(new Error(`${client.host}:${client.port} refuses writes`), { code: '25006' });
}
