// The checkout session: the payment as the checkout page and the widget show it.
// The server's first render, the stream and the poll use the same session type.
import type { PaymentMethod } from './methods.ts';
import type { ReferenceStatus, ReferenceType } from './reference.ts';
import type { FailureCode, PaymentStatus } from './status.ts';
import type { Way } from './ways.ts';

export const LANGS = ['pt', 'en', 'fr'] as const;
export type Lang = (typeof LANGS)[number];

/** Texts of one language, by key. The session carries them, so that no script contains three languages. */
export type Texts = Record<string, string>;

/**
 * A merchant's colours as `#rrggbb`. `light` and `dark` are readable as text on the page in the light and dark theme.
 * `fill` is the merchant's own colour for buttons, and `letters` is the readable colour of the text on it.
 */
export type Brand = { light: string; dark: string; fill: string; letters: string };

/** A payment with the fields that its payer may see. Times are ISO 8601 UTC. Each `…Text` is ready to show. */
export type CheckoutSession = {
  /** The session's revision grows with every change, so that the screen can ignore an older session. */
  revision: number;
  /** The server's time when it created the session. Countdowns use it, because the device's clock may be wrong. */
  serverTime: string;
  lang: Lang;
  /** True for a payment in the sandbox. The page then shows a ribbon. */
  sandbox: boolean;
  merchant: { name: string; brand: Brand | null; hasLogo: boolean; noticePath: string };
  reference: string;
  description: string | null;
  amount: string;
  currency: string;
  /** The payment's amount as text for people: `1 500,00 Kz`. */
  amountText: string;
  method: PaymentMethod;
  status: PaymentStatus;
  /** True if no further change of the payment is expected. */
  isFinal: boolean;
  /** The phone number that received the last push, masked: `923 ••• 789`. Null before the first push. */
  phone: string | null;
  /** Start and end of the payer's time to approve, while the status is `Processing`. */
  pushSentAt: string | null;
  pushExpiresAt: string | null;
  /** The time when the payment expires. Null if it never expires. */
  expiresAt: string | null;
  /**
   * `expiresAt` in Luanda's time and in `lang`, in the form that follows the word “until”: `às 14:35`.
   * If the payment does not end today, the text has the date too: `26 de Novembro de 2026 às 14:35`.
   * `untilText`: null if no screen shows it. References have `ppr.expiresAtText` instead.
   */
  untilText: string | null;
  /** Number of pushes that the payer may still request. */
  attemptsLeft: number;
  /** The reason of the last push's failure. The message is in `lang`; `support` is the code for the shop's support. */
  failure: { code: FailureCode; message: string; support: string } | null;
  paidAt: string | null;
  /** `paidAt` as text, in Luanda's time and in the language `lang`. */
  paidAtText: string | null;
  /** True if the money arrived after the payment had failed, expired or been canceled. */
  late: boolean;
  /** The rail's transaction number, for the receipt. For a Charging reference: the number of its newest transaction. */
  transaction: string | null;
  /** The thank-you text of the payment link, shown after the payment. */
  thanks: string | null;
  /** The refunded amount as a sentence in `lang`, and as a line of the receipt. Null if nothing was refunded. */
  refund: { text: string; row: [label: string, value: string] } | null;
  /**
   * The QR code, null for other methods. Its image is `…/qrcode.svg`.
   * `accepted` counts the payments of the QR code, and `max` is their limit. `link` opens the code in the payer's app.
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
    /** The reference's `expiresAt` as text, in Luanda's time and in the language `lang`. */
    expiresAtText: string;
    /** Payments received by the reference so far. Null before the first payment. */
    received: { count: number; amountText: string } | null;
  } | null;
  /** The payment methods that a web frame's page offers, in the merchant's order. Null if it offers only the phone. */
  ways: Way[] | null;
  /** True if the payer may now pay by reference instead. Null if this payment never offers it. */
  canUseReference: boolean | null;
  /** The checkout of the payment that replaced this one. Null if this payment was not replaced. */
  replacedByUrl: string | null;
  /**
   * The shop's page after a payment or an authorization, or for a payer with a reference to pay later.
   * After the first payment of a QR code, every viewer of its page gets this address.
   */
  returnUrl: string | null;
  /** The shop's page for a payer who leaves without a payment, an authorization or a reference. */
  cancelUrl: string | null;
};

/** The session with the texts of its language: the response of `GET …/session`, and the data inside the page. */
export type CheckoutSessionWithTexts = CheckoutSession & { texts: Texts };
