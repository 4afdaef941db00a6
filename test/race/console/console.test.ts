import { expect, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { createRunOnce } from '../../../server/console/run-once.ts';
import { Problem } from '../../../server/http/problem.ts';
import { startTestApp } from '../../support/app.ts';
import { enterConsole, formTokenIn, visitWith } from '../../support/console.ts';
import { addMember } from '../../support/members.ts';
import { UNREACHABLE_URL, SECRET } from '../../support/rail-accounts.ts';
import { createPaid, expectRefundsAgree } from '../../support/refunds.ts';

const app = await startTestApp();
const twin = await app.startTwin();

test('a refund form that is sent repeatedly to two nodes creates one refund', async () => {
  const here = await enterConsole(app, await addMember(app, { merchantId: DEMO.merchantId }));
  const there = visitWith(twin, here.cookie);
  for (let round = 0; round < 5; round++) {
    const { internalId } = await createPaid(app);
    const path = `/console/payments/${internalId}`;
    const token = formTokenIn(await here.open(path));
    const form = { act: 'refund', token, key: crypto.randomUUID(), amount: '100' };
    const sent = await Promise.all([here, there, here, there].map((visit) => visit.post(path, form)));
    expect(sent.filter(({ status }) => status !== 303 && status !== 409)).toEqual([]);
    expect((await there.post(path, form)).status).toBe(303);
    const refunds = await app.sql('select amount_minor::int as minor from refunds where payment_id = $1', [internalId]);
    expect(refunds).toEqual([{ minor: 10_000 }]);
  }
  await expectRefundsAgree(app);
});

test('a form that creates a secret creates it once on two nodes, and a later submission says so', async () => {
  const here = await enterConsole(app, await addMember(app, { merchantId: DEMO.merchantId }));
  const there = visitWith(twin, here.cookie);
  const token = formTokenIn(await here.open('/console/account'));
  const rail = { connector: 'kambasms', kind: 'sms', environment: 'test', priority: '5', label: 'Uma vez' };
  const contract = { 'settings/sender': 'LOJA', 'settings/baseUrl': UNREACHABLE_URL, 'secrets/apiKey': SECRET };
  const client = { name: 'Uma vez', 'payments:read': 'on' };
  const made: [act: string, path: string, fields: Record<string, string>, found: string][] = [
    ['createClient', '/console/developers', client, `clients where name = 'Uma vez'`],
    ['createWebhook', '/console/developers', { url: 'https://loja.example/uma' }, `endpoints where url ~ 'uma$'`],
    ['addRail', '/console/rails', { ...rail, ...contract }, `rail_accounts where label = 'Uma vez'`],
    ['create', '/console/account', { name: 'Uma vez' }, `merchants where name = 'Uma vez'`],
  ];
  for (const [act, path, fields, found] of made) {
    const form = { act, token, key: crypto.randomUUID(), ...fields };
    const wrong = await here.post(path, { ...form, name: '', url: '', label: '' });
    expect(wrong.status, act).toBe(400);
    const sent = await Promise.all([here, there, here, there].map((visit) => visit.post(path, form)));
    expect(
      sent.map(({ status }) => status).filter((status) => status !== 200 && status !== 303),
      act,
    ).toEqual([]);
    expect(await app.sql(`select 1 from ${found}`), act).toHaveLength(1);
    // A new session selects the new merchant.
    if (act === 'create') continue;
    expect((await there.post(path, form)).headers.get('location')).toBe(`${path}?done=again`);
  }
});

test('a form that is sent twice at the same time gets one result, and a refused form may be sent again', async () => {
  const runOnce = createRunOnce(app.node.core);
  const sent = {
    userId: crypto.randomUUID(),
    operationCall: { operation: 'createClient', key: 'console-1', body: {} },
  };
  const refused = [1, 2].map(() => runOnce(sent, () => Promise.reject(new Problem('too_many_clients'))));
  for (const { reason } of (await Promise.allSettled(refused)) as PromiseRejectedResult[])
    expect(reason).toMatchObject({ code: 'too_many_clients' });
  const made = { status: 201, body: { clientSecret: 'x' } };
  const pressed = [1, 2].map(() => runOnce(sent, async () => made));
  expect(await Promise.all(pressed)).toEqual([made, made]);
  expect(await runOnce(sent, async () => made)).toBeNull();
  const other = { ...sent, operationCall: { ...sent.operationCall, body: { name: 'ERP' } } };
  expect(await runOnce(other, async () => made)).toEqual(made);
});

test('two people who refund the same money concurrently create one refund, and one sees an error', async () => {
  const visits = await Promise.all(
    [app, twin].map(async (node) => enterConsole(node, await addMember(app, { merchantId: DEMO.merchantId }))),
  );
  const { internalId } = await createPaid(app);
  const path = `/console/payments/${internalId}`;
  const sent = await Promise.all(visits.map((visit) => visit.act(path, 'refund', { amount: '1500' })));
  expect(sent.map(({ status }) => status).toSorted()).toEqual([303, expect.any(Number)]);
  const told = sent.find(({ status }) => status !== 303)!;
  expect([409, 400]).toContain(told.status);
  expect(told.text).toContain('Não foi possível');
  expect(await app.sql('select 1 from refunds where payment_id = $1', [internalId])).toHaveLength(1);
});

test('a session that ends on one node also ends on the other', async () => {
  const member = await addMember(app, { merchantId: DEMO.merchantId });
  const here = await enterConsole(app, member);
  const there = visitWith(twin, here.cookie);
  const token = formTokenIn(await there.open('/console/account'));
  expect((await here.post('/console/sign-out', { token })).status).toBe(303);
  expect((await there.open('/console/account')).status).toBe(303);
  const late = await there.post('/console/account', { act: 'language', token, language: 'fr' });
  // The sign-in page keeps the form, which has no effect yet.
  expect(late.text).toContain('type="password"');
  expect(await app.sql('select language from users where id = $1', [member.userId])).toEqual([{ language: 'pt' }]);
});
