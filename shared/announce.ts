// Telling a screen reader once that a screen has changed, in a page or in a shadow root.
import type { Screen } from './screen.ts';

/** Ids of the heading that says the state, and of the line that says it when the heading does not get the focus. */
export const HEADING_ID = 'state';
export const NEWS_ID = 'news';

/**
 * Redraws; when `draw` has news (the title of another screen, what came of the payer's action; false for none), they are
 * told once: by moving the focus to the heading when the redraw took away what had the focus, else through the status
 * line, which the empty text clears.
 */
export function announceScreen(root: Document | ShadowRoot, draw: () => string | false) {
  const had = hasFocus(root);
  const news = draw();
  if (news === false) return;
  if (had && !hasFocus(root)) root.getElementById(HEADING_ID)!.focus();
  else root.getElementById(NEWS_ID)!.textContent = news;
}

/** What there is to tell of a screen after another, for `draw`. */
export function newsOf({ title, copied }: Screen, last: Screen): string | false {
  return title === last.title ? copied !== last.copied && copied : title;
}

function hasFocus(root: Document | ShadowRoot): boolean {
  return root.activeElement !== null && root.activeElement !== document.body;
}
