// The HTML document around every sandbox page: head, style element, and navigation.
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { writeJson } from '../../checkout/document.tsx';
import { pt } from '../../checkout/text/pt.ts';
import text from './sandbox.css?inline';

/** The exact text of the style element. The CSP allows no other styles than the one with this text's hash. */
export const styles: string = text.trim();

export type Page = {
  title: string;
  body: ComponentChildren;
  /** The URL of the page's own script, as built. */
  script?: string | null;
  /** True if the page contains the widget. The page loads it like a merchant's page. */
  hasWidget?: boolean;
  /** The data with which the script hydrates the page, so that its first render changes nothing. */
  data?: unknown;
  /** The interval in seconds at which the page reloads without JavaScript. */
  refreshSeconds?: number | null;
  /** The interval in seconds at which a page without a script always reloads. */
  reloadSeconds?: number | null;
};

/** Renders a complete HTML page of the sandbox. */
export function renderDocument({ title, body, script, hasWidget, data, refreshSeconds, reloadSeconds }: Page): string {
  const head = `${title} · Ambiente de testes do Balcão`;
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
      <nav aria-label="Ambiente de testes">
        <a href="/sandbox">Início</a>
        <a href="/demo">Loja</a>
        <a href="/sandbox/phone">Telemóvel</a>
        <a href="/sandbox/scan">QR</a>
        <a href="/sandbox/atm">Caixa</a>
        <a href="/sandbox/callbacks">Callbacks</a>
        <a href="/sandbox/inbox">Correio</a>
      </nav>
    </header>
  );
}
