// The other end of the gateway's rail (docs/rail.md): takes every purchase as pending, and decides when the bench says so.
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
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.setHeader('Content-Type', 'application/json');
    if (request.method === 'GET') {
      const id = request.url?.split('/').at(-1) ?? '';
      response.end(JSON.stringify({ ...pending.get(id), status: 'PENDING', reason: null }));
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

export type Decision = 'approved' | 'refused';

/** The rail's word on a purchase, as its signed notification to the gateway. */
export function writeNotification(gatewayUrl: string, key: string, purchase: Purchase, decision: Decision): string {
  const now = new Date();
  const outcome =
    decision === 'approved'
      ? { status: 'APPROVED', reason: null, transactionId: randomUUID(), transactionNumber: '4711' }
      : { status: 'DECLINED', reason: 'CUSTOMER_REFUSED' };
  const body = JSON.stringify({
    id: randomUUID(),
    type: 'purchase',
    createdAt: now.toISOString(),
    purchase: { ...purchase, ...outcome, decidedAt: now.toISOString() },
  });
  const url = new URL('/rails/gpo/notifications', gatewayUrl);
  return writeHttp('POST', url, signMessage(key, { method: 'POST', path: url.pathname, body }, now), body);
}
