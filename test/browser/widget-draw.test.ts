// The widget's renderer in a real browser: whatever was drawn before, what is drawn now stands there, and no more changes than must.
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import fc from 'fast-check';
import type { Page } from 'playwright';
import { expect } from '../support/expect.ts';
import { describe, test } from 'vitest';
import { create, webframe } from '../support/payments.ts';
import { setStage } from './pages/stage.ts';
import { WidgetPage } from './pages/widget.ts';

const stage = setStage();

type Tree = { tag: string; props: Record<string, string | boolean | null>; children: (Tree | string | null)[] };

/** A page with the renderer in it, as `window.draw(parent, children)`. */
async function openBlank(): Promise<Page> {
  const source = readFileSync(new URL('../../widget/draw.ts', import.meta.url), 'utf8');
  const code = stripTypeScriptTypes(source).replace(/^export /gm, '');
  const page = await stage.visit();
  await page.addScriptTag({ content: `${code}\nwindow.draw = draw;` });
  return page;
}

type Drawing = { draw(parent: Element, children: unknown[]): void };

const tree = fc.letrec<{ node: Tree; child: Tree | string | null }>((tie) => ({
  node: fc.record({
    tag: fc.constantFrom('div', 'p', 'span', 'svg'),
    props: fc.dictionary(
      fc.constantFrom('class', 'id', 'aria-busy', 'lang'),
      fc.constantFrom<string | boolean | null>('a', 'b', true, false, null),
    ),
    children: fc.array(tie('child'), { maxLength: 4 }),
  }),
  child: fc.oneof(fc.constantFrom(null, 'text', 'other'), tie('node')),
})).node;

test('one drawing after another leaves what the last alone would have', async () => {
  const page = await openBlank();
  const compare = (drawings: Tree[]) => {
    const { draw } = window as unknown as Drawing;
    const [grown, fresh] = [document.createElement('div'), document.createElement('div')];
    for (const drawing of drawings) draw(grown, [drawing]);
    draw(fresh, drawings.slice(-1));
    return fresh.isEqualNode(grown) ? '' : `${grown.innerHTML} instead of ${fresh.innerHTML}`;
  };
  const property = fc.asyncProperty(fc.array(tree, { minLength: 2, maxLength: 4 }), async (drawings) => {
    expect(await page.evaluate(compare, drawings)).toBe('');
  });
  await fc.assert(property, { numRuns: 200 });
});

describe('a drawing', () => {
  test('keeps the elements that are still wanted, and leaves alone what never had children', async () => {
    const page = await openBlank();
    const kept = await page.evaluate(() => {
      const { draw } = window as unknown as Drawing;
      const box = document.createElement('div');
      const line = (tag: string, ...children: unknown[]) => ({ tag, props: {}, children });
      draw(box, [null, line('p', 'first'), line('output')]);
      const [, p, output] = box.childNodes;
      output!.textContent = 'news';
      draw(box, [line('h2', 'new'), line('p', 'second'), line('output')]);
      return [box.childNodes[1] === p, box.childNodes[2] === output, box.textContent];
    });
    expect(kept).toEqual([true, true, 'newsecondnews']);
  });

  test('hears the newest listener only, and none where there is none any more', async () => {
    const page = await openBlank();
    const heard = await page.evaluate(() => {
      const { draw } = window as unknown as Drawing;
      const box = document.createElement('div');
      const heard: string[] = [];
      for (const name of ['old', 'new', null]) {
        draw(box, [{ tag: 'button', props: name ? { onClick: () => heard.push(name) } : {}, children: [] }]);
        box.querySelector('button')!.click();
      }
      return heard;
    });
    expect(heard).toEqual(['old', 'new']);
  });
});

test('what is being typed, the focus and the status line outlast the widget’s ticking and its next screen', async () => {
  const payment = await create(stage.app, webframe());
  const page = await stage.visit();
  await page.clock.install();
  await page.goto(`${stage.app.node.core.publicUrl}/demo`);
  await page.evaluate((token) => {
    document.body.innerHTML = `<balcao-payment token="${token}" lang="pt"></balcao-payment>`;
  }, payment.clientToken);
  await page.addScriptTag({ url: '/widget.js' });
  const widget = new WidgetPage(page);
  await widget.phone.pressSequentially('9000');
  const news = await widget.element.locator('#news').elementHandle();
  await page.clock.runFor(2_000);
  await expect(widget.phone).toBeFocused();
  await expect(widget.phone).toHaveValue('9000');
  await widget.phone.pressSequentially('00000');
  await widget.payButton.click();
  await widget.expectTitle('Confirme o pagamento no seu telemóvel');
  expect(await news!.evaluate((each) => each.isConnected)).toBe(true);
  await expect(widget.title).toBeFocused();
});
