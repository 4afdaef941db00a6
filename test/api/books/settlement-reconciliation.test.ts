// Closed periods beside the rail's own books: what only one has, what both have and not alike, and a rail that says nothing.
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { signMessage } from '../../../server/http/signature.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { capture, createAuthorized } from '../../support/authorizations.ts';
import { addMoney, addRefund, SETTLEMENTS, untilClosed, untilHeard, untilSettlements } from '../../support/books.ts';
import { openShop, sell, type Shop } from '../../support/callbacks.ts';
import { create, creepUntil, isCalling, orderFault } from '../../support/payments.ts';
import { createCode, scanCode } from '../../support/qrcodes.ts';
import { createPaid, createRefund, travelToRefund } from '../../support/refunds.ts';

let app: TestApp;
let shop: Shop;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  shop = await openShop(app);
});

const read = async (id: string) => (await shop.call(`${SETTLEMENTS}/${id}`)).json;

/** What was told of its settlements, the oldest first. */
const events = () =>
  app.sql(`select details from events where merchant_id = $1 and type = 'settlement.difference' order by seq`, [
    shop.merchantId,
  ]);

const moneyOf = async () =>
  app.sql('select id, payment_id, provider_ref, period from transactions where merchant_id = $1 order by created_at', [
    shop.merchantId,
  ]);

/** An hour after the end of the day, when its period is closed. */
function endDay(): void {
  const now = app.clock.now();
  const end = new Date(now);
  end.setUTCHours(20, 0, 1, 0);
  if (end <= now) end.setUTCDate(end.getUTCDate() + 1);
  app.clock.leap(end.getTime() - now.getTime());
}

/** Its only settlement with its report, once it was closed and compared with the rail. */
async function reconciled(): Promise<any> {
  const [own] = await untilSettlements(app, shop, ([one]) => one?.reconciledAt, 'being compared');
  return read(own.id);
}

describe('a closed period', () => {
  test('that the rail has as we do differs in nothing, whatever others of the account have', async () => {
    const stranger = await openShop(app);
    await sell(app, stranger);
    await sell(app, shop);
    await sell(app, shop);
    expect(await untilSettlements(app, shop, ([own]) => own, 'being there')).toMatchObject([
      { reconciledAt: null, differenceCount: 0 },
    ]);
    endDay();
    expect(await reconciled()).toMatchObject({ count: 2, differenceCount: 0, differences: [] });
    expect(await events()).toEqual([]);
  });

  test('with money and a refund that the rail has not: missing_there, and people are told once', async () => {
    await sell(app, shop);
    const [{ id, period }] = (await moneyOf()) as [any];
    const at = app.clock.now().toISOString();
    const money = await addMoney(app, shop, { at, rail: 'ppr', method: 'reference', period, minor: 7_550 });
    const refundId = await addRefund(app, shop, money, { at, minor: 2_500, period });
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
    const { json } = await shop.call('/v1/notificacoes');
    expect(json.data).toMatchObject([{ tipo: 'settlement.difference' }]);
    expect(json.data[0].mensagem).toContain(`O período ${period} da conta «ppr»`);
    expect(json.data[0].mensagem).toContain('Movimentos que diferem: 2.');
  });

  test('with another amount here: amount, with both', async () => {
    await sell(app, shop);
    const [{ id, payment_id: paymentId, provider_ref: providerRef }] = (await moneyOf()) as [any];
    await app.sql('update transactions set amount_minor = 149900 where id = $1', [id]);
    endDay();
    const { differences } = await reconciled();
    const ours = { transactionId: id, refundId: null, paymentId };
    expect(differences).toEqual([{ kind: 'amount', providerRef, amount: 1500, ourAmount: 1499, ...ours }]);
  });

  test('with money that we have in another period: missing_here, and where it is', async () => {
    await sell(app, shop);
    await sell(app, shop);
    const [{ id }] = (await moneyOf()) as [any];
    await app.sql(`update transactions set period = '156' where id = $1`, [id]);
    endDay();
    const { differences } = await reconciled();
    expect(differences).toMatchObject([{ kind: 'missing_here', amount: 1500, ourAmount: null, transactionId: id }]);
  });
});

test('pushes, captures, scans and refunds are what the GPO rail has too', async () => {
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

/** What the rail lists of a period by pages of two: ids of money, and how many a page has. */
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

describe('money that we miss', () => {
  afterEach(async () => void (await app.call('/sandbox/rail/faults', { method: 'DELETE' })));

  /** No list that was asked for before is still to be answered, and no news that was told is told again. */
  const untilQuiet = () => until(() => !isCalling(app), 'every call being over');

  /** Two sales, of which we have lost one. */
  async function lose(): Promise<{ reference: string; providerRef: string; paymentId: string }> {
    await sell(app, shop);
    // Nor does the list of payments bring it back, not even one that is under way.
    await orderFault(app, { on: 'payments_list', kind: 'unavailable', times: 100 });
    await untilQuiet();
    const { reference } = await sell(app, shop);
    const [{ providerRef, paymentId }] = (await app.sql(
      `select t.provider_ref as "providerRef", p.id as "paymentId" from transactions t join payments p on p.id = t.payment_id
       where p.merchant_id = $1 and p.reference = $2`,
      [shop.merchantId, reference],
    )) as [any];
    await untilQuiet();
    await untilHeard(app);
    await app.sql(
      'delete from usage_entries where transaction_id in (select id from transactions where provider_ref = $1)',
      [providerRef],
    );
    await app.sql('delete from transactions where provider_ref = $1', [providerRef]);
    return { reference, providerRef, paymentId };
  }

  test('is asked about by itself, and recorded: nobody is called', async () => {
    const { providerRef } = await lose();
    endDay();
    const settlement = await reconciled();
    expect(settlement).toMatchObject({ count: 2, differences: [] });
    expect((await moneyOf()).map(({ provider_ref }: any) => provider_ref)).toContain(providerRef);
    expect(await events()).toEqual([]);
  });

  test('and that the rail does not tell of is missing_here, a reason why the bank credited more', async () => {
    const { reference, providerRef, paymentId } = await lose();
    await orderFault(app, { on: 'reference_query', kind: 'unavailable', reference, times: 100 });
    endDay();
    const settlement = await reconciled();
    const ours = { ourAmount: null, transactionId: null, refundId: null, paymentId };
    expect(settlement.differences).toEqual([{ kind: 'missing_here', providerRef, amount: 1500, ...ours }]);
    const body = { amount: 3000, date: '2026-11-24' };
    const { json } = await shop.call(`${SETTLEMENTS}/${settlement.id}/credits`, { body });
    expect(json).toMatchObject({ status: 'differs', difference: 1500, differences: settlement.differences });
    expect(json.reasons[0]).toMatchObject({ code: 'not_here', movementId: null });
  });
});

test('a difference is a fact before any guess: of two alike the one that the rail has not is not_at_rail', async () => {
  await sell(app, shop);
  const [{ id, period }] = (await moneyOf()) as [any];
  const at = app.clock.now().toISOString();
  const money = await addMoney(app, shop, { at, rail: 'ppr', method: 'reference', period });
  endDay();
  const settlement = await reconciled();
  const body = { amount: 1500, date: '2026-11-24' };
  const { json } = await shop.call(`${SETTLEMENTS}/${settlement.id}/credits`, { body });
  const reasons = json.reasons.map(({ code, movementId }: any) => [code, movementId]);
  expect(reasons.toSorted()).toEqual([
    ['next_period', id],
    ['not_at_rail', money.id],
  ]);
});

test('a period that changes is compared again; people are called once more only where other things differ', async () => {
  await sell(app, shop);
  const [{ period }] = (await moneyOf()) as [any];
  const at = app.clock.now().toISOString();
  const late = { at, rail: 'ppr', method: 'reference', period };
  await addMoney(app, shop, late);
  endDay();
  const { id, reconciledAt } = await reconciled();
  const recordedAt = app.clock.now().toISOString();
  await addMoney(app, shop, { ...late, currency: 'USD', recordedAt });
  await addMoney(app, shop, { ...late, recordedAt });
  const own = await creepUntil(
    app,
    async () => {
      const now = await read(id);
      return now.differenceCount === 2 && now;
    },
    'being compared again',
  );
  expect(own.reconciledAt > reconciledAt).toBe(true);
  const told = async () => (await events()).filter(({ details }: any) => details.settlementId === id);
  expect((await told()).map(({ details }: any) => details.count)).toEqual([1, 2]);
  // By hand it is no matter of the rail's: compared again, and nothing is new.
  await app.sql('update settlements set due_at = $2 where id = $1', [id, app.clock.now()]);
  await creepUntil(app, async () => (await read(id)).reconciledAt > own.reconciledAt, 'being compared a third time');
  expect(await told()).toHaveLength(2);
});

describe('a rail', () => {
  test.each(['unavailable', 'garbage', 'reset_after'])('that is away (%s) is asked until it answers', async (kind) => {
    await sell(app, shop);
    await orderFault(app, { on: 'movements', kind, times: 1 });
    endDay();
    const [closed] = await untilClosed(app, shop);
    expect(closed.differenceCount).toBe(0);
    expect(await reconciled()).toMatchObject({ differences: [] });
    const [row] = await app.sql('select due_at, due_count from reconciliations where id = $1', [closed.id]);
    expect(row).toEqual({ due_at: null, due_count: 2 });
  });

  test('that never had such a period is not asked again: nothing was compared', async () => {
    await addMoney(app, shop, { at: '2026-02-10T10:00:00.000Z', period: '156' });
    const [{ id }] = (await untilClosed(app, shop)) as [any];
    const isOver = async () =>
      (await app.sql('select from reconciliations where id = $1 and due_count = 1 and due_at is null', [id])).length >
      0;
    await creepUntil(app, isOver, 'being asked');
    expect(await read(id)).toMatchObject({ reconciledAt: null, differences: [] });
  });
});
