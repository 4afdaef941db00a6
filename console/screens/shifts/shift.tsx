// One shift. While it is open: its sums, its cash, and the form that closes it. Afterwards: the printed close.
import type { Merchant, Shift } from '../../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../../shared/console.ts';
import { CASH_KINDS } from '../../../shared/shift.ts';
import { ActForm, Field, Folded } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Card, Head, Rows, textsOf } from '../../parts.tsx';
import { fill, money, typedAmount, whenOf } from '../../words.ts';
import { CloseSheet } from './sheet.tsx';
import { SHIFTS, ShiftSums } from './sums.tsx';

type Page = { shift: Shift; merchant: Merchant };
type Part = { page: ScreenProps<Page> };

const noteOf = (typed = '') => typed.trim() || null;

export const shift: Screen = {
  path: `${SHIFTS}/{shiftId}`,
  needs: 'openShift',
  live: ['payment', 'reference', 'refund'],
  reads: ({ params: { shiftId = '' } }) => ({
    shift: { operation: 'readShift', params: { shiftId } },
    merchant: { operation: 'readMerchant' },
  }),
  acts: {
    shiftCash: {
      operation: 'recordCash',
      buildCall: ({ kind = '', amount, note }, { params: { shiftId = '' } }) => ({
        params: { shiftId },
        body: { kind, amount: typedAmount(amount), note: noteOf(note) },
      }),
    },
    shiftClose: {
      operation: 'closeShift',
      buildCall: ({ countedCash, note }, { params: { shiftId = '' } }) => ({
        params: { shiftId },
        body: { countedCash: typedAmount(countedCash), note: noteOf(note) },
      }),
    },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { shift: shown, merchant } = page.data;
    const title = fill(t['shifts.of'], { name: shown.cashier.name });
    const content = (
      <>
        <div class="unprinted">
          <Head title={title} back={{ href: SHIFTS, text: t['shifts.title'] }} />
        </div>
        {shown.status === 'closed' ? (
          <CloseSheet page={page} shift={shown} merchant={merchant} />
        ) : (
          <>
            <p class="quiet">{fill(t['shifts.since'], { when: whenOf(shown.openedAt) })}</p>
            <Card title={t['shifts.sums']} live="sums">
              <ShiftSums page={page} shift={shown} />
            </Card>
            {shown.cash && <Cash page={page} cash={shown.cash} />}
            <CloseForm page={page} />
          </>
        )}
      </>
    );
    return { title, content };
  },
};

/** The cash of an open shift, without the expected sum: a person counts the till before the screen compares. */
function Cash({ page, cash }: Part & { cash: NonNullable<Shift['cash']> }) {
  const t = textsOf(page);
  const { currency } = page.data.shift;
  const field = { page, act: 'shiftCash' } as const;
  const some = (amount: number) => amount > 0 && money(amount, currency);
  return (
    <Card title={t['shifts.cash']}>
      <div data-live-part="cash">
        <Rows
          rows={[
            [t['shifts.opening'], money(cash.opening, currency)],
            [t['shifts.cash.sales'], some(cash.sales)],
            [t['shifts.cash.in'], some(cash.in)],
            [t['shifts.cash.out'], some(cash.out)],
          ]}
        />
      </div>
      <p class="small quiet">{t['shifts.cash.about']}</p>
      <Folded page={page} act="shiftCash" title={t['shifts.cash.record']}>
        <ActForm page={page} name="shiftCash" button={t['shifts.cash.record']} tone="plain">
          <Field
            {...field}
            name="kind"
            label={t['shifts.cash.kind']}
            choices={CASH_KINDS.map((kind) => [kind, t[`shifts.cash.kind.${kind}`]])}
          />
          <Field
            {...field}
            name="amount"
            label={t['shifts.cash.amount']}
            inputmode="decimal"
            maxLength={14}
            prefix="Kz"
            required
          />
          <Field {...field} name="note" label={t['shifts.note']} maxLength={200} />
        </ActForm>
      </Folded>
    </Card>
  );
}

function CloseForm({ page }: Part) {
  const t = textsOf(page);
  const { pending, currency, cash } = page.data.shift;
  const field = { page, act: 'shiftClose' } as const;
  const waiting = { n: pending.count, amount: money(pending.amount, currency) };
  return (
    <Card>
      <Folded page={page} act="shiftClose" title={t['shifts.close']}>
        <ActForm page={page} name="shiftClose" button={t['shifts.close.sure']}>
          {pending.count > 0 && <p>{fill(t['shifts.close.pending'], waiting)}</p>}
          {cash && (
            <Field
              {...field}
              name="countedCash"
              label={t['shifts.close.counted']}
              hint={t['shifts.close.counted.hint']}
              inputmode="decimal"
              maxLength={14}
              prefix="Kz"
              required
            />
          )}
          <Field {...field} name="note" label={t['shifts.note']} maxLength={200} />
          <p class="small quiet">{t['shifts.close.about']}</p>
        </ActForm>
      </Folded>
    </Card>
  );
}
