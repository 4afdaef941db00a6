// What a payment link's page is given to show: one shape for the server that fills it and the page that draws it.
import type { Brand } from './checkout.ts';
import type { Language } from './language.ts';

/** What a link may ask of its payer, and nothing else; `nif`: the tax number. */
export const ASKS = ['name', 'email', 'phone', 'nif'] as const;
export type Asked = (typeof ASKS)[number];

/** What its form may have. */
export type LinkField = Asked | 'amount';

/**
 * `open`: it can be paid. `busy`: others are paying what is left. `soldout`, `paid` (of one use), `expired`, `withdrawn`: over.
 * `unavailable`: nothing can be charged at the moment.
 */
export type LinkState = 'open' | 'busy' | 'soldout' | 'paid' | 'expired' | 'withdrawn' | 'unavailable';

export type LinkView = {
  lang: Language;
  sandbox: boolean;
  slug: string;
  /** The address that people share. */
  url: string;
  state: LinkState;
  merchant: { name: string; brand: Brand | null; hasLogo: boolean; noticePath: string };
  title: string;
  /** `1 500,00 Kz`; null: the payer chooses. */
  amountText: string | null;
  /** The bounds of what the payer chooses, ready to show. */
  bounds: { min: string | null; max: string | null };
  currency: string;
  /** Until when, in Luanda; null: for good. */
  untilText: string | null;
  /** How many are left, where few are. */
  left: number | null;
  asks: readonly Asked[];
  /** Tells a second tap on the same form from another payment. */
  formKey: string;
  typed: Partial<Record<LinkField, string>>;
  /** What is wrong, by field: keys of the page's texts (`wrong.…`). */
  wrong: Partial<Record<LinkField, string>>;
  /** Its merchant changed it while it was filled in. */
  isChanged: boolean;
  /** Of one use: the payment that is under way, which goes on there. */
  continueUrl: string | null;
};

/** What a merchant is told of a link; while others are paying what is left it is `Active`. */
export const LINK_STATUSES = ['Active', 'SoldOut', 'Expired', 'Withdrawn'] as const;
export type LinkStatus = (typeof LINK_STATUSES)[number];
