// Settlements by day and rail account: the expected and the actual bank credit, and whether they match.
import type { ListedSettlement } from '../../../packages/client/src/contract.ts';
import { SETTLEMENT_STATUSES } from '../../../shared/books.ts';
import type { ScreenProps, ScreenLocation } from '../../../shared/console.ts';
import type { IconName } from '../../icons.tsx';
import type { Screen } from '../../layout.tsx';
import {
  Badge,
  Chips,
  Head,
  Line,
  List,
  Money,
  NoResults,
  textsOf,
  type AnyScreenProps,
  type Tone,
} from '../../parts.tsx';
import { addressOf, fill, findText, money } from '../../words.ts';
import { IMPORT } from './import.tsx';
import { AccountChips, BOOKS, Filter, filtersOf, isOwnAccount, LIMIT, showDay, Tabs } from './parts.tsx';

type Page = { list: { data: ListedSettlement[]; next: string | null } };

function queryOf(opened: ScreenLocation): Record<string, string> {
  const { status, ...others } = filtersOf(opened, ['status', 'account']);
  const known = SETTLEMENT_STATUSES.find((each) => each === status);
  return { ...others, ...(known && { status: known }) };
}

export const settlements: Screen = {
  path: BOOKS,
  needs: 'listSettlements',
  menu: { group: 'money', text: 'books.title', icon: 'book' },
  live: ['settlement', 'refund'],
  reads(opened) {
    const { after } = opened.query;
    const query = { ...queryOf(opened), limit: LIMIT, ...(after && { after }) };
    return { list: { operation: 'listSettlements', query } };
  },
  acts: {},
  file: { path: `${BOOKS}.csv`, buildCall: (opened) => ({ operation: 'listSettlements', query: queryOf(opened) }) },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const filters = queryOf(page.opened);
    const { data, next } = page.data.list;
    const chips = ['', ...SETTLEMENT_STATUSES].map((status) => ({
      href: addressOf(BOOKS, { ...filters, status }),
      text: findText(t, `settlements.${status}`) ?? t['payments.all'],
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
        <AccountChips page={page} path={BOOKS} filters={filters} rows={data} />
        <Filter page={page} filters={filters} />
        {data.length > 0 ? (
          <List
            page={page}
            newest={addressOf(BOOKS, filters)}
            foot={t['settlements.foot']}
            more={next && addressOf(BOOKS, { ...filters, after: next })}
          >
            {data.map((settlement) => (
              <SettlementLine key={settlement.id} page={page} settlement={settlement} />
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

type ShownStatus = 'running' | ListedSettlement['status'];

const SIGNS: Record<ShownStatus, [IconName, Tone]> = {
  running: ['clock', 'quiet'],
  open: ['bank', 'brand'],
  balanced: ['check', 'success'],
  differs: ['stop', 'danger'],
  explained: ['check', 'quiet'],
};

/** The badge of a settlement. A day that has not ended has no comparison, so its badge shows `running`. */
export function SettlementState({ page, settlement }: { page: AnyScreenProps; settlement: ListedSettlement }) {
  const shown: ShownStatus = settlement.closedAt === null ? 'running' : settlement.status;
  const [icon, tone] = SIGNS[shown];
  return <Badge icon={icon} tone={tone} text={textsOf(page)[`settlement.${shown}`]} />;
}

/** The missing or extra amount of a settlement. Null if the amounts match, or without a bank credit. */
export function differenceOf(page: AnyScreenProps, { status, difference, currency }: ListedSettlement): string | null {
  const t = textsOf(page);
  if (status !== 'differs' && status !== 'explained') return null;
  const text = difference < 0 ? t['settlement.short'] : t['settlement.over'];
  return fill(text, { amount: money(Math.abs(difference), currency) });
}

function SettlementLine({ page, settlement }: { page: AnyScreenProps; settlement: ListedSettlement }) {
  const { id, day, account, clearingPeriod, count, expectedCredit, currency } = settlement;
  const t = textsOf(page);
  const movements = fill(count === 1 ? t['settlement.count.one'] : t['settlement.count'], { n: count });
  const about = [
    isOwnAccount(account) ? null : account.label,
    clearingPeriod === day ? null : clearingPeriod,
    movements,
  ];
  const difference = differenceOf(page, settlement);
  return (
    <Line
      id={id}
      href={`${BOOKS}/${id}`}
      title={showDay(day)}
      about={about.filter(Boolean).join(' · ')}
      end={
        <>
          <Money amount={expectedCredit} currency={currency} />
          <SettlementState page={page} settlement={settlement} />
          {difference && <span class="small danger">{difference}</span>}
        </>
      }
    />
  );
}
