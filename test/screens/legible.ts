// Accessibility checks that axe does not have: the size of targets, and the contrast of strokes.
import type { Page } from 'playwright';
import { expect } from '../support/expect.ts';

/** The minimum size of targets by WCAG 2.5.5. */
const TARGET_PX = 44;

/** Expects that all targets are large enough. A link within a sentence only needs the height of its line. */
export async function expectTargets(page: Page): Promise<void> {
  const small = await page.evaluate((least) => {
    const all = [...document.querySelectorAll('a, button, input')].filter((each) => each.checkVisibility());
    const isInText = (each: Element) => getComputedStyle(each).display === 'inline';
    // The visible frame around a field is a part of the field's target.
    const boxOf = (each: Element) => (each.closest('.input') ?? each).getBoundingClientRect();
    return all
      .filter((each) => !isInText(each) && Math.min(boxOf(each).width, boxOf(each).height) < least)
      .map((each) => each.outerHTML.slice(0, 100));
  }, TARGET_PX);
  expect(small, `smaller than ${TARGET_PX} px`).toEqual([]);
}

/** Expects that all text and all meaningful strokes are legible in forced-colors mode. */
export async function expectForcedColors(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ forcedColors: 'active', colorScheme });
    expect(await page.evaluate(listFaint), `faint in forced ${colorScheme} colours`).toEqual([]);
  }
  await page.emulateMedia({ forcedColors: 'none', colorScheme: 'light' });
}

/** Runs in the page. Finds text below 4.5:1 and strokes below 3:1 against the background (WCAG 1.4.3, 1.4.11). */
function listFaint(): string[] {
  const readColor = (text: string) => (text.match(/[\d.]+/g) ?? []).map(Number);
  const luminanceOf = (parts: number[]) => {
    const [red = 0, green = 0, blue = 0] = parts.map((part) =>
      part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrastOf = (one: string, other: string) => {
    const [light = 0, dark = 0] = [one, other].map((each) => luminanceOf(readColor(each))).sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };
  const groundOf = (element: Element): string => {
    for (let each: Element | null = element; each; each = each.parentElement) {
      const ground = getComputedStyle(each).backgroundColor;
      if (readColor(ground)[3] !== 0) return ground;
    }
    return 'rgb(255, 255, 255)';
  };
  const faint: string[] = [];
  for (const each of document.querySelectorAll('body *')) {
    if (!each.checkVisibility() || each.classList.contains('unseen')) continue;
    const { color, stroke } = getComputedStyle(each);
    const hasWords = [...each.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim());
    if (hasWords && contrastOf(color, groundOf(each)) < 4.5) faint.push(`${color}: ${each.outerHTML.slice(0, 100)}`);
    const isDrawn = each.matches('svg.icon, .ring .left');
    if (isDrawn && contrastOf(stroke, groundOf(each)) < 3) faint.push(`${stroke}: ${each.outerHTML.slice(0, 100)}`);
  }
  return faint;
}
