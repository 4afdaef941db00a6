// The hosted checkout in the widget's dialog, over any page.
import type { FrameLocator, Locator, Page } from 'playwright';
import { expect, PATIENCE_MS } from '../../support/expect.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import type { TestApp } from '../../support/app.ts';
import { travelUntil } from '../../support/payments.ts';
import { WidgetPage } from './widget.ts';

export class DialogPage extends WidgetPage {
  /** The page behind it is inert, though axe would compare its landmarks with those inside. */
  override readonly reach = 'balcao-checkout';
  readonly dialog: Locator;
  readonly frame: Locator;
  readonly inside: FrameLocator;
  readonly closeButton: Locator;
  /** Leads to the page by itself when nothing was heard of it. */
  readonly elsewhere: Locator;
  /** Without its script the page never tells its height: nothing moves, and nothing ever fits. */
  tellsHeight = true;

  constructor(page: Page, element = page.locator('balcao-checkout')) {
    super(page, element);
    this.dialog = element.getByRole('dialog');
    this.frame = element.locator('iframe');
    this.inside = element.frameLocator('iframe');
    this.closeButton = this.dialog.getByRole('button');
    this.elsewhere = this.dialog.getByRole('link');
  }

  /** As a merchant's own button does. */
  async open() {
    await this.element.evaluate((element: HTMLElement & { open(): void }) => element.open());
  }

  /** Not awaited: where the key was pressed inside of the frame, that may be gone before it could confirm the key. */
  pressEscape() {
    this.page.keyboard.press('Escape').catch(() => {});
  }

  async payInside(number: string) {
    await this.inside.getByRole('textbox').fill(number);
    await this.pressInside(this.inside.locator('form:has(input)').getByRole('button'));
  }

  /** Once the frame has its page's height: what moves between press and release is not pressed. */
  async pressInside(what: Locator) {
    const fillsScreen = await this.dialog.evaluate((dialog) => dialog.clientHeight === innerHeight);
    if (this.tellsHeight && !fillsScreen) await this.expectFitting();
    await what.click();
  }

  async followInside(link: string) {
    await this.pressInside(this.inside.getByRole('link', { name: link }));
  }

  async expectInside(title: string, timeout = PATIENCE_MS) {
    await expect(this.inside.getByRole('heading', { level: 1 })).toHaveText(title, { timeout });
  }

  /** @param pass lets the page's own time run on too */
  async travelToInside(app: TestApp, title: string, pass = async () => {}) {
    const heading = this.inside.getByRole('heading', { level: 1 });
    const isShown = async () => (await pass(), (await heading.textContent()) === title);
    await travelUntil(app, isShown, `the frame saying "${title}"`);
  }

  /** As tall as its page, which needs no scrolling of its own. */
  async expectFitting() {
    const room = () =>
      this.inside
        .locator('body')
        .evaluate((body: HTMLElement) => Math.abs(body.offsetHeight - innerHeight) + body.scrollWidth - innerWidth);
    await expect.poll(room).toBeLessThanOrEqual(1);
  }
}

/** The demo merchant lets pages of this origin, too, frame its checkouts. */
export async function allowOrigin(app: TestApp, origin: string): Promise<void> {
  const path = `/api/merchants/${DEMO.merchantId}`;
  const { allowedOrigins } = (await app.call(path)).json as { allowedOrigins: string[] };
  const body = { allowedOrigins: [...new Set([...allowedOrigins, origin])] };
  const { status, text } = await app.call(path, { method: 'PUT', body });
  if (status !== 200) throw new Error(`not allowed: ${status} ${text}`);
}
