// The screens of the sandbox, checked for WCAG 2.2 AA. states.test.ts checks the screens of the checkout.
import { describe, test } from 'vitest';
import { placed } from '../../screens/shops.ts';
import { until } from '../../support/app.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';
import { expect } from '../../support/expect.ts';
import { create, purchase, readBooks, travelToStatus } from '../../support/payments.ts';
import { BasePage } from '../pages/base.ts';
import { answerPush, ownNumber } from '../pages/phone.ts';

const fixture = openBrowserFixture();
const DESCRIPTION = 'Pano samakaka, algodão estampado, um metro e oitenta';

async function openAt(path: string, options: VisitOptions = {}) {
  const page = await fixture.visit(options);
  await page.goto(fixture.app.node.core.publicUrl + path);
  return new BasePage(page);
}

/** The screen with the most elements of each template. Each has at least one Tab stop. */
const RICHEST: Record<string, () => Promise<BasePage>> = {
  'the sandbox': () => openAt('/sandbox'),
  'the phones with a wrong number': () => openAt('/sandbox/phone?number=12'),
  async 'a phone with a pending, an approved and a refused request'() {
    const number = ownNumber();
    for (const verdict of ['approve', 'decline', null] as const) {
      const payment = await create(fixture.app, purchase(number, { description: DESCRIPTION, amount: 9_999_999.99 }));
      if (verdict) await answerPush(fixture.app, number, verdict);
      if (verdict) await travelToStatus(fixture.app, payment.id, verdict === 'approve' ? 'Paid' : 'Failed');
      else await until(async () => (await readBooks(fixture.app, payment.reference)).length === 1, 'the push');
    }
    const phone = await openAt(`/sandbox/phone/${number}`);
    await expect(phone.page.getByRole('article')).toHaveCount(1);
    await expect(phone.page.getByText('Aprovado')).toHaveCount(1);
    return phone;
  },
  'the demo shop': () => openAt('/demo'),
  async 'a paid order after a reload'() {
    const { page } = await placed['paid']!(fixture);
    await page.reload();
    await page.locator('details').evaluate((details: HTMLDetailsElement) => void (details.open = true));
    return new BasePage(page);
  },
  'a problem': () => openAt('/problems/reference_in_flight'),
};

const OTHERS: Record<string, () => Promise<BasePage>> = {
  'a phone without requests': () => openAt(`/sandbox/phone/${ownNumber()}`),
  'a phone that answers by itself': () => openAt('/sandbox/phone/900000003'),
  'a wrong phone address': () => openAt('/sandbox/phone/12', { expected: /404/ }),
  'a wrong order address': () => openAt('/demo/orders/LI-0000000000', { expected: /404/ }),
};

describe('a screen of the sandbox', () => {
  test.each(Object.entries(RICHEST))(
    'meets WCAG 2.2 AA and shows the focus at every Tab stop (%s)',
    async (_name, open) => {
      const screen = await open();
      await screen.expectAccessible();
      await screen.expectReadableEnlarged();
      await screen.expectFocusVisible();
    },
  );

  test.each(Object.entries(OTHERS))('has no axe violations and fits 320 px (%s)', async (_name, open) => {
    const screen = await open();
    await screen.expectNoViolations();
    await screen.expectFitsNarrow();
  });
});
