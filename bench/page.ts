// The hosted page on a weak phone and line: when it can be used, when its script has taken over, when a payer who comes back
// sees the result; beside what connection, round trips and bytes cost alone.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { chromium, type Browser, type CDPSession, type Page } from 'playwright';
import { chooseBrowser } from '../test/support/browser.ts';
import { medianOf } from './load.ts';
import { createPayments, openMover, type Mover, type Payment } from './payments.ts';
import type { Stage } from './stage.ts';
import type { Row } from './table.ts';

export const RTT_MS = 400;
const BYTES_PER_S = 400_000 / 8;
export const CPU_RATE = 4;
export const LINE = `400 kbit/s, ${RTT_MS} ms, CPU ÷ ${CPU_RATE}`;
/** What a page's bytes take on it. */
export const sendMs = (bytes: number) => (bytes * 1000) / BYTES_PER_S;
const ROUNDS = 9;
/** Of what the line alone costs; once the script is there the phone has to run it, at a quarter of this machine's speed. */
const SLACK = { usable: 1.25, takenOver: 1.4 };
/** What a new connection sends before it waits for the other side: ten segments of TCP, and a little. */
const FIRST_WINDOW = 15_000;
const RETURN_MS = 2_000;

export async function benchPage(stage: Stage): Promise<Row[]> {
  const payments = await createPayments(stage, 2 * ROUNDS + 1);
  const door = await openDoor(stage.url);
  const browser = await chromium.launch(await chooseBrowser());
  const mover = await openMover(stage);
  try {
    const scene: Scene = { browser, door, mover };
    // The first one warms up.
    await openPage(scene, payments.pop() as Payment, measureOpening);
    const openings: Opening[] = [];
    const returns: number[] = [];
    for (const payment of payments.splice(0, ROUNDS)) openings.push(await openPage(scene, payment, measureOpening));
    for (const payment of payments) returns.push(await openPage(scene, payment, measureReturn));
    return [...compareOpenings(openings), compareReturns(returns)];
  } finally {
    mover.close();
    await browser.close();
    await door.close();
  }
}

type Scene = { browser: Browser; door: Door; mover: Mover };

/** Milliseconds since the navigation began, and bytes as they travelled, without headers. */
type Opening = { usableMs: number; takenOverMs: number; pageBytes: number; scriptBytes: number };

function compareOpenings(openings: Opening[]): Row[] {
  const figure = (name: keyof Opening) => medianOf(openings.map((opening) => opening[name]));
  const [page, script] = [figure('pageBytes'), figure('scriptBytes')];
  const compare = (name: string, oursMs: number, limitMs: number, atMost: number) =>
    row(name, showMs(oursMs), showMs(limitMs), oursMs / limitMs, atMost);
  return [
    compare(
      `page usable, ${LINE} ÷ connection + round trip + ${page} B`,
      figure('usableMs'),
      2 * RTT_MS + sendMs(page),
      SLACK.usable,
    ),
    compare(
      `its script in charge, ${LINE} ÷ the same + round trip + ${script} B`,
      figure('takenOverMs'),
      3 * RTT_MS + sendMs(page + script),
      SLACK.takenOver,
    ),
    row(
      'page and script ÷ the first 15 kB of a connection',
      `${page + script} B`,
      `${FIRST_WINDOW} B`,
      (page + script) / FIRST_WINDOW,
      1,
    ),
  ];
}

function compareReturns(returns: number[]): Row {
  const ours = medianOf(returns);
  const name = 'result on screen after return from flight mode, same line and CPU';
  return row(name, showMs(ours), showMs(RETURN_MS), ours / RETURN_MS, 1);
}

function row(name: string, ours: string, floor: string, ratio: number, atMost: number): Row {
  return { name, ours, floor, ratio, target: { atMost } };
}

const showMs = (ms: number) => `${Math.round(ms)} ms`;

type Measure<T> = (visit: { page: Page; devtools: CDPSession; scene: Scene; payment: Payment }) => Promise<T>;

/** A payer's first visit, on a slow phone and line, in a browser profile that has seen nothing. */
async function openPage<T>(scene: Scene, payment: Payment, measure: Measure<T>): Promise<T> {
  const context = await scene.browser.newContext({ viewport: { width: 360, height: 740 }, locale: 'pt-PT' });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await setLine(devtools, false);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_RATE });
  await page.addInitScript(takeTimes);
  await page.goto(`${scene.door.url}/checkout/${payment.clientToken}`, { waitUntil: 'commit' });
  await page.waitForFunction(() => (window as unknown as Timed).times['takenOver']);
  const measured = await measure({ page, devtools, scene, payment });
  await context.close();
  return measured;
}

export function setLine(devtools: CDPSession, offline: boolean): Promise<unknown> {
  const rate = { downloadThroughput: BYTES_PER_S, uploadThroughput: BYTES_PER_S };
  return devtools.send('Network.emulateNetworkConditions', { offline, latency: RTT_MS, ...rate });
}

type Timed = { times: Record<string, number> };

/** In the page, before anything of it: notes when its form was drawn, its script ran, the line was back, and money was shown. */
function takeTimes() {
  const times: Record<string, number> = {};
  Object.assign(window, { times });
  const note = (name: string) => (times[name] ??= performance.now());
  // A task after the frame's own: what changed is drawn.
  const noteDrawn = (name: string) => requestAnimationFrame(() => setTimeout(() => note(name)));
  const noteFirst = (name: string, selector: string, drawn: string) => {
    if (times[name] || !document.querySelector(selector)) return;
    note(name);
    noteDrawn(drawn);
  };
  new MutationObserver(() => {
    noteFirst('form', 'form button', 'usable');
    noteFirst('receipt', 'dl', 'paid');
  }).observe(document, { subtree: true, childList: true });
  // The script opens its stream in the very task in which it takes the page over.
  window.EventSource = class extends EventSource {
    constructor(url: string | URL, init?: EventSourceInit) {
      super(url, init);
      setTimeout(() => note('takenOver'));
    }
  };
  addEventListener('online', () => note('online'));
}

const measureOpening: Measure<Opening> = ({ page }) =>
  page.evaluate(async () => {
    const { times } = window as unknown as Timed;
    while (!times['usable']) await new Promise(requestAnimationFrame);
    const sizeOf = (type: string) =>
      performance
        .getEntriesByType(type)
        .filter((entry) => type === 'navigation' || entry.name.includes('/assets/'))
        .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0);
    return {
      usableMs: times['usable'],
      takenOverMs: times['takenOver'] as number,
      pageBytes: sizeOf('navigation'),
      scriptBytes: sizeOf('resource'),
    };
  });

/** Paid while the phone is in flight mode, its sockets dead. */
const measureReturn: Measure<number> = async ({ page, devtools, scene, payment }) => {
  await scene.mover.pay(payment);
  await page.waitForFunction(() => document.querySelector('[role=timer]'));
  await setLine(devtools, true);
  scene.door.cut();
  await scene.mover.decide(payment, 'approved');
  await setLine(devtools, false);
  await page.waitForFunction(() => (window as unknown as Timed).times['paid']);
  return page.evaluate(() => {
    const { times } = window as unknown as Timed;
    return (times['paid'] as number) - (times['online'] as number);
  });
};

type Door = { url: string; cut(): void; close(): Promise<void> };

/**
 * What DevTools leaves out: a connection takes a round trip before it carries anything. Its latency runs from when a request
 * is made, so what is asked of a connection that is just being made waits for two here. (The browser believes it made at
 * once, so a second one that it opens beside the first is paid for in full, even where the first comes free before that.)
 */
export async function openDoor(target: string): Promise<Door> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => open.delete(socket) && other.destroy());
    }
    setTimeout(() => near.pipe(far).pipe(near), 2 * RTT_MS);
  });
  const cut = () => open.forEach((socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
