// Buyers of the sample shops in PHP and Python: they order, and pay by push, QR code and reference in the sandbox.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { DEMO } from '../../sandbox/seed.ts';
import { until, type TestApp } from './app.ts';
import { freePort } from './free-port.ts';
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

/** Registers a sample shop at the gateway. Returns the shop's URL and its settings. */
export async function registerShop(app: TestApp) {
  const url = `http://127.0.0.1:${await freePort()}`;
  const callback = { url: `${url}/balcao`, accessKey: 'K7tq-9vXw2-mRp4zL' };
  await app.call(`/api/merchants/${DEMO.merchantId}/callback`, { method: 'PUT', body: callback });
  await app.call(`/api/merchants/${DEMO.merchantId}`, { method: 'PUT', body: { returnOrigins: [url] } });
  const webhook = await app.call('/api/webhooks', { body: { url: callback.url, types: ['payment.paid'] } });
  const secrets = { ACCESS_KEY: callback.accessKey, WEBHOOK_SECRET: webhook.json.secret as string };
  return { url, env: { GATEWAY: app.url, SHOP: url, ...secrets } };
}

/** `readShipped`: how often the shop has shipped each of its orders. */
type SampleShop = { url: string; readShipped(): string[]; readFeed(): Promise<unknown> };

/** Waits for a sample shop, and buys by each method and with replacements. Expects one shipment for each order. */
export async function expectShipments(app: TestApp, { url, readShipped, readFeed }: SampleShop): Promise<void> {
  const read = (order: ShopOrder) => fetch(`${url}/?order=${order.id}`).then((answer) => answer.text());
  const place = async (order: ShopOrder) => {
    const body = new URLSearchParams({ order: order.id, method: order.method });
    const { status } = await fetch(url, { method: 'POST', body, redirect: 'manual' });
    expect(status).toBe(303);
  };
  const isOpen = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(isOpen, 'the shop being open');
  const orders = METHODS.map(newOrder);
  await Promise.all(
    orders.map(async (order) => {
      await place(order);
      const [, token] = /token="([^"]+)"/.exec(await read(order))!;
      const { json } = await app.call(`/checkout/${token}/session`, { token: null });
      await payPayment(() => app.url, order, { clientToken: token, reference: json.reference });
    }),
  );
  for (const order of orders) await until(async () => /Obrigado/.test(await read(order)), `${order.method} being paid`);
  const replaced = newOrder('express');
  await place(replaced);
  await payByReplacements(app, replaced);
  // A push has no callback, so only the webhook reports the payment.
  await until(() => readShipped().join() === '1,1,1,1', 'the replaced order being shipped');
  await readFeed();
  expect(readShipped()).toEqual(['1', '1', '1', '1']);
}

/** Replaces the unpaid payment of an express order by a reference, and the reference by a push that is approved. */
async function payByReplacements(app: TestApp, { id }: ShopOrder): Promise<void> {
  let [payment] = (await app.call(`/api/payments?reference=${id}`)).json.data;
  const replace = async (body: object) => {
    const { status, json } = await app.call(`/api/payments/${payment.internalId}/replacement`, { body });
    return status === 201 ? json : null;
  };
  payment = await until(() => replace({ paymentMethod: 'reference' }), 'the reference');
  await until(() => replace({ paymentMethod: 'onetimepurchase', phoneNumber: '900000000' }), 'the push');
}
