// Copies a text from a page to the clipboard, so that the payer can paste it into an app.

/**
 * Copies a text to the clipboard and returns true.
 * Plain HTTP and frames without permission have no clipboard. Then `copyText` selects the `shown` text, returns false.
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
