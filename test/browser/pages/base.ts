// What every page is held to, whoever made it: accessible in light and dark, and readable when narrow or enlarged.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame, Locator, Page } from 'playwright';
import { expect } from '../../support/expect.ts';

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The width WCAG 1.4.10 names: 1280 px at 400 %. */
const NARROW = { width: 320, height: 640 };

/** More than any page has: tabbing ends sooner, at the first stop seen twice. */
const MAX_STOPS = 60;

export class BasePage {
  readonly page: Page;
  readonly heading: Locator;
  /** What there is for people: all of the page, unless something stands over it. */
  readonly reach: string = 'html';

  constructor(page: Page) {
    this.page = page;
    this.heading = page.getByRole('heading', { level: 1 });
  }

  /** axe finds nothing, light and dark; nothing scrolls sideways at 320 px. */
  async expectAccessible() {
    await this.expectNoViolations();
    // Only the colours are others in the dark.
    await this.page.emulateMedia({ colorScheme: 'dark' });
    await this.expectNoViolations(['color-contrast']);
    await this.page.emulateMedia({ colorScheme: 'light' });
    await this.expectFitsNarrow();
  }

  /** axe finds nothing: as the page is, by these rules or by rules with these tags. */
  async expectNoViolations(runOnly = WCAG) {
    expect(await findViolations(this.page, this.reach, runOnly)).toEqual([]);
  }

  /** Nothing scrolls sideways at 320 px. */
  async expectFitsNarrow() {
    const usual = this.page.viewportSize();
    if (!usual) throw new Error('the page has no viewport');
    await this.page.setViewportSize(NARROW);
    expect(await this.page.evaluate(listOverflowing), 'wider than 320 px').toEqual([]);
    await this.page.setViewportSize(usual);
  }

  /** Nothing scrolls sideways where a phone shows text twice as large. */
  async expectReadableEnlarged() {
    await this.page.evaluate(enlargeText);
    expect(await this.page.evaluate(listOverflowing), 'wider than the page with text at 200 %').toEqual([]);
    await this.page.evaluate(restoreText);
  }

  /** Tab reaches something, and whatever it reaches shows that it has the focus. */
  async expectFocusVisible() {
    const stops: string[] = [];
    for (let n = 0; n < MAX_STOPS; n++) {
      await this.page.keyboard.press('Tab');
      const stop = await this.page.evaluate(describeFocus);
      if (stop === null || stops.includes(stop.name)) break;
      expect(stop, `${stop.name} shows its focus`).toMatchObject({ isVisible: true });
      stops.push(stop.name);
    }
    expect(stops.length).toBeGreaterThan(2);
  }
}

type Violation = { id: string; nodes: { html: string }[] };
type WithAxe = { axe: { run(context: string, options: object): Promise<{ violations: Violation[] }> } };

/** Half of what the package's own `source` is: every page reads it anew. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds in that part of the page, frames included, by these rules, or by rules with these tags. */
async function findViolations(page: Page, reach: string, runOnly: string[]): Promise<string[]> {
  await Promise.all(page.frames().map(bringAxe));
  return page.evaluate(
    async ([context, only]) => {
      const { axe } = window as unknown as WithAxe;
      const { violations } = await axe.run(context, { runOnly: only, resultTypes: ['violations'] });
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    },
    [reach, runOnly] as const,
  );
}

/** Once into each document; a frame inside the page whose own has not come yet has none. */
async function bringAxe(frame: Frame) {
  if (frame.parentFrame() && !/^https?:/.test(frame.url())) return;
  if (!(await frame.evaluate(() => 'axe' in window))) await frame.evaluate(AXE);
}

/** In the page: what has the focus, and whether a ring shows it there or just around; null when it has left the page. */
function describeFocus() {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  if (!focused || focused === document.body) return null;
  const hasRing = (element: Element | null) => {
    if (!element) return false;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
  };
  const { top, bottom, width } = focused.getBoundingClientRect();
  const isInSight = width > 1 && bottom > 0 && top < innerHeight;
  const among = [...document.querySelectorAll('*')].indexOf(focused);
  return {
    name: `${among} ${focused.outerHTML.slice(0, 100)}`,
    isVisible: isInSight && (hasRing(focused) || hasRing(focused.parentElement)),
  };
}

/** In the page: the elements that reach beyond its width; none when it does not scroll sideways. */
function listOverflowing(): string[] {
  const { scrollWidth } = document.scrollingElement as Element;
  if (scrollWidth <= innerWidth) return [];
  const wide = [...document.body.querySelectorAll('*')].filter(
    (each) => each.getBoundingClientRect().right > innerWidth,
  );
  return [`${scrollWidth} px`, ...wide.map((each) => each.outerHTML.slice(0, 100))];
}

/** In the page: what a browser's text-only zoom does, shadow roots included. */
export function enlargeText() {
  const collect = (root: Document | ShadowRoot): HTMLElement[] =>
    [...root.querySelectorAll<HTMLElement>('body, body *, div, div *')].flatMap((each) =>
      each.shadowRoot ? [each, ...collect(each.shadowRoot)] : [each],
    );
  const sizes = collect(document).map((each) => [each, parseFloat(getComputedStyle(each).fontSize)] as const);
  for (const [each, size] of sizes) each.style.setProperty('font-size', `${size * 2}px`, 'important');
}

export function restoreText() {
  const restore = (root: Document | ShadowRoot) => {
    for (const each of root.querySelectorAll<HTMLElement>('*')) {
      each.style?.removeProperty('font-size');
      if (each.shadowRoot) restore(each.shadowRoot);
    }
  };
  restore(document);
}
