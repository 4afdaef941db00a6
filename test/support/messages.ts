// The simulated SMS rail as tests reach it: messages to phones, what people answer, and the rail's books of both.
import { randomInt, randomUUID } from 'node:crypto';
import type { Clock } from '../../server/clock.ts';
import type { SmsOrder } from '../../server/providers/message.ts';
import { createSmsRail } from '../../server/providers/sms/client.ts';
import { startLoneRail, type LoneRail } from './lone-rail.ts';
import { smsById } from './rail-by-id.ts';

export const SMS_KEY = 'a key between tests and SMS';

const TIMEOUT_MS = 20_000;

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

export type MessageRail = LoneRail & {
  /** A client of it with the right key. */
  rail: ReturnType<typeof smsById>;
  /** Everything, or what has this id or went to this phone, oldest first. */
  books(idOrPhone?: string): Promise<MessageBook[]>;
};

/** Starts an SMS rail on a database of its own. `gatewayUrl` is asked at each notification. */
export async function startMessageRail(options: { gatewayUrl: () => string; clock: Clock }): Promise<MessageRail> {
  const { gatewayUrl, clock } = options;
  const smsNotifyUrl = () => `${gatewayUrl()}/rails/sms/notifications`;
  const lone = await startLoneRail({ clock, smsKey: SMS_KEY, smsNotifyUrl });
  return {
    ...lone,
    rail: smsById(createSmsRail({ url: lone.url, key: SMS_KEY, timeoutMs: TIMEOUT_MS, clock })),
    books: async (idOrPhone) =>
      (await lone.call(`/books${idOrPhone ? `?reference=${encodeURIComponent(idOrPhone)}` : ''}`)).body.messages,
  };
}
