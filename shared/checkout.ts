// The checkout session: the payment as the checkout page and the widget show it.
// The first render, the stream and the poll use the same type.
import type { PaymentMethod } from './methods.ts';
import type { ReferenceStatus, ReferenceType } from './reference.ts';
import type { FailureCode, PaymentStatus } from './status.ts';
import type { Way } from './ways.ts';

export const LANGS = ['pt', 'en', 'fr'] as const;
export type Lang = (typeof LANGS)[number];

/** Texts of one language, by key. The session carries them, so that no script contains three languages. */
export type Texts = Record<string, string>;

/** A merchant's colour as `#rrggbb`, with enough contrast to the page's background in the light and the dark theme. */
export type Brand = { light: string; dark: string };

/** A payment with the fields that its payer may see. Times are ISO 8601 UTC. Each `…Text` is ready to show. */
export type CheckoutSession = {
  /** Grows with every change, so that the screen can ignore an older session. */
  revision: number;
  /** The server's time when it created the session. Countdowns use it, because the device's clock may be wrong. */
  serverTime: string;
  lang: Lang;
  /** True in the sandbox. The page then shows a ribbon. */
  sandbox: boolean;
  merchant: { name: string; brand: Brand | null; hasLogo: boolean; noticePath: string };
  reference: string;
  description: string | null;
  amount: string;
  currency: string;
  /** The amount for people: `1 500,00 Kz`. */
  amountText: string;
  method: PaymentMethod;
  status: PaymentStatus;
  /** True if no further change of the payment is expected. */
  isFinal: boolean;
  /** The phone number that got the last push, masked: `923 ••• 789`. Null before the first push. */
  phone: string | null;
  /** Start and end of the payer's time to approve, while the status is `Processing`. */
  pushSentAt: string | null;
  pushExpiresAt: string | null;
  /** The time when the payment expires. Null if it never expires. */
  expiresAt: string | null;
  /**
   * `expiresAt` in Luanda's time and in `lang`, in the form that follows the word “until”: `às 14:35`.
   * If that is not today, the text has the date too: `26 de novembro de 2026 às 14:35`.
   * Null if no screen shows it. References have `ppr.expiresAtText` instead.
   */
  untilText: string | null;
  /** Number of pushes that the payer may still request. */
  attemptsLeft: number;
  /** The reason why the last push failed. The message is in `lang`. */
  failure: { code: FailureCode; message: string } | null;
  paidAt: string | null;
  /** `paidAt` in Luanda's time and in `lang`. */
  paidAtText: string | null;
  /** True if the money arrived after the payment had failed, expired or been canceled. */
  late: boolean;
  /** The rail's transaction number, for the receipt. A Charging reference has its newest one here. */
  transaction: string | null;
  /** The thank-you text of the payment link, shown after the payment. */
  thanks: string | null;
  /** The refunded amount as a sentence in `lang`, and as a line of the receipt. Null if nothing was refunded. */
  refund: { text: string; row: [label: string, value: string] } | null;
  /**
   * The QR code, null for other methods. Its image is `…/qrcode.svg`.
   * `accepted` counts its payments, and `max` is the limit. `link` opens the code in the payer's app.
   */
  qr: { accepted: number; max: number; link: string | null } | null;
  /** The payment reference. Null for other methods. */
  ppr: {
    entity: string;
    /** Digits without spaces, as the payer copies them. The screen shows groups of three. */
    reference: string;
    type: ReferenceType;
    /** `Pending` if the reference can be paid. A Charging reference stays `Pending` after payments. */
    status: ReferenceStatus;
    /** True if the payer chooses the amount. */
    isOpen: boolean;
    /** False until the rail has registered the reference. Until then it cannot be paid. */
    isRegistered: boolean;
    /** `expiresAt` in Luanda's time and in `lang`. */
    expiresAtText: string;
    /** Payments received so far. Null before the first one. */
    received: { count: number; amountText: string } | null;
  } | null;
  /** The ways to pay that a web frame's page offers, in the merchant's order. Null if it offers the phone only. */
  ways: Way[] | null;
  /** True if the payer may now pay by reference instead. Null if this payment never offers it. */
  canUseReference: boolean | null;
  /** The checkout of the payment that replaced this one. Null if no payment did. */
  replacedByUrl: string | null;
  /**
   * The shop's page after a payment or an authorization, or for a payer with a reference to pay later.
   * After the first payment of a QR code, every viewer of its page gets this address.
   */
  returnUrl: string | null;
  /** The shop's page for a payer in every other case. */
  cancelUrl: string | null;
};

/** The session with the texts of its language: the response of `GET …/session`, and the data inside the page. */
export type CheckoutSessionWithTexts = CheckoutSession & { texts: Texts };
