// The other end of the gateway's rail (docs/rail.md): takes every purchase as pending, and decides when the bench says so.
// Holds, captures, refunds, QR codes and payment references are made at once.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { signMessage } from '../server/http/signature.ts';
import { writeHttp } from './connection.ts';

export type Purchase = { id: string; reference: string; amount: string; currency: string };

export type Rail = {
  url: string;
  key: string;
  /** The newest purchase for a payment's reference not yet taken, once the gateway has asked for it. */
  takePurchase(reference: string): Promise<Purchase>;
  close(): Promise<void>;
};

export async function startRail(key: string): Promise<Rail> {
  const pending = new Map<string, Purchase>();
  const purchases = new Map<string, Purchase>();
  const waiting = new Map<string, (purchase: Purchase) => void>();
  const made = new Map<string, object>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.setHeader('Content-Type', 'application/json');
    const [, , things = '', thingId = ''] = request.url?.split(/[/?]/) ?? [];
    const standing = things === 'references' && STANDINGS[request.method ?? ''];
    if (standing || things === 'payments') {
      // Everybody pays elsewhere: nothing was taken.
      const told = standing ? { id: thingId, status: standing, payments: [] } : { payments: [], next: '0' };
      request.resume();
      response.end(JSON.stringify(told));
      return;
    }
    const isAsked = request.method === 'GET';
    if (isAsked && !made.has(thingId) && !pending.has(thingId)) {
      // The gateway makes it anew then, as at any rail whose connection failed.
      response.writeHead(404).end(JSON.stringify({ code: UNKNOWN[things] }));
      return;
    }
    const make = MAKE[things];
    if (make) {
      const thing = made.get(thingId) ?? make((await json(request)) as Order);
      if ('id' in thing) made.set(String(thing.id), thing);
      response.end(JSON.stringify(thing));
      return;
    }
    if (isAsked) {
      response.end(JSON.stringify({ ...pending.get(thingId), status: 'PENDING', reason: null }));
      return;
    }
    const purchase = (await json(request)) as Purchase;
    pending.set(purchase.id, purchase);
    response.writeHead(202).end(JSON.stringify({ ...purchase, status: 'PENDING', reason: null }));
    const take = waiting.get(purchase.reference);
    if (take) take(purchase);
    else purchases.set(purchase.reference, purchase);
    waiting.delete(purchase.reference);
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    takePurchase(reference) {
      const known = purchases.get(reference);
      purchases.delete(reference);
      return known ? Promise.resolve(known) : new Promise((resolve) => waiting.set(reference, resolve));
    },
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** What a reference is after a call, by its method. */
const STANDINGS: Record<string, string> = { PUT: 'ACTIVE', GET: 'ACTIVE', DELETE: 'WITHDRAWN' };

type Order = { id: string; [field: string]: unknown };

/** What the rail says of what it never had (docs/rail.md). */
const UNKNOWN: Record<string, string> = {
  purchases: 'UNKNOWN_PURCHASE',
  authorizations: 'UNKNOWN_AUTHORIZATION',
  captures: 'UNKNOWN_CAPTURE',
  refunds: 'UNKNOWN_REFUND',
  qrcodes: 'UNKNOWN_QRCODE',
};

/** What needs nobody's decision, by its address. */
const MAKE: Record<string, (order: Order) => object> = {
  authorizations: approve,
  captures: approve,
  refunds: approve,
  qrcodes: (order) => ({
    ...order,
    status: 'ACTIVE',
    reason: null,
    content: `BENCH:${order.id}`,
    accepted: 0,
    payments: [],
  }),
};

function approve(order: Order): object {
  const decidedAt = new Date().toISOString();
  return {
    ...order,
    status: 'APPROVED',
    reason: null,
    transactionId: randomUUID(),
    transactionNumber: '4711',
    decidedAt,
  };
}

export type Decision = 'approved' | 'refused';

/** The rail's word on a purchase, as its signed notification to the gateway. */
export function writeNotification(gatewayUrl: string, key: string, purchase: Purchase, decision: Decision): string {
  const outcome =
    decision === 'approved'
      ? { status: 'APPROVED', reason: null, transactionId: randomUUID(), transactionNumber: '4711' }
      : { status: 'DECLINED', reason: 'CUSTOMER_REFUSED' };
  const decidedAt = new Date().toISOString();
  return writeNews(gatewayUrl, key, { type: 'purchase', purchase: { ...purchase, ...outcome, decidedAt } });
}

/** The rail's word of one more payment of a QR code, likewise. */
export function writeScanNews(
  gatewayUrl: string,
  key: string,
  qrCodeId: string,
  amount: string,
  transactionId: string = randomUUID(),
): string {
  const at = new Date().toISOString();
  const money = {
    transactionId,
    transactionNumber: '4711',
    clearingPeriod: '20',
    amount,
    currency: 'AOA',
  };
  const about = { terminalId: 'demo-pos', transactionType: 'PURCHASE', orderOrigin: 'QRCODE', phone: '+244923000001' };
  const dates = { creationDate: at, updatedDate: at };
  const payment = { id: randomUUID(), qrCodeId, status: 'ACCEPTED', reason: null, ...money, ...about, ...dates };
  return writeNews(gatewayUrl, key, { type: 'qrcode_payment', payment });
}

function writeNews(gatewayUrl: string, key: string, news: object): string {
  const now = new Date();
  const body = JSON.stringify({ id: randomUUID(), createdAt: now.toISOString(), ...news });
  const url = new URL('/rails/gpo/notifications', gatewayUrl);
  return writeHttp('POST', url, signMessage(key, { method: 'POST', path: url.pathname, body }, now), body);
}
