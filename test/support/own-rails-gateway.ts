// A gateway process whose merchant has accounts at fakes of AppyPay and ProxyPay. The fakes outlive it, so that books can be compared.
import { expect } from 'vitest';
import type { ProxypayPayment } from '../../sandbox/rails/proxypay-payment.ts';
import { toMinor } from '../../shared/money.ts';
import { connectMerchant, startChild, type Child, type MerchantClient } from './child.ts';
import { freshDatabase, querySql } from './database.ts';
import { jumpClock } from './jump-clock.ts';
import type { Book } from './rail.ts';
import { openAppyPay, openProxypay, railPath, type RailBody } from './rail-accounts.ts';
import { stopLater } from './stop-later.ts';
import { areAllResolved, expectTruth, type Sql } from './truth.ts';

/** Fakes answer immediately, also on a slow machine. */
const TIMEOUT_S = 8;
/** Interrupted calls are repeated after their lease: the rail's timeout and 5 s more. */
export const AFTER_LEASE_MS = (TIMEOUT_S + 6) * 1_000;

type AppyPay = Awaited<ReturnType<typeof openAppyPay>>['fake'];
type Proxypay = Awaited<ReturnType<typeof openProxypay>>['fake'];

export type OwnRailsGateway = {
  appypay: AppyPay;
  proxypay: Proxypay;
  merchant: MerchantClient;
  sql: Sql;
  /** kill -9 and a restart on the same port. The clocks of gateway and rails leap. */
  killAndRestart(laterMs: number): Promise<void>;
  /** Pays a registered reference. Resolves after the notification. */
  pay(digits: string): Promise<void>;
  /** True if the gateway has no open work. */
  isAtRest(): Promise<boolean>;
  /** Compares all records with the books of both rails, and returns the counts. */
  expectBooks(): Promise<{ approved: number; refused: number; lost: number; received: number }>;
  stop(): Promise<void>;
};

export async function startOwnRailsGateway(): Promise<OwnRailsGateway> {
  const clock = jumpClock();
  const { fake: appypay, body: appypayBody } = await openAppyPay(clock);
  const { fake: proxypay, body: proxypayBody } = await openProxypay(clock);
  const database = await freshDatabase();
  const timeouts = { GPO_TIMEOUT_S: String(TIMEOUT_S), PPR_TIMEOUT_S: String(TIMEOUT_S) };
  const env = { ...timeouts, DATABASE_URL: database.url, LOG_LEVEL: 'warn' };
  let child: Child = await startChild({ env });
  let lateMs = 0;
  const sql: Sql = (text, values) => querySql(database.url, text, values);
  const merchant = connectMerchant(() => child.url);
  const enter = (body: RailBody) => enterAccount(merchant, sql, body);
  appypay.book.notifyUrl = (await enter(appypayBody)).notificationUrl;
  const account = await enter(proxypayBody);
  proxypay.book.notifyUrl = account.notificationUrl;
  const received: ProxypayPayment[] = [];
  return stopLater({
    appypay,
    proxypay,
    merchant,
    sql,
    async killAndRestart(laterMs) {
      await child.kill();
      lateMs += laterMs;
      clock.jump(laterMs);
      child = await startChild({ env, port: child.port, lateMs });
    },
    async pay(digits) {
      const amount = proxypay.book.references.get(digits)?.amount;
      if (!amount) throw new Error(`${digits} cannot be paid`);
      received.push(await proxypay.book.pay(digits, amount));
    },
    isAtRest: async () =>
      proxypay.book.queue.size === 0 && (await areAllResolved(sql)) && (await sql(OPEN)).length === 0,
    async expectBooks() {
      const orders = await readOrders(sql, appypay);
      // Each order equals an attempt, and each payment's status follows from its money.
      await expectTruth(sql, orders);
      expect(new Set(orders.map(({ id }) => id)).size).toBe(orders.length);
      expect(await sql(DOUBTFUL)).toEqual([]);
      await expectReceived(sql, account.id, received);
      expect([...proxypay.book.references.keys()], 'payable references').toEqual([]);
      const count = (wanted: string) => orders.filter(({ status }) => status === wanted).length;
      const [{ lost }] = await sql(
        `select count(*)::int as lost from attempts where failure_code = 'rail_unavailable'`,
      );
      return { approved: count('APPROVED'), refused: count('DECLINED'), lost, received: received.length };
    },
    async stop() {
      await child.kill();
      await database.drop();
    },
  });
}

async function enterAccount(merchant: MerchantClient, sql: Sql, body: RailBody): Promise<any> {
  const [{ merchant_id: merchantId }] = await sql(`select merchant_id from clients where id = 'demo'`);
  const { status, text, json } = await merchant.insist(railPath(merchantId), { body });
  expect(status, text).toBe(201);
  return json;
}

/** Open work other than attempts. */
const OPEN = `select from payments where status in ('Pending', 'Processing')
  union all select from payment_references where status = 'Pending' or withdrawn_at is null or due_at is not null
  union all select from inbox where applied_at is null limit 1`;

/** Payments with two pushes or an alert. */
const DOUBTFUL = `select payment_id from attempts group by payment_id having count(*) > 1
  union all select payment_id from events where type in ('payment.stuck', 'payment.overpaid', 'reference.unknown_paid')`;

/** AppyPay's orders under our ids. */
async function readOrders(sql: Sql, { book }: AppyPay): Promise<Book[]> {
  const attempts = await sql('select id, rail_key from attempts');
  const idOf = new Map(attempts.map(({ id, rail_key: key }) => [key, id]));
  return book.charges.map(({ id, merchantTransactionId: key, amount, transactionEvents, createdDate }) => {
    const { code } = (transactionEvents.at(-1) as { responseStatus: { code: number } }).responseStatus;
    const common = { id: idOf.get(key) ?? key, reference: key, phone: '', calls: 1, notifications: 0, notified: 0 };
    const said = { ...common, amount: Number(amount).toFixed(2), createdAt: createdDate };
    if (code === 100) return { ...said, status: 'APPROVED', reason: null, transactionId: id };
    const reason = REASONS[code] ?? null;
    return { ...said, status: reason ? 'DECLINED' : 'PENDING', reason, transactionId: null };
  });
}

/** Reasons of the page's buttons (docs/rails/appypay.md). */
const REASONS: Record<number, string> = { 210: 'TIMED_OUT', 231: 'CUSTOMER_REFUSED' };

/** ProxyPay's payments and our transactions of its references are equal. */
async function expectReceived(sql: Sql, railId: string, received: ProxypayPayment[]): Promise<void> {
  const rows = await sql(
    `select f.reference, t.provider_ref as ref, t.amount_minor::int as minor
     from transactions t join payment_references f on f.payment_id = t.payment_id where t.rail = $1`,
    [railId],
  );
  const ours = rows.map(({ reference, ref, minor }) => `${reference} ${ref} ${minor}`);
  const theirs = received.map(({ id, reference_id: number, amount: text }) => {
    const amount = toMinor(text, 'AOA');
    return `${String(number).padStart(9, '0')} ${id} ${'minor' in amount ? amount.minor : text}`;
  });
  expect(ours.toSorted()).toEqual(theirs.toSorted());
}
