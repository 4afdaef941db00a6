import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { issueNext } from '../../../server/billing/issue.ts';
import { createPlan } from '../../../server/billing/plans.ts';
import { inTransaction } from '../../../server/database/orm.ts';
import { creditUnits, findBalance } from '../../../server/sms/ledger.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { jumpClock } from '../../support/jump-clock.ts';
import { expectRefusal, NO_TERMINAL, operate, operateJson, readAudit } from '../../support/cli.ts';

let app: TestApp;
let merchantId: string;
beforeAll(async () => {
  app = await startTestApp({ clock: jumpClock() });
});
beforeEach(async () => {
  ({ merchantId } = await app.addMerchant({ name: 'Padaria Sol' }));
});

const readLedger = () => app.sql('select * from sms_ledger where merchant_id = $1 order by seq', [merchantId]);

describe('`sms credit`', () => {
  test('changes the balance, and writes the ledger with each balance and the audit', async () => {
    const args = ['sms', 'credit', merchantId, '500', '--description', 'Invoice 7'];
    await expectRefusal(app, args, 2, NO_TERMINAL);
    expect(await readLedger()).toEqual([]);
    expect(await operateJson(app, ...args, '--yes')).toEqual({ merchantId, units: 500, balance: 500 });
    const { stdout } = await operate(app, ['sms', 'credit', merchantId, '20', '--description', 'Gift', '--yes']);
    expect(stdout).toMatch(/^merchantId +\S+\nunits +20\nbalance +520\n$/);
    expect(await readLedger()).toMatchObject([
      { kind: 'credit', quantity: 500, balance_after: 500, description: 'Invoice 7' },
      { kind: 'credit', quantity: 20, balance_after: 520, description: 'Gift' },
    ]);
    expect(await findBalance(app.node.core, merchantId)).toBe(520);
    const [, entry] = await readAudit(app, 'sms.credited', merchantId);
    expect(entry.changes).toEqual({ units: 20, description: 'changed', balance: { before: 500, after: 520 } });
  });

  test.each([0, -1, 1.5, NaN])('refuses %d units', async (units) => {
    const { core } = app.node;
    const credit = inTransaction(core, (db) =>
      creditUnits(db, { merchantId, units, description: '', at: core.clock.now() }),
    );
    await expect(credit).rejects.toThrow(RangeError);
    expect(await readLedger()).toEqual([]);
  });

  test('refuses units beyond the highest balance of an SMS account', async () => {
    const { core } = app.node;
    const at = core.clock.now();
    const full = { merchantId, units: 2_147_483_647, description: 'all', at };
    await inTransaction(core, (db) => creditUnits(db, full));
    await expectRefusal(
      app,
      ['sms', 'credit', merchantId, '1', '--description', 'x', '--yes'],
      1,
      'balance would exceed',
    );
    expect(await readLedger()).toHaveLength(1);
    expect(await readAudit(app, 'sms.credited', merchantId)).toEqual([]);
  });

  test.each([
    [['0', '--description', 'x'], 'It must be a whole number from 1'],
    [['1.5', '--description', 'x'], 'It must be a whole number'],
    [['99999999999', '--description', 'x'], 'It must be a whole number'],
    [['5'], "Required option '--description <text>' not specified"],
  ])('ends with exit code 2 for the arguments %j', async (args, message) => {
    await expectRefusal(app, ['sms', 'credit', merchantId, ...args, '--yes'], 2, message);
    expect(await readLedger()).toEqual([]);
  });
});

describe('`plan`', () => {
  const create = (...more: string[]) =>
    operateJson(app, 'plan', 'create', '--name', 'Loja', '--monthly-fee', '5000', '--payment-fee', '25.50', ...more);

  test('creates, lists and retires plans', async () => {
    const made = await create('--included', '100');
    expect(made).toEqual({
      id: expect.any(String),
      name: 'Loja',
      currency: 'AOA',
      monthlyFee: 5000,
      includedPayments: 100,
      paymentFee: 25.5,
    });
    expect(await operateJson(app, 'plan', 'list')).toContainEqual(made);
    const { stdout } = await operate(app, ['plan', 'list']);
    expect(stdout).toMatch(new RegExp(`${made.id} +Loja +5000 +100 +25.5 +AOA`));
    await expectRefusal(app, ['plan', 'retire', made.id], 2, NO_TERMINAL);
    await operateJson(app, 'plan', 'retire', made.id, '--yes');
    expect(await operateJson(app, 'plan', 'list')).not.toContainEqual(made);
    await expectRefusal(app, ['plan', 'retire', made.id, '--yes'], 1, 'is retired already');
    for (const action of ['plan.created', 'plan.retired'])
      expect(await readAudit(app, action, null)).toContainEqual(expect.objectContaining({ target: made.id }));
  });

  test('accepts amounts with as many decimals as their currency has', async () => {
    expect(await create('--currency', 'USD')).toMatchObject({ currency: 'USD', includedPayments: 0 });
    const args = ['plan', 'create', '--name', 'X', '--monthly-fee', '5.0011', '--payment-fee=-1'];
    const before = await operateJson(app, 'plan', 'list');
    await expectRefusal(app, args, 2, 'monthlyFee');
    await expectRefusal(app, args, 2, 'paymentFee');
    expect(await operateJson(app, 'plan', 'list')).toEqual(before);
  });

  test('does not retire an unknown plan', async () => {
    await expectRefusal(app, ['plan', 'retire', randomUUID(), '--yes'], 1, 'There is no plan');
  });
});

describe('`invoice list`', () => {
  let books: TestApp;
  beforeAll(async () => {
    // The clock is in March 2026 and the subscriptions begin in January, so two months have ended.
    books = await startTestApp();
  });

  test('lists the invoices of all merchants or of one, newest first', async () => {
    const { core } = books.node;
    const plan = await createPlan(core, { ...FEES, name: 'Loja', currency: 'AOA', includedPayments: 0 });
    const [one, other] = [await books.addMerchant({ name: 'Padaria Sol' }), await books.addMerchant()];
    for (const { merchantId: id } of [one, other]) {
      await books.sql(`insert into subscriptions values ($1, '2026-01', $2, $3)`, [id, plan.id, books.clock.now()]);
      await books.sql(`insert into billing_accounts (id, next_month) values ($1, '2026-01')`, [id]);
    }
    // The node also issues due invoices, so the order of the invoice numbers varies.
    for (const { merchantId: id } of [one, one, other, other]) await issueNext(core, id);
    const issued = await books.sql('select serial, month, merchant_id from invoices order by serial desc');
    const months = [
      ['2026-02', one.merchantId],
      ['2026-02', other.merchantId],
      ['2026-01', one.merchantId],
      ['2026-01', other.merchantId],
    ];
    expect(issued.map(({ month, merchant_id: id }) => [month, id]).toSorted()).toEqual(months.toSorted());
    const all = await operateJson(books, 'invoice', 'list');
    const told = all.map(({ number, month, merchantId }: any) => [number, month, merchantId]);
    expect(told).toEqual(issued.map(({ serial, month, merchant_id: id }) => [`EC 2026/00000${serial}`, month, id]));
    const own = all.filter(({ merchantId }: any) => merchantId === one.merchantId);
    expect(own[0]).toMatchObject({ merchantName: 'Padaria Sol', subtotal: 5000, tax: 700, total: 5700 });
    expect(await operateJson(books, 'invoice', 'list', one.merchantId, '--limit', '1')).toEqual([own[0]]);
    const { stdout } = await operate(books, ['invoice', 'list', one.merchantId]);
    expect(stdout).toMatch(
      /^ID +NUMBER +MERCHANT NAME +TOTAL +CURRENCY +ISSUED AT +CERTIFIED\n[0-9a-f-]{36} +EC 2026\/00000\d +Padaria Sol +5700 +AOA +2026-03-02T/,
    );
  });
});

const FEES = { monthlyFee: '5000.00', paymentFee: '25.00' };

describe('`money unmatched`', () => {
  const insert = (fields: Record<string, unknown>) => {
    const row = { rail: 'ppr', body: '{}', outcome: null, due_count: 0, id: randomUUID(), ...fields };
    const { id, rail, body, outcome, due_count } = row;
    const name = fields['notification_id'] ?? id;
    return app.sql(
      `insert into inbox (id, rail, notification_id, body, received_at, outcome, due_count, applied_at)
       values ($1, $2, $3, $4, $5, $6, $7, case when $6::text is null then null else $5::timestamptz end)`,
      [id, rail, name, body, app.clock.now(), outcome, due_count],
    );
  };

  test('lists each transaction without a payment once, and no matched transaction', async () => {
    expect((await operate(app, ['money', 'unmatched'])).stdout).toBe('No entries.\n');
    const kept = { entity: '00999', reference: '123456789', providerRef: '17', amountMinor: 150000, currency: 'AOA' };
    await insert({ outcome: 'applied' });
    await insert({ due_count: 1 });
    // The next two rows are one transaction: the rail's notification, and the gateway's record.
    await insert({ outcome: 'unknown_reference' });
    await insert({ outcome: 'unknown_reference', notification_id: 'unknown 17', body: JSON.stringify(kept) });
    await insert({ outcome: 'unreadable', body: '<html>' });
    await insert({ rail: 'gpo', outcome: 'unmatched' });
    await insert({ rail: 'gpo', due_count: 9 });
    const listed: any[] = await operateJson(app, 'money', 'unmatched');
    const told = listed.map(({ rail, why, amount, about }) => [rail, why, amount, about].join(' | ')).sort();
    expect(told).toEqual([
      'gpo | failed 9 times |  | ',
      'gpo | unmatched |  | ',
      'ppr | unknown_reference | 1500.00 AOA | entity 00999, reference 123456789, money 17',
      'ppr | unreadable |  | ',
    ]);
    expect(listed.find(({ outcome }) => outcome === 'unreadable').body).toBe('<html>');
    const { stdout } = await operate(app, ['money', 'unmatched', '--limit', '4']);
    expect(stdout).toMatch(/^RECEIVED AT +RAIL +WHY +AMOUNT +ABOUT\n/);
    expect(stdout).toMatch(/unknown_reference +1500.00 AOA +entity 00999, reference 123456789/);
  });
});
