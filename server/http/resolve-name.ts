// Names to addresses, asked of the name servers by message rather than by getaddrinfo, and of getaddrinfo only where local names count.
import { lookup, Resolver } from 'node:dns/promises';

/** All addresses of a name, as text. @throws what the resolver threw, for a name without any */
export type ResolveName = (name: string) => Promise<string[]>;

/** Waited for an answer of a name server, and how often it is asked; the second time waits longer. */
const TIMEOUT_MS = 2_000;
const TRIES = 2;

/**
 * A resolver that takes no thread: getaddrinfo has two of them, so two merchants whose name servers hang would keep all
 * others waiting. It knows nothing of the machine's hosts file, which speaks of private names anyway.
 * @param servers instead of the machine's own, each `address` or `address:port`
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

/** As every program of this machine resolves a name, its hosts file included: for loopback names. */
export async function resolveLocally(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}
