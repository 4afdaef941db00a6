// The close of each day with all accounts: the expected credit of the bank, and whether it matches.
import type { ListedDay } from '../../../packages/client/src/contract.ts';
import { DAY_STATUSES } from '../../../shared/books.ts';
import type { ScreenLocation, ScreenProps } from '../../../shared/console.ts';
import { showDay } from '../../../shared/luanda.ts';
import type { Screen } from '../../layout.tsx';
import { Chips, Head, Line, List, Money, NoResults, textsOf, type AnyScreenProps } from '../../parts.tsx';
import { addressOf, fill, findText } from '../../words.ts';
import { IMPORT } from './import.tsx';
import { BOOKS, DAYS, Filter, filtersOf, LIMIT, sayCount, Tabs } from './parts.tsx';
import { DayState, sayDifference, toneOf } from './state.tsx';

type Page = { list: { data: ListedDay[]; next: string | null } };

function queryOf(opened: ScreenLocation): Record<string, string> {
  const { status, ...others } = filtersOf(opened, ['status']);
  const known = DAY_STATUSES.find((each) => each === status);
  return { ...others, ...(known && { status: known }) };
}

export const days: Screen = {
  path: BOOKS,
  needs: 'listDays',
  menu: { group: 'money', text: 'books.title', icon: 'book' },
  live: ['settlement', 'refund'],
  reads(opened) {
    const { after } = opened.query;
    const query = { ...queryOf(opened), limit: LIMIT, ...(after && { after }) };
    return { list: { operation: 'listDays', query } };
  },
  acts: {},
  file: { path: `${BOOKS}.csv`, buildCall: (opened) => ({ operation: 'listDays', query: queryOf(opened) }) },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const filters = queryOf(page.opened);
    const { data, next } = page.data.list;
    const chips = ['', ...DAY_STATUSES].map((status) => ({
      href: addressOf(BOOKS, { ...filters, status }),
      text: findText(t, `days.${status}`) ?? t['payments.all'],
      isOn: status === (filters['status'] ?? ''),
    }));
    const content = (
      <>
        <Head title={t['books.title']}>
          {page.visitor.may('importStatement') && <a href={IMPORT}>{t['import.title']}</a>}
          <a href={addressOf(`${BOOKS}.csv`, filters)} download>
            {t['payments.export']}
          </a>
        </Head>
        <Tabs page={page} here={BOOKS} />
        <Chips label={t['payments.filter']} chips={chips} />
        <Filter page={page} filters={filters} />
        {data.length > 0 ? (
          <List
            page={page}
            newest={addressOf(BOOKS, filters)}
            foot={t['settlements.foot']}
            more={next && addressOf(BOOKS, { ...filters, after: next })}
          >
            {data.map((day) => (
              <DayLine key={day.day} page={page} day={day} />
            ))}
          </List>
        ) : (
          <NoResults page={page} text={t['settlements.none']} isFiltered={Object.keys(filters).length > 0} at={BOOKS} />
        )}
      </>
    );
    return { title: t['books.title'], content };
  },
};

function DayLine({ page, day: { day, status, accounts, sums } }: { page: AnyScreenProps; day: ListedDay }) {
  const t = textsOf(page);
  const count = sums.reduce((sum, each) => sum + each.count, 0);
  const contracts = fill(accounts === 1 ? t['day.accounts.one'] : t['day.accounts'], { n: accounts });
  return (
    <Line
      id={day}
      href={`${DAYS}/${day}`}
      title={showDay(day)}
      about={`${contracts} · ${sayCount(page, count)}`}
      end={
        <>
          {sums.map(({ currency, expectedCredit }) => (
            <Money key={currency} amount={expectedCredit} currency={currency} />
          ))}
          <DayState page={page} status={status} />
          {sums.map(({ currency, difference, unexplainedDifference }) => {
            const shown = status === 'differs' ? unexplainedDifference : difference;
            return (
              shown !== 0 && (
                <span key={currency} class={`small ${toneOf(status)}`}>
                  {sayDifference(page, shown, currency)}
                </span>
              )
            );
          })}
        </>
      }
    />
  );
}
