// A page translator like those of browsers: it replaces each text node by another one inside two `font` elements.
import type { Page } from 'playwright';

/** Translates all present and later texts of the next pages, including shadow roots. */
export async function translatePages(page: Page) {
  await page.addInitScript(() => {
    const translate = (root: Node) => {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const texts: Text[] = [];
      while (walker.nextNode()) texts.push(walker.currentNode as Text);
      for (const text of texts) {
        const { parentElement } = text;
        if (!text.data.trim() || parentElement?.closest('font, script, style, title')) continue;
        const [outer, inner] = [document.createElement('font'), document.createElement('font')];
        inner.append(text.data);
        outer.append(inner);
        text.replaceWith(outer);
      }
    };
    const follow = (root: Node) => {
      translate(root);
      new MutationObserver(() => translate(root)).observe(root, {
        subtree: true,
        childList: true,
        characterData: true,
      });
    };
    const { attachShadow } = Element.prototype;
    Element.prototype.attachShadow = function (init) {
      const root = attachShadow.call(this, init);
      follow(root);
      return root;
    };
    follow(document);
  });
}

/** Counts the translated texts: the translator wraps each text in two `font` elements. */
export function countTranslated(page: Page, selector: string): Promise<number> {
  return page.locator(`${selector} font font`).count();
}
