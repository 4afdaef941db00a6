// Parts that the lists of settlements, movements and refunds share: tabs, filters, and a line for a movement.
import type { Movement } from '../../../packages/client/src/contract.ts';
import type { ComponentChildren } from 'preact';
import type { ScreenLocation } from '../../../shared/console.ts';
import { addDays, isDay, startOf } from '../../../shared/luanda.ts';
import { Field } from '../../form.tsx';
import { Badge, Chips, Line, Moment, Money, textsOf, type AnyScreenProps } from '../../parts.tsx';
import { addressOf, dayOf, fill, findText, money, type ConsoleTexts } from '../../words.ts';

type Account = Movement['account'];

export const BOOKS = '/console/books';
export const DAYS = `${BOOKS}/days`;
export const MOVEMENTS = `${BOOKS}/movements`;
export const REFUNDS = `${BOOKS}/refunds`;

/** Number of entries per page of a list. */
export const LIMIT = '25';

/** The number of movements in words. */
export function sayCount(page: AnyScreenProps, count: number): string {
  const t = textsOf(page);
  return fill(count === 1 ? t['settlement.count.one'] : t['settlement.count'], { n: count });
}

/** Tabs for days, movements and refunds. @param here the URL of the current tab */
export function Tabs({ page, here }: { page: AnyScreenProps; here: string }) {
  const t = textsOf(page);
  const tabs = [
    { href: BOOKS, text: t['books.settlements'] },
    { href: MOVEMENTS, text: t['books.movements'] },
    { href: REFUNDS, text: t['books.refunds'] },
  ];
  return (
    <nav class="tabs" aria-label={t['books.title']}>
      {tabs.map(({ href, text }) => (
        <a key={href} href={href} aria-current={href === here ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}

/** Reads the named filters from the query. Each value is cut to 100 characters, the API's maximum. */
export function filtersOf({ query }: ScreenLocation, names: readonly string[]): Record<string, string> {
  const { from = '', to = '' } = query;
  const days = [from, to].filter(isDay);
  // The two days of a filter may come in either order.
  const [first, last] = days.length === 2 ? days.toSorted() : [isDay(from) ? from : '', isDay(to) ? to : ''];
  const named = names.map((name) => [name, (query[name] ?? '').trim().slice(0, 100)]);
  const all = [...named, ['from', first], ['to', last]] as [string, string][];
  return Object.fromEntries(all.filter(([, value]) => value !== ''));
}

/** Converts a filter's days to times: from the start of the first day to the end of the last. */
export function asMoments({ from, to, ...others }: Record<string, string>): Record<string, string> {
  return {
    ...others,
    ...(from && { from: startOf(from).toISOString() }),
    ...(to && { to: startOf(addDays(to, 1)).toISOString() }),
  };
}

type FilterProps = { page: AnyScreenProps; filters: Record<string, string>; children?: ComponentChildren };

/** A folded form for the filter's days and the list's own filters. It is open while a filter is set. */
export function Filter({ page, filters, children }: FilterProps) {
  const t = textsOf(page);
  const { from, to, period, ...keeps } = filters;
  const about = { page, act: 'filter', type: 'date' } as const;
  return (
    <details class="act" open={!!(from || to || period)}>
      <summary>{t['books.filter']}</summary>
      <form class="stack">
        {Object.entries(keeps).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <div class="halves">
          <Field {...about} name="from" label={t['books.from']} value={from ?? ''} />
          <Field {...about} name="to" label={t['books.to']} value={to ?? ''} />
        </div>
        {children}
        <button class="plain">{t['books.filter.button']}</button>
      </form>
    </details>
  );
}

type AccountsProps = {
  page: AnyScreenProps;
  path: string;
  filters: Record<string, string>;
  rows: { account: Account }[];
};

/** Filter chips for the rail accounts in the list. Hidden if there is a single account. */
export function AccountChips({ page, path, filters, rows }: AccountsProps) {
  const t = textsOf(page);
  const chosen = filters['account'];
  const labels = new Map(rows.map(({ account }) => [account.id, nameAccount(t, account)]));
  if (chosen) labels.set(chosen, labels.get(chosen) ?? chosen);
  if (labels.size < 2 && !chosen) return null;
  const chips = [['', t['books.account.all']] as const, ...labels].map(([id, text]) => ({
    href: addressOf(path, { ...filters, account: id }),
    text,
    isOn: id === (chosen ?? ''),
  }));
  return <Chips label={t['books.account']} chips={chips} />;
}

/** The name of a rail account. The gateway's own rail accounts have no label, only a purpose. */
export function nameAccount(t: ConsoleTexts, { id, label }: Account): string {
  return findText(t, `account.own.${id}`) ?? label;
}

/** True for the gateway's own rail accounts, which the lists do not show next to each movement. */
export const isOwnAccount = ({ id }: Account) => id === 'gpo' || id === 'ppr';

type MovementProps = { page: AnyScreenProps; movement: Movement; before: Movement | undefined };

/** One movement of money with a link to its payment. The first entry of a day has the date above. */
export function MovementLine({ page, movement, before }: MovementProps) {
  const t = textsOf(page);
  const { id, type, paymentId, reference, account, gross, fee, currency, occurredAt, late } = movement;
  const day = dayOf(occurredAt);
  return (
    <Line
      id={id}
      href={`/console/payments/${paymentId}`}
      day={before && dayOf(before.occurredAt) === day ? null : day}
      title={reference}
      about={
        <>
          <Moment at={occurredAt} isShort /> · {t[`movement.${type}`]}
          {!isOwnAccount(account) && ` · ${account.label}`}
        </>
      }
      end={
        <>
          <Money amount={gross} currency={currency} />
          {late && <Badge icon="clock" tone="warning" text={t['movement.late']} />}
          {!!fee && <span class="small quiet">{fill(t['movement.fee'], { amount: money(fee, currency) })}</span>}
        </>
      }
    />
  );
}
