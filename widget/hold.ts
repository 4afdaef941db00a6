// The page behind a dialog: inert to keys and touches by the dialog itself, and held where it is.

/** No wheel or finger scrolls the page until the returned function is called; each dialog holds it by itself. */
export function holdPage(): () => void {
  try {
    const sheet = new CSSStyleSheet();
    // Where a scroll bar goes its room stays, or the page would jump.
    const hasBar = innerWidth > document.documentElement.clientWidth;
    sheet.replaceSync(`html{overflow:hidden!important${hasBar ? ';scrollbar-gutter:stable!important' : ''}}`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return () => {
      // Pages that change their own sheets may put back the list that they found.
      sheet.replaceSync('');
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
    };
  } catch {
    // Browsers without constructed sheets: a style of another kind the page's policy may refuse.
    return () => {};
  }
}
