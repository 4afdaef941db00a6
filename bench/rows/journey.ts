// Payments from their creation to the delivered webhook: their rate, and the processor time of each.
import { readFile } from 'node:fs/promises';
import type { BenchFixture } from '../kit/fixture.ts';
import { openConnections } from '../kit/http.ts';
import { decide, writePurchaseNotice } from '../kit/rail.ts';
import { PUSH } from '../kit/sample.ts';
import type { Row } from '../kit/table.ts';
import { openFloor } from './creation.ts';

const COUNT = 400;
const CONCURRENCY = 16;

export async function openJourney(fixture: BenchFixture): Promise<Row[]> {
  const { url, token, gateway } = fixture;
  const client = fixture.start('bench/kit/processes/client.ts');
  const merchant = fixture.start('bench/kit/processes/merchant.ts');
  const floor = await openFloor(fixture);
  const merchantUrl = await merchant.call<string>('listen');
  await addWebhook(fixture, `${merchantUrl}/webhook`);
  await approveAll(fixture);
  const load = { concurrency: CONCURRENCY, count: COUNT };
  /** Pays every payment, and waits until the merchant has the webhook of each one. */
  const payAll = async () => {
    await client.call('createMany', { url, token, ...load, metadata: PUSH });
    await merchant.call('collect', { count: COUNT });
  };
  const payFloor = async () => {
    await floor.call('journey', { ...load, url: merchantUrl });
    await merchant.call('collect', { count: 2 * COUNT });
  };
  const perSecond = async (run: () => Promise<void>) => {
    const startedAt = performance.now();
    await run();
    return (COUNT * 1000) / (performance.now() - startedAt);
  };
  const processorMs = async (pid: number, run: () => Promise<void>) => {
    const before = await readProcessorMs(fixture, pid);
    await run();
    return ((await readProcessorMs(fixture, pid)) - before) / COUNT;
  };
  const floorName = '2 transactions of 6 statements, 2 POSTs';
  return [
    {
      name: `paid payments: created, pushed, notified, webhook delivered, ${CONCURRENCY} concurrent ÷ ${floorName}`,
      unit: '/s',
      target: { atLeast: 0.3 },
      measure: () => perSecond(payAll),
      floor: () => perSecond(payFloor),
    },
    {
      name: 'processor time of the same, node and database ÷ the same',
      unit: 'ms',
      target: { atMost: 2.5 },
      measure: () => processorMs(gateway.pid(), payAll),
      floor: () => processorMs(floor.pid, payFloor),
    },
  ];
}

/** Creates a webhook for paid payments. It is deleted at the end, because its server ends too. */
async function addWebhook({ url, token, defer }: BenchFixture, target: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ url: target, types: ['payment.paid'] });
  const reply = await fetch(`${url}/api/webhooks`, { method: 'POST', headers, body });
  if (reply.status !== 201) throw new Error(`no webhook: ${await reply.text()}`);
  const { id } = (await reply.json()) as { id: string };
  defer(() => fetch(`${url}/api/webhooks/${id}`, { method: 'DELETE', headers }));
}

/** Makes the rail approve each purchase immediately. */
async function approveAll({ rail, url, defer }: BenchFixture): Promise<void> {
  const connections = await openConnections(url, CONCURRENCY);
  rail.onPurchase = (purchase) => {
    decide(purchase, 'approved');
    void connections.send(writePurchaseNotice(url, purchase), 200);
  };
  defer(() => {
    rail.onPurchase = () => {};
    connections.close();
  });
}

/** Reads the processor time that a process and PostgreSQL have used so far. */
async function readProcessorMs({ database }: BenchFixture, pid: number): Promise<number> {
  const backends = await database.query<{ pid: number }>('select pid from pg_stat_activity');
  const pids = [pid, ...backends.rows.map((row) => row.pid)];
  const spent = await Promise.all(pids.map(readSpentMs));
  return spent.reduce((sum, ms) => sum + ms, 0);
}

/** Reads the processor time of a process. Linux counts it in ticks of 10 ms. */
async function readSpentMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return stat ? (Number(fields[11]) + Number(fields[12])) * 10 : 0;
}
