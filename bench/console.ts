// The console: what its pages take of a merchant with as many payments as the lists' part has made, near and far; and when its list can be
// used on a weak phone and line, beside what connection, round trips and bytes cost alone.
import { chromium, type Browser } from 'playwright';
import { DEMO_DOOR } from '../shared/sandbox.ts';
import { chooseBrowser } from '../test/support/browser.ts';
import { medianOf, timeOf } from './load.ts';
import { CPU_RATE, LINE, openDoor, RTT_MS, sendMs, setLine } from './page.ts';
import { createPayments } from './payments.ts';
import type { Stage } from './stage.ts';
import { weigh, type Row } from './table.ts';

/** Milliseconds that a page may take, however many payments there are (docs/performance.md). */
const TODAY_MS = 50;
const LIST_MS = 20;

const LIST = '/console/payments';

/** Of a stage whose lists are filled. */
export async function benchLongConsole({ url, token }: Stage, rows: number): Promise<Row[]> {
  const cookie = await enter(url);
  const open = async (path: string) => {
    const reply = await fetch(url + path, { headers: { cookie, accept: 'text/html' }, redirect: 'manual' });
    if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}`);
    return reply.text();
  };
  const far = await findCursor(url, token, Math.floor(rows / 20) - 1);
  const newest = /href="(\/console\/payments\/[0-9a-f-]{36})"/.exec(await open(LIST))?.[1] ?? '';
  const pages: [name: string, path: string, atMost: number][] = [
    ['today', '/console/today', TODAY_MS],
    ['payments', LIST, LIST_MS],
    ['payments, at the far end', `${LIST}?${new URLSearchParams({ after: far })}`, LIST_MS],
    ['payments, paid', `${LIST}?status=Paid`, LIST_MS],
    ['payments, found by phone', `${LIST}?q=923000007`, LIST_MS],
    ['payments, found by reference', `${LIST}?q=R77`, LIST_MS],
    ['one payment', newest, LIST_MS],
  ];
  const found: Row[] = [];
  for (const [name, path, atMost] of pages)
    found.push(weigh(`console of ${rows} payments: ${name}`, await timeOf(() => open(path)), atMost, 'ms'));
  return found;
}

/** The demo owner's cookie. */
async function enter(url: string): Promise<string> {
  const body = new URLSearchParams({ who: 'owner' });
  const reply = await fetch(url + DEMO_DOOR, { method: 'POST', headers: { origin: url }, body, redirect: 'manual' });
  return reply.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

/** Where a page that is so far down begins. */
async function findCursor(url: string, token: string, page: number): Promise<string> {
  const reply = await fetch(`${url}/api/payments?page=${page}`, { headers: { authorization: `Bearer ${token}` } });
  return ((await reply.json()) as { next: string }).next;
}

const ROUNDS = 7;
const SLACK = 1.3;

export async function benchConsole(stage: Stage): Promise<Row[]> {
  await createPayments(stage, 25);
  const [name = '', value = ''] = (await enter(stage.url)).split('=');
  const door = await openDoor(stage.url);
  const browser = await chromium.launch(await chooseBrowser());
  try {
    const openings: Opening[] = [];
    for (let nth = 0; nth < ROUNDS; nth++) openings.push(await openList(browser, door.url, { name, value }));
    const bytes = medianOf(openings.map((opening) => opening.bytes));
    const usableMs = medianOf(openings.map((opening) => opening.usableMs));
    const limitMs = 2 * RTT_MS + sendMs(bytes);
    const showMs = (ms: number) => `${Math.round(ms)} ms`;
    return [
      {
        name: `console's payments usable, ${LINE} ÷ connection + round trip + ${bytes} B`,
        ours: showMs(usableMs),
        floor: showMs(limitMs),
        ratio: usableMs / limitMs,
        target: { atMost: SLACK },
      },
    ];
  } finally {
    await browser.close();
    await door.close();
  }
}

type Opening = { usableMs: number; bytes: number };

/** In a browser profile that has seen nothing but the sign-in. */
async function openList(browser: Browser, url: string, cookie: { name: string; value: string }): Promise<Opening> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, locale: 'pt-PT' });
  await context.addCookies([{ ...cookie, url }]);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await setLine(devtools, false);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_RATE });
  await page.addInitScript(takeTime);
  await page.goto(url + LIST, { waitUntil: 'commit' });
  await page.waitForFunction(() => (window as unknown as Timed).usableMs);
  const opening = await page.evaluate(() => {
    const { usableMs } = window as unknown as Timed;
    const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    return { usableMs, bytes: navigation?.encodedBodySize ?? 0 };
  });
  await context.close();
  return opening;
}

type Timed = { usableMs: number };

/** In the page, before anything of it: a driver that asks from outside is late by its own way, on a processor that is slowed down. */
function takeTime() {
  const seen = new MutationObserver(() => {
    // What comes behind the list is there only once the list is whole.
    if (!document.querySelector('[data-list] + *')) return;
    seen.disconnect();
    // A task after the frame's own: the list is drawn, and takes a finger.
    requestAnimationFrame(() => setTimeout(() => Object.assign(window, { usableMs: performance.now() })));
  });
  seen.observe(document, { subtree: true, childList: true });
}
