// What the checkout page and the widget know of a payment: one shape for the first paint, the stream and the poll.
import type { PaymentMethod } from './methods.ts';
import type { ReferenceStatus, ReferenceType } from './reference.ts';
import type { FailureCode, PaymentStatus } from './status.ts';
import type { Way } from './ways.ts';

export const LANGS = ['pt', 'en', 'fr'] as const;
export type Lang = (typeof LANGS)[number];

/** Texts of one language, by key. They travel with the session, so that no script carries three languages. */
export type Texts = Record<string, string>;

/** A merchant's colour, `#rrggbb`: legible on the house's paper, and its paper on it, in the light and in the dark. */
export type Brand = { light: string; dark: string };

/** A payment as its payer may see it. Times are ISO 8601 UTC; amounts are ready to show. */
export type CheckoutSession = {
  /** Grows with every change: an older session never replaces a newer one on screen. */
  revision: number;
  /** The server's clock when this was made: countdowns run on it, never on the device's date. */
  serverTime: string;
  lang: Lang;
  /** A payment in the sandbox: the page carries a ribbon. */
  sandbox: boolean;
  merchant: { name: string; brand: Brand | null; hasLogo: boolean; noticePath: string };
  reference: string;
  description: string | null;
  amount: string;
  currency: string;
  /** `1 500,00 Kz` */
  amountText: string;
  method: PaymentMethod;
  status: PaymentStatus;
  /** No further change is expected. */
  isFinal: boolean;
  /** The number being asked, masked: `923 ••• 789`; null before the first push. */
  phone: string | null;
  /** While `Processing`: when the payer's time to approve began and ends. */
  pushSentAt: string | null;
  pushExpiresAt: string | null;
  /** When the payment itself expires; null for never. */
  expiresAt: string | null;
  /**
   * The same in Luanda, in `lang`, as it follows the word “until”: `às 14:35`, on another day than the server's today
   * `26 de novembro de 2026 às 14:35`. Null where no screen says it, and of a reference, which has a line for it.
   */
  untilText: string | null;
  /** Pushes the payer may still ask for. */
  attemptsLeft: number;
  /** Why the last push failed; the message is in `lang`. */
  failure: { code: FailureCode; message: string } | null;
  paidAt: string | null;
  /** `paidAt` in Luanda, ready to show in `lang`. */
  paidAtText: string | null;
  /** The money came after the payment had failed, expired or been canceled. */
  late: boolean;
  /** The rail's transaction number, for the receipt; of a Charging reference its newest one's. */
  transaction: string | null;
  /** What the payment's link says to whoever has paid. */
  thanks: string | null;
  /** What of the money was given back, in words of `lang`, and its line of the receipt; null for nothing. */
  refund: { text: string; row: [label: string, value: string] } | null;
  /**
   * Of a QR code (its image is `…/qrcode.svg`): payments accepted and accepted at most, and the address that opens the
   * code in the payer's app. Null for other methods.
   */
  qr: { accepted: number; max: number; link: string | null } | null;
  /** Of a payment by reference; null for other methods. */
  ppr: {
    entity: string;
    /** Digits without spaces, as they are copied; shown in groups of three. */
    reference: string;
    type: ReferenceType;
    /** Whether it can be paid still; a Charging one can after payments too. */
    status: ReferenceStatus;
    /** The payer chooses the amount. */
    isOpen: boolean;
    /** False until the rail knows it: it is being activated and cannot be paid yet. */
    isRegistered: boolean;
    /** `expiresAt` in Luanda, ready to show in `lang`. */
    expiresAtText: string;
    /** What was received so far; null before the first payment. */
    received: { count: number; amountText: string } | null;
  } | null;
  /** What the page of a webframe offers, in the merchant's order; null where it is a phone alone. */
  ways: Way[] | null;
  /** Whether the payer may go on by reference now; null where that is never offered. */
  canUseReference: boolean | null;
  /** The checkout of the payment that is to be looked at instead of this one, which is over; null otherwise. */
  replacedByUrl: string | null;
  /**
   * Where the shop goes on with a payer who has paid (from a code that somebody has paid: with anybody), has reserved, or
   * takes a reference along; `cancelUrl` with any other.
   */
  returnUrl: string | null;
  cancelUrl: string | null;
};

/** Answer of `GET …/session`, and what the page carries inside: the session with its language's texts. */
export type CheckoutSessionWithTexts = CheckoutSession & { texts: Texts };
