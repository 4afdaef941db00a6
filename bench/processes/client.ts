// The load on the gateway's API.
import { randomUUID } from 'node:crypto';
import { serveParent } from '../child.ts';
import { openConnections, writeHttp } from '../connection.ts';
import { runForAWhile, type Load, type Rate } from '../load.ts';
import { writeRequest } from '../sample.ts';

export type ClientOptions = Load & {
  url: string;
  token: string;
  /** Payments to read. */
  ids: string[];
};

serveParent({
  create: (options: ClientOptions) => measure(options, writeCreation, 201),
  read: (options: ClientOptions) => measure(options, writeRead, 200),
});

let nth = 0;

type WriteRequest = (options: ClientOptions, nth: number) => string;

async function measure(options: ClientOptions, write: WriteRequest, status: number): Promise<Rate> {
  const connections = await openConnections(options.url, options.concurrency);
  const rate = await runForAWhile(options, async () => {
    const reply = await connections.send(write(options, nth++));
    if (reply.status !== status) throw new Error(`answered ${reply.status}, not ${status}: ${reply.body}`);
  });
  connections.close();
  return rate;
}

function writeCreation({ url, token }: ClientOptions, nth: number): string {
  const headers = { Authorization: `Bearer ${token}`, 'Idempotency-Key': randomUUID() };
  return writeHttp('POST', new URL('/api/payments', url), headers, writeRequest(nth));
}

function writeRead({ url, token, ids }: ClientOptions, nth: number): string {
  const address = new URL(`/api/payments/${ids[nth % ids.length]}`, url);
  return writeHttp('GET', address, { Authorization: `Bearer ${token}`, Accept: 'application/json' });
}
