// Buyers of the sample shops in PHP and Python: they order, and pay by push, QR code and reference in the sandbox.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { until, type TestApp } from './app.ts';
import { callRail, type RailReply } from './lone-rail.ts';
import { DEMO_ENTITY } from './ppr.ts';

export const METHODS = ['express', 'code', 'reference'] as const;
type Method = (typeof METHODS)[number];
export type ShopOrder = { id: string; method: Method };

export const newOrder = (method: Method): ShopOrder => ({ id: randomBytes(5).toString('hex'), method });

/** Repeats a request of a payer until a gateway accepts or refuses it. */
async function insist(send: () => Promise<RailReply>): Promise<RailReply> {
  return until(async () => {
    const reply = await send().catch(() => null);
    if (reply && reply.status < 500 && reply.status !== 404) return reply;
    await pause(50);
    return null;
  }, 'an answer to a payer');
}

/** Pays a payment as its payer does. A repeat after a lost answer is refused, because the payment is paid already. */
export function payPayment(gatewayUrl: () => string, { id, method }: ShopOrder, payment: any): Promise<RailReply> {
  const rail = () => `${gatewayUrl()}/sandbox/rail`;
  const pay = {
    express: () => callRail(gatewayUrl(), `/checkout/${payment.clientToken}/pay`, { phoneNumber: '900000000' }),
    reference: () =>
      callRail(rail(), '/atm/payments', { entity: DEMO_ENTITY, reference: payment.reference, amount: '1500.00' }),
    async code() {
      const { body } = await callRail(rail(), `/books?reference=${id}`, undefined, 'GET');
      return callRail(rail(), '/scans', { content: body?.qrcodes[0]?.content, phone: '923000009' });
    },
  };
  return insist(pay[method]);
}

/** Replaces the unpaid payment of an express order by a reference, and the reference by a push that is approved. */
export async function payByReplacements(app: TestApp, { id }: ShopOrder): Promise<void> {
  let [payment] = (await app.call(`/api/payments?reference=${id}`)).json.data;
  const replace = async (body: object) => {
    const { status, json } = await app.call(`/api/payments/${payment.internalId}/replacement`, { body });
    return status === 201 ? json : null;
  };
  payment = await until(() => replace({ paymentMethod: 'reference' }), 'the reference');
  await until(() => replace({ paymentMethod: 'onetimepurchase', phoneNumber: '900000000' }), 'the push');
}
