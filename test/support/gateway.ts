// A gateway in a process of its own, on a database of its own, beside a rail that outlives it: to be killed and restarted.
import { expect } from 'vitest';
import { until } from './app.ts';
import { connectMerchant, startChild, type Child, type MerchantClient } from './child.ts';
import { freshDatabase, querySql } from './database.ts';
import { jumpClock, type JumpClock } from './jump-clock.ts';
import { purchase, webframe } from './payments.ts';
import { startRail, type Book, type Rail } from './rail.ts';
import { areAllResolved, expectTruth, type Sql } from './truth.ts';
import { stopLater } from './stop-later.ts';

/** Half of the 30 s in which an attempt is sent again: a slow machine has as long before a kill as after it. */
const TIMEOUT_S = 12;
/** An intent is taken over when its lease ends: the rail's time, and 5 s more. */
export const AFTER_LEASE_MS = (TIMEOUT_S + 6) * 1_000;
/** An attempt this old that the rail does not know is not sent any more. */
export const AFTER_30_S_MS = 40_000;

export type Gateway = {
  rail: Rail;
  /** The rail's time: the real one, and what a test sets it forward. */
  clock: JumpClock;
  merchant: MerchantClient;
  databaseUrl: string;
  sql: Sql;
  /** The process of this moment. */
  child(): Child;
  /** Starts again on the same port, as if that much later. */
  restart(laterMs: number): Promise<void>;
  /** A onetimepurchase and a webframe, both with a push under way to `phone`; answers their references. */
  pushTwo(phone: string): Promise<string[]>;
  /** `Status failure_code` of each reference. */
  statuses(references: string[]): Promise<string[]>;
  /** What the rail has for these references. */
  books(references: string[]): Promise<Book[]>;
  untilResolved(): Promise<unknown>;
  /** Everything recorded equals the rail's books. */
  expectTruth(): Promise<void>;
  stop(): Promise<void>;
};

export async function startGateway(settings: { env?: Record<string, string> } = {}): Promise<Gateway> {
  const clock = jumpClock();
  const rail = await startRail({ clock, gatewayUrl: () => child.url });
  const database = await freshDatabase();
  const env = {
    ...rail.env,
    DATABASE_URL: database.url,
    GPO_TIMEOUT_S: String(TIMEOUT_S),
    LOG_LEVEL: 'warn',
    ...settings.env,
  };
  let child = await startChild({ env });
  let lateMs = 0;
  const sql: Sql = (text, values) => querySql(database.url, text, values);
  const merchant = connectMerchant(() => child.url);
  return stopLater({
    rail,
    clock,
    merchant,
    databaseUrl: database.url,
    sql,
    child: () => child,
    async restart(laterMs) {
      lateMs += laterMs;
      // What the rail repeats meanwhile depends on no machine's speed.
      child = await clock.standStill(() => startChild({ env, port: child.port, lateMs }));
    },
    async pushTwo(phone) {
      const direct = await merchant.call('/api/payments', { body: purchase(phone) });
      expect(direct).toMatchObject({ status: 201, json: { status: 'Processing' } });
      const page = await merchant.call('/api/payments', { body: webframe() });
      const paid = await merchant.call(`/checkout/${page.json.clientToken}/pay`, { body: { phoneNumber: phone } });
      expect(paid).toMatchObject({ status: 202, json: { status: 'Processing' } });
      return [direct.json.reference, page.json.reference];
    },
    async statuses(references) {
      const rows = await sql('select reference, status, failure_code from payments where reference = any($1)', [
        references,
      ]);
      const byReference = new Map(rows.map((row) => [row.reference, `${row.status} ${row.failure_code ?? ''}`.trim()]));
      return references.map((reference) => byReference.get(reference) ?? 'none');
    },
    books: async (references) => (await Promise.all(references.map((one) => rail.books(one)))).flat(),
    untilResolved: () => until(() => areAllResolved(sql), 'every attempt being resolved', 30_000),
    expectTruth: async () => expectTruth(sql, await rail.books()),
    async stop() {
      await child.kill();
      await rail.stop();
      await database.drop();
    },
  });
}
