// A merchant's website on an origin of its own, under the strictest policy that still names the gateway.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type MerchantPage = {
  /** Inside `main`. */
  body: string;
  /** Of scripts of the gateway: `/widget.js` and the like. */
  scripts?: string[];
  /** Attributes of their elements, and where they may come from. */
  attributes?: string;
  scriptSource?: string;
  /** A stylesheet for the whole page. */
  css?: string;
  /** More of its policy, such as `require-trusted-types-for 'script'`. */
  policy?: string;
  headers?: Record<string, string>;
};

export type Merchant = {
  url: string;
  /** Puts a page up and answers its address. */
  show(page: MerchantPage): string;
  close(): Promise<void>;
};

/** Serves what `show` put up. Nothing inline is allowed: no script, no style; images and frames are the gateway's. */
export async function startMerchant(gateway: string): Promise<Merchant> {
  const pages: MerchantPage[] = [];
  const server = createServer((req, res) => {
    const [, id, isCss] = /^\/(\d+)(\.css)?$/.exec(req.url ?? '') ?? [];
    const page = pages[Number(id)];
    if (!page) return void res.writeHead(404).end();
    if (isCss) return void res.writeHead(200, { 'Content-Type': 'text/css' }).end(page.css);
    res.writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policyOf(page, gateway),
      ...page.headers,
    });
    res.end(writePage(page, gateway, `/${id}.css`));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    show: (page) => `${url}/${pages.push(page) - 1}`,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function policyOf({ css, policy = '', scriptSource }: MerchantPage, gateway: string): string {
  const styles = css === undefined ? "'none'" : "'self'";
  return `default-src 'none'; script-src ${scriptSource ?? gateway}; connect-src ${gateway}; img-src ${gateway}; frame-src 'self' ${gateway}; style-src ${styles}; ${policy}`;
}

function writePage(page: MerchantPage, gateway: string, cssPath: string): string {
  const { body, scripts = ['/widget.js'], attributes = '', css } = page;
  const write = (path: string) =>
    `<script src="${gateway}${path}" ${path.endsWith('.mjs') ? 'type="module" crossorigin' : 'defer'} ${attributes}></script>`;
  return `<!doctype html><html lang="pt"><head><meta charset="utf-8"><title>Loja</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    ${css === undefined ? '' : `<link rel="stylesheet" href="${cssPath}">`}${scripts.map(write).join('')}
    </head><body><main><h1>A minha loja</h1>${body}</main></body></html>`;
}
