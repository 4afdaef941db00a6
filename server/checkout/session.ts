// A payment as its payer may see it: read by client token, in the payer's language, nothing the page does not need.
import { LANGS, type CheckoutSession, type Lang, type Texts } from '../../shared/checkout.ts';
import { showMoney, toDecimal } from '../../shared/money.ts';
import { maskPhone } from '../../shared/phone.ts';
import { isFinal } from '../../shared/status.ts';
import type { Core } from '../core.ts';
import { findRow } from '../database/rows.ts';
import { Problem } from '../http/problem.ts';
import { findMerchant } from '../merchants/find.ts';
import { MAX_PUSHES } from '../payments/charge.ts';
import { Attempt, Payment, Transaction } from '../payments/entities.ts';
import { methodOf } from '../payments/methods/registry.ts';
import { readClientToken } from '../payments/token.ts';

/** How long after its end a payment's checkout can still be looked at (decisions §3, `clientToken`). */
const KEPT_AFTER_END_MS = 24 * 3_600_000;

/** The payment of a client token. @throws Problem not_found for a token that is not ours or whose time is over */
export async function findByToken(core: Core, token: string): Promise<Payment> {
  const id = readClientToken(core.keyring, token);
  const payment = id ? await findRow(core, Payment, 'id = $1', [id]) : null;
  if (!payment || isOver(payment, core.clock.now())) throw new Problem('not_found');
  return payment;
}

function isOver(payment: Payment, now: Date): boolean {
  const endedAt = isFinal(payment.status) ? payment.completedAt : null;
  return !!endedAt && now.getTime() > endedAt.getTime() + KEPT_AFTER_END_MS;
}

/** The session of a payment as it is now. */
export async function readSession(core: Core, payment: Payment, lang: Lang, texts: Texts): Promise<CheckoutSession> {
  const merchant = await findMerchant(core, payment.merchantId);
  const push = payment.status === 'Processing' ? await findPush(core, payment.id) : null;
  const money = payment.amountPaidMinor > 0 ? await findMoney(core, payment.id) : null;
  const paidAt = payment.status === 'Paid' ? (money?.occurredAt ?? payment.completedAt ?? null) : null;
  const iso = (date: Date | null | undefined) => date?.toISOString() ?? null;
  return {
    revision: payment.revision,
    serverTime: core.clock.now().toISOString(),
    lang,
    sandbox: core.config.isSandbox,
    merchant: { name: merchant.name, brandColor: merchant.brandColor ?? null },
    reference: payment.reference,
    description: payment.description ?? null,
    amount: toDecimal(payment.amountMinor, payment.currency),
    currency: payment.currency,
    amountText: showMoney(payment.amountMinor, payment.currency),
    method: payment.paymentMethod,
    status: payment.status,
    isFinal: isFinal(payment.status),
    phone: payment.phone ? maskPhone(payment.phone) : null,
    pushSentAt: iso(push?.createdAt),
    pushExpiresAt: push && iso(new Date(push.createdAt.getTime() + core.config.GPO_PUSH_WINDOW_S * 1000)),
    expiresAt: iso(payment.expiresAt),
    attemptsLeft: methodOf(payment).start === 'checkout' ? Math.max(0, MAX_PUSHES - payment.attemptsMade) : 0,
    failure: payment.failureCode
      ? { code: payment.failureCode, message: texts[`failure.${payment.failureCode}`] ?? payment.failureCode }
      : null,
    paidAt: iso(paidAt),
    paidAtText: paidAt && formatTime(paidAt, lang),
    late: money?.late ?? false,
    transaction: money?.details['transactionNumber'] ?? money?.providerRef ?? null,
    returnUrl: payment.returnUrl ?? null,
    cancelUrl: payment.cancelUrl ?? null,
  };
}

const NEWEST = 'payment_id = $1 order by created_at desc, id desc limit 1';

function findPush(core: Core, paymentId: string): Promise<Attempt | null> {
  return findRow(core, Attempt, NEWEST, [paymentId]);
}

function findMoney(core: Core, paymentId: string): Promise<Transaction | null> {
  return findRow(core, Transaction, NEWEST, [paymentId]);
}

const LOCALES = { pt: 'pt-PT', en: 'en-GB', fr: 'fr-FR' } as const satisfies Record<Lang, string>;
const formats = new Map<Lang, Intl.DateTimeFormat>();

/** A moment in Luanda (UTC+1 all year), for people. */
function formatTime(date: Date, lang: Lang): string {
  let format = formats.get(lang);
  if (!format) {
    format = new Intl.DateTimeFormat(LOCALES[lang], {
      timeZone: 'Africa/Luanda',
      dateStyle: 'long',
      timeStyle: 'short',
    });
    formats.set(lang, format);
  }
  return format.format(date);
}

/** The language asked for by `?lang=`, else by the browser, else the merchant's. */
export function chooseLang(asked: unknown, accepted: string | false, fallback: Lang = 'pt'): Lang {
  const known = (name: unknown) => LANGS.find((lang) => lang === name);
  return known(asked) ?? known(accepted) ?? fallback;
}
