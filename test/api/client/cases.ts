// The contract cases: each client passes all of them, through the gateway's sandbox and a proxy that spoils answers.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import type { TestApp } from '../../support/app.ts';
import type { CallOptions, Driver, Outcome, Question } from '../../support/clients/clients.ts';
import { createRefused } from '../../support/fallback.ts';
import { create, purchase, travelToStatus, travelUntil, webframe } from '../../support/payments.ts';
import { pay, travelToReceived, untilRegistered } from '../../support/ppr.ts';
import type { Proxy, Spoiled } from '../../support/proxy.ts';
import { scanCode } from '../../support/qrcodes.ts';
import { createPaid } from '../../support/refunds.ts';

export type Bench = {
  app: TestApp;
  /** The gateway's URL for the client. */
  proxy: Proxy;
  driver: Driver;
  /** Starts another process of the same client, which has a client object too. */
  startAnother(): Promise<Driver>;
};

/**
 * `isFinishing`: needs `finishOnce`. `isBrief`: also runs with optional clients.
 * `isTransport`: also runs with each transport of a client.
 */
export type Case = {
  title: string;
  isFinishing?: boolean;
  isBrief?: boolean;
  isTransport?: boolean;
  run(bench: Bench): Promise<void>;
};

/** The options of a client of the demo merchant. */
export const optionsOf = (url: string) => ({ url, clientId: 'demo', clientSecret: 'demo-secret' });

let serial = 0;
const newReference = () => `CASE-${++serial}`;

const sale = (changes: object = {}) => ({ currency: 'AOA', amount: 1500, paymentType: 'GPO', ...changes });

const call = ({ driver }: Bench, operation: string, given: unknown[], options?: CallOptions) =>
  driver.ask({ do: 'call', operation, arguments: given, ...(options && { options }) });

async function resultOf(outcome: Promise<Outcome>): Promise<any> {
  const { result, error } = await outcome;
  expect(error).toBeUndefined();
  return result;
}

async function errorOf(outcome: Promise<Outcome>): Promise<NonNullable<Outcome['error']>> {
  const { error, result } = await outcome;
  expect(error, `a result: ${JSON.stringify(result)}`).toBeDefined();
  return error!;
}

const decimal = (amount: unknown) => (typeof amount === 'number' ? amount.toFixed(2) : amount);

/** The requests of one operation that the proxy has seen. */
const requestsOf = ({ proxy }: Bench, method: string, path: string) =>
  proxy.seen.filter((each) => each.method === method && each.path.split('?')[0] === path);

const TOKEN = '/oauth/token';
const PAYMENTS = '/api/payments';
const JSON_TYPE = { 'content-type': 'application/json' };
const PROBLEM_TYPE = { 'content-type': 'application/problem+json' };
const problem = (status: number, code: string, headers: Record<string, string> = {}): Spoiled => ({
  answer: { status, headers: { ...PROBLEM_TYPE, ...headers }, body: JSON.stringify({ code, status, detail: code }) },
});
const page = (status: number): Spoiled => ({
  isForwarded: true,
  answer: { status, headers: { 'content-type': 'text/html' }, body: '<h1>Bad Gateway</h1>' },
});

/** Spoils the first request with this method and path. */
const spoilFirst = ({ proxy }: Bench, method: string, path: string, spoiled: Spoiled) =>
  proxy.spoil((request, nth) => (request.method === method && request.path === path && nth === 1 ? spoiled : null));

/** Faults of the first answer to a creation with a key. With `isForwarded` the payment exists already. */
const LOST: [name: string, Spoiled][] = [
  ['a 500 after the creation', { ...problem(500, 'internal_error'), isForwarded: true }],
  ['a proxy’s 502', page(502)],
  ['a 503', problem(503, 'service_unavailable')],
  ['a proxy’s 504', page(504)],
  ['a 409 for the same key', problem(409, 'idempotency_in_progress', { 'retry-after': '0' })],
  ['a connection that breaks before the answer', { answer: 'cut', isForwarded: true }],
  ['a connection that breaks inside the answer', { answer: 'half' }],
];

/** Loses the answer to a creation without a key, and expects one payment under the client's own key. */
async function repeatOnce(bench: Bench, spoiled: Spoiled, options?: CallOptions): Promise<void> {
  const reference = newReference();
  spoilFirst(bench, 'POST', PAYMENTS, spoiled);
  const payment = await resultOf(call(bench, 'payments.create', [sale({ reference })], options));
  const keys = requestsOf(bench, 'POST', PAYMENTS).map(({ headers }) => headers['idempotency-key']);
  expect(keys).toEqual([expect.stringMatching(/^\S{16,}$/), keys[0]]);
  const list = await resultOf(call(bench, 'payments.list', [{ reference }]));
  expect(list.data.map(({ internalId }: any) => internalId)).toEqual([payment.internalId]);
}

const repeats: Case[] = [
  ...LOST.map(([name, spoiled]) => ({
    title: `repeats a creation after ${name} under one key, and creates one payment`,
    isTransport: true,
    run: (bench: Bench) => repeatOnce(bench, spoiled),
  })),
  {
    title: 'makes a key if the given key is empty',
    run: (bench) => repeatOnce(bench, { answer: 'cut', isForwarded: true }, { idempotencyKey: '' }),
  },
];

const tokens: Case[] = [
  {
    title: 'fetches one token for several calls',
    async run(bench) {
      for (let nth = 0; nth < 3; nth++) await resultOf(call(bench, 'billing.listPlans', []));
      expect(requestsOf(bench, 'POST', TOKEN)).toHaveLength(1);
    },
  },
  {
    title: 'fetches a new token after the old one has expired',
    async run(bench) {
      const body = JSON.stringify({ access_token: await bench.app.token(), token_type: 'Bearer', expires_in: 0 });
      spoilFirst(bench, 'POST', TOKEN, { answer: { status: 200, headers: JSON_TYPE, body } });
      for (let nth = 0; nth < 3; nth++) await resultOf(call(bench, 'billing.listPlans', []));
      expect(requestsOf(bench, 'POST', TOKEN)).toHaveLength(2);
    },
  },
  {
    title: 'repeats a call with a new token if the gateway refuses the token',
    async run(bench) {
      spoilFirst(bench, 'POST', '/api/webhooks', problem(401, 'invalid_token'));
      await resultOf(call(bench, 'webhooks.create', [{ url: 'https://shop.example/' }]));
      expect(requestsOf(bench, 'POST', TOKEN)).toHaveLength(2);
      expect(requestsOf(bench, 'POST', '/api/webhooks')).toHaveLength(2);
    },
  },
  {
    title: 'refuses a call if each token is refused',
    async run(bench) {
      bench.proxy.spoil(({ path }) => (path === TOKEN ? null : problem(401, 'invalid_token')));
      const error = await errorOf(call(bench, 'billing.listPlans', []));
      expect(error).toMatchObject({ code: 'invalid_token', status: 401 });
      expect(requestsOf(bench, 'GET', '/api/plans').length).toBeLessThanOrEqual(2);
    },
  },
  {
    title: 'reports a wrong secret by the code of the token endpoint',
    async run(bench) {
      await bench.driver.ask({ do: 'new', ...optionsOf(bench.proxy.url), clientSecret: 'another' });
      expect(await errorOf(call(bench, 'billing.listPlans', []))).toMatchObject({ code: 'invalid_client' });
      expect(requestsOf(bench, 'POST', TOKEN)).toHaveLength(1);
    },
  },
];

const WRONG: [name: string, options: object][] = [
  ['url', { url: null }],
  ['url', { url: 'localhost:8080' }],
  ['url', { url: 'pay.example' }],
  ['client.?id', { clientId: null }],
  ['client.?secret', { clientSecret: '' }],
];

const calls: Case[] = [
  {
    title: 'names a wrong value of its three settings before the first call',
    async run({ driver, proxy }) {
      for (const [name, wrong] of WRONG) {
        const error = await errorOf(driver.ask({ do: 'new', ...optionsOf(proxy.url), ...wrong }));
        expect(error.message).toMatch(new RegExp(`^${name} `, 'i'));
      }
      expect(proxy.seen).toEqual([]);
    },
  },
  {
    title: 'waits for Retry-After after a 429, and repeats under the same key',
    async run(bench) {
      spoilFirst(bench, 'POST', PAYMENTS, problem(429, 'rate_limited', { 'retry-after': '1' }));
      await resultOf(call(bench, 'payments.create', [sale({ reference: newReference() })]));
      const [first, second, ...more] = requestsOf(bench, 'POST', PAYMENTS);
      expect(more).toEqual([]);
      expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(990);
      expect(second!.headers['idempotency-key']).toBe(first!.headers['idempotency-key']);
    },
  },
  {
    title: 'does not wait for a Retry-After beyond the deadline',
    async run(bench) {
      bench.proxy.spoil(({ path }) =>
        path === PAYMENTS ? problem(503, 'service_unavailable', { 'retry-after': '60' }) : null,
      );
      const error = await errorOf(call(bench, 'payments.create', [sale({ reference: newReference() })]));
      expect(error).toMatchObject({ code: 'service_unavailable', status: 503 });
      expect(requestsOf(bench, 'POST', PAYMENTS)).toHaveLength(1);
    },
  },
  {
    title: 'names the last cause if the deadline ends a repeat without an answer',
    async run(bench) {
      await bench.driver.ask({ do: 'new', ...optionsOf(bench.proxy.url), timeout: 2 });
      await resultOf(call(bench, 'billing.listPlans', []));
      bench.proxy.spoil(({ path }, nth) => {
        if (path !== PAYMENTS) return null;
        return nth === 1 ? problem(503, 'service_unavailable') : { answer: 'hang' };
      });
      const error = await errorOf(call(bench, 'payments.create', [sale({ reference: newReference() })]));
      expect(error.code).toBe('deadline_exceeded');
      expect(error.message).toContain('service_unavailable');
    },
  },
  {
    title: 'reports a refused connection with its cause',
    isTransport: true,
    async run(bench) {
      // No program listens on this port.
      await bench.driver.ask({ do: 'new', ...optionsOf('http://127.0.0.1:2'), timeout: 1 });
      const error = await errorOf(call(bench, 'payments.create', [sale({ reference: newReference() })]));
      expect(['connection_failed', 'deadline_exceeded']).toContain(error.code);
      expect(error.message).toMatch(/refused/i);
    },
  },
  {
    title: 'repeats a creation without a key only after a 429, which had no effect',
    async run(bench) {
      const path = '/api/webhooks';
      const lost: [Spoiled, string][] = [
        [problem(500, 'internal_error'), 'internal_error'],
        [{ answer: 'cut' }, 'connection_failed'],
      ];
      for (const [spoiled, code] of lost) {
        spoilFirst(bench, 'POST', path, spoiled);
        const error = await errorOf(call(bench, 'webhooks.create', [{ url: 'https://shop.example/' }]));
        expect(error.code).toBe(code);
        expect(requestsOf(bench, 'POST', path)).toHaveLength(1);
      }
      spoilFirst(bench, 'POST', path, problem(429, 'rate_limited'));
      await resultOf(call(bench, 'webhooks.create', [{ url: 'https://shop.example/' }]));
    },
  },
  {
    title: 'reports each wrong field by its pointer, and the first one in the message',
    async run(bench) {
      const given = sale({ reference: 'ação?', currency: 'kwanza' });
      const error = await errorOf(call(bench, 'payments.create', [given]));
      expect(error).toMatchObject({ code: 'validation_failed', status: 400 });
      expect(error.pointers.map(({ pointer }) => pointer).sort()).toEqual(['/currency', '/reference']);
      const [{ pointer, message } = { pointer: '', message: '' }] = error.pointers;
      expect(error.message).toContain(`${pointer}: ${message}`);
    },
  },
  {
    title: 'handles an unknown code by its status',
    async run(bench) {
      spoilFirst(bench, 'POST', PAYMENTS, problem(409, 'code_of_a_later_release'));
      const error = await errorOf(call(bench, 'payments.create', [sale({ reference: newReference() })]));
      expect(error).toMatchObject({ code: 'code_of_a_later_release', status: 409 });
      expect(requestsOf(bench, 'POST', PAYMENTS)).toHaveLength(1);
      spoilFirst(bench, 'GET', '/api/payments/x', problem(503, 'code_of_a_later_release'));
      expect(await errorOf(call(bench, 'payments.get', ['x']))).toMatchObject({ code: 'not_found' });
      expect(requestsOf(bench, 'GET', '/api/payments/x')).toHaveLength(2);
    },
  },
  {
    title: 'refuses the page of a proxy as an unexpected answer',
    async run(bench) {
      const answer = { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Welcome</h1>' };
      spoilFirst(bench, 'GET', '/api/payments/x', { answer });
      expect(await errorOf(call(bench, 'payments.get', ['x']))).toMatchObject({ code: 'unexpected_answer' });
    },
  },
  {
    title: 'does not send an id that would change the path',
    async run(bench) {
      await errorOf(call(bench, 'payments.get', ['..']));
      await errorOf(call(bench, 'payments.get', ['']));
      expect(bench.proxy.seen).toEqual([]);
      expect(await errorOf(call(bench, 'payments.get', ['../merchants']))).toMatchObject({ code: 'not_found' });
    },
  },
  {
    title: 'refuses a change with an old If-Match, and accepts it with the ETag of the answer',
    async run(bench) {
      const url = 'https://shop.example/';
      const { id } = await resultOf(call(bench, 'webhooks.create', [{ url }]));
      const { etag } = await call(bench, 'webhooks.get', [id]);
      const change = (description: string) =>
        call(bench, 'webhooks.replace', [id, { url, description }], { ifMatch: etag! });
      expect((await resultOf(change('first'))).description).toBe('first');
      expect(await errorOf(change('second'))).toMatchObject({ code: 'precondition_failed', status: 412 });
    },
  },
];

const money: Case[] = [
  {
    title: 'accepts an amount as decimal text or number, and returns it without a difference',
    async run(bench) {
      for (const amount of ['1500.10', 1500.1, '9999999.99', 0.29]) {
        const { internalId } = await resultOf(
          call(bench, 'payments.create', [sale({ reference: newReference(), amount })]),
        );
        const stored = await bench.app.call(`${PAYMENTS}/${internalId}`);
        const read = await resultOf(call(bench, 'payments.get', [internalId]));
        expect([decimal(read.amount), stored.json.amount]).toEqual([decimal(Number(amount)), Number(amount)]);
      }
    },
  },
  {
    title: 'creates a payment by push, and waits until it is paid',
    async run(bench) {
      const idempotencyKey = `order-${newReference()}`;
      const metadata = { paymentMethod: 'onetimepurchase', phoneNumber: '900000000' };
      const created = await resultOf(
        call(bench, 'payments.create', [sale({ reference: newReference(), metadata })], {
          idempotencyKey,
        }),
      );
      expect(created.status).toBe('Processing');
      expect(requestsOf(bench, 'POST', PAYMENTS)[0]!.headers['idempotency-key']).toBe(idempotencyKey);
      const waiting = bench.driver.ask({ do: 'waitUntilPaid', paymentId: created.internalId, timeout: 30 });
      await travelToStatus(bench.app, created.internalId, 'Paid');
      const { internalId, status } = await resultOf(waiting);
      expect([internalId, status]).toEqual([created.internalId, 'Paid']);
    },
  },
  {
    title: 'ends the wait for a payment that cannot be paid, and the wait that is too long',
    async run({ app, driver }) {
      const refused = await create(app, purchase('900000001'));
      await travelToStatus(app, refused.id, 'Failed');
      const wait = (paymentId: string, timeout: number) =>
        errorOf(driver.ask({ do: 'waitUntilPaid', paymentId, timeout }));
      expect(await wait(refused.id, 30)).toMatchObject({ code: 'payment_ended' });
      const open = await create(app, webframe());
      expect(await wait(open.id, 0.2)).toMatchObject({ code: 'deadline_exceeded' });
    },
  },
  {
    title: 'follows a replaced payment to the paid one while it waits',
    async run({ app, driver }) {
      const { first, second } = await createReplaced(app);
      const { internalId } = await resultOf(driver.ask({ do: 'waitUntilPaid', paymentId: first, timeout: 30 }));
      expect(internalId).toBe(second);
    },
  },
  {
    title: 'asks the gateway to delay the answer until the push has its result',
    async run(bench) {
      const metadata = { paymentMethod: 'onetimepurchase', phoneNumber: '900000000' };
      const given = sale({ reference: newReference(), metadata });
      const waiting = call(bench, 'payments.create', [given], { waitS: 20 });
      let isOver = false;
      void waiting.then(() => (isOver = true));
      await travelUntil(bench.app, () => isOver, 'the answer');
      expect((await resultOf(waiting)).status).toBe('Paid');
      expect(requestsOf(bench, 'POST', PAYMENTS)[0]!.headers['prefer']).toMatch(/\bwait=20\b/);
    },
  },
  {
    title: 'creates a QR code, which a scan pays',
    async run(bench) {
      const metadata = { paymentMethod: 'qrcode' };
      const code = await resultOf(call(bench, 'payments.create', [sale({ reference: newReference(), metadata })]));
      expect([code.status, code.paymentMethod]).toEqual(['Pending', 'qrcode']);
      expect((await scanCode(bench.app, code.qrCode.content)).status).toBe(201);
      await travelToStatus(bench.app, code.internalId, 'Paid');
      expect((await resultOf(call(bench, 'payments.get', [code.internalId]))).status).toBe('Paid');
    },
  },
  {
    title: 'creates a payment reference, which a cash machine pays',
    async run(bench) {
      const given = { amount: '2500.50', currency: 'AOA', paymentType: 'PPR' };
      const created = await resultOf(call(bench, 'payments.create', [given]));
      expect([created.entity, created.reference]).toEqual(['00999', expect.stringMatching(/^\d{9}$/)]);
      await untilRegistered(bench.app, created.reference);
      await pay(bench.app, created);
      await travelToStatus(bench.app, created.internalId, 'Paid');
      const paid = await resultOf(call(bench, 'payments.get', [created.internalId]));
      expect([paid.status, decimal(paid.amount)]).toEqual(['Paid', '2500.50']);
    },
  },
  {
    title: 'reads one page of a list, or the items of all pages, by page number and by cursor',
    async run(bench) {
      const reference = newReference();
      for (let nth = 0; nth < 3; nth++) await create(bench.app, webframe({ reference }));
      const query = { reference, pageSize: 2 };
      const first = await resultOf(call(bench, 'payments.list', [query]));
      expect([first.data.length, first.totalItems]).toEqual([2, 3]);
      const all = await resultOf(bench.driver.ask({ do: 'all', operation: 'payments.list', arguments: [query] }));
      expect(new Set(all.map(({ internalId }: any) => internalId)).size).toBe(3);
      const events: Question = { do: 'all', operation: 'events.list', arguments: [{ limit: 2 }] };
      const cursors = (await resultOf(bench.driver.ask(events))).map(({ cursor }: any) => cursor);
      expect(cursors.length).toBeGreaterThan(2);
      expect(new Set(cursors).size).toBe(cursors.length);
    },
  },
  {
    title: 'refunds a part of a paid payment',
    async run(bench) {
      const { internalId } = await createPaid(bench.app);
      const given = { amount: '500.25', method: 'manual', proof: 'TRF 2026/118' };
      const refund = await resultOf(call(bench, 'refunds.create', [internalId, given]));
      expect([refund.status, decimal(refund.amount)]).toEqual(['Succeeded', '500.25']);
      const payment = await resultOf(call(bench, 'payments.get', [internalId]));
      expect([payment.refundStatus, decimal(payment.amountRefunded)]).toEqual(['partial', '500.25']);
    },
  },
  {
    title: 'cancels a payment, and reports a second cancellation by its code',
    async run(bench) {
      const { id } = await create(bench.app, webframe());
      expect((await resultOf(call(bench, 'payments.cancel', [id]))).status).toBe('Canceled');
      const paid = await createPaid(bench.app);
      const error = await errorOf(call(bench, 'payments.cancel', [paid.internalId]));
      expect(error).toMatchObject({ code: 'payment_not_cancelable', status: 409 });
    },
  },
  {
    title: 'reads the feed after a cursor until its end',
    async run({ app, driver }) {
      const { next } = (await app.call('/api/events?after=now')).json;
      const made = [await create(app, webframe()), await create(app, webframe())];
      const read = (after: string) => resultOf(driver.ask({ do: 'readFeed', after }));
      const events = (await read(next)).filter(({ type }: any) => type === 'payment.created');
      expect(events.map(({ paymentId }: any) => paymentId)).toEqual(made.map(({ id }) => id));
      const rest = (await read(events[0].cursor)).filter(({ type }: any) => type === 'payment.created');
      expect(rest.map(({ paymentId }: any) => paymentId)).toEqual([made[1].id]);
      const last = await read(rest[0].cursor);
      expect(last.filter(({ type }: any) => type === 'payment.created')).toEqual([]);
    },
  },
];

const ACCESS_KEY = 'an-access-key-of-cases';
const PPR = JSON.stringify({ refPagamento: '123456789', Id: '77', montantePago: 1500.1 });
const QR = JSON.stringify({ merchantReferenceNumber: 'ORDER-1', id: '78', amount: 1500 });
const SECRET = 'whsec_c2VjcmV0';
const OTHER_SECRET = 'whsec_b3RoZXI=';

const EVENT = '{"id":"1","type":"payment.paid","paymentId":"p","data":{"amount":1500.10,"description":"Café"}}';

/** Signs a webhook like the gateway. */
function signed({ body = EVENT, secret = SECRET, atMs = Date.now() } = {}) {
  const signature = new Webhook(secret).sign('msg_1', new Date(atMs), body);
  const timestamp = String(Math.floor(atMs / 1000));
  return {
    headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': signature } as Record<
      string,
      string
    >,
    body,
  };
}

const CASES_OF_NAMES: ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => name.replace(/(^|-)\w/g, (letter) => letter.toUpperCase()),
];

const renamed = (headers: Record<string, string>, rename: (name: string) => string) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [rename(name), value]));

const refusal = { code: 'verification_failed' };

const proofs: Case[] = [
  {
    title: 'accepts a callback with the access key in any case of the header name',
    async run({ driver }) {
      const verify = (headers: Record<string, string>, body: string) =>
        resultOf(driver.ask({ do: 'verifyCallback', accessKey: ['a-key-before', ACCESS_KEY], headers, body }));
      for (const rename of CASES_OF_NAMES) {
        const reference = await verify(renamed({ 'access-key': ACCESS_KEY }, rename), PPR);
        expect({ ...reference, amount: decimal(reference.amount) }).toEqual({
          type: 'PPR',
          id: '77',
          reference: '123456789',
          amount: '1500.10',
          isTest: false,
        });
        const code = await verify(renamed({ 'access-key': ACCESS_KEY, 'balcao-test': 'true' }, rename), QR);
        expect(code).toMatchObject({ type: 'QR', id: '78', reference: 'ORDER-1', isTest: true });
        expect(decimal(code.amount)).toBe('1500.00');
      }
    },
  },
  {
    title: 'refuses a callback with a wrong or missing access key, and another body',
    async run({ driver }) {
      const verify = (headers: Record<string, string>, body: string, accessKey: string | string[] = ACCESS_KEY) =>
        errorOf(driver.ask({ do: 'verifyCallback', accessKey, headers, body }));
      expect(await verify({ 'access-key': 'another' }, PPR)).toMatchObject(refusal);
      expect(await verify({}, PPR)).toMatchObject(refusal);
      for (const body of ['{"hello":1}', 'no JSON', '', '[]', '1'])
        expect(await verify({ 'access-key': ACCESS_KEY }, body)).toMatchObject(refusal);
      // An empty key is a mistake of the shop's settings, and accepts no callback.
      for (const empty of ['', []]) expect((await verify({ 'access-key': '' }, PPR, empty)).message).toMatch(/missing/);
    },
  },
  {
    title: 'accepts a signed webhook with one of two secrets in any case of the header names',
    async run({ driver }) {
      const { headers, body } = signed();
      for (const rename of CASES_OF_NAMES)
        for (const secret of [SECRET, [OTHER_SECRET, SECRET]]) {
          const question = { do: 'verifyWebhook', headers: renamed(headers, rename), body, secret } as const;
          const event = await resultOf(driver.ask(question));
          expect([event.type, event.data.description]).toEqual(['payment.paid', 'Café']);
          expect(decimal(event.data.amount)).toBe('1500.10');
        }
      // The gateway signs with the old and the new secret during a rotation.
      const both = `${signed({ secret: OTHER_SECRET }).headers['webhook-signature']} ${headers['webhook-signature']}`;
      const twice = { ...headers, 'webhook-signature': both };
      await resultOf(driver.ask({ do: 'verifyWebhook', headers: twice, body, secret: SECRET }));
    },
  },
  {
    title: 'refuses a webhook that is changed, old, unsigned or signed with another secret',
    async run({ driver }) {
      const { headers, body } = signed();
      const verify = (one: { headers: Record<string, string>; body: string }, secret: string | string[] = SECRET) =>
        errorOf(driver.ask({ do: 'verifyWebhook', ...one, secret }));
      expect(await verify({ headers, body: body.replace('1500.10', '9500.10') })).toMatchObject(refusal);
      // A slow machine may verify the second one half a minute later.
      for (const ms of [-310_000, 360_000]) {
        expect(await verify(signed({ atMs: Date.now() + ms }))).toMatchObject(refusal);
      }
      expect(await verify(signed({ secret: OTHER_SECRET }))).toMatchObject(refusal);
      for (const name of Object.keys(headers)) {
        const { [name]: _, ...rest } = headers;
        expect(await verify({ headers: rest, body })).toMatchObject(refusal);
      }
      expect(await verify({ headers: { ...headers, 'webhook-timestamp': 'now' }, body })).toMatchObject(refusal);
      expect(await verify(signed({ body: 'no JSON' }))).toMatchObject(refusal);
      for (const empty of ['', []]) expect((await verify({ headers, body }, empty)).message).toMatch(/missing/);
    },
  },
  {
    title: 'has a ready answer for each callback and webhook',
    async run({ driver }) {
      const notification = { headers: { 'access-key': ACCESS_KEY }, body: PPR };
      const both = { do: 'answerCallback', accessKey: ACCESS_KEY, webhookSecret: SECRET } as const;
      const answer = async (changes: object) =>
        resultOf(driver.ask({ ...both, ...notification, handler: { returns: 'SALE-9' }, ...changes }));
      expect(await answer({})).toEqual({ status: 200, body: { Success: true, Obs: 'ok', Id: 'SALE-9' } });
      const test = { headers: { 'access-key': ACCESS_KEY, 'balcao-test': 'true' } };
      expect(await answer({ ...test, handler: 'throws' })).toMatchObject({ status: 200, body: { Success: true } });
      expect(await answer({ handler: 'throws' })).toMatchObject({ status: 500, body: { Success: false, Id: null } });
      expect(await answer({ handler: 'missing' })).toMatchObject({ status: 501, body: { Success: false } });
      const forged = { headers: { 'access-key': 'another' } };
      expect(await answer(forged)).toEqual({ status: 401, body: { Success: false, Obs: 'unauthorized', Id: null } });
      expect(await answer(signed())).toMatchObject({ status: 200, body: { Success: true } });
      expect(await answer({ ...signed(), body: EVENT.replace('1500.10', '9500.10') })).toMatchObject({ status: 401 });
      expect(await answer({ ...signed(), webhookSecret: undefined })).toMatchObject({ status: 401 });
    },
  },
];

/** A store of a case, and the payments whose work ran. */
async function withStore(run: (store: string, readWork: () => string[], work: string) => Promise<void>) {
  const store = mkdtempSync(join(tmpdir(), 'balcao-finished-'));
  const work = join(store, 'work.txt');
  writeFileSync(work, '');
  const readWork = () => readFileSync(work, 'utf8').split('\n').filter(Boolean);
  try {
    await run(store, readWork, work);
  } finally {
    rmSync(store, { recursive: true });
  }
}

/** Creates a payment whose refused push was replaced by a reference that is paid. */
async function createReplaced(app: TestApp): Promise<{ first: string; second: string }> {
  const { id: first } = await createRefused(app);
  const replaced = await app.call(`${PAYMENTS}/${first}/replacement`, { body: { paymentMethod: 'reference' } });
  expect(replaced.status, replaced.text).toBe(201);
  const { internalId: second, reference } = replaced.json;
  await pay(app, await untilRegistered(app, reference));
  await travelToReceived(app, reference, 1500);
  return { first, second };
}

const PROCESSES = 3;
const CALLS = 10;

const finishing: Case[] = [
  {
    title: 'runs the work of a paid payment once although ten calls in several processes report it',
    async run({ app, driver, startAnother }) {
      const { internalId } = await createPaid(app);
      const others = await Promise.all(Array.from({ length: PROCESSES - 1 }, startAnother));
      const drivers = [driver, ...others];
      await withStore(async (store, readWork, work) => {
        const question = { do: 'finishOnce', paymentId: internalId, store, work } as const;
        const outcomes = await Promise.all(
          Array.from({ length: CALLS }, (_, nth) => resultOf(drivers[nth % PROCESSES]!.ask(question))),
        );
        expect(readWork()).toEqual([internalId]);
        expect(outcomes.filter(({ ran }) => ran)).toHaveLength(1);
        for (const { payment } of outcomes) expect([payment.internalId, payment.status]).toEqual([internalId, 'Paid']);
      });
      others.forEach((other) => other.stop());
    },
  },
  {
    title: 'runs the work again after it threw',
    async run({ app, driver }) {
      const { internalId } = await createPaid(app);
      await withStore(async (store, readWork, work) => {
        const question = { do: 'finishOnce', paymentId: internalId, store, work } as const;
        await errorOf(driver.ask({ ...question, throws: true }));
        expect((await resultOf(driver.ask(question))).ran).toBe(true);
        expect((await resultOf(driver.ask(question))).ran).toBe(false);
        expect(readWork()).toEqual([internalId, internalId]);
      });
    },
  },
  {
    title: 'finishes a replaced payment once, whichever of both is reported',
    async run({ app, driver }) {
      const { first, second } = await createReplaced(app);
      await withStore(async (store, readWork, work) => {
        const finish = (paymentId: string) => resultOf(driver.ask({ do: 'finishOnce', paymentId, store, work }));
        const outcomes = [await finish(second), await finish(first), await finish(second)];
        expect(outcomes.map(({ ran }) => ran)).toEqual([true, false, false]);
        for (const { payment } of outcomes) expect(payment.status).toBe('Paid');
        expect(readWork()).toHaveLength(1);
      });
    },
  },
  {
    title: 'never runs the work of an unpaid payment',
    async run({ app, driver }) {
      const open = await create(app, webframe());
      const refused = await create(app, purchase('900000001'));
      await travelToStatus(app, refused.id, 'Failed');
      await withStore(async (store, readWork, work) => {
        for (const { id } of [open, refused]) {
          const { ran, payment } = await resultOf(driver.ask({ do: 'finishOnce', paymentId: id, store, work }));
          expect([ran, payment.status]).toEqual([false, id === open.id ? 'Pending' : 'Failed']);
        }
        expect((await errorOf(driver.ask({ do: 'finishOnce', paymentId: 'x', store, work }))).code).toBe('not_found');
        expect(readWork()).toEqual([]);
      });
    },
  },
];

export const CASES: Case[] = [
  ...tokens.map((each, nth) => ({ ...each, isBrief: nth === 0 })),
  ...repeats.map((each, nth) => ({ ...each, isBrief: nth === 0 })),
  ...calls,
  ...money.map((each, nth) => ({ ...each, isBrief: nth === 0 })),
  ...proofs.map((each) => ({ ...each, isBrief: true })),
  ...finishing.map((each) => ({ ...each, isFinishing: true })),
];
