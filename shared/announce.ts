// Announces a change of the screen to a screen reader once, in a page or in a shadow root.
import type { Screen } from './screen.ts';

/** Ids of the heading with the payment's state, and of the status line that announces a change. */
export const HEADING_ID = 'state';
export const STATUS_LINE_ID = 'news';

/**
 * Calls `draw`, which returns a text such as the title of the next screen, and announces the text.
 * If the redraw removed the focused element, the focus moves to the heading, and the screen reader reads it.
 * Otherwise the text goes into the status line. An empty text clears the status line, and `false` leaves it unchanged.
 */
export function announceScreen(root: Document | ShadowRoot, draw: () => string | false) {
  const hadFocus = hasFocus(root);
  const announcement = draw();
  if (announcement === false) return;
  if (hadFocus && !hasFocus(root)) root.getElementById(HEADING_ID)!.focus();
  else root.getElementById(STATUS_LINE_ID)!.textContent = announcement;
}

/** The announcement for `draw`: the title of a new screen, or the result of a copy on the same screen. */
export function announcementOf({ title, copied }: Screen, last: Screen): string | false {
  return title === last.title ? copied !== last.copied && copied : title;
}

function hasFocus(root: Document | ShadowRoot): boolean {
  return root.activeElement !== null && root.activeElement !== document.body;
}
