// A node is killed with kill -9 while a payer pays through a payment link.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { until } from '../../support/app.ts';
import { killChildren } from '../../support/child.ts';
import { AFTER_LEASE_MS, startGateway, type Gateway } from '../../support/gateway.ts';
import { expectLinkCounts } from '../../support/links.ts';
import { linkBody, tokenOf, type Link } from '../../support/links.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';

/** The simulated payer with this phone number approves after a second. */
const PHONE = '900000000';

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

async function make(changes: object = {}): Promise<Link> {
  return (await gateway.merchant.insist('/api/links', { body: linkBody({ stock: 1, ...changes }) })).json;
}

const countsOf = async ({ slug }: Link) => (await expectLinkCounts(gateway.sql)).get(slug);

/** Sends the form like a browser, without following the redirect. */
async function sendForm({ slug }: Link, form: string) {
  const { status, headers } = await fetch(`${gateway.child().url}/l/${slug}`, {
    method: 'POST',
    body: new URLSearchParams({ form }),
    redirect: 'manual',
  });
  return { status, headers, text: '', json: null };
}

test.each([
  ['waits for the link', 'links', 'from links'],
  ['is inserted', 'payments', 'with creation as'],
  ['is counted', 'link_payments', 'insert into link_payments'],
])('a node that is killed while a payment %s leaves the link unchanged', async (_what, table, statement) => {
  const link = await make();
  const form = randomUUID();
  const release = await holdLock(gateway.databaseUrl, `lock table ${table} in exclusive mode`);
  const lost = sendForm(link, form).catch(() => 'broken');
  await until(async () => (await countWaiting(gateway.databaseUrl, statement)) === 1, 'it waiting');
  await gateway.child().kill();
  expect(await lost).toBe('broken');
  await release();
  await gateway.restart(0);
  expect(await countsOf(link)).toEqual({ open: 0, paid: 0 });
  expect(await gateway.sql('select from payments where link_id = $1', [link.id])).toEqual([]);
  expect((await sendForm(link, form)).status).toBe(303);
  expect(await countsOf(link)).toEqual({ open: 1, paid: 0 });
});

test('a payment survives a kill after its form was accepted, and the same form leads to this payment', async () => {
  const link = await make();
  const form = randomUUID();
  const token = tokenOf(await sendForm(link, form));
  await gateway.child().kill();
  await gateway.restart(0);
  expect(tokenOf(await sendForm(link, form))).toBe(token);
  expect((await sendForm(link, randomUUID())).status).toBe(409);
  expect(await countsOf(link)).toEqual({ open: 1, paid: 0 });
});

test('a payment whose push is interrupted by a kill exists once, and its link counts it once', async () => {
  const link = await make();
  const token = tokenOf(await sendForm(link, randomUUID()));
  gateway.rail.calls.holdAt('answer');
  const body = { phoneNumber: PHONE };
  await gateway.merchant.insist(`/checkout/${token}/pay`, { body });
  await until(() => gateway.rail.calls.held() === 1, 'the push being out');
  await gateway.child().kill();
  gateway.rail.calls.holdAt(null);
  gateway.rail.calls.cut();
  await gateway.restart(AFTER_LEASE_MS);
  await until(async () => (await countsOf(link))?.paid === 1, 'the money');
  expect(await countsOf(link)).toEqual({ open: 0, paid: 1 });
  await gateway.untilResolved();
  await gateway.expectTruth();
});
