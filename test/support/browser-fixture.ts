// A node, a browser and its visitors. Every page of a visitor is watched for errors and third-party requests.
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright';
import { afterEach, beforeAll, expect, inject } from 'vitest';
import { startTestApp, type TestApp, type TestAppOptions } from './app.ts';
import { PATIENCE_MS } from './expect.ts';

/** A phone like those of most payers, with a browser in Portuguese. */
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  locale: 'pt-PT',
  colorScheme: 'light',
  // A worker would fetch pages in the background of every test. Tests of the worker allow it.
  serviceWorkers: 'block',
};

export type VisitOptions = BrowserContextOptions & {
  /** Console errors that the test causes: addresses that return 404, a missing network. */
  expected?: RegExp;
  /** Allowed origins besides the gateway's: a merchant's page. */
  origins?: string[];
  /** Names of allowed cookies. A console session has one, a payer has no cookie. */
  cookies?: string[];
  /** A profile of a browser that the test started itself. The profile is closed with the visit. */
  within?: BrowserContext;
};

export type BrowserFixture = ReturnType<typeof openBrowserFixture>;

type Visit = { context: BrowserContext; faults: string[]; cookies: string[] };

let started: Promise<Browser> | undefined;
/** One browser process for each worker. */
const startBrowser = (): Promise<Browser> => (started ??= chromium.launch(inject('browser')));

/** Starts one node for a test file. After each test, unexpected browser errors of its visitors fail the test. */
export function openBrowserFixture(options: TestAppOptions = {}) {
  let app: TestApp;
  let browser: Browser;
  const visits = new Set<Visit>();

  beforeAll(async () => {
    [app, browser] = await Promise.all([startTestApp(options), startBrowser()]);
  });
  afterEach(async () => {
    const faults = await Promise.all([...visits].map(endVisit));
    visits.clear();
    expect(faults.flat()).toEqual([]);
  });

  return {
    get app(): TestApp {
      return app;
    },
    /** Replaces the node, for tests that restart it. */
    replaceApp: (other: TestApp) => void (app = other),
    /** Opens a page in a new browser profile. `page.context().newPage()` opens another page of the same profile. */
    async visit({ expected, origins = [], cookies = [], within, ...wanted }: VisitOptions = {}): Promise<Page> {
      const context = within ?? (await browser.newContext({ ...PHONE, ...wanted }));
      context.setDefaultTimeout(PATIENCE_MS);
      const visit: Visit = { context, faults: [], cookies };
      visits.add(visit);
      watchContext(visit, new Set([app.node.core.publicUrl, ...origins]), expected);
      return context.newPage();
    },
  };
}

/** Errors of QR code requests: each page requests a QR code, which the gateway withdraws when a push starts. */
const TOO_LATE = /\b409\b.*\/qrcode\b|\b404\b.*\/qrcode\.svg\b/;
/** Playwright's own message on pages that would start a worker. */
const BLOCKED = /^Service Worker registration blocked by Playwright/;

function watchContext({ context, faults }: Visit, origins: Set<string>, expected: RegExp | undefined) {
  context.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && !origins.has(origin)) faults.push(`request to a third party: ${request.url()}`);
  });
  // Violations of the content security policy are console messages too.
  context.on('console', (message) => {
    const text = `${message.text()} (${message.location().url})`;
    if (TOO_LATE.test(text) || BLOCKED.test(text) || expected?.test(text)) return;
    if (['error', 'warning'].includes(message.type())) faults.push(text);
  });
  context.on('weberror', (webError) => void faults.push(String(webError.error())));
}

/** Returns the faults and the unexpected cookies of a visit, then closes its profile. */
async function endVisit({ context, faults, cookies }: Visit): Promise<string[]> {
  const unexpected = (await context.cookies()).filter(({ name }) => !cookies.includes(name));
  await context.close();
  return [...faults, ...unexpected.map(({ name }) => `cookie: ${name}`)];
}
