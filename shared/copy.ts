// Taking a text along from a page to the app or the machine where it is typed in.

/**
 * Puts a text on the clipboard and answers true. Where a page may not (plain http, a frame without leave) the text as it
 * is `shown` is selected instead, to be copied by hand.
 */
export async function copyText(text: string, shown: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection()?.selectAllChildren(shown);
    return false;
  }
}
