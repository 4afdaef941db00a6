// The widget on pages that make life hard: the strictest policies, isolation, styles and scripts that reach for everything.
import { readFileSync } from 'node:fs';
import type { Locator } from 'playwright';
import { expect } from 'playwright/test';
import { afterAll, beforeAll, test } from 'vitest';
import { create, webframe } from '../support/payments.ts';
import { allowOrigin, DialogPage } from './pages/dialog.ts';
import { startMerchant, type Merchant, type MerchantPage } from './pages/merchant.ts';
import { setStage } from './pages/stage.ts';
import { WidgetPage } from './pages/widget.ts';

const stage = setStage();
let merchant: Merchant;
beforeAll(async () => {
  merchant = await startMerchant(stage.app.node.core.publicUrl);
  await allowOrigin(stage.app, merchant.url);
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
};

const LATEST = JSON.parse(readFileSync(new URL('../../dist/widget/widget/latest.json', import.meta.url), 'utf8')) as {
  loader: { url: string; integrity: string };
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
    // How large its own element is and where it stands is the page's to say.
    css: `*, *::before, *::after { display: none !important; visibility: hidden !important; font: 3px/1 serif !important;
        color: red !important; pointer-events: none !important; text-transform: uppercase !important; border: 9px solid !important }
      html, body, main { display: block !important }
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
  'another version, which this release no longer has': { scripts: ['/widget/0.0.1-0a1b2c3d.js'] },
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

async function visitHostile(body: string, { spoil, expected, blocked, isFramed, ...page }: Hostility) {
  const visitor = await stage.visit({
    origins: [merchant.url],
    viewport: { width: 1280, height: 900 },
    ...(expected && { expected }),
  });
  if (spoil) await visitor.addInitScript(spoil, stage.app.node.core.publicUrl);
  if (blocked) await visitor.route(blocked, (route) => route.abort());
  const url = merchant.show({ body, ...page });
  const outer = isFramed && {
    body: `<iframe src="${url}" width="800" height="800"></iframe>`,
    policy: '',
    scripts: [],
  };
  await visitor.goto(outer ? merchant.show(outer) : url);
  return { visitor, place: isFramed ? visitor.frameLocator('iframe').first() : visitor };
}

test.each(Object.entries(HOSTILE))(
  '%s: the payment is drawn and pays, and so does the dialog',
  async (_name, hostility) => {
    const [first, second] = [await create(stage.app, webframe()), await create(stage.app, webframe())];
    const body = `<balcao-payment token="${first.clientToken}"></balcao-payment>
    <balcao-checkout token="${second.clientToken}"></balcao-checkout>`;
    const { visitor, place } = await visitHostile(body, hostility);
    const widget = new WidgetPage(visitor, place.locator('balcao-payment'));
    await widget.expectTitle('Pague com Multicaixa Express');
    await expect(widget.title).toHaveCSS('font-size', '20px');
    await expectSeen(widget.element.locator('.card'));
    await widget.pay('900000000');
    await widget.expectTitle('Confirme o pagamento no seu telemóvel');

    const shop = new DialogPage(visitor, place.locator('balcao-checkout'));
    await shop.open();
    await shop.expectInside('Pague com Multicaixa Express');
    await shop.expectFitting();
    await expectSeen(shop.dialog);
    await shop.payInside('900000000');
    await shop.travelToInside(stage.app, 'Pago');
    await shop.closeButton.click();
    await expect(shop.dialog).toHaveCount(0);
    await widget.travelToTitle(stage.app, 'Pago');
  },
);

/** As wide as it wants to be, and there for eyes and fingers. */
async function expectSeen(part: Locator) {
  expect((await part.boundingBox())?.width).toBe(440);
  for (const [name, value] of Object.entries(SEEN)) await expect(part).toHaveCSS(name, value);
}

const SEEN = { visibility: 'visible', opacity: '1', 'pointer-events': 'auto', 'text-transform': 'none' };
