// Settlements by day and account: the expected bank credit, the actual credit, and whether they match.
import type { ListedSettlement } from '../../../packages/client/src/contract.ts';
import { SETTLEMENT_STATUSES } from '../../../shared/books.ts';
import type { Drawn, Opened } from '../../../shared/console.ts';
import type { IconName } from '../../icons.tsx';
import type { DrawnScreen } from '../../layout.tsx';
import { Badge, Chips, Head, Line, List, Money, Nothing, textsOf, type AnyDrawn, type Look } from '../../parts.tsx';
import { addressOf, fill, find, money } from '../../words.ts';
import { AccountChips, BOOKS, Filter, filtersOf, isOwnAccount, LIMIT, showDay, Tabs } from './parts.tsx';

type Page = { list: { data: ListedSettlement[]; next: string | null } };

function askedOf(opened: Opened): Record<string, string> {
  const { status, ...others } = filtersOf(opened, ['status', 'account']);
  const known = SETTLEMENT_STATUSES.find((each) => each === status);
  return { ...others, ...(known && { status: known }) };
}

export const settlements: DrawnScreen = {
  path: BOOKS,
  needs: 'listSettlements',
  menu: { text: 'books.title', icon: 'book' },
  live: ['settlement', 'refund'],
  reads(opened) {
    const { after } = opened.query;
    const query = { ...askedOf(opened), limit: LIMIT, ...(after && { after }) };
    return { list: { operation: 'listSettlements', query } };
  },
  acts: {},
  file: { path: `${BOOKS}.csv`, ask: (opened) => ({ operation: 'listSettlements', query: askedOf(opened) }) },
  draw(page: Drawn<Page>) {
    const t = textsOf(page);
    const filters = askedOf(page.opened);
    const { data, next } = page.data.list;
    const chips = ['', ...SETTLEMENT_STATUSES].map((status) => ({
      href: addressOf(BOOKS, { ...filters, status }),
      text: find(t, `settlements.${status}`) ?? t['payments.all'],
      isOn: status === (filters['status'] ?? ''),
    }));
    const content = (
      <>
        <Head title={t['books.title']}>
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
          <Nothing page={page} text={t['settlements.none']} isFiltered={Object.keys(filters).length > 0} at={BOOKS} />
        )}
      </>
    );
    return { title: t['books.title'], content };
  },
};

type Told = 'running' | ListedSettlement['status'];

const SIGNS: Record<Told, [IconName, Look]> = {
  running: ['clock', 'quiet'],
  open: ['bank', 'brand'],
  balanced: ['check', 'success'],
  differs: ['stop', 'danger'],
};

/** An open day has no comparison yet, so it shows `running`. */
export function SettlementState({ page, settlement }: { page: AnyDrawn; settlement: ListedSettlement }) {
  const told: Told = settlement.closedAt === null ? 'running' : settlement.status;
  const [icon, look] = SIGNS[told];
  return <Badge icon={icon} look={look} text={textsOf(page)[`settlement.${told}`]} />;
}

/** The missing or extra amount; null if the amounts match or no credit was entered. */
export function differenceOf(page: AnyDrawn, { status, difference, currency }: ListedSettlement): string | null {
  const t = textsOf(page);
  if (status !== 'differs') return null;
  const text = difference < 0 ? t['settlement.short'] : t['settlement.over'];
  return fill(text, { amount: money(Math.abs(difference), currency) });
}

function SettlementLine({ page, settlement }: { page: AnyDrawn; settlement: ListedSettlement }) {
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
