// The wire between the gateway and the shop: passes, drops, doubles, reorders, delays or forges webhooks of an order.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export const DELIVERIES = ['pass', 'drop', 'double', 'reorder', 'delay', 'forge'] as const;
export type Delivery = (typeof DELIVERIES)[number];

type Message = { headers: Record<string, string>; body: string };

/** `target` is the shop's address for webhooks. */
export async function startWire(target: string) {
  const modes = new Map<number, Delivery>();
  const held = new Map<number, Message[]>();
  const counts = { received: 0, forged: 0, refused: 0 };

  const forward = async ({ headers, body }: Message) => {
    const answer = await fetch(target, { method: 'POST', headers, body }).catch(() => null);
    await answer?.text();
    return answer?.status ?? 502;
  };

  /** Sends what an attacker without the secret can send. The shop must refuse each. */
  async function forge({ headers, body }: Message): Promise<void> {
    const paid = body.replace(/"status":"\w+"/g, '"status":"Paid"');
    const old = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 3_600) };
    const unsigned = { ...headers, 'webhook-signature': 'v1,AAAA' };
    for (const message of [
      { headers, body: `${paid} ` },
      { headers: old, body },
      { headers: unsigned, body: paid },
    ]) {
      counts.forged++;
      if ((await forward(message)) === 400) counts.refused++;
    }
  }

  async function deliver(order: number, message: Message): Promise<number> {
    // The gateway may report a payment before the test knows its order.
    for (let tries = 0; !modes.has(order) && tries < 200; tries++) await pause(20);
    const mode = modes.get(order) ?? 'pass';
    if (mode === 'drop') return 200;
    if (mode === 'reorder' || mode === 'delay') {
      held.set(order, [...(held.get(order) ?? []), message]);
      return 200;
    }
    if (mode === 'forge') await forge(message);
    if (mode === 'double') await Promise.all([forward(message), forward(message)]);
    return forward(message);
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    counts.received++;
    const status = await deliver(orderOf(body), { headers: signed(request.headers), body });
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    modes,
    counts,
    /** Delivers the held messages of an order now, the newest first. */
    async release(order: number): Promise<void> {
      const messages = held.get(order) ?? [];
      held.delete(order);
      for (const message of messages.toReversed()) await forward(message);
    },
    stop: () => (server.closeAllConnections(), server.close()),
  };
}

function orderOf(body: string): number {
  const event = JSON.parse(body) as { data?: { customMetadata?: { order?: number } } };
  return Number(event.data?.customMetadata?.order ?? 0);
}

function signed(headers: IncomingHttpHeaders): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => name.startsWith('webhook-') || name === 'content-type');
  return Object.fromEntries(kept) as Record<string, string>;
}
