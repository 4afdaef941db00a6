// A gateway process on its own database beside a rail that outlives it. Tests kill and restart the process.
import { expect } from 'vitest';
import { until } from './app.ts';
import { connectMerchant, startChild, type Child, type MerchantClient } from './child.ts';
import { freshDatabase, querySql } from './database.ts';
import { jumpClock, type JumpClock } from './jump-clock.ts';
import { purchase, webframe } from './payments.ts';
import { startRail, type Book, type Rail } from './rail.ts';
import { areAllResolved, expectTruth, type Sql } from './truth.ts';
import { stopLater } from './stop-later.ts';

/** Less than half of the 30 s after which an attempt is sent again, so that slow machines have time around a kill. */
const TIMEOUT_S = 12;
/** Past the lease of an intent: the timeout of the rail and 5 s. */
export const AFTER_LEASE_MS = (TIMEOUT_S + 6) * 1_000;
/** An attempt of this age that the rail does not know is not sent again. */
export const AFTER_30_S_MS = 40_000;

/** The process of a gateway, and what survives it. */
export type Process = {
  merchant: MerchantClient;
  databaseUrl: string;
  sql: Sql;
  /** The current process. */
  child(): Child;
  /** Starts it again on the same port, that much later. */
  restart(laterMs: number): Promise<void>;
};

type Rails = { env: Record<string, string>; stop(): Promise<unknown> };

/** Starts a rail and a gateway process that reaches it. */
export async function startProcess<R extends Rails>(
  start: (options: { clock: JumpClock; gatewayUrl: () => string }) => Promise<R>,
  extra: Record<string, string>,
): Promise<Process & { rail: R; clock: JumpClock; stop(): Promise<void> }> {
  const clock = jumpClock();
  const rail = await start({ clock, gatewayUrl: () => child.url });
  const database = await freshDatabase();
  const env = { ...rail.env, DATABASE_URL: database.url, LOG_LEVEL: 'warn', ...extra };
  let child = await startChild({ env });
  let lateMs = 0;
  return {
    rail,
    clock,
    merchant: connectMerchant(() => child.url),
    databaseUrl: database.url,
    sql: (text, values) => querySql(database.url, text, values),
    child: () => child,
    async restart(laterMs) {
      lateMs += laterMs;
      // The clock of the rail stands, so that its repeats do not depend on the machine.
      child = await clock.standStill(() => startChild({ env, port: child.port, lateMs }));
    },
    async stop() {
      await child.kill();
      await rail.stop();
      await database.drop();
    },
  };
}

export type Gateway = Process & {
  rail: Rail;
  /** The rail's clock: the real one, and what a test adds. */
  clock: JumpClock;
  /** Creates a onetimepurchase and a webframe with a push each, and returns their references. */
  pushTwo(phone: string): Promise<string[]>;
  /** `Status failure_code` of each reference. */
  statuses(references: string[]): Promise<string[]>;
  /** The rail's purchases of these references. */
  books(references: string[]): Promise<Book[]>;
  untilResolved(): Promise<unknown>;
  /** Compares all records with the rail's books. */
  expectTruth(): Promise<void>;
  stop(): Promise<void>;
};

export async function startGateway(settings: { env?: Record<string, string> } = {}): Promise<Gateway> {
  const running = await startProcess(startRail, { GPO_TIMEOUT_S: String(TIMEOUT_S), ...settings.env });
  const { rail, merchant, sql } = running;
  return stopLater({
    ...running,
    async pushTwo(phone) {
      const direct = await merchant.call('/api/payments', { body: purchase(phone) });
      expect(direct).toMatchObject({ status: 201, json: { status: 'Processing' } });
      const page = await merchant.call('/api/payments', { body: webframe() });
      const paid = await merchant.call(`/checkout/${page.json.clientToken}/pay`, { body: { phoneNumber: phone } });
      expect(paid).toMatchObject({ status: 202, json: { status: 'Processing' } });
      return [direct.json.reference, page.json.reference];
    },
    async statuses(references) {
      const rows = await sql(
        `select reference, concat_ws(' ', status, failure_code) as status from payments where reference = any($1)`,
        [references],
      );
      return references.map((reference) => rows.find((row) => row.reference === reference)?.status ?? 'none');
    },
    books: async (references) => (await Promise.all(references.map((one) => rail.books(one)))).flat(),
    untilResolved: () => until(() => areAllResolved(sql), 'every attempt being resolved', 30_000),
    expectTruth: async () => expectTruth(sql, await rail.books()),
  });
}
