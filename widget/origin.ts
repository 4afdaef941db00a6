// Finds the gateway's address of an element. It may differ from the script's origin: shops bundle or copy scripts.
import { read } from './shell.ts';

type Page = { Balcao?: { gateway?: string }; document?: { currentScript: Partial<HTMLScriptElement> | null } };
const page = globalThis as Page;

/** Read while the script first runs: later its own address and the page's setting in `Balcao` are gone. */
const { src } = page.document?.currentScript ?? {};
const early = page.Balcao?.gateway;
/** The script's origin, if its address is a widget's. A script with another address is the shop's bundle. */
const own = /(.+)\/widget(\.m?js|\/[^/]*js)\b/.exec(src || import.meta.url)?.[1];

/** The gateway's address without a trailing slash. Empty if the page does not name it. */
export function baseOf(host: HTMLElement): string {
  const marked = document.querySelector<HTMLElement>('[data-balcao]')?.dataset['balcao'];
  const named = read(host, 'gateway') || page.Balcao?.gateway || early || marked || own || '';
  return named.trim().replace(/\/+$/, '');
}

let warned = '';

/** Logs once how the page's developer can correct an element that shows nothing. */
export function warn(base: string, log = console.error) {
  const text =
    `Balcão: ${base || 'no gateway'} does not answer. ` +
    'Write gateway="https://…" on the element, and allow it in connect-src and frame-src.';
  if (text !== warned) log((warned = text));
}
