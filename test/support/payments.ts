// Creates payments, and moves the test clock until they have a status.
import { until, type TestApp } from './app.ts';
import { readIdleMs, untilNoStatementRuns } from './idle.ts';
import { askRail, readRailBooks } from './lone-rail.ts';

/** The number of clock steps between two reads of the idle time. */
const IDLE_EACH = 2;
/** A clock step so short that it only lets running work end. */
const CREEP_MS = 1;

let nth = 0;

/** A valid webframe creation with a new reference. */
export function webframe(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { amount: 1500, currency: 'AOA', paymentType: 'GPO', reference: `R${++nth}`, ...changes };
}

/** A valid onetimepurchase creation for a phone. */
export function purchase(phoneNumber: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return webframe({ metadata: { paymentMethod: 'onetimepurchase', phoneNumber }, ...changes });
}

type Caller = Pick<TestApp, 'call'>;

/** Creates a payment. @throws if the status is not 201 */
export async function create(app: Caller, body: Record<string, unknown>): Promise<any> {
  const reply = await app.call('/api/payments', { body });
  if (reply.status !== 201) throw new Error(`not created: ${reply.status} ${reply.text}`);
  return reply.json;
}

/** Moves the clock, at most by `withinMs`, until the payment has the status. */
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

/** The lengths of waits that are timeouts of rail calls and of rail notifications. */
const CALL_LIMITS_MS = [5_000, 10_000];

export function isCalling({ clock }: TestApp): boolean {
  return clock.waits().some(({ ms }) => CALL_LIMITS_MS.includes(ms));
}

/** Moves the clock in half seconds until `check` is true. It leaps over time without due work. */
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
    // Due work may still run on a slow machine.
    if (leftMs < 0) return creepUntil(app, check, `${what} within ${withinMs} ms of the clock`, CREEP_MS);
    if (steps % IDLE_EACH === 0) app.clock.leap(Math.min(leftMs, await readIdleMs(app)));
    // Larger steps would make a waiting rail call time out too soon.
    await app.clock.advance(isCalling(app) ? 200 : 500);
    await new Promise((resolve) => setTimeout(resolve, 10));
    await untilNoStatementRuns(app, TRAVEL_PATIENCE_MS);
  }
}

/** Moves the clock until `check` is true, at most by `ms`. Returns whether `check` became true. */
export async function travelFor(app: TestApp, check: () => Promise<boolean>, ms: number): Promise<boolean> {
  const end = app.clock.now().getTime() + ms;
  await travelUntil(app, async () => app.clock.now().getTime() >= end || (await check()), 'the end of the time', ms);
  return check();
}

/** Moves the clock to three seconds before the expiry of a payment. */
export function leapToEnd(app: TestApp, { expiresAt }: { expiresAt: string }): void {
  app.clock.leap(Date.parse(expiresAt) - app.clock.now().getTime() - 3_000);
}

/** Moves the clock slowly until `check` is true, so that due work ends before the next work comes due. */
export function creepUntil<T>(
  app: TestApp,
  check: () => Promise<T> | T,
  what: string,
  stepMs: number | (() => number) = 100,
  timeoutMs?: number,
): Promise<NonNullable<T>> {
  const step = async () => {
    await app.clock.advance(typeof stepMs === 'number' ? stepMs : stepMs());
    return check();
  };
  return until(step, what, timeoutMs, 5);
}

/** A test may lock the database while time passes. */
const TRAVEL_PATIENCE_MS = 300;

/** Waits until the gateway has recorded the end of the rail call. Then the first poll is due. */
export function untilCalled(app: TestApp, id: string): Promise<boolean> {
  return until(async () => {
    const called = `select from attempts where payment_id = $1 and due_at = created_at + interval '2 seconds'`;
    return (await app.sql(called, [id])).length > 0;
  }, 'the call’s end being recorded');
}

/** Waits until the payment has the status, without moving the clock. */
export function untilStatus(app: Caller, id: string, status: string): Promise<any> {
  return until(async () => {
    const { json } = await app.call(`/api/payments/${id}`);
    return json.status === status ? json : null;
  }, `payment ${id} being ${status}`);
}

/** Reads the simulator's purchases with this reference. */
export async function readBooks(app: TestApp, reference: string): Promise<any[]> {
  return (await readRailBooks(app, reference)).data;
}

/** Makes the simulator fail in this way (docs/rail.md). */
export async function orderFault(app: TestApp, fault: object): Promise<void> {
  const { status, body } = await askRail(app, '/faults', fault);
  if (status !== 201) throw new Error(`fault refused: ${JSON.stringify(body)}`);
}
