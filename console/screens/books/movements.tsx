// The list of movements, newest first: payments and refunds, each with its rail account and settlement.
import type { Movement } from '../../../packages/client/src/contract.ts';
import { MOVEMENT_TYPES } from '../../../shared/books.ts';
import type { ScreenProps, ScreenLocation } from '../../../shared/console.ts';
import { Field } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Chips, Head, List, Search, NoResults, textsOf } from '../../parts.tsx';
import { addressOf, findText } from '../../words.ts';
import { AccountChips, asMoments, Filter, filtersOf, LIMIT, MovementLine, MOVEMENTS, Tabs } from './parts.tsx';

type Page = { list: { data: Movement[]; next: string | null } };

/** The filters in the URL of the movements. The search text is a merchant reference. */
function shownOf(opened: ScreenLocation): Record<string, string> {
  const { type, ...others } = filtersOf(opened, ['q', 'type', 'account', 'period']);
  const known = MOVEMENT_TYPES.find((each) => each === type);
  return { ...others, ...(known && { type: known }) };
}

function queryOf(opened: ScreenLocation): Record<string, string> {
  const { q, ...others } = shownOf(opened);
  return asMoments({ ...others, ...(q && { reference: q.replace(/(?<=\d) (?=\d)/g, '') }) });
}

export const movements: Screen = {
  path: MOVEMENTS,
  needs: 'listTransactions',
  live: ['payment', 'refund'],
  reads(opened) {
    const { after } = opened.query;
    const query = { ...queryOf(opened), limit: LIMIT, ...(after && { after }) };
    return { list: { operation: 'listTransactions', query } };
  },
  acts: {},
  file: {
    path: `${MOVEMENTS}.csv`,
    buildCall: (opened) => ({ operation: 'listTransactions', query: queryOf(opened) }),
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const filters = shownOf(page.opened);
    const { data, next } = page.data.list;
    const { q: _, ...keeps } = filters;
    const chips = ['', ...MOVEMENT_TYPES].map((type) => ({
      href: addressOf(MOVEMENTS, { ...filters, type }),
      text: findText(t, `movements.${type}`) ?? t['payments.all'],
      isOn: type === (filters['type'] ?? ''),
    }));
    const content = (
      <>
        <Head title={t['books.movements']}>
          <a href={addressOf(`${MOVEMENTS}.csv`, filters)} download>
            {t['payments.export']}
          </a>
        </Head>
        <Tabs page={page} here={MOVEMENTS} />
        <Search page={page} hint={t['movements.search']} keeps={keeps} />
        <Chips label={t['movements.type']} chips={chips} />
        <AccountChips page={page} path={MOVEMENTS} filters={filters} rows={data} />
        <Filter page={page} filters={filters}>
          <Field
            page={page}
            act="filter"
            name="period"
            label={t['movements.period']}
            hint={t['movements.period.hint']}
            value={filters['period'] ?? ''}
            maxLength={100}
          />
        </Filter>
        {data.length > 0 ? (
          <List
            page={page}
            newest={addressOf(MOVEMENTS, filters)}
            foot={t['movements.foot']}
            more={next && addressOf(MOVEMENTS, { ...filters, after: next })}
          >
            {data.map((movement, nth) => (
              <MovementLine key={movement.id} page={page} movement={movement} before={data[nth - 1]} />
            ))}
          </List>
        ) : (
          <NoResults
            page={page}
            text={t['movements.none']}
            isFiltered={Object.keys(filters).length > 0}
            at={MOVEMENTS}
          />
        )}
      </>
    );
    return { title: t['books.movements'], content };
  },
};
