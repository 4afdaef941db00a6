// Payment references (PPR): types, statuses, and the display of their digits.

/** `Dynamic`: a fixed amount, paid once. `Charging`: paid many times, with any amount if its own amount is 0. */
export const REFERENCE_TYPES = ['Dynamic', 'Charging'] as const;
export type ReferenceType = (typeof REFERENCE_TYPES)[number];

/** Statuses of a reference (`referenceStatus`). Only a `Pending` reference can be paid. */
export const REFERENCE_STATUSES = ['Pending', 'Paid', 'Canceled', 'Expired'] as const;
export type ReferenceStatus = (typeof REFERENCE_STATUSES)[number];

/** References that expire on this day or later have no end for people: no page or message shows the date. */
export const NO_END_DATE = '2099-12-31';

/** Formats `017756991` as `017 756 991`, the form on cash machines and slips. The copied text has no spaces. */
export function showReference(digits: string): string {
  return digits.replace(/(\d{3})(?=\d)/g, '$1 ');
}
