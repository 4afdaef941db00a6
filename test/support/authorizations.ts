// Authorizations, captures and cancellations as tests make them, and the comparison with the rail's own books of them.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { signMessage } from '../../server/http/signature.ts';
import { until, type Reply, type TestApp } from './app.ts';
import { NOTIFY_ENV, sendNotification, SOMEBODY, untilApplied, type Verdict } from './notify.ts';
import type { Books, HoldBook } from './rail.ts';
import { create, travelUntil, untilStatus, webframe } from './payments.ts';

/** A hold lasts a week (decisions §3). */
export const HOLD_MS = 7 * 24 * 3_600_000;

/** A valid authorization; unless told otherwise its payer is a person. */
export function authorization(phoneNumber = SOMEBODY, changes: Record<string, unknown> = {}) {
  return webframe({ metadata: { paymentMethod: 'authorization', phoneNumber }, ...changes });
}

/** A valid capture of all 1500.00. */
export function capture(authorizationId: unknown, changes: Record<string, unknown> = {}) {
  return webframe({ metadata: { paymentMethod: 'capture', authorizationId }, ...changes });
}

/** An authorization that its payer, a person, has approved; no time passes. */
export async function createAuthorized(app: TestApp, changes: Record<string, unknown> = {}): Promise<any> {
  const payment = await create(app, authorization(SOMEBODY, changes));
  await answerPush(app, payment.id, 'approve');
  return untilStatus(app, payment.id, 'Authorized');
}

/** The payer of an authorization answers. */
export async function answerPush(app: TestApp, id: string, verdict: 'approve' | 'decline'): Promise<void> {
  const made = await until(
    async () => (await readOrders(app, id, 'authorization')).find(({ status }) => status !== 'Unsent'),
    `the push of ${id} being sent`,
  );
  const response = await fetch(`${app.url}/sandbox/rail/pushes/${made.id}/${verdict}`, { method: 'POST' });
  if (!response.ok) throw new Error(`not answered: ${await response.text()}`);
}

/** Lets the clock run until nothing is under way and nothing overdue: whatever a leap in time has brought is over. */
export function travelToRest(app: TestApp): Promise<boolean> {
  const busy = `select from payments where status = 'Processing' or operation is not null
    or (status in ('Pending', 'Authorized') and expires_at <= $1)`;
  const isAtRest = async () => (await app.sql(busy, [app.clock.now()])).length === 0;
  return travelUntil(app, isAtRest, 'everything being settled');
}

type Asking = { key?: string; prefer?: string; token?: string | null };

function headersOf({ key, prefer }: Asking): Record<string, string> {
  return { ...(key && { 'idempotency-key': key }), ...(prefer && { prefer }) };
}

/** Asks for a cancellation. */
export function cancel(app: TestApp, id: string, { token, ...asking }: Asking = {}): Promise<Reply> {
  const whose = token === undefined ? {} : { token };
  return app.call(`/api/payments/${id}/cancel`, { method: 'POST', headers: headersOf(asking), ...whose });
}

/** Asks for a capture; `authorizationId` may be anything, or the whole body is given. */
export function take(app: TestApp, body: object, { token, ...asking }: Asking = {}): Promise<Reply> {
  const whose = token === undefined ? {} : { token };
  return app.call('/api/payments', { body, headers: headersOf(asking), ...whose });
}

/** What the rail was asked to do for a payment, and what became of it, the oldest first. */
export function readOrders(app: TestApp, id: string, kind: string): Promise<any[]> {
  return app.sql('select * from attempts where payment_id = $1 and kind = $2 order by created_at, id', [id, kind]);
}

/** The rail says of an order whatever a test wants said; applied when this resolves. Needs NOTIFY_ENV. */
export async function notifyOrder(app: TestApp, kind: string, orderId: string, verdict: Verdict): Promise<string> {
  const id = randomUUID();
  const decidedAt = app.clock.now().toISOString();
  const terms = { amount: '1500.00', currency: 'AOA', terminalId: 'demo-pos', phone: `+244${SOMEBODY}` };
  const thing = { id: orderId, ...(kind === 'void' ? {} : terms), ...verdict, decidedAt };
  const body = JSON.stringify({ id, type: kind, createdAt: decidedAt, [kind]: thing });
  const reply = await sendNotification(app, body);
  if (reply.status !== 200) throw new Error(`not taken: ${reply.status} ${reply.text}`);
  return untilApplied(app, id);
}

/** At the rail the money is taken by a capture that is none of ours. Needs NOTIFY_ENV. */
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

export type FullBooks = Pick<Books, 'authorizations' | 'captures' | 'voids'>;

/** One authorization with everything that was asked about it, whatever became of that. */
export type Held = HoldBook & Pick<FullBooks, 'captures' | 'voids'>;

export async function readFullBooks(app: TestApp): Promise<FullBooks> {
  return (await (await fetch(`${app.url}/sandbox/rail/books`)).json()) as FullBooks;
}

/** One authorization's page of the books; null when the rail never saw it. */
export async function readHeld(app: TestApp, id: string): Promise<Held | null> {
  const [made] = await readOrders(app, id, 'authorization');
  const books = await readFullBooks(app);
  const found = books.authorizations.find((book) => book.id === made.id);
  return found ? { ...found, ...stepsOf(books, made.id) } : null;
}

function stepsOf({ captures, voids }: FullBooks, id: string): Pick<FullBooks, 'captures' | 'voids'> {
  return {
    captures: captures.filter(({ authorizationId }) => authorizationId === id),
    voids: voids.filter(({ targetId }) => targetId === id),
  };
}

const AUTHORIZATIONS = `
  select p.id, a.id as attempt_id, p.status, p.operation, p.flags, coalesce(p.authorized_minor, 0)::int as authorized,
    coalesce(p.captured_minor, 0)::int as captured,
    (select coalesce(sum(t.amount_minor), 0)::int from transactions t join payments c on c.id = t.payment_id
     where c.authorization_id = p.id) as received
  from payments p join attempts a on a.payment_id = p.id and a.kind = 'authorization'`;

/** Runs a query on the gateway's database. */
type Sql = (text: string, values?: unknown[]) => Promise<any[]>;

/**
 * For when all is settled: of every authorization, captured + voided + held is what was authorized, in the rail's books
 * and in ours, and both have the same numbers; nothing was both taken and given back, nothing taken twice.
 */
export async function expectAgreement(sql: Sql, books: FullBooks): Promise<void> {
  const byId = new Map(books.authorizations.map((book) => [book.id, book]));
  const rows = await sql(AUTHORIZATIONS);
  expect(books.authorizations.map(({ id }) => id).filter((id) => !rows.some((row) => row.attempt_id === id))).toEqual(
    [],
  );
  for (const row of rows) {
    const { captures, voids } = stepsOf(books, row.attempt_id);
    const isDone = ({ status }: { status: string }) => status === 'APPROVED';
    const [taken, released] = [captures.filter(isDone).length, voids.filter(isDone).length];
    expect(taken, `captures of ${row.id}`).toBeLessThanOrEqual(released > 0 ? 0 : 1);
    expect({ id: row.id, operation: row.operation, flags: row.flags, ...splitOurs(row) }).toEqual({
      id: row.id,
      operation: null,
      flags: [],
      ...splitTheirs(byId.get(row.attempt_id)),
    });
    expect(row.received, `money of ${row.id}`).toBe(row.captured);
  }
}

type OurRow = { status: string; authorized: number; captured: number };

/** By our own status: what is neither taken nor held any more was given back. */
function splitOurs({ status, authorized, captured }: OurRow) {
  const held = status === 'Authorized' ? authorized - captured : 0;
  return { authorized, captured, held, voided: authorized - captured - held };
}

function splitTheirs(book: HoldBook | undefined) {
  const minor = (amount = '0') => Math.round(Number(amount) * 100);
  const [authorized, captured] = [minor(book?.authorized), minor(book?.captured)];
  const [held, voided] = [minor(book?.held), minor(book?.voided)];
  expect(captured + voided + held).toBe(authorized);
  return { authorized, captured, held, voided };
}
