// A node is killed with kill -9 while it creates a QR code, or while it replaces a QR code by a push.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { until } from '../../support/app.ts';
import { killChildren } from '../../support/child.ts';
import { AFTER_LEASE_MS, startGateway, type Gateway } from '../../support/gateway.ts';
import { webframe } from '../../support/payments.ts';
import { SCANNER, untilCodeHeld } from '../../support/qrcodes.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterEach(() => {
  gateway.rail.calls.holdAt(null);
  gateway.rail.calls.cut();
});
afterAll(async () => {
  await killChildren();
});

type Page = { id: string; clientToken: string; reference: string };

async function open(): Promise<Page> {
  const body = webframe({ metadata: { methods: ['push', 'qrcode'] } });
  return (await gateway.merchant.insist('/api/payments', { body })).json;
}

const offer = ({ clientToken }: Page) =>
  gateway.merchant.call(`/checkout/${clientToken}/qrcode`, { method: 'POST', body: {}, token: null });
const session = async ({ clientToken }: Page) =>
  (await gateway.merchant.insist(`/checkout/${clientToken}/session`, { token: null })).json;
const codesOf = async ({ reference }: Page) => (await gateway.rail.allBooks(reference)).qrcodes;
const untilPaid = (page: Page) => until(async () => (await session(page)).status === 'Paid', 'Paid');

/** Kills the node while the proxy holds the call that creates the QR code. */
async function killWhileMaking(point: 'request' | 'answer'): Promise<Page> {
  const page = await open();
  gateway.rail.calls.holdAt(point);
  const lost = offer(page).catch(() => 'broken');
  await untilCodeHeld(gateway.rail.calls, page.reference);
  await gateway.child().kill();
  gateway.rail.calls.holdAt(null);
  expect(await lost).toBe('broken');
  return page;
}

test('a page shows the QR code that the provider created before the node was killed', async () => {
  const page = await killWhileMaking('answer');
  gateway.rail.calls.cut();
  await gateway.restart(AFTER_LEASE_MS);
  await until(async () => (await session(page)).qr, 'the code being shown');
  const codes = await codesOf(page);
  expect(codes).toMatchObject([{ status: 'ACTIVE', calls: 1 }]);
  expect((await gateway.rail.scan(codes[0]!.content!, SCANNER)).status).toBe(201);
  await untilPaid(page);
});

test('a page has no QR code if the node is killed before its request arrives: the late code is withdrawn', async () => {
  const page = await killWhileMaking('request');
  await gateway.restart(AFTER_LEASE_MS);
  const made = await until(async () => (await offer(page)).status === 201, 'another code being made');
  expect(made).toBe(true);
  gateway.rail.calls.release();
  // The node withdraws the first code in the background, before or after its late arrival.
  const active = await until(async () => {
    const codes = await codesOf(page);
    const left = codes.filter(({ status }) => status === 'ACTIVE');
    return codes.length === 2 && left.length === 1 ? left[0] : null;
  }, 'the late code being withdrawn');
  expect((await gateway.rail.scan(active.content!, SCANNER)).status).toBe(201);
  await untilPaid(page);
});

test('a node that is killed while it replaces a QR code by a push withdraws the code and sends one push', async () => {
  const page = await open();
  expect((await offer(page)).status).toBe(201);
  gateway.rail.calls.holdAt('request');
  const body = { phoneNumber: '900000000' };
  const pushed = await gateway.merchant.call(`/checkout/${page.clientToken}/pay`, { body, token: null });
  expect(pushed.status).toBe(202);
  await until(() => gateway.rail.calls.held() >= 2, 'the push and the withdrawal being on their way');
  await gateway.child().kill();
  gateway.rail.calls.holdAt(null);
  gateway.rail.calls.cut();
  await gateway.restart(AFTER_LEASE_MS);
  await untilPaid(page);
  await until(async () => (await codesOf(page))[0]!.status === 'WITHDRAWN', 'the code being taken back');
  expect(await gateway.rail.books(page.reference)).toMatchObject([{ status: 'APPROVED' }]);
  const money = 'select count(*)::int as count from transactions where payment_id = $1';
  expect(await gateway.sql(money, [page.id])).toEqual([{ count: 1 }]);
});
