// Bank credits of a settlement, the form to enter one by hand, and the link to the import of a statement.
import type { Settlement } from '../../../packages/client/src/contract.ts';
import type { Act } from '../../../shared/console.ts';
import { dayOf as dayIn } from '../../../shared/luanda.ts';
import { nameCurrency, readMajor } from '../../../shared/money.ts';
import { ActForm, Field, Folded } from '../../form.tsx';
import { Card, textsOf, type AnyScreenProps } from '../../parts.tsx';
import { writeMajor } from '../../words.ts';
import { IMPORT } from './import.tsx';
import { Entry } from './fees.tsx';

/** Reads an amount with a sign. A minus marks money that the bank took. The API reports the fault of other text. */
const readSigned = (typed = ''): number | string | null =>
  readMajor(typed, SUM_DIGITS, { isSigned: true }) ?? (typed.trim() || null);

/** The maximum number of digits of a sum. A merchant's daily sum can exceed the limit of one payment. */
const SUM_DIGITS = 12;

export const CREDIT_ACTS: Record<'credit', Act> = {
  credit: {
    operation: 'enterCredits',
    buildCall: ({ amount, date, reference }, { params }) => ({
      params,
      body: { amount: readSigned(amount), date: date || null, reference: reference?.trim() || null },
    }),
  },
};

type Props = { page: AnyScreenProps; settlement: Settlement };

export function Credits({ page, settlement }: Props) {
  const t = textsOf(page);
  const { credits, closedAt } = settlement;
  return (
    <Card title={t['credits.title']}>
      {credits.length > 0 && (
        <ul class="plain-list">
          {credits.map((entry) => (
            <Entry key={entry.id} page={page} entry={entry} />
          ))}
        </ul>
      )}
      {credits.length === 0 && <p class="quiet">{closedAt ? t['credits.none'] : t['credits.early']}</p>}
      {closedAt && page.visitor.may('enterCredits') && (
        <>
          <Folded page={page} act="credit" title={t['credit.enter']} isOpen={credits.length === 0 && !page.refused}>
            <ByHand page={page} settlement={settlement} />
          </Folded>
          {page.visitor.may('importStatement') && <a href={IMPORT}>{t['import.link']}</a>}
        </>
      )}
    </Card>
  );
}

/** The form for a credit by hand. Its amount field starts with the missing amount. */
function ByHand({ page, settlement: { difference, currency } }: Props) {
  const t = textsOf(page);
  const about = { page, act: 'credit' };
  return (
    <ActForm page={page} name="credit" button={t['credit.button']}>
      <Field
        {...about}
        name="amount"
        label={t['credit.amount']}
        hint={t['credit.amount.hint']}
        value={writeMajor(difference < 0 ? -difference : null)}
        prefix={nameCurrency(currency)}
        required
      />
      <Field {...about} name="date" label={t['credit.date']} type="date" value={dayIn(page.now)} required />
      <Field {...about} name="reference" label={t['credit.reference']} maxLength={100} />
    </ActForm>
  );
}
