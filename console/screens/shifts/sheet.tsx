// The printed close of a shift, on the paper of receipt printers or on A4.
import type { Merchant, Shift } from '../../../packages/client/src/contract.ts';
import { Rows, textsOf } from '../../parts.tsx';
import { money, whenOf } from '../../words.ts';
import { ReceiptPrinting } from '../receipt.tsx';
import { ShiftSums, type Part } from './sums.tsx';

/** The close of a shift. Of the whole page, only the sheet is printed. */
export function CloseSheet({ page, shift, merchant }: Part & { merchant: Merchant }) {
  const t = textsOf(page);
  const { id, cashier, openedAt, closedAt, closedBy, cash, note } = shift;
  return (
    <>
      <ReceiptPrinting page={page} />
      <article class="slip">
        <header>
          <p class="shop">{merchant.name}</p>
          {merchant.taxId && <p>NIF {merchant.taxId}</p>}
          <h2>{t['shifts.sheet']}</h2>
        </header>
        <Rows
          rows={[
            [t['shifts.cashier'], cashier.name],
            [t['shifts.opened'], whenOf(openedAt)],
            [t['shifts.closed'], closedAt && whenOf(closedAt)],
            [t['shifts.closedBy'], closedBy?.name],
          ]}
        />
        <ShiftSums page={page} shift={shift} />
        {cash && <CashRows page={page} shift={shift} cash={cash} />}
        {note && <p class="note">{note}</p>}
        <p class="signature">{t['shifts.signature']}</p>
        <p class="note small">
          {t['shifts.id']} {id}
        </p>
        {page.visitor.sandbox && <p class="test">{t['poster.sandbox']}</p>}
      </article>
    </>
  );
}

/** The calculation of the expected cash, the counted cash and their difference. */
function CashRows({ page, shift, cash }: Part & { cash: NonNullable<Shift['cash']> }) {
  const t = textsOf(page);
  const { currency } = shift;
  const { opening, sales, in: added, out, expected, counted, difference } = cash;
  const sign = (amount: number) => `${amount > 0 ? '+' : ''}${money(amount, currency)}`;
  return (
    <>
      <Rows
        rows={[
          [t['shifts.opening'], money(opening, currency)],
          [t['shifts.cash.sales'], sales > 0 && sign(sales)],
          [t['shifts.cash.in'], added > 0 && sign(added)],
          [t['shifts.cash.out'], out > 0 && sign(-out)],
          [t['shifts.cash.expected'], <strong key="expected">{money(expected, currency)}</strong>],
          [t['shifts.cash.counted'], counted !== null && money(counted, currency)],
          [
            t['shifts.cash.difference'],
            <strong key="difference">{difference ? sign(difference) : t['shifts.cash.exact']}</strong>,
          ],
        ]}
      />
    </>
  );
}
