// Telling a screen reader once that a screen has changed, in a page or in a shadow root.

/** Ids of the heading that says the state, and of the line that says it when the heading does not get the focus. */
export const HEADING_ID = 'state';
export const NEWS_ID = 'news';

/**
 * Redraws; when `draw` says that the screen is another now (its title), that is told once: by moving the focus to the
 * heading when the redraw took away what had the focus, else through the status line.
 */
export function announceScreen(root: Document | ShadowRoot, draw: () => string | false) {
  const had = hasFocus(root);
  const title = draw();
  if (!title) return;
  if (had && !hasFocus(root)) root.getElementById(HEADING_ID)!.focus();
  else root.getElementById(NEWS_ID)!.textContent = title;
}

function hasFocus(root: Document | ShadowRoot): boolean {
  return root.activeElement !== null && root.activeElement !== document.body;
}
