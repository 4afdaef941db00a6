// The database dies (-9, all backends) while nodes take money, and its standby takes over, again and again: what was acknowledged is
// there, or, with a standby that is behind, what is missing is found by the rail's books.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../server/database/embedded/start.ts';
import type { Child } from './child.ts';
import { startPair, type Pair } from '../test/support/database-pair.ts';
import { describeTruth, startShop } from './money-kills.ts';
import { openProxy, startBalancer, startNodes, type DatabaseProxy, type GatewayNode } from './nodes.ts';
import type { Shopped, Shopping } from './processes/shopper.ts';
import { gatewayEnv, type Options, type Stage } from './stage.ts';
import type { Row } from './table.ts';
import { compareAll, showTruth, untilSettled, type Truth, type Witnesses } from './truth.ts';

const KILLS = 5;
const PUSHES_PER_SECOND = 50;
const PAGES_PER_SECOND = 30;
/** Under load before each kill. */
const LOAD_MS = 8_000;
/** How long whoever watches takes to be sure that it is dead. */
const DETECTED_AFTER_MS = 1_000;
/** With an asynchronous standby, how long it has been behind. */
const BEHIND_MS = 1_500;
const BACK_WITHIN_MS = 500;
const SETTLED_WITHIN_MS = 180_000;

export async function benchFailover(stage: Stage, options: Options): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'balcao-failover-'));
  const pair = await startPair(folder, !options.isAsync);
  try {
    const proxy = await openProxy(stage, pair);
    return await failAgainAndAgain(stage, { pair, proxy, options }).finally(proxy.stop);
  } finally {
    await pair.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Scene = { pair: Pair; proxy: DatabaseProxy; options: Options };

async function failAgainAndAgain(stage: Stage, { pair, proxy, options }: Scene): Promise<Row[]> {
  const { rate, isAsync, kills: wanted = null } = options;
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const databaseUrl = pair.urlAt(proxy.port);
  const till = stage.start('bench/processes/till.ts');
  const key = stage.rail.key;
  const rail = { url: await till.ask<string>('listen', { key, gatewayUrl: publicUrl }), key };
  const nodes = await startNodes(stage, { databaseUrl, rail, count: 2, publicUrl });
  // Nobody who looks each second stands between the callers and a node that is back.
  const front = await startBalancer(stage, { port, nodes, isBlind: true });
  const shopper = stage.start('bench/processes/shopper.ts');
  const load = { pushesPerSecond: PUSHES_PER_SECOND * rate, pagesPerSecond: PAGES_PER_SECOND * rate };
  const shopping: Shopping = { url: front.url, token: await startShop(shopper, front.url), ...load };
  await shopper.ask('shop', shopping);
  const startedAt = new Date();
  const backMs: number[] = [];
  const kills: Kill[] = [];
  const count = wanted ?? KILLS;
  for (let nth = 0; nth < count; nth++) {
    await pause(LOAD_MS);
    const failover = await failOver({ pair, proxy, options }, shopper);
    backMs.push(failover.backMs);
    kills.push(failover);
    console.error(`${nth + 1} of ${count}: first 201 after ${backMs.at(-1)} ms`);
    await pair.rejoin(!isAsync);
  }
  await shopper.ask('end');
  const database = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  database.on('error', () => {});
  const witnesses = { database, till, shopper };
  const what = `${count} failovers (${proxy.name}, ${isAsync ? `asynchronous, ${BEHIND_MS} ms behind` : 'synchronous'}, ${load.pushesPerSecond} + ${load.pagesPerSecond}/s)`;
  const env = gatewayEnv({ databaseUrl, dataDir: '.data', port: 0, rail });
  const rows = isAsync
    ? await reconcileAll(witnesses, { what, env, startedAt })
    : describeTruth(what, await untilSettled(witnesses, SETTLED_WITHIN_MS));
  const { streams, troubles, unknown } = await shopper.ask<Shopped>('collect');
  console.error('callers saw', troubles, 'streams', streams);
  rows.push(describeUnknown(what, kills, unknown));
  rows.push(...describeNodes(what, { backMs, nodes, streams, isAsync }));
  await Promise.all([front.stop(), till.stop(), shopper.stop(), ...nodes.map((node) => node.stop())]);
  await database.end();
  return rows;
}

/** When the database was killed, and when all of it was dead: by the time of day in ms. */
type Kill = { fromMs: number; toMs: number };

/** `backMs`: from the promotion to the first payment. */
type Failover = Kill & { backMs: number };

async function failOver({ pair, proxy, options }: Scene, shopper: Child): Promise<Failover> {
  if (options.isAsync) {
    await pair.cutLink();
    await pause(BEHIND_MS);
  }
  const fromMs = Date.now();
  await pair.kill();
  const toMs = Date.now();
  await proxy.follow();
  await pause(DETECTED_AFTER_MS);
  await pair.promote();
  const promotedAt = Date.now();
  await proxy.follow();
  for (;;) {
    const at = await shopper.ask<number | null>('firstAfter', { at: promotedAt });
    if (at !== null) return { fromMs, toMs, backMs: at - promotedAt };
    await pause(10);
  }
}

type Reconciling = { what: string; env: Record<string, string>; startedAt: Date };

/** With a standby that is behind something is lost: what of it was money is there again after `balcao reconcile`. */
async function reconcileAll(witnesses: Witnesses, { what, env, startedAt }: Reconciling): Promise<Row[]> {
  const before = await untilDecided(witnesses);
  console.error('before reconcile', showTruth(before));
  const args = ['server/cli/main.ts', 'reconcile', '--json', '--since', startedAt.toISOString()];
  const told = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, ...env },
    maxBuffer: 2 ** 28,
  });
  const { findings } = JSON.parse(told.stdout) as { findings: { what: string }[] };
  const after = await untilSettled(witnesses, SETTLED_WITHIN_MS);
  console.error('after it', showTruth(after));
  const countOf = (wanted: string) => findings.filter((found) => found.what === wanted).length;
  const show = (name: string, count: number, of: number): Row => ({
    name: `${what}: ${name}`,
    ours: String(count),
    floor: String(of),
    ratio: count / Math.max(of, 1),
    target: null,
  });
  const [lostFirst, ...rest] = describeTruth(`${what}, reconciled`, after);
  return [
    show('acknowledged payments lost', before.lost.length, before.acknowledged),
    show('the rail’s money missing here, before reconcile', before.onlyThere.length, before.paid),
    show('payments that reconcile made again', countOf('recovered'), before.onlyThere.length),
    // What nobody has paid is gone, and its merchant repeats it.
    { ...(lostFirst as Row), name: `${what}, reconciled: acknowledged payments lost, none of them paid`, target: null },
    ...rest,
  ];
}

async function untilDecided(witnesses: Witnesses): Promise<Truth> {
  const until = Date.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const truth = await compareAll(witnesses);
    if ((truth.undecided === 0 && truth.untold === 0) || Date.now() > until) return truth;
    await pause(1_000);
  }
}

/** A 500 says that a write may be committed. That is so only of a request that was in flight when the database died. */
function describeUnknown(what: string, kills: Kill[], unknown: Shopped['unknown']): Row {
  const inFlight = unknown.filter(({ sentAt, answeredAt }) =>
    kills.some(({ fromMs, toMs }) => sentAt <= toMs && answeredAt >= fromMs),
  );
  const others = unknown.length - inFlight.length;
  return {
    name: `${what}: 500s beyond what was in flight`,
    ours: String(others),
    floor: `${inFlight.length} in flight`,
    ratio: others,
    target: { atMost: 0 },
  };
}

type Seen = { backMs: number[]; nodes: GatewayNode[]; streams: Shopped['streams']; isAsync: boolean };

function describeNodes(what: string, { backMs, nodes, streams, isAsync }: Seen): Row[] {
  const [worst, dead] = [Math.max(...backMs), nodes.filter((node) => !node.isRunning()).length];
  const none = { floor: String(streams.told + streams.cut), target: { atMost: 0 } } as const;
  return [
    {
      name: `${what}: promotion to the first 201, the longest ÷ ${BACK_WITHIN_MS} ms`,
      ours: `${worst} ms`,
      floor: `${BACK_WITHIN_MS} ms`,
      ratio: worst / BACK_WITHIN_MS,
      target: { atMost: 1 },
    },
    // Of a payment that is gone there is nothing to be shown any more.
    {
      ...none,
      name: `${what}: payers’ streams cut`,
      ours: String(streams.cut),
      ratio: streams.cut,
      ...(isAsync && { target: null }),
    },
    { ...none, name: `${what}: nodes that ended`, ours: String(dead), floor: String(nodes.length), ratio: dead },
  ];
}
