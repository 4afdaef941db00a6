// After a failed export the client can recognize the incomplete file, and the node frees the export's slot.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { killChildren } from '../../support/child.ts';
import { openExport, takeAll, takeSome, writePayments } from '../../support/csv.ts';
import { startGateway } from '../../support/gateway.ts';
import { webframe } from '../../support/payments.ts';

/** The export has more bytes than the socket buffers between two processes hold. */
const LONG = { count: 10_000, length: 3_000 };
const PATH = '/api/payments';
const BEGINNING = /^\uFEFFCriado em;/;

let app: TestApp;
let shop: Awaited<ReturnType<TestApp['addMerchant']>>;
beforeAll(async () => {
  app = await startTestApp();
  shop = await app.addMerchant();
  await app.sql(writePayments(LONG), [shop.merchantId, app.clock.now()]);
});
afterAll(async () => {
  await killChildren();
});

const ask = () => openExport(app.url + PATH, shop.token);
/** Opens an export as soon as a slot is free. The node frees a slot a moment after its reader has left. */
const open = () =>
  until(async () => {
    const answer = await ask();
    if (answer.statusCode === 200) return answer;
    answer.destroy();
    return null;
  }, 'a free slot');
const isFree = async () => (await app.call(`${PATH}.csv?reference=R1`, { token: shop.token })).status === 200;

test('an export frees its slot when its reader disconnects', async () => {
  const answers = [await open(), await open()];
  expect(await isFree()).toBe(false);
  for (const answer of answers) answer.destroy();
  await until(isFree, 'the node being free');
});

test('an export disconnects a reader that reads nothing for a minute', async () => {
  const answers = [await open(), await open()];
  expect(await isFree()).toBe(false);
  // The node disconnects each reader separately.
  await until(async () => {
    await app.clock.pass(60_000);
    const others = await Promise.all([ask(), ask()]);
    for (const other of others) other.destroy();
    return others.every(({ statusCode }) => statusCode === 200);
  }, 'the node being free of both');
  for (const answer of answers) expect((await takeAll(answer)).isWhole).toBe(false);
});

test('an export returns a slow reader the rows of the moment of its request', async () => {
  const answer = await open();
  // The node answers other requests while the socket buffers of the export are full.
  for (let nth = 0; nth < 20; nth++) await isFree();
  const { isWhole, text } = await takeAll(answer);
  const references = Array.from(text.matchAll(/;R(\d+);/g), ([, nth]) => Number(nth));
  expect([isWhole, references]).toEqual([true, Array.from({ length: LONG.count }, (_, nth) => nth + 1)]);
});

test('an export ends with an incomplete file if the database fails in the middle', async () => {
  const answer = await open();
  const text = await takeSome(answer);
  await app.sql('alter table payments rename column description to gone');
  const { isWhole } = await takeAll(answer);
  await app.sql('alter table payments rename column gone to description');
  expect(text).toMatch(BEGINNING);
  expect(isWhole).toBe(false);
  await until(isFree, 'the node being free');
  expect(
    await takeAll(await open()).then(({ isWhole: whole, text: all }) => [whole, all.split('\r\n').length]),
  ).toEqual([true, LONG.count + 2]);
});

test('an export returns 503 if the database fails before its first row', async () => {
  await app.sql('alter table payments rename column description to gone');
  const answer = await app.call(`${PATH}.csv`, { token: shop.token });
  await app.sql('alter table payments rename column gone to description');
  expect([answer.status, answer.json.code]).toEqual([500, 'internal_error']);
  expect(answer.headers.get('content-disposition')).toBe(null);
});

test('an export is incomplete if the node is killed in the middle, and the next export is complete', async () => {
  const gateway = await startGateway();
  const { merchantId } = (await gateway.merchant.call('/api/payments', { body: webframe() })).json;
  await gateway.sql(writePayments(LONG), [merchantId, new Date()]);
  const answer = await openExport(gateway.child().url + PATH, await fetchToken(gateway.child().url));
  expect(await takeSome(answer)).toMatch(BEGINNING);
  await gateway.child().kill();
  expect((await takeAll(answer)).isWhole).toBe(false);
  await gateway.restart(0);
  const again = await gateway.merchant.call(`${PATH}.csv`);
  expect(again.text.split('\r\n')).toHaveLength(LONG.count + 3);
});

/** The number of payments of the demo merchant. */
async function fetchToken(url: string): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: 'demo', client_secret: 'demo-secret' };
  const reply = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  return ((await reply.json()) as { access_token: string }).access_token;
}
