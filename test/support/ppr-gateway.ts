// A gateway in a process of its own beside a PPR rail that outlives it: to be killed and restarted, and compared with its books.
import { expect } from 'vitest';
import { until } from './app.ts';
import { expectCash, isAtRest, startProxiedRail, type ProxiedRail } from './cashbook.ts';
import { connectMerchant, startChild, type Child, type MerchantClient } from './child.ts';
import { freshDatabase, querySql } from './database.ts';
import { jumpClock } from './jump-clock.ts';
import { PPR } from './ppr.ts';
import type { ReferenceBook } from './references.ts';
import type { Sql } from './truth.ts';
import { stopLater } from './stop-later.ts';

/** So long that no slow machine comes to its end by itself. */
const TIMEOUT_S = 30;
/** A claim of the rail's call ends: the rail's time, and 5 s more. */
export const AFTER_LEASE_MS = (TIMEOUT_S + 6) * 1_000;
/** The rail's list is read again. */
export const AFTER_SWEEP_MS = 70_000;

export type PprGateway = {
  rail: ProxiedRail;
  merchant: MerchantClient;
  databaseUrl: string;
  sql: Sql;
  /** The process of this moment. */
  child(): Child;
  /** Starts again on the same port, as if that much later, for the rail too. */
  restart(laterMs: number): Promise<void>;
  /** A reference of 1500.00 that can be paid. */
  createPayable(changes?: object): Promise<any>;
  read(digits: string): Promise<any>;
  readSteps(digits: string): Promise<string[]>;
  /** What the rail has of the newest with these digits; undefined when nothing. */
  book(digits: string): Promise<ReferenceBook | undefined>;
  /** Nothing is left to do, and everything recorded equals the rail's books. */
  expectTruth(): Promise<void>;
  stop(): Promise<void>;
};

export async function startPprGateway(): Promise<PprGateway> {
  const clock = jumpClock();
  const rail = await startProxiedRail({ clock, gatewayUrl: () => child.url });
  const database = await freshDatabase();
  const env = { ...rail.env, DATABASE_URL: database.url, PPR_TIMEOUT_S: String(TIMEOUT_S), LOG_LEVEL: 'warn' };
  let child = await startChild({ env });
  let lateMs = 0;
  const sql: Sql = (text, values) => querySql(database.url, text, values);
  const merchant = connectMerchant(() => child.url);
  const read = async (digits: string) => (await merchant.call(`${PPR}/${digits}`)).json;
  return stopLater({
    rail,
    merchant,
    databaseUrl: database.url,
    sql,
    child: () => child,
    async restart(laterMs) {
      lateMs += laterMs;
      // What the rail repeats meanwhile depends on no machine's speed.
      child = await clock.standStill(() => startChild({ env, port: child.port, lateMs }));
      clock.jump(laterMs);
    },
    async createPayable(changes = {}) {
      const { status, text, json } = await merchant.insist(PPR, { body: { amount: 1500, ...changes } });
      expect(status, text).toBe(201);
      await until(async () => (await read(json.reference)).registeredAt, 'the rail knowing it');
      return json;
    },
    read,
    readSteps: async (digits) =>
      (await merchant.call(`${PPR}/${digits}/history`)).json.data.map(({ type }: { type: string }) => type),
    book: async (digits) => (await rail.books(digits)).references.at(-1),
    async expectTruth() {
      await until(() => isAtRest(sql, rail, clock.now()), 'references and money being settled', 30_000);
      await expectCash(sql, await rail.books());
    },
    async stop() {
      await child.kill();
      await rail.stop();
      await database.drop();
    },
  });
}
