// What the widget leaves standing as it draws anew: what its payer types, the focus, and the line that is read out.
import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import { create, webframe } from '../../support/payments.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { WidgetPage } from '../pages/widget.ts';

const fixture = openBrowserFixture();

test('what is being typed, the focus and the status line outlast the widget’s ticking and its next screen', async () => {
  const payment = await create(fixture.app, webframe());
  const page = await fixture.visit();
  await page.clock.install();
  await page.goto(`${fixture.app.node.core.publicUrl}/demo`);
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
