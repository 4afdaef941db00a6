// Lets a gateway finish whatever an answer has set off, so that the next answer depends on no machine's speed.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { EventEmitter } from 'node:events';
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import pg from 'pg';
import type { TestApp } from '../app.ts';
import { isAsking } from '../idle.ts';
import { stopLater } from '../stop-later.ts';

/**
 * Calls are made at marks, so far apart. What they set off comes due after a minute, after 90 seconds, after half an hour:
 * with eleven seconds never at a mark, but some seconds away from both.
 */
export const MARK_MS = 11_000;
/** Loops gather for so long what comes due together; whoever waits no longer has something to do. */
const GATHER_MS = 50;
/** Loops look for what is due so often. */
const POLL_MS = 1_000;
const PATIENCE_MS = 20_000;
const CALM_LOOKS = 2;
const DUE_LOOKS = 8;

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

/** When each thing comes due, at the gateway and at its simulated rails. */
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
  /** Lets time pass to the first mark after so much, everything that comes due on the way at its time. */
  pass(ms: number): Promise<void>;
  /** Leaps over so much time, as for a machine that slept, and to the mark after it. */
  leap(ms: number): Promise<void>;
};

/** @param app whose clock nobody else moves */
export function watchRest(app: TestApp): Rest {
  const { clock } = app;
  const calls = watchCalls();
  const nowMs = () => clock.now().getTime();
  const turn = () => new Promise((resolve) => setTimeout(resolve, 1));
  // On a connection of its own: those of the gateway tell by themselves whether they are at work.
  const own = connect(app.databaseUrl);
  const look = async () => (await (await own).query<Look>({ ...LOOK, values: [clock.now()] })).rows[0] as Look;
  const { pool } = app.node.core;
  const isQuiet = () => calls.size === 0 && !isAsking(pool);

  /** Resolves when nothing is under way; what is due may begin by itself meanwhile, as the clock stands still. */
  async function untilCalm(): Promise<Look> {
    const end = performance.now() + PATIENCE_MS;
    for (let calm = 0; ; await turn()) {
      if (performance.now() > end) throw new Error(`not calm: ${calls.size} calls, ${pool.waitingCount} queries wait`);
      if (!isQuiet()) {
        calm = 0;
        continue;
      }
      const seen = await look();
      calm = isQuiet() && seen.running === 0 ? calm + 1 : 0;
      if (calm >= (seen.due ? DUE_LOOKS : CALM_LOOKS)) return seen;
    }
  }

  /**
   * Until nothing is due, or the clock has come to the end: whoever waits for a moment only is woken. Leaves no full second,
   * which marks have.
   */
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
    // Never to a full second: what has come due is done at its end or a moment later, as it goes, and reads the same.
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

/** Calls that this process makes or answers just now, streams apart: the gateway, its rails and the merchant's server live here. */
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
