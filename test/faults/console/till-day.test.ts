// The day of a shop with two cashiers while kill -9 ends the gateway at each step. The forms are those of the console.
import { afterEach, beforeAll, expect, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { until, type CallOptions, type Reply, type TestApp } from '../../support/app.ts';
import { enterConsole, formTokenIn, type Visit } from '../../support/console.ts';
import { expectDayAddsUp } from '../../support/day-sums.ts';
import { AFTER_LEASE_MS, startGateway, type Gateway } from '../../support/gateway.ts';
import { addMember, type Member } from '../../support/members.ts';
import { SCANNER } from '../../support/qrcodes.ts';
import { expectRefundsAgree } from '../../support/refunds.ts';

let gateway: Gateway;
let app: TestApp;
let owner: Member;
beforeAll(async () => {
  gateway = await startGateway();
  app = appOf(gateway);
  const changes = { cashierRefundLimit: 1_000, takesCash: true };
  await gateway.merchant.insist(`/api/merchants/${DEMO.merchantId}`, { method: 'PUT', body: changes });
  owner = await addMember(app, { merchantId: DEMO.merchantId });
});
afterEach(() => expectRefundsAgree(gateway));

/** The parts of a test app that people and the console need, on the gateway's process. */
function appOf({ child, sql }: Gateway): TestApp {
  const call = async (path: string, { method, body, token, headers = {} }: CallOptions = {}): Promise<Reply> => {
    const isText = typeof body === 'string';
    const response = await fetch(child().url + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      redirect: 'manual',
      headers: { ...(!isText && { 'content-type': 'application/json' }), ...bearerOf(token), ...headers },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
  };
  const core = { passwordCost: { memory: 64, passes: 1, parallelism: 1 } };
  return {
    get url() {
      return child().url;
    },
    clock: { now: () => new Date() },
    node: { core },
    call,
    sql,
  } as unknown as TestApp;
}

const bearerOf = (token: string | null | undefined) => (token ? { authorization: `Bearer ${token}` } : {});

async function enter(firstName: string): Promise<{ userId: string; visit: Visit }> {
  const member = await addMember(app, { merchantId: DEMO.merchantId, role: 'Cashier' });
  await app.sql('update users set first_name = $1 where id = $2', [firstName, member.userId]);
  return { userId: member.userId, visit: await enterConsole(app, member) };
}

type Send = (visit: Visit, path: string, fields: Record<string, string>) => Promise<Reply>;

/** Sends a form while the gateway is killed. After the restart, the browser sends the same form again. */
const sendThroughKill: Send = async (visit, path, fields) => {
  const token = formTokenIn(await visit.open('/console/account'));
  const form = { token, key: crypto.randomUUID(), ...fields };
  const first = visit.post(path, form).catch(() => null);
  await gateway.child().kill();
  await first;
  await gateway.restart(AFTER_LEASE_MS);
  return visit.post(path, form);
};

const sendOnce: Send = (visit, path, { act = '', ...fields }) => visit.act(path, act, fields);

async function charge(send: Send, visit: Visit, fields: Record<string, string>): Promise<any> {
  const reply = await send(visit, '/console/charge', { act: 'charge', ...fields });
  expect(reply.status, reply.text).toBe(303);
  const [, id] = /\/console\/charge\/([\w-]{36})/.exec(reply.headers.get('location') ?? '') ?? [];
  return (await app.sql('select * from payments where id = $1', [id]))[0];
}

const untilPaid = ({ id }: { id: string }) =>
  until(async () => (await app.sql('select status from payments where id = $1', [id]))[0].status === 'Paid', 'Paid');

/** Pays a push while the gateway is down. */
async function payWhileDown(payment: { id: string; reference: string }): Promise<void> {
  await until(async () => (await gateway.rail.books(payment.reference)).length === 1, 'the push at the rail');
  await gateway.child().kill();
  await gateway.rail.answerPush(payment.reference, 'approve');
  await gateway.restart(AFTER_LEASE_MS);
  await untilPaid(payment);
}

async function shiftOf(userId: string): Promise<string> {
  const found = await app.sql('select id from shifts where user_id = $1', [userId]);
  expect(found).toHaveLength(1);
  return found[0].id;
}

test('every sum of the day equals the movements after the gateway was killed at each step', async () => {
  const [rosa, bento] = [await enter('Rosa'), await enter('Bento')];
  const opening = { act: 'shiftOpen', openingCash: '5.000' };
  await sendThroughKill(rosa.visit, '/console/shifts', opening);
  await sendOnce(bento.visit, '/console/shifts', opening);
  const [own, other] = [await shiftOf(rosa.userId), await shiftOf(bento.userId)];

  const push = await charge(sendThroughKill, rosa.visit, { amount: '1500,50', way: 'push', phone: '923456001' });
  await payWhileDown(push);
  const code = await charge(sendThroughKill, bento.visit, { amount: '12,34', way: 'qrcode' });
  await until(
    async () => (await app.sql('select qr_content from payments where id = $1', [code.id]))[0].qr_content,
    'a code',
  );
  const [{ qr_content: content }] = await app.sql('select qr_content from payments where id = $1', [code.id]);
  await gateway.rail.scan(content, SCANNER);
  await gateway.child().kill();
  await gateway.restart(AFTER_LEASE_MS);
  await untilPaid(code);

  const refunded = await sendThroughKill(rosa.visit, `/console/payments/${push.id}`, {
    act: 'refund',
    amount: '300,10',
    reason: '',
  });
  expect(refunded.status, refunded.text).toBe(303);
  const readRefunds = () => app.sql('select status from refunds where payment_id = $1', [push.id]);
  await until(async () => (await readRefunds())[0]?.status === 'Succeeded', 'the refund');
  expect(await readRefunds()).toHaveLength(1);

  await sendThroughKill(bento.visit, `/console/shifts/${other}`, {
    act: 'shiftCash',
    kind: 'sale',
    amount: '2500',
    note: '',
  });
  // This push is approved only after the close of the shift.
  const late = await charge(sendOnce, rosa.visit, { amount: '70,07', way: 'push', phone: '923456002' });
  await sendThroughKill(rosa.visit, `/console/shifts/${own}`, { act: 'shiftClose', countedCash: '5000', note: '' });
  await sendOnce(bento.visit, `/console/shifts/${other}`, {
    act: 'shiftClose',
    countedCash: '7.499,50',
    note: '',
  });
  await payWhileDown(late);

  const token = await owner.token();
  const shifts = await expectDayAddsUp((path, headers = {}) => app.call(path, { token, headers }));
  expect(shifts.toSorted((one, two) => one.openedAt.localeCompare(two.openedAt))).toMatchObject([
    { id: own, status: 'closed', totals: { taken: 1_500.5, refunded: 300.1 }, cash: { difference: 0 } },
    {
      id: other,
      status: 'closed',
      totals: { taken: 12.34 },
      cash: { sales: 2_500, counted: 7_499.5, difference: -0.5 },
    },
  ]);
  const made = await app.sql('select count(*)::int as n from payments where created_by_id = any($1)', [
    [rosa.userId, bento.userId],
  ]);
  expect(made[0].n).toBe(3);
});
