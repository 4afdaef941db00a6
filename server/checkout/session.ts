// Builds the checkout session: the fields of a payment that its payer may see, in the payer's language.
import { type CheckoutSession, type Lang, type Texts } from '../../shared/checkout.ts';
import { showLuandaTime } from '../../shared/countdown.ts';
import { DAY_MS } from '../../shared/durations.ts';
import { capitalizeMonth, dayOf } from '../../shared/luanda.ts';
import { showMoney, toDecimal } from '../../shared/money.ts';
import { maskPhone } from '../../shared/phone.ts';
import { refundExtentOf } from '../../shared/refund.ts';
import { createTextLookup } from '../../shared/screen.ts';
import { isFinal, supportCodeOf } from '../../shared/status.ts';
import type { Way } from '../../shared/ways.ts';
import type { Core } from '../core.ts';
import { Problem } from '../http/problem.ts';
import { findMerchant } from '../merchants/find.ts';
import { MAX_PUSHES } from './submit-phone.ts';
import type { Payment } from '../payments/core/entities.ts';
import { listPayableMethods } from '../payments/core/account.ts';
import { isPicture } from '../exports/qr-image.ts';
import { methodOf } from '../payments/core/method.ts';
import { findCheckoutPayment, type CheckoutPayment } from './payment.ts';
import { clientTokenOf, readClientToken } from '../payments/core/token.ts';
import { canReplace } from './replace-by-reference.ts';
import { viewPayee } from './payee.ts';

/** The time for which the checkout stays open after the payment has ended, so that the payer can see the receipt. */
const KEPT_AFTER_END_MS = DAY_MS;

/** Finds the payment of a client token. @throws Problem not_found for an invalid token or a closed checkout */
export async function findByToken(core: Core, token: string): Promise<CheckoutPayment> {
  const id = readClientToken(core.keyring, token);
  const payment = id ? await findCheckoutPayment(core, id) : null;
  if (!payment || isOver(payment, core.clock.now())) throw new Problem('not_found');
  return payment;
}

function isOver(payment: CheckoutPayment, now: Date): boolean {
  const endedAt = isEnded(payment) ? payment.endedAt : null;
  return !!endedAt && now.getTime() > endedAt.getTime() + KEPT_AFTER_END_MS;
}

export function isEnded({ status, ppr }: CheckoutPayment): boolean {
  return ppr ? ppr.status !== 'Pending' : isFinal(status);
}

export async function makeSession(
  core: Core,
  payment: CheckoutPayment,
  lang: Lang,
  texts: Texts,
): Promise<CheckoutSession> {
  const merchant = await findMerchant(core, payment.merchantId);
  const { money } = payment;
  const { start } = methodOf(payment);
  // A capture has no push for the payer to approve.
  const pushedAt = start === 'push' || start === 'checkout' ? payment.pushedAt : null;
  const isPaid = payment.status === 'Paid' || payment.status === 'Captured';
  const paidAt = isPaid ? (money ? new Date(money.occurredAt) : (payment.completedAt ?? null)) : null;
  const shownMinor = amountOf(payment);
  const iso = (date: Date | null | undefined) => date?.toISOString() ?? null;
  return {
    revision: payment.revision,
    serverTime: core.clock.now().toISOString(),
    lang,
    sandbox: core.config.isSandbox,
    merchant: viewPayee(merchant),
    reference: payment.reference,
    // The description is hidden if it equals the reference, which the page shows anyway.
    description: payment.description === payment.reference ? null : (payment.description ?? null),
    amount: toDecimal(shownMinor, payment.currency),
    currency: payment.currency,
    amountText: showMoney(shownMinor, payment.currency),
    method: payment.paymentMethod,
    status: payment.status,
    isFinal: isEnded(payment),
    phone: payment.phone ? maskPhone(payment.phone) : null,
    pushSentAt: iso(pushedAt),
    pushExpiresAt: pushedAt && iso(new Date(pushedAt.getTime() + core.config.GPO_PUSH_WINDOW_S * 1000)),
    expiresAt: iso(payment.expiresAt),
    untilText: sayUntil(payment, lang, texts, core.clock.now()),
    attemptsLeft: start === 'checkout' ? Math.max(0, MAX_PUSHES - payment.attemptsMade) : 0,
    failure: payment.failureCode
      ? {
          code: payment.failureCode,
          message: texts[`failure.${payment.failureCode}`] ?? payment.failureCode,
          support: supportCodeOf(payment.failureCode),
        }
      : null,
    paidAt: iso(paidAt),
    paidAtText: paidAt && formatTime(paidAt, lang),
    late: money?.late ?? false,
    transaction: money?.transactionNumber ?? money?.providerRef ?? null,
    thanks: isPaid ? payment.thanks : null,
    refund: describeRefund(payment, texts),
    qr: describeCode(core, payment),
    ppr: describeReference(payment, lang),
    ways: describeWays(listPayableMethods(core, merchant, payment)),
    canUseReference: canReplace(core, merchant, payment),
    replacedByUrl: payment.insteadId && checkoutUrlOf(core, payment.insteadId, lang),
    returnUrl: payment.returnUrl ?? null,
    cancelUrl: payment.cancelUrl ?? null,
  };
}

/** The payment methods of a page. Null if the page offers only a push. */
export function describeWays(ways: Way[]): Way[] | null {
  return ways.some((way) => way !== 'push') ? ways : null;
}

/** The URL of a payment's checkout page in a language. */
export function checkoutUrlOf({ publicUrl, keyring }: Core, paymentId: string, lang: Lang): string {
  return `${publicUrl}/checkout/${clientTokenOf(keyring, paymentId)}?lang=${lang}`;
}

/** The amount to show: the captured part of an authorization, or the received sum of an open reference. */
function amountOf({ status, capturedMinor, amountMinor, amountPaidMinor }: Payment): number {
  if (status === 'Captured') return capturedMinor ?? amountMinor;
  return amountMinor || amountPaidMinor;
}

/** The refund for the payer. Null for a QR code of many payers, because each payer's refund is private. */
function describeRefund(
  { money, currency, maxTransactions }: CheckoutPayment,
  texts: Texts,
): CheckoutSession['refund'] {
  if (!money?.refundedMinor || (maxTransactions ?? 1) > 1) return null;
  const { paidMinor, refundedMinor } = money;
  const amount = showMoney(refundedMinor, currency);
  const say = createTextLookup(texts, { amount, total: showMoney(paidMinor, currency) });
  const extent = refundExtentOf(paidMinor, refundedMinor);
  return { text: say(`refund.${extent}`), row: [say('refund.full'), amount] };
}

function describeReference(payment: CheckoutPayment, lang: Lang): CheckoutSession['ppr'] {
  const { ppr, reference, amountMinor, amountPaidMinor, currency, expiresAt, money } = payment;
  if (!ppr) return null;
  const { entity, type, status, registeredAt } = ppr;
  return {
    entity,
    reference,
    type,
    status,
    isOpen: amountMinor === 0,
    isRegistered: registeredAt !== null,
    expiresAtText: expiresAt ? formatTime(expiresAt, lang) : '',
    received: money && { count: money.count, amountText: showMoney(amountPaidMinor, currency) },
  };
}

function describeCode(core: Core, payment: Payment): CheckoutSession['qr'] {
  const { qrContent: content, qrDeeplink, acceptedCount: accepted, maxTransactions } = payment;
  if (!content) return null;
  const max = maxTransactions ?? 1;
  if (qrDeeplink || isPicture(content)) return { accepted, max, link: qrDeeplink ?? null };
  const checkoutUrl = `${core.publicUrl}/checkout/${clientTokenOf(core.keyring, payment.id)}`;
  const link = core.config.isSandbox
    ? `${core.publicUrl}/sandbox/scan?content=${encodeURIComponent(content)}`
    : `mcxwallet://purchase?qrref=${encodeURIComponent(content)}&callback_url=${encodeURIComponent(checkoutUrl)}`;
  return { accepted, max, link };
}

/** The end of a payable or authorized payment as text, because old browsers cannot format dates in every language. */
function sayUntil({ ppr, status, expiresAt }: CheckoutPayment, lang: Lang, texts: Texts, now: Date): string | null {
  if (ppr || !expiresAt || (status !== 'Pending' && status !== 'Authorized')) return null;
  if (dayOf(expiresAt) !== dayOf(now))
    return createTextLookup(texts, { day: formatTime(expiresAt, lang) })('until.day');
  return createTextLookup(texts, { time: showLuandaTime(expiresAt.toISOString(), now.getTime()) })('until.time');
}

const LOCALES = { pt: 'pt-PT', en: 'en-GB', fr: 'fr-FR' } as const satisfies Record<Lang, string>;
const formats = new Map<Lang, Intl.DateTimeFormat>();

/** A time in Luanda (UTC+1 all year), for people. */
export function formatTime(date: Date, lang: Lang): string {
  let format = formats.get(lang);
  if (!format) {
    format = new Intl.DateTimeFormat(LOCALES[lang], {
      timeZone: 'Africa/Luanda',
      dateStyle: 'long',
      timeStyle: 'short',
    });
    formats.set(lang, format);
  }
  return lang === 'pt' ? capitalizeMonth(format.format(date)) : format.format(date);
}
