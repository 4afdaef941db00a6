// A payment by reference as its payer types it in at a machine: the digits, where to type them, and what to expect.
import type { CheckoutSession } from './checkout.ts';
import { showReference } from './reference.ts';

export type DetailPart = 'entity' | 'reference' | 'amount' | 'until';

export type Detail = {
  part: DetailPart;
  label: string;
  /** The value in the groups it is read in; put together without spaces they are what is typed. */
  groups: string[];
  /** What its button copies; null where there is nothing to copy. */
  copies: string | null;
};

export type Details = {
  rows: Detail[];
  /** Where it can be paid, and what to tap there, in the machine's own Portuguese; none while it cannot be paid yet. */
  places: [name: string, path: string][];
};

/** Whoever sets no end means "for ever" (decisions §4): that is no date to tell a payer. */
const FOR_EVER = '2099-12-31';

const PLACES = ['atm', 'old', 'app', 'web'];

/** What is typed in for a reference that can be paid, or soon can; `say` finds the payer's words. */
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
      ...(expiresAt && expiresAt < FOR_EVER ? [row('until', [expiresAtText])] : []),
    ],
    places: isRegistered ? PLACES.map((place) => [say(`details.${place}`), say(`details.${place}.path`)]) : [],
  };
}

/** Where the sandbox pays a reference. */
export function atmAddress({ entity, reference }: NonNullable<CheckoutSession['ppr']>): string {
  return `/sandbox/atm?entity=${entity}&reference=${reference}`;
}
