// The simulated GPO rail outside the gateway, between two proxies, with books to compare with.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { systemClock, type Clock } from '../../server/clock.ts';
import { startLoneRail } from './lone-rail.ts';
import { startProxy, type Proxy } from './proxy.ts';
import { stopLater } from './stop-later.ts';

export const RAIL_KEY = 'a key between tests and rail';

/** A purchase in the rail's books. */
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

/** An authorization in the rail's books: captured + voided + held = authorized. */
export type HoldBook = Book & { authorized: string; captured: string; voided: string; held: string; currency: string };

type ScanBook = {
  id: string;
  status: 'ACCEPTED' | 'REFUSED' | 'PENDING';
  transactionId: string | null;
  amount: string;
};
type QrBook = {
  id: string;
  status: string;
  content: string | null;
  accepted: number;
  payments: ScanBook[];
  calls: number;
};

/** The rail's books. */
export type Books = Record<'captures' | 'voids' | 'refunds' | 'refundTotals', any[]> & {
  totals: any;
  data: Book[];
  authorizations: HoldBook[];
  qrcodes: QrBook[];
};

export type Rail = {
  /** The environment of a gateway that reaches the rail through `calls`. */
  env: { GPO_URL: string; GPO_KEY: string };
  /** Gateway → rail. */
  calls: Proxy;
  /** Rail → gateway. */
  notifications: Proxy;
  /** Purchases only. */
  books(reference?: string): Promise<Book[]>;
  allBooks(reference?: string): Promise<Books>;
  /** Orders a fault (docs/rail.md, "The simulator"). */
  orderFault(fault: Record<string, unknown>): Promise<void>;
  /** A payer scans a code and pays: 201 with the scan, or a refusal with its `code`. */
  scan(content: string, phone: string): Promise<{ status: number; body: any }>;
  /** Changes a terminal. With `notify` the rail reports it as its own change. */
  setTerminal(
    posId: string,
    change: { status?: 'OPEN' | 'OPENING' | 'CLOSED' | 'CLOSING'; supervisors?: string[]; notify?: boolean },
  ): Promise<any>;
  /** The payer answers the newest push of a reference, purchase or authorization. */
  answerPush(reference: string, verdict: 'approve' | 'decline'): Promise<void>;
  stop(): Promise<void>;
};

/** Starts it. `gatewayUrl` is read at each notification; `windowMs` is the payer's time. */
export async function startRail(options: {
  gatewayUrl: () => string;
  clock?: Clock;
  windowMs?: number;
}): Promise<Rail> {
  const { gatewayUrl, clock = systemClock, windowMs = 90_000 } = options;
  const notifications = await startProxy(gatewayUrl);
  const lone = await startLoneRail({
    clock,
    key: RAIL_KEY,
    notifyUrl: () => `${notifications.url}/rails/gpo/notifications`,
    gpoWindowMs: windowMs,
  });
  const calls = await startProxy(() => lone.url);
  const insist = async (path: string, body?: object, method?: string): Promise<any> => {
    const answer = await lone.call(path, body, method);
    if (answer.status >= 300) throw new Error(`the rail's ${path} returned ${answer.status}`);
    return answer.body;
  };
  const allBooks = (reference?: string) => insist(`/books${reference ? `?reference=${reference}` : ''}`);
  return stopLater({
    env: { GPO_URL: calls.url, GPO_KEY: RAIL_KEY },
    calls,
    notifications,
    books: async (reference) => (await allBooks(reference)).data,
    allBooks,
    orderFault: lone.orderFault,
    scan: (content, phone) => lone.call('/scans', { content, phone }),
    setTerminal: (posId, change) => insist(`/terminals/${encodeURIComponent(posId)}`, change, 'PUT'),
    async answerPush(reference, verdict) {
      const { data, authorizations }: Books = await allBooks(reference);
      const push = [...data, ...authorizations].toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)).at(-1);
      expect(push, `a push for ${reference}`).toBeDefined();
      await insist(`/pushes/${push?.id}/${verdict}`, {});
    },
    async stop() {
      await calls.stop();
      await notifications.stop();
      await lone.stop();
    },
  });
}

/** Keeps the body of every notification, and acknowledges it. */
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
