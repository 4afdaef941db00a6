// The GPO rail of the bench (docs/rail.md). It records purchases and decides each one when the caller requests it.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { signMessage } from '../../server/http/signature.ts';
import { listenLocally, writeHttp } from './http.ts';

export type Purchase = {
  id: string;
  reference: string;
  amount: string;
  currency: string;
  status: 'PENDING' | 'APPROVED' | 'DECLINED';
  transactionId: string | null;
};

export type Rail = {
  url: string;
  key: string;
  /** Called for each new purchase at the bench's rail. */
  onPurchase: (purchase: Purchase) => void;
  /** Resolves to the newest purchase with a reference. The same purchase is not returned twice. */
  takePurchase(reference: string): Promise<Purchase>;
  books(): Purchase[];
  close(): void;
};

/** The path of rail notifications at the gateway. */
const NOTIFICATIONS = '/rails/gpo/notifications';
const RAIL_KEY = 'the key of the bench and its rail';

export async function startRail(): Promise<Rail> {
  const purchases = new Map<string, Purchase>();
  const untaken = new Map<string, Purchase>();
  const waiting = new Map<string, (purchase: Purchase) => void>();
  const codes = new Map<string, object>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const reply = (status: number, body: object) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    const [, , kind = '', id = ''] = request.url?.split(/[/?]/) ?? [];
    if (kind === 'payments') return void reply(200, { payments: [], next: '0' });
    if (request.method === 'GET') {
      const known = purchases.get(id) ?? codes.get(id);
      return void reply(known ? 200 : 404, known ?? { code: UNKNOWN[kind] ?? 'UNKNOWN' });
    }
    const order = (await json(request)) as Purchase;
    if (kind === 'qrcodes') {
      const code = {
        ...order,
        status: 'ACTIVE',
        reason: null,
        content: `BENCH:${order.id}`,
        accepted: 0,
        payments: [],
      };
      codes.set(order.id, code);
      return void reply(201, code);
    }
    const known = purchases.get(order.id);
    if (known) return void reply(200, known);
    const purchase: Purchase = { ...order, status: 'PENDING', transactionId: null };
    purchases.set(purchase.id, purchase);
    reply(202, { ...purchase, reason: null });
    const take = waiting.get(purchase.reference);
    if (take) take(purchase);
    else untaken.set(purchase.reference, purchase);
    waiting.delete(purchase.reference);
    rail.onPurchase(purchase);
  };
  const server = createServer((request, response) => void answer(request, response));
  const rail: Rail = {
    url: await listenLocally(server),
    key: RAIL_KEY,
    onPurchase: () => {},
    takePurchase(reference) {
      const known = untaken.get(reference);
      untaken.delete(reference);
      return known ? Promise.resolve(known) : new Promise((resolve) => waiting.set(reference, resolve));
    },
    books: () => [...purchases.values()],
    close: () => void server.close().closeAllConnections(),
  };
  return rail;
}

/** The rail's error code for an unknown id, by the kind of order. */
const UNKNOWN: Record<string, string> = { purchases: 'UNKNOWN_PURCHASE', qrcodes: 'UNKNOWN_QRCODE' };

export type Decision = 'approved' | 'refused';

/** Records the rail's decision about a purchase. */
export function decide(purchase: Purchase, decision: Decision): void {
  const outcome =
    decision === 'approved'
      ? {
          status: 'APPROVED',
          reason: null,
          transactionId: randomUUID(),
          transactionNumber: '4711',
          clearingPeriod: '20',
        }
      : { status: 'DECLINED', reason: 'CUSTOMER_REFUSED' };
  Object.assign(purchase, outcome, { decidedAt: new Date().toISOString() });
}

/** Writes the notification of a decided purchase as an HTTP request. */
export function writePurchaseNotice(gatewayUrl: string, purchase: Purchase): string {
  return writeNotice(gatewayUrl, { type: 'purchase', purchase });
}

/** Writes the notification of one payment of a QR code as an HTTP request. */
export function writeScanNotice(gatewayUrl: string, qrCodeId: string, transactionId: string): string {
  const at = new Date().toISOString();
  const money = { transactionId, transactionNumber: '4711', clearingPeriod: '20', amount: '15250.50', currency: 'AOA' };
  const sale = { terminalId: 'demo-pos', transactionType: 'PURCHASE', orderOrigin: 'QRCODE', phone: '+244923000001' };
  const status = { status: 'ACCEPTED', reason: null, creationDate: at, updatedDate: at };
  return writeNotice(gatewayUrl, {
    type: 'qrcode_payment',
    payment: { id: randomUUID(), qrCodeId, ...money, ...sale, ...status },
  });
}

function writeNotice(gatewayUrl: string, notice: object): string {
  const now = new Date();
  const body = JSON.stringify({ id: randomUUID(), createdAt: now.toISOString(), ...notice });
  const url = new URL(NOTIFICATIONS, gatewayUrl);
  return writeHttp('POST', url, signMessage(RAIL_KEY, { method: 'POST', path: url.pathname, body }, now), body);
}
