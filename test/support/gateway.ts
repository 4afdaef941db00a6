// A gateway process on its own database, and a rail in another process that keeps running. Tests kill the gateway.
import { expect } from 'vitest';
import { until } from './app.ts';
import { connectMerchant, startChild, type Child } from './child.ts';
import { freshDatabase, querySql } from './database.ts';
import { jumpClock, type JumpClock } from './jump-clock.ts';
import { purchase, webframe } from './payments.ts';
import { startRail } from './rail.ts';
import { areAllResolved, expectTruth, type Sql } from './truth.ts';
import { stopLater } from './stop-later.ts';

/** Less than half of the 30 s after which an attempt is sent again, so that slow machines have time around a kill. */
const TIMEOUT_S = 12;
/** After this time the lease of a rail call has ended: the rail's timeout plus 5 s. */
export const AFTER_LEASE_MS = (TIMEOUT_S + 6) * 1_000;
/** The gateway does not send an attempt of this age again, even if the rail does not know it. */
export const AFTER_30_S_MS = 40_000;

type Rails = { env: Record<string, string>; stop(): Promise<unknown> };
type StartRails<R> = (options: { clock: JumpClock; gatewayUrl: () => string }) => Promise<R>;

/** Starts rails, then `count` gateway processes on one database. A `DATABASE_URL` of the rails is shared with them. */
export async function startGatewayFixture<R extends Rails>(
  start: StartRails<R>,
  extra: Record<string, string> = {},
  count = 1,
) {
  /** The real clock plus the time that a test adds. */
  const clock = jumpClock();
  const nodes: Child[] = [];
  let turn = 0;
  const isAlive = ({ process }: Child) => process.exitCode === null && process.signalCode === null;
  /** Returns the URLs of the running nodes in rotation. */
  const gatewayUrl = () => {
    const alive = nodes.filter(isAlive);
    return (alive[turn++ % Math.max(alive.length, 1)] ?? nodes[0])?.url ?? '';
  };
  const rail = await start({ clock, gatewayUrl });
  const { DATABASE_URL: shared } = rail.env;
  const database = shared ? { url: shared, drop: async () => {} } : await freshDatabase();
  const env = { ...rail.env, DATABASE_URL: database.url, LOG_LEVEL: 'warn', ...extra };
  for (let nth = 0; nth < count; nth++) nodes.push(await startChild({ env }));
  const child = (nth = 0) => nodes[nth] as Child;
  const sql: Sql = (text, values) => querySql(database.url, text, values);
  let lateMs = 0;
  return stopLater({
    rail,
    clock,
    /** The environment for another node of this gateway. */
    env,
    nodes,
    merchant: connectMerchant(() => child().url),
    databaseUrl: database.url,
    sql,
    child,
    /** Restarts a node on the same port, with a clock that is later by this time. */
    async restart(laterMs: number, nth = 0) {
      lateMs += laterMs;
      // The clock of the rail does not move, so that its repeats do not depend on the machine's speed.
      nodes[nth] = await clock.standStill(() => startChild({ env, port: child(nth).port, lateMs }));
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.kill()));
      await rail.stop();
      await database.drop();
    },
  });
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>;

export async function startGateway(settings: { env?: Record<string, string> } = {}) {
  const fixture = await startGatewayFixture(startRail, { GPO_TIMEOUT_S: String(TIMEOUT_S), ...settings.env });
  const { rail, merchant, sql } = fixture;
  return {
    ...fixture,
    /** Creates a onetimepurchase and a webframe with a push each, and returns their references. */
    async pushTwo(phone: string): Promise<string[]> {
      const direct = await merchant.call('/api/payments', { body: purchase(phone) });
      expect(direct).toMatchObject({ status: 201, json: { status: 'Processing' } });
      const page = await merchant.call('/api/payments', { body: webframe() });
      const paid = await merchant.call(`/checkout/${page.json.clientToken}/pay`, { body: { phoneNumber: phone } });
      expect(paid).toMatchObject({ status: 202, json: { status: 'Processing' } });
      return [direct.json.reference, page.json.reference];
    },
    /** Returns the status and the failure code of the payment with each of these references. */
    async statuses(references: string[]): Promise<string[]> {
      const rows = await sql(
        `select reference, concat_ws(' ', status, failure_code) as status from payments where reference = any($1)`,
        [references],
      );
      return references.map((reference) => rows.find((row) => row.reference === reference)?.status ?? 'none');
    },
    /** Returns the rail's purchases with these references. */
    books: async (references: string[]) => (await Promise.all(references.map((one) => rail.books(one)))).flat(),
    untilResolved: () => until(() => areAllResolved(sql), 'every attempt being resolved'),
    /** Compares all payments and attempts with the rail's books. */
    expectTruth: async () => expectTruth(sql, await rail.books()),
  };
}
