// Open streams of the checkout: memory per stream, one event to all of them, and the time from commit to page.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Child } from '../kit/child.ts';
import { readCommits, type BenchFixture } from '../kit/fixture.ts';
import { PROBED } from '../kit/gateway.ts';
import { percentileOf, runPaced } from '../kit/load.ts';
import type { Payment } from '../kit/processes/client.ts';
import type { StreamArrival } from '../kit/processes/readers.ts';
import type { Row } from '../kit/table.ts';
import { openPayer, type Payer } from './payer.ts';

const MOST_STREAMS = 10_000;
const WARM_STREAMS = 200;
const WATCHED_STREAMS = 1_000;
const CHANGES_PER_SECOND = 50;

export async function openStreams(fixture: BenchFixture): Promise<Row[]> {
  const count = Math.min(MOST_STREAMS, descriptorLimit() - 1_000);
  const streams = await openStreamFixture(fixture, count + WARM_STREAMS);
  const { payments, readers, floorReaders, floor, payer } = streams;
  const { gateway } = fixture;
  const warm = payments.splice(0, WARM_STREAMS).map(pathOf);
  await Promise.all([openAll(streams, warm), openFloorStreams(streams, warm.length)]);
  await closeAll(streams);
  const memoryOf = async (server: Pick<Child, 'call'>, open: () => Promise<void>) => {
    const before = await server.call<number>('memory');
    await open();
    return ((await server.call<number>('memory')) - before) / count / 1024;
  };
  const [shared] = payments as [Payment];
  let isFanoutOpen = false;
  let isPaying = false;
  /** Opens the streams for the fan-out. From here on, every stream is of the same payment. */
  const openFanout = async () => {
    if (isFanoutOpen) return;
    isFanoutOpen = true;
    await readers.call('close');
    await pause(500);
    await openAll(
      streams,
      Array.from({ length: count }, () => pathOf(shared)),
    );
  };
  const lastArrival = async (reader: Child) =>
    Math.max(...(await reader.call<StreamArrival[]>('collect', { count })).map(({ at }) => at));
  return [
    {
      name: `memory of a stream, ${count} open ÷ bare node:http`,
      unit: 'KiB',
      target: { atMost: 1.6 },
      rounds: 1,
      measure: () => memoryOf(gateway, () => openAll(streams, payments.map(pathOf))),
      floor: () => memoryOf(floor, () => openFloorStreams(streams, count)),
    },
    {
      name: `one event to each of ${count} streams ÷ bare node:http`,
      unit: 'ms',
      target: { atMost: 2 },
      rounds: 5,
      async measure() {
        await openFanout();
        isPaying = !isPaying;
        await (isPaying ? payer.pay(shared) : payer.decide(shared, 'refused'));
        const last = await lastArrival(readers);
        const commits = await readCommits(fixture.database, LAST_EVENT, [shared.id]);
        return last - (commits.get(shared.id) ?? Number.NaN);
      },
      async floor() {
        const startedAt = await floor.call<number>('writeToAll');
        return (await lastArrival(floorReaders)) - startedAt;
      },
    },
  ];
}

export async function openLatency(fixture: BenchFixture): Promise<Row[]> {
  const streams = await openStreamFixture(fixture, WATCHED_STREAMS);
  const { payments, readers, floorReaders, floor, payer } = streams;
  await Promise.all([openAll(streams, payments.map(pathOf)), openFloorStreams(streams, WATCHED_STREAMS)]);
  /** The number of streams that change in each round. Each round uses other streams. */
  const count = 150;
  const load = { perSecond: CHANGES_PER_SECOND, count };
  let round = 0;
  const measureStep = async (first: number, step: Step) => {
    const moved = payments.slice(first, first + count);
    await runPaced(load, (nth) => {
      const payment = moved[nth] as Payment;
      return step === 'payment.processing' ? payer.pay(payment) : payer.decide(payment, 'approved');
    });
    const arrivals = await readers.call<StreamArrival[]>('collect', { count });
    const commits = await readCommits(fixture.database, EVENTS, [moved.map(({ id }) => id), step]);
    return arrivals.map(({ stream, at }) => at - (commits.get(payments[stream]?.id ?? '') ?? Number.NaN));
  };
  const measureFloor = async (first: number) => {
    const times = await floor.call<number[]>('writeInTurn', { first, ...load });
    const arrivals = await floorReaders.call<StreamArrival[]>('collect', { count });
    return arrivals.map(({ stream, at }) => at - (times[stream - first] ?? Number.NaN));
  };
  return [
    {
      name: `commit to page, p99, ${CHANGES_PER_SECOND} changes/s over ${WATCHED_STREAMS} streams ÷ bare node:http`,
      unit: 'ms',
      target: { atMost: 5 },
      async measure() {
        const first = count * round++;
        const processing = await measureStep(first, 'payment.processing');
        return percentileOf([...processing, ...(await measureStep(first, 'payment.paid'))], 0.99);
      },
      async floor() {
        const first = count * round;
        return percentileOf([...(await measureFloor(first)), ...(await measureFloor(first))], 0.99);
      },
    },
  ];
}

type Step = 'payment.processing' | 'payment.paid';

const EVENTS = 'select payment_id as id, xmin as xid from events where payment_id = any($1) and type = $2';
const LAST_EVENT = 'select payment_id as id, xmin as xid from events where payment_id = $1 order by seq desc limit 1';

type StreamFixture = {
  url: string;
  payments: Payment[];
  payer: Payer;
  readers: Child;
  /** The bare server of the floor, its URL and its readers. */
  floor: Child;
  floorUrl: string;
  floorReaders: Child;
};

async function openStreamFixture(fixture: BenchFixture, count: number): Promise<StreamFixture> {
  const { url, token } = fixture;
  const client = fixture.start('bench/kit/processes/client.ts');
  const payments = await client.call<Payment[]>('createMany', { url, token, concurrency: 16, count });
  await client.stop();
  const floor = fixture.start('bench/kit/processes/stream-floor.ts', PROBED);
  const event = await readFirstEvent(url + pathOf(payments[0] as Payment));
  const floorUrl = await floor.call<string>('listen', { event });
  const readers = fixture.start('bench/kit/processes/readers.ts');
  const floorReaders = fixture.start('bench/kit/processes/readers.ts');
  return { url, payments, payer: await openPayer(fixture), readers, floor, floorUrl, floorReaders };
}

/** The maximum number of connections that a process may have on this machine. */
function descriptorLimit(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
  const soft = Number(userLimits?.open_files?.soft);
  return Number.isFinite(soft) ? soft : Infinity;
}

const pathOf = ({ clientToken }: Payment): string => `/checkout/${clientToken}/events`;

/** Reads the gateway's bytes of one event, which the bare server repeats. */
async function readFirstEvent(url: string): Promise<string> {
  const [response] = (await once(get(url), 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) {
    text += String(chunk);
    const event = /id: .*\nevent: session\ndata: .*\n\n/.exec(text)?.[0];
    if (event) return event;
  }
  throw new Error(`no event: ${text}`);
}

async function openAll({ url, readers }: StreamFixture, paths: string[]): Promise<void> {
  await readers.call('open', { url, paths });
}

async function openFloorStreams({ floorUrl, floorReaders }: StreamFixture, count: number): Promise<void> {
  await floorReaders.call('open', { url: floorUrl, paths: Array.from({ length: count }, (_, nth) => `/${nth}`) });
}

async function closeAll({ readers, floorReaders }: StreamFixture): Promise<void> {
  await Promise.all([readers.call('close'), floorReaders.call('close')]);
  await pause(500);
}
