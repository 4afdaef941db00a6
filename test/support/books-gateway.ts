// A gateway in a process of its own beside a simulator of both rails that outlives it, in one database: to be killed, restarted and
// compared with the simulator's books.
import { startChild, connectMerchant, type MerchantClient } from './child.ts';
import { querySql } from './database.ts';
import { jumpClock, type JumpClock } from './jump-clock.ts';
import { startLoneRail, type LoneRail } from './lone-rail.ts';
import { startProxy, type Proxy } from './proxy.ts';
import { PPR_KEY } from './references.ts';
import { RAIL_KEY } from './rail.ts';
import { stopLater } from './stop-later.ts';
import type { Sql } from './truth.ts';

/** Less than half of the 30 s in which an attempt is sent again: a slow machine has as long before a kill as after it. */
const TIMEOUT_S = 12;
/** Calls that a kill interrupted are taken over: the rail's time, and 5 s more. */
export const AFTER_LEASE_MS = (TIMEOUT_S + 6) * 1_000;
/** An attempt this old that the rail does not know is not sent any more. */
export const AFTER_30_S_MS = 40_000;
/** Past every lease and poll of what is under way, and the rail's list is read again. */
export const AFTER_SWEEP_MS = 70_000;

export type BooksGateway = {
  rail: LoneRail;
  /** Of both, the rail's and the gateway's: the real one, and what restarts set it forward. */
  clock: JumpClock;
  /** Gateway → rails. */
  calls: Proxy;
  /** Rails → gateway. */
  notifications: Proxy;
  merchant: MerchantClient;
  sql: Sql;
  /** kill -9, `away` while nobody is there, and started again on the same port, as if that much later, for the rails too. */
  killAndRestart(laterMs: number, away?: () => unknown): Promise<void>;
  stop(): Promise<void>;
};

export async function startBooksGateway(): Promise<BooksGateway> {
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
    // Nothing is sent there: a simulator within the gateway would send the news of this one.
    SMS_URL: calls.url,
    SMS_KEY: RAIL_KEY,
    DATABASE_URL: rail.databaseUrl,
    LOG_LEVEL: 'warn',
  };
  let child = await startChild({ env });
  let lateMs = 0;
  const gateway: BooksGateway = {
    rail,
    clock,
    calls,
    notifications,
    merchant: connectMerchant(() => child.url),
    sql: (text, values) => querySql(rail.databaseUrl, text, values),
    async killAndRestart(laterMs, away) {
      await child.kill();
      await away?.();
      lateMs += laterMs;
      // What the rail repeats meanwhile depends on no machine's speed.
      child = await clock.standStill(() => {
        clock.jump(laterMs);
        return startChild({ env, port: child.port, lateMs });
      });
      // No token outlives hours.
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
