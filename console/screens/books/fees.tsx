// Fees of the bank: their list and the form to enter one. The form to take back a wrong credit or fee.
import type { Credit, Settlement } from '../../../packages/client/src/contract.ts';
import type { Act } from '../../../shared/console.ts';
import { dayOf as dayIn, showDay } from '../../../shared/luanda.ts';
import { nameCurrency, readMajor } from '../../../shared/money.ts';
import { ActForm, Field, FoldedAct } from '../../form.tsx';
import { Card, Money, textsOf, type AnyScreenProps } from '../../parts.tsx';
import { money, writeMajor } from '../../words.ts';

type Props = { page: AnyScreenProps; settlement: Settlement };

/** The maximum number of digits of a fee. */
const FEE_DIGITS = 12;

export const FEE_ACTS: Record<'fee' | 'reverse', Act> = {
  fee: {
    operation: 'enterCredits',
    buildCall: ({ amount = '', date, reference }, { params }) => ({
      params,
      body: {
        kind: 'fee',
        amount: readMajor(amount, FEE_DIGITS) ?? (amount.trim() || null),
        date: date || null,
        reference: reference?.trim() || null,
      },
    }),
    resultPath: (_body, { params }) => `/console/books/${params['settlementId']}`,
  },
  reverse: {
    operation: 'reverseCredit',
    buildCall: ({ entry = '' }, { params }) => ({ params: { ...params, creditId: entry } }),
  },
};

/** The address at which the form for a fee is open. */
export const feePath = (id: string) => `/console/books/${id}?fee#fee`;

/** The fees of the bank, which are no credits. */
export function Fees({ page, settlement }: Props) {
  const t = textsOf(page);
  const { bankFeeEntries, closedAt } = settlement;
  const mayEnter = closedAt && page.visitor.may('enterCredits');
  if (bankFeeEntries.length === 0 && !mayEnter) return null;
  return (
    <Card title={t['fees.title']}>
      {bankFeeEntries.length > 0 ? (
        <ul class="plain-list">
          {bankFeeEntries.map((entry) => (
            <Entry key={entry.id} page={page} entry={entry} />
          ))}
        </ul>
      ) : (
        <p class="quiet">{t['fees.none']}</p>
      )}
      {mayEnter && <EnterFee page={page} settlement={settlement} />}
    </Card>
  );
}

function EnterFee({ page, settlement: { difference, currency, status } }: Props) {
  const t = textsOf(page);
  const about = { page, act: 'fee' };
  const isOpen = 'fee' in page.opened.query || page.refused?.act === 'fee';
  return (
    <details class="act" id="fee" open={isOpen}>
      <summary>{t['fee.enter']}</summary>
      <ActForm page={page} name="fee" button={t['fee.button']}>
        <Field
          {...about}
          name="amount"
          label={t['fee.amount']}
          value={writeMajor(status === 'differs' && difference < 0 ? -difference : null)}
          prefix={nameCurrency(currency)}
          inputmode="decimal"
          required
        />
        <Field {...about} name="date" label={t['credit.date']} type="date" value={dayIn(page.now)} required />
        <Field {...about} name="reference" label={t['credit.reference']} maxLength={100} />
      </ActForm>
    </details>
  );
}

/** One credit or fee. A reversed entry and its reversal stay in the list. */
export function Entry({ page, entry }: { page: AnyScreenProps; entry: Credit }) {
  const t = textsOf(page);
  const { id, amount, currency, date, bankReference, source, reverses, reversedBy } = entry;
  const note = reverses ? t['entry.reversal'] : reversedBy ? t['entry.reversed'] : t[`credit.${source}`];
  return (
    <li class={reversedBy || reverses ? 'quiet' : undefined}>
      <span>
        <span>{showDay(date)}</span>
        <span class="small quiet">{[bankReference, note].filter(Boolean).join(' · ')}</span>
        {!reversedBy && !reverses && page.visitor.may('reverseCredit') && (
          <FoldedAct
            page={page}
            name="reverse"
            title={t['entry.reverse']}
            sure={t['entry.reverse.sure']}
            button={`${t['entry.reverse']}: ${money(amount, currency)}`}
            tone="plain danger"
          >
            <input type="hidden" name="entry" value={id} />
          </FoldedAct>
        )}
      </span>
      <Money amount={amount} currency={currency} />
    </li>
  );
}
