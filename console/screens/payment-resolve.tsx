// The form that resolves a payment's odd money with a note, and the latest resolution.
import type { OperationCall } from '../../shared/console.ts';
import { ActForm, Field, Folded } from '../form.tsx';
import { textsOf } from '../parts.tsx';
import { fill, whenOf } from '../words.ts';
import type { Part } from './payment.tsx';

const MAX_NOTE = 500;

/** The API call of the form. A note is one line. */
export function resolveCall(
  { note = '' }: Record<string, string>,
  { params: { paymentId = '' } }: { params: Record<string, string> },
): Partial<OperationCall> {
  return { params: { internalPaymentId: paymentId }, body: { note: note.replaceAll(/\s+/g, ' ').trim() } };
}

/** The form that resolves odd money. With its tag, the API refuses to resolve money that arrived after the page. */
export function Resolve({ page }: Part) {
  const t = textsOf(page);
  const { attention } = page.data.payment;
  const isShown = attention !== null && page.visitor.may('resolvePayment');
  const refused = page.refused?.act === 'resolve' ? page.refused : null;
  return (
    <section class={isShown ? 'card pad stack' : undefined} data-live-part="resolve">
      {isShown && (
        <>
          <h2>{t['today.attention']}</h2>
          <Folded page={page} act="resolve" title={t['act.resolve']}>
            <ActForm page={page} name="resolve" button={t['act.resolve']} tag={page.tags['payment']} tone="plain">
              <p class="small quiet">{t['act.resolve.sure']}</p>
              {refused?.code === 'precondition_failed' && <p class="warning">{t['act.resolve.changed']}</p>}
              <Field
                page={page}
                act="resolve"
                name="note"
                label={t['act.resolve.note']}
                hint={t['act.resolve.hint']}
                value={refused?.typed['note'] ?? ''}
                lines={3}
                maxLength={MAX_NOTE}
                required
              />
            </ActForm>
          </Folded>
        </>
      )}
    </section>
  );
}

/** The person, time and note of the latest resolution. Newer odd money hides it. */
export function Resolution({ page }: Part) {
  const t = textsOf(page);
  const { payment, history } = page.data;
  const event = payment.resolvedAt && history.data.findLast(({ type }) => type === 'payment.resolved');
  if (!event) return null;
  const who = event.actor?.name ?? t['payment.resolved.somebody'];
  const { note } = event.details;
  return (
    <div>
      <p>{fill(t['payment.resolved'], { who, when: whenOf(event.occurredAt) })}</p>
      {typeof note === 'string' && <p class="quiet">“{note}”</p>}
    </div>
  );
}
