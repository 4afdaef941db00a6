// A page that is asked for again, and of it what is otherwise now: parts in their place, lines of a list by their key.

/** A document of the console; null where there is none. Whose session is over is shown the way in. @throws where it may come later */
export async function readPage(url: string): Promise<Document | null> {
  const response = await fetch(url, { headers: { 'x-balcao-live': '1', accept: 'text/html' } });
  if (response.redirected) location.assign(response.url);
  if (response.status >= 500) throw new Error(response.statusText);
  if (!response.ok || response.redirected) return null;
  return new DOMParser().parseFromString(await response.text(), 'text/html');
}

/** The server's text of each part and line. The page itself may differ: browsers translate it, scripts show buttons. */
const drawn = new WeakMap<Element, string>();

/** Remembers what the server drew, before a browser translates it. */
export function rememberDrawn(within: ParentNode): void {
  for (const each of within.querySelectorAll('[data-live-part], [data-live-key]')) drawn.set(each, wordsOf(each));
}

/** Whether a redraw waits for a person who types, presses or reads in a part. */
let isHeld = false;

/** Takes over what changed since the page was drawn. */
export async function redraw(): Promise<void> {
  isHeld = false;
  const next = await readPage(location.href);
  if (!next) return;
  rememberDrawn(next);
  if (next.title) document.title = next.title;
  for (const part of document.querySelectorAll<HTMLElement>('[data-live-part]')) {
    const { livePart } = part.dataset;
    replace(part, next.querySelector(`[data-live-part="${livePart}"]`));
  }
  const list = document.querySelector<HTMLElement>('[data-list]');
  const listed = next.querySelector('[data-list]');
  if (list && listed) redrawList(list, listed);
  // What was empty has a first line now.
  else if (listed && !holdBack(document.body)) location.reload();
}

/** Calls `refresh` when a person who held a redraw back has finished. */
export function listenReleases(refresh: () => void): void {
  const release = () => setTimeout(() => isHeld && refresh());
  // `toggle` does not bubble.
  for (const type of ['focusout', 'input', 'toggle']) document.addEventListener(type, release, true);
}

/** True if a person types, presses or reads in the part. The redraw then comes when they have finished. */
function holdBack(part: Element): boolean {
  const { activeElement } = document;
  const isTyping = part.contains(activeElement) && !!activeElement?.matches('input, textarea, select, button');
  const isBusy = isTyping || part.querySelector('details[open]') !== null || hasTyped(part);
  isHeld ||= isBusy;
  return isBusy;
}

/** A field that lost the focus keeps what a person typed into it. */
function hasTyped(part: Element): boolean {
  const fields = part.querySelectorAll<HTMLInputElement>('input:not([type=hidden]), textarea');
  return [...fields].some(
    ({ value, defaultValue, checked, defaultChecked }) => value !== defaultValue || checked !== defaultChecked,
  );
}

/** Buttons that a script alone can serve. */
export function showButtons(within: ParentNode): void {
  for (const button of within.querySelectorAll<HTMLElement>('[data-copy], [data-print]'))
    button.hidden = 'copy' in button.dataset && !('clipboard' in navigator);
}

/** Forms carry a key that is new at each drawing, buttons were shown since, and islands draw themselves: that alone is no change. */
function wordsOf(part: Element): string {
  const copy = part.cloneNode(true) as Element;
  for (const island of copy.querySelectorAll('[data-island]')) island.textContent = '';
  return copy.outerHTML.replace(/name="key" value="[^"]*"| hidden=""/g, '');
}

function replace(part: Element, next: Element | null): void {
  if (!next || drawn.get(part) === drawn.get(next) || holdBack(part)) return;
  const [before, said] = [stateOf(part), stateOf(next)];
  next.classList.add('fresh');
  part.replaceWith(next);
  showButtons(next);
  if (part.matches('[data-live-part]') && said !== before) announce(said);
}

/** A part's state, as its screen says it or as its badges show it. */
function stateOf(part: Element): string {
  const badges = [...part.querySelectorAll('.state')].map(({ textContent }) => textContent);
  return part.getAttribute('data-say') ?? badges.join(', ');
}

/** Has screen readers say it: a replaced part is no live region of theirs. */
function announce(text: string): void {
  document.getElementById('said')!.textContent = text;
}

/** Lines that are there change in their place; new ones come above while nobody has scrolled, else a button says that they are there. */
function redrawList(list: HTMLElement, next: Element): void {
  const known = new Map([...list.children].map((line) => [keyOf(line), line]));
  const fresh: Element[] = [];
  // A copy: a replaced line leaves `next`.
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

/** A day is said above its first line alone. */
export function tidyDays(list: Element): void {
  let day: string | null = null;
  for (const head of list.querySelectorAll('.day')) {
    const said = head.getAttribute('data-day');
    if (said === day) head.remove();
    day = said;
  }
}
