// The load on the gateway's API.
import { randomUUID } from 'node:crypto';
import { serveParent } from '../child.ts';
import { openConnections, writeHttp, type Connections, type Reply } from '../connection.ts';
import { runForAWhile, type Load, type Rate } from '../load.ts';
import { writeScanNews } from '../rail.ts';
import { writeMethodRequest, writeRequest } from '../sample.ts';

export type ClientOptions = Load & {
  url: string;
  token: string;
  /** Payments to read. */
  ids: string[];
};

export type ScanOptions = {
  url: string;
  key: string;
  qrCodeId: string;
  amount: string;
  count: number;
  concurrency: number;
};

serveParent({
  create: (options: ClientOptions) => measure(options, (ask) => ask(writeCreation(options, nth++), 201)),
  read: (options: ClientOptions) => measure(options, (ask) => ask(writeRead(options, nth++), 200)),
  refund: (options: ClientOptions) => measure(options, (ask) => ask(writeRefund(options, nth++), 201)),
  tellScans,
});

let nth = 0;

/** Sends a request and answers what came. @throws when its status is another */
type Ask = (request: string, status: number) => Promise<Reply>;

async function measure(options: ClientOptions, once: (ask: Ask) => Promise<unknown>): Promise<Rate> {
  const connections = await openConnections(options.url, options.concurrency);
  const rate = await runForAWhile(options, () => once(askBy(connections)));
  connections.close();
  return rate;
}

function askBy(connections: Connections): Ask {
  return async (request, status) => {
    const reply = await connections.send(request);
    if (reply.status !== status) throw new Error(`answered ${reply.status}, not ${status}: ${reply.body}`);
    return reply;
  };
}

/** The rail tells of so many payments of one code; resolves when the gateway has taken all of them. */
async function tellScans({ url, key, qrCodeId, amount, count, concurrency }: ScanOptions): Promise<void> {
  const connections = await openConnections(url, concurrency);
  const ask = askBy(connections);
  let left = count;
  const tellOn = async () => {
    while (left-- > 0) await ask(writeScanNews(url, key, qrCodeId, amount), 200);
  };
  await Promise.all(Array.from({ length: concurrency }, tellOn));
  connections.close();
}

function writeCreation({ url, token }: ClientOptions, nth: number, metadata?: object, prefer = {}): string {
  const headers = { Authorization: `Bearer ${token}`, 'Idempotency-Key': randomUUID(), ...prefer };
  const body = metadata ? writeMethodRequest(nth, metadata) : writeRequest(nth);
  return writeHttp('POST', new URL('/api/payments', url), headers, body);
}

/** A part, so that the same payments have always enough left. */
function writeRefund({ url, token, ids }: ClientOptions, nth: number): string {
  const headers = { Authorization: `Bearer ${token}`, 'Idempotency-Key': randomUUID() };
  const address = new URL(`/api/payments/${ids[nth % ids.length]}/refunds`, url);
  return writeHttp('POST', address, headers, JSON.stringify({ amount: 0.01 }));
}

function writeRead({ url, token, ids }: ClientOptions, nth: number): string {
  const address = new URL(`/api/payments/${ids[nth % ids.length]}`, url);
  return writeHttp('GET', address, { Authorization: `Bearer ${token}`, Accept: 'application/json' });
}
