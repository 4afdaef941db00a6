import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { beforeAll, describe, expect, test } from 'vitest';
import { Balcao, verifyCallback } from '../../../packages/client/src/balcao.ts';
import {
  expressHandler,
  fastifyPlugin,
  fetchHandler,
  honoHandler,
  nodeHandler,
  type HandlerOptions,
} from '../../../packages/client/src/handlers.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { testClock } from '../../support/clock.ts';
import { createPayable, pay } from '../../support/ppr.ts';
import { travelUntil } from '../../support/payments.ts';
import { ACCESS_KEY, RECEIVER_ENV, startReceiver } from '../../support/receiver.ts';
import { stopLater } from '../../support/stop-later.ts';

let app: TestApp;
let balcao: Balcao;
beforeAll(async () => {
  // The receiver compares a webhook's time with its own clock, so the gateway's clock shows the real time.
  app = await startTestApp({ env: RECEIVER_ENV, clock: testClock(new Date().toISOString()) });
  balcao = new Balcao({ url: app.url, clientId: 'demo', clientSecret: 'demo-secret' });
});

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  stopLater({ stop: async () => void server.close() });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Calls a handler with a `Request`, like Next, Workers and Deno do. */
async function serveFetch(answer: (request: Request) => Response | Promise<Response>): Promise<string> {
  const { url } = await startReceiver({
    async answer({ path, headers, body }) {
      const request = new Request(`http://shop${path}`, {
        method: 'POST',
        headers: headers as Record<string, string>,
        body,
      });
      const response = await answer(request);
      const type = response.headers.get('content-type') ?? '';
      return { status: response.status, body: await response.text(), headers: { 'content-type': type } };
    },
  });
  return url;
}

const SERVERS: Record<string, (notified: HandlerOptions) => Promise<string>> = {
  'node:http': (notified) => listen(nodeHandler(notified)),
  express: (notified) => listen(express().post('/notified', expressHandler(notified))),
  async fastify(notified) {
    const server = fastify();
    await server.register(fastifyPlugin('/notified', notified));
    stopLater({ stop: async () => void (await server.close()) });
    return server.listen({ port: 0, host: '127.0.0.1' });
  },
  hono: (notified) => serveFetch(new Hono().post('/notified', honoHandler(notified)).fetch),
  fetchHandler: (notified) => serveFetch(fetchHandler(notified)),
};

describe.each(Object.entries(SERVERS))('the handler for %s', (_name, serve) => {
  test('accepts callbacks and webhooks of the gateway, and refuses forged ones', async () => {
    const received: string[] = [];
    const secrets: string[] = ['whsec_b3RoZXI='];
    const url = `${await serve({
      accessKey: ['a-key-from-before-it', ACCESS_KEY],
      webhookSecret: secrets,
      onCallback: ({ type, reference, amount, isTest }) => {
        received.push(`${type} ${reference} ${amount} ${isTest}`);
        return 41 + received.length;
      },
      onEvent: ({ type }) => received.push(type),
    })}/notified`;
    await balcao.callbacks.setEndpoint(DEMO.merchantId, { url, accessKey: ACCESS_KEY });
    const { id, secret } = await balcao.webhooks.create({ url, types: ['reference.paid'] });

    const paid = await createPayable(app);
    await pay(app, paid);
    const query = { paymentId: paid.internalId, status: 'Delivered' } as const;
    const find = async () => (await balcao.callbacks.list(query)).data[0];
    const delivery = await travelUntil(app, find, 'the callback being delivered');
    const { attempts } = await balcao.callbacks.get(delivery.id);
    expect(JSON.stringify(attempts)).toContain('42');
    expect(received).toEqual([`PPR ${paid.reference} 1500 false`]);

    expect((await balcao.callbacks.testEndpoint({ type: 'QR' })).status).toBe('Delivered');
    expect((await balcao.webhooks.test(id)).status).not.toBe('Delivered');
    secrets.push(secret);
    expect((await balcao.webhooks.test(id)).status).toBe('Delivered');
    expect(received.slice(1)).toContain('webhook.test');
    await balcao.webhooks.remove(id);

    const forged = { method: 'POST', headers: { 'access-key': 'another' }, body: '{"refPagamento":"1"}' };
    const answer = await fetch(url, forged);
    expect([answer.status, await answer.json()]).toEqual([401, { Success: false, Obs: 'unauthorized', Id: null }]);
  });

  test("reports an exception of the merchant's program as a failed delivery", async () => {
    const thrown: unknown[] = [];
    const url = `${await serve({
      accessKey: ACCESS_KEY,
      onCallback: () => Promise.reject(new Error('no database')),
      onError: (error) => thrown.push(error),
    })}/notified`;
    const body = JSON.stringify({ refPagamento: '1', Id: '1', montantePago: 1 });
    const headers = { 'access-key': ACCESS_KEY, 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body });
    expect([answer.status, await answer.json()]).toEqual([500, { Success: false, Obs: 'failed', Id: null }]);
    expect(String(thrown)).toBe('Error: no database');
  });
});

describe('the body of a request to a handler', () => {
  const MIB = 1_048_576;
  const forged = { 'content-type': 'application/json', 'access-key': 'another', 'balcao-test': 'true' };
  const signed = { ...forged, 'webhook-id': 'msg_1', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) };

  test.each(Object.entries(SERVERS))(
    'may have 1 MiB, and with one more byte %s refuses it with 413',
    async (name, serve) => {
      const url = `${await serve({ accessKey: ACCESS_KEY, webhookSecret: 'whsec_c2VjcmV0' })}/notified`;
      const send = async (bytes: number) => {
        const headers = { ...signed, 'webhook-signature': 'v1,AAAA' };
        const answer = await fetch(url, { method: 'POST', headers, body: ' '.repeat(bytes) });
        return { status: answer.status, text: await answer.text() };
      };
      expect((await send(MIB)).status).toBe(401);
      const { status, text } = await send(MIB + 1);
      expect(status).toBe(413);
      if (name !== 'fastify') expect(JSON.parse(text).Obs).toBe('the body is longer than 1 MiB');
    },
  );

  test('is read up to 1 MiB if the request names no length', async () => {
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536));
      },
    });
    const headers = { ...signed, 'webhook-signature': 'v1,AAAA' };
    const request = new Request('http://shop/notified', {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    } as RequestInit);
    const answer = await fetchHandler({ webhookSecret: 'whsec_c2VjcmV0' })(request);
    expect(answer.status).toBe(413);
    expect(sent).toBeLessThan(2 * MIB);
  });

  const callback = JSON.stringify({ refPagamento: '1', Id: '1', montantePago: 1 });
  const parsed: Record<string, (notified: HandlerOptions) => Promise<string>> = {
    'express.json()': (notified) => listen(express().use(express.json()).post('/notified', expressHandler(notified))),
    'express.urlencoded()': (notified) =>
      listen(
        express()
          .use(express.urlencoded({ type: '*/*' }))
          .post('/notified', expressHandler(notified)),
      ),
    'a reader of the node request': (notified) =>
      listen((req, res) => void req.resume().on('end', () => void nodeHandler(notified)(req, res))),
    'a reader of the Request': (notified) =>
      serveFetch(async (request) => {
        await request.json();
        return fetchHandler(notified)(request);
      }),
    'a Hono middleware': (notified) =>
      serveFetch(
        new Hono()
          .use(async (context, next) => {
            await context.req.json();
            await next();
          })
          .post('/notified', honoHandler(notified)).fetch,
      ),
  };

  test.each(Object.entries(parsed))('is refused with the reason if %s has already read it', async (_name, serve) => {
    const thrown: unknown[] = [];
    const notified = { accessKey: ACCESS_KEY, onCallback: () => 1, onError: (error: unknown) => thrown.push(error) };
    const url = `${await serve(notified)}/notified`;
    const headers = { 'access-key': ACCESS_KEY, 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body: callback });
    const Obs = 'other code has read the body: put this handler before express.json() and other body parsers';
    expect([answer.status, await answer.json()]).toEqual([500, { Success: false, Obs, Id: null }]);
    expect(thrown).toEqual([expect.objectContaining({ code: 'unreadable_body', message: Obs })]);
  });

  test.each(['text', 'raw'] as const)('is accepted after express.%s(), which keeps the bytes', async (parser) => {
    const app = express().use(express[parser]({ type: '*/*' }));
    app.post('/notified', expressHandler({ accessKey: ACCESS_KEY, onCallback: () => 7 }));
    const url = `${await listen(app)}/notified`;
    const headers = { 'access-key': ACCESS_KEY, 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body: callback });
    expect(await answer.json()).toEqual({ Success: true, Obs: 'ok', Id: '7' });
  });

  test('is refused by verifyCallback as unreadable_body if it is an object', async () => {
    const request = { headers: { 'access-key': ACCESS_KEY }, body: JSON.parse(callback) };
    await expect(verifyCallback(request, ACCESS_KEY)).rejects.toMatchObject({ code: 'unreadable_body' });
  });
});

test('verifyCallback refuses an access key that comes twice in different cases', async () => {
  const body = JSON.stringify({ refPagamento: '1', Id: '1', montantePago: 1 });
  const twice = { headers: { 'Access-Key': ACCESS_KEY, 'access-key': 'another' }, body };
  await expect(verifyCallback(twice, ACCESS_KEY)).rejects.toMatchObject({ code: 'verification_failed' });
});
