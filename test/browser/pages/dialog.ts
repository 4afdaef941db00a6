// The hosted checkout in the widget's dialog.
import type { FrameLocator, Locator, Page } from 'playwright';
import { expect, PATIENCE_MS } from '../../support/expect.ts';
import type { TestApp } from '../../support/app.ts';
import { travelUntil } from '../../support/payments.ts';
import { WidgetPage } from './widget.ts';

export class DialogPage extends WidgetPage {
  /** The page behind the dialog is inert, and axe would compare the landmarks of both. */
  override readonly reach = 'balcao-checkout';
  readonly dialog: Locator;
  readonly frame: Locator;
  readonly inside: FrameLocator;
  readonly closeButton: Locator;
  /** The link to the page if its frame sends no message. */
  readonly elsewhere: Locator;
  /** Without its script the page never sends its height, so the dialog never fits it. */
  tellsHeight = true;

  constructor(page: Page, element = page.locator('balcao-checkout')) {
    super(page, element);
    this.dialog = element.getByRole('dialog');
    this.frame = element.locator('iframe');
    this.inside = element.frameLocator('iframe');
    this.closeButton = this.dialog.getByRole('button');
    this.elsewhere = this.dialog.getByRole('link');
  }

  /** Opens the dialog like a button of the merchant. */
  async open() {
    await this.element.evaluate((element: HTMLElement & { open(): void }) => element.open());
  }

  /** Not awaited: a key pressed in the frame may remove the frame before it is confirmed. */
  pressEscape() {
    this.page.keyboard.press('Escape').catch(() => {});
  }

  async payInside(number: string) {
    await this.inside.getByRole('textbox').fill(number);
    await this.pressInside(this.inside.locator('form:has(input)').getByRole('button'));
  }

  /** Clicks after the frame has the height of its page, because a moving button misses the click. */
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

  /** @param pass advances the clock of the page too */
  async travelToInside(app: TestApp, title: string, pass = async () => {}) {
    const heading = this.inside.getByRole('heading', { level: 1 });
    const isShown = async () => (await pass(), (await heading.textContent()) === title);
    await travelUntil(app, isShown, `the frame saying "${title}"`);
  }

  /** The frame is as tall as its page, which does not scroll. */
  async expectFitting() {
    const room = () =>
      this.inside
        .locator('body')
        .evaluate((body: HTMLElement) => Math.abs(body.offsetHeight - innerHeight) + body.scrollWidth - innerWidth);
    await expect.poll(room).toBeLessThanOrEqual(1);
  }
}
