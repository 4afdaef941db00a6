// A callback as the gateway would send it, sent to a program on this machine, and judged as the gateway judges.
import { z } from 'zod';
import { sendMessage, type Result } from '../callbacks/send.ts';
import { systemClock } from '../clock.ts';
import { VERSION } from '../config.ts';
import type { FeedEvent } from './follow.ts';
import { FRESH_AGENTS, type Gateway } from './gateway.ts';

const listed = z.object({ id: z.string(), kind: z.string(), type: z.string(), transactionId: z.string().nullable() });
const deliveryPage = z.object({ data: z.array(listed), totalPages: z.number() });
const details = listed.extend({ body: z.looseObject({}) });

/** A callback with what it says. */
export type Callback = z.output<typeof details>;

/** The callback that an event made; null where its money is of a kind that is told by none. */
export async function findCallback(
  gateway: Gateway,
  { paymentId, details: said }: FeedEvent,
): Promise<Callback | null> {
  const { transactionId } = said;
  if (!paymentId || !transactionId) return null;
  for (let page = 1; ; page++) {
    const path = `/api/callbacks?paymentId=${paymentId}&pageSize=100&page=${page}`;
    const { data, totalPages } = await gateway.ask(deliveryPage, 'GET', path);
    const found = data.find((one) => one.kind === 'callback' && one.transactionId === transactionId);
    if (found) return gateway.ask(details, 'GET', `/api/callbacks/${found.id}`);
    if (page >= totalPages) return null;
  }
}

export type Target = { url: string; accessKey: string };

/** Sends it, once; never throws. @param stop breaks it off */
export function forwardCallback(
  { url, accessKey }: Target,
  { id, body }: Callback,
  stop: AbortSignal,
): Promise<Result> {
  const text = JSON.stringify(body);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(text)),
    'User-Agent': `Balcao/${VERSION} (listen)`,
    'Access-Key': accessKey,
    'Balcao-Delivery': id,
    'Balcao-Attempt': '1',
  };
  return sendMessage(systemClock, aimAnywhere(stop), 'callback', { url, headers, body: text });
}

/** The developer chose the address: no guard stands before it. */
function aimAnywhere(signal: AbortSignal) {
  return {
    aim: (url: string) => ({ url, agents: FRESH_AGENTS, signal }),
    check: async () => null,
    close: () => {},
  };
}
