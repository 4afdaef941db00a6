// The checks of every page: accessible in light and dark, and readable when narrow or enlarged.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame, Locator, Page } from 'playwright';
import { expect } from '../../support/expect.ts';

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The width WCAG 1.4.10 names: 1280 px at 400 %. */
const NARROW = { width: 320, height: 640 };

/** An upper bound. Tabbing ends at the first stop that repeats. */
const MAX_STOPS = 60;

export class BasePage {
  readonly page: Page;
  readonly heading: Locator;
  /** The part of the page that people can reach: all of it, unless a dialog covers it. */
  readonly reach: string = 'html';

  constructor(page: Page) {
    this.page = page;
    this.heading = page.getByRole('heading', { level: 1 });
  }

  /** No axe violations in light and dark, and no horizontal scrolling at 320 px. */
  async expectAccessible() {
    await this.expectNoViolations();
    // The dark scheme changes colours only.
    await this.page.emulateMedia({ colorScheme: 'dark' });
    await this.expectNoViolations(['color-contrast']);
    await this.page.emulateMedia({ colorScheme: 'light' });
    await this.expectFitsNarrow();
  }

  async expectNoViolations(runOnly = WCAG) {
    expect(await this.listViolations(runOnly)).toEqual([]);
  }

  /** The violations that axe finds by these rules, or by rules with these tags. */
  async listViolations(runOnly = WCAG): Promise<string[]> {
    await Promise.all(this.page.frames().map(injectAxe));
    return this.page.evaluate(runAxe, [this.reach, runOnly] as const);
  }

  async expectFitsNarrow() {
    expect(await this.listOverflowingNarrow(), 'wider than 320 px').toEqual([]);
  }

  /** The elements wider than the page at 320 px. */
  async listOverflowingNarrow(): Promise<string[]> {
    const usual = this.page.viewportSize();
    if (!usual) throw new Error('the page has no viewport');
    await this.page.setViewportSize(NARROW);
    const overflowing = await this.page.evaluate(listOverflowing);
    await this.page.setViewportSize(usual);
    return overflowing;
  }

  /** No horizontal scrolling where a phone shows text at 200 %. */
  async expectReadableEnlarged() {
    await this.page.evaluate(enlargeText);
    expect(await this.page.evaluate(listOverflowing), 'wider than the page with text at 200 %').toEqual([]);
    await this.page.evaluate(restoreText);
  }

  /** Tab reaches at least three stops, and each of them shows the focus. */
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

/** Half the size of the package's `source`: each page parses it again. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** In the page: the violations in that part of it, including its frames. */
async function runAxe([context, runOnly]: readonly [string, string[]]): Promise<string[]> {
  // A click returns when its navigation begins, and half of a document has violations.
  if (document.readyState === 'loading')
    await new Promise((parsed) => document.addEventListener('readystatechange', parsed, { once: true }));
  const { axe } = window as unknown as WithAxe;
  const { violations } = await axe.run(context, { runOnly, resultTypes: ['violations'] });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Injects axe once into each document. A frame without a document yet is skipped. */
async function injectAxe(frame: Frame) {
  if (frame.parentFrame() && !/^https?:/.test(frame.url())) return;
  if (!(await frame.evaluate(() => 'axe' in window))) await frame.evaluate(AXE);
}

/** In the page: the focused element, and whether it or its parent shows a ring. Null if the focus has left the page. */
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

/** In the page: the elements wider than the page. Empty if the page does not scroll horizontally. */
function listOverflowing(): string[] {
  const { scrollWidth } = document.scrollingElement as Element;
  if (scrollWidth <= innerWidth) return [];
  const wide = [...document.body.querySelectorAll('*')].filter(
    (each) => each.getBoundingClientRect().right > innerWidth,
  );
  return [`${scrollWidth} px`, ...wide.map((each) => each.outerHTML.slice(0, 100))];
}

/** In the page: doubles the text size like a browser's text zoom, including shadow roots. */
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
