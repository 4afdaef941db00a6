// Payment requests as tests make them.
import { until, type TestApp } from './app.ts';
import { readIdleMs, untilLooked } from './idle.ts';

/** Steps of a travel. */
const ASK_EACH = 2;
/** A step of the clock while it goes on for the sake of what is under way alone. */
const CREEP_MS = 1;

let nth = 0;

/** A valid webframe creation; every call has a reference of its own. */
export function webframe(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { amount: 1500, currency: 'AOA', paymentType: 'GPO', reference: `R${++nth}`, ...changes };
}

/** A valid onetimepurchase creation for a phone. */
export function purchase(phoneNumber: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return webframe({ metadata: { paymentMethod: 'onetimepurchase', phoneNumber }, ...changes });
}

/** Creates and answers the payment. @throws when it was not created */
export async function create(app: TestApp, body: Record<string, unknown>): Promise<any> {
  const reply = await app.call('/api/payments', { body });
  if (reply.status !== 201) throw new Error(`not created: ${reply.status} ${reply.text}`);
  return reply.json;
}

/** The payment, once it has the wanted status, while the test's clock runs on (at most `withinMs` of its time). */
export async function travelToStatus(app: TestApp, id: string, status: string, withinMs = 600_000): Promise<any> {
  return travelUntil(
    app,
    async () => {
      const { json } = await app.call(`/api/payments/${id}`);
      return json.status === status ? json : null;
    },
    `payment ${id} being ${status}`,
    withinMs,
  );
}

/** How long rails, and who tells their news, wait for an answer. */
const CALL_LIMITS_MS = [5_000, 10_000];

/** Whether a call is under way: so much of the clock's time is all that it has. */
export function isCalling({ clock }: TestApp): boolean {
  return clock.waits().some(({ ms }) => CALL_LIMITS_MS.includes(ms));
}

/**
 * Lets the clock run in half seconds, with room for real network and database between, until `check` is true. Seconds in
 * which nothing can happen are leapt over.
 */
export async function travelUntil<T>(
  app: TestApp,
  check: () => Promise<T> | T,
  what: string,
  withinMs = 600_000,
): Promise<NonNullable<T>> {
  const end = app.clock.now().getTime() + withinMs;
  for (let steps = 1; ; steps++) {
    const value = await check();
    if (value) return value as NonNullable<T>;
    const leftMs = end - app.clock.now().getTime();
    // What came due in that time may still be under way, however slow the machine is.
    if (leftMs < 0) return creepUntil(app, check, `${what} within ${withinMs} ms of the clock`, CREEP_MS);
    // Most travels end before it is worth asking.
    if (steps % ASK_EACH === 0) app.clock.leap(Math.min(leftMs, await readIdleMs(app)));
    // Slowly while a call waits for its answer, or it would be given up too soon.
    await app.clock.advance(isCalling(app) ? 200 : 500);
    await new Promise((resolve) => setTimeout(resolve, 10));
    await untilLooked(app, TRAVEL_PATIENCE_MS);
  }
}

/** Lets the clock run so until `check` is true or its time is over; answers whether it is true. */
export async function travelFor(app: TestApp, check: () => Promise<boolean>, ms: number): Promise<boolean> {
  const end = app.clock.now().getTime() + ms;
  await travelUntil(app, async () => app.clock.now().getTime() >= end || (await check()), 'the end of the time', ms);
  return check();
}

/** Leaps to just before a payment's end, of which a travel sees the rest. */
export function leapToEnd(app: TestApp, { expiresAt }: { expiresAt: string }): void {
  app.clock.leap(Date.parse(expiresAt) - app.clock.now().getTime() - 3_000);
}

/** Lets the clock run so slowly that what has come due is over long before the next thing is, until `check` is true. */
export function creepUntil<T>(
  app: TestApp,
  check: () => Promise<T> | T,
  what: string,
  stepMs: number | (() => number) = 100,
  patienceMs = CREEP_PATIENCE_MS,
): Promise<NonNullable<T>> {
  const step = async () => {
    await app.clock.advance(typeof stepMs === 'number' ? stepMs : stepMs());
    return check();
  };
  return until(step, what, patienceMs, 5);
}

/** Somebody may hold the database up, and time passes all the same. */
const TRAVEL_PATIENCE_MS = 300;
const CREEP_PATIENCE_MS = 40_000;

/** The call's end was recorded: what comes next comes from the due work, at its first time. */
export function untilCalled(app: TestApp, id: string): Promise<boolean> {
  return until(async () => {
    const called = `select from attempts where payment_id = $1 and due_at = created_at + interval '2 seconds'`;
    return (await app.sql(called, [id])).length > 0;
  }, 'the call’s end being recorded');
}

/** The payment, once it has the wanted status (the clock stands still). */
export function untilStatus(app: TestApp, id: string, status: string): Promise<any> {
  return until(async () => {
    const { json } = await app.call(`/api/payments/${id}`);
    return json.status === status ? json : null;
  }, `payment ${id} being ${status}`);
}

/** What the simulator's own books say of a reference. */
export async function readBooks(app: TestApp, reference: string): Promise<any[]> {
  const response = await fetch(`${app.url}/sandbox/rail/books?reference=${encodeURIComponent(reference)}`);
  return ((await response.json()) as { data: any[] }).data;
}

/** Orders a fault of the simulator. */
export async function orderFault(app: TestApp, fault: Record<string, unknown>): Promise<void> {
  const response = await fetch(`${app.url}/sandbox/rail/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fault),
  });
  if (!response.ok) throw new Error(`fault refused: ${await response.text()}`);
}
