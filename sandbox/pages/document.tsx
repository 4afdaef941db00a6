// What every sandbox page stands in: the document, its one style element, the ribbon with the ways around.
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { writeJson } from '../../checkout/document.tsx';
import { pt } from '../../checkout/text/pt.ts';
import text from './sandbox.css?inline';

/** The exact text of the pages' style element: its hash is the only style their policy allows. */
export const styles: string = text.trim();

export type Page = {
  title: string;
  body: ComponentChildren;
  /** The page's own module, by its built address. */
  script?: string | null;
  /** The page holds the widget, loaded as a merchant would load it. */
  hasWidget?: boolean;
  /** What the script takes over from the server, so that its first render changes nothing. */
  data?: unknown;
  /** Without JavaScript the page asks again by itself. */
  refreshSeconds?: number | null;
  /** The page has no script: it asks again whether or not there is JavaScript. */
  reloadSeconds?: number | null;
};

/** A complete HTML document. */
export function renderDocument({ title, body, script, hasWidget, data, refreshSeconds, reloadSeconds }: Page): string {
  const head = `${title} · Sandbox Balcão`;
  return `<!doctype html>${renderToString(
    <html lang="pt">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <meta name="theme-color" content="#FAF8F4" media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content="#141311" media="(prefers-color-scheme: dark)" />
        <title>{head}</title>
        <link rel="icon" href="data:," />
        {refreshSeconds ? (
          <noscript>
            <meta http-equiv="refresh" content={String(refreshSeconds)} />
          </noscript>
        ) : null}
        {reloadSeconds ? <meta http-equiv="refresh" content={String(reloadSeconds)} /> : null}
        <style dangerouslySetInnerHTML={{ __html: styles }} />
      </head>
      <body>
        <Bar />
        {body}
        {data === undefined ? null : (
          <script type="application/json" id="view" dangerouslySetInnerHTML={{ __html: writeJson(data) }} />
        )}
        {script ? <script type="module" src={script} /> : null}
        {hasWidget ? <script src="/widget.js" defer /> : null}
      </body>
    </html>,
  )}`;
}

function Bar() {
  return (
    <header class="ribbon bar">
      <span>{pt['sandbox.ribbon']}</span>
      <nav aria-label="Sandbox">
        <a href="/sandbox">Início</a>
        <a href="/demo">Loja</a>
        <a href="/sandbox/phone">Telemóvel</a>
        <a href="/sandbox/scan">QR</a>
        <a href="/sandbox/atm">ATM</a>
        <a href="/sandbox/callbacks">Avisos</a>
        <a href="/sandbox/inbox">Correio</a>
      </nav>
    </header>
  );
}
