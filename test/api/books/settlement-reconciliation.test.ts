import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { signMessage } from '../../../server/http/signature.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { capture, createAuthorized } from '../../support/authorizations.ts';
import {
  addMoney,
  addRefund,
  SETTLEMENTS,
  untilClosed,
  untilInboxEmpty,
  untilSettlements,
} from '../../support/books.ts';
import { openCallbackFixture, sell, type CallbackFixture } from '../../support/callbacks.ts';
import { create, creepUntil, isCalling, orderFault } from '../../support/payments.ts';
import { createCode, scanCode } from '../../support/qrcodes.ts';
import { createPaid, createRefund, travelToRefund } from '../../support/refunds.ts';

let app: TestApp;
let fixture: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  fixture = await openCallbackFixture(app);
});

const read = async (id: string) => (await fixture.call(`${SETTLEMENTS}/${id}`)).json;

const events = () =>
  app.sql(`select details from events where merchant_id = $1 and type = 'settlement.difference' order by seq`, [
    fixture.merchantId,
  ]);

const moneyOf = async () =>
  app.sql('select id, payment_id, provider_ref, period from transactions where merchant_id = $1 order by created_at', [
    fixture.merchantId,
  ]);

/** Moves the clock to an hour after the end of the day, when the period closes. */
function endDay(): void {
  const now = app.clock.now();
  const end = new Date(now);
  end.setUTCHours(20, 0, 1, 0);
  if (end <= now) end.setUTCDate(end.getUTCDate() + 1);
  app.clock.leap(end.getTime() - now.getTime());
}

async function reconciled(): Promise<any> {
  const [own] = await untilSettlements(app, fixture, ([one]) => one?.reconciledAt, 'being compared');
  return read(own.id);
}

describe('a closed period', () => {
  test('has no difference if the rail lists the same movements', async () => {
    const otherMerchant = await openCallbackFixture(app);
    await sell(app, otherMerchant);
    await sell(app, fixture);
    await sell(app, fixture);
    expect(await untilSettlements(app, fixture, ([own]) => own, 'being there')).toMatchObject([
      { reconciledAt: null, differenceCount: 0 },
    ]);
    endDay();
    expect(await reconciled()).toMatchObject({ count: 2, differenceCount: 0, differences: [] });
    expect(await events()).toEqual([]);
  });

  test('has missing_there for a payment and a refund that the rail does not list, with one event', async () => {
    await sell(app, fixture);
    const [{ id, period }] = (await moneyOf()) as [any];
    const at = app.clock.now().toISOString();
    const money = await addMoney(app, fixture, { at, rail: 'ppr', method: 'reference', period, minor: 7_550 });
    const refundId = await addRefund(app, fixture, money, { at, minor: 2_500, period });
    await app.sql(`update refunds set rail = 'ppr' where id = $1`, [refundId]);
    endDay();
    const settlement = await reconciled();
    const nothing = { amount: null, transactionId: null, refundId: null, paymentId: money.paymentId };
    const kind = 'missing_there';
    expect(settlement).toMatchObject({ count: 3, differenceCount: 2 });
    expect(settlement.differences).toEqual([
      { ...nothing, kind, providerRef: `rail ${money.id}`, ourAmount: 75.5, transactionId: money.id },
      { ...nothing, kind, providerRef: `back ${refundId}`, ourAmount: 25, refundId },
    ]);
    expect(settlement.differences.map((each: any) => each.transactionId)).not.toContain(id);
    const details = {
      settlementId: settlement.id,
      account: 'ppr',
      clearingPeriod: period,
      day: settlement.day,
      currency: 'AOA',
      count: 2,
      counts: { missing_here: 0, missing_there: 2, amount: 0, unreadable: 0 },
    };
    expect(await events()).toEqual([{ details }]);
    const { json } = await fixture.call('/v1/notificacoes');
    expect(json.data).toMatchObject([{ tipo: 'settlement.difference' }]);
    expect(json.data[0].mensagem).toContain(`O período ${period} do contrato «ppr»`);
    expect(json.data[0].mensagem).toContain('Movimentos que diferem: 2.');
  });

  test('has a difference `amount` with both amounts if the rail lists another amount', async () => {
    await sell(app, fixture);
    const [{ id, payment_id: paymentId, provider_ref: providerRef }] = (await moneyOf()) as [any];
    await app.sql('update transactions set amount_minor = 149900 where id = $1', [id]);
    endDay();
    const { differences } = await reconciled();
    const ours = { transactionId: id, refundId: null, paymentId };
    expect(differences).toEqual([{ kind: 'amount', providerRef, amount: 1500, ourAmount: 1499, ...ours }]);
  });

  test('has missing_here with our transaction if our transaction is in another period', async () => {
    await sell(app, fixture);
    await sell(app, fixture);
    const [{ id }] = (await moneyOf()) as [any];
    await app.sql(`update transactions set period = '156' where id = $1`, [id]);
    endDay();
    const { differences } = await reconciled();
    expect(differences).toMatchObject([{ kind: 'missing_here', amount: 1500, ourAmount: null, transactionId: id }]);
  });
});

test('the GPO rail lists pushes, captures, QR code scans and refunds', async () => {
  const paid = await createPaid(app);
  await travelToRefund(app, (await createRefund(app, paid.id, { amount: 400 })).id, 'Succeeded');
  await create(app, capture((await createAuthorized(app)).id, { amount: 900 }));
  const code = await createCode(app, { maxTransactions: 2 });
  for (let scans = 0; scans < 2; scans++) await scanCode(app, code.content);
  const isThere = async () => (await app.call('/api/transactions')).json.data.length === 5;
  await creepUntil(app, isThere, 'every movement being there');
  endDay();
  const [own] = await untilSettlements(app, app, ([one]) => one?.reconciledAt, 'being compared');
  const { json } = await app.call(`${SETTLEMENTS}/${own.id}`);
  expect(json).toMatchObject({ account: { id: 'gpo' }, count: 5, differences: [] });
  const refs = json.movements.data.map(({ providerRef }: any) => providerRef);
  expect(await listPages(json.clearingPeriod)).toEqual([refs.toSorted(), [2, 2, 1]]);
});

/** Returns the rail's movements of a period, read in pages of two, and the size of each page. */
async function listPages(period: string): Promise<[string[], number[]]> {
  const { settings, secrets } = app.node.core.rails.listAll('gpo')[0]!.account;
  const [url, key] = [String(settings.url), String(secrets.key)];
  const [refs, sizes]: [string[], number[]] = [[], []];
  for (let after: string | null = ''; after !== null;) {
    const path = `/v1/movements?rail=gpo&period=${period}&limit=2${after && `&after=${after}`}`;
    const headers = signMessage(key, { method: 'GET', path, body: '' }, app.clock.now());
    const page: any = await (await fetch(url + path, { headers })).json();
    refs.push(...page.movements.map(({ transactionId }: any) => transactionId));
    sizes.push(page.movements.length);
    after = page.next;
  }
  return [refs, sizes];
}

describe('a transaction that the gateway has lost', () => {
  afterEach(async () => void (await app.call('/sandbox/rail/faults', { method: 'DELETE' })));

  const untilQuiet = () => until(() => !isCalling(app), 'every call having ended');

  /** Records two sales and deletes the transaction of the second. */
  async function loseTransaction(): Promise<{ reference: string; providerRef: string; paymentId: string }> {
    await sell(app, fixture);
    // The rail's list of payments must not restore the transaction.
    await orderFault(app, { on: 'payments_list', kind: 'unavailable', times: 100 });
    await untilQuiet();
    const { reference } = await sell(app, fixture);
    const [{ providerRef, paymentId }] = (await app.sql(
      `select t.provider_ref as "providerRef", p.id as "paymentId"
       from transactions t join payments p on p.id = t.payment_id
       where p.merchant_id = $1 and p.reference = $2`,
      [fixture.merchantId, reference],
    )) as [any];
    await untilQuiet();
    await untilInboxEmpty(app);
    await app.sql(
      'delete from usage_entries where transaction_id in (select id from transactions where provider_ref = $1)',
      [providerRef],
    );
    await app.sql('delete from transactions where provider_ref = $1', [providerRef]);
    return { reference, providerRef, paymentId };
  }

  test('is queried at the rail and recorded, without a notification to the merchant', async () => {
    const { providerRef } = await loseTransaction();
    endDay();
    const settlement = await reconciled();
    expect(settlement).toMatchObject({ count: 2, differences: [] });
    expect((await moneyOf()).map(({ provider_ref }: any) => provider_ref)).toContain(providerRef);
    expect(await events()).toEqual([]);
  });

  test('is missing_here if the rail does not answer, and a reason for a credit above the expected amount', async () => {
    const { reference, providerRef, paymentId } = await loseTransaction();
    await orderFault(app, { on: 'reference_query', kind: 'unavailable', reference, times: 100 });
    endDay();
    const settlement = await reconciled();
    const ours = { ourAmount: null, transactionId: null, refundId: null, paymentId };
    expect(settlement.differences).toEqual([{ kind: 'missing_here', providerRef, amount: 1500, ...ours }]);
    const body = { amount: 3000, date: '2026-11-24' };
    const { json } = await fixture.call(`${SETTLEMENTS}/${settlement.id}/credits`, { body });
    expect(json).toMatchObject({ status: 'differs', difference: 1500, differences: settlement.differences });
    expect(json.reasons[0]).toMatchObject({ code: 'not_here', movementId: null });
  });
});

test('a movement that the rail does not list has the reason not_at_rail, the other next_period', async () => {
  await sell(app, fixture);
  const [{ id, period }] = (await moneyOf()) as [any];
  const at = app.clock.now().toISOString();
  const money = await addMoney(app, fixture, { at, rail: 'ppr', method: 'reference', period });
  endDay();
  const settlement = await reconciled();
  const body = { amount: 1500, date: '2026-11-24' };
  const { json } = await fixture.call(`${SETTLEMENTS}/${settlement.id}/credits`, { body });
  const reasons = json.reasons.map(({ code, movementId }: any) => [code, movementId]);
  expect(reasons.toSorted()).toEqual([
    ['next_period', id],
    ['not_at_rail', money.id],
  ]);
});

test('a period that changed is compared again, and only new differences emit an event', async () => {
  await sell(app, fixture);
  const [{ period }] = (await moneyOf()) as [any];
  const at = app.clock.now().toISOString();
  const late = { at, rail: 'ppr', method: 'reference', period };
  await addMoney(app, fixture, late);
  endDay();
  const { id, reconciledAt } = await reconciled();
  const recordedAt = app.clock.now().toISOString();
  await addMoney(app, fixture, { ...late, currency: 'USD', recordedAt });
  await addMoney(app, fixture, { ...late, recordedAt });
  const own = await creepUntil(
    app,
    async () => {
      const now = await read(id);
      return now.differenceCount === 2 && now;
    },
    'being compared again',
  );
  expect(own.reconciledAt > reconciledAt).toBe(true);
  const eventsOfSettlement = async () => (await events()).filter(({ details }: any) => details.settlementId === id);
  expect((await eventsOfSettlement()).map(({ details }: any) => details.count)).toEqual([1, 2]);
  // The third comparison finds the same differences, so it emits no event.
  await app.sql('update settlements set due_at = $2 where id = $1', [id, app.clock.now()]);
  await creepUntil(app, async () => (await read(id)).reconciledAt > own.reconciledAt, 'being compared a third time');
  expect(await eventsOfSettlement()).toHaveLength(2);
});

describe('the reconciliation', () => {
  test.each(['unavailable', 'garbage', 'reset_after'])('is retried until the rail answers (%s)', async (kind) => {
    await sell(app, fixture);
    await orderFault(app, { on: 'movements', kind, times: 1 });
    endDay();
    const [closed] = await untilClosed(app, fixture);
    expect(closed.differenceCount).toBe(0);
    expect(await reconciled()).toMatchObject({ differences: [] });
    const [row] = await app.sql('select due_at, due_count from reconciliations where id = $1', [closed.id]);
    expect(row).toEqual({ due_at: null, due_count: 2 });
  });

  test('is not retried for a period that the rail does not know', async () => {
    await addMoney(app, fixture, { at: '2026-02-10T10:00:00.000Z', period: '156' });
    const [{ id }] = (await untilClosed(app, fixture)) as [any];
    const isOver = async () =>
      (await app.sql('select from reconciliations where id = $1 and due_count = 1 and due_at is null', [id])).length >
      0;
    await creepUntil(app, isOver, 'the query of the rail');
    expect(await read(id)).toMatchObject({ reconciledAt: null, differences: [] });
  });
});
