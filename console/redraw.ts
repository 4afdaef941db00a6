// A page that is asked for again, and of it what is otherwise now: parts in their place, lines of a list by their key.

/** A document of the console; null where there is none. Whose session is over is shown the way in. @throws where it may come later */
export async function readPage(url: string): Promise<Document | null> {
  const response = await fetch(url, { headers: { 'x-balcao-live': '1', accept: 'text/html' } });
  if (response.redirected) location.assign(response.url);
  if (response.status >= 500) throw new Error(`answered ${response.status}`);
  if (!response.ok || response.redirected) return null;
  return new DOMParser().parseFromString(await response.text(), 'text/html');
}

/** Takes over what changed since the page was drawn. */
export async function redraw(): Promise<void> {
  const next = await readPage(location.href);
  if (!next) return;
  for (const part of document.querySelectorAll<HTMLElement>('[data-live-part]')) {
    const { livePart } = part.dataset;
    replace(part, next.querySelector(`[data-live-part="${livePart}"]`));
  }
  const list = document.querySelector<HTMLElement>('[data-list]');
  const listed = next.querySelector('[data-list]');
  if (list && listed) redrawList(list, listed);
  // What was empty has a first line now.
  else if (listed && !isBusy(document.body)) location.reload();
}

/** Nobody's typing, pressing or reading in an open part is disturbed. */
function isBusy(part: Element): boolean {
  const { activeElement } = document;
  const isTyping = part.contains(activeElement) && !!activeElement?.matches('input, textarea, select, button');
  return isTyping || part.querySelector('details[open]') !== null;
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
  if (!next || wordsOf(part) === wordsOf(next) || isBusy(part)) return;
  next.classList.add('fresh');
  part.replaceWith(next);
  showButtons(next);
}

/** Lines that are there change in their place; new ones come above while nobody has scrolled, else a button says that they are there. */
function redrawList(list: HTMLElement, next: Element): void {
  const known = new Map([...list.children].map((line) => [keyOf(line), line]));
  const fresh: Element[] = [];
  for (const line of Array.from(next.children)) {
    const before = known.get(keyOf(line));
    if (before) replace(before, line);
    else fresh.push(line);
  }
  const first = keyOf(list.firstElementChild);
  const isAbove = [...next.children].slice(0, fresh.length).every((line) => fresh.includes(line));
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
    if (head.textContent === day) head.remove();
    day = head.textContent;
  }
}
