// Prevents scrolling of the page behind a dialog. The dialog itself already blocks the page's keys and clicks.

/** Blocks scrolling until the returned function is called. Each dialog blocks independently. */
export function blockScrolling(): () => void {
  try {
    const sheet = new CSSStyleSheet();
    // Keeps the space of the scroll bar. Otherwise the page would move sideways.
    const hasBar = innerWidth > document.documentElement.clientWidth;
    sheet.replaceSync(`html{overflow:hidden!important${hasBar ? ';scrollbar-gutter:stable!important' : ''}}`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return () => {
      // The stylesheet is emptied too, because the page may restore an older list that contains it.
      sheet.replaceSync('');
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
    };
  } catch {
    // Without constructable stylesheets the page stays scrollable, because its CSP could refuse a style element.
    return () => {};
  }
}
