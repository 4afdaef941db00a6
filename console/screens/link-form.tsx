// The form for a new or changed payment link, and the API request that it becomes.
import type { Link } from '../../packages/client/src/contract.ts';
import { PAYER_FIELDS } from '../../shared/link.ts';
import { dayOf } from '../../shared/luanda.ts';
import { WAYS } from '../../shared/ways.ts';
import { Check, Field } from '../form.tsx';
import { typedAmount, writeMajor } from '../words.ts';
import { textsOf, type AnyScreenProps } from '../parts.tsx';

const readCount = (typed = '') => (/^\d{1,9}$/.test(typed.trim()) ? Number(typed) : typed.trim() || null);

/** The names of the selected checkboxes: first those in the saved order, then the newly selected ones. */
function readTicked<Name extends string>(form: Record<string, string>, group: string, all: readonly Name[]): Name[] {
  const before = (form[`${group}.order`] ?? '').split(',');
  const placeOf = (name: Name) => (before.includes(name) ? before.indexOf(name) : all.length + all.indexOf(name));
  return all.filter((name) => form[`${group}.${name}`]).toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** The body of `createLink` and, with its `revision`, of `replaceLink`. */
export function readLinkForm(form: Record<string, string>): object {
  const { title, currency = 'AOA', thanks, returnUrl, expiresAt, until } = form;
  const methods = readTicked(form, 'way', WAYS);
  // An end on the same day keeps its exact time, because the API may have set that time.
  const isSameDay = !!until && dayOf(new Date(until)) === expiresAt;
  return {
    title,
    amount: typedAmount(form['amount']),
    minAmount: typedAmount(form['minAmount']),
    maxAmount: typedAmount(form['maxAmount']),
    currency,
    stock: readCount(form['stock']),
    expiresAt: isSameDay ? until : expiresAt || null,
    methods: methods.length > 0 ? methods : null,
    asks: readTicked(form, 'ask', PAYER_FIELDS),
    thanks: thanks || null,
    returnUrl: returnUrl || null,
  };
}

type Props = { page: AnyScreenProps; act: string; link?: Link; copied?: Link };

/**
 * The fields of a payment link's form.
 * @param link the link to change; absent for a new link
 * @param copied the link whose fields a new link starts with
 */
export function LinkFields({ page, act, link: changed, copied }: Props) {
  const t = textsOf(page);
  const link = changed ?? copied;
  const about = { page, act };
  const amount = { ...about, inputmode: 'decimal', prefix: 'Kz' } as const;
  return (
    <>
      <Field {...about} name="title" label={t['link.title']} value={link?.title ?? ''} maxLength={100} required />
      <Field
        {...amount}
        name="amount"
        label={t['link.amount']}
        hint={t['link.amount.hint']}
        value={writeMajor(link?.amount)}
      />
      <div class="halves">
        <Field {...amount} name="minAmount" label={t['link.min']} value={writeMajor(link?.minAmount)} />
        <Field {...amount} name="maxAmount" label={t['link.max']} value={writeMajor(link?.maxAmount)} />
      </div>
      <div class="halves">
        <Field
          {...about}
          name="stock"
          label={t['link.stock']}
          hint={t['link.stock.hint']}
          inputmode="numeric"
          value={link?.stock == null ? '' : String(link.stock)}
        />
        <Field
          {...about}
          name="expiresAt"
          label={t['link.until']}
          hint={t['link.until.hint']}
          type="date"
          value={link?.expiresAt ? dayOf(new Date(link.expiresAt)) : ''}
        />
      </div>
      <Ticks page={page} act={act} link={link} />
      <Field {...about} name="thanks" label={t['link.thanks']} value={link?.thanks ?? ''} maxLength={300} lines={2} />
      <Field
        {...about}
        name="returnUrl"
        label={t['link.return']}
        hint={t['link.return.hint']}
        type="url"
        value={link?.returnUrl ?? ''}
      />
      {link && <Kept link={link} />}
      {changed && <input type="hidden" name="revision" value={String(changed.revision)} />}
    </>
  );
}

/** The checkboxes of a payment link: the data that the payer must enter, and the payment methods. */
function Ticks({ page, act, link }: Pick<Props, 'page' | 'act'> & { link: Link | undefined }) {
  const t = textsOf(page);
  const about = { page, act };
  const { asks = [], methods } = link ?? {};
  return (
    <>
      <fieldset class="field">
        <legend>{t['link.asks']}</legend>
        {PAYER_FIELDS.map((name) => (
          <Check key={name} {...about} name={`ask.${name}`} label={t[`link.ask.${name}`]} isOn={asks.includes(name)} />
        ))}
      </fieldset>
      <fieldset class="field">
        <legend>{t['link.ways']}</legend>
        {WAYS.map((name) => (
          <Check
            key={name}
            {...about}
            name={`way.${name}`}
            label={t[`link.way.${name}`]}
            isOn={methods?.includes(name) ?? false}
          />
        ))}
        <p class="small quiet">{t['link.ways.hint']}</p>
      </fieldset>
    </>
  );
}

/** Hidden fields with the link's current values, so that saving the form changes only the edited fields. */
function Kept({ link: { currency, expiresAt, methods, asks } }: { link: Link }) {
  const kept = {
    currency,
    until: expiresAt ?? '',
    'way.order': (methods ?? []).join(','),
    'ask.order': asks.join(','),
  };
  return (
    <>
      {Object.entries(kept).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
    </>
  );
}
