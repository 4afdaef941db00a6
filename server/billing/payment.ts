// How a merchant pays a monthly statement. Each statement stores the operator's settings of its time of issue.
import { z } from 'zod';
import { addDays, dayOf } from '../../shared/luanda.ts';
import type { Config } from '../config.ts';
import type { Invoice, PaymentTerms } from './entities.ts';

/** Returns the way to pay a statement. Without the operator's IBAN it has only the operator's contact. */
export function paymentTermsOf(config: Config, issuedAt: Date): PaymentTerms {
  const contact = config.OPERATOR_CONTACT || null;
  if (!config.BILLING_IBAN) return { iban: null, holder: null, dueOn: null, note: null, contact };
  return {
    iban: config.BILLING_IBAN,
    holder: config.BILLING_ACCOUNT_HOLDER || config.BILLING_ISSUER,
    dueOn: addDays(dayOf(issuedAt), config.BILLING_DUE_DAYS),
    note: config.BILLING_PAYMENT_NOTE || null,
    contact,
  };
}

/**
 * Returns the way to pay as the API shows it. Null for an amount of zero, and for statements without this data.
 * @param reference the number of the statement
 */
export function viewPaymentTerms({ payment, totalMinor }: Pick<Invoice, 'payment' | 'totalMinor'>, reference: string) {
  return payment && totalMinor > 0 ? { ...payment, reference } : null;
}

export const paymentTerms = z.object({
  iban: z.string().nullable().describe('Account that receives the payment. Null: ask the operator how to pay'),
  holder: z.string().nullable().describe('Holder of the account'),
  reference: z.string().describe('Reference to write in the transfer: the number of the statement'),
  dueOn: z.iso.date().nullable().describe('Last day to pay in Luanda'),
  note: z.string().nullable().describe('Note of the operator about the payment'),
  contact: z.string().nullable().describe('Contact of the operator'),
});
