// Starts gateway processes that tests kill, two rails, and a merchant's server. Rails and merchant keep running.
import { expect } from 'vitest';
import { until } from './app.ts';
import { startProxiedRail } from './cashbook.ts';
import { querySql } from './database.ts';
import { startGatewayFixture } from './gateway.ts';
import type { JumpClock } from './jump-clock.ts';
import { countWaiting, holdLock } from './locks.ts';
import { createPayableAt } from './ppr-gateway.ts';
import { qrcode } from './qrcodes.ts';
import { startRail } from './rail.ts';
import { ACCESS_KEY, RECEIVER_ENV, startReceiver } from './receiver.ts';
import type { Digits } from './references.ts';

/** The lease of a claim lasts 15 s. */
export const AFTER_LEASE_MS = 16_000;

export type CallbackGateway = Awaited<ReturnType<typeof startCallbackGateway>>;

/** Starts nodes that send the demo merchant's callbacks to `receiver`. */
export async function startCallbackGateway({ count = 1 } = {}) {
  const receiver = await startReceiver();
  const timeouts = { PPR_TIMEOUT_S: '5', GPO_TIMEOUT_S: '5' };
  const fixture = await startGatewayFixture(startBothRails, { ...RECEIVER_ENV, ...timeouts }, count);
  const { clock, merchant, sql, nodes, env, databaseUrl } = fixture;
  const { gpo, ppr } = fixture.rail;
  const [{ merchant_id: merchantId }] = await sql(`select merchant_id from clients where id = 'demo'`);
  const set = { method: 'PUT', body: { url: receiver.url, accessKey: ACCESS_KEY } };
  expect((await merchant.call(`/api/merchants/${merchantId}/callback`, set)).status).toBe(200);
  return {
    gpo,
    ppr,
    receiver,
    merchant,
    databaseUrl,
    sql,
    env,
    /** The time of the rails and of restarted nodes. */
    now: clock.now,
    nodes,
    /** Restarts a node on its port. The clocks of rails and restarted nodes advance by `laterMs`. */
    async restart(nth: number, laterMs: number) {
      clock.jump(laterMs);
      await fixture.restart(laterMs, nth);
    },
    /** Makes a registered reference that accepts any number of payments. */
    createReference: () => createPayableAt(merchant, { amount: 0, referenceType: 'Charging' }),
    /** Makes a QR code that accepts a hundred payments. */
    async createCode() {
      const headers = { prefer: 'return=representation' };
      const body = qrcode({ maxTransactions: 100 });
      const { status, text, json } = await merchant.call('/api/payments', { body, headers });
      expect(status, text).toBe(201);
      return { id: json.id as string, content: json.qrCode.content as string };
    },
    /** Pays at the rail, which notifies a node. */
    async pay(digits: Digits, amount: string) {
      const { status, body } = await ppr.pay(digits, { amount });
      expect(status, JSON.stringify(body)).toBe(201);
    },
    delivery: async (paymentId: string) =>
      (await sql('select * from deliveries where payment_id = $1 order by seq', [paymentId])).at(-1),
    stop: fixture.stop,
  };
}

async function startBothRails(options: { clock: JumpClock; gatewayUrl: () => string }) {
  const gpo = await startRail(options);
  const ppr = await startProxiedRail(options);
  return { gpo, ppr, env: { ...gpo.env, ...ppr.env }, stop: () => Promise.all([gpo.stop(), ppr.stop()]) };
}

/** Locks the table of delivery attempts, so that claims and records wait. */
export async function blockAttempts(databaseUrl: string) {
  const release = await holdLock(databaseUrl, 'lock table delivery_attempts in exclusive mode');
  return {
    /** Waits until a statement waits for this lock. */
    untilBlocked: (text: string) =>
      until(async () => (await countWaiting(databaseUrl, text)) > 0, `"${text}" being stopped`),
    /** Ends the waiting connections before the statement runs. */
    async abort() {
      await querySql(
        databaseUrl,
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`,
      );
      await release();
    },
    release,
  };
}
