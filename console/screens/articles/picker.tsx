// The articles in the till's form. With a script they are buttons, without it each has a field for its quantity.
import type { Article } from '../../../packages/client/src/contract.ts';
import { toMinor } from '../../../shared/money.ts';
import { sayFault, noteWrong } from '../../faults.ts';
import { textsOf, type AnyScreenProps } from '../../parts.tsx';
import { fill, money } from '../../words.ts';
import { CURRENCY, INCLUDED, quantityOf, shownOf, writeShown } from './sum.ts';

type PickerProps = {
  page: AnyScreenProps;
  /** The name of the form that the picker stands in. */
  act: string;
  /** The id of the form's amount field. With articles, that field must not be `required`. */
  amountId: string;
  articles: readonly Article[];
};

/** The picker is empty without articles in kwanzas. `totalOf` reads its fields. */
export function ArticlePicker({ page, act, amountId, articles }: PickerProps) {
  const t = textsOf(page);
  const offered = articles.filter(({ currency, isActive }) => currency === CURRENCY && isActive);
  if (offered.length === 0) return null;
  const typed = page.refused?.act === act ? page.refused.typed : {};
  return (
    <fieldset class="picker" data-picker={amountId}>
      <legend>{t['articles.title']}</legend>
      <input type="hidden" name={INCLUDED} value={typed[INCLUDED] ?? ''} autocomplete="off" />
      <div class="pick-list">
        {offered.map((article) => (
          <Pick key={article.id} {...{ page, act, article }} typed={typed[quantityOf(article.id)] ?? ''} />
        ))}
      </div>
    </fieldset>
  );
}

type PickProps = Pick<PickerProps, 'page' | 'act'> & { article: Article; typed: string };

/** One article: its name and price, and its quantity. The script shows both buttons. */
function Pick({ page, act, article, typed }: PickProps) {
  const t = textsOf(page);
  const { id, name, price, currency } = article;
  const field = quantityOf(id);
  const inputId = `${act}-${field}`;
  const read = toMinor(String(price), currency);
  const refused = page.refused?.act === act ? page.refused : null;
  const code = refused?.wrong[field];
  const message = code && sayFault(page, { pointer: field, code, format: t['articles.quantity.wrong'] });
  if (refused && message) noteWrong(refused, { id: inputId, label: name, message });
  return (
    <div class={code ? 'pick wrong' : 'pick'}>
      <input
        type="hidden"
        name={shownOf(id)}
        value={writeShown({ priceMinor: 'minor' in read ? read.minor : 0, name })}
      />
      <label for={inputId}>
        <span>{name}</span> <span class="small quiet">{money(price, currency)}</span>
      </label>
      <button type="button" class="plain more" data-pick="1" hidden>
        <span class="unseen">{t['articles.more']}</span> <span>{name}</span>{' '}
        <span class="small quiet">{money(price, currency)}</span>
      </button>
      <button type="button" class="plain less" data-pick="-1" aria-label={fill(t['articles.less'], { name })} hidden>
        −
      </button>
      <input
        id={inputId}
        name={field}
        type="text"
        inputmode="numeric"
        pattern="\d{0,3}"
        maxLength={3}
        defaultValue={typed}
        autocomplete="off"
        aria-invalid={code ? 'true' : undefined}
      />
      {code && <p class="error">{message}</p>}
    </div>
  );
}
