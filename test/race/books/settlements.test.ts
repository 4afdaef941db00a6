import fc from 'fast-check';
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { closeSettlement } from '../../../server/books/close.ts';
import { reconcile } from '../../../server/books/reconcile.ts';
import { clearingDayOf } from '../../../shared/clearing.ts';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import {
  addMoney,
  addRefund,
  expectDaysAgree,
  SETTLEMENTS,
  untilClosed,
  untilSettlements,
} from '../../support/books.ts';
import { openCallbackFixture, sell, type CallbackFixture } from '../../support/callbacks.ts';
import { untilNoStatementRuns } from '../../support/idle.ts';
import { countWaiting } from '../../support/locks.ts';

let app: TestApp;
let twin: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  twin = await app.startTwin();
});

const rowsOf = ({ merchantId }: CallbackFixture) =>
  app.sql('select * from settlements where merchant_id = $1', [merchantId]);

test('concurrent first transactions of a period create one settlement, which is closed once', async () => {
  const fixture = await openCallbackFixture(app);
  // The day has not ended, so no node closes the settlement too early.
  const at = app.clock.now().toISOString();
  const come = (n: number) => addMoney(n % 2 ? twin : app, fixture, { at, period: '156', minor: 100 });
  await Promise.all(Array.from({ length: 16 }, (_, n) => come(n)));
  const [{ id }] = (await rowsOf(fixture)) as [any];
  app.clock.leap(24 * 3_600_000);
  await Promise.all([app, twin, app, twin].map(({ node }) => closeSettlement(node.core, id)));
  const rows = await rowsOf(fixture);
  expect(rows).toMatchObject([{ movement_count: 16, taken_minor: '1600', closed_count: 16, closed_minor: '1600' }]);
});

test('money that is committed during the closing is in the settlement', async () => {
  const fixture = await openCallbackFixture(app);
  const day = app.clock.now().toISOString().slice(0, 10);
  const { id } = await addMoney(app, fixture, { at: `${day}T09:00:00.000Z`, minor: 100 });
  const coming = new pg.Client({ connectionString: app.databaseUrl });
  await coming.connect();
  await coming.query('begin');
  await coming.query(
    `insert into transactions (id, merchant_id, payment_id, rail, provider_ref, amount_minor, currency, status, late, occurred_at,
       created_at, period, details)
     select gen_random_uuid(), merchant_id, payment_id, rail, 'on its way', 50, currency, status, late, occurred_at,
       created_at, period, details from transactions where id = $1`,
    [id],
  );
  await untilNoStatementRuns(app);
  app.clock.leap(Date.parse(`${day}T20:30:00.000Z`) - app.clock.now().getTime());
  const isHeld = async () => (await countWaiting(app.databaseUrl, '%pg_advisory_xact_lock(%')) > 0;
  await until(isHeld, 'closing being held up');
  expect((await rowsOf(fixture))[0].closed_at).toBeNull();
  await coming.query('commit');
  await coming.end();
  const [closed] = await untilClosed(app, fixture);
  expect(closed).toMatchObject({ count: 2, taken: 1.5, changedAfterClose: null });
});

test('two nodes import the same bank file once', async () => {
  const fixture = await openCallbackFixture(app);
  await addMoney(app, fixture, { at: '2026-02-10T10:00:00.000Z', minor: 100 });
  const [{ id }] = (await untilClosed(app, fixture)) as [any];
  const body = { file: Buffer.from('11/02/2026;1,00;EMIS').toString('base64') };
  const send = async (node: TestApp) =>
    node.call(`${SETTLEMENTS}/${id}/credits`, { body, token: await fixture.tokenFor({ node }) });
  const replies = await Promise.all([app, twin, app, twin].map(send));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
  const known = replies.filter(({ status }) => status === 409).map(({ json }) => json.code);
  expect(known).toEqual(['bank_file_known', 'bank_file_known', 'bank_file_known']);
  expect((await fixture.call(`${SETTLEMENTS}/${id}`)).json).toMatchObject({ status: 'balanced', credited: 1 });
});

test('two nodes enter a bank statement for all settlements once', async () => {
  const fixture = await openCallbackFixture(app);
  const days = ['2026-02-09', '2026-02-10', '2026-02-11'];
  for (const [nth, day] of days.entries())
    await addMoney(app, fixture, { at: `${day}T10:00:00.000Z`, minor: 100 + nth });
  const closed = await untilClosed(app, fixture);
  const lines = days.map((_, nth) => `12/02/2026;1,0${nth};EMIS`).join('\n');
  const body = { file: Buffer.from(lines).toString('base64') };
  const send = async (node: TestApp) =>
    node.call('/api/bank-statements', { body, token: await fixture.tokenFor({ node }) });
  const byHand = async (node: TestApp) => {
    const token = await fixture.tokenFor({ node });
    return node.call(`${SETTLEMENTS}/${closed[0].id}/credits`, { body, token });
  };
  const replies = await Promise.all([...[app, twin, app, twin].map(send), byHand(twin)]);
  expect(replies.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
  for (const { id } of closed)
    expect((await fixture.call(`${SETTLEMENTS}/${id}`)).json).toMatchObject({ status: 'balanced', difference: 0 });
  const rows = await app.sql('select from settlement_credits where merchant_id = $1', [fixture.merchantId]);
  expect(rows).toHaveLength(3);
});

/** A closed settlement of 1,00 AOA with a credit of 0,60, which differs by -0,40. */
async function openDifference(): Promise<{ fixture: CallbackFixture; id: string; send: Send }> {
  const fixture = await openCallbackFixture(app);
  await addMoney(app, fixture, { at: '2026-02-10T10:00:00.000Z', minor: 100 });
  const [{ id }] = (await untilClosed(app, fixture)) as [any];
  const send: Send = async (node, path, body = {}) =>
    node.call(`${SETTLEMENTS}/${id}/${path}`, { body, token: await fixture.tokenFor({ node }) });
  expect((await send(app, 'credits', { amount: 0.6, date: '2026-02-11' })).json.status).toBe('differs');
  return { fixture, id, send };
}

type Send = (node: TestApp, path: string, body?: object) => Promise<Reply>;

test('two nodes explain a difference once', async () => {
  const { fixture, id, send } = await openDifference();
  const replies = await Promise.all(
    [app, twin, app, twin].map((node) => send(node, 'explanation', { reason: 'bank' })),
  );
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
  const [{ count }] = (await app.sql(
    `select count(*)::int from audit_entries where target = $1 and action = 'settlement.explained'`,
    [id],
  )) as [any];
  expect(count).toBe(1);
  expect((await fixture.call(`${SETTLEMENTS}/${id}`)).json.status).toBe('explained');
});

test('a credit concurrent with an explanation never leaves another difference explained', async () => {
  for (let round = 0; round < 4; round++) {
    const { fixture, id, send } = await openDifference();
    const [explained] = await Promise.all([
      send(app, 'explanation', { reason: 'bank', difference: -0.4 }),
      send(twin, 'credits', { amount: 0.1, date: '2026-02-11' }),
    ]);
    expect([200, 409]).toContain(explained?.status);
    const own = (await fixture.call(`${SETTLEMENTS}/${id}`)).json;
    expect([own.status, own.difference, own.explanation?.holds ?? false]).toEqual(['differs', -0.3, false]);
  }
});

test('two nodes reverse a credit once', async () => {
  const { fixture, id, send } = await openDifference();
  const [{ id: creditId }] = (await fixture.call(`${SETTLEMENTS}/${id}`)).json.credits;
  const replies = await Promise.all([app, twin, app, twin].map((node) => send(node, `credits/${creditId}/reversal`)));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
  expect((await fixture.call(`${SETTLEMENTS}/${id}`)).json).toMatchObject({ status: 'open', credited: 0 });
});

test('concurrent reconciliations send one notification', async () => {
  const fixture = await openCallbackFixture(app);
  const { provider_ref: providerRef, period } = await sellOne(fixture);
  await app.sql('update transactions set amount_minor = 1 where provider_ref = $1', [providerRef]);
  const [{ id }] = (await rowsOf(fixture)) as [any];
  app.clock.leap(36 * 3_600_000);
  await untilSettlements(app, fixture, ([own]) => own.differenceCount === 1, 'being compared');
  // Each reconciliation finds the same difference.
  const [{ due_count: dueCount }] = (await app.sql(
    'update reconciliations set found = null, reconciled_at = null, due_at = null where id = $1 returning due_count',
    [id],
  )) as [any];
  await Promise.all([app, twin, app, twin].map(({ node }) => reconcile(node.core, { id, dueCount })));
  const told = await app.sql(
    `select details from events where merchant_id = $1 and type = 'settlement.difference' order by seq`,
    [fixture.merchantId],
  );
  expect(told).toHaveLength(2);
  expect(told[1]).toMatchObject({ details: { settlementId: id, clearingPeriod: period, count: 1 } });
  // A reconciliation that lost its lease writes no result.
  await app.sql('update reconciliations set found = null where id = $1', [id]);
  await reconcile(app.node.core, { id, dueCount: dueCount - 1 });
  const [row] = await app.sql('select found from reconciliations where id = $1', [id]);
  expect(row).toEqual({ found: null });
});

async function sellOne(fixture: CallbackFixture): Promise<any> {
  await sell(app, fixture);
  const [money] = await app.sql('select * from transactions where merchant_id = $1', [fixture.merchantId]);
  return money;
}

/** Money and refunds of any day, period and rail account, committed before or after the closing. */
const history = fc.array(
  fc.record({
    rail: fc.constantFrom('gpo', 'ppr'),
    day: fc.integer({ min: 1, max: 3 }),
    hour: fc.integer({ min: 10, max: 23 }),
    period: fc.constantFrom(undefined, '156', '157'),
    minor: fc.integer({ min: 1, max: 900_000 }),
    feeMinor: fc.option(fc.integer({ min: 0, max: 1_000 })),
    returned: fc.constantFrom(null, 'rail', 'manual'),
    isLate: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

type Move = { minor: number; feeMinor: number | null; returned: string | null; isLate: boolean };

/** Enters a credit, a fee of the bank, and an explanation, each only in some histories. */
async function enterAsBank(fixture: CallbackFixture, id: string, move: Move): Promise<void> {
  const send = (path: string, body: object) => fixture.call(`${SETTLEMENTS}/${id}/${path}`, { body });
  const { minor, feeMinor, returned, isLate } = move;
  const entry = { date: '2026-02-11' };
  if (returned) expect((await send('credits', { ...entry, amount: minor / 100 })).status).toBe(201);
  if (feeMinor) expect((await send('credits', { ...entry, amount: feeMinor / 100, kind: 'fee' })).status).toBe(201);
  if (isLate) expect([200, 409]).toContain((await send('explanation', { reason: 'bank' })).status);
}

test('the settlements equal the movements per account and period after any history', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (moves) => {
      const fixture = await openCallbackFixture(app);
      const expected = new Map<string, number>();
      const add = (rail: string, period: string, minor: number) =>
        expected.set(`${rail} ${period}`, (expected.get(`${rail} ${period}`) ?? 0) + minor);
      const record = async ({ rail, day, hour, period, minor, feeMinor, returned }: (typeof moves)[number]) => {
        const at = `2026-02-0${day}T${hour}:00:00.000Z`;
        const money = await addMoney(app, fixture, { at, rail, minor, feeMinor, ...(period && { period }) });
        add(rail, money.period, minor - (feeMinor ?? 0));
        if (!returned) return;
        const backAt = `2026-02-0${day + 1}T${hour}:00:00.000Z`;
        await addRefund(app, fixture, money, { at: backAt, minor: 1, method: returned });
        if (returned === 'rail') add(rail, clearingDayOf(new Date(backAt)), -1);
      };
      for (const move of moves.filter(({ isLate }) => !isLate)) await record(move);
      const rows = await rowsOf(fixture);
      await Promise.all(rows.flatMap(({ id }) => [app, twin].map(({ node }) => closeSettlement(node.core, id))));
      for (const move of moves.filter(({ isLate }) => isLate)) await record(move);
      for (const { id } of await rowsOf(fixture)) await closeSettlement(app.node.core, id);
      const { data } = (await fixture.call(`${SETTLEMENTS}?limit=100`)).json;
      const sums = data.map((own: any) => [
        `${own.account.id} ${own.clearingPeriod}`,
        Math.round(own.expectedCredit * 100),
      ]);
      expect(new Map(sums.toSorted())).toEqual(new Map([...expected].toSorted()));
      const { data: all } = (await fixture.call('/api/transactions?limit=1000')).json;
      const total = (rows: any[], field: string) => rows.reduce((sum, row) => sum + Math.round(row[field] * 100), 0);
      expect(total(all, 'net')).toBe(total(data, 'expectedCredit'));
      expect(data.reduce((sum: number, { count }: any) => sum + count, 0)).toBe(all.length);
      await expectDaysAgree(fixture, data);
      for (const [nth, { id }] of data.entries()) await enterAsBank(fixture, id, moves[nth % moves.length] as Move);
      await expectDaysAgree(fixture, (await fixture.call(`${SETTLEMENTS}?limit=100`)).json.data);
      for (const { closedAt, changedAfterClose, count } of data) {
        expect(closedAt).not.toBeNull();
        expect(changedAfterClose?.count ?? 0).toBeLessThanOrEqual(count);
      }
    }),
    { numRuns: 15 },
  );
});
