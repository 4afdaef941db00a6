// Guards calls to merchants' URLs: only https, the public internet, and ports that no other service uses.
// The guard checks the IP address again at each new connection.
import { lookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { createConnections, OutgoingError, type ConnectOptions, type ConnectionTarget } from './outgoing.ts';
import { isLoopbackAddress, isPublicAddress } from './public-address.ts';

export type GuardOptions = {
  /** For the sandbox (CALLBACK_ALLOW_LOOPBACK): also allows plain http, and any port of this machine. */
  allowLoopback: boolean;
  /** Resolves host names. Default: the machine's name servers; with `allowLoopback` also its hosts file. */
  resolve?: ResolveName;
};

export type Refusal = 'length' | 'syntax' | 'scheme' | 'credentials' | 'fragment' | 'port' | 'host' | 'address';

const MAX_LENGTH = 2048;
/** The lowest allowed port, except for 443 and 80. Other services of a host listen on lower ports. */
const FIRST_FREE_PORT = 1024;

/** The wait for a name server. The next constant is the number of queries, and the second query waits longer. */
const TIMEOUT_MS = 2_000;
const TRIES = 2;

/**
 * Host names that only a private network or this machine resolves, by RFC 6761, 6762, 8375 and ICANN (`internal`).
 * The gateway refuses these names early. The IP addresses of other names are checked before each connection.
 */
const PRIVATE_NAME = /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|home\.arpa|lan)$/;
const NAME = /^(?=.{1,253}$)[^.]{1,63}(\.[^.]{1,63})+$/;

/** Returns why the guard refuses this URL, or null. Resolves no host name. */
export function checkUrl(text: string, options: GuardOptions): Refusal | null {
  if (text.length > MAX_LENGTH) return 'length';
  // Parsers disagree about white space, control characters, invisible characters and backslashes in URLs.
  if (/[\s\p{C}\\]/u.test(text) || !URL.canParse(text)) return 'syntax';
  const url = new URL(text);
  const isTls = url.protocol === 'https:';
  if (!isTls && !(url.protocol === 'http:' && options.allowLoopback)) return 'scheme';
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (!authority) return 'syntax';
  if (authority.includes('@')) return 'credentials';
  if (url.href.includes('#')) return 'fragment';
  if (url.href.length > MAX_LENGTH) return 'length';
  return checkTarget({ isTls, host: hostOf(url), port: Number(url.port || (isTls ? 443 : 80)) }, options);
}

/** Returns why the guard refuses the IP addresses of this URL, or null. A name that does not resolve is accepted. */
export async function checkResolves(text: string, options: GuardOptions): Promise<Refusal | null> {
  const host = hostOf(new URL(text));
  if (isIP(host)) return isAllowedAddress(host, options) ? null : 'address';
  const addresses = await pickResolver(options)(host).catch(() => []);
  return addresses.every((address) => isAllowedAddress(address, options)) ? null : 'address';
}

/** Returns why the guard refuses a connection to this host and port, or null. Resolves no host name. */
function checkTarget({ isTls, host, port }: ConnectionTarget, options: GuardOptions): Refusal | null {
  const name = host.toLowerCase().replace(/\.$/, '');
  if (options.allowLoopback && port > 0 && (isLoopbackAddress(name) || /(^|\.)localhost$/.test(name))) return null;
  if (!isTls && !options.allowLoopback) return 'scheme';
  if (port !== (isTls ? 443 : 80) && port < FIRST_FREE_PORT) return 'port';
  if (isIP(name)) return isPublicAddress(name) ? null : 'address';
  return NAME.test(name) && !PRIVATE_NAME.test(name) ? null : 'host';
}

function isAllowedAddress(address: string, { allowLoopback }: GuardOptions): boolean {
  return isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address));
}

const resolvePublicly = createResolver();

function pickResolver({ resolve, allowLoopback }: GuardOptions): ResolveName {
  return resolve ?? (allowLoopback ? resolveLocally : resolvePublicly);
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/**
 * Creates connections for sendRequest. A refused IP address throws OutgoingError `blocked`, without a connection.
 * Each connection resolves the host name once, and every IP address of the name must be allowed.
 * It connects only to these IP addresses, so a later response of the name server has no effect.
 */
export function createGuardedConnections(options: GuardOptions) {
  const shared: ConnectOptions = {
    lookup: createLookup(options),
    // Without this option, NODE_TLS_REJECT_UNAUTHORIZED=0 would disable the check of certificates.
    rejectUnauthorized: true,
    // A URL with an IP address causes no lookup, and a lookup does not know the port, so the target is checked here.
    refuse(target) {
      const refusal = checkTarget(target, options);
      return refusal && block(target.host, refusal);
    },
  };
  /** `kept` reuses keep-alive connections. `fresh` opens a connection for each request. */
  const [kept, fresh] = [createConnections(shared), createConnections({ ...shared, isFresh: true })];
  /** Closes every connection, even those in use, and refuses new ones. */
  const destroy = () => [kept, fresh].forEach((each) => each.destroy());
  return { kept, fresh, destroy };
}

function createLookup(options: GuardOptions): LookupFunction {
  const resolve = pickResolver(options);
  return (host, wanted, answer) => {
    resolve(host).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (!first || !addresses.every((address) => isAllowedAddress(address, options)))
          return answer(block(host, 'address'), '');
        if (wanted.all) answer(null, found);
        else answer(null, first.address, first.family);
      },
      (error) => answer(error, ''),
    );
  };
}

function block(host: string, refusal: Refusal): OutgoingError {
  return new OutgoingError('blocked', Object.assign(new Error(host), { code: refusal }));
}

/** Returns all IP addresses of a host name, as text. @throws the resolver's error if the name has no address */
type ResolveName = (name: string) => Promise<string[]>;

/**
 * Creates a resolver that blocks no thread. `getaddrinfo` has two threads, so two slow name servers would block both.
 * The resolver does not read the machine's hosts file, which has only private names.
 * @param servers name servers instead of the machine's own, each `address` or `address:port`
 */
export function createResolver(servers?: readonly string[]): ResolveName {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);
  return async (name) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
    return [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}

/** Resolves a host name from the hosts file of this machine too, so that loopback names work. */
export async function resolveLocally(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}
