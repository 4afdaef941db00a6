// Which addresses given by merchants may be called at all: https, the public internet, ports where no other service listens.
import { isIP } from 'node:net';
import { isLoopbackAddress, isPublicAddress } from './public-address.ts';
import { createResolver, resolveLocally, type ResolveName } from './resolve-name.ts';

export type GuardOptions = {
  /** Of the sandbox (CALLBACK_ALLOW_LOOPBACK): plain http, and this machine itself at any port, are allowed besides. */
  allowLoopback: boolean;
  /** Default: the machine's name servers; with `allowLoopback` also its hosts file. */
  resolve?: ResolveName;
};

/** Why an address is refused, in a word. */
export type Refusal = 'length' | 'syntax' | 'scheme' | 'credentials' | 'fragment' | 'port' | 'host' | 'address';

/** One end of a connection to be: `host` is a name or an IP address without brackets. */
export type Target = { isTls: boolean; host: string; port: number };

const MAX_LENGTH = 2048;
/** Where other services of a host listen, below the ports that anybody may open. */
const FIRST_FREE_PORT = 1024;

/**
 * Names that only a private network or this machine answers: RFC 6761, 6762 (and its appendix G), 8375, and ICANN's
 * `internal`. It is told early here; what any other name resolves to is checked before each connection.
 */
const PRIVATE_NAME = /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|home\.arpa|lan)$/;
const NAME = /^(?=.{1,253}$)[^.]{1,63}(\.[^.]{1,63})+$/;

/** Why this URL is refused, as far as can be told without asking anybody; null when it is not. */
export function checkUrl(text: string, options: GuardOptions): Refusal | null {
  if (text.length > MAX_LENGTH) return 'length';
  // White space, controls, invisible characters and backslashes: what one reader drops or turns, another does not.
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

/** Why nothing may be sent to this URL's name as it resolves now; null when it may, or when nobody knows the name (yet). */
export async function checkResolves(text: string, options: GuardOptions): Promise<Refusal | null> {
  const host = hostOf(new URL(text));
  if (isIP(host)) return isAllowedAddress(host, options) ? null : 'address';
  const addresses = await pickResolver(options)(host).catch(() => []);
  return addresses.every((address) => isAllowedAddress(address, options)) ? null : 'address';
}

/** Why no connection may be made there, before its name is resolved; null when one may. */
export function checkTarget({ isTls, host, port }: Target, options: GuardOptions): Refusal | null {
  const name = host.toLowerCase().replace(/\.$/, '');
  if (options.allowLoopback && port > 0 && (isLoopbackAddress(name) || /(^|\.)localhost$/.test(name))) return null;
  if (!isTls && !options.allowLoopback) return 'scheme';
  if (port !== (isTls ? 443 : 80) && port < FIRST_FREE_PORT) return 'port';
  if (isIP(name)) return isPublicAddress(name) ? null : 'address';
  return NAME.test(name) && !PRIVATE_NAME.test(name) ? null : 'host';
}

/** Whether this address, given as such or found for a name, may be connected to. */
export function isAllowedAddress(address: string, { allowLoopback }: GuardOptions): boolean {
  return isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address));
}

const resolvePublicly = createResolver();

/** How names are resolved under these options. */
export function pickResolver({ resolve, allowLoopback }: GuardOptions): ResolveName {
  return resolve ?? (allowLoopback ? resolveLocally : resolvePublicly);
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
