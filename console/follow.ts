// Infinite lists: the script loads the next page as soon as the “show more” link scrolls into view.
import { readPage, rememberRendered, tidyDays } from './redraw.ts';

/** Loads the pages of a list without presses on “show more”, until the list ends. */
export function followLists(): void {
  const link = document.querySelector<HTMLAnchorElement>('[data-more]');
  const list = document.querySelector('[data-list]');
  if (!link || !list || !('IntersectionObserver' in window)) return;
  const seen = new IntersectionObserver(
    (entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) void loadNext();
    },
    { rootMargin: '400px' },
  );
  let isLoading = false;
  async function loadNext(): Promise<void> {
    if (isLoading || !link || !list) return;
    isLoading = true;
    const page = await readPage(link.href).catch(() => null);
    isLoading = false;
    // The link stays after a failure, so that a person can still open the next page.
    if (!page) return seen.disconnect();
    const known = new Set([...list.children].map((line) => line.getAttribute('data-live-key')));
    rememberRendered(page);
    const lines = [...(page.querySelector('[data-list]')?.children ?? [])];
    list.append(...lines.filter((line) => !known.has(line.getAttribute('data-live-key'))));
    tidyDays(list);
    const next = page.querySelector<HTMLAnchorElement>('[data-more]');
    if (!next) {
      seen.disconnect();
      return link.remove();
    }
    link.href = next.href;
    // The observer reports only changes, so a link that stays in view must be observed again.
    seen.unobserve(link);
    seen.observe(link);
  }
  seen.observe(link);
}
