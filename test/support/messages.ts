// The simulated SMS rail as tests reach it: messages to phones, what people answer, and the rail's books of both.
import { randomInt, randomUUID } from 'node:crypto';
import type { Clock } from '../../server/clock.ts';
import type { SmsOrder, SmsRail } from '../../server/providers/provider.ts';
import { createSmsRail } from '../../server/providers/sms/client.ts';
import { startSimulator } from '../../server/simulator/start.ts';
import { freshDatabase } from './database.ts';
import { callRail, type RailReply } from './references.ts';

export const SMS_KEY = 'a key between tests and SMS';

export const SMS_TIMEOUT_MS = 20_000;

/** A message as the rail's books have it. */
export type MessageBook = {
  id: string;
  status: 'QUEUED' | 'SENT' | 'DELIVERED' | 'UNDELIVERED' | 'REJECTED';
  reason: string | null;
  sender: string;
  to: string;
  text: string;
  createdAt: string;
  decidedAt: string | null;
  calls: number;
  notifications: number;
  notified: number;
};

/** An order for a message to a phone of its own. */
export function messageOrder(more: Partial<SmsOrder> = {}): SmsOrder {
  const to = `+2449${randomInt(10 ** 7, 9 * 10 ** 7)}`;
  return { messageId: randomUUID(), sender: 'BALCAO', to, text: 'Olá, Ana. A sua encomenda chegou.', ...more };
}

export type MessageRail = {
  url: string;
  databaseUrl: string;
  /** A client of it with the right key. */
  rail: SmsRail;
  call(path: string, body?: object, method?: string): Promise<RailReply>;
  /** Everything, or what has this id or went to this phone, oldest first. */
  books(idOrPhone?: string): Promise<MessageBook[]>;
  /** Something will go wrong (docs/rail.md, "The simulator"). */
  orderFault(fault: Record<string, unknown>): Promise<void>;
  /** Stops it and starts another on the same database. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

/** Starts an SMS rail on a database of its own. `gatewayUrl` is asked at each notification. */
export async function startMessageRail(options: { gatewayUrl: () => string; clock: Clock }): Promise<MessageRail> {
  const { gatewayUrl, clock } = options;
  const database = await freshDatabase();
  const start = (port: number) =>
    startSimulator({
      host: '127.0.0.1',
      port,
      databaseUrl: database.url,
      clock,
      smsKey: SMS_KEY,
      smsNotifyUrl: () => `${gatewayUrl()}/rails/sms/notifications`,
      log: () => {},
    });
  let simulator = await start(0);
  const { url } = simulator;
  const call = (path: string, body?: object, method?: string) => callRail(url, path, body, method);
  return {
    url,
    databaseUrl: database.url,
    rail: createSmsRail({ url, key: SMS_KEY, timeoutMs: SMS_TIMEOUT_MS, clock }),
    call,
    books: async (idOrPhone) =>
      (await call(`/books${idOrPhone ? `?reference=${encodeURIComponent(idOrPhone)}` : ''}`)).body.messages,
    async orderFault(fault) {
      const { status, body } = await call('/faults', fault);
      if (status !== 201) throw new Error(`no fault: ${status} ${JSON.stringify(body)}`);
    },
    async restart() {
      await simulator.stop();
      simulator = await start(Number(new URL(url).port));
    },
    async stop() {
      await simulator.stop();
      await database.drop();
    },
  };
}
