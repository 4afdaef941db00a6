// `balcao replay`: one callback or many are sent again, and calls that cannot be done end with a sentence.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../support/app.ts';
import { runHere, type Ended } from '../support/cli.ts';
import { createReference, pay, untilRegistered } from '../support/ppr.ts';
import { ACCESS_KEY, RECEIVER_ENV, startReceiver, TAKEN, type Receiver } from '../support/receiver.ts';

let app: TestApp;
let server: Receiver;
let merchant: Awaited<ReturnType<TestApp['addMerchant']>>;
let serial = 0;

beforeAll(async () => {
  server = await startReceiver();
  app = await startTestApp({ env: RECEIVER_ENV });
});

beforeEach(async () => {
  server.requests.length = 0;
  server.say(TAKEN);
  merchant = await app.addMerchant({ entity: String(70_000 + ++serial) });
  await setEndpoint();
});

async function setEndpoint(): Promise<void> {
  const body = { url: `${server.url}/hook`, accessKey: ACCESS_KEY };
  const { token, merchantId } = merchant;
  const { status } = await app.call(`/api/merchants/${merchantId}/callback`, { method: 'PUT', body, token });
  expect(status).toBe(200);
}

function replay(...args: string[]): Promise<Ended> {
  const { clientId, secret } = merchant;
  return runHere('replay', '--url', app.url, '--client-id', clientId, `--client-secret=${secret}`, ...args);
}

/** The merchant's callbacks, the newest first. */
const readCallbacks = async (): Promise<any[]> =>
  (await app.call('/api/callbacks', { token: merchant.token })).json.data;

/** Somebody pays a new reference; answers its callback once it is in the status. */
async function sell(status: string): Promise<any> {
  const { token } = merchant;
  const made = await createReference(app, {}, { token });
  await untilRegistered(app, made.reference, token);
  await pay(app, made);
  const found = await until(async () => {
    const [newest] = await readCallbacks();
    return newest?.paymentId === made.internalId && newest.status === status && newest;
  }, `the callback being ${status}`);
  return { ...found, reference: made.reference };
}

/** Callbacks that the merchant's server refused for good; it takes them from now on. */
async function abandon(count: number): Promise<any[]> {
  server.say({ status: 410 });
  const abandoned = [];
  for (let nth = 0; nth < count; nth++) abandoned.push(await sell('Abandoned'));
  server.say(TAKEN);
  server.requests.length = 0;
  return abandoned;
}

const toldReferences = async (count: number) =>
  (await server.received(count)).map(({ json }) => json.refPagamento).sort();

test('one by its id, whatever its status', async () => {
  const [lost] = await abandon(1);
  expect(await replay(lost.id)).toEqual({ code: 0, stdout: `callback.ppr ${lost.id} is sent again.\n`, stderr: '' });
  const [request] = await server.received(1);
  expect(request?.headers['balcao-delivery']).toBe(lost.id);
  await until(async () => (await readCallbacks())[0].status === 'Delivered', 'being delivered');
  const { code, stdout } = await replay(lost.id, '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ id: lost.id, type: 'callback.ppr', paymentId: lost.paymentId });
  await server.received(2);
});

test('all that were abandoned or skipped, without a filter', async () => {
  const [first, second] = await abandon(2);
  await sell('Delivered');
  await app.call(`/api/merchants/${merchant.merchantId}/callback`, { method: 'DELETE', token: merchant.token });
  const skipped = await sell('Skipped');
  await setEndpoint();
  server.requests.length = 0;
  expect(await replay()).toMatchObject({ code: 0, stdout: '3 deliveries are sent again.\n' });
  expect(await toldReferences(3)).toEqual([first, second, skipped].map(({ reference }) => reference).sort());
});

test('by status, in any case of letters', async () => {
  const [lost] = await abandon(1);
  const delivered = await sell('Delivered');
  server.requests.length = 0;
  expect(await replay('--status', 'delivered')).toMatchObject({ code: 0, stdout: '1 delivery is sent again.\n' });
  expect(await toldReferences(1)).toEqual([delivered.reference]);
  expect(await replay('--status', 'abandoned', '--json')).toMatchObject({ code: 0, stdout: '{\n  "replayed": 1\n}\n' });
  expect(await toldReferences(2)).toEqual([delivered, lost].map(({ reference }) => reference).sort());
});

test('of one payment, by its id or its reference', async () => {
  const [first, second] = await abandon(2);
  expect(await replay('--payment', first.paymentId)).toMatchObject({ stdout: '1 delivery is sent again.\n' });
  expect(await toldReferences(1)).toEqual([first.reference]);
  expect(await replay('--payment', second.reference)).toMatchObject({ stdout: '1 delivery is sent again.\n' });
  expect(await toldReferences(2)).toEqual([first, second].map(({ reference }) => reference).sort());
});

test('of a time', async () => {
  const [early] = await abandon(1);
  await app.clock.pass(60_000);
  const [late] = await abandon(1);
  const between = new Date(Date.parse(early.createdAt) + 1_000).toISOString();
  expect(await replay('--from', between)).toMatchObject({ stdout: '1 delivery is sent again.\n' });
  expect(await toldReferences(1)).toEqual([late.reference]);
  expect(await replay('--to', between, '--kind', 'callback')).toMatchObject({ stdout: '1 delivery is sent again.\n' });
  expect(await toldReferences(2)).toEqual([early, late].map(({ reference }) => reference).sort());
});

test('none is fine too', async () => {
  expect(await replay()).toEqual({ code: 0, stdout: '0 deliveries are sent again.\n', stderr: '' });
});

test('what the gateway refuses: exit code 1 and its words', async () => {
  const { code, stdout, stderr } = await replay(randomUUID());
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^POST \/api\/callbacks\/[-\da-f]{36}\/replay: 404 not_found: .*\n$/);
  expect(await replay('--payment', '999999999')).toMatchObject({ code: 1 });
  const [lost] = await abandon(1);
  await app.call(`/api/merchants/${merchant.merchantId}/callback`, { method: 'DELETE', token: merchant.token });
  expect(await replay(lost.id)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('409 endpoint_not_configured'),
  });
  merchant.secret = 'wrong';
  expect(await replay(lost.id)).toMatchObject({ code: 1, stderr: expect.stringContaining('refuses the credentials') });
});
