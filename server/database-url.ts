// Parses DATABASE_URL like libpq: several hosts, sockets, TLS and session attributes.
// The parser of `pg` supports only one host, and gives `sslmode` other meanings.
import { userInfo } from 'node:os';

const TLS_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type TlsMode = (typeof TLS_MODES)[number];

/** Supported values of target_session_attrs. libpq also has values for read-only servers. */
const SESSIONS = ['any', 'read-write', 'primary'] as const;

/** A database server. `name` is a host name, an IP address, or the directory of a Unix socket. */
export type Host = { name: string; port: number };

export type DatabaseUrl = {
  hosts: Host[];
  user: string;
  password: string | undefined;
  database: string;
  tlsMode: TlsMode;
  /** `files`: paths of PEM files. `system` as `root` means the certificate authorities that Node trusts. */
  files: { root?: string | undefined; certificate?: string | undefined; key?: string | undefined };
  keyPassword: string | undefined;
  /** `mustWrite`: true if `target_session_attrs` requires a server that accepts writes. */
  mustWrite: boolean;
  /** `connectWithinMs`: connection timeout. Null if the URL does not set one. */
  connectWithinMs: number | null;
  applicationName: string | undefined;
  options: string | undefined;
  keepsAlive: boolean;
  keepAliveIdleMs: number | undefined;
  bindsChannel: boolean;
};

/** Error of an invalid database URL. The message is one sentence without the password. */
export class WrongUrl extends Error {}

const NAMES = (
  'user password host port dbname sslmode ssl sslrootcert sslcert sslkey sslpassword target_session_attrs ' +
  'connect_timeout application_name fallback_application_name options keepalives keepalives_idle channel_binding'
).split(' ');

/** URL settings without effect here, with the values that match the behaviour of `pg`. */
const FIXED: Record<string, readonly string[]> = {
  gssencmode: ['disable', 'prefer'],
  client_encoding: ['UTF8', 'utf8', 'UTF-8', 'utf-8', 'auto'],
  sslnegotiation: ['postgres'],
  load_balance_hosts: ['disable'],
};

const FORM = new RegExp(
  String.raw`^postgres(?:ql)?://(?:(?<user>[^:/?#]*?)(?::(?<password>[^/?#]*))?@)?(?<hosts>[^/?#@]*)` +
    String.raw`(?:/(?<database>[^?#]*))?(?:\?(?<query>[^#]*))?$`,
);

const DEFAULT_PORT = 5432;
const DEFAULT_HOST = 'localhost';

/** Parses a database URL. @throws WrongUrl */
export function readDatabaseUrl(url: string): DatabaseUrl {
  const parts = FORM.exec(url)?.groups;
  if (!parts) throw new WrongUrl('must be postgresql://user:password@host:port/database');
  const settings = readQuery(parts['query'] ?? '');
  const root = settings['sslrootcert'];
  const user = settings['user'] || decode(parts['user'] ?? '') || userInfo().username;
  const tlsMode = readTlsMode(settings, root);
  const certificate = settings['sslcert'];
  const key = settings['sslkey'];
  if (!certificate !== !key) throw new WrongUrl('sslcert and sslkey must be set together');
  return {
    hosts: readHosts(parts['hosts'] ?? '', settings),
    user,
    password: settings['password'] ?? (parts['password'] === undefined ? undefined : decode(parts['password'])),
    database: settings['dbname'] || decode(parts['database'] ?? '') || user,
    tlsMode,
    files: { root, certificate, key },
    keyPassword: settings['sslpassword'],
    mustWrite: oneOf('target_session_attrs', SESSIONS, settings['target_session_attrs'] ?? 'any') !== 'any',
    connectWithinMs: readTimeout(settings['connect_timeout']),
    applicationName: settings['application_name'] ?? settings['fallback_application_name'],
    options: settings['options'],
    keepsAlive: settings['keepalives'] !== '0',
    keepAliveIdleMs: Number(settings['keepalives_idle'] ?? 0) * 1_000 || undefined,
    bindsChannel:
      oneOf('channel_binding', ['disable', 'prefer', 'require'], settings['channel_binding'] ?? 'prefer') !== 'disable',
  };
}

/** Parses the query of a database URL. @throws WrongUrl for an unknown setting, or for one without effect here */
function readQuery(query: string): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const pair of query.split('&').filter(Boolean)) {
    const [name = '', value] = pair.split(/=(.*)/s, 2).map(decode);
    if (value === undefined) throw new WrongUrl(`${name} has no value`);
    if (FIXED[name]) oneOf(name, FIXED[name], value);
    else if (!NAMES.includes(name)) throw new WrongUrl(`${name} is not a supported connection setting`);
    settings[name] = value;
  }
  return settings;
}

function readTlsMode(settings: Record<string, string>, root: string | undefined): TlsMode {
  const { ssl } = settings;
  if (ssl !== undefined) oneOf('ssl', ['true', 'false'], ssl);
  const byDefault =
    ssl === 'true' ? 'require' : ssl === 'false' ? 'disable' : root === 'system' ? 'verify-full' : 'prefer';
  const mode = oneOf('sslmode', TLS_MODES, settings['sslmode'] ?? byDefault);
  if (root === 'system' && mode !== 'verify-full') throw new WrongUrl('sslrootcert=system needs sslmode=verify-full');
  if (mode.startsWith('verify-') && !root)
    throw new WrongUrl(`sslmode=${mode} needs sslrootcert, the file of a root certificate or system`);
  return mode;
}

function readHosts(authority: string, settings: Record<string, string>): Host[] {
  const named = authority.split(',').map((host) => {
    const found = /^(?<name>\[[^\]]*\]|[^:]*)(?::(?<port>\d*))?$/.exec(host)?.groups;
    if (!found) throw new WrongUrl(`${host} is not a host`);
    return { name: decode(found['name'] ?? '').replace(/^\[(.*)\]$/, '$1'), port: found['port'] ?? '' };
  });
  const names = settings['host']?.split(',') ?? named.map(({ name }) => name);
  const ports = settings['port']?.split(',') ?? (settings['host'] ? [] : named.map(({ port }) => port));
  if (ports.length > 1 && ports.length !== names.length)
    throw new WrongUrl(`${ports.length} ports for ${names.length} hosts`);
  return names.map((name, nth) => ({
    name: name || DEFAULT_HOST,
    port: readPort(ports.length === 1 ? ports[0] : ports[nth]),
  }));
}

function readPort(text: string | undefined): number {
  if (!text) return DEFAULT_PORT;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) throw new WrongUrl(`${text} is not a port`);
  return port;
}

/** Parses a timeout in seconds. Null for 0 and less, which libpq reads as no timeout: a server needs the default. */
function readTimeout(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^-?\d{1,6}$/.test(text)) throw new WrongUrl(`connect_timeout=${text} is not a number of seconds`);
  return Number(text) > 0 ? Number(text) * 1_000 : null;
}

function oneOf<T extends string>(name: string, values: readonly T[], value: string): T {
  if (values.includes(value as T)) return value as T;
  throw new WrongUrl(`${name} must be one of ${values.join(', ')}`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new WrongUrl('a % must be written as %25');
  }
}
