// What a payer is told in each state of a payment: one description in words, drawn by the page and by the widget.
import type { CheckoutSession, Texts } from './checkout.ts';
import type { IconName } from './icons.ts';
import { countdownOf, showLuandaTime, type Countdown } from './countdown.ts';
import type { PayerState } from './payer.ts';
import type { PaymentStatus } from './status.ts';

export type ScreenName =
  'pay' | 'exhausted' | 'checking' | 'wait' | 'bank' | 'authorized' | 'paid' | 'failed' | 'canceled' | 'expired';

export type Tone = 'brand' | 'success' | 'warning' | 'danger' | 'quiet';

export type Screen = {
  name: ScreenName;
  icon: IconName;
  tone: Tone;
  title: string;
  lines: string[];
  /** What to do on the phone, in order. */
  steps: string[];
  /** The receipt's lines below merchant and amount: label and value. */
  rows: [label: string, value: string][];
  /** Until when and how often the payer may still try. */
  limits: string;
  /** The failure's code, for whoever answers the payer's call. */
  code: string | null;
  countdown: Countdown | null;
};

/** Screens of something still under way are in the brand's colour. */
const TONES: Partial<Record<ScreenName, Tone>> = {
  exhausted: 'warning',
  authorized: 'success',
  paid: 'success',
  failed: 'danger',
  canceled: 'warning',
  expired: 'quiet',
};

const ICON_OF: Record<Tone, IconName> = {
  brand: 'clock',
  success: 'check',
  warning: 'stop',
  danger: 'stop',
  quiet: 'clock',
};

const SCREEN_OF: Record<PaymentStatus, ScreenName> = {
  Pending: 'pay',
  Processing: 'bank',
  Authorized: 'authorized',
  Captured: 'paid',
  Paid: 'paid',
  Failed: 'failed',
  Canceled: 'canceled',
  Expired: 'expired',
};

/** Describes what a payer sees, in their words, at a time of the server's clock. */
export function describeScreen({ session, texts, step }: PayerState, nowMs: number): Screen {
  const countdown = countdownOf(session, nowMs);
  const name = screenOf(session, countdown, step === 'checking');
  const { merchant, amountText, failure } = session;
  const phone = session.phone ?? '';
  const say = (key: string) => fillText(texts[key] ?? '', { merchant: merchant.name, amount: amountText, phone });
  // A refusal is told by its reason; where the payer can try again at once, with what to do about it.
  const reason = failure && (name === 'pay' || name === 'failed' || name === 'exhausted') ? failure : null;
  const isRetry = reason !== null && name === 'pay';
  const tone = isRetry ? 'danger' : (TONES[name] ?? 'brand');
  const lines = [
    reason && name === 'exhausted' ? `${reason.message}.` : '',
    say(isRetry ? `advice.${reason.code}` : `${name}.line`),
    name === 'paid' && session.late ? say('paid.late') : '',
  ];
  return {
    name,
    icon: ICON_OF[tone],
    tone,
    title: reason && name !== 'exhausted' ? reason.message : say(`${name}.title`),
    lines: lines.filter((line) => line !== ''),
    steps: name === 'wait' ? ['wait.open', 'wait.compare', 'wait.confirm'].map(say) : [],
    rows: name === 'paid' ? receiptOf(session, texts) : [],
    limits: name === 'pay' ? limitsOf(session, texts, nowMs) : '',
    code: reason?.code ?? null,
    countdown,
  };
}

/** Puts values into a text's `{places}`. */
export function fillText(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => `${values[name] ?? place}`);
}

function screenOf(session: CheckoutSession, countdown: Countdown | null, isChecking: boolean): ScreenName {
  if (session.status === 'Pending' && isChecking) return 'checking';
  if (session.status === 'Pending' && session.attemptsLeft === 0) return 'exhausted';
  return countdown && countdown.remainingMs > 0 ? 'wait' : SCREEN_OF[session.status];
}

function limitsOf(session: CheckoutSession, texts: Texts, nowMs: number): string {
  const until =
    session.expiresAt && fillText(texts['pay.until'] ?? '', { time: showLuandaTime(session.expiresAt, nowMs) });
  const left = session.failure && fillText(texts['pay.left'] ?? '', { count: session.attemptsLeft });
  return [until, left].filter(Boolean).join(' ');
}

function receiptOf(session: CheckoutSession, texts: Texts): Screen['rows'] {
  const rows: [key: string, value: string | null][] = [
    ['row.reference', session.reference],
    ['row.time', session.paidAtText],
    ['row.transaction', session.transaction],
    ['row.phone', session.phone],
  ];
  return rows.flatMap(([key, value]) => (value ? [[texts[key] ?? '', value]] : []));
}
