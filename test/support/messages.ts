// Messages to phones outside of any sending.
import { randomInt, randomUUID } from 'node:crypto';
import type { SmsOrder } from '../../server/providers/message.ts';
import type { TestApp } from './app.ts';

/** An order to a random number. */
export function messageOrder(more: Partial<SmsOrder> = {}): SmsOrder {
  const to = `+2449${randomInt(10 ** 7, 9 * 10 ** 7)}`;
  return { messageId: randomUUID(), sender: 'BALCAO', to, text: 'Olá, Ana. A sua encomenda chegou.', ...more };
}

/** Sends a message of which the gateway stores nothing. */
export async function sendMessage(app: TestApp, more: Partial<SmsOrder> = {}): Promise<SmsOrder> {
  const order = messageOrder(more);
  const outcome = await (await app.node.core.rails.sms('sms')).send(order);
  if (outcome.result !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(outcome)}`);
  return order;
}
