// Plans, usage and invoices as the API answers them.
import type { Language } from '../../../shared/language.ts';
import { fill, money, type ConsoleTexts } from '../../words.ts';

export type Plan = {
  id: string;
  name: string;
  currency: string;
  monthlyFee: number;
  includedPayments: number;
  paymentFee: number;
};

type Amounts = { currency: string; amount: number }[];
type Counted = {
  payments: number;
  amounts: Amounts;
  refunds: { count: number; amounts: Amounts };
};
export type Usage = { data: (Counted & { day: string })[]; totals: Counted };

type Document = {
  id: string;
  number: string;
  title: string;
  issuedAt: string;
  currency: string;
  subtotal: number;
  tax: number;
  total: number;
  fiscal: { number: string } | null;
};

export type ListedInvoice = Document & { month: string; credited: number };

export type Invoice = ListedInvoice & {
  issuer: { name: string; taxId: string | null };
  merchantName: string;
  merchantTaxId: string | null;
  taxPercent: number;
  plan: string;
  payments: number;
  lines: { description: string; quantity: number; unitPrice: number; amount: number }[];
  creditNotes: (Document & { reason: string })[];
};

const LOCALES: Record<Language, string> = { pt: 'pt-PT', en: 'en-GB', fr: 'fr-FR' };

/** `2026-11` as people say it. */
export function showMonth(month: string, lang: Language): string {
  const words = { timeZone: 'UTC', month: 'long', year: 'numeric' } as const;
  return new Intl.DateTimeFormat(LOCALES[lang], words).format(new Date(`${month}-01T00:00:00Z`));
}

/** What a plan costs, in one line. */
export function termsOf(t: ConsoleTexts, { monthlyFee, includedPayments, paymentFee, currency }: Plan): string {
  const fees = { fee: money(monthlyFee, currency), n: includedPayments, each: money(paymentFee, currency) };
  return fill(t['plan.terms'], fees);
}

export const sumOf = (amounts: Amounts) => amounts.map(({ amount, currency }) => money(amount, currency)).join(' · ');
