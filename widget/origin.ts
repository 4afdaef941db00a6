// Finds the gateway's URL of an element. It may differ from the script's origin, because shops copy or bundle scripts.
import { readAttribute } from './shell.ts';

type Page = { Balcao?: { gateway?: string }; document?: { currentScript: Partial<HTMLScriptElement> | null } };
const page = globalThis as Page;

/** Read during the script's first run: later, `currentScript` and the page's setting in `Balcao` are missing. */
const { src } = page.document?.currentScript ?? {};
const early = page.Balcao?.gateway;
/** The script's origin, if its URL is a widget's URL. A script with another URL is the shop's bundle. */
const own = /(.+)\/widget(\.m?js|\/[^/]*js)\b/.exec(src || import.meta.url)?.[1];

/** The gateway's URL without a trailing slash. Empty if the page does not name the gateway. */
export function baseOf(host: HTMLElement): string {
  const marked = document.querySelector<HTMLElement>('[data-balcao]')?.dataset['balcao'];
  const named = readAttribute(host, 'gateway') || page.Balcao?.gateway || early || marked || own || '';
  return named.trim().replace(/\/+$/, '');
}

let warned = '';

/** Logs one hint for the page's developer about an element that cannot show its payment. */
export function warnDeveloper(base: string, log = console.error) {
  const text =
    `Balcão: ${base || 'no gateway'} does not answer. ` +
    'Check gateway="https://…" on the element, connect-src and frame-src.';
  if (text !== warned) log((warned = text));
}
