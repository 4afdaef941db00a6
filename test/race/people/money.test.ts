import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { issueNext } from '../../../server/billing/issue.ts';
import { inTransaction } from '../../../server/database/orm.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { creditUnits } from '../../../server/sms/ledger.ts';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import {
  authorization,
  capture,
  createAuthorized,
  notifyOrder,
  readOrders,
  take,
} from '../../support/authorizations.ts';
import { addPlan, choose, endMonth, SUBSCRIPTION, use } from '../../support/billing.ts';
import { openCallbackFixture } from '../../support/callbacks.ts';
import { testClock } from '../../support/clock.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { approved, createPushed, declined, notify, NOTIFY_ENV, PENDING_PHONE } from '../../support/notify.ts';
import { purchase, readBooks, untilStatus, webframe } from '../../support/payments.ts';
import {
  createPayable,
  moneyFor,
  pay,
  repeatPprNotification,
  notifyPprPayment,
  untilReceived,
} from '../../support/ppr.ts';
import { createCode, notifyScan, qrcode, readCodeBook, scanCode } from '../../support/qrcodes.ts';
import type { RailPayment } from '../../support/references.ts';

const AT_ONCE = 5;

let app: TestApp;
let twin: TestApp;
let nodes: TestApp[];
beforeAll(async () => {
  const clock = testClock();
  app = await startTestApp({ clock, env: NOTIFY_ENV });
  twin = await app.startTwin();
  nodes = [app, twin];
});

const some = <T>(make: (nth: number) => Promise<T>) =>
  Promise.all(Array.from({ length: AT_ONCE }, (_, nth) => make(nth)));
const onBoth = <T>(work: (node: TestApp) => Promise<T>) => Promise.all(nodes.map(work));
const sync = (id: string) => onBoth((node) => node.call(`/api/payments/${id}/sync`, { method: 'POST' }));

/** Returns the number of transactions. Each of them must have exactly one usage entry. */
async function expectUsedOnce(ids: string[]): Promise<number> {
  const money = await app.sql(
    `select t.id, t.amount_minor, t.currency from transactions t where payment_id = any($1) order by 1`,
    [ids],
  );
  const used = await app.sql(
    `select transaction_id as id, amount_minor, currency from usage_entries where transaction_id in
       (select id from transactions where payment_id = any($1)) order by 1`,
    [ids],
  );
  expect(used).toEqual(money);
  return money.length;
}

/** Counts the merchant's notifications about these payments by type. */
async function readNotes(ids: string[]): Promise<string[]> {
  return (await app.sql('select type from notifications where payment_id = any($1) order by type', [ids])).map(
    ({ type }) => type,
  );
}

describe('the usage that the merchant is billed for', () => {
  test('contains each push once after notifications, repeats, polls and syncs on two nodes', async () => {
    const ids = await some(async () => {
      const { payment, attemptId } = await createPushed(app);
      await fetch(`${app.url}/sandbox/rail/pushes/${attemptId}/approve`, { method: 'POST' });
      const [{ transactionId }] = await readBooks(app, payment.reference);
      const news = () => onBoth((node) => notify(node, attemptId, approved({ transactionId })));
      await app.sql(`update attempts set due_at = created_at where id = $1 and resolved_at is null`, [attemptId]);
      await Promise.all([news(), sync(payment.id), news(), app.clock.advance(1_000)]);
      expect((await untilStatus(app, payment.id, 'Paid')).amountPaid).toBe(1500);
      return payment.id as string;
    });
    expect(await expectUsedOnce(ids)).toBe(AT_ONCE);
    expect(await readNotes(ids)).toEqual([]);
  });

  test('contains captures, but not their authorization', async () => {
    const ids = await some(async () => {
      const held = await createAuthorized(app);
      const { json } = await take(app, capture(held.id, { amount: 700 }));
      const [{ id: orderId }] = await readOrders(app, json.id, 'capture');
      const taken = await untilStatus(app, json.id, 'Paid');
      const { provider_ref: transactionId } = (
        await app.sql('select provider_ref from transactions where payment_id = $1', [taken.id])
      )[0];
      const verdict = approved({ transactionId, amount: '700.00' });
      await Promise.all([
        onBoth((node) => notifyOrder(node, 'capture', orderId, verdict)),
        sync(taken.id),
        sync(held.id),
      ]);
      return [held.id, taken.id];
    });
    expect(await expectUsedOnce(ids.flat())).toBe(AT_ONCE);
    expect(await readNotes(ids.flat())).toEqual([]);
  });

  test('contains each scan of a QR code', async () => {
    const ids = await some(async () => {
      const code = await createCode(app, { maxTransactions: 2 });
      for (let nth = 0; nth < 2; nth++) expect((await scanCode(app, code.content)).status).toBe(201);
      const { payments } = await readCodeBook(app, code.reference);
      const again = payments.map(({ id, transactionId }: any) =>
        onBoth((node) => notifyScan(node, code, { id, transactionId })),
      );
      await Promise.all([...again, sync(code.id)]);
      expect((await untilStatus(app, code.id, 'Paid')).amountPaid).toBe(3000);
      return code.id;
    });
    expect(await expectUsedOnce(ids)).toBe(2 * AT_ONCE);
    expect(await readNotes(ids)).toEqual([]);
  });

  test('contains late and double payments of references, with one notification each', async () => {
    const ids = await some(async (nth) => {
      const made = await createPayable(app);
      const [paid] = (await pay(app, made)) as [RailPayment];
      await Promise.all([
        repeatPprNotification(app, paid),
        repeatPprNotification(app, paid, true),
        sync(made.internalId),
      ]);
      await untilReceived(app, made.reference, 1500);
      const more = moneyFor(app, made);
      if (nth % 2) await Promise.all([...nodes, ...nodes].map((node) => notifyPprPayment(node, more)));
      return made.internalId as string;
    });
    const twice = Math.floor(AT_ONCE / 2);
    expect(await expectUsedOnce(ids)).toBe(AT_ONCE + twice);
    expect((await readNotes(ids)).filter((type) => type === 'payment.overpaid')).toHaveLength(twice);
  });

  test('contains once a push that is approved after it failed', async () => {
    const ids = await some(async () => {
      const { payment, attemptId } = await createPushed(app);
      expect(await notify(app, attemptId, declined('CUSTOMER_REFUSED'))).toBe('applied');
      const verdict = approved();
      await Promise.all([...nodes, ...nodes].map((node) => notify(node, attemptId, verdict)));
      await untilStatus(app, payment.id, 'Paid');
      return payment.id as string;
    });
    expect(await expectUsedOnce(ids)).toBe(AT_ONCE);
    expect(await readNotes(ids)).toEqual(Array<string>(AT_ONCE).fill('payment.late'));
  });

  test('is on one invoice once, regardless of which node issues the invoice', async () => {
    const [{ count }] = await app.sql('select count(*)::int from transactions');
    endMonth(app);
    await Promise.all([...nodes, ...nodes].map((node) => issueNext(node.node.core, DEMO.merchantId)));
    const issued = () =>
      app.sql('select payment_count, serial from invoices where merchant_id = $1', [DEMO.merchantId]);
    await until(async () => (await issued()).length > 0, 'the invoice');
    expect(await issued()).toEqual([{ payment_count: count, serial: 1 }]);
    const { json } = await app.call('/api/billing/usage?from=2026-03-01&to=2026-03-31');
    expect(json.totals.payments).toBe(count);
    expect(
      (await app.call('/v1/notificacoes')).json.data.filter(({ tipo }: any) => tipo === 'invoice.issued'),
    ).toHaveLength(1);
  });
});

test('money that is committed after the invoice of its month is on the next invoice', async () => {
  const shop = await openCallbackFixture(app);
  await choose(shop, await addPlan(app));
  const slow = new pg.Client({ connectionString: app.databaseUrl });
  await slow.connect();
  await slow.query('begin');
  await slow.query(
    `insert into usage_entries (transaction_id, merchant_id, amount_minor, currency, payment_type, occurred_at)
     values (gen_random_uuid(), $1, 150000, 'AOA', 'GPO', $2)`,
    [shop.merchantId, app.clock.now()],
  );
  endMonth(app);
  await issueNext(app.node.core, shop.merchantId);
  await slow.query('commit');
  await slow.end();
  const counts = async () =>
    (await app.sql('select payment_count from invoices where merchant_id = $1 order by month', [shop.merchantId])).map(
      ({ payment_count: of }) => of,
    );
  await until(async () => (await counts()).length === 1, 'the first invoice');
  expect(await counts()).toEqual([0]);
  await use(app, shop, app.clock.now().toISOString());
  endMonth(app);
  await issueNext(twin.node.core, shop.merchantId);
  await until(async () => (await counts()).length === 2, 'the second invoice');
  expect(await counts()).toEqual([0, 2]);
});

test('a plan that is chosen while an invoice is issued changes neither it nor the scheduled plan', async () => {
  const shop = await openCallbackFixture(app);
  const [first, second, third] = await Promise.all(['Um', 'Dois', 'Três'].map((name) => addPlan(app, { name })));
  await choose(shop, first as string);
  await choose(shop, second as string);
  const release = await holdLock(app.databaseUrl, `select pg_advisory_xact_lock(hashtextextended('invoices', 0))`);
  endMonth(app);
  const issuing = onBoth((node) => issueNext(node.node.core, shop.merchantId));
  const areWaiting = async (text: string, count: number) => (await countWaiting(app.databaseUrl, text)) >= count;
  await until(() => areWaiting('pg_advisory_xact_lock', 1), 'the invoice being half-way');
  const tokens = await onBoth((node) => shop.tokenFor({ node }));
  const put = (nth: number) =>
    nodes[nth % 2]!.call(SUBSCRIPTION, { method: 'PUT', body: { planId: third }, token: tokens[nth % 2]! });
  const choosing = Promise.all([0, 1, 2, 3].map(put));
  await until(() => areWaiting('billing_accounts', 4), 'the choices waiting for it').finally(release);
  await issuing;
  const told = (await choosing).map(({ status, json }) => `${status} ${json.plan.name} ${json.next.plan.name}`);
  expect(new Set(told)).toEqual(new Set(['200 Dois Três']));
  for (const count of [2, 3]) {
    endMonth(app);
    await onBoth((node) => issueNext(node.node.core, shop.merchantId));
    const issued = 'select from invoices where merchant_id = $1';
    await until(async () => (await app.sql(issued, [shop.merchantId])).length === count, `invoice ${count}`);
  }
  const named = 'select plan_name from invoices where merchant_id = $1 order by month';
  expect((await app.sql(named, [shop.merchantId])).map(({ plan_name: name }) => name)).toEqual(['Um', 'Dois', 'Três']);
});

test('concurrent credits of SMS units add up, and each ledger entry contains the balance after it', async () => {
  const { merchantId } = await openCallbackFixture(app);
  const at = app.clock.now();
  const credit = (nth: number) =>
    inTransaction(nodes[nth % 2]!.node.core, (db) =>
      creditUnits(db, { merchantId, units: nth + 1, description: `Fatura ${nth}`, at }),
    );
  const balances = await Promise.all(Array.from({ length: 16 }, (_, nth) => credit(nth)));
  const ledger = await app.sql('select quantity, balance_after from sms_ledger where merchant_id = $1 order by seq', [
    merchantId,
  ]);
  let sum = 0;
  for (const { quantity, balance_after: after } of ledger) expect(after).toBe((sum += quantity));
  expect(balances.toSorted((a, b) => a - b)).toEqual(ledger.map(({ balance_after: after }) => after));
  expect(await app.sql('select balance from sms_accounts where merchant_id = $1', [merchantId])).toEqual([
    { balance: 136 },
  ]);
});

test('concurrent requests mark a notification as read with one time of reading', async () => {
  const shop = await openCallbackFixture(app);
  expect((await shop.call(`/api/merchants/${shop.merchantId}/clients`, { body: { name: 'ERP' } })).status).toBe(201);
  const list = async () => (await shop.call('/v1/notificacoes')).json.data;
  const [{ id }] = await list();
  const tokens = await Promise.all(nodes.map((node) => shop.tokenFor({ node })));
  const mark = (nth: number, estado: number) =>
    nodes[nth % 2]!.call(`/v1/notificacoes/${id}`, { method: 'PUT', body: { estado }, token: tokens[nth % 2]! });
  const statusesOf = async (replies: Promise<Reply>[]) =>
    new Set((await Promise.all(replies)).map(({ status }) => status));
  expect(await statusesOf(Array.from({ length: 8 }, (_, nth) => mark(nth, 1)))).toEqual(new Set([204]));
  const [{ lidaEm }] = await list();
  await app.clock.advance(5_000);
  expect(await statusesOf(Array.from({ length: 8 }, (_, nth) => mark(nth, 1)))).toEqual(new Set([204]));
  expect(await list()).toMatchObject([{ estado: 1, lidaEm }]);
  expect(await statusesOf(Array.from({ length: 9 }, (_, nth) => mark(nth, nth % 2)))).toEqual(new Set([204]));
  const [{ estado, lidaEm: readAt }] = await list();
  expect(readAt !== null).toBe(estado === 1);
});

test('one of concurrent creations with a unique reference succeeds, one more after its release', async () => {
  const { merchantId, clientId, secret } = await app.addMerchant();
  await app.sql('update merchants set unique_references = true where id = $1', [merchantId]);
  const tokens = await Promise.all(nodes.map((node) => node.token(clientId, secret)));
  const reference = 'UMA-VEZ';
  const bodies = () => [
    webframe({ reference }),
    purchase(PENDING_PHONE, { reference, amount: 2 }),
    authorization(PENDING_PHONE, { reference, amount: 3 }),
    qrcode({}, { reference, amount: 4 }),
  ];
  const createAll = async () => {
    const asked = [...bodies(), ...bodies()].map((body, nth) =>
      nodes[nth % 2]!.call('/api/payments', {
        body,
        token: tokens[nth % 2]!,
        headers: { 'idempotency-key': randomUUID() },
      }),
    );
    const replies = await Promise.all(asked);
    const made = replies.filter(({ status }) => status < 300);
    expect(made).toHaveLength(1);
    for (const reply of replies.filter((one) => !made.includes(one)))
      expect(reply).toMatchObject({
        status: 400,
        json: { errors: [{ pointer: '/reference', code: 'reference_in_use' }] },
      });
  };
  const rows = () =>
    app.sql('select id, status from payments where merchant_id = $1 order by created_at, id', [merchantId]);
  await createAll();
  const [{ id }] = await rows();
  await app.sql(`update payments set status = 'Canceled', reference_claim = null where id = $1`, [id]);
  await createAll();
  expect(await rows()).toHaveLength(2);
});
