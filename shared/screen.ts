// What a payer is told in each state of a payment: one description in words, drawn by the page and by the widget.
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
  /** What is asked for, or was paid: the largest thing on the screen. */
  amount: string;
  /** The merchant's reference, or the one that was to be paid, in its groups. */
  reference: string;
  lines: string[];
  /** What to do on the phone, in order. */
  steps: string[];
  /** The receipt's lines below merchant and amount: label and value. */
  rows: [label: string, value: string][];
  /** Until when and how often the payer may still try. */
  limits: string;
  /** The payer may go on by reference instead. */
  isReplaceable: boolean;
  /** How many payments were made, where there can be several. */
  count: string;
  /** What to type in at a machine; null where nothing is to be paid by reference. */
  details: Details | null;
  /** What came of the payer's last copying, for a moment. */
  copied: string;
  /** The failure's code, for whoever answers the payer's call. */
  code: string | null;
  /** What the texts' `{places}` are filled with. */
  places: Record<string, string | number | null | undefined>;
  countdown: Countdown | null;
};

/** Screens of something still under way are in the brand's colour. */
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

/** Of what is under way, or over by itself, a clock. */
const ICON_OF: Partial<Record<Tone, IconName>> = { success: 'check', warning: 'stop', danger: 'stop' };

/** Screens with a drawing of their own. */
const DRAWINGS: Partial<Record<ScreenName, IconName>> = { bank: 'bank', activating: 'slip' };

/** By status, and where a method's payer is told something else; every other status has a screen of its own name. */
const SCREENS: Partial<Record<PaymentStatus | `${PaymentMethod}.${PaymentStatus}`, ScreenName>> = {
  Pending: 'preparing',
  Processing: 'bank',
  Captured: 'paid',
  'webframe.Pending': 'pay',
  'capture.Processing': 'capturing',
  'authorization.Canceled': 'released',
  'authorization.Expired': 'released',
};

/** Describes what a payer sees, in their words, at a time of the server's clock. */
export function describeScreen({ session, texts, step, copied }: PayerState, nowMs: number): Screen {
  const countdown = countdownOf(session, nowMs);
  const name = screenOf(session, countdown, step === 'checking');
  const { failure, qr, ppr, untilText } = session;
  const isOpen = name === 'pay' || name === 'scan';
  const isExhausted = name === 'exhausted';
  const isReplaceable = session.canUseReference === true && (name === 'pay' || isExhausted);
  // A refusal is told by its reason; where the payer can try again at once, with what to do about it.
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
    code,
  };
  const say = speak(texts, places);
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
      // Some methods have words of their own for a screen: `capture.failed`.
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

/** Screens that show the count by itself: it goes on changing there. */
const COUNTING: ReadonlySet<ScreenName> = new Set(['scan', 'received']);

/** Screens of a reference that can be paid, or soon can. */
const PAYABLE: ReadonlySet<ScreenName> = new Set(['reference', 'activating', 'received']);

/** Countdowns of a day or more (less the second that would show as 24 hours) are dates. */
const DATE_FROM_MS = 86_399_000;

type Say = (key: string) => string;

/** A payer's texts by their keys, values put into their `{places}`; the empty text for a key that has none. */
export function speak(texts: Texts, places: Screen['places']): Say {
  return (key) => (texts[key] ?? '').replace(/\{(\w+)\}/g, (place, name: string) => `${places[name] ?? place}`);
}

function screenOf(session: CheckoutSession, countdown: Countdown | null, isChecking: boolean): ScreenName {
  const { status, method, qr, ppr } = session;
  const name = SCREENS[`${method}.${status}`] ?? SCREENS[status] ?? (status.toLowerCase() as ScreenName);
  if (name === 'pay')
    return isChecking ? 'checking' : session.attemptsLeft || session.ways?.includes('qrcode') ? name : 'exhausted';
  if (ppr?.status === 'Pending') {
    // One that may be paid again and again stays payable after it was paid. Money that paid nothing was not what was asked.
    if (ppr.received) return status === 'Paid' ? 'received' : 'short';
    return ppr.isRegistered ? 'reference' : 'activating';
  }
  const isOpen = countdown !== null && countdown.remainingMs > 0;
  // A code past its end may have been paid in the last second: the server says.
  if (qr && status === 'Pending') return isOpen || !countdown ? 'scan' : 'bank';
  return isOpen ? 'wait' : name;
}

/** Payments of a code or a reference that several can pay; of any reference, money that did not make it `Paid`. */
function countPayments({ qr, ppr }: CheckoutSession, name: ScreenName, say: Say): string {
  if (qr) return qr.max > 1 ? say(`${name}.count`) : '';
  if (!ppr?.received || (ppr.type === 'Dynamic' && name === 'paid')) return '';
  return say(ppr.received.count > 1 ? 'received.many' : 'received.one');
}

/** Once it came by reference, what came: another amount than was asked, it may be, or one that nobody asked. */
function amountOf({ ppr, amountText }: CheckoutSession, name: ScreenName, say: Say): string {
  if ((name === 'paid' || name === 'received') && ppr?.received) return ppr.received.amountText;
  return ppr?.isOpen ? say('details.open') : amountText;
}

/** Of what many have paid, one payer's transaction and phone are nobody else's business. */
function receiptOf(session: CheckoutSession, say: Say): Screen['rows'] {
  const { qr, ppr, paidAtText: time, transaction, phone, refund } = session;
  const isMany = (qr?.max ?? ppr?.received?.count ?? 1) > 1;
  const reference = ppr ? showReference(ppr.reference) : session.reference;
  const known = { entity: ppr?.entity, reference, time, ...(!isMany && { transaction, phone }) };
  const rows = Object.entries(known).map(([key, value]) => value && [say(`row.${key}`), value]);
  return [...rows, refund?.row].filter(Boolean) as Screen['rows'];
}
