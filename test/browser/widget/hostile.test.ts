// The widget on merchants' pages with strict policies, isolation, hostile styles and hostile scripts.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Frame, Locator, Page } from 'playwright';
import { beforeAll, describe, test } from 'vitest';
import { publishFiles } from '../../../server/http/pages.ts';
import { DialogPage } from '../pages/dialog.ts';
import { openMerchant, type MerchantPage } from '../pages/merchant.ts';
import { WidgetPage } from '../pages/widget.ts';
import type { TestApp } from '../../support/app.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { expect } from '../../support/expect.ts';
import { create, webframe } from '../../support/payments.ts';

// These files are the widget of another release: this build with other texts and another version.
type Part = { url: string; integrity: string };

const read = (path: string) => readFileSync(new URL(`../../../dist/widget${path}`, import.meta.url), 'utf8');

const LATEST = JSON.parse(read('/widget/latest.json')) as { version: string; script: Part; loader: Part };

/** Texts that differ between the two releases: the phone prefix and the label of the close button. */
const WORDS = {
  newest: { prefix: '+244', close: 'Fechar' },
  older: { prefix: '(+244)', close: 'Fechar a janela' },
};

const texts = new Map<string, string>();

function release(name: string, text: string): Part {
  const url = `/widget/0.0.9-0a1b2c3d${name}`;
  texts.set(url, text);
  return { url, integrity: `sha384-${createHash('sha384').update(text).digest('base64')}` };
}

function exchange(text: string, last: string, next: string): string {
  if (text.split(last).length !== 2) throw new Error(`this build does not have ${last} once`);
  return text.replace(last, next);
}

const otherPrefix = exchange(read(LATEST.script.url), `\`${WORDS.newest.prefix}\`)`, `\`${WORDS.older.prefix}\`)`);
const otherWords = exchange(otherPrefix, `\`${WORDS.newest.close}\``, `\`${WORDS.older.close}\``);
const script = release('.js', otherWords);
const bound = exchange(read(LATEST.loader.url), LATEST.script.url, script.url);

const OLDER = {
  script,
  loader: release('.loader.js', exchange(bound, LATEST.script.integrity, script.integrity)),
};

/** Publishes that release's files like a starting node of it. */
function publishOlder({ node }: TestApp): Promise<void> {
  return publishFiles(node.core, {
    files: new Map([...texts].map(([url, text]) => [url, { bytes: Buffer.from(text) }])),
  });
}

const fixture = openBrowserFixture();
const merchant = openMerchant(fixture);
beforeAll(async () => {
  await publishOlder(fixture.app);
});

type Hostility = Partial<MerchantPage> & {
  /** A script that runs first in the merchant's pages, and not in the gateway's frame. */
  spoil?: (gateway: string) => void;
  /** Console errors that the merchant's page causes. */
  expected?: RegExp;
  /** URLs that the browser cannot reach. */
  blocked?: string;
  /** True if another page of the merchant frames the page. */
  isFramed?: boolean;
  /** 400 kbit/s with a round trip of 400 ms. */
  isSlow?: boolean;
  /** The texts of the release that draws the elements. */
  words?: (typeof WORDS)['older'];
};

const ISOLATED = { 'Cross-Origin-Embedder-Policy': 'require-corp', 'Cross-Origin-Opener-Policy': 'same-origin' };

const HOSTILE: Record<string, Hostility> = {
  'trusted types without policies': { policy: "require-trusted-types-for 'script'; trusted-types 'none'" },
  'trusted types with the policy of the loader': {
    policy: "require-trusted-types-for 'script'; trusted-types balcao",
    scripts: ['/widget/loader.js'],
  },
  'a policy that trusts one script and its children': {
    scriptSource: "'nonce-abc' 'strict-dynamic'",
    attributes: 'nonce="abc"',
    scripts: ['/widget/loader.js'],
  },
  'a policy that requires hashes': {
    headers: { 'Integrity-Policy': 'blocked-destinations=(script)' },
    attributes: `integrity="${LATEST.loader.integrity}" crossorigin`,
    scripts: [LATEST.loader.url],
  },
  'cross-origin isolation': { headers: ISOLATED, scripts: ['/widget/loader.js'] },
  'important styles': {
    // The page decides whether and where its own element is visible.
    css: `*, *::before, *::after {
        display: none !important; visibility: hidden !important; font: 3px/1 serif !important;
        color: red !important; pointer-events: none !important; text-transform: uppercase !important;
        border: 9px solid !important }
      html, body, main, balcao-payment { display: block !important }
      h1, button, input, svg, div, p, dialog, iframe {
        width: 1px !important; height: 1px !important; opacity: 0 !important }`,
  },
  'polluted prototypes': { spoil: polluteBuiltIns, scripts: ['/widget/loader.js'] },
  'a frame, and styles that unset everything': { isFramed: true, css: '* { all: unset !important }' },
  'no event streams, no storage and no cookies': {
    spoil: removeStorage,
    blocked: '**/events?*',
    expected: /ERR_FAILED/,
  },
  // The loader fetches itself first, and then the same files as the script.
  'slow 3G': { isSlow: true, scripts: ['/widget/loader.js'] },
};

/** Several scripts or an older release on a page. */
const SEVERAL: Record<string, Hostility> = {
  'the script twice': { scripts: ['/widget.js', '/widget.js'] },
  'the loader twice': { scripts: ['/widget/loader.js', '/widget/loader.js'] },
  'the loader and the script': { scripts: ['/widget/loader.js', '/widget.js'] },
  'the script and the loader': { scripts: ['/widget.js', '/widget/loader.js'] },
  'the script and the module': { scripts: ['/widget.mjs', '/widget.js'] },
  'a pinned older version': {
    headers: { 'Integrity-Policy': 'blocked-destinations=(script)' },
    attributes: `integrity="${OLDER.script.integrity}" crossorigin`,
    scripts: [OLDER.script.url],
    words: WORDS.older,
  },
  'an older version before the newest': { scripts: [OLDER.script.url, '/widget.js'], words: WORDS.older },
  'the newest before an older version': { scripts: ['/widget.js', OLDER.script.url], words: WORDS.newest },
  'an older loader before the newest': { scripts: [OLDER.loader.url, '/widget/loader.js'], words: WORDS.older },
  'the newest loader before an older one': { scripts: ['/widget/loader.js', OLDER.loader.url], words: WORDS.newest },
  'an older loader before the newest script': { scripts: [OLDER.loader.url, '/widget.js'], words: WORDS.newest },
};

function polluteBuiltIns(gateway: string) {
  if (location.origin === gateway) return;
  const noise = () => 'noise';
  Object.assign(Array.prototype, { x: noise, toJSON: noise });
  Object.assign(Object.prototype, { extend: noise, toJSON: noise, onclick: noise, part: 'noise' });
  Object.assign(String.prototype, { toJSON: noise });
  Object.assign(Function.prototype, { inherits: noise });
}

function removeStorage(gateway: string) {
  const refuse = () => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  };
  for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches', 'cookieStore'])
    Object.defineProperty(window, name, { get: refuse });
  Object.defineProperty(Document.prototype, 'cookie', { get: refuse, set: refuse });
  if (gateway === '') refuse();
}

async function visitHostile(body: string, { spoil, expected, blocked, isFramed, isSlow, ...page }: Hostility) {
  const visitor = await fixture.visit({
    origins: [merchant.url],
    viewport: { width: 1280, height: 900 },
    ...(expected && { expected }),
  });
  if (spoil) await visitor.addInitScript(spoil, fixture.app.node.core.publicUrl);
  if (blocked) {
    await visitor.clock.install();
    await visitor.route(blocked, (route) => route.abort());
  }
  if (isSlow) await slowDown(visitor);
  const url = merchant.show({ body, ...page });
  const outer = isFramed && {
    body: `<iframe src="${url}" width="800" height="800"></iframe>`,
    policy: '',
    scripts: [],
  };
  await visitor.goto(outer ? merchant.show(outer) : url);
  return { visitor, place: isFramed ? visitor.frameLocator('iframe').first() : visitor };
}

/** Slows the page and the frame of the gateway, which is another process as soon as it has its document. */
async function slowDown(visitor: Page) {
  const slow = async (place: Page | Frame) => {
    const devtools = await visitor.context().newCDPSession(place);
    await devtools.send('Network.emulateNetworkConditions', SLOW);
  };
  await slow(visitor);
  visitor.on('framenavigated', (frame) => {
    if (!frame.url().startsWith(fixture.app.node.core.publicUrl)) return;
    // A removed frame, or a frame in the process of the page, has no separate connection to slow down.
    slow(frame).catch(() => {});
  });
}

const SLOW = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };

/** Opens both elements, and expects that they are visible with the texts of the release. */
async function openElements(hostility: Hostility) {
  const [first, second] = [await create(fixture.app, webframe()), await create(fixture.app, webframe())];
  const body = `<balcao-payment token="${first.clientToken}"></balcao-payment>
    <balcao-checkout token="${second.clientToken}"></balcao-checkout>`;
  const { visitor, place } = await visitHostile(body, hostility);
  const widget = new WidgetPage(visitor, place.locator('balcao-payment'));
  await widget.expectTitle('Pague com Multicaixa Express');
  await expect(widget.title).toHaveCSS('font-size', '20px');
  await expectSeen(widget.element.locator('.card'));
  const { prefix, close } = hostility.words ?? WORDS.newest;
  await expect(widget.element.locator('.input > span')).toHaveText(prefix);
  const openDialog = async () => {
    const dialog = new DialogPage(visitor, place.locator('balcao-checkout'));
    await dialog.open();
    await dialog.expectInside('Pague com Multicaixa Express');
    await dialog.expectFitting();
    await expectSeen(dialog.dialog);
    await expect(dialog.closeButton).toHaveAccessibleName(close);
    return dialog;
  };
  return { visitor, widget, openDialog };
}

describe('the widget and the dialog', () => {
  test.each(Object.entries(HOSTILE))('take a payment on a page with %s', async (_name, hostility) => {
    const { visitor, widget, openDialog } = await openElements(hostility);
    await widget.pay('900000000');
    await widget.expectTitle('Confirme o pagamento no seu telemóvel');
    const dialog = await openDialog();
    await dialog.payInside('900000000');
    // Without event streams both poll every few seconds of the page's clock.
    const poll = async () => void (hostility.blocked && (await visitor.clock.runFor(3_000)));
    await dialog.travelToInside(fixture.app, 'Pago', poll);
    await dialog.closeButton.click();
    await expect(dialog.dialog).toHaveCount(0);
    await widget.travelToTitle(fixture.app, 'Pago', poll);
  });

  test.each(Object.entries(SEVERAL))('are drawn once by %s', async (_name, hostility) => {
    await (await openElements(hostility)).openDialog();
  });
});

/** Expects that the element has its full width, is visible and can be clicked. */
async function expectSeen(part: Locator) {
  expect((await part.boundingBox())?.width).toBe(440);
  for (const [name, value] of Object.entries(SEEN)) await expect(part).toHaveCSS(name, value);
}

const SEEN = { visibility: 'visible', opacity: '1', 'pointer-events': 'auto', 'text-transform': 'none' };
