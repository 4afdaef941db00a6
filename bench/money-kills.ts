// Two of three nodes killed (-9) again and again while they take money; at the end every side's books are compared.
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../server/database/embedded/start.ts';
import { createDatabase, startBalancer, startHaproxy, startNodes, type Front, type GatewayNode } from './nodes.ts';
import type { Shopped, Shopping } from './processes/shopper.ts';
import { fetchToken, type Options, type Stage } from './stage.ts';
import type { Row } from './table.ts';
import { showTruth, untilSettled, type Truth } from './truth.ts';

const KILLS = 100;
const NODES = 3;
const KILLERS = 2;
const PUSHES_PER_SECOND = 15;
const PAGES_PER_SECOND = 5;
const SETTLED_WITHIN_MS = 120_000;
const SAID_EACH = 50;

export async function benchMoneyKills(stage: Stage, options: Options): Promise<Row[]> {
  const kills = options.kills ?? KILLS;
  const databaseUrl = await createDatabase(stage, 'money_kills');
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const till = stage.start('bench/processes/till.ts');
  const key = stage.rail.key;
  const rail = { url: await till.ask<string>('listen', { key, gatewayUrl: publicUrl }), key };
  const nodes = await startNodes(stage, { databaseUrl, rail, count: NODES, publicUrl });
  const front: Front = (await startHaproxy({ port, nodes })) ?? (await startBalancer(stage, { port, nodes }));
  const shopper = stage.start('bench/processes/shopper.ts');
  const token = await startShop(shopper, front.url);
  const shopping: Shopping = {
    url: front.url,
    token,
    pushesPerSecond: PUSHES_PER_SECOND,
    pagesPerSecond: PAGES_PER_SECOND,
  };
  await shopper.ask('shop', shopping);
  const startedAt = Date.now();
  await killAll(nodes, kills);
  const tookS = (Date.now() - startedAt) / 1_000;
  await shopper.ask('end');
  const database = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  const truth = await untilSettled({ database, till, shopper }, SETTLED_WITHIN_MS);
  const { troubles } = await shopper.ask<Shopped>('collect');
  console.error(showTruth(truth), 'callers saw', troubles);
  await front.stop();
  await Promise.all([...nodes.map((node) => node.stop()), till.stop(), shopper.stop()]);
  await database.end();
  return describeTruth(`${kills} kill -9 of two of three nodes in ${tookS.toFixed(0)} s`, truth);
}

/** The demo merchant's token, its webhook with the shopper. */
export async function startShop(shopper: { ask<T>(job: string): Promise<T> }, url: string): Promise<string> {
  const token = await fetchToken(url);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ url: await shopper.ask<string>('listen'), types: ['payment.*'] });
  const made = await fetch(`${url}/api/webhooks`, { method: 'POST', headers, body });
  if (made.status !== 201) throw new Error(`no webhook: ${await made.text()}`);
  return token;
}

/** So many killers at once, each of a node that runs: as many are away at most. */
async function killAll(nodes: GatewayNode[], kills: number): Promise<void> {
  const ready = [...nodes];
  let left = kills;
  const killOn = async () => {
    while (left-- > 0) {
      const [node] = ready.splice(randomInt(ready.length), 1) as [GatewayNode];
      await node.kill();
      await node.start();
      ready.push(node);
      const done = kills - Math.max(left, 0);
      if (done % SAID_EACH === 0) console.error(`${done} kills`);
      await pause(Math.random() * 300);
    }
  };
  await Promise.all(Array.from({ length: KILLERS }, killOn));
}

/** Rows of the table: each is to be 0. */
export function describeTruth(what: string, truth: Truth): Row[] {
  const none = (name: string, count: number, of: number): Row => ({
    name: `${what}: ${name}`,
    ours: String(count),
    floor: String(of),
    ratio: count / Math.max(of, 1),
    target: { atMost: 0 },
  });
  return [
    none('acknowledged payments lost', truth.lost.length, truth.acknowledged),
    none('payments taken twice', truth.doubled, truth.acknowledged),
    none('payments undecided', truth.undecided, truth.acknowledged),
    none('the rail’s money missing here', truth.onlyThere.length, truth.paid),
    none('our money missing at the rail', truth.onlyHere, truth.paid),
    none('minor units between both books', Math.abs(truth.thereMinor - truth.hereMinor), truth.thereMinor),
    none('paid payments whose merchant was never told', truth.untold, truth.paid),
  ];
}
