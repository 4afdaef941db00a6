// Building blocks of screens: headings, search, chips, lists, tables, rows of data, badges and notices.
import type { ComponentChildren } from 'preact';
import type { ScreenProps, Visitor } from '../shared/console.ts';
import { NOT_CONNECTED } from '../shared/errors.ts';
import { wrongFieldsOf } from './faults.ts';
import { Icon, type IconName } from './icons.tsx';
import { fill, findText, hourOf, money, TEXTS, whenOf } from './words.ts';

/** The props of any screen. */
export type AnyScreenProps = ScreenProps<any>;

/** The part of a page that form fields read. The till's offline shell has no visitor and no form token. */
export type FormPage = Pick<AnyScreenProps, 'refused'> & { visitor: Pick<Visitor, 'lang'> };

export const textsOf = ({ visitor }: Pick<FormPage, 'visitor'>) => TEXTS[visitor.lang];

/** The heading of a screen: the title, the back link, and the actions for the whole screen. */
export function Head({ title, back, children }: { title: string; back?: Link; children?: ComponentChildren }) {
  return (
    <div class="head">
      {back && (
        <a class="back" href={back.href}>
          ‹ {back.text}
        </a>
      )}
      <h1>{title}</h1>
      {children}
    </div>
  );
}

export type Link = { href: string; text: string };

/** A card with an optional title. @param live name of the part that live updates replace */
export function Card({ title, live, children }: { title?: string; live?: string; children: ComponentChildren }) {
  return (
    <section class="card pad stack" data-live-part={live}>
      {title && <h2>{title}</h2>}
      {children}
    </section>
  );
}

/** A search field for any identifier that a person has. @param keeps query parameters that stay */
export function Search({
  page,
  hint,
  keeps = {},
}: {
  page: AnyScreenProps;
  hint: string;
  keeps?: Record<string, string>;
}) {
  return (
    <form class="search" role="search">
      <label for="q" class="unseen">
        {hint}
      </label>
      <div class="input">
        <input id="q" name="q" type="search" value={page.opened.query['q']} placeholder={hint} maxLength={100} />
      </div>
      {Object.entries(keeps).map(
        ([name, value]) => value && <input key={name} type="hidden" name={name} value={value} />,
      )}
      <button class="plain">{textsOf(page)['list.search']}</button>
    </form>
  );
}

/** Links with one selected, such as the filters of a list. */
export function Chips({ label, chips }: { label: string; chips: (Link & { isOn: boolean })[] }) {
  return (
    <nav class="chips" aria-label={label}>
      {chips.map(({ href, text, isOn }) => (
        <a key={href} href={href} aria-current={isOn ? 'true' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}

/** A message for an empty list, with a link to the next step. */
export function Empty({ text, children }: { text: string; children?: ComponentChildren }) {
  return (
    <div class="card pad center stack quiet">
      <p>{text}</p>
      {children}
    </div>
  );
}

type NoResultsProps = { page: AnyScreenProps; text: string; isFiltered: boolean; at: string };

/**
 * The text of an empty list says how to fill it. An empty search result links back to the whole list.
 * @param at the address of the list without filters
 */
export function NoResults({ page, text, isFiltered, at }: NoResultsProps) {
  const t = textsOf(page);
  if (!isFiltered) return <Empty text={text} />;
  return (
    <Empty text={t['payments.none.found']}>
      <a href={at}>{t['list.clear']}</a>
    </Empty>
  );
}

type ListProps = {
  page: AnyScreenProps;
  children: ComponentChildren;
  newest: string;
  foot?: ComponentChildren;
  more: string | null;
};

/** A list with a link to its next page, which the script loads on scrolling. @param newest URL of the first page */
export function List({ page, children, newest, foot, more }: ListProps) {
  const t = textsOf(page);
  return (
    <>
      <p class="news" data-news hidden>
        <a href={newest}>{t['list.new']}</a>
      </p>
      <ul class="card list" data-list>
        {children}
      </ul>
      <p class="foot">
        <span class="small quiet">{foot}</span>
        {more && (
          <a class="button plain" data-more href={more}>
            {t['list.more']}
          </a>
        )}
      </p>
    </>
  );
}

export type LineProps = {
  id: string;
  href: string;
  title: ComponentChildren;
  about: ComponentChildren;
  end: ComponentChildren;
  /** The heading above a day's first entry in the list. */
  day?: string | null;
};

/** An entry of a list: a title, details, and the most important value at the end. */
export function Line({ id, href, title, about, end, day }: LineProps) {
  return (
    <li data-live-key={id}>
      {day && (
        <h2 class="day" data-day={day}>
          {day}
        </h2>
      )}
      <a class="line" href={href}>
        <span>
          <strong>{title}</strong>
          <span class="small quiet">{about}</span>
        </span>
        <span class="end">{end}</span>
      </a>
    </li>
  );
}

type Column<Row> = {
  title: string;
  cell(row: Row): ComponentChildren;
  isNumber?: boolean;
  /** True for a value that the cards of a phone leave out. */
  isZero?(row: Row): boolean;
};
type TableProps<Row> = { caption: string; columns: Column<Row>[]; rows: Row[]; keyOf(row: Row): string };

/** A table. On a phone each row is a card, with the column's title before each value. */
export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  // Styled as cards, table elements lose their roles for screen readers, so the roles are explicit.
  return (
    <table role="table" class="card cards">
      <caption class="unseen">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ title, isNumber }) => (
            <th key={title} role="columnheader" scope="col" class={isNumber ? 'number' : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={keyOf(row)} role="row" data-live-key={keyOf(row)}>
            {columns.map(({ title, cell, isNumber, isZero }) => (
              <td
                key={title}
                role="cell"
                data-title={title}
                class={isNumber ? (isZero?.(row) ? 'number zero' : 'number') : undefined}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Rows with a label and a value. Rows without a value are omitted. */
export function Rows({ rows }: { rows: [string, ComponentChildren][] }) {
  return (
    <dl class="rows">
      {rows.map(
        ([name, value]) =>
          value != null &&
          value !== false &&
          value !== '' && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

export type Tone = 'quiet' | 'brand' | 'success' | 'warning' | 'danger';

/** A status badge: always an icon and a word, because colour alone is not accessible. */
export function Badge({ icon, tone, text }: { icon: IconName; tone: Tone; text: string }) {
  return (
    <span class={`state ${tone}`}>
      <Icon name={icon} />
      {text}
    </span>
  );
}

/** An amount that the API returned (major units). */
export function Money({ amount, currency }: { amount: number; currency: string }) {
  return <span class="money">{money(amount, currency)}</span>;
}

/** A time in Luanda. @param isShort true: only the hour */
export function Moment({ at, isShort = false }: { at: string; isShort?: boolean }) {
  return <time datetime={at}>{isShort ? hourOf(at) : whenOf(at)}</time>;
}

/** A read-only text for copying. With JavaScript it has a copy button. */
export function CopyField({ page, text, label }: { page: AnyScreenProps; text: string; label: string }) {
  const t = textsOf(page);
  return (
    <div class="copy">
      <div class="input">
        <input readOnly value={text} aria-label={label} />
      </div>
      <button
        type="button"
        class="plain"
        data-copy={text}
        data-copied={t['act.copied']}
        data-refused={t['copy.refused']}
        aria-live="polite"
        hidden
      >
        {t['act.copy']}
      </button>
    </div>
  );
}

/** For a merchant without a rail account: a link to the form for one, or the operator's contact. */
export function ConnectHint({ page }: { page: AnyScreenProps }) {
  const t = textsOf(page);
  const { may, operatorContact } = page.visitor;
  return (
    <p>
      {may('addRailAccount') ? <a href="/console/rails?new">{t['connect.add']}</a> : t['connect.ask']}
      {may('addRailAccount') ? '. ' : ' '}
      {operatorContact ? fill(t['connect.operator'], { contact: operatorContact }) : t['connect.operator.unnamed']}
    </p>
  );
}

/** A text that names the operator's contact, or only the operator if there is no contact. */
export function AskOperator({
  page,
  about,
  contact,
}: {
  page: AnyScreenProps;
  about: 'pay' | 'units';
  contact?: string;
}) {
  const t = textsOf(page);
  const named = contact || page.visitor.operatorContact;
  return <p>{named ? fill(t[`${about}.ask`], { contact: named }) : t[`${about}.ask.unnamed`]}</p>;
}

/** Forms that only prepare another step. Their notice has no green tick, because the action is not finished. */
const UNFINISHED: ReadonlySet<string> = new Set([
  'enrol',
  'testRail',
  'testWebhook',
  'testCallback',
  'referencesCheck',
  'statementCheck',
  'smsPreview',
  'linkSmsPreview',
  'referenceSmsPreview',
]);

/** The result of the last submitted form: done, refused, or unknown. */
export function Notice({ page }: { page: AnyScreenProps }) {
  const { refused, done } = page;
  const t = textsOf(page);
  if (refused?.requestId)
    return (
      <div class="notice warning" role="alert" tabIndex={-1} data-focus>
        <Icon name="stop" />
        <p>
          <strong>{t['unknown.title']}.</strong> {t['unknown.line']} {t['unknown.kept']}{' '}
          <span class="small">{fill(t['unknown.code'], { id: refused.requestId })}</span>
        </p>
      </div>
    );
  if (refused) {
    const fields = wrongFieldsOf(refused);
    const lacking = [refused, ...refused.faults].find(({ code }) => NOT_CONNECTED.has(code))?.code;
    return (
      <div class="notice danger" role="alert" tabIndex={-1} data-focus>
        <Icon name="stop" />
        <div>
          <p>
            <strong>{t['wrong.title']}.</strong>{' '}
            {findText(t, `refused.${refused.act}.${refused.code}`) ??
              findText(t, `refused.${lacking ?? refused.code}`) ??
              (Object.keys(refused.wrong).length > 0
                ? t['refused.validation_failed']
                : fill(t['refused.other'], { code: refused.code }))}
          </p>
          {fields.length > 0 && (
            <ul>
              {fields.map(({ id, label, message }) => (
                <li key={id}>
                  <a href={`#${id}`}>
                    {label}
                    {t['colon']}
                    {message}
                  </a>
                </li>
              ))}
            </ul>
          )}
          {lacking && <ConnectHint page={page} />}
          {refused.act === 'charge' && refused.code === 'shift_closed' && (
            <p>
              <a href="/console/shifts">{t['shifts.title']}</a>
            </p>
          )}
        </div>
      </div>
    );
  }
  const text = done && findText(t, `done.${done}`);
  if (!text) return null;
  const isDone = !UNFINISHED.has(done);
  return (
    <div class={`notice ${isDone ? 'success' : 'quiet'}`} role="status">
      <Icon name={isDone ? 'check' : 'clock'} />
      <p>{text}</p>
    </div>
  );
}
