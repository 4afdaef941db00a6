// Money by the hundred for a merchant with a callback endpoint, and the laws that what the merchant got must keep.
import { expect } from 'vitest';
import type { TestApp } from './app.ts';
import type { Shop } from './callbacks.ts';
import { createReference, moneyFor, PPR, sendNews, tell, writeNews } from './ppr.ts';
import type { Received } from './receiver.ts';
import type { Digits } from './references.ts';
import type { Sql } from './truth.ts';

export type Sold = Digits & { internalId: string };

/** A reference that may be paid again and again, any amount each time. */
export function openReference(app: TestApp, shop: Pick<Shop, 'token'>): Promise<Sold> {
  return createReference(app, { amount: 0, referenceType: 'Charging' }, { token: shop.token });
}

/** Many of them at once. */
export async function openReferences(app: TestApp, shop: Pick<Shop, 'token'>, count: number): Promise<Sold[]> {
  const references = Array.from({ length: count }, () => ({ amount: 0, referenceType: 'Charging' }));
  const { status, text, json } = await app.call(`${PPR}/bulk`, { body: { references }, token: shop.token });
  expect(status, text).toBe(201);
  return json.data;
}

/** Somebody pays it; resolves once the money is recorded. */
export async function receive(app: TestApp, sold: Digits, amount = '1500.00'): Promise<void> {
  expect(await tell(app, moneyFor(app, sold, { amount }))).toBe('applied');
}

/** The rail tells of money; recorded at once or later. */
export async function tellOf(app: TestApp, sold: Digits, amount = '1500.00'): Promise<void> {
  const { status, text } = await sendNews(app, writeNews(moneyFor(app, sold, { amount })));
  expect(status, text).toBe(200);
}

/** A new payment of the shop, paid: its delivery, as it is then. */
export async function sellOne(app: TestApp, shop: Shop): Promise<any> {
  const sold = await openReference(app, shop);
  await receive(app, sold);
  const [delivery] = await app.sql('select * from deliveries where payment_id = $1', [sold.internalId]);
  return delivery;
}

/** `delivery attempt` of a request. */
export function attemptOf({ headers }: Received): string {
  return `${headers['balcao-delivery']} ${headers['balcao-attempt']}`;
}

/** Our id of the money that a callback tells of. */
export function moneyOf({ json }: Received): string {
  return json.Id ?? json.id;
}

/** Of each payment the money in the order in which it was recorded, by the payment's id; `also` narrows the payments. */
export async function readMoneyOrder(sql: Sql): Promise<Map<string, string[]>> {
  const rows = await sql(`
    select e.payment_id, e.details ->> 'transactionId' as money, min(e.seq) as first
    from events e where e.details ->> 'transactionId' is not null and e.type like 'payment.%' group by 1, 2 order by 3`);
  const byPayment = new Map<string, string[]>();
  for (const { payment_id, money } of rows) byPayment.set(payment_id, [...(byPayment.get(payment_id) ?? []), money]);
  return byPayment;
}

/** Each payment's money was first told in the order in which it was recorded, and none was left out. @param idOf of a request's money */
export async function expectInOrder(
  sql: Sql,
  requests: Received[],
  idOf: (request: Received) => string = moneyOf,
): Promise<void> {
  const order = await readMoneyOrder(sql);
  const firsts = new Map([...new Set(requests.map(idOf))].map((id, nth) => [id, nth]));
  for (const [payment, recorded] of order) {
    const told = recorded.filter((id) => firsts.has(id));
    expect({ payment, told }).toEqual({ payment, told: recorded });
    const arrived = told.toSorted((a, b) => (firsts.get(a) ?? 0) - (firsts.get(b) ?? 0));
    expect({ payment, arrived }).toEqual({ payment, arrived: recorded });
  }
}

/** No attempt came twice. */
export function expectOnce(requests: Received[]): void {
  const attempts = requests.map(attemptOf);
  expect(attempts.filter((attempt, nth) => attempts.indexOf(attempt) !== nth)).toEqual([]);
}

/** How often each type is in a payment's history. */
export async function countEvents(sql: Sql, paymentId: string): Promise<Record<string, number>> {
  const rows = await sql(
    `select type, count(*)::int as times from events where payment_id = $1 and type like 'callback.%' group by type`,
    [paymentId],
  );
  return Object.fromEntries(rows.map(({ type, times }) => [type, times]));
}

/** Attempts of a delivery, the first first. */
export function readAttempts(sql: Sql, deliveryId: string): Promise<any[]> {
  return sql('select * from delivery_attempts where delivery_id = $1 order by number', [deliveryId]);
}
