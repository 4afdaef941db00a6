// What browser tests stand on: a node, a browser, and visitors whose every page is watched for what must never happen.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright';
import { afterEach, beforeAll, expect } from 'vitest';
import { startTestApp, type TestApp, type TestAppOptions } from '../../support/app.ts';
import { PATIENCE_MS } from '../../support/expect.ts';
import { startBrowser } from '../../support/worker-browser.ts';

/** A phone as most payers hold it; their browser speaks Portuguese. */
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, locale: 'pt-PT', colorScheme: 'light' };

export type VisitOptions = BrowserContextOptions & {
  /** Console errors that the test brings about itself: addresses that answer 404, a network that is away. */
  expected?: RegExp;
  /** Origins besides the gateway's: a merchant's own. */
  origins?: string[];
  /** Cookies that they may have: who signs in at the console has one, a payer none. */
  cookies?: string[];
  /** The profile of a browser that the test started itself; it ends with the visit. */
  within?: BrowserContext;
};

export type Stage = {
  readonly app: TestApp;
  /** A page in a browser profile of its own. More pages of the same profile: `page.context().newPage()`. */
  visit(options?: VisitOptions): Promise<Page>;
  /** Replaces the node, for tests that restart it. */
  replaceApp(app: TestApp): void;
};

type Visit = { context: BrowserContext; faults: string[]; cookies: string[] };

/** One node for a test file. After each test, what its visitors' browsers complained of fails it. */
export function setStage(options: TestAppOptions = {}): Stage {
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
    get app() {
      return app;
    },
    replaceApp: (other) => void (app = other),
    async visit({ expected, origins = [], cookies = [], within, ...wanted } = {}) {
      const context = within ?? (await browser.newContext({ ...PHONE, ...wanted }));
      context.setDefaultTimeout(PATIENCE_MS);
      const visit: Visit = { context, faults: [], cookies };
      visits.add(visit);
      watchContext(visit, new Set([app.node.core.publicUrl, ...origins]), expected);
      return context.newPage();
    },
  };
}

/** A page asks for its code, and for its picture, by itself: its payer may be faster, by phone, and the code is taken back. */
const TOO_LATE = /\b409\b.*\/qrcode\b|\b404\b.*\/qrcode\.svg\b/;

function watchContext({ context, faults }: Visit, origins: Set<string>, expected: RegExp | undefined) {
  context.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && !origins.has(origin)) faults.push(`request to a third party: ${request.url()}`);
  });
  // Violations of the policy are told here too.
  context.on('console', (message) => {
    const text = `${message.text()} (${message.location().url})`;
    if (TOO_LATE.test(text) || expected?.test(text)) return;
    if (['error', 'warning'].includes(message.type())) faults.push(text);
  });
  context.on('weberror', (webError) => void faults.push(String(webError.error())));
}

/** What the visitor's browser should not have seen; then the browser forgets the visitor. */
async function endVisit({ context, faults, cookies }: Visit): Promise<string[]> {
  const unexpected = (await context.cookies()).filter(({ name }) => !cookies.includes(name));
  await context.close();
  return [...faults, ...unexpected.map(({ name }) => `cookie: ${name}`)];
}
