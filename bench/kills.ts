// Callbacks through kill -9: a thousand payments while the node dies fifty times; every one is told, in order per payment.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../server/database/embedded/start.ts';
import type { Child } from './child.ts';
import { openConnections } from './connection.ts';
import { addMerchants, type Merchant } from './merchants.ts';
import type { Arrived } from './processes/merchant.ts';
import { writeScanNews } from './rail.ts';
import { GATEWAY, gatewayEnv, untilReady, type Stage } from './stage.ts';
import type { Row } from './table.ts';

const PAYMENTS = 1_000;
const KILLS = 50;
const CODES = 20;
const TELLERS = 8;
/** What the sample sells for. */
const AMOUNT = '15250.50';

export async function benchKills(stage: Stage): Promise<Row[]> {
  const node = await openNode(stage);
  const sink = stage.start('bench/processes/merchant.ts');
  const merchants = await addMerchants(node, await sink.ask<string>('listen'), CODES);
  const killing = killAgainAndAgain(node);
  const telling = tellAll(node, stage.rail.key, merchants);
  await Promise.all([killing, telling]);
  const { rows } = await untilTold(node.database);
  const arrived = await sink.ask<Arrived[]>('collect', { count: 0 });
  const first = [...new Set(arrived.map(({ id }) => id))];
  const received = rows.filter(({ id }) => first.includes(id)).length;
  const isInOrder = merchants.every(({ paymentId }) => {
    const told = rows.filter((row) => row.payment_id === paymentId).map(({ id }) => id);
    return first.filter((id) => told.includes(id)).join() === told.join();
  });
  if (!isInOrder) throw new Error('first attempts were not in order');
  await Promise.all([node.stop(), sink.stop()]);
  const what = `callbacks received through ${KILLS} kill -9`;
  const count = (n: number, target: Row['target'], name: string): Row => ({
    name,
    ours: String(n),
    floor: String(rows.length),
    ratio: n / rows.length,
    target,
  });
  return [
    count(received, { atLeast: 1 }, `${what}, in order per payment ÷ payments`),
    count(arrived.length, null, `${what}, repeats with them ÷ payments`),
  ];
}

type Node = Pick<Stage, 'url' | 'database'> & { kill(): Promise<void>; stop(): Promise<void> };

/** A gateway with a database of its own, in the stage's PostgreSQL: no other node takes over. */
async function openNode(stage: Stage): Promise<Node> {
  await stage.database.query('create database kills');
  const databaseUrl = stage.databaseUrl.replace(/\/[^/]*$/, '/kills');
  const database = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = gatewayEnv({ databaseUrl, dataDir: '.data', port, rail: stage.rail });
  let gateway: Child;
  const start = async () => {
    gateway = stage.start(GATEWAY, { env });
    await untilReady(gateway, url);
  };
  await start();
  return {
    url,
    database,
    async kill() {
      process.kill(gateway.pid, 'SIGKILL');
      while (gateway.isRunning()) await pause(5);
      await start();
    },
    async stop() {
      await gateway.stop();
      await database.end();
    },
  };
}

async function killAgainAndAgain(node: Node): Promise<void> {
  for (let kill = 0; kill < KILLS; kill++) {
    await pause(Math.random() * 400);
    await node.kill();
  }
}

/** As a rail does: each notification until it is taken, however often the gateway is away. */
async function tellAll({ url }: Node, key: string, merchants: Merchant[]): Promise<void> {
  let left = PAYMENTS;
  const tellOn = async () => {
    while (left-- > 0) {
      const code = merchants[left % merchants.length]?.attemptId ?? '';
      await tell(url, writeScanNews(url, key, code, AMOUNT, randomUUID()));
      await pause(Math.random() * 900);
    }
  };
  await Promise.all(Array.from({ length: TELLERS }, tellOn));
}

async function tell(url: string, news: string): Promise<void> {
  for (;;) {
    try {
      const connections = await openConnections(url, 1);
      const { status } = await connections.send(news).finally(connections.close);
      if (status === 200) return;
    } catch {
      // It is dead at the moment.
    }
    await pause(50);
  }
}

type Told = { id: string; payment_id: string };

/** Every payment's money with nothing left to deliver, in the order it was recorded. */
async function untilTold(database: pg.Pool): Promise<{ rows: Told[] }> {
  for (;;) {
    const told = await database.query<Told & { status: string }>(
      `select t.provider_ref as id, d.payment_id, d.status from deliveries d join transactions t on t.id = d.transaction_id
       order by d.seq`,
    );
    if (told.rows.length === PAYMENTS && told.rows.every(({ status }) => status === 'Delivered')) return told;
    await pause(200);
  }
}
