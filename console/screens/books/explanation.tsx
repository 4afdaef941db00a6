// The explanation of a settlement's difference: its text, the form to explain, and the form to take it back.
import type { Explanation, Settlement } from '../../../packages/client/src/contract.ts';
import { EXPLANATION_REASONS } from '../../../shared/books.ts';
import type { Act } from '../../../shared/console.ts';
import { ActForm, Field, FoldedAct } from '../../form.tsx';
import { Card, textsOf, type AnyScreenProps } from '../../parts.tsx';
import { fill, money, whenOf } from '../../words.ts';

type Props = { page: AnyScreenProps; settlement: Settlement };

export const EXPLANATION_ACTS: Record<'explain' | 'unexplain', Act> = {
  explain: {
    operation: 'explainDifference',
    buildCall: ({ reason, note, difference }, { params }) => ({
      params,
      body: { reason, note: note?.trim() || null, ...(difference && { difference: Number(difference) }) },
    }),
  },
  unexplain: { operation: 'withdrawExplanation', buildCall: (_form, { params }) => ({ params }) },
};

/** The reason of an explanation, with its note. */
export function sayExplanation(page: AnyScreenProps, { reason, note }: Pick<Explanation, 'reason' | 'note'>): string {
  return [textsOf(page)[`explanation.${reason}`], note].filter(Boolean).join(': ');
}

/** The card about the explanation. Empty while there is no difference to explain. */
export function ExplanationCard({ page, settlement }: Props) {
  const { status, explanation } = settlement;
  const isOpen = status === 'differs' && page.visitor.may('explainDifference');
  if (!explanation && !isOpen) return <div data-live-part="explanation" />;
  return (
    <Card title={textsOf(page)['explanation.title']} live="explanation">
      {explanation && <Known page={page} settlement={settlement} explanation={explanation} />}
      {isOpen && <Explain page={page} settlement={settlement} />}
    </Card>
  );
}

function Known({ page, settlement: { currency }, explanation }: Props & { explanation: Explanation }) {
  const t = textsOf(page);
  const { difference, holds, explainedBy, explainedAt } = explanation;
  return (
    <>
      <p>{sayExplanation(page, explanation)}</p>
      <p class="small quiet">
        {explainedBy ? fill(t['explanation.by'], { name: explainedBy, at: whenOf(explainedAt) }) : whenOf(explainedAt)}
      </p>
      {!holds && <p class="warning">{fill(t['explanation.old'], { amount: money(difference, currency) })}</p>}
      {holds && page.visitor.may('withdrawExplanation') && (
        <FoldedAct
          page={page}
          name="unexplain"
          title={t['explanation.withdraw']}
          sure={t['explanation.withdraw.sure']}
          button={t['explanation.withdraw']}
          tone="plain"
        />
      )}
    </>
  );
}

function Explain({ page, settlement: { difference } }: Props) {
  const t = textsOf(page);
  const about = { page, act: 'explain' };
  return (
    <ActForm page={page} name="explain" button={t['explanation.button']} tone="plain">
      <p class="small quiet">{t['explanation.hint']}</p>
      <input type="hidden" name="difference" value={difference} />
      <Field
        {...about}
        name="reason"
        label={t['explanation.reason']}
        choices={EXPLANATION_REASONS.map((reason) => [reason, t[`explanation.${reason}`]])}
      />
      <Field {...about} name="note" label={t['explanation.note']} hint={t['explanation.note.hint']} maxLength={500} />
    </ActForm>
  );
}
