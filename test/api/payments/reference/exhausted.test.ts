// Generated digits where few are left: every free one is found, then nothing is made; and used ones rest for thirteen months.
import { beforeAll, expect, test } from 'vitest';
import { DEMO } from '../../../../sandbox/seed.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { enterConsole } from '../../../support/console.ts';
import { addMember } from '../../../support/members.ts';
import { byReference, cancel, PPR, reference } from '../../../support/ppr.ts';

const DAY_MS = 86_400_000;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { PPR_PREFIX: '204600' } });
});

const bulk = (count: number, fields: object = {}) =>
  app.call(`${PPR}/bulk`, {
    body: { references: Array.from({ length: count }, () => ({ ...reference(), ...fields })) },
  });

test('with three digits to choose from every free number is found, then 503', async () => {
  const own = ['204600000', '204600500', '204600999'];
  for (const taken of own) expect((await app.call(PPR, { body: reference({ reference: taken }) })).status).toBe(201);
  const found: string[] = [];
  for (const count of [500, 400, 50, 40]) {
    const { status, json } = await bulk(count);
    expect(status).toBe(201);
    found.push(...json.data.map((item: any) => item.reference));
  }
  for (let nth = 0; nth < 7; nth++) {
    const { status, json } = await app.call('/api/payments', { body: byReference() });
    expect(status).toBe(201);
    found.push(json.reference);
  }
  const all = Array.from({ length: 1_000 }, (_, nth) => `204600${String(nth).padStart(3, '0')}`);
  expect([...found, ...own].toSorted()).toEqual(all);
  for (const send of [
    () => app.call(PPR, { body: reference() }),
    () => app.call(`${PPR}/legacy`, { body: reference() }),
    () => app.call('/api/payments', { body: byReference() }),
    () => bulk(1),
  ]) {
    const reply = await send();
    expect([reply.status, reply.json.code]).toEqual([503, 'references_exhausted']);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  }
  // At the counter it is a refusal, not a failure of which nobody knows whether it was done.
  const cashier = await enterConsole(app, await addMember(app, { merchantId: DEMO.merchantId, role: 'Cashier' }));
  const reply = await cashier.act('/console/charge', 'charge', { amount: '10', way: 'reference' });
  expect(reply.status).toBe(503);
  expect(reply.text).toContain('<strong>Não foi feito.</strong> Não há números livres agora.');
  const [{ count }] = await app.sql('select count(*)::int from payment_references');
  expect(count).toBe(1_000);
  // Other digits can still be defined, and another entity has its own.
  expect((await app.call(PPR, { body: reference({ reference: '100000001' }) })).status).toBe(201);
  const { token } = await app.addMerchant({ entity: '00773' });
  expect((await app.call(PPR, { body: reference(), token })).status).toBe(201);
});

test('one that ended is free for who defines it, but rests for thirteen months before it is generated', async () => {
  expect((await cancel(app, '204600123')).status).toBe(200);
  const { closed_at: closedAt } = (
    await app.sql(`select closed_at::text from payment_references where reference = '204600123'`)
  )[0];
  expect(closedAt).not.toBeNull();
  expect((await app.call(PPR, { body: reference() })).json.code).toBe('references_exhausted');
  // All others are kept alive: only the canceled one can come back.
  await app.sql(`update payment_references set expires_at = '2099-01-01', due_at = null where status = 'Pending'`);
  app.clock.leap(394 * DAY_MS);
  expect((await app.call(PPR, { body: reference() })).json.code).toBe('references_exhausted');
  app.clock.leap(4 * DAY_MS);
  const { status, json } = await app.call(PPR, { body: reference() });
  expect([status, json.reference]).toEqual([201, '204600123']);
  expect((await app.call(PPR, { body: reference() })).json.code).toBe('references_exhausted');
});
