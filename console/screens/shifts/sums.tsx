// The sums of a shift as rows: on the screen of an open shift, and on the printed close.
import type { Shift } from '../../../packages/client/src/contract.ts';
import { addMinor, toMajor, toReceivedMinor } from '../../../shared/money.ts';
import { Money, Rows, textsOf, type AnyScreenProps } from '../../parts.tsx';
import { fill, money, type ConsoleTexts } from '../../words.ts';

export const SHIFTS = '/console/shifts';

/** Operations of shifts that screens read besides their own. */
export const CURRENT_SHIFT = { operation: 'readCurrentShift' } as const;

export const shiftAddressOf = ({ id }: Pick<Shift, 'id'>) => `${SHIFTS}/${id}`;

export type Part = { page: AnyScreenProps; shift: Shift };
type Group = Shift['taken'][number] | Shift['refunded'][number];
type Counted = Shift['canceled'];

const rowOf = (t: ConsoleTexts, { method, count, amount, currency }: Group): [string, string] => [
  fill(t['shifts.method'], { method: t[`shifts.method.${method}`], n: count }),
  money(amount, currency),
];

/** Payments without a movement. The row is omitted for no payment. */
const countedOf = (t: ConsoleTexts, name: string, { count, amount }: Counted, currency: string): [string, string] => [
  fill(t['shifts.method'], { method: name, n: count }),
  count > 0 ? money(amount, currency) : '',
];

/** Received and refunded money by method, with the sums. */
export function ShiftSums({ page, shift }: Part) {
  const t = textsOf(page);
  const { taken, refunded, totals, canceled, pending, currency } = shift;
  return (
    <>
      {taken.length > 0 && <Rows rows={taken.map((each) => rowOf(t, each))} />}
      <Rows
        rows={[
          [t['shifts.taken'], <Money key="taken" amount={totals.taken} currency={currency} />],
          [
            t['shifts.fees'],
            lessOf(
              shift,
              taken.map(({ fees, ...of }) => ({ ...of, amount: fees })),
            ),
          ],
        ]}
      />
      {refunded.length > 0 && (
        <Rows
          rows={[
            ...refunded.map((each) => rowOf(t, each)),
            [t['shifts.refunded'], <Money key="refunded" amount={-totals.refunded} currency={currency} />],
            [
              t['shifts.manual'],
              lessOf(
                shift,
                refunded.map(({ manual, ...of }) => ({ ...of, amount: manual })),
              ),
            ],
          ]}
        />
      )}
      <Rows
        rows={[
          [t['shifts.net'], <Money key="net" amount={totals.net} currency={currency} />],
          countedOf(t, t['shifts.canceled'], canceled, currency),
          countedOf(t, t['shifts.pending'], pending, currency),
        ]}
      />
    </>
  );
}

/** The sum of amounts in the currency of the shift, as a negative amount. False for 0. */
function lessOf({ currency }: Shift, amounts: { amount: number; currency: string }[]): string | false {
  const minors = amounts.flatMap((each) => {
    const read = each.currency === currency ? toReceivedMinor(String(each.amount), currency) : null;
    return read && 'minor' in read ? read.minor : [];
  });
  const minor = addMinor(0, ...minors);
  return minor > 0 && money(-toMajor(minor, currency), currency);
}
