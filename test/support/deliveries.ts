// Makes many transactions of a merchant with callbacks, and checks the invariants of their deliveries.
import { expect } from 'vitest';
import type { TestApp } from './app.ts';
import type { CallbackFixture } from './callbacks.ts';
import { createReference, moneyFor, PPR, sendPprNotification, notifyPprPayment, pprNotificationBody } from './ppr.ts';
import type { Received } from './receiver.ts';
import type { Digits } from './references.ts';
import type { Sql } from './truth.ts';

export type OpenReference = Digits & { internalId: string };

export function openReference(app: TestApp, fixture: Pick<CallbackFixture, 'token'>): Promise<OpenReference> {
  return createReference(app, { amount: 0, referenceType: 'Charging' }, { token: fixture.token });
}

export async function openReferences(
  app: TestApp,
  fixture: Pick<CallbackFixture, 'token'>,
  count: number,
): Promise<OpenReference[]> {
  const references = Array.from({ length: count }, () => ({ amount: 0, referenceType: 'Charging' }));
  const { status, text, json } = await app.call(`${PPR}/bulk`, { body: { references }, token: fixture.token });
  expect(status, text).toBe(201);
  return json.data;
}

/** Pays a reference and waits until the transaction is recorded. */
export async function receive(app: TestApp, sold: Digits, amount = '1500.00'): Promise<void> {
  expect(await notifyPprPayment(app, moneyFor(app, sold, { amount }))).toBe('applied');
}

/** Sends the rail's notification of a payment without waiting until the gateway has recorded the payment. */
export async function notifyPayment(app: TestApp, sold: Digits, amount = '1500.00'): Promise<void> {
  const { status, text } = await sendPprNotification(app, pprNotificationBody(moneyFor(app, sold, { amount })));
  expect(status, text).toBe(200);
}

/** Pays a new reference and returns its delivery. */
export async function sellOne(app: TestApp, fixture: CallbackFixture): Promise<any> {
  const sold = await openReference(app, fixture);
  await receive(app, sold);
  const [delivery] = await app.sql('select * from deliveries where payment_id = $1', [sold.internalId]);
  return delivery;
}

/** Returns the delivery's id and the attempt's number from the headers of a request. */
export function attemptOf({ headers }: Received): string {
  return `${headers['balcao-delivery']} ${headers['balcao-attempt']}`;
}

/** Returns our id of a callback's transaction. */
export function moneyOf({ json }: Received): string {
  return json.Id ?? json.id;
}

/** Returns the transactions of each payment in the order in which the gateway recorded them. */
async function readMoneyOrder(sql: Sql): Promise<Map<string, string[]>> {
  const rows = await sql(`
    select e.payment_id, e.details ->> 'transactionId' as money, min(e.seq) as first
    from events e where e.details ->> 'transactionId' is not null and e.type like 'payment.%'
    group by 1, 2 order by 3`);
  const byPayment = new Map<string, string[]>();
  for (const { payment_id, money } of rows) byPayment.set(payment_id, [...(byPayment.get(payment_id) ?? []), money]);
  return byPayment;
}

/** Expects the first callbacks of a payment's transactions in the order of their records, without a gap. */
export async function expectInOrder(
  sql: Sql,
  requests: Received[],
  idOf: (request: Received) => string = moneyOf,
): Promise<void> {
  const order = await readMoneyOrder(sql);
  const firsts = new Map([...new Set(requests.map(idOf))].map((id, nth) => [id, nth]));
  for (const [payment, recorded] of order) {
    const recordedFirsts = recorded.filter((id) => firsts.has(id));
    expect({ payment, recordedFirsts }).toEqual({ payment, recordedFirsts: recorded });
    const arrived = recordedFirsts.toSorted((a, b) => (firsts.get(a) ?? 0) - (firsts.get(b) ?? 0));
    expect({ payment, arrived }).toEqual({ payment, arrived: recorded });
  }
}

export function expectOnce(requests: Received[]): void {
  const attempts = requests.map(attemptOf);
  expect(attempts.filter((attempt, nth) => attempts.indexOf(attempt) !== nth)).toEqual([]);
}

/** Counts the callback events of a payment by type. */
export async function countEvents(sql: Sql, paymentId: string): Promise<Record<string, number>> {
  const rows = await sql(
    `select type, count(*)::int as times from events where payment_id = $1 and type like 'callback.%' group by type`,
    [paymentId],
  );
  return Object.fromEntries(rows.map(({ type, times }) => [type, times]));
}

export function readAttempts(sql: Sql, deliveryId: string): Promise<any[]> {
  return sql('select * from delivery_attempts where delivery_id = $1 order by number', [deliveryId]);
}
