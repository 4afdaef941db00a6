// A faulty server. The first segment of a request's path selects the fault.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const JSON_TYPE = { 'content-type': 'application/json' };
const ANSWER = '{"data":[]}';

const well = (res: ServerResponse) => res.writeHead(200, JSON_TYPE).end(ANSWER);

type Answer = (res: ServerResponse, nth: number) => unknown;

/** `nth` counts the requests from 1. A fault of odd requests only shows that the client retries. */
const KINDS: Record<string, Answer> = {
  busy: (res, nth) => (nth % 2 ? res.writeHead(503, { 'retry-after': '0' }).end() : well(res)),
  cut(res, nth) {
    res.writeHead(200, { ...JSON_TYPE, 'content-length': ANSWER.length });
    if (nth % 2 === 0) return res.end(ANSWER);
    return res.write(ANSWER.slice(0, 5), () => res.destroy());
  },
  leads_away: (res) => res.writeHead(302, { location: '/page/' }).end(),
  page: (res) => res.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
  hangs() {},
  drips(res) {
    res.writeHead(200, JSON_TYPE);
    const drip = setInterval(() => res.write(' '), 50);
    res.once('close', () => clearInterval(drip));
  },
};

/** Starts the server. For `no_token…` it never responds to the first token request. */
export async function startTrouble(): Promise<{ url: string; close(): void }> {
  const counts = new Map<string, number>();
  const server = createServer((req, res) => {
    const [, kind = '', first] = req.url!.split('/');
    const nth = (counts.get(`${kind} ${first}`) ?? 0) + 1;
    counts.set(`${kind} ${first}`, nth);
    if (first !== 'oauth') return (KINDS[kind] ?? well)(res, nth);
    if (kind.startsWith('no_token') && nth === 1) return undefined;
    return res.writeHead(200, JSON_TYPE).end('{"access_token":"t","expires_in":3600}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
