// The widget on pages that make life hard: the strictest policies, isolation, styles and scripts that reach for everything.
import type { Frame, Locator, Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { afterAll, beforeAll, test } from 'vitest';
import { create, webframe } from '../../support/payments.ts';
import { LATEST, OLDER, publishOlder, WORDS } from '../../support/releases.ts';
import { allowOrigin, DialogPage } from '../pages/dialog.ts';
import { startMerchant, type Merchant, type MerchantPage } from '../pages/merchant.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();
let merchant: Merchant;
beforeAll(async () => {
  merchant = await startMerchant(fixture.app.node.core.publicUrl);
  await allowOrigin(fixture.app, merchant.url);
  await publishOlder(fixture.app);
});
afterAll(() => merchant.close());

type Hostility = Partial<MerchantPage> & {
  /** Runs first in the merchant's page and the page around it, never in the gateway's frame. */
  spoil?: (gateway: string) => void;
  /** What its browser rightly complains of. */
  expected?: RegExp;
  /** Addresses that are not to be reached. */
  blocked?: string;
  /** The merchant's page stands in a frame of another page of the merchant. */
  isFramed?: boolean;
  /** 400 kbit/s, and 400 ms there and back. */
  isSlow?: boolean;
  /** Of two releases, whose words are shown. */
  words?: (typeof WORDS)['older'];
};

const ISOLATED = { 'Cross-Origin-Embedder-Policy': 'require-corp', 'Cross-Origin-Opener-Policy': 'same-origin' };

const HOSTILE: Record<string, Hostility> = {
  'trusted types': { policy: "require-trusted-types-for 'script'; trusted-types 'none'" },
  'trusted types, by the loader': {
    policy: "require-trusted-types-for 'script'; trusted-types balcao",
    scripts: ['/widget/loader.js'],
  },
  'a policy that trusts one script, and what it loads': {
    scriptSource: "'nonce-abc' 'strict-dynamic'",
    attributes: 'nonce="abc"',
    scripts: ['/widget/loader.js'],
  },
  'a policy that takes nothing without its hash': {
    headers: { 'Integrity-Policy': 'blocked-destinations=(script)' },
    attributes: `integrity="${LATEST.loader.integrity}" crossorigin`,
    scripts: [LATEST.loader.url],
  },
  isolation: { headers: ISOLATED },
  'isolation, by the loader': { headers: ISOLATED, scripts: ['/widget/loader.js'] },
  'styles that unset everything': { css: '* { all: unset !important }' },
  'important styles': {
    // Whether its own element is shown, how large it is and where it stands is the page's to say.
    css: `*, *::before, *::after { display: none !important; visibility: hidden !important; font: 3px/1 serif !important;
        color: red !important; pointer-events: none !important; text-transform: uppercase !important; border: 9px solid !important }
      html, body, main, balcao-payment { display: block !important }
      h1, button, input, svg, div, p, dialog, iframe { width: 1px !important; height: 1px !important; opacity: 0 !important }`,
  },
  'polluted prototypes': { spoil: polluteBuiltIns },
  'polluted prototypes, by the loader': { spoil: polluteBuiltIns, scripts: ['/widget/loader.js'] },
  'in a frame itself': { isFramed: true },
  'event streams that never open': { blocked: '**/events?*', expected: /ERR_FAILED/ },
  'no storage, and no cookies': { spoil: removeStorage },
  'the script twice': { scripts: ['/widget.js', '/widget.js'] },
  'the loader twice': { scripts: ['/widget/loader.js', '/widget/loader.js'] },
  'the loader and the script': { scripts: ['/widget/loader.js', '/widget.js'] },
  'the script and the loader': { scripts: ['/widget.js', '/widget/loader.js'] },
  'the script and the module': { scripts: ['/widget.mjs', '/widget.js'] },
  'a version that was never released': { scripts: ['/widget/0.0.1-0a1b2c3d.js'] },
  'an older version, pinned': {
    headers: { 'Integrity-Policy': 'blocked-destinations=(script)' },
    attributes: `integrity="${OLDER.script.integrity}" crossorigin`,
    scripts: [OLDER.script.url],
    words: WORDS.older,
  },
  'an older version, and the newest': { scripts: [OLDER.script.url, '/widget.js'], words: WORDS.older },
  'the newest, and an older version': { scripts: ['/widget.js', OLDER.script.url], words: WORDS.newest },
  'an older loader, and the newest': { scripts: [OLDER.loader.url, '/widget/loader.js'], words: WORDS.older },
  'the newest loader, and an older one': { scripts: ['/widget/loader.js', OLDER.loader.url], words: WORDS.newest },
  'an older loader, and the newest script': { scripts: [OLDER.loader.url, '/widget.js'], words: WORDS.newest },
  // Asks for all that the script alone asks for, and for itself before.
  'slow 3G, by the loader': { isSlow: true, scripts: ['/widget/loader.js'] },
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

/** The page's line, and that of the gateway's frame, which is a process of its own as soon as it has its page. */
async function slowDown(visitor: Page) {
  const slow = async (place: Page | Frame) => {
    const devtools = await visitor.context().newCDPSession(place);
    await devtools.send('Network.emulateNetworkConditions', SLOW);
  };
  await slow(visitor);
  visitor.on('framenavigated', (frame) => {
    if (!frame.url().startsWith(fixture.app.node.core.publicUrl)) return;
    // One that is gone meanwhile, or is still of the page's own process, has no line of its own to slow.
    slow(frame).catch(() => {});
  });
}

/** However slow the line, and the machine. */
const PATIENT_MS = 15_000;

const SLOW = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };

test.each(Object.entries(HOSTILE))(
  '%s: the payment is drawn and pays, and so does the dialog',
  async (_name, hostility) => {
    const [first, second] = [await create(fixture.app, webframe()), await create(fixture.app, webframe())];
    const body = `<balcao-payment token="${first.clientToken}"></balcao-payment>
    <balcao-checkout token="${second.clientToken}"></balcao-checkout>`;
    const { visitor, place } = await visitHostile(body, hostility);
    const widget = new WidgetPage(visitor, place.locator('balcao-payment'));
    await widget.expectTitle('Pague com Multicaixa Express', PATIENT_MS);
    await expect(widget.title).toHaveCSS('font-size', '20px');
    await expectSeen(widget.element.locator('.card'));
    const { prefix, close } = hostility.words ?? WORDS.newest;
    await expect(widget.element.locator('.input > span')).toHaveText(prefix);
    await widget.pay('900000000');
    await widget.expectTitle('Confirme o pagamento no seu telemóvel', PATIENT_MS);

    const shop = new DialogPage(visitor, place.locator('balcao-checkout'));
    await shop.open();
    await shop.expectInside('Pague com Multicaixa Express', PATIENT_MS);
    await shop.expectFitting();
    await expectSeen(shop.dialog);
    await expect(shop.closeButton).toHaveAccessibleName(close);
    await shop.payInside('900000000');
    // Without news both ask, each few seconds of their own time.
    const ask = async () => void (hostility.blocked && (await visitor.clock.runFor(3_000)));
    await shop.travelToInside(fixture.app, 'Pago', ask);
    await shop.closeButton.click();
    await expect(shop.dialog).toHaveCount(0);
    await widget.travelToTitle(fixture.app, 'Pago', ask);
  },
);

/** As wide as it wants to be, and there for eyes and fingers. */
async function expectSeen(part: Locator) {
  expect((await part.boundingBox())?.width).toBe(440);
  for (const [name, value] of Object.entries(SEEN)) await expect(part).toHaveCSS(name, value);
}

const SEEN = { visibility: 'visible', opacity: '1', 'pointer-events': 'auto', 'text-transform': 'none' };
