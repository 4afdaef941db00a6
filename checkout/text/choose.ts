// Chooses the texts that a session carries: only those that the screens of its payment method can still need.
import type { CheckoutSessionWithTexts, Texts } from '../../shared/checkout.ts';
import type { PaymentMethod } from '../../shared/methods.ts';

const FORM: PaymentMethod[] = ['webframe'];
const PUSH: PaymentMethod[] = ['webframe', 'onetimepurchase', 'authorization'];
const RAIL: PaymentMethod[] = [...PUSH, 'capture', 'qrcode'];
const CODE: PaymentMethod[] = ['qrcode'];
const HOLD: PaymentMethod[] = ['authorization'];
const REFERENCE: PaymentMethod[] = ['reference'];

/** The methods that need a text, by the text's key or by the first part of the key. Other texts serve all methods. */
const METHODS_OF: Record<string, readonly PaymentMethod[]> = {
  pay: FORM,
  'pay.until': [...FORM, ...CODE],
  exhausted: FORM,
  checking: FORM,
  instead: FORM,
  advice: FORM,
  error: FORM,
  scan: CODE,
  // The text is for web frames that offer a QR code.
  code: FORM,
  'code.show': [...CODE, ...FORM],
  'scan.line': [...CODE, ...FORM],
  'scan.alt': [...CODE, ...FORM],
  'scan.open': [...CODE, ...FORM],
  'paid.count': CODE,
  preparing: RAIL,
  wait: PUSH,
  'wait.keep': RAIL,
  'wait.refresh': [...RAIL, ...REFERENCE],
  bank: RAIL,
  authorization: HOLD,
  authorized: HOLD,
  released: HOLD,
  capture: ['capture'],
  capturing: ['capture'],
  failed: RAIL,
  reference: REFERENCE,
  activating: REFERENCE,
  received: REFERENCE,
  short: REFERENCE,
  details: REFERENCE,
  copy: REFERENCE,
  copied: REFERENCE,
  'row.entity': REFERENCE,
  'row.amount': REFERENCE,
  'row.until': REFERENCE,
  'row.phone': RAIL,
  // The server writes these texts into the session, as `untilText`.
  until: [],
  // The server writes these texts into the session, as `refund`.
  refund: [],
  'sandbox.numbers': FORM,
  'sandbox.scan': [...CODE, ...FORM],
  'sandbox.atm': REFERENCE,
  'sandbox.phone': RAIL,
  failure: RAIL,
};

/** Texts that only a page with a QR code needs. */
const OF_CODES: ReadonlySet<string> = new Set([
  'code.button',
  'code.show',
  'scan.line',
  'scan.alt',
  'scan.open',
  'sandbox.scan',
]);

/** Returns the session's texts without those that the payment's screens cannot show. */
export function chooseTexts({ texts, method, sandbox, canUseReference, ways }: CheckoutSessionWithTexts): Texts {
  const hasCodes = method === 'qrcode' || !!ways?.includes('qrcode');
  const isNeeded = (key: string) => {
    const [group = ''] = key.split('.');
    const methods = METHODS_OF[key] ?? METHODS_OF[group];
    const isOffered = (group !== 'instead' || canUseReference !== null) && (hasCodes || !OF_CODES.has(key));
    return (!methods || methods.includes(method)) && (sandbox || group !== 'sandbox') && isOffered;
  };
  return Object.fromEntries(Object.entries(texts).filter(([key]) => isNeeded(key)));
}
