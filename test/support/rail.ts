// The simulated rail outside the gateway, on a database of its own: it outlives the gateway, and keeps the books to compare with.
import { expect } from 'vitest';
import { systemClock, type Clock } from '../../server/clock.ts';
import { startSimulator } from '../../server/simulator/start.ts';
import { freshDatabase } from './database.ts';
import { startProxy, type Proxy } from './proxy.ts';

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
};

export type Rail = {
  /** What a gateway needs to reach it, through `calls`. */
  env: { GPO_URL: string; GPO_KEY: string };
  /** Gateway → rail. */
  calls: Proxy;
  /** Rail → gateway. */
  notifications: Proxy;
  books(reference?: string): Promise<Book[]>;
  /** Something will go wrong (docs/rail.md, "The simulator"). */
  orderFault(fault: Record<string, unknown>): Promise<void>;
  /** The payer answers the newest push of a reference. */
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

  const ask = async (path: string, body?: object): Promise<any> => {
    const init = body ? { method: 'POST', body: JSON.stringify(body) } : {};
    const response = await fetch(simulator.url + path, init);
    if (!response.ok) throw new Error(`the rail's ${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  };
  const books = async (reference?: string): Promise<Book[]> =>
    (await ask(`/books${reference ? `?reference=${reference}` : ''}`)).data;

  return {
    env: { GPO_URL: calls.url, GPO_KEY: RAIL_KEY },
    calls,
    notifications,
    books,
    orderFault: (fault) => ask('/faults', fault),
    async answerPush(reference, verdict) {
      const push = (await books(reference)).at(-1);
      expect(push, `a push for ${reference}`).toBeDefined();
      await ask(`/pushes/${push?.id}/${verdict}`, {});
    },
    async stop() {
      await calls.stop();
      await notifications.stop();
      await simulator.stop();
      await database.drop();
    },
  };
}
