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
  draw(drawn: Drawn<Page>) {
    const t = textsOf(drawn);
    const filters = askedOf(drawn.opened);
    const { data, next } = drawn.data.list;
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
        <Tabs drawn={drawn} here={BOOKS} />
        <Chips label={t['payments.filter']} chips={chips} />
        <AccountChips drawn={drawn} path={BOOKS} filters={filters} rows={data} />
        <Filter drawn={drawn} filters={filters} />
        {data.length > 0 ? (
          <List
            drawn={drawn}
            newest={addressOf(BOOKS, filters)}
            foot={t['settlements.foot']}
            more={next && addressOf(BOOKS, { ...filters, after: next })}
          >
            {data.map((settlement) => (
              <SettlementLine key={settlement.id} drawn={drawn} settlement={settlement} />
            ))}
          </List>
        ) : (
          <Nothing drawn={drawn} text={t['settlements.none']} isFiltered={Object.keys(filters).length > 0} at={BOOKS} />
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
export function SettlementState({ drawn, settlement }: { drawn: AnyDrawn; settlement: ListedSettlement }) {
  const told: Told = settlement.closedAt === null ? 'running' : settlement.status;
  const [icon, look] = SIGNS[told];
  return <Badge icon={icon} look={look} text={textsOf(drawn)[`settlement.${told}`]} />;
}

/** The missing or extra amount; null if the amounts match or no credit was entered. */
export function differenceOf(drawn: AnyDrawn, { status, difference, currency }: ListedSettlement): string | null {
  const t = textsOf(drawn);
  if (status !== 'differs') return null;
  const text = difference < 0 ? t['settlement.short'] : t['settlement.over'];
  return fill(text, { amount: money(Math.abs(difference), currency) });
}

function SettlementLine({ drawn, settlement }: { drawn: AnyDrawn; settlement: ListedSettlement }) {
  const { id, day, account, clearingPeriod, count, expectedCredit, currency } = settlement;
  const t = textsOf(drawn);
  const movements = fill(count === 1 ? t['settlement.count.one'] : t['settlement.count'], { n: count });
  const about = [
    isOwnAccount(account) ? null : account.label,
    clearingPeriod === day ? null : clearingPeriod,
    movements,
  ];
  const difference = differenceOf(drawn, settlement);
  return (
    <Line
      id={id}
      href={`${BOOKS}/${id}`}
      title={showDay(day)}
      about={about.filter(Boolean).join(' · ')}
      end={
        <>
          <Money amount={expectedCredit} currency={currency} />
          <SettlementState drawn={drawn} settlement={settlement} />
          {difference && <span class="small danger">{difference}</span>}
        </>
      }
    />
  );
}
