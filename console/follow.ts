// Lists that go on by themselves: what comes after is asked for as soon as the link to it comes into sight.
import { readPage, rememberDrawn, tidyDays } from './redraw.ts';

/** Takes the place of each press on “show more”, while there is more. */
export function followLists(): void {
  const link = document.querySelector<HTMLAnchorElement>('[data-more]');
  const list = document.querySelector('[data-list]');
  if (!link || !list || !('IntersectionObserver' in window)) return;
  const seen = new IntersectionObserver(
    (entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) void goOn();
    },
    { rootMargin: '400px' },
  );
  let isAsking = false;
  async function goOn(): Promise<void> {
    if (isAsking || !link || !list) return;
    isAsking = true;
    const page = await readPage(link.href).catch(() => null);
    isAsking = false;
    // The link stays: by a press it leads on where this does not.
    if (!page) return seen.disconnect();
    const known = new Set([...list.children].map((line) => line.getAttribute('data-live-key')));
    rememberDrawn(page);
    const lines = [...(page.querySelector('[data-list]')?.children ?? [])];
    list.append(...lines.filter((line) => !known.has(line.getAttribute('data-live-key'))));
    tidyDays(list);
    const next = page.querySelector<HTMLAnchorElement>('[data-more]');
    if (!next) {
      seen.disconnect();
      return link.remove();
    }
    link.href = next.href;
    // Still in sight, it would not come into it.
    seen.unobserve(link);
    seen.observe(link);
  }
  seen.observe(link);
}
