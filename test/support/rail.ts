// The simulated GPO rail in a separate server, with a proxy in each direction. Tests compare with its books.
import { expect } from 'vitest';
import { systemClock, type Clock } from '../../server/clock.ts';
import { startLoneRail } from './lone-rail.ts';
import { startProxy } from './proxy.ts';
import { stopLater } from './stop-later.ts';

export const RAIL_KEY = 'a key between tests and rail';

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

type ScanBook = Pick<Book, 'id' | 'transactionId' | 'amount'> & { status: 'ACCEPTED' | 'REFUSED' | 'PENDING' };
type QrBook = {
  id: string;
  status: string;
  content: string | null;
  accepted: number;
  payments: ScanBook[];
  calls: number;
};

export type Books = Record<'captures' | 'voids' | 'refunds' | 'refundTotals', any[]> & {
  totals: any;
  data: Book[];
  authorizations: HoldBook[];
  qrcodes: QrBook[];
};

export type Rail = Awaited<ReturnType<typeof startRail>>;

type TerminalChange = {
  status?: 'OPEN' | 'OPENING' | 'CLOSED' | 'CLOSING';
  supervisors?: string[];
  notify?: boolean;
};

/** Starts the rail. It reads `gatewayUrl` for each notification. `windowMs`: the time in which a payer may approve. */
export async function startRail(options: { gatewayUrl: () => string; clock?: Clock; windowMs?: number }) {
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
  const allBooks = (reference?: string): Promise<Books> => lone.books(reference);
  return stopLater({
    /** The environment of a gateway that reaches the rail through `calls`. */
    env: { GPO_URL: calls.url, GPO_KEY: RAIL_KEY },
    /** The proxy for calls of the gateway to the rail. */
    calls,
    /** The proxy for notifications of the rail to the gateway. */
    notifications,
    /** Returns the rail's purchases, without authorizations. */
    books: async (reference?: string) => (await allBooks(reference)).data,
    allBooks,
    orderFault: lone.orderFault,
    /** Removes all faults that the rail has not used yet. */
    clearFaults: () => insist('/faults', {}, 'DELETE'),
    /** A payer scans a QR code and pays. Returns 201 with the scan, or a refusal with its problem `code`. */
    scan: (content: string, phone: string) => lone.call('/scans', { content, phone }),
    /** Changes a terminal at the rail. With `notify` the rail sends a notification of the change. */
    setTerminal: (posId: string, change: TerminalChange): Promise<any> =>
      insist(`/terminals/${encodeURIComponent(posId)}`, change, 'PUT'),
    /** The payer approves or declines the newest push with this payment reference. */
    async answerPush(reference: string, verdict: 'approve' | 'decline') {
      const { data, authorizations } = await allBooks(reference);
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
