// Prevents scrolling of the page behind a dialog. The dialog itself already blocks its keys and clicks.

/** Blocks scrolling until the returned function is called. Each dialog blocks independently. */
export function holdPage(): () => void {
  try {
    const sheet = new CSSStyleSheet();
    // Keeps the space of a scroll bar. Otherwise the page would shift.
    const hasBar = innerWidth > document.documentElement.clientWidth;
    sheet.replaceSync(`html{overflow:hidden!important${hasBar ? ';scrollbar-gutter:stable!important' : ''}}`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return () => {
      // Emptied too, because the page may restore an older list that contains this sheet.
      sheet.replaceSync('');
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
    };
  } catch {
    // Browsers without constructable stylesheets: the page's CSP could refuse a style element.
    return () => {};
  }
}
