// Payment references (PPR) as everybody sees them: their kinds, states, and how digits are shown.

/** `Dynamic`: a fixed amount, paid once. `Charging`: may be paid again and again, of any amount when its own is 0. */
export const REFERENCE_TYPES = ['Dynamic', 'Charging'] as const;
export type ReferenceType = (typeof REFERENCE_TYPES)[number];

/** Whether it can be paid (decisions §4, `referenceStatus`): only `Pending` can. */
export const REFERENCE_STATUSES = ['Pending', 'Paid', 'Canceled', 'Expired'] as const;
export type ReferenceStatus = (typeof REFERENCE_STATUSES)[number];

/** `017756991` → `017 756 991`, as ATMs and slips write it; copied without the spaces. */
export function showReference(digits: string): string {
  return digits.replace(/(\d{3})(?=\d)/g, '$1 ');
}
