// Guards calls to merchants' addresses: only https, the public internet, and ports without other services.
// Each new connection checks the address again.
import { lookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { createConnections, OutgoingError, type ConnectOptions, type ConnectionTarget } from './outgoing.ts';
import { isLoopbackAddress, isPublicAddress } from './public-address.ts';

export type GuardOptions = {
  /** For the sandbox (CALLBACK_ALLOW_LOOPBACK): also allows plain http, and any port of this machine. */
  allowLoopback: boolean;
  /** Default: the machine's name servers; with `allowLoopback` also its hosts file. */
  resolve?: ResolveName;
};

export type Refusal = 'length' | 'syntax' | 'scheme' | 'credentials' | 'fragment' | 'port' | 'host' | 'address';

const MAX_LENGTH = 2048;
/** Other services of a host listen on lower ports. */
const FIRST_FREE_PORT = 1024;

/** The wait for a name server, and the number of queries. The second query waits longer. */
const TIMEOUT_MS = 2_000;
const TRIES = 2;

/**
 * Names that only a private network or this machine answers: RFC 6761, 6762 (and its appendix G), 8375, and ICANN's
 * `internal`. They are refused early. The addresses of other names are checked before each connection.
 */
const PRIVATE_NAME = /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|home\.arpa|lan)$/;
const NAME = /^(?=.{1,253}$)[^.]{1,63}(\.[^.]{1,63})+$/;

/** Returns why this URL is refused, or null. Resolves no name. */
export function checkUrl(text: string, options: GuardOptions): Refusal | null {
  if (text.length > MAX_LENGTH) return 'length';
  // Parsers disagree on white space, control characters, invisible characters and backslashes.
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

/** Returns why the addresses of this URL's name are refused, or null. A name that does not resolve is accepted. */
export async function checkResolves(text: string, options: GuardOptions): Promise<Refusal | null> {
  const host = hostOf(new URL(text));
  if (isIP(host)) return isAllowedAddress(host, options) ? null : 'address';
  const addresses = await pickResolver(options)(host).catch(() => []);
  return addresses.every((address) => isAllowedAddress(address, options)) ? null : 'address';
}

/** Returns why no connection may be made to this peer, or null. Resolves no name. */
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
 * Creates connections for sendRequest. A refused address throws OutgoingError `blocked`, without a connection.
 * Each connection resolves its name once, and every address of the name must be allowed.
 * It connects to these addresses only, so a later answer of the name server has no effect.
 */
export function createGuardedConnections(options: GuardOptions) {
  const shared: ConnectOptions = {
    lookup: createLookup(options),
    // Without this option, NODE_TLS_REJECT_UNAUTHORIZED=0 would disable the check of certificates.
    rejectUnauthorized: true,
    // Node resolves no IP address, and a lookup does not know the port.
    refuse(target) {
      const refusal = checkTarget(target, options);
      return refusal && block(target.host, refusal);
    },
  };
  /** `fresh` opens a connection for each request. */
  const [kept, fresh] = [createConnections(shared), createConnections({ ...shared, isFresh: true })];
  /** Closes every connection, those in use too, and makes no more. */
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

/** Returns all addresses of a name, as text. @throws the resolver's error if the name has no address */
type ResolveName = (name: string) => Promise<string[]>;

/**
 * Creates a resolver that blocks no thread. `getaddrinfo` has two threads, so two slow name servers would block it.
 * It does not read the machine's hosts file, which has private names only.
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

/** Resolves loopback names too, because it reads the hosts file of this machine. */
export async function resolveLocally(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}
