// Which texts travel with a payment: those that its method's screens can still need, and no others.
import type { CheckoutSessionWithTexts, Texts } from '../../shared/checkout.ts';
import type { PaymentMethod } from '../../shared/methods.ts';

const FORM: PaymentMethod[] = ['webframe'];
const PUSH: PaymentMethod[] = ['webframe', 'onetimepurchase', 'authorization'];
const RAIL: PaymentMethod[] = [...PUSH, 'capture', 'qrcode'];
const CODE: PaymentMethod[] = ['qrcode'];
const HOLD: PaymentMethod[] = ['authorization'];
const REFERENCE: PaymentMethod[] = ['reference'];

/** Methods by text, or by group of texts (what stands before the first dot); what is not named is for all of them. */
const METHODS_OF: Record<string, readonly PaymentMethod[]> = {
  pay: FORM,
  'pay.until': [...FORM, ...CODE],
  exhausted: FORM,
  checking: FORM,
  instead: FORM,
  advice: FORM,
  error: FORM,
  scan: CODE,
  // Of a page that offers a code.
  code: FORM,
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
  // Put into the session, as `untilText`.
  until: [],
  // Likewise, as `refund`.
  refund: [],
  'sandbox.numbers': FORM,
  'sandbox.scan': [...CODE, ...FORM],
  'sandbox.atm': REFERENCE,
  'sandbox.phone': RAIL,
  failure: RAIL,
};

/** Texts of a code: on a page that asks for a phone alone nobody reads them. */
const OF_CODES: ReadonlySet<string> = new Set(['code.button', 'scan.line', 'scan.alt', 'scan.open', 'sandbox.scan']);

/** A session's own texts without those that its screens never need. */
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
