// A rail that outlives whoever is killed, with books in memory: takes each purchase once, decides by itself, and notifies as badly as
// rails do: some never, some twice, in no order.
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { signMessage } from '../../server/http/signature.ts';
import { serveParent } from '../child.ts';

/** A purchase as the rail's books have it; `orders` counts how often it was asked for. */
export type Sale = {
  id: string;
  merchantId: string;
  reference: string;
  amount: string;
  currency: string;
  terminalId: string;
  phone: string;
  /** What the gateway has kept with it. */
  ours?: object;
  status: 'PENDING' | 'APPROVED' | 'DECLINED';
  reason: string | null;
  transactionId: string | null;
  transactionNumber: string | null;
  clearingPeriod: string | null;
  createdAt: string;
  decidedAt: string | null;
  orders: number;
};

export type TillOptions = { key: string; gatewayUrl: string };

export const TILL_PERIOD = '20';
const DECLINED_SHARE = 0.1;
const DROPPED_SHARE = 0.1;
const DOUBLED_SHARE = 0.1;
const DECIDES_AFTER_MS = 1_500;
const PAGE = 500;

const sales = new Map<string, Sale>();
let told = { key: '', gatewayUrl: '' };
let nextId = 177_244_920_100_000_000n;

serveParent({
  async listen(options: TillOptions): Promise<string> {
    told = options;
    const server = createServer((request, response) => void answer(request, response));
    server.keepAliveTimeout = 75_000;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
  books: (): Sale[] => [...sales.values()],
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const reply = (status: number, body: object) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };
  const url = new URL(request.url ?? '/', 'http://till');
  const [, , things, id = ''] = url.pathname.split('/');
  if (things === 'movements') return reply(...listMovements(url.searchParams));
  if (things === 'payments') return reply(200, { payments: [], next: '0' });
  if (things !== 'purchases') return reply(404, { code: 'UNKNOWN' });
  if (request.method === 'GET') {
    const sale = sales.get(id);
    return sale ? reply(200, sale) : reply(404, { code: 'UNKNOWN_PURCHASE' });
  }
  const order = (await json(request)) as Sale;
  const known = sales.get(order.id);
  if (known) {
    known.orders++;
    return reply(200, known);
  }
  const open = { status: 'PENDING', reason: null, transactionId: null, transactionNumber: null } as const;
  const at = { clearingPeriod: null, createdAt: new Date().toISOString(), decidedAt: null };
  const sale: Sale = { ...order, ...open, ...at, orders: 1 };
  sales.set(sale.id, sale);
  reply(202, sale);
  void decide(sale);
}

async function decide(sale: Sale): Promise<void> {
  await pause(Math.random() * DECIDES_AFTER_MS);
  const isDeclined = Math.random() < DECLINED_SHARE;
  const money = { transactionId: String(++nextId), transactionNumber: String(sales.size), clearingPeriod: TILL_PERIOD };
  const outcome = isDeclined
    ? ({ status: 'DECLINED', reason: 'CUSTOMER_REFUSED' } as const)
    : ({ status: 'APPROVED', ...money } as const);
  Object.assign(sale, outcome, { decidedAt: new Date().toISOString() });
  if (Math.random() < DROPPED_SHARE) return;
  const times = Math.random() < DOUBLED_SHARE ? 2 : 1;
  for (let time = 0; time < times; time++) await notify(sale);
}

/** Until it is taken. */
async function notify(purchase: Sale): Promise<void> {
  const body = JSON.stringify({ id: randomUUID(), createdAt: new Date().toISOString(), type: 'purchase', purchase });
  const path = '/rails/gpo/notifications';
  for (let tries = 0; tries < 300; tries++) {
    const headers = signMessage(told.key, { method: 'POST', path, body }, new Date());
    const signal = AbortSignal.timeout(10_000);
    const request = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body, signal };
    const isTaken = await fetch(told.gatewayUrl + path, request).then(
      ({ ok, body }) => body?.cancel().then(() => ok) ?? ok,
      () => false,
    );
    if (isTaken) return;
    await pause(randomInt(200, 800));
  }
}

function listMovements(query: URLSearchParams): [number, object] {
  const since = query.get('since');
  if (query.get('rail') === 'ppr') return [200, { movements: [], next: null }];
  if (since === null && query.get('period') !== TILL_PERIOD) return [404, { code: 'UNKNOWN_PERIOD' }];
  const after = query.get('after') ?? '';
  const listed = [...sales.values()]
    .filter(({ status, transactionId }) => status === 'APPROVED' && String(transactionId) > after)
    .filter(({ decidedAt }) => since === null || String(decidedAt) >= since)
    .toSorted((a, b) => (String(a.transactionId) < String(b.transactionId) ? -1 : 1));
  const page = listed.slice(0, PAGE);
  const movements = page.map((sale) => {
    const { id, transactionId, amount, currency, decidedAt, merchantId, terminalId, reference, phone, ours } = sale;
    const money = { transactionId, amount, currency, occurredAt: decidedAt, period: TILL_PERIOD };
    const order = { kind: 'PURCHASE', merchantId, terminalId, reference, phone, amount, currency, ours };
    return { type: 'PAYMENT', id, ...money, order };
  });
  return [200, { movements, next: listed.length > PAGE ? (page.at(-1)?.transactionId ?? null) : null }];
}
