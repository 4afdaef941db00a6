// A gateway as a process and a simulator of both rails that outlives it, on one database.
import { startChild, connectMerchant } from './child.ts';
import { querySql } from './database.ts';
import { jumpClock } from './jump-clock.ts';
import { startLoneRail } from './lone-rail.ts';
import { startProxy } from './proxy.ts';
import { PPR_KEY } from './references.ts';
import { RAIL_KEY } from './rail.ts';
import { stopLater } from './stop-later.ts';
import type { Sql } from './truth.ts';

/** Less than half of the 30 s after which an attempt is sent again. */
const TIMEOUT_S = 12;
/** The lease of interrupted calls: the rail's timeout and 5 s. */
export const AFTER_LEASE_MS = (TIMEOUT_S + 6) * 1_000;
/** An attempt of this age is not sent again. */
export const AFTER_30_S_MS = 40_000;
/** Past every lease and poll, and the rail's list is read again. */
export const AFTER_SWEEP_MS = 70_000;

export type BooksGateway = Awaited<ReturnType<typeof startBooksGateway>>;

export async function startBooksGateway() {
  const clock = jumpClock();
  const notifications = await startProxy(() => child.url);
  const notifyUrl = (rail: string) => `${notifications.url}/rails/${rail}/notifications`;
  const rail = await startLoneRail({
    clock,
    key: RAIL_KEY,
    notifyUrl: () => notifyUrl('gpo'),
    pprKey: PPR_KEY,
    pprNotifyUrl: () => notifyUrl('ppr'),
  });
  const calls = await startProxy(() => rail.url);
  const env = {
    GPO_URL: calls.url,
    GPO_KEY: RAIL_KEY,
    GPO_TIMEOUT_S: String(TIMEOUT_S),
    PPR_URL: calls.url,
    PPR_KEY,
    PPR_TIMEOUT_S: String(TIMEOUT_S),
    // This prevents a second simulator within the gateway.
    SMS_URL: calls.url,
    SMS_KEY: RAIL_KEY,
    DATABASE_URL: rail.databaseUrl,
    LOG_LEVEL: 'warn',
  };
  let child = await startChild({ env });
  let lateMs = 0;
  const gateway = {
    rail,
    /** The clock of rail and gateway, which restarts advance. */
    clock,
    calls,
    notifications,
    merchant: connectMerchant(() => child.url),
    sql: ((text, values) => querySql(rail.databaseUrl, text, values)) as Sql,
    /** Kills the node, runs `away`, and restarts it on its port with later clocks. */
    async killAndRestart(laterMs: number, away?: () => unknown) {
      await child.kill();
      await away?.();
      lateMs += laterMs;
      // The rail's repeats must not depend on the machine's speed.
      child = await clock.standStill(() => {
        clock.jump(laterMs);
        return startChild({ env, port: child.port, lateMs });
      });
      // A token expires after an hour.
      gateway.merchant = connectMerchant(() => child.url);
    },
    async stop() {
      await child.kill();
      await calls.stop();
      await notifications.stop();
      await rail.stop();
    },
  };
  return stopLater(gateway);
}
