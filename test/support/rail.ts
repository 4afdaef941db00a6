// The simulated rail outside the gateway, on a database of its own: it outlives the gateway, and keeps the books to compare with.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { systemClock, type Clock } from '../../server/clock.ts';
import { createGpoRail } from '../../server/providers/gpo/client.ts';
import { startSimulator } from '../../sandbox/simulator/start.ts';
import { freshDatabase } from './database.ts';
import { startProxy, type Proxy } from './proxy.ts';
import { stopLater } from './stop-later.ts';
import { gpoById } from './rail-by-id.ts';

export const RAIL_KEY = 'a key between tests and rail';

/** A purchase as the rail's books have it. */
export type Book = {
  id: string;
  status: 'PENDING' | 'APPROVED' | 'DECLINED';
  reason: string | null;
  transactionId: string | null;
  reference: string;
  phone: string;
  amount: string;
  calls: number;
  notifications: number;
  notified: number;
  createdAt: string;
};

/** An authorization as the rail's books have it: captured + voided + held = authorized. */
export type HoldBook = Book & { authorized: string; captured: string; voided: string; held: string; currency: string };

export type StepBook = {
  id: string;
  status: 'PENDING' | 'APPROVED' | 'DECLINED';
  reason: string | null;
  reference: string;
  calls: number;
  notifications: number;
  notified: number;
};

export type ScanBook = {
  id: string;
  qrCodeId: string;
  status: 'ACCEPTED' | 'REFUSED' | 'PENDING';
  reason: string | null;
  transactionId: string | null;
  amount: string;
  currency: string;
  phone: string;
};

export type QrBook = {
  id: string;
  status: 'ACTIVE' | 'USED_UP' | 'ENDED' | 'WITHDRAWN' | 'REFUSED';
  content: string | null;
  reference: string;
  accepted: number;
  maxTransactions: number;
  payments: ScanBook[];
  calls: number;
};

export type Terminal = {
  posId: string;
  status: 'OPEN' | 'OPENING' | 'CLOSED' | 'CLOSING';
  period: string;
  supervisorRequired: boolean;
};

/** Everything that the rail's books have. */
export type Books = {
  totals: {
    purchases: number;
    pending: number;
    approved: number;
    declined: number;
    taken: { currency: string; amount: string }[];
    holds: { currency: string; authorized: string; captured: string; voided: string; held: string }[];
  };
  data: Book[];
  authorizations: HoldBook[];
  captures: (StepBook & { authorizationId: string; amount: string; transactionId: string | null })[];
  voids: (StepBook & { target: 'authorization' | 'qrcode'; targetId: string })[];
  refunds: RefundBook[];
  refundTotals: { rail: 'gpo' | 'ppr'; currency: string; count: number; amount: string }[];
  qrcodes: QrBook[];
};

/** Money that one of the rails gave back, or was asked to. */
export type RefundBook = StepBook & {
  rail: 'gpo' | 'ppr';
  refundedTransactionId: string;
  amount: string;
  currency: string;
  transactionId: string | null;
  transactionNumber: string | null;
  clearingPeriod: string | null;
};

export type Rail = {
  /** What a gateway needs to reach it, through `calls`. */
  env: { GPO_URL: string; GPO_KEY: string };
  /** Gateway → rail. */
  calls: Proxy;
  /** Rail → gateway. */
  notifications: Proxy;
  /** Purchases only. */
  books(reference?: string): Promise<Book[]>;
  allBooks(reference?: string): Promise<Books>;
  /** Something will go wrong (docs/rail.md, "The simulator"). */
  orderFault(fault: Record<string, unknown>): Promise<void>;
  /** The payer scans a code and pays: the answer's status, with the scan (201) or the refusal's `code`. */
  scan(content: string, phone: string): Promise<{ status: number; body: ScanBook & { code?: string } }>;
  /** Sets a terminal; with `notify`, the rail did it by itself and says so. */
  setTerminal(
    posId: string,
    change: { status?: Terminal['status']; supervisors?: string[]; notify?: boolean },
  ): Promise<Terminal>;
  /** The payer answers the newest push of a reference, purchase or authorization. */
  answerPush(reference: string, verdict: 'approve' | 'decline'): Promise<void>;
  stop(): Promise<void>;
};

/** Starts it. `gatewayUrl` is asked at each notification; `windowMs` is the payer's time. */
export async function startRail(options: {
  gatewayUrl: () => string;
  clock?: Clock;
  windowMs?: number;
}): Promise<Rail> {
  const { gatewayUrl, clock = systemClock, windowMs = 90_000 } = options;
  const database = await freshDatabase();
  const notifications = await startProxy(gatewayUrl);
  const simulator = await startSimulator({
    host: '127.0.0.1',
    port: 0,
    databaseUrl: database.url,
    clock,
    key: RAIL_KEY,
    notifyUrl: () => `${notifications.url}/rails/gpo/notifications`,
    gpoWindowMs: windowMs,
    log: () => {},
  });
  const calls = await startProxy(() => simulator.url);

  const call = (path: string, method: string, body: object) =>
    fetch(simulator.url + path, { method, body: JSON.stringify(body) });
  const ask = async (path: string, body?: object, method = 'POST'): Promise<any> => {
    const response = await (body ? call(path, method, body) : fetch(simulator.url + path));
    if (!response.ok) throw new Error(`the rail's ${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  };
  const allBooks = (reference?: string): Promise<Books> => ask(`/books${reference ? `?reference=${reference}` : ''}`);
  const books = async (reference?: string): Promise<Book[]> => (await allBooks(reference)).data;

  return stopLater({
    env: { GPO_URL: calls.url, GPO_KEY: RAIL_KEY },
    calls,
    notifications,
    books,
    allBooks,
    orderFault: (fault) => ask('/faults', fault),
    async scan(content, phone) {
      const response = await call('/scans', 'POST', { content, phone });
      return { status: response.status, body: await response.json() };
    },
    setTerminal: (posId, change) => ask(`/terminals/${encodeURIComponent(posId)}`, change, 'PUT'),
    async answerPush(reference, verdict) {
      const { data, authorizations } = await allBooks(reference);
      const push = [...data, ...authorizations].toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)).at(-1);
      expect(push, `a push for ${reference}`).toBeDefined();
      await ask(`/pushes/${push?.id}/${verdict}`, {});
    },
    async stop() {
      await calls.stop();
      await notifications.stop();
      await simulator.stop();
      await database.drop();
    },
  });
}

/** Stands where the gateway would: keeps every notification's body, word for word, and acknowledges it. */
export async function startReceiver() {
  const bodies: string[] = [];
  const server = createServer(async (req, res) => {
    bodies.push(Buffer.concat(await req.toArray()).toString());
    res.writeHead(200).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, bodies, stop: () => server.close().closeAllConnections() };
}

/** A rail of its own with a client that speaks to it, and somebody who hears its notifications. */
export async function startGpoRail(clock: Clock, timeoutMs: number): Promise<GpoStage> {
  const gateway = await startReceiver();
  const books = await startRail({ gatewayUrl: () => gateway.url, clock });
  return {
    gateway,
    books,
    rail: gpoById(createGpoRail({ url: books.env.GPO_URL, key: RAIL_KEY, timeoutMs, clock })),
    async stop() {
      await books.stop();
      gateway.stop();
    },
  };
}

export type GpoStage = {
  gateway: Awaited<ReturnType<typeof startReceiver>>;
  books: Rail;
  rail: ReturnType<typeof gpoById>;
  stop(): Promise<void>;
};
