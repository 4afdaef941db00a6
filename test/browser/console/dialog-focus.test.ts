import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import { create, webframe } from '../../support/payments.ts';
import { DialogPage } from '../pages/dialog.ts';
import { openMerchant } from '../pages/merchant.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
const merchant = openMerchant(fixture);

type Host = HTMLElement & { open(): void; close(): void };

async function visitShop() {
  const { clientToken } = await create(fixture.app, webframe());
  const shop = new DialogPage(await fixture.visit({ origins: [merchant.url], expected: /ERR_ABORTED/ }));
  await shop.rememberEvents();
  const body = `<button id="pay">Pagar</button><balcao-checkout token="${clientToken}"></balcao-checkout>`;
  await shop.page.goto(merchant.show({ body }));
  await shop.page.locator('#pay').focus();
  return shop;
}

type Deed = 'close' | 'unset' | 'remove' | 'move' | 'open';

/** Makes the page close, remove, move or open its checkout dialog when the selected element gets the focus. */
async function onFocus({ page }: DialogPage, selector: string, deed: Deed) {
  await page.evaluate(
    ([wanted, done]) => {
      const host = document.querySelector('balcao-checkout') as Host;
      Object.assign(window, { host });
      const deeds: Record<Deed, () => void> = {
        close: () => host.close(),
        unset: () => host.removeAttribute('open'),
        remove: () => host.remove(),
        move: () => document.body.prepend(host),
        open: () => host.open(),
      };
      const hear = ({ target }: Event) => {
        if (!(target as Element).matches(wanted)) return;
        removeEventListener('focusin', hear);
        deeds[done]();
      };
      addEventListener('focusin', hear);
    },
    [selector, deed] as const,
  );
}

async function expectClosed(shop: DialogPage) {
  await expect(shop.page.locator('balcao-checkout dialog')).toHaveCount(0);
  await shop.page.locator('#pay').click();
  await expect(shop.page.locator('#pay')).toBeFocused();
}

async function expectOpen(shop: DialogPage) {
  await shop.expectInside('Pague com Multicaixa Express');
  await expect(shop.dialog).toHaveCount(1);
  await shop.closeButton.click();
  await expectClosed(shop);
}

test.each<[string, Deed]>([
  ['its method', 'close'],
  ['its attribute', 'unset'],
])('a checkout dialog that %s closes while it opens stays closed, and can be opened again', async (_how, deed) => {
  const shop = await visitShop();
  await onFocus(shop, 'balcao-checkout', deed);
  await shop.open();
  await expectClosed(shop);
  await expect(shop.element).not.toHaveAttribute('open');
  expect(await shop.readEvents()).toEqual(['balcao:close undefined']);
  await shop.open();
  await expectOpen(shop);
});

test('a checkout dialog that is removed while it opens is gone, and can be inserted and opened again', async () => {
  const shop = await visitShop();
  await onFocus(shop, 'balcao-checkout', 'remove');
  await shop.open();
  await expectClosed(shop);
  await shop.page.evaluate(() => document.body.append((window as unknown as { host: Host }).host));
  await expectOpen(shop);
});

test('a checkout dialog that the page moves while it opens is open at its new position', async () => {
  const shop = await visitShop();
  await onFocus(shop, 'balcao-checkout', 'move');
  await shop.open();
  await expectOpen(shop);
});

test('a checkout dialog that is opened again while it returns the focus is open', async () => {
  const shop = await visitShop();
  await shop.open();
  await shop.expectInside('Pague com Multicaixa Express');
  await onFocus(shop, '#pay', 'open');
  await shop.closeButton.click();
  await expectOpen(shop);
});
