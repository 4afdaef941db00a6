// Parses the form of a payment link as payers fill it in, and reports the fault of each field.
import { normalizeEmail } from '../../shared/email.ts';
import type { PayerField, LinkField, LinkView } from '../../shared/link.ts';
import { compareMinor, minimumMinor, readAmount, toMinor } from '../../shared/money.ts';
import { normalizeNif } from '../../shared/nif.ts';
import { normalizePhone } from '../../shared/phone.ts';
import { singleLine } from '../http/fields.ts';
import type { Payer } from '../payments/core/rows.ts';
import type { Link } from './entities.ts';

/** Maximum number of characters that are read from a form field. Valid values are shorter. */
const MAX_TYPED = 300;

const name = singleLine(100);

/** Parsers of form fields. A parser returns null for invalid text. */
const READERS: Record<PayerField, (typed: string) => string | null> = {
  name: (typed) => name.safeParse(typed).data ?? null,
  email: normalizeEmail,
  phone: normalizePhone,
  nif: normalizeNif,
};

/** Columns of `link_payments` that store the form fields. */
const COLUMN_OF: Record<PayerField, keyof Payer> = {
  name: 'customerName',
  email: 'customerEmail',
  phone: 'customerTelephone',
  nif: 'documentNumber',
};

type Form = Pick<LinkView, 'typed' | 'wrong'> & { amountMinor: number; payer: Partial<Payer> };

/** Parses the form fields that the link requires. `wrong` is empty if all of them are valid. */
export function readForm(link: Link, fields: Record<string, string>): Form {
  const textOf = (field: LinkField) => (fields[field] ?? '').slice(0, MAX_TYPED);
  const form: Form = { typed: {}, wrong: {}, payer: {}, amountMinor: link.amountMinor ?? 0 };
  if (link.amountMinor == null) {
    form.typed.amount = textOf('amount');
    const read = readOpenAmount(form.typed.amount, link);
    if (typeof read === 'string') form.wrong.amount = read;
    else form.amountMinor = read;
  }
  for (const field of link.asks) {
    const typed = textOf(field);
    form.typed[field] = typed;
    const value = READERS[field](typed);
    form.payer[COLUMN_OF[field]] = value;
    if (value === null) form.wrong[field] = typed.trim() === '' ? 'required' : field;
  }
  return form;
}

/** Returns the typed amount in minor units, or the text key of the fault that the page shows. */
function readOpenAmount(typed: string, { currency, minMinor, maxMinor }: Link): number | string {
  if (typed.trim() === '') return 'required';
  const decimal = readAmount(typed, { currency });
  const read = decimal === null ? null : toMinor(decimal, currency);
  if (!read || 'fault' in read) return 'amount';
  const { minor } = read;
  if (compareMinor(minor, minMinor ?? minimumMinor(currency)) === 'less') return 'amount.min';
  return maxMinor != null && compareMinor(minor, maxMinor) === 'more' ? 'amount.max' : minor;
}
