// Helpers for authorizations, captures and voids, and their comparison with the rail's books.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { signMessage } from '../../server/http/signature.ts';
import type { OrderKind } from '../../server/providers/provider.ts';
import { until, type Reply, type TestApp } from './app.ts';
import { askRail, readRailBooks } from './lone-rail.ts';
import { notify, NOTIFY_ENV, PENDING_PHONE, type Verdict } from './notify.ts';
import type { Books, HoldBook } from './rail.ts';
import { create, travelUntil, untilStatus, webframe } from './payments.ts';
import type { Sql } from './truth.ts';

/** The duration of a hold is a week. After that, the bank returns the money to the payer. */
export const HOLD_MS = 7 * 24 * 3_600_000;

/** Returns the body of a valid authorization. Pushes to the default phone stay pending. */
export function authorization(phoneNumber = PENDING_PHONE, changes: Record<string, unknown> = {}) {
  return webframe({ metadata: { paymentMethod: 'authorization', phoneNumber }, ...changes });
}

/** Returns the body of a valid capture of the whole amount, 1500.00. */
export function capture(authorizationId: unknown, changes: Record<string, unknown> = {}) {
  return webframe({ metadata: { paymentMethod: 'capture', authorizationId }, ...changes });
}

/** Creates an authorization that its payer has approved. The clock does not move. */
export async function createAuthorized(app: TestApp, changes: Record<string, unknown> = {}): Promise<any> {
  const payment = await create(app, authorization(PENDING_PHONE, changes));
  await answerPush(app, payment.id, 'approve');
  return untilStatus(app, payment.id, 'Authorized');
}

/** The payer answers the push of an authorization. */
export async function answerPush(app: TestApp, id: string, verdict: 'approve' | 'decline'): Promise<void> {
  const isSent = async () => (await readOrders(app, id, 'authorization')).find(({ status }) => status !== 'Unsent');
  const made = await until(isSent, `the push of ${id} being sent`);
  const { status, body } = await askRail(app, `/pushes/${made.id}/${verdict}`, {});
  if (status >= 300) throw new Error(`not answered: ${status} ${JSON.stringify(body)}`);
}

/** Moves the test clock until no payment is in progress or overdue. */
export function travelToRest(app: TestApp): Promise<boolean> {
  const busy = `select from payments where status = 'Processing' or operation is not null
    or (status in ('Pending', 'Authorized') and expires_at <= $1)`;
  const isAtRest = async () => (await app.sql(busy, [app.clock.now()])).length === 0;
  return travelUntil(app, isAtRest, 'everything being settled');
}

type Options = { key?: string; prefer?: string; token?: string | null };

const optionsOf = ({ key, prefer, ...token }: Options) => ({
  headers: { ...(key && { 'idempotency-key': key }), ...(prefer && { prefer }) },
  ...token,
});

export function cancel(app: TestApp, id: string, options: Options = {}): Promise<Reply> {
  return app.call(`/api/payments/${id}/cancel`, { method: 'POST', ...optionsOf(options) });
}

export function take(app: TestApp, body: object, options: Options = {}): Promise<Reply> {
  return app.call('/api/payments', { body, ...optionsOf(options) });
}

/** Reads the orders to the rail for a payment, oldest first. */
export function readOrders(app: TestApp, id: string, kind: string): Promise<any[]> {
  return app.sql('select * from attempts where payment_id = $1 and kind = $2 order by created_at, id', [id, kind]);
}

/** Sends the rail's notification of an order and returns its outcome in the inbox. */
export const notifyOrder = (app: TestApp, kind: OrderKind, orderId: string, verdict: Verdict): Promise<string> =>
  notify(app, orderId, verdict, kind);

/** Another system captures the authorization at the rail. Needs NOTIFY_ENV. */
export async function captureElsewhere(app: TestApp, id: string): Promise<void> {
  const [made] = await readOrders(app, id, 'authorization');
  const [{ merchantId }] = await app.sql('select gpo_merchant_id as "merchantId" from payments where id = $1', [id]);
  const bill = { terminalId: 'demo-pos', reference: 'ELSEWHERE', amount: '1500.00', currency: 'AOA' };
  const body = JSON.stringify({ id: randomUUID(), authorizationId: made.id, merchantId, ...bill });
  const headers = signMessage(NOTIFY_ENV.GPO_KEY, { method: 'POST', path: '/v1/captures', body }, app.clock.now());
  const response = await fetch(`${app.url}/sandbox/rail/v1/captures`, { method: 'POST', body, headers });
  const answer = (await response.json()) as { status: string };
  if (answer.status !== 'APPROVED') throw new Error(`not captured: ${JSON.stringify(answer)}`);
}

type FullBooks = Pick<Books, 'authorizations' | 'captures' | 'voids'>;

/** An authorization in the rail's books, with its captures and voids. */
type Held = HoldBook & Pick<FullBooks, 'captures' | 'voids'>;

export const readFullBooks = (app: TestApp): Promise<FullBooks> => readRailBooks(app);

/** The rail's record of an authorization, or null if it never received it. */
export async function readHeld(app: TestApp, id: string): Promise<Held | null> {
  const [made] = await readOrders(app, id, 'authorization');
  const books = await readFullBooks(app);
  const found = books.authorizations.find((book) => book.id === made.id);
  return found ? { ...found, ...stepsOf(books, made.id) } : null;
}

const stepsOf = ({ captures, voids }: FullBooks, id: string): Pick<FullBooks, 'captures' | 'voids'> => ({
  captures: captures.filter(({ authorizationId }) => authorizationId === id),
  voids: voids.filter(({ targetId }) => targetId === id),
});

/** Returns the voided amount: the part that is neither captured nor held. */
const AUTHORIZATIONS = `
  select p.id, a.id as attempt_id, p.operation, p.flags, coalesce(p.authorized_minor, 0)::int as authorized,
    coalesce(p.captured_minor, 0)::int as captured,
    case when p.status = 'Authorized' then p.authorized_minor - coalesce(p.captured_minor, 0) else 0 end::int as held,
    (select coalesce(sum(t.amount_minor), 0)::int from transactions t join payments c on c.id = t.payment_id
     where c.authorization_id = p.id) as received
  from payments p join attempts a on a.payment_id = p.id and a.kind = 'authorization'`;

/**
 * Compares the authorizations with the rail's books while no payment is in progress.
 * In both, captured + voided + held is the authorized amount, with equal numbers.
 * No authorization is both captured and voided, or captured twice.
 */
export async function expectAgreement(sql: Sql, books: FullBooks): Promise<void> {
  const byId = new Map(books.authorizations.map((book) => [book.id, book]));
  const rows = await sql(AUTHORIZATIONS);
  const known = new Set(rows.map(({ attempt_id }) => attempt_id));
  expect(books.authorizations.map(({ id }) => id).filter((id) => !known.has(id))).toEqual([]);
  for (const { attempt_id, received, ...row } of rows) {
    const { captures, voids } = stepsOf(books, attempt_id);
    const isDone = ({ status }: { status: string }) => status === 'APPROVED';
    const [taken, released] = [captures.filter(isDone).length, voids.filter(isDone).length];
    expect(taken, `captures of ${row.id}`).toBeLessThanOrEqual(released > 0 ? 0 : 1);
    const split = splitOf(byId.get(attempt_id));
    const { authorized, captured, held } = row;
    const expected = { id: row.id, operation: null, flags: [], ...split };
    expect({ ...row, voided: authorized - captured - held }).toEqual(expected);
    expect(received, `money of ${row.id}`).toBe(captured);
  }
}

function splitOf(book: HoldBook | undefined) {
  const minor = (amount = '0') => Math.round(Number(amount) * 100);
  const [authorized, captured] = [minor(book?.authorized), minor(book?.captured)];
  const [held, voided] = [minor(book?.held), minor(book?.voided)];
  expect(captured + voided + held).toBe(authorized);
  return { authorized, captured, held, voided };
}
