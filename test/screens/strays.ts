// Screenshots of error pages without a payment, and of pages with a brand.
import { create, webframe } from '../support/payments.ts';
import { CheckoutPage } from '../browser/pages/checkout.ts';
import { answerPush } from '../browser/pages/phone.ts';
import { withBrand } from './brand.ts';
import { openForm, openPage, openWaiting, type States } from './checkout-fixture.ts';

/** This brand colour is too pale for text on white, so the page shows a darker shade. */
const YELLOW = '#f5b301';
/** This brand colour is too dark for a dark page, so the page shows a lighter shade. */
const NAVY = '#14213d';

export const strays: States = {
  async 'wrong link'(fixture) {
    const checkout = new CheckoutPage(await fixture.visit({ expected: /404/ }));
    await checkout.page.goto(`${fixture.app.node.core.publicUrl}/checkout/nothing`);
    await checkout.expectTitle('Este link de pagamento não é válido');
    return checkout;
  },
  async trouble(fixture) {
    const payment = await create(fixture.app, webframe());
    await fixture.app.sql('alter table payments rename to payments_away');
    const mend = () => fixture.app.sql('alter table payments_away rename to payments');
    const checkout = await openPage(fixture, payment).finally(mend);
    await checkout.expectTitle('Não foi possível abrir esta página');
    return checkout;
  },
  async 'a long bill'(fixture) {
    const description = 'Pano samakaka, algodão estampado, um metro e oitenta; duas peças, cortadas à medida';
    return (await openForm(fixture, {}, { amount: 9_999_999.99, description })).checkout;
  },
  'a pale brand': (fixture) => withBrand(fixture, YELLOW, async () => (await openForm(fixture)).checkout),
  'a dark brand': (fixture) =>
    withBrand(fixture, NAVY, async () => {
      const { checkout, number } = await openWaiting(fixture);
      await answerPush(fixture.app, number, 'approve');
      await checkout.expectTitle('Pago');
      return checkout;
    }),
};
