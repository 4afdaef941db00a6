// Checkout session objects for tests without a server.
import { readBrand } from '../../shared/brand.ts';
import type { CheckoutSession, CheckoutSessionWithTexts, Lang } from '../../shared/checkout.ts';
import { FAILURE_CODES, isFinal, supportCodeOf, type FailureCode } from '../../shared/status.ts';
import { texts } from '../../checkout/text/languages.ts';

/** A pending webframe payment of 12 500 Kz, changed by `part`. */
export function sessionWith(part: Partial<CheckoutSession> = {}): CheckoutSession {
  return {
    revision: 1,
    serverTime: '2026-03-02T09:00:00.000Z',
    lang: 'pt',
    sandbox: false,
    merchant: {
      name: 'Loja da Ilha',
      brand: null,
      hasLogo: false,
      noticePath: '/privacidade/0198f3a2-7c11-7e55-9d20-6a1f0c3b9e01',
    },
    reference: 'ENC-2041',
    description: 'Café de Amboim 500 g, 2 pacotes',
    amount: '12500.00',
    currency: 'AOA',
    amountText: '12\u00a0500,00\u00a0Kz',
    method: 'webframe',
    status: 'Pending',
    isFinal: isFinal(part.status ?? 'Pending'),
    phone: null,
    pushSentAt: null,
    pushExpiresAt: null,
    expiresAt: '2026-03-02T09:30:00.000Z',
    untilText: (part.status ?? 'Pending') === 'Pending' && !part.ppr ? 'às 10:30' : null,
    attemptsLeft: 5,
    failure: null,
    paidAt: null,
    paidAtText: null,
    late: false,
    transaction: null,
    thanks: null,
    refund: null,
    qr: null,
    ppr: null,
    ways: null,
    canUseReference: null,
    replacedByUrl: null,
    returnUrl: 'https://loja.example/obrigado',
    cancelUrl: 'https://loja.example/carrinho',
    ...part,
  };
}

export function withTexts(session: CheckoutSession): CheckoutSessionWithTexts {
  return { ...session, texts: texts[session.lang] };
}

export function failureOf(code: FailureCode, lang: Lang) {
  return { code, message: texts[lang][`failure.${code}`], support: supportCodeOf(code) };
}

/** A session with a new push, which the payer can approve for 90 seconds. */
export const PUSH = {
  status: 'Processing',
  phone: '923 ••• 789',
  attemptsLeft: 4,
  pushSentAt: '2026-03-02T09:00:00.000Z',
  pushExpiresAt: '2026-03-02T09:01:30.000Z',
} as const satisfies Partial<CheckoutSession>;

const PAID = {
  status: 'Paid',
  phone: '923 ••• 789',
  paidAt: '2026-03-02T09:00:40.000Z',
  transaction: '44100017',
} as const;

export function refundOf(extent: 'partial' | 'full', lang: Lang): CheckoutSession['refund'] {
  const [amount, total] = [extent === 'full' ? '12\u00a0500,00\u00a0Kz' : '500,00\u00a0Kz', '12\u00a0500,00\u00a0Kz'];
  const text = texts[lang][`refund.${extent}`].replace('{amount}', amount).replace('{total}', total);
  return { text, row: [texts[lang]['refund.full'], amount] };
}

/** A session with a QR code for ten payments, of which three are paid. */
export const CODE = {
  method: 'qrcode',
  attemptsLeft: 0,
  expiresAt: '2026-03-03T08:59:30.000Z',
  untilText: '3 de Março de 2026 às 09:59',
  qr: { accepted: 3, max: 10, link: 'mcxwallet://purchase?qrref=0002' },
} as const satisfies Partial<CheckoutSession>;

/** A session with a registered reference of a fixed amount, payable for a month. */
export const REFERENCE = {
  method: 'reference',
  reference: '017756991',
  attemptsLeft: 0,
  expiresAt: '2026-04-02T09:00:00.000Z',
  ppr: {
    entity: '00999',
    reference: '017756991',
    type: 'Dynamic',
    status: 'Pending',
    isOpen: false,
    isRegistered: true,
    expiresAtText: '2 de Abril de 2026 às 10:00',
    received: null,
  },
} as const satisfies Partial<CheckoutSession>;

type Part = Partial<CheckoutSession>;

/** Changes the reference and the session: `referenceWith({ status: 'Canceled' }, { status: 'Canceled' })`. */
export function referenceWith(ppr: Partial<NonNullable<CheckoutSession['ppr']>>, part: Part = {}): Part {
  return { ...REFERENCE, ...part, ppr: { ...REFERENCE.ppr, ...ppr } };
}

/** A session with a reference for any amount and any number of payments. */
export const OPEN = { type: 'Charging', isOpen: true } as const;

const ONE = { count: 1, amountText: '5\u00a0000,00\u00a0Kz' };
const THREE = { count: 3, amountText: '27\u00a0500,00\u00a0Kz' };

function referenceStates(): Record<string, Part> {
  const paid = { ...PAID, phone: null, paidAtText: '2 de Março de 2026 às 10:00' };
  const endless = { amount: '0.00', amountText: '0,00\u00a0Kz', expiresAt: '2099-12-31T23:59:59.000Z' };
  return {
    reference: REFERENCE,
    'reference not registered yet': referenceWith({ isRegistered: false }),
    'reference of 15 digits': referenceWith({ reference: '017756991123456' }),
    'open reference': referenceWith(OPEN, endless),
    'reference paid once, payable again': referenceWith(
      { type: 'Charging', received: ONE },
      { ...paid, isFinal: false },
    ),
    'open reference paid three times': referenceWith(
      { ...OPEN, received: THREE },
      { ...paid, ...endless, isFinal: false },
    ),
    'reference paid': referenceWith(
      { status: 'Paid', received: { ...ONE, amountText: '12\u00a0500,00\u00a0Kz' } },
      paid,
    ),
    'reference paid late': referenceWith({ status: 'Canceled', received: ONE }, { ...paid, late: true }),
    'reference closed after payments': referenceWith({ ...OPEN, status: 'Canceled', received: THREE }, paid),
    'reference paid with another amount': referenceWith({ received: ONE }),
    'reference canceled': referenceWith({ status: 'Canceled' }, { status: 'Canceled' }),
    'reference expired': referenceWith({ status: 'Expired' }, { status: 'Expired' }),
    'reference expired with another amount': referenceWith({ status: 'Expired', received: ONE }, { status: 'Expired' }),
  };
}

const BRANDED = {
  name: 'Loja da Ilha',
  brand: readBrand('#f5b301'),
  hasLogo: true,
  noticePath: '/privacidade/0198f3a2-7c11-7e55-9d20-6a1f0c3b9e01',
};

export function everyState(lang: Lang): [name: string, session: CheckoutSession][] {
  const states: Record<string, Partial<CheckoutSession>> = {
    pending: {},
    waiting: PUSH,
    'window over': { ...PUSH, pushExpiresAt: '2026-03-02T08:59:59.000Z' },
    authorized: { status: 'Authorized', method: 'authorization', untilText: '9 de Março de 2026 às 10:00' },
    captured: { ...PAID, status: 'Captured', paidAtText: '2 de Março de 2026 às 10:00' },
    code: CODE,
    'code of one': { ...CODE, qr: { ...CODE.qr, accepted: 0, max: 1 } },
    'code over': { ...CODE, expiresAt: '2026-03-02T08:59:59.000Z' },
    'code not made yet': { ...CODE, qr: null },
    'code paid': { ...CODE, ...PAID, paidAtText: '2 de Março de 2026 às 10:00' },
    reserving: { ...PUSH, method: 'authorization' },
    released: { status: 'Canceled', method: 'authorization' },
    'hold over': { status: 'Expired', method: 'authorization' },
    capturing: { status: 'Processing', method: 'capture' },
    'not captured': { status: 'Failed', method: 'capture', failure: failureOf('issuer_refused', lang) },
    paid: { ...PAID, paidAtText: '2 de Março de 2026 às 10:00' },
    late: { ...PAID, late: true, paidAtText: '2 de Março de 2026 às 10:00' },
    'given back': { ...PAID, paidAtText: '2 de Março de 2026 às 10:00', refund: refundOf('full', lang) },
    'given back in part': { ...PAID, paidAtText: '2 de Março de 2026 às 10:00', refund: refundOf('partial', lang) },
    expired: { status: 'Expired' },
    canceled: { status: 'Canceled' },
    exhausted: { attemptsLeft: 0, failure: failureOf('timed_out', lang) },
    'waiting, payable by reference if refused': { ...PUSH, canUseReference: false },
    'waiting, at a shop with a brand': { ...PUSH, canUseReference: false, merchant: BRANDED },
    'refused, payable by reference': { attemptsLeft: 4, failure: failureOf('timed_out', lang), canUseReference: true },
    'exhausted, payable by reference': {
      attemptsLeft: 0,
      failure: failureOf('insufficient_funds', lang),
      canUseReference: true,
    },
    ...referenceStates(),
    'reference paid once, given back in part, payable again': referenceWith(
      { type: 'Charging', received: ONE },
      { ...PAID, phone: null, isFinal: false, refund: refundOf('partial', lang) },
    ),
  };
  for (const code of FAILURE_CODES) {
    states[`refused: ${code}`] = { attemptsLeft: 3, failure: failureOf(code, lang) };
    states[`failed: ${code}`] = { status: 'Failed', method: 'onetimepurchase', failure: failureOf(code, lang) };
  }
  return Object.entries(states).map(([name, part]) => [name, sessionWith({ lang, sandbox: true, ...part })]);
}
