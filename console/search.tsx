// The search field on every screen, and the filters and sums of a list of payments.
import type { PaymentSums } from '../packages/client/src/contract.ts';
import type { ScreenLocation, Visitor } from '../shared/console.ts';
import { addDays, isDay, startOf } from '../shared/luanda.ts';
import { PAYMENT_METHODS } from '../shared/methods.ts';
import { UUID } from '../shared/uuid.ts';
import { Field } from './form.tsx';
import { Icon } from './icons.tsx';
import { textsOf, type AnyScreenProps } from './parts.tsx';
import { fill, findText, grouped, money, TEXTS } from './words.ts';

export const SEARCH_PATH = '/console/search';

/** The search field of the frame. A phone shows a link to the screen with the field. */
export function FrameSearch({ visitor }: { visitor: Visitor }) {
  const t = TEXTS[visitor.lang];
  if (!visitor.may('listPayments')) return null;
  return (
    <>
      <a class="find-link" href={SEARCH_PATH} aria-label={t['search.label']}>
        <Icon name="search" />
      </a>
      <form class="find" role="search" action={SEARCH_PATH} aria-label={t['search.label']}>
        <label for="find" class="unseen">
          {t['search.label']}
        </label>
        <div class="input">
          <input id="find" name="q" type="search" placeholder={t['list.search']} maxLength={100} />
        </div>
        <button class="plain" aria-label={t['list.search']}>
          <Icon name="search" />
        </button>
      </form>
    </>
  );
}

/** The ways to be paid that a list of payments can be filtered by. Each has its query of the API. */
const WAYS: Record<string, Record<string, string>> = {
  ...Object.fromEntries(PAYMENT_METHODS.map((paymentMethod) => [paymentMethod, { paymentMethod }])),
  webframe: { paymentMethod: 'webframe', link: 'false' },
  link: { link: 'true' },
};

/** The filters in the address of a list of payments. Unknown values are left out. */
export function paymentFiltersOf({ query }: ScreenLocation): Record<string, string> {
  const { from = '', to = '', way = '', by = '', type = '' } = query;
  const days = [from, to].filter(isDay);
  // The two days may come in either order.
  const [first = '', last = ''] =
    days.length === 2 ? days.toSorted() : [from, to].map((day) => (isDay(day) ? day : ''));
  return {
    ...(first && { from: first }),
    ...(last && { to: last }),
    ...(Object.hasOwn(WAYS, way) && { way }),
    ...(UUID.test(by) && { by }),
    ...(type === 'GPO' && { type }),
  };
}

/** The query of the API for these filters. Days begin and end in Luanda. */
export function paymentQueryOf(opened: ScreenLocation): Record<string, string> {
  const { from, to, way, by, type } = paymentFiltersOf(opened);
  const search = (opened.query['q'] ?? '').trim();
  return {
    ...(search && { search }),
    ...(from && { from: startOf(from).toISOString() }),
    ...(to && { to: startOf(addDays(to, 1)).toISOString() }),
    ...(way && WAYS[way]),
    ...(by && { createdBy: by }),
    ...(type && { paymentType: type }),
  };
}

export type Cashiers = { data: { id: string; name: string }[]; clients: { id: string; name: string }[] };

type FiltersProps = { page: AnyScreenProps; cashiers: Cashiers; keeps: Record<string, string> };

/** A folded form with the filters of a list of payments. It is open while a filter is set. */
export function PaymentFilters({ page, cashiers, keeps }: FiltersProps) {
  const t = textsOf(page);
  const { type, ...filters } = paymentFiltersOf(page.opened);
  const { from = '', to = '', way = '', by = '' } = filters;
  const hidden = Object.entries({ ...keeps, ...(type && { type }) }).filter(([, value]) => value);
  const about = { page, act: 'filter' } as const;
  const ways = Object.keys(WAYS).map((each): [string, string] => [
    each,
    findText(t, `method.${each}`) ?? t['search.way.link'],
  ]);
  const hasCashiers = cashiers.data.length > 0;
  return (
    <details class="act" open={Object.keys(filters).length > 0}>
      <summary>{t['search.filter']}</summary>
      <form class="stack">
        {hidden.map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <div class="halves">
          <Field {...about} type="date" name="from" label={t['search.from']} value={from} />
          <Field {...about} type="date" name="to" label={t['search.to']} value={to} />
          <Field
            {...about}
            name="way"
            label={t['search.way']}
            value={way}
            choices={[['', t['search.way.any']], ...ways]}
          />
          {hasCashiers && (
            <Field
              {...about}
              name="by"
              label={t['search.cashier']}
              value={by}
              choices={[
                ['', t['search.cashier.any']],
                ...cashiers.data.map(({ id, name }): [string, string] => [id, name]),
              ]}
            />
          )}
        </div>
        <button class="plain">{t['search.filter.button']}</button>
      </form>
    </details>
  );
}

/** The name of who charged a payment: a person, or the shop's own system. Null for a payer. */
export function creatorNameOf(
  page: AnyScreenProps,
  { createdBy, createdByClient }: { createdBy: string | null; createdByClient: string | null },
  { data, clients }: Cashiers,
): string | null {
  if (createdBy) return data.find(({ id }) => id === createdBy)?.name ?? null;
  const client = clients.find(({ id }) => id === createdByClient);
  return client ? fill(textsOf(page)['search.client'], { name: client.name }) : null;
}

/** A total, or that there are more than so many. */
export const totalOf = (page: AnyScreenProps, n: number, isExact: boolean): string =>
  fill(textsOf(page)[isExact ? 'list.total' : 'search.total.more'], { n: grouped(n) });

function Sum({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt class="small quiet">{name}</dt>
      <dd class="money">{value}</dd>
    </div>
  );
}

/** The money of all payments that the list shows, by currency. */
export function Sums({ page, sums, isFiltered }: { page: AnyScreenProps; sums: PaymentSums; isFiltered: boolean }) {
  const t = textsOf(page);
  if (sums.isComplete ? sums.payments === 0 : !isFiltered) return null;
  return (
    <section class="card pad sums" aria-label={t['search.sums']} data-live-part="sums">
      {!sums.isComplete && (
        <p class="quiet">
          {sums.payments === 0 ? t['search.sums.unknown'] : fill(t['search.sums.many'], { n: grouped(sums.payments) })}
        </p>
      )}
      {sums.sums.map(({ currency, payments, received, refunded, net }) => (
        <dl key={currency}>
          <Sum name={t['search.sums.payments']} value={grouped(payments)} />
          <Sum name={t['search.sums.received']} value={money(received, currency)} />
          {refunded > 0 && <Sum name={t['search.sums.refunded']} value={money(refunded, currency)} />}
          {refunded > 0 && <Sum name={t['search.sums.net']} value={money(net, currency)} />}
        </dl>
      ))}
    </section>
  );
}
