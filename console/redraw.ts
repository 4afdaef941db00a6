// Fetches the page again, and replaces the changed parts and the changed list entries.

/** The wait for a page. A request without an answer would stop all later redraws. */
const ANSWER_MS = 20_000;

/**
 * Fetches a page of the console. Returns null if the page does not exist.
 * An ended session redirects the browser to the sign-in page.
 * @throws on server errors and without an answer in time, which may be temporary
 */
export async function readPage(url: string): Promise<Document | null> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  const response = await fetch(url, { headers: { 'x-balcao-live': '1', accept: 'text/html' }, signal });
  // A typed form stays on the page. If the person sends it, the sign-in page keeps it.
  if (response.redirected && !hasTyped(document.body)) location.assign(response.url);
  if (response.status >= 500) throw new Error(response.statusText);
  if (!response.ok || response.redirected) return null;
  return new DOMParser().parseFromString(await response.text(), 'text/html');
}

/**
 * The HTML of each part and list entry as the server rendered it.
 * The visible page may differ from the server's HTML, because browsers translate it and scripts show buttons.
 */
const renderedHtml = new WeakMap<Element, string>();

/** Stores the server's HTML of the parts before a browser translates them. */
export function rememberRendered(within: ParentNode): void {
  for (const each of within.querySelectorAll('[data-live-part], [data-live-key]'))
    renderedHtml.set(each, comparableHtml(each));
}

/** True if a redraw waits because a person types, presses or reads in a part of the page. */
let isHeld = false;

/** Replaces the parts of the page that changed since the page was rendered. */
export async function redraw(): Promise<void> {
  isHeld = false;
  const next = await readPage(location.href);
  if (!next) return;
  rememberRendered(next);
  if (next.title) document.title = next.title;
  for (const part of document.querySelectorAll<HTMLElement>('[data-live-part]')) {
    const { livePart } = part.dataset;
    replace(part, next.querySelector(`[data-live-part="${livePart}"]`));
  }
  const list = document.querySelector<HTMLElement>('[data-list]');
  const listed = next.querySelector('[data-list]');
  if (list && listed) redrawList(list, listed);
  // The list was empty and has its first entry now, so the whole page reloads.
  else if (listed && !holdBack(document.body)) location.reload();
}

/** Calls `refresh` when a person no longer types, presses or reads in a part. */
export function listenReleases(refresh: () => void): void {
  const release = () => setTimeout(() => isHeld && refresh());
  // Listens in the capture phase, because `toggle` does not bubble.
  for (const type of ['focusout', 'input', 'toggle']) document.addEventListener(type, release, true);
}

/** True if a person types, presses or reads in the part. The redraw then waits until the person has finished. */
function holdBack(part: Element): boolean {
  const { activeElement } = document;
  const isTyping = part.contains(activeElement) && !!activeElement?.matches('input, textarea, select, button');
  const isBusy = isTyping || part.querySelector('details[open]') !== null || hasTyped(part);
  isHeld ||= isBusy;
  return isBusy;
}

/** True if a field of the part contains typed text, even without the focus. */
function hasTyped(part: ParentNode): boolean {
  const fields = part.querySelectorAll<HTMLInputElement>('input:not([type=hidden]), textarea');
  return [...fields].some(
    ({ value, defaultValue, checked, defaultChecked }) => value !== defaultValue || checked !== defaultChecked,
  );
}

/** Shows the buttons that need JavaScript. */
export function showButtons(within: ParentNode): void {
  const { clipboard, share } = navigator;
  for (const button of within.querySelectorAll<HTMLElement>('[data-copy], [data-print], [data-share]'))
    button.hidden = ('copy' in button.dataset && !clipboard) || ('share' in button.dataset && !share);
}

/**
 * The HTML of a part without its expected differences.
 * Form keys are new in each rendering, the script shows buttons, and islands render themselves.
 */
function comparableHtml(part: Element): string {
  const copy = part.cloneNode(true) as Element;
  for (const island of copy.querySelectorAll('[data-island]')) island.textContent = '';
  return copy.outerHTML.replace(/name="key" value="[^"]*"| hidden=""/g, '');
}

function replace(part: Element, next: Element | null): void {
  if (!next || renderedHtml.get(part) === renderedHtml.get(next) || holdBack(part)) return;
  const [before, announcement] = [stateOf(part), stateOf(next)];
  next.classList.add('fresh');
  part.replaceWith(next);
  showButtons(next);
  if (part.matches('[data-live-part]') && announcement !== before)
    announce(announcement, next.hasAttribute('data-result'));
}

/** The status of a part for screen readers: its own text, or the texts of its badges. */
function stateOf(part: Element): string {
  const badges = [...part.querySelectorAll('.state')].map(({ textContent }) => textContent);
  return part.getAttribute('data-say') ?? badges.join(', ');
}

/** Announces a text to screen readers, which do not announce a replaced part. A result interrupts other speech. */
function announce(text: string, isResult: boolean): void {
  document.getElementById(isResult ? 'said-result' : 'said')!.textContent = text;
}

/**
 * Replaces known list entries in place. Adds new entries on top if the page is not scrolled.
 * On a scrolled page, a button offers the new entries.
 */
function redrawList(list: HTMLElement, next: Element): void {
  const known = new Map([...list.children].map((line) => [keyOf(line), line]));
  const fresh: Element[] = [];
  // Iterates over a copy, because a replaced line is removed from `next`.
  const lines = [...next.children];
  for (const line of lines) {
    const before = known.get(keyOf(line));
    if (before) replace(before, line);
    else fresh.push(line);
  }
  const first = keyOf(list.firstElementChild);
  const isAbove = lines.slice(0, fresh.length).every((line) => fresh.includes(line));
  if (fresh.length === 0 || first === null) return;
  const button = document.querySelector<HTMLElement>('[data-news]');
  if (!isAbove || window.scrollY > 0) {
    if (button) button.hidden = false;
    return;
  }
  for (const line of fresh) line.classList.add('fresh');
  list.prepend(...fresh);
  tidyDays(list);
}

const keyOf = (line: Element | null) => line?.getAttribute('data-live-key') ?? null;

/** Keeps the heading of a day only above the day's first entry. */
export function tidyDays(list: Element): void {
  let day: string | null = null;
  for (const head of list.querySelectorAll('.day')) {
    const dayText = head.getAttribute('data-day');
    if (dayText === day) head.remove();
    day = dayText;
  }
}
