// The options of every connection to a database: its pool, watch, figures, replica, migrations, commands and backups.
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ConnectionOptions as TlsOptions } from 'node:tls';
import pg from 'pg';
import { CannotStart } from '../config.ts';
import { readDatabaseUrl, WrongUrl, type DatabaseUrl, type Host, type Session } from '../database-url.ts';

type Timing = {
  /** How long connecting takes at most, unless the URL says otherwise. */
  withinMs: number;
  /** The URL may only shorten it. */
  isLimit?: boolean;
};

type Connecting = pg.ClientConfig & { database: string; Client: typeof DatabaseClient };

/** Connection settings of a pool or a client. @throws CannotStart for a URL or a file that cannot be read */
export function connectTo(url: string, { withinMs, isLimit = false }: Timing): Connecting {
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
  const target: Target = { base, ways, session: read.session, chosen: null };
  const [{ host, port, ssl } = {}] = ways;
  return { ...base, host, port, ssl, Client: DatabaseClient, target } as Connecting;
}

function orCannotStart<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof WrongUrl) throw new CannotStart(`DATABASE_URL: ${error.message}.`);
    throw error;
  }
}

/** One host, with or without TLS. */
type Way = { host: string; port: number; ssl: TlsOptions | false };

/** The ways are tried in their order. */
type Target = { base: pg.ClientConfig; ways: Way[]; session: Session; chosen: Promise<Choice> | null };

/** `session`: a connection by this way must prove it. */
type Choice = { way: Way; session: Session };

function waysTo({ name, port }: Host, { tlsMode, files, keyPassword }: DatabaseUrl): Way[] {
  const plain: Way = { host: name, port, ssl: false };
  // A Unix socket needs no TLS: no network lies between.
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

/** A connection to the first server of a URL that answers and has the requested session type. */
export class DatabaseClient extends pg.Client {
  readonly #target: Target;

  constructor(options?: pg.ClientConfig) {
    super(options);
    this.#target = (options as { target: Target }).target;
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void;
  override connect(given?: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): unknown {
    const connected = this.#connect();
    const callback = given as ((error: Error | null, client?: pg.Client) => void) | undefined;
    if (!callback) return connected;
    // Not inside of the promise: what a callback throws is no failure to connect.
    return void connected.then(
      (client) => process.nextTick(callback, null, client),
      (error: Error) => process.nextTick(callback, error),
    );
  }

  async #connect(): Promise<pg.Client> {
    const target = this.#target;
    const { ways, session } = target;
    const [only] = ways;
    if (ways.length === 1 && only && session === 'any') return super.connect();
    const choice = await (target.chosen ??= choose(target));
    const { host, port, ssl } = choice.way;
    Object.assign(this, { host, port, ssl });
    Object.assign(this.connection, { ssl });
    try {
      await super.connect();
      await demandSession(this, choice.session, choice.way);
      return this;
    } catch (error) {
      // The next connection looks at every server again.
      target.chosen = null;
      this.end().catch(() => {});
      throw error;
    }
  }
}

/** Connects by each way for a moment, until one is right. */
async function choose(target: Target): Promise<Choice> {
  const { base, ways, session } = target;
  const errors: Error[] = [];
  const sessions: Session[] = session === 'prefer-standby' ? ['standby', 'any'] : [session];
  try {
    for (const wanted of sessions) {
      for (const [nth, way] of ways.entries()) {
        const error = await tryWay(base, way, wanted);
        if (!error) return { way, session: wanted };
        errors.push(error);
        // A server that refuses the password ends the search, as it does in libpq; without TLS it may still take it.
        const next = ways[nth + 1];
        if (isRefusal(error) && (next?.host !== way.host || next.port !== way.port)) throw error;
      }
    }
    throw joinErrors(errors);
  } catch (error) {
    target.chosen = null;
    throw error;
  }
}

const isRefusal = (error: Error) => String((error as { code?: string }).code).startsWith('28');

async function tryWay(base: pg.ClientConfig, way: Way, session: Session): Promise<Error | null> {
  const client = new pg.Client({ ...base, ...way });
  client.on('error', () => {});
  try {
    await client.connect();
    await demandSession(client, session, way);
    return null;
  } catch (error) {
    return error as Error;
  } finally {
    await client.end().catch(() => {});
  }
}

/** The last error with the words of all. */
function joinErrors(errors: Error[]): Error {
  const last = errors.at(-1) as Error & { code?: string };
  const words = new Set(errors.map(({ message }) => message).filter((message) => message !== WITHOUT_TLS));
  if (words.size < 2) return last;
  return Object.assign(new Error([...words].join('; '), { cause: last }), last.code && { code: last.code });
}

const WITHOUT_TLS = 'The server does not support SSL connections';

async function demandSession(client: pg.Client, session: Session, { host, port }: Way): Promise<void> {
  if (session === 'any') return;
  const [found] = (await client.query<{ isStandby: boolean; isReadOnly: boolean }>(READ_SESSION)).rows;
  const { isStandby = false, isReadOnly = false } = found ?? {};
  const suits = {
    'read-write': !isReadOnly,
    'read-only': isReadOnly,
    primary: !isStandby,
    standby: isStandby,
    'prefer-standby': true,
  }[session];
  // The code of a server that takes no writes: the database is away.
  if (!suits) throw Object.assign(new Error(`${host}:${port} is not ${session}`), { code: NOT_WANTED });
}

const NOT_WANTED = '25006';

const READ_SESSION = `select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'on' as "isReadOnly"`;
