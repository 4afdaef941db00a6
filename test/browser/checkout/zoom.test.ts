// Enlarged to 200 and 400 %, as a browser's zoom does it: the page is as wide as before, in pixels that are as much larger.
import { expect, test } from 'vitest';
import { codes } from '../../screens/codes.ts';
import { pushes } from '../../screens/pushes.ts';
import { references } from '../../screens/references.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();

/** 1280 × 800 at each zoom (WCAG 1.4.4, 1.4.10). */
const ZOOMS = [
  ['200 %', { width: 640, height: 400 }],
  ['400 %', { width: 320, height: 200 }],
] as const;

const STATES = {
  form: pushes['form']!,
  'wrong number': pushes['wrong number']!,
  waiting: pushes['waiting']!,
  paid: pushes['paid']!,
  code: codes['code']!,
  reference: references['reference']!,
};

test.each(Object.entries(STATES))('%s: nothing is cut off, covered or beside the page', async (_name, open) => {
  const { page } = await open(fixture);
  for (const [zoom, size] of ZOOMS) {
    await page.setViewportSize(size);
    expect(await page.evaluate(listLost), `at ${zoom}`).toEqual([]);
  }
});

/** In the page: whatever reaches beyond it, words that their box cuts off, and what cannot be scrolled to where it can be pressed. */
function listLost(): string[] {
  const lost: string[] = [];
  for (const each of document.querySelectorAll<HTMLElement>('body *')) {
    if (!each.checkVisibility() || each.closest('.unseen, svg')) continue;
    const { left, right } = each.getBoundingClientRect();
    if (left < 0 || right > innerWidth) lost.push(`beside: ${each.outerHTML.slice(0, 80)}`);
    const { overflow } = getComputedStyle(each);
    if (overflow !== 'visible' && each.scrollWidth > each.clientWidth + 1)
      lost.push(`cut off: ${each.outerHTML.slice(0, 80)}`);
    if (!each.matches('a, button, input')) continue;
    each.scrollIntoView({ block: 'center' });
    const box = each.getClientRects()[0]!;
    const there = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    if (!there || !(each.contains(there) || there.contains(each)))
      lost.push(`covered by ${there?.outerHTML.slice(0, 40)}: ${each.outerHTML.slice(0, 80)}`);
  }
  return lost;
}
