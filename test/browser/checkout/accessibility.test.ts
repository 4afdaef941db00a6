// The sandbox's screens, held to WCAG 2.2 AA in light and dark, at 320 px and enlarged (states.test.ts: the checkout's and the widget's).
import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import { until } from '../../support/app.ts';
import { create, purchase, readBooks, travelToStatus } from '../../support/payments.ts';
import { placed } from '../../screens/shops.ts';
import { BasePage } from '../pages/base.ts';
import { answerPush, ownNumber } from '../pages/phone.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
const DESCRIPTION = 'Pano samakaka, algodão estampado, um metro e oitenta';

/** Screens by name, each brought about as people bring it about. */
type Screens = Record<string, () => Promise<BasePage>>;

async function openAt(path: string, options: VisitOptions = {}) {
  const page = await fixture.visit(options);
  await page.goto(fixture.app.node.core.publicUrl + path);
  return new BasePage(page);
}

const SANDBOX: Screens = {
  'its entry': () => openAt('/sandbox'),
  'the choice of a phone': () => openAt('/sandbox/phone'),
  'the choice of a phone with a wrong number': () => openAt('/sandbox/phone?number=12'),
  'a phone nobody asked': () => openAt(`/sandbox/phone/${ownNumber()}`),
  'a phone that answers by itself': () => openAt('/sandbox/phone/900000003'),
  'no phone': () => openAt('/sandbox/phone/12', { expected: /404/ }),
  async 'a phone with a request, one approved and one refused'() {
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
  'the shop': () => openAt('/demo'),
  async 'a paid order opened again'() {
    const { page } = await placed['paid']!(fixture);
    await page.reload();
    await page.getByText('O que o servidor da loja lê').click();
    return new BasePage(page);
  },
  'no order': () => openAt('/demo/orders/LI-0000000000', { expected: /404/ }),
  'a problem': () => openAt('/problems/reference_in_flight'),
};

test.each(Object.entries(SANDBOX))('%s', async (_screen, open) => {
  const screen = await open();
  await screen.expectAccessible();
  await screen.expectReadableEnlarged();
});
