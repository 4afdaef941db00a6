// Describes a payer's screen in each state of a payment, in words. The checkout page and the widget render it.
import type { CheckoutSession, Texts } from './checkout.ts';
import type { IconName } from './icons.ts';
import { countdownOf, type Countdown } from './countdown.ts';
import type { PaymentMethod } from './methods.ts';
import type { PayerState } from './payer.ts';
import { showReference } from './reference.ts';
import { describeDetails, type Details } from './details.ts';
import type { PaymentStatus } from './status.ts';

export type ScreenName =
  | 'pay'
  | 'exhausted'
  | 'checking'
  | 'scan'
  | 'reference'
  | 'activating'
  | 'received'
  | 'short'
  | 'preparing'
  | 'wait'
  | 'bank'
  | 'capturing'
  | 'authorized'
  | 'released'
  | 'paid'
  | 'failed'
  | 'canceled'
  | 'expired';

export type Tone = 'brand' | 'success' | 'warning' | 'danger' | 'quiet';

export type Screen = {
  name: ScreenName;
  icon: IconName;
  tone: Tone;
  title: string;
  /** The requested or paid amount, the largest text on the screen. */
  amount: string;
  /** The merchant's reference, or the digits of the payment reference in groups. */
  reference: string;
  lines: string[];
  /** The payer's steps on the phone, in order. */
  steps: string[];
  /** The lines of the receipt below the merchant's name and the amount. */
  rows: [label: string, value: string][];
  /** The text with the payment's end and the number of remaining pushes. */
  limits: string;
  /** True if the screen offers to pay by reference instead. */
  isReplaceable: boolean;
  /** The text with the number of received payments, if the code or reference accepts several. */
  count: string;
  /** The details of the payment reference. Null on screens without a payable reference. */
  details: Details | null;
  /** The result of the payer's last copy, as a text that is shown for some seconds. */
  copied: string;
  /** The failure code, which the payer can give to the merchant's support. */
  code: string | null;
  /** The values of the placeholders in the texts, by name. */
  places: Record<string, string | number | null | undefined>;
  countdown: Countdown | null;
};

/** The colour tones of the screens. A payment in progress has the brand's colour. */
const TONES: Partial<Record<ScreenName, Tone>> = {
  exhausted: 'warning',
  short: 'warning',
  received: 'success',
  authorized: 'success',
  paid: 'success',
  failed: 'danger',
  canceled: 'warning',
  expired: 'quiet',
  released: 'quiet',
};

/** The icons by colour tone. Other tones have a clock. */
const ICON_OF: Partial<Record<Tone, IconName>> = { success: 'check', warning: 'stop', danger: 'stop' };

/** The icons of screens with an icon of their own. */
const DRAWINGS: Partial<Record<ScreenName, IconName>> = { bank: 'bank', activating: 'slip' };

/** The screen name by status, or by method and status. A status that is not listed has a screen of the same name. */
const SCREENS: Partial<Record<PaymentStatus | `${PaymentMethod}.${PaymentStatus}`, ScreenName>> = {
  Pending: 'preparing',
  Processing: 'bank',
  Captured: 'paid',
  'webframe.Pending': 'pay',
  'capture.Processing': 'capturing',
  'authorization.Canceled': 'released',
  'authorization.Expired': 'released',
};

/** Describes the payer's screen in the payer's language. @param nowMs the server's time */
export function describeScreen({ session, texts, step, copied }: PayerState, nowMs: number): Screen {
  const countdown = countdownOf(session, nowMs);
  const name = screenOf(session, countdown, step === 'checking');
  const { failure, qr, ppr, untilText } = session;
  const isOpen = name === 'pay' || name === 'scan';
  const isExhausted = name === 'exhausted';
  const isReplaceable = session.canUseReference === true && (name === 'pay' || isExhausted);
  // A refused payment shows the reason. If the payer can retry, the screen adds advice.
  const reason = name === 'pay' || name === 'failed' || isExhausted ? failure : null;
  const code = reason?.code ?? null;
  const isRetry = reason && name === 'pay';
  const tone = isRetry ? 'danger' : (TONES[name] ?? 'brand');
  const places = {
    ...qr,
    merchant: session.merchant.name,
    amount: session.amountText,
    phone: session.phone ?? '',
    time: untilText,
    left: countdown?.text,
    count: session.attemptsLeft,
    times: ppr?.received?.count,
    sum: ppr?.received?.amountText,
    code: reason?.support,
  };
  const say = createTextLookup(texts, places);
  const count = countPayments(session, name, say);
  return {
    name,
    icon: DRAWINGS[name] ?? ICON_OF[tone] ?? 'clock',
    tone,
    title: reason && !isExhausted ? reason.message : say(`${name}.title`),
    amount: amountOf(session, name, say),
    reference: ppr ? showReference(ppr.reference) : session.reference,
    lines: [
      session.refund?.text,
      reason && isExhausted && `${reason.message}.`,
      // Some methods have their own text for a screen: `capture.failed`.
      say(isRetry ? `advice.${code}` : isExhausted && isReplaceable ? 'instead.line' : `${session.method}.${name}`) ||
        say(`${name}.line`),
      name === 'authorized' && untilText && say('authorized.until'),
      !COUNTING.has(name) && count,
      session.late && say(`${name}.late`),
      name === 'paid' && session.thanks,
    ].filter(Boolean) as string[],
    steps: name === 'wait' ? ['wait.open', 'wait.compare', 'wait.confirm'].map(say) : [],
    rows: name === 'paid' ? receiptOf(session, say) : [],
    limits: [
      isOpen &&
        untilText &&
        say(name === 'scan' && countdown && countdown.remainingMs < DATE_FROM_MS ? 'scan.left' : 'pay.until'),
      isOpen && failure && say('pay.left'),
    ]
      .filter(Boolean)
      .join(' '),
    isReplaceable,
    count,
    details: PAYABLE.has(name) ? describeDetails(session, say) : null,
    copied: copied ? say(`copied.${copied}`) : '',
    code,
    places,
    countdown,
  };
}

/** Screens whose count of payments has its own element, because it changes while the screen is open. */
const COUNTING: ReadonlySet<ScreenName> = new Set(['scan', 'received']);

/** Screens of a payment reference that can be paid now or soon. */
const PAYABLE: ReadonlySet<ScreenName> = new Set(['reference', 'activating', 'received']);

/** From this remaining time on, the screen shows a date. A second less than a day, which would show 24 hours. */
const DATE_FROM_MS = 86_399_000;

type Say = (key: string) => string;

/** Returns a function from text keys to texts with filled placeholders. A key without a text gives an empty string. */
export function createTextLookup(texts: Texts, places: Screen['places']): Say {
  return (key) => (texts[key] ?? '').replace(/\{(\w+)\}/g, (place, name: string) => `${places[name] ?? place}`);
}

function screenOf(session: CheckoutSession, countdown: Countdown | null, isChecking: boolean): ScreenName {
  const { status, method, qr, ppr } = session;
  const name = SCREENS[`${method}.${status}`] ?? SCREENS[status] ?? (status.toLowerCase() as ScreenName);
  if (name === 'pay')
    return isChecking ? 'checking' : session.attemptsLeft || session.ways?.includes('qrcode') ? name : 'exhausted';
  if (ppr?.status === 'Pending') {
    // A Charging reference stays payable after a payment. A payment without the status `Paid` had a wrong amount.
    if (ppr.received) return status === 'Paid' ? 'received' : 'short';
    return ppr.isRegistered ? 'reference' : 'activating';
  }
  const isOpen = countdown !== null && countdown.remainingMs > 0;
  // An expired QR code may have been paid in its last second. The screen waits for the server's status.
  if (qr && status === 'Pending') return isOpen || !countdown ? 'scan' : 'bank';
  return isOpen ? 'wait' : name;
}

/** Counts the payments of a code or reference that accepts several, or that received a wrong amount. */
function countPayments({ qr, ppr }: CheckoutSession, name: ScreenName, say: Say): string {
  if (qr) return qr.max > 1 ? say(`${name}.count`) : '';
  if (!ppr?.received || (ppr.type === 'Dynamic' && name === 'paid')) return '';
  return say(ppr.received.count > 1 ? 'received.many' : 'received.one');
}

/** The received amount of a paid reference, which may differ from the requested one. Else the requested amount. */
function amountOf({ ppr, amountText }: CheckoutSession, name: ScreenName, say: Say): string {
  if ((name === 'paid' || name === 'received') && ppr?.received) return ppr.received.amountText;
  return ppr?.isOpen ? say('details.open') : amountText;
}

/** The receipt. If many payers share a code or reference, it hides each payer's transaction and phone. */
function receiptOf(session: CheckoutSession, say: Say): Screen['rows'] {
  const { qr, ppr, paidAtText: time, transaction, phone, refund } = session;
  const isMany = (qr?.max ?? ppr?.received?.count ?? 1) > 1;
  const reference = ppr ? showReference(ppr.reference) : session.reference;
  const known = { entity: ppr?.entity, reference, time, ...(!isMany && { transaction, phone }) };
  const rows = Object.entries(known).map(([key, value]) => value && [say(`row.${key}`), value]);
  return [...rows, refund?.row].filter(Boolean) as Screen['rows'];
}
