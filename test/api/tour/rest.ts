// Waits until the gateway has finished the work that a response started, because machines differ in speed.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { EventEmitter } from 'node:events';
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import pg from 'pg';
import type { TestApp } from '../../support/app.ts';
import { isQuerying } from '../../support/idle.ts';
import { stopLater } from '../../support/stop-later.ts';

/**
 * The time between two calls. Work is due after 60 s, 90 s or 30 min, which is never a multiple of eleven seconds.
 * So no call happens within seconds of due work.
 */
export const MARK_MS = 11_000;
/** Loops wait this long to collect due work. A loop that waits a shorter time is busy. */
const GATHER_MS = 50;
/** Loops query due work at this interval. */
const POLL_MS = 1_000;
/** Only ends a tour that hangs. A busy machine may stop for half a minute. */
const PATIENCE_MS = 90_000;
/** The process must be idle for this many turns of the event loop before the database is queried. */
const QUIET_TURNS = 2;
/** Due work has this many idle checks of time to start before the clock moves on. */
const DUE_LOOKS = 3;

const DUE_TABLES = [
  'attempts',
  'payments',
  'payment_references',
  'inbox',
  'rail_feeds',
  'terminals',
  'mails',
  'billing_accounts',
  'certification_requests',
  'settlements',
  'reconciliations',
  'erasures',
  'sms_batches',
  'sms_messages',
];

/** The times at which work becomes due, in the gateway and in its simulated rails. */
const MOMENTS = [
  ...DUE_TABLES.map((table) => `select due_at as at, '${table}' as what from ${table}`),
  `select greatest(due_at, leased_until), 'deliveries' from deliveries`,
  `select due_at, 'notifications of the rail' from simulator.notifications`,
  `select decide_at, 'orders at the rail' from simulator.purchases`,
  `select decide_at, 'messages at the rail' from simulator.messages`,
  `select created_at, 'orders that are not sent' from attempts where status = 'Unsent'`,
  `select public_at, 'money at the rail' from simulator.ppr_payments where position is null`,
].join(' union all ');

const LOOK = {
  name: 'tour_look',
  text: `with moments as materialized (${MOMENTS})
    select (select count(*)::int from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle') as running,
      array_agg(distinct what) filter (where at <= $1::timestamptz) as due,
      extract(epoch from min(at) filter (where at > $1::timestamptz))::float8 * 1000 as "nextMs" from moments`,
};

type Look = { running: number; due: string[] | null; nextMs: number | null };

export type Rest = {
  /** Moves the clock by this time to the next mark. Work that becomes due runs at its own time. */
  pass(ms: number): Promise<void>;
  /** Moves the clock by this time in one step, then on to the next mark. */
  leap(ms: number): Promise<void>;
};

/** @param app the test app whose clock only this function moves */
export function watchRest(app: TestApp): Rest {
  const { clock } = app;
  const calls = watchCalls();
  const nowMs = () => clock.now().getTime();
  const turn = () => new Promise((resolve) => setTimeout(resolve, 1));
  // A database connection outside of the gateway's pool.
  const own = connect(app.databaseUrl);
  const look = async () => (await (await own).query<Look>({ ...LOOK, values: [clock.now()] })).rows[0] as Look;
  const { pool } = app.node.core;
  const isQuiet = () => calls.size === 0 && !isQuerying(pool);

  /** Resolves when no call and no SQL statement runs. The clock stands still, but due work may still start. */
  async function untilCalm(): Promise<Look> {
    const end = performance.now() + PATIENCE_MS;
    for (let calm = 0, quiet = 0; ; await turn()) {
      if (performance.now() > end) throw new Error(`not calm: ${calls.size} calls, ${pool.waitingCount} queries wait`);
      quiet = isQuiet() ? quiet + 1 : 0;
      if (quiet === 0) calm = 0;
      if (quiet < QUIET_TURNS) continue;
      const seen = await look();
      calm = isQuiet() && seen.running === 0 ? calm + 1 : 0;
      if (calm >= (seen.due ? DUE_LOOKS : 1)) return seen;
    }
  }

  /** Wakes loops that only wait for a time, until no work is due or the clock reaches the end. */
  async function settle(endMs: number): Promise<void> {
    for (;;) {
      const { due } = await untilCalm();
      const waits = clock.waits();
      const leftMs = endMs - nowMs();
      if (leftMs === 0 || (due === null && !waits.some(({ ms }) => ms <= GATHER_MS))) return;
      const nextMs = Math.max(0, Math.min(...waits.map(({ at }) => at - nowMs()), POLL_MS));
      clock.leap(Math.min(nextMs + 1, leftMs));
    }
  }

  const startMs = nowMs();
  const markAfter = (ms: number) => startMs + Math.ceil((ms - startMs) / MARK_MS) * MARK_MS;

  async function pass(ms: number): Promise<void> {
    const endMs = markAfter(nowMs() + ms);
    for (await settle(endMs); nowMs() < endMs; await settle(endMs)) {
      const { nextMs } = await look();
      clock.leap(Math.max(1, Math.min(nextMs ?? Infinity, endMs) - nowMs()));
    }
  }

  async function leap(ms: number): Promise<void> {
    await pass(MARK_MS);
    // The clock does not stop at a full second, so that this work is recorded with the mark before it.
    clock.leap(ms + 1);
    await pass(MARK_MS);
  }

  return { pass, leap };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  stopLater({ stop: () => client.end() });
  return client;
}

/** The open calls of this process, which runs the gateway, its rails and the merchant's server, without streams. */
function watchCalls(): Set<object> {
  const calls = new Set<object>();
  const add = (path: string | undefined, call: object) => {
    const isStream = /\/events(\/stream)?(\?|$)/.test(path ?? '');
    if (!isStream) calls.add(call);
    return !isStream;
  };
  const addOwn = (path: string | undefined, call: EventEmitter) => {
    if (add(path, call)) call.once('close', () => calls.delete(call));
  };
  const channels: Record<string, (message: any) => void> = {
    'http.server.request.start': ({ request, response }: { request: IncomingMessage; response: ServerResponse }) =>
      addOwn(request.url, response),
    'http.client.request.start': ({ request }: { request: ClientRequest }) => addOwn(request.path, request),
    'undici:request:create': ({ request }: { request: { path: string } }) => add(request.path, request),
    'undici:request:trailers': ({ request }: { request: object }) => calls.delete(request),
    'undici:request:error': ({ request }: { request: object }) => calls.delete(request),
  };
  for (const [name, hear] of Object.entries(channels)) subscribe(name, hear);
  stopLater({
    async stop() {
      for (const [name, hear] of Object.entries(channels)) unsubscribe(name, hear);
    },
  });
  return calls;
}
