// A merchant's website on another origin.
// Its policy forbids inline code and allows the images and frames of the gateway.
import { createServer } from 'node:http';
import type { Page } from 'playwright';
import { afterAll, beforeAll } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import type { TestApp } from '../../support/app.ts';
import type { BrowserFixture, VisitOptions } from '../../support/browser-fixture.ts';
import { listen } from '../../support/listen.ts';

export type MerchantPage = {
  /** Inside `main`. */
  body: string;
  /** Paths of the gateway's scripts, such as `/widget.js`. */
  scripts?: string[];
  /** Attributes of the script elements, and the sources that the policy allows. */
  attributes?: string;
  scriptSource?: string;
  /** A stylesheet for the whole page. */
  css?: string;
  /** Further directives of the policy, such as `require-trusted-types-for 'script'`. */
  policy?: string;
  headers?: Record<string, string>;
};

type Opening = VisitOptions & { prepare?: (page: Page) => Promise<unknown> };

export type Merchant = {
  readonly url: string;
  /** Serves a page and returns its address. */
  show(page: MerchantPage): string;
  /** Serves a page and opens it. `prepare` runs before the page loads. */
  open(page: MerchantPage, opening?: Opening): Promise<Page>;
};

/** A website for a test file. The demo merchant allows its origin, unless `isForeign`. */
export function openMerchant(fixture: BrowserFixture, { isForeign = false } = {}): Merchant {
  const pages: MerchantPage[] = [];
  let url = '';
  const server = createServer((req, res) => {
    const [, id, isCss] = /^\/(\d+)(\.css)?$/.exec(req.url ?? '') ?? [];
    const page = pages[Number(id)];
    if (!page) return void res.writeHead(404).end();
    if (isCss) return void res.writeHead(200, { 'Content-Type': 'text/css' }).end(page.css);
    const { publicUrl } = fixture.app.node.core;
    res.writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policyOf(page, publicUrl),
      ...page.headers,
    });
    res.end(writePage(page, publicUrl, `/${id}.css`));
  });
  beforeAll(async () => {
    url = await listen(server);
    // A sandbox shows its checkout on each loopback origin.
    if (isForeign) Object.assign(fixture.app.node.core.config, { isSandbox: false });
    else await allowOrigin(fixture.app, url);
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  const merchant: Merchant = {
    get url() {
      return url;
    },
    show: (page) => `${url}/${pages.push(page) - 1}`,
    async open(page, { prepare, ...options } = {}) {
      const visitor = await fixture.visit({ origins: [url], ...options });
      await prepare?.(visitor);
      await visitor.goto(merchant.show(page));
      return visitor;
    },
  };
  return merchant;
}

type Payment = { clientToken: string };
export const paymentElement = ({ clientToken }: Payment, attributes = '') =>
  `<balcao-payment token="${clientToken}" ${attributes}></balcao-payment>`;
export const checkoutElement = ({ clientToken }: Payment, attributes = '') =>
  `<balcao-checkout token="${clientToken}" ${attributes}></balcao-checkout>`;

/** Adds an origin that may frame the checkouts of the demo merchant. */
export async function allowOrigin(app: TestApp, origin: string): Promise<void> {
  const { config } = app.node.core;
  const { isSandbox } = config;
  // Only a sandbox stores an origin with plain http.
  Object.assign(config, { isSandbox: true });
  const path = `/api/merchants/${DEMO.merchantId}`;
  const { allowedOrigins } = (await app.call(path)).json as { allowedOrigins: string[] };
  const body = { allowedOrigins: [...new Set([...allowedOrigins, origin])] };
  const { status, text } = await app.call(path, { method: 'PUT', body });
  Object.assign(config, { isSandbox });
  if (status !== 200) throw new Error(`not allowed: ${status} ${text}`);
}

function policyOf({ css, policy = '', scriptSource }: MerchantPage, gateway: string): string {
  const styles = css === undefined ? "'none'" : "'self'";
  return (
    `default-src 'none'; script-src ${scriptSource ?? gateway}; connect-src ${gateway}; img-src ${gateway}; ` +
    `frame-src 'self' ${gateway}; style-src ${styles}; ${policy}`
  );
}

function writePage(page: MerchantPage, gateway: string, cssPath: string): string {
  const { body, scripts = ['/widget.js'], attributes = '', css } = page;
  const write = (path: string) => {
    const kind = path.endsWith('.mjs') ? 'type="module" crossorigin' : 'defer';
    return `<script src="${gateway}${path}" ${kind} ${attributes}></script>`;
  };
  return `<!doctype html><html lang="pt"><head><meta charset="utf-8"><title>Loja</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    ${css === undefined ? '' : `<link rel="stylesheet" href="${cssPath}">`}${scripts.map(write).join('')}
    </head><body><main><h1>A minha loja</h1>${body}</main></body></html>`;
}
