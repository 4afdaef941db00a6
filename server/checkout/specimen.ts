// A specimen of the hosted page, which shows a brand before it is saved. It has no payment and takes no money.
import type { CheckoutSession } from '../../shared/checkout.ts';
import { showMoney, toDecimal } from '../../shared/money.ts';
import type { Core } from '../core.ts';
import { pagePolicy } from '../http/pages.ts';
import type { Merchant } from '../merchants/entities.ts';
import type { CheckoutRender } from './context.ts';
import { viewPayee } from './payee.ts';
import { describeWays } from './session.ts';
import { MAX_PUSHES } from './submit-phone.ts';

const AMOUNT_MINOR = 1_500_00;

/** The specimen page, and its content security policy. Only pages of the gateway may frame it. */
export type Specimen = { html: string; policy: string };

/** Renders the page that payers of this merchant see. @param merchant its settings, saved or only typed */
export function drawSpecimen(core: Core, render: CheckoutRender, merchant: Merchant): Specimen {
  const session: CheckoutSession = {
    revision: 1,
    serverTime: core.clock.now().toISOString(),
    lang: merchant.defaultLanguage,
    sandbox: core.config.isSandbox,
    merchant: viewPayee(merchant),
    reference: 'A-1001',
    description: null,
    amount: toDecimal(AMOUNT_MINOR, 'AOA'),
    currency: 'AOA',
    amountText: showMoney(AMOUNT_MINOR, 'AOA'),
    method: 'webframe',
    status: 'Pending',
    isFinal: false,
    phone: null,
    pushSentAt: null,
    pushExpiresAt: null,
    expiresAt: null,
    untilText: null,
    attemptsLeft: MAX_PUSHES,
    failure: null,
    paidAt: null,
    paidAtText: null,
    late: false,
    transaction: null,
    thanks: null,
    refund: null,
    qr: null,
    ppr: null,
    ways: describeWays(merchant.checkoutMethods),
    canUseReference: merchant.checkoutMethods.includes('reference') || null,
    replacedByUrl: null,
    returnUrl: null,
    cancelUrl: null,
  };
  const texts = render.texts[session.lang];
  const html = render.renderSpecimen({ ...session, texts }, merchant.brandLogo ?? '');
  return { html, policy: pagePolicy(render.stylesOf(session), ["'self'"]) };
}
