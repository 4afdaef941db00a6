// The cashier's own shift in one line above the till: since when, the sum, and the way to its close.
import type { Shift } from '../../../packages/client/src/contract.ts';
import { dayOf, showTimeOn } from '../../../shared/luanda.ts';
import { textsOf, type AnyScreenProps } from '../../parts.tsx';
import { fill, money } from '../../words.ts';
import { SHIFTS, shiftAddressOf } from './sums.tsx';

/** @param shift the answer of `CURRENT_SHIFT`; null offers to open a shift */
export function ShiftBar({ page, shift }: { page: AnyScreenProps; shift: Shift | null }) {
  const t = textsOf(page);
  if (!page.visitor.may('openShift')) return null;
  return (
    <p class="shift-bar small" data-live-part="shift">
      {shift ? (
        <>
          <span>
            {fill(t['shifts.bar'], { when: showTimeOn(dayOf(page.now), new Date(shift.openedAt)) })} ·{' '}
            {shift.cashier.name} · <strong>{money(shift.totals.net, shift.currency)}</strong>
          </span>
          <a href={shiftAddressOf(shift)}>{t['shifts.close']}</a>
        </>
      ) : (
        <a href={SHIFTS}>{t['shifts.open']}</a>
      )}
    </p>
  );
}
