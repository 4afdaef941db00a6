// Finds the gateway of an element. The script often comes from it, but shops also join, inline and copy scripts.
import { read } from './shell.ts';

type Page = { Balcao?: { gateway?: string }; document?: { currentScript: Partial<HTMLScriptElement> | null } };
const page = globalThis as Page;

/** Only the first run of the script sees its own address, and what the page wrote into `Balcao` before it. */
const { src } = page.document?.currentScript ?? {};
const early = page.Balcao?.gateway;
/** A script at another address is a bundle of the shop. */
const own = /(.+)\/widget(\.m?js|\/[^/]*js)\b/.exec(src || import.meta.url)?.[1];

/** The gateway's address without a trailing slash. Empty if the page does not name it. */
export function baseOf(host: HTMLElement): string {
  const marked = document.querySelector<HTMLElement>('[data-balcao]')?.dataset['balcao'];
  const named = read(host, 'gateway') || page.Balcao?.gateway || early || marked || own || '';
  return named.trim().replace(/\/+$/, '');
}

let warned = '';

/** Tells the page's developer once how to mend an element that shows nothing. */
export function warn(base: string, log = console.error) {
  const text = `Balcão: ${base || 'no gateway'} does not answer. Write gateway="https://…" on the element, and allow it in connect-src and frame-src.`;
  if (text !== warned) log((warned = text));
}
