// The cashier's screen for a new payment: the amount, the method, and the customer.
import type { Article, Shift } from '../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../shared/console.ts';
import type { Language } from '../../shared/language.ts';
import { ActForm, Field } from '../form.tsx';
import type { AmountTexts } from '../islands/amount.tsx';
import { Island } from '../islands/island.tsx';
import type { Screen } from '../layout.tsx';
import { LineNotes } from '../line-notes.tsx';
import { Head, textsOf, type AnyScreenProps, type FormPage } from '../parts.tsx';
import { ArticlePicker } from './articles/picker.tsx';
import { totalOf } from './articles/sum.ts';
import { renderCashSale } from './cash-sale.tsx';
import { ShiftBar } from './shifts/bar.tsx';
import { Signals } from './signals.tsx';
import { API_METHODS, METHODS, type Method } from './ways.ts';

const PATH = '/console/charge';

type Till = { articles: { data: Article[] } | null; current: { shift: Shift | null } | null };

/** Cash stays beside the gateway: the open shift records it, and no payment is created. */
const isCash = ({ way }: Record<string, string>) => way === 'cash';

const methodOf = (typed: string | undefined): Method => METHODS.find((way) => way === typed) ?? 'push';

/**
 * The body of the API request, by method.
 * @param key the form's key: a repeated form creates its payment with the same merchant reference
 */
function bodyOf(
  way: Method,
  { amount, description, phone, key }: Record<'phone' | 'description' | 'key', string> & { amount: number },
) {
  const common = { amount, currency: 'AOA', description: description || undefined };
  if (way === 'reference') return { ...common, paymentType: 'PPR' };
  const reference = `C${key.replaceAll('-', '').slice(0, 11)}`.toUpperCase();
  const metadata = { paymentMethod: API_METHODS[way], ...(way === 'push' && { phoneNumber: phone }) };
  return { ...common, paymentType: 'GPO', reference, metadata };
}

export const charge: Screen = {
  path: PATH,
  needs: 'createPayment',
  menu: { group: 'charge', text: 'charge.title', icon: 'keypad' },
  reads: (_opened, { may }) => ({
    articles: may('listArticles') ? { operation: 'listArticles' } : null,
    current: may('openShift') ? { operation: 'readCurrentShift' } : null,
  }),
  acts: {
    charge: {
      operation: 'createPayment',
      operationFor: (form) => (isCash(form) ? 'recordCash' : null),
      showsResultOnce: isCash,
      buildCall(form) {
        const total = totalOf(form);
        if (typeof total === 'string') return total;
        const { amount, description } = total;
        const { way, shift = '', phone = '', key = '' } = form;
        if (isCash(form))
          return { params: { shiftId: shift }, body: { kind: 'sale', amount, note: description || null } };
        return { body: bodyOf(methodOf(way), { amount, description, phone, key }) };
      },
      // The API returns a QR code as an image, so a header names its payment.
      resultPath: ({ internalId }: { internalId?: string }, _opened, headers) =>
        `${PATH}/${internalId ?? headers['Payment-Id']}`,
    },
  },
  render(page: ScreenProps<Till>) {
    const t = textsOf(page);
    if (page.formResult) return renderCashSale(page);
    const shift = page.data.current?.shift ?? null;
    const articles = page.data.articles?.data ?? [];
    const content = (
      <>
        <Head title={t['charge.title']} />
        <section class="till">
          <ActForm page={page} name="charge" button={t['charge.button']} after={<Aside page={page} shift={shift} />}>
            <ArticlePicker page={page} act="charge" amountId="charge-amount" articles={articles} />
            {shift && <input type="hidden" name="shift" value={shift.id} />}
            <Fields page={page} hasArticles={articles.length > 0} takesCash={!!shift?.cash} />
          </ActForm>
        </section>
      </>
    );
    return { title: t['charge.title'], content };
  },
};

/**
 * The till without data of a person or a shop and without a form token, for the offline shell.
 * Its script answers its button, because only a page of a session can charge.
 */
export function TillShell({ lang }: { lang: Language }) {
  const page: FormPage = { visitor: { lang }, refused: null };
  return (
    <section class="till">
      <form method="post" class="stack">
        <Fields page={page} />
        <button>{textsOf(page)['charge.button']}</button>
      </form>
    </section>
  );
}

type Part = { page: FormPage };

/** The amount, its keys, the way to pay, and the number that only a push needs. */
type FieldsProps = Part & { hasArticles?: boolean; takesCash?: boolean };

function Fields({ page, hasArticles = false, takesCash = false }: FieldsProps) {
  const t = textsOf(page);
  const field = { page, act: 'charge' } as const;
  const typed = page.refused?.typed['way'];
  const ways = [...METHODS, ...(takesCash ? (['cash'] as const) : [])];
  const chosen = ways.find((way) => way === typed) ?? 'push';
  return (
    <>
      <div class="sum">
        <Field
          {...field}
          name="amount"
          label={t['charge.amount']}
          inputmode="decimal"
          maxLength={14}
          required={!hasArticles}
        />
      </div>
      <Island name="amount" props={{ field: 'charge-amount', texts: amountTextsOf(page) }} />
      <fieldset class="ways">
        <legend>{t['charge.how']}</legend>
        {ways.map((way) => (
          <label key={way}>
            <input type="radio" name="way" value={way} defaultChecked={way === chosen} />
            {t[`charge.${way}`]}
          </label>
        ))}
      </fieldset>
      <div class="for-push">
        <Field
          {...field}
          name="phone"
          pointer="metadata/phoneNumber"
          label={t['charge.phone']}
          type="tel"
          inputmode="tel"
          maxLength={20}
        />
      </div>
      <LineNotes lang={page.visitor.lang} />
    </>
  );
}

/** Parts that not every charge needs: below the button on a phone, beside the till on a desk. */
function Aside({ page, shift }: { page: AnyScreenProps; shift: Shift | null }) {
  const t = textsOf(page);
  const { wrong = {}, typed = {} } = page.refused ?? {};
  return (
    <div class="aside">
      <ShiftBar page={page} shift={shift} />
      <details class="act" open={'description' in wrong || !!typed['about']}>
        <summary>{t['charge.about']}</summary>
        <Field page={page} act="charge" name="about" pointer="description" label={t['charge.about']} maxLength={100} />
      </details>
      <Signals page={page} />
      {page.visitor.sandbox && <p class="small quiet">{t['charge.phone.sandbox']}</p>}
    </div>
  );
}

function amountTextsOf(page: FormPage): AmountTexts {
  const t = textsOf(page);
  const { 'wrong.invalid_format': invalid_format, 'wrong.amount_precision': amount_precision } = t;
  const wrong = { invalid_format, amount_precision, amount_out_of_range: t['wrong.amount_out_of_range'] };
  return { keys: t['charge.keys'], delete: t['charge.delete'], readings: t['wrong.amount_readings'], wrong };
}
