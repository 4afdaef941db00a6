// Calendar months, which have different lengths.

/** So many calendar months later, or earlier; of a day that month does not have, its last: 31 January → end of February. */
export function addMonths(from: Date, count: number): Date {
  const to = new Date(from);
  to.setUTCMonth(to.getUTCMonth() + count);
  // An overflow landed in the month after: day 0 is the last of the one before.
  if (to.getUTCDate() !== from.getUTCDate()) to.setUTCDate(0);
  return to;
}
