// Messages to phones in tests of a whole node: sent as the gateway sends them, by the rail of its own sandbox.
import type { SmsOrder } from '../../server/providers/message.ts';
import type { TestApp } from './app.ts';
import { messageOrder } from './messages.ts';

/** Sends a message that is nobody's sending: the gateway keeps nothing of it. */
export async function sendMessage(app: TestApp, more: Partial<SmsOrder> = {}): Promise<SmsOrder> {
  const order = messageOrder(more);
  const sms = await app.node.core.rails.sms('sms');
  const outcome = await sms.send(order);
  if (outcome.result !== 'accepted') throw new Error(`not taken on: ${JSON.stringify(outcome)}`);
  return order;
}
