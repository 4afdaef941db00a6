// What screens are made of: heads, search and chips, lists and tables that go on, rows of data, badges, and what was done or refused.
import type { ComponentChildren } from 'preact';
import type { Drawn } from '../shared/console.ts';
import { NOT_CONNECTED } from '../shared/errors.ts';
import { Icon, type IconName } from './icons.tsx';
import { fill, find, hourOf, money, TEXTS, whenOf } from './words.ts';

/** What a screen is drawn of, whatever its data. */
export type AnyDrawn = Drawn<any>;

export const textsOf = ({ visitor }: AnyDrawn) => TEXTS[visitor.lang];

/** The title, the way back, and what can be done with the whole screen. */
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

/** A card with a title of its own. @param live its name, where it is drawn anew while the page is open */
export function Card({ title, live, children }: { title?: string; live?: string; children: ComponentChildren }) {
  return (
    <section class="card pad stack" data-live-part={live}>
      {title && <h2>{title}</h2>}
      {children}
    </section>
  );
}

/** One field for whatever somebody has in hand. @param keeps what else of the address stays */
export function Search({ drawn, hint, keeps = {} }: { drawn: AnyDrawn; hint: string; keeps?: Record<string, string> }) {
  return (
    <form class="search" role="search">
      <label for="q" class="unseen">
        {hint}
      </label>
      <div class="input">
        <input id="q" name="q" type="search" value={drawn.opened.query['q']} placeholder={hint} maxLength={100} />
      </div>
      {Object.entries(keeps).map(
        ([name, value]) => value && <input key={name} type="hidden" name={name} value={value} />,
      )}
      <button class="plain">{textsOf(drawn)['list.search']}</button>
    </form>
  );
}

/** One choice of a few, each a link. */
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

/** Says that there is nothing, and what to do then. */
export function Empty({ text, children }: { text: string; children?: ComponentChildren }) {
  return (
    <div class="card pad center stack quiet">
      <p>{text}</p>
      {children}
    </div>
  );
}

type NothingProps = { drawn: AnyDrawn; text: string; isFiltered: boolean; at: string };

/** Nothing at all says what to do; nothing that fits leads back to all of it. @param at the list without filters */
export function Nothing({ drawn, text, isFiltered, at }: NothingProps) {
  const t = textsOf(drawn);
  if (!isFiltered) return <Empty text={text} />;
  return (
    <Empty text={t['payments.none.found']}>
      <a href={at}>{t['list.clear']}</a>
    </Empty>
  );
}

type ListProps = {
  drawn: AnyDrawn;
  children: ComponentChildren;
  newest: string;
  foot?: ComponentChildren;
  more: string | null;
};

/** Lines that go on: by a link to what comes after, with a script by itself. @param newest the address of the list's beginning */
export function List({ drawn, children, newest, foot, more }: ListProps) {
  const t = textsOf(drawn);
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
  /** Said above it, where it is the first of a day. */
  day?: string | null;
};

/** One of a list: what it is, what else is known, and at the end what matters most. */
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

type Column<Row> = { title: string; cell(row: Row): ComponentChildren; isNumber?: boolean };
type TableProps<Row> = { caption: string; columns: Column<Row>[]; rows: Row[]; keyOf(row: Row): string };

/** A table; on a phone each row is a card whose lines say their column. */
export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  // Drawn as cards it would be no table any more to those who listen: so its roles are said.
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
            {columns.map(({ title, cell, isNumber }) => (
              <td key={title} role="cell" data-title={title} class={isNumber ? 'number' : undefined}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Lines of a name and a value; those without a value are left out. */
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

export type Look = 'quiet' | 'brand' | 'success' | 'warning' | 'danger';

/** A state: a sign and a word, never a colour alone. */
export function Badge({ icon, look, text }: { icon: IconName; look: Look; text: string }) {
  return (
    <span class={`state ${look}`}>
      <Icon name={icon} />
      {text}
    </span>
  );
}

/** An amount of the API (major units). */
export function Money({ amount, currency }: { amount: number; currency: string }) {
  return <span class="money">{money(amount, currency)}</span>;
}

/** A moment in Luanda. @param isShort only the hour, where the day is said elsewhere */
export function Moment({ at, isShort = false }: { at: string; isShort?: boolean }) {
  return <time datetime={at}>{isShort ? hourOf(at) : whenOf(at)}</time>;
}

/** A text to take along: selectable, and with a script one press. */
export function Copy({ drawn, text, label }: { drawn: AnyDrawn; text: string; label: string }) {
  const t = textsOf(drawn);
  return (
    <div class="copy">
      <div class="input">
        <input readOnly value={text} aria-label={label} />
      </div>
      <button type="button" class="plain" data-copy={text} data-copied={t['act.copied']} hidden>
        {t['act.copy']}
      </button>
    </div>
  );
}

/** Leads a shop without a contract to one, or to the operator. */
export function WayToConnect({ drawn }: { drawn: AnyDrawn }) {
  const t = textsOf(drawn);
  const { may, operatorContact } = drawn.visitor;
  return (
    <p>
      {may('addRailAccount') ? <a href="/console/rails?new">{t['connect.add']}</a> : t['connect.ask']}
      {may('addRailAccount') ? '. ' : ' '}
      {operatorContact ? fill(t['connect.operator'], { contact: operatorContact }) : t['connect.operator.unnamed']}
    </p>
  );
}

/** Acts that only prepare another step, so that a green tick would claim too much. */
const UNFINISHED: ReadonlySet<string> = new Set(['enrol', 'testRail', 'referencesCheck', 'smsPreview']);

/** What has just been done, or why it was not. */
export function Notice({ drawn }: { drawn: AnyDrawn }) {
  const { refused, done } = drawn;
  const t = textsOf(drawn);
  if (refused?.requestId)
    return (
      <div class="notice warning" role="alert">
        <Icon name="stop" />
        <p>
          <strong>{t['unknown.title']}.</strong> {t['unknown.line']} {t['unknown.kept']}{' '}
          <span class="small">{fill(t['unknown.code'], { id: refused.requestId })}</span>
        </p>
      </div>
    );
  if (refused) {
    const lacking = [refused, ...refused.faults].find(({ code }) => NOT_CONNECTED.has(code))?.code;
    return (
      <div class="notice danger" role="alert">
        <Icon name="stop" />
        <div>
          <p>
            <strong>{t['wrong.title']}.</strong>{' '}
            {find(t, `refused.${lacking ?? refused.code}`) ??
              (Object.keys(refused.wrong).length > 0
                ? t['refused.validation_failed']
                : fill(t['refused.other'], { code: refused.code }))}
          </p>
          {lacking && <WayToConnect drawn={drawn} />}
        </div>
      </div>
    );
  }
  const text = done && find(t, `done.${done}`);
  if (!text) return null;
  const isDone = !UNFINISHED.has(done);
  return (
    <div class={`notice ${isDone ? 'success' : 'quiet'}`} role="status">
      <Icon name={isDone ? 'check' : 'clock'} />
      <p>{text}</p>
    </div>
  );
}
