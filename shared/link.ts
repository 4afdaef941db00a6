// The data of a payment link's page: the server fills it, and the page renders it.
import type { Brand } from './checkout.ts';
import type { Language } from './language.ts';

/** The only payer's data that a payment link may request. `nif` is the tax number. */
export const PAYER_FIELDS = ['name', 'email', 'phone', 'nif'] as const;
export type PayerField = (typeof PAYER_FIELDS)[number];

/** The fields that the form of a payment link can have. */
export type LinkField = PayerField | 'amount';

/**
 * States of a payment link. `open`: it can be paid. `busy`: payments in progress hold all remaining uses.
 * `paid`: the only use of a single-use link was paid. `soldout`, `expired` and `withdrawn` are final too.
 * `unavailable`: no rail account of the merchant can charge now.
 */
export type LinkState = 'open' | 'busy' | 'soldout' | 'paid' | 'expired' | 'withdrawn' | 'unavailable';

export type LinkView = {
  lang: Language;
  sandbox: boolean;
  slug: string;
  /** The link's public URL. */
  url: string;
  state: LinkState;
  merchant: { name: string; brand: Brand | null; hasLogo: boolean; noticePath: string };
  title: string;
  /** The link's amount, such as `1 500,00 Kz`. Null if the payer chooses the amount. */
  amountText: string | null;
  /** The bounds of the amount that the payer chooses, ready to show. */
  bounds: { min: string | null; max: string | null };
  currency: string;
  /** The end of the payment link in Luanda's time. Null if the link has no end. */
  untilText: string | null;
  /** The number of remaining uses of the payment link, if few are left. Otherwise null. */
  left: number | null;
  asks: readonly PayerField[];
  /** Identifies one rendering of the form, so that a second tap creates no second payment. */
  formKey: string;
  typed: Partial<Record<LinkField, string>>;
  /** The error of each form field, as a key of the page's texts (`wrong.…`). */
  wrong: Partial<Record<LinkField, string>>;
  /** True if the merchant changed the payment link while the payer filled in the form. */
  isChanged: boolean;
  /** The checkout of the payment in progress, for a link with a single use. Otherwise null. */
  continueUrl: string | null;
};

/** The statuses of a link in the API. A link is `Active` while payments in progress hold its remaining uses. */
export const LINK_STATUSES = ['Active', 'SoldOut', 'Expired', 'Withdrawn'] as const;
export type LinkStatus = (typeof LINK_STATUSES)[number];
