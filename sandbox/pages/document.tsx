// The HTML document around every sandbox page: head, style element, and navigation.
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { writeJson } from '../../checkout/document.tsx';
import { pt } from '../../checkout/text/pt.ts';
import text from './sandbox.css?inline';

/** The exact text of the style element. Its hash is the only style that the CSP allows. */
export const styles: string = text.trim();

export type Page = {
  title: string;
  body: ComponentChildren;
  /** The built URL of the page's own script. */
  script?: string | null;
  /** True if the page embeds the widget, which it loads like a merchant's page. */
  hasWidget?: boolean;
  /** The data that the script hydrates with, so that its first render changes nothing. */
  data?: unknown;
  /** Without JavaScript, the page reloads at this interval. */
  refreshSeconds?: number | null;
  /** The page has no script, so it always reloads at this interval. */
  reloadSeconds?: number | null;
};

/** Renders a complete HTML document. */
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
