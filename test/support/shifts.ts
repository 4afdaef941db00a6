// Cashiers with shifts, and requests of shifts by a person's token.
import { expect } from 'vitest';
import type { RoleName } from '../../shared/roles.ts';
import type { CallOptions, Reply, TestApp } from './app.ts';
import { addMember, PASSWORD, takeToken, type Member } from './members.ts';
import { approved, notify, PENDING_PHONE, untilSent } from './notify.ts';
import { create, purchase } from './payments.ts';

/** A person of a merchant with an access token, and the calls that the person makes. */
export type Cashier = {
  userId: string;
  /** Returns the person's access token for a node. */
  tokenFor(on: TestApp): Promise<string>;
  call(path: string, options?: CallOptions, on?: TestApp): Promise<Reply>;
};

export async function addCashier(app: TestApp, merchantId: string, role: RoleName = 'Cashier'): Promise<Cashier> {
  return cashierOf(app, await addMember(app, { merchantId, role }));
}

/** Returns the calls of a person who can sign in. */
export function cashierOf(app: TestApp, member: Member): Cashier {
  const tokens = new Map<TestApp, string>();
  // Each node of a test has its own address, so its own tokens.
  const tokenFor = async (on: TestApp): Promise<string> => {
    const known = tokens.get(on);
    if (known) return known;
    const fields = { grant_type: 'password', client_id: 'web', username: member.email, password: PASSWORD };
    const token: string = (await takeToken(on, fields)).json.access_token;
    tokens.set(on, token);
    return token;
  };
  const call = async (path: string, options: CallOptions = {}, on = app) =>
    on.call(path, { token: await tokenFor(on), ...options });
  return { userId: member.userId, tokenFor, call };
}

/** Opens the cashier's shift and expects a new one. */
export async function openShift(cashier: Cashier, body: object = {}): Promise<any> {
  const reply = await cashier.call('/api/shifts', { body });
  expect(reply.status, reply.text).toBe(201);
  return reply.json;
}

export function closeShift(cashier: Cashier, shiftId: string, body: object = {}, on?: TestApp): Promise<Reply> {
  return cashier.call(`/api/shifts/${shiftId}/close`, { body }, on);
}

export async function readShift(cashier: Cashier, shiftId: string): Promise<any> {
  const reply = await cashier.call(`/api/shifts/${shiftId}`);
  expect(reply.status, reply.text).toBe(200);
  return reply.json;
}

/** Creates a push of the cashier to a phone. */
export function charge(cashier: Cashier, phone: string, changes: object = {}, on?: TestApp): Promise<any> {
  const call: TestApp['call'] = (path, options) => cashier.call(path, options, on);
  return create({ call }, purchase(phone, { ...changes }));
}

/** Creates a push of the cashier that stays pending. Its amount is in cêntimos. */
export async function chargePending(app: TestApp, cashier: Cashier, minor: number, on = app) {
  const payment = await charge(cashier, PENDING_PHONE, { amount: minor / 100 }, on);
  const attemptId: string = (await untilSent(app, payment.id)).id;
  /** Sends the rail's approval to a node, and waits until it is recorded. */
  const approve = (node = app) => notify(node, attemptId, approved({ amount: (minor / 100).toFixed(2) }));
  return { payment, approve };
}

/**
 * Expects that the sums of every shift equal its movements, by method, and that no movement counts in another
 * person's shift or after the close.
 */
export async function expectShiftsAgree(app: TestApp, reader: Cashier): Promise<void> {
  const { json } = await reader.call('/api/shifts?limit=100');
  expect(json.next, 'all shifts on one page').toBeNull();
  for (const shift of json.data) {
    const movements = await app.sql(MOVEMENTS, [shift.id]);
    const sumOf = (kind: string) =>
      movements
        .filter((one) => one.kind === kind)
        .map(({ kind: _kind, amount, ...one }) => ({ ...one, amount: +amount }));
    const shown = (groups: any[]) =>
      groups.map(({ method, currency, count, amount }) => ({ method, currency, count, amount }));
    expect(shown(shift.taken).toSorted(byMethod), shift.id).toEqual(sumOf('taken').toSorted(byMethod));
    expect(shown(shift.refunded).toSorted(byMethod), shift.id).toEqual(sumOf('refunded').toSorted(byMethod));
  }
  const wrong = await app.sql(`
    select t.id from transactions t join payments p on p.id = t.payment_id join shifts s on s.id = t.shift_id
      where p.shift_id <> t.shift_id or p.created_by_id <> s.user_id::text
    union all
    select r.id from refunds r join shifts s on s.id = r.counted_shift_id
      where r.status <> 'Succeeded' or r.shift_id <> r.counted_shift_id or r.requested_by_id <> s.user_id::text`);
  expect(wrong).toEqual([]);
}

type Group = { method: string; currency: string };
const byMethod = (one: Group, other: Group) =>
  `${one.method}${one.currency}`.localeCompare(`${other.method}${other.currency}`);

const METHOD = `case p.payment_method when 'onetimepurchase' then 'push' when 'webframe' then 'page'
  when 'authorization' then 'capture' else p.payment_method end`;

/** The sums of a shift, added by PostgreSQL from the movements. */
const MOVEMENTS = `
  select 'taken' as kind, ${METHOD} as method, t.currency, count(*)::int as count, sum(t.amount_minor) / 100.0 as amount
  from transactions t join payments p on p.id = t.payment_id where t.shift_id = $1 group by 2, 3
  union all
  select 'refunded', ${METHOD}, r.currency, count(*)::int, sum(r.amount_minor) / 100.0
  from refunds r join payments p on p.id = r.payment_id where r.counted_shift_id = $1 group by 2, 3`;

/** Switches the setting `takesCash` of the merchant. */
export async function setTakesCash(app: TestApp, merchantId: string, takesCash: boolean): Promise<void> {
  const reply = await app.call(`/api/merchants/${merchantId}`, { method: 'PUT', body: { takesCash } });
  expect(reply.json.takesCash, reply.text).toBe(takesCash);
}
