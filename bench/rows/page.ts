// The hosted page on slow 3G and a slow phone, compared with the time of its connection, round trips and bytes.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { chromium, type Browser } from 'playwright';
import { chooseBrowser } from '../../test/support/browser.ts';
import type { BenchFixture } from '../kit/fixture.ts';
import { medianOf } from '../kit/load.ts';
import type { Payment } from '../kit/processes/client.ts';
import type { Row } from '../kit/table.ts';

const RTT_MS = 400;
const BYTES_PER_S = 400_000 / 8;
const CPU_RATE = 4;
const OPENINGS = 7;

/** One visit: times in milliseconds since the navigation began, and transferred bytes without headers. */
type Opening = { usableMs: number; scriptMs: number; pageBytes: number; scriptBytes: number };

export async function openPage(fixture: BenchFixture): Promise<Row[]> {
  const { url, token } = fixture;
  const client = fixture.start('bench/kit/processes/client.ts');
  const creation = { url, token, concurrency: 1, count: OPENINGS + 1 };
  const payments = await client.call<Payment[]>('createMany', creation);
  const proxyUrl = await openSlowProxy(fixture);
  const browser = await chromium.launch(await chooseBrowser());
  fixture.defer(() => browser.close());
  const openings: Opening[] = [];
  for (const { clientToken } of payments) openings.push(await visit(browser, `${proxyUrl}/checkout/${clientToken}`));
  const figure = (name: keyof Opening) => medianOf(openings.slice(1).map((opening) => opening[name]));
  const [page, script] = [figure('pageBytes'), figure('scriptBytes')];
  const row = (name: string, atMost: number, ours: number, floor: number): Row => ({
    name,
    unit: 'ms',
    target: { atMost },
    rounds: 1,
    measure: () => ours,
    floor: () => floor,
  });
  const bytesMs = (bytes: number) => (bytes * 1000) / BYTES_PER_S;
  return [
    row(
      `page usable on slow 3G, CPU ÷ ${CPU_RATE} ÷ connection, round trip and ${page} B`,
      1.25,
      figure('usableMs'),
      2 * RTT_MS + bytesMs(page),
    ),
    row(
      `its script runs ÷ the same, a round trip and ${script} B`,
      1.4,
      figure('scriptMs'),
      3 * RTT_MS + bytesMs(page + script),
    ),
  ];
}

/** Makes a first visit to the page in a new browser profile. */
async function visit(browser: Browser, url: string): Promise<Opening> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, locale: 'pt-PT' });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  const rates = { downloadThroughput: BYTES_PER_S, uploadThroughput: BYTES_PER_S };
  await devtools.send('Network.emulateNetworkConditions', { offline: false, latency: RTT_MS, ...rates });
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_RATE });
  await page.addInitScript(recordTimes);
  await page.goto(url, { waitUntil: 'commit' });
  await page.waitForFunction(() => {
    const { times } = window as unknown as Timed;
    return times['usable'] && times['script'];
  });
  const opening = await page.evaluate(readOpening);
  await context.close();
  return opening;
}

type Timed = { times: Record<string, number> };

/** Runs in the page before its own scripts: records when the form is visible, and when the page's script runs. */
function recordTimes() {
  const times: Record<string, number> = {};
  Object.assign(window, { times });
  const record = (name: string) => (times[name] ??= performance.now());
  const observer = new MutationObserver(() => {
    if (!document.querySelector('form button')) return;
    observer.disconnect();
    // The timeout runs in a task after the frame's task, when the form is visible.
    requestAnimationFrame(() => setTimeout(() => record('usable')));
  });
  observer.observe(document, { subtree: true, childList: true });
  // The page's script opens its stream in the same task in which it hydrates the page.
  window.EventSource = class extends EventSource {
    constructor(url: string | URL, init?: EventSourceInit) {
      super(url, init);
      setTimeout(() => record('script'));
    }
  };
}

function readOpening(): Opening {
  const { times } = window as unknown as Timed;
  const sizeOf = (type: string) =>
    performance
      .getEntriesByType(type)
      .filter((entry) => type === 'navigation' || entry.name.includes('/assets/'))
      .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0);
  return {
    usableMs: times['usable'] as number,
    scriptMs: times['script'] as number,
    pageBytes: sizeOf('navigation'),
    scriptBytes: sizeOf('resource'),
  };
}

/**
 * A proxy that delays each new connection by two round trips, because DevTools delays only requests.
 */
async function openSlowProxy({ url, defer }: BenchFixture): Promise<string> {
  const { hostname, port } = new URL(url);
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  defer(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
