// The form of a payment link: the amount if the payer chooses it, the payer's data, and a button.
import type { PayerField, LinkField, LinkView } from '../../shared/link.ts';
import type { LinkTextKey } from '../text/link.ts';

export type Say = (key: LinkTextKey) => string;

/** The HTML attributes by which browsers recognize and fill in the fields. */
const INPUTS: Record<PayerField, { type: 'text' | 'email' | 'tel'; autocomplete: string }> = {
  name: { type: 'text', autocomplete: 'name' },
  email: { type: 'email', autocomplete: 'email' },
  phone: { type: 'tel', autocomplete: 'tel-national' },
  nif: { type: 'text', autocomplete: 'off' },
};

export function LinkForm({ view, say }: { view: LinkView; say: Say }) {
  const { slug, lang, asks, formKey, amountText } = view;
  return (
    // `novalidate`: the page shows its own error texts instead of the browser's error texts.
    <form class="stack" method="post" action={`/l/${slug}?lang=${lang}`} novalidate>
      <input type="hidden" name="form" value={formKey} />
      {amountText === null && <Amount view={view} say={say} />}
      {asks.map((name) => (
        <Field key={name} name={name} view={view} say={say} />
      ))}
      {asks.length > 0 && <p class="small quiet">{say('asks.why')}</p>}
      <button>{say('button')}</button>
    </form>
  );
}

function Amount({ view, say }: { view: LinkView; say: Say }) {
  const { currency, typed, wrong } = view;
  const hint = hintOf(view.bounds);
  return (
    <div class="field">
      <label for="amount">{say('amount.label')}</label>
      <div class={wrong.amount ? 'input sum wrong' : 'input sum'}>
        <input
          id="amount"
          name="amount"
          inputMode="decimal"
          // Browsers restore no field with `autocomplete="off"` on their Back button.
          autocomplete="transaction-amount"
          required
          defaultValue={typed.amount ?? ''}
          {...stateOf('amount', wrong.amount, hint !== null)}
        />
        <span class="unit">{currency === 'AOA' ? 'Kz' : currency}</span>
      </div>
      <Notes name="amount" wrong={wrong.amount} hint={hint} say={say} />
    </div>
  );
}

function hintOf({ min, max }: LinkView['bounds']): LinkTextKey | null {
  if (min && max) return 'amount.both';
  return min ? 'amount.min' : max ? 'amount.max' : null;
}

function Field({ name, view, say }: { name: PayerField; view: LinkView; say: Say }) {
  const { type, autocomplete } = INPUTS[name];
  const wrong = view.wrong[name];
  const hint = name === 'nif' ? 'hint.nif' : null;
  return (
    <div class="field">
      <label for={name}>{say(`field.${name}`)}</label>
      <div class={wrong ? 'input wrong' : 'input'}>
        {name === 'phone' && <span aria-hidden="true">+244</span>}
        <input
          id={name}
          name={name}
          // Preact's types accept only one literal `type`.
          type={type as 'text'}
          autocomplete={autocomplete}
          required
          defaultValue={view.typed[name] ?? ''}
          {...stateOf(name, wrong, hint !== null)}
        />
      </div>
      <Notes name={name} wrong={wrong} hint={hint} say={say} />
    </div>
  );
}

/** True if the field shows its hint. Error texts contain the hint, except the text for a missing value. */
const isHinted = (wrong: string | undefined) => wrong === undefined || wrong === 'required';

function stateOf(name: LinkField, wrong: string | undefined, hasHint: boolean) {
  const notes = [wrong && `${name}-error`, hasHint && isHinted(wrong) && `${name}-hint`].filter(Boolean).join(' ');
  return {
    autofocus: wrong !== undefined,
    'aria-invalid': wrong ? ('true' as const) : undefined,
    'aria-describedby': notes || undefined,
  };
}

type NotesProps = { name: LinkField; wrong: string | undefined; hint: LinkTextKey | null; say: Say };

function Notes({ name, wrong, hint, say }: NotesProps) {
  return (
    <>
      {wrong && (
        <p class="error" id={`${name}-error`}>
          {say(`wrong.${wrong}` as LinkTextKey)}
        </p>
      )}
      {hint && isHinted(wrong) && (
        <p class="small quiet" id={`${name}-hint`}>
          {say(hint)}
        </p>
      )}
    </>
  );
}
