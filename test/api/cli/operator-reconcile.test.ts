import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { v7 as uuid } from 'uuid';
import type { PushOrder } from '../../../server/providers/provider.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openCallbackFixture } from '../../support/callbacks.ts';
import { jumpClock, type JumpClock } from '../../support/jump-clock.ts';
import { expectRefusal, operate, readAudit } from '../../support/cli.ts';
import { create, orderFault, purchase, untilStatus, webframe } from '../../support/payments.ts';
import { createReference, pay, untilReference } from '../../support/ppr.ts';
import { startReceiver } from '../../support/receiver.ts';
import { HOUR_MS } from '../../../shared/durations.ts';

let app: TestApp;
let clock: JumpClock;
beforeAll(async () => {
  clock = jumpClock();
  app = await startTestApp({ clock, env: { CALLBACK_ALLOW_LOOPBACK: 'true' } });
});

const atNode = () => ({ PORT: new URL(app.url).port });

async function reconcile(...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await operate(app, ['reconcile', '--json', ...args], atNode());
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

const findingsOf = (report: any, orderId: string) => report.findings.filter((found: any) => found.orderId === orderId);

const describeFindings = (report: any, orderId: string) =>
  findingsOf(report, orderId).map(({ what, why, paymentId }: any) => [what, why, paymentId]);

/** Creates a paid order that the rail knows and the gateway's database does not. */
async function createLostOrder(change: Partial<PushOrder> = {}) {
  const attemptId = uuid();
  const ours = { paymentId: uuid(), merchantId: DEMO.merchantId, reference: `L_${attemptId.slice(-8)}` };
  const order: PushOrder = {
    kind: 'purchase',
    attemptId,
    gpoMerchantId: 'demo-merchant',
    gpoPosId: DEMO.posId,
    ours,
    wallet: null,
    notifyUrl: '',
    reference: ours.reference,
    phone: '+244900000000',
    amountMinor: 1_500_00,
    currency: 'AOA',
    description: null,
    ...change,
  };
  const rail = await app.node.core.rails.gpo('gpo');
  await rail.send(order);
  // The simulated payer approves after a second.
  clock.jump(1_000);
  const isPaid = async () => {
    const { result, providerRef } = await rail.query({
      kind: 'purchase',
      attemptId,
      railOrderId: null,
      sentAt: clock.now(),
    });
    return result === 'approved' && providerRef;
  };
  const providerRef = await until(isPaid, 'being paid');
  return { attemptId, paymentId: order.ours?.paymentId ?? '', providerRef: String(providerRef), order };
}

const paymentOf = async (attemptId: string) =>
  (await app.sql(`select p.* from payments p join attempts a on a.payment_id = p.id where a.id = $1`, [attemptId]))[0];

const eventsOf = (paymentId: string) =>
  app.sql(`select type, status, state -> 'flags' as flags from events where payment_id = $1 order by seq`, [paymentId]);

const keptOf = (providerRef: string) =>
  app.sql(`select outcome, body from inbox where notification_id = $1`, [`unmatched ${providerRef}`]);

describe('`reconcile` with a transaction whose payment is lost', () => {
  test('creates the payment again with its id, paid and flagged, and notifies its merchant once', async () => {
    const receiver = await startReceiver();
    const shop = await openCallbackFixture(app, receiver.url);
    const otherMerchant = await openCallbackFixture(app);
    const order = { ours: { paymentId: uuid(), merchantId: shop.merchantId, reference: 'PED 7' } };
    const lost = await createLostOrder({ ...order, reference: 'PED 7' });
    const report = await reconcile();
    expect(describeFindings(report, lost.attemptId)).toEqual([['recovered', null, lost.paymentId]]);
    const { json } = await shop.call(`/api/payments/${lost.paymentId}`);
    expect(json).toMatchObject({
      reference: 'PED 7',
      status: 'Paid',
      amount: 1500,
      amountPaid: 1500,
      flags: ['recovered'],
    });
    expect(await eventsOf(lost.paymentId)).toEqual([
      { type: 'payment.created', status: 'Pending', flags: null },
      { type: 'payment.paid', status: 'Paid', flags: ['recovered'] },
    ]);
    await until(() => receiver.received.length > 0, 'its callback');
    const [money] = await app.sql('select * from transactions where provider_ref = $1', [lost.providerRef]);
    expect(money).toMatchObject({ payment_id: lost.paymentId, attempt_id: lost.attemptId, amount_minor: '150000' });
    expect(money.details.transactionNumber).toEqual(expect.any(String));
    const made = await readAudit(app, 'payment.recovered', shop.merchantId);
    expect(made).toMatchObject([{ target: lost.paymentId }]);
    expect(findingsOf(await reconcile(), lost.attemptId)).toEqual([]);
    expect(await app.sql('select id from transactions where provider_ref = $1', [lost.providerRef])).toHaveLength(1);
    expect((await otherMerchant.call('/api/payments')).json.data).toEqual([]);
  });

  test('creates the payment once although two commands run concurrently', async () => {
    const lost = [await createLostOrder(), await createLostOrder(), await createLostOrder()];
    const both = await Promise.all([reconcile(), reconcile()]);
    for (const { attemptId, paymentId } of lost) {
      const whats = both.flatMap((report) => findingsOf(report, attemptId).map(({ what }: any) => what));
      expect(whats.filter((what) => what === 'recovered')).toHaveLength(1);
      expect(await paymentOf(attemptId)).toMatchObject({ id: paymentId, status: 'Paid', amount_paid_minor: '150000' });
    }
  });

  test('shows the transaction on the checkout page, if its payment was created before the loss', async () => {
    const page = await create(app, webframe());
    const ours = { paymentId: page.id, merchantId: DEMO.merchantId, reference: page.reference };
    const lost = await createLostOrder({ ours, reference: page.reference });
    expect(describeFindings(await reconcile(), lost.attemptId)).toEqual([['recovered', null, page.id]]);
    const { json } = await app.call(`/api/payments/${page.id}`);
    expect(json).toMatchObject({ status: 'Paid', flags: ['recovered'], paymentMethod: 'webframe' });
  });

  test('finds the merchant by the GPO id if the order has no id of ours', async () => {
    const own = `own-${randomUUID().slice(0, 8)}`;
    const { merchantId } = await app.addMerchant({ gpoMerchantIds: [own] });
    const bare = { ours: undefined as never, reference: 'BARE-1' };
    const lost = await createLostOrder({ ...bare, gpoMerchantId: own });
    const [found] = findingsOf(await reconcile(), lost.attemptId);
    expect(found).toMatchObject({ what: 'recovered' });
    expect(await paymentOf(lost.attemptId)).toMatchObject({ merchant_id: merchantId, reference: 'BARE-1' });
  });

  test('names the transaction with --dry-run and changes nothing', async () => {
    const lost = await createLostOrder();
    expect(describeFindings(await reconcile('--dry-run'), lost.attemptId)).toEqual([['recovered', null, null]]);
    expect(await paymentOf(lost.attemptId)).toBeUndefined();
    expect(describeFindings(await reconcile(), lost.attemptId)).toEqual([['recovered', null, lost.paymentId]]);
  });
});

describe('`reconcile` with a transaction of no known merchant', () => {
  test('stores it once for a person: unknown GPO id, GPO id of two merchants, or unknown merchant id', async () => {
    for (let nth = 0; nth < 2; nth++) await app.addMerchant({ gpoMerchantIds: ['twos'] });
    // The rail's notifications are dropped, because they would store the transaction before the command.
    await orderFault(app, { on: 'notification', kind: 'drop', times: 3 });
    const changes = [
      { ours: undefined as never, gpoMerchantId: 'nobodys' },
      { ours: undefined as never, gpoMerchantId: 'twos' },
      { ours: { paymentId: uuid(), merchantId: uuid(), reference: 'X' }, gpoMerchantId: 'demo-merchant' },
    ];
    const lost = [];
    for (const change of changes) lost.push(await createLostOrder(change));
    for (let time = 0; time < 2; time++) {
      const report = await reconcile();
      for (const { attemptId, providerRef } of lost) {
        expect(describeFindings(report, attemptId)).toEqual([['missing_here', 'nobody', null]]);
        expect(await keptOf(providerRef)).toMatchObject([{ outcome: 'unmatched' }]);
      }
    }
    const unmatched = await operate(app, ['money', 'unmatched'], atNode());
    for (const { attemptId, providerRef } of lost) {
      expect(await paymentOf(attemptId)).toBeUndefined();
      expect(unmatched.stdout).toMatch(
        new RegExp(`1500.00 AOA +order ${attemptId}, reference .+ money ${providerRef}`),
      );
    }
    const [first] = lost;
    await app.addMerchant({ gpoMerchantIds: ['nobodys'] });
    expect(describeFindings(await reconcile(), first!.attemptId)).toEqual([['recovered', null, expect.any(String)]]);
    expect(await keptOf(first!.providerRef)).toMatchObject([{ outcome: 'applied' }]);
  });

  test('stores a transaction that names the payment of another merchant', async () => {
    const { paymentId } = await createLostOrder();
    await reconcile();
    const { merchantId } = await app.addMerchant();
    const lost = await createLostOrder({ ours: { paymentId, merchantId, reference: 'X' } });
    expect(describeFindings(await reconcile(), lost.attemptId)).toEqual([['missing_here', 'other', null]]);
    expect((await app.sql('select merchant_id from payments where id = $1', [paymentId]))[0].merchant_id).toBe(
      DEMO.merchantId,
    );
  });

  test('stores a transaction that the rail does not confirm', async () => {
    const lost = await createLostOrder();
    await orderFault(app, { on: 'query', kind: 'unavailable', times: 100 });
    expect(describeFindings(await reconcile(), lost.attemptId)).toEqual([['missing_here', 'unconfirmed', null]]);
    await app.sql('delete from simulator.faults');
  });
});

describe('`reconcile` with known payments', () => {
  test('records a transaction that a query finds, and names wrong amounts and missing transactions', async () => {
    const payments = [];
    for (let nth = 0; nth < 3; nth++) payments.push(await create(app, purchase('900000000')));
    const ids = payments.map(({ id }) => id);
    const unsent = `select from attempts where payment_id = any($1) and status = 'Unsent'`;
    const areSent = async () => (await app.sql(unsent, [ids])).length === 0;
    // The payers approve after a real second, so on a slow machine a push may already be approved.
    await until(areSent, 'the answers to the pushes being recorded');
    clock.jump(1_000);
    for (const { id } of payments) await untilStatus(app, id, 'Paid');
    const rows = await app.sql(
      'select payment_id, attempt_id, provider_ref from transactions where payment_id = any($1)',
      [payments.map(({ id }) => id)],
    );
    const [one, other, third] = payments.map(({ id }) => rows.find(({ payment_id: of }) => of === id));
    // The gateway loses this payment's transaction.
    await app.sql(
      'delete from usage_entries where transaction_id in (select id from transactions where provider_ref = $1)',
      [one.provider_ref],
    );
    await app.sql('delete from transactions where provider_ref = $1', [one.provider_ref]);
    await app.sql(
      `update payments set status = 'Processing', amount_paid_minor = 0, completed_at = null where id = $1`,
      [one.payment_id],
    );
    await app.sql(`update attempts set status = 'Sent', resolved_at = null where id = $1`, [one.attempt_id]);
    await app.sql('update transactions set amount_minor = 149900 where provider_ref = $1', [other.provider_ref]);
    // A command runs on real time, which is behind the test's clock.
    await app.sql(
      `update transactions set provider_ref = 'gone', created_at = now() - interval '1 minute',
         occurred_at = now() - interval '1 minute'
       where provider_ref = $1`,
      [third.provider_ref],
    );
    expect(describeFindings(await reconcile('--dry-run'), one.attempt_id)).toEqual([
      ['missing_here', 'ordered', one.payment_id],
    ]);
    const report = await reconcile();
    expect(describeFindings(report, one.attempt_id)).toEqual([['learned', null, one.payment_id]]);
    expect((await app.call(`/api/payments/${one.payment_id}`)).json).toMatchObject({ status: 'Paid', flags: [] });
    const amount = { what: 'amount', amountMinor: 150_000, ourAmountMinor: 149_900, paymentId: other.payment_id };
    expect(findingsOf(report, other.attempt_id)).toMatchObject([amount]);
    const gone = { providerRef: 'gone', paymentId: third.payment_id };
    expect(report.findings.filter(({ what }: any) => what === 'missing_there')).toMatchObject([gone]);
    const { stdout } = await operate(app, ['reconcile'], atNode());
    expect(stdout).toMatch(/1500.00 AOA +1499.00 AOA .* amount /);
  });

  test('includes references, and skips transactions before --since', async () => {
    const made = await createReference(app);
    await untilReference(app, made.reference, ({ registeredAt }) => registeredAt, 'being known to the rail');
    await pay(app, made);
    await untilReference(app, made.reference, ({ status }) => status === 'Paid', 'being paid');
    const ahead = clock.now();
    const report = await reconcile();
    expect(report.accounts).toMatchObject([
      { rail: 'gpo', result: 'told' },
      { rail: 'ppr', result: 'told', listed: 1 },
    ]);
    const lost = await createLostOrder();
    const since = new Date(ahead.getTime() - HOUR_MS).toISOString();
    expect(findingsOf(await reconcile('--since', since), lost.attemptId)).toHaveLength(1);
  });
});

test('`reconcile` ends with exit code 1 if the rail does not answer, and names the next step', async () => {
  await orderFault(app, { on: 'movements', kind: 'unavailable', times: 1 });
  const { code, stderr } = await operate(app, ['reconcile'], atNode());
  expect([code, stderr]).toEqual([1, expect.stringContaining('A rail did not answer. Run the command again.')]);
});

test.each([
  ['yesterday', 'It must be a time such as'],
  ['2026-11-24T10:15:00', 'It must be a time such as'],
  ['2126-01-01T00:00:00Z', 'must not be in the future'],
  ['2020-01-01T00:00:00Z', 'within the last 35 days'],
])('`reconcile --since %s` is refused', async (since, said) => {
  await expectRefusal(app, ['reconcile', '--since', since], 2, said);
});
