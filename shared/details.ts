// The details of a payment by reference that the payer types at a cash machine or in an app.
import type { CheckoutSession } from './checkout.ts';
import { NO_END_DATE, showReference } from './reference.ts';

export type DetailPart = 'entity' | 'reference' | 'amount' | 'until';

export type Detail = {
  part: DetailPart;
  label: string;
  /** The value of a detail in groups, for easy reading. The payer types the groups without spaces. */
  groups: string[];
  /** The text that a row's copy button copies. Null if the row has no button. */
  copies: string | null;
};

export type Details = {
  rows: Detail[];
  /**
   * The places to pay, such as cash machines, each with its menu path in the machine's own Portuguese.
   * The list of places to pay is empty while the reference cannot be paid yet.
   */
  places: [name: string, path: string][];
};

const PLACES = ['atm', 'old', 'app', 'web'];

/** Describes a reference that can be paid now or soon. Null for other methods. `say` returns the payer's texts. */
export function describeDetails(session: CheckoutSession, say: (key: string) => string): Details | null {
  const { ppr, amount, amountText, expiresAt } = session;
  if (!ppr) return null;
  const { entity, reference, isOpen, isRegistered, expiresAtText } = ppr;
  const row = (part: DetailPart, groups: string[], copies: string | null = null): Detail => ({
    part,
    label: say(`row.${part}`),
    groups,
    copies: isRegistered ? copies : null,
  });
  return {
    rows: [
      row('entity', [entity], entity),
      row('reference', showReference(reference).split(' '), reference),
      isOpen ? row('amount', [say('details.open')]) : row('amount', [amountText], amount),
      ...(expiresAt && expiresAt < NO_END_DATE ? [row('until', [expiresAtText])] : []),
    ],
    places: isRegistered ? PLACES.map((place) => [say(`details.${place}`), say(`details.${place}.path`)]) : [],
  };
}

/** The sandbox page that pays a reference. */
export function atmAddress({ entity, reference }: NonNullable<CheckoutSession['ppr']>): string {
  return `/sandbox/atm?entity=${entity}&reference=${reference}`;
}
