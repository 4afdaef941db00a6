// The close of one day: the sums of all accounts, then the same movements by account, method, cashier and shift.
import type { Day, ListedSettlement, Merchant } from '../../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../../shared/console.ts';
import { showDay, showSpanOn } from '../../../shared/luanda.ts';
import type { Screen } from '../../layout.tsx';
import { Card, Head, Line, Money, Rows, Table, textsOf } from '../../parts.tsx';
import { fill, findText, money, whenOf } from '../../words.ts';
import { BOOKS, DAYS, nameAccount, sayCount } from './parts.tsx';
import { sayExplanation } from './explanation.tsx';
import { DayState, differenceOf, sayDifference, SettlementState, toneOf } from './state.tsx';

const PATH = `${DAYS}/{day}`;

type Page = { day: Day; merchant: Merchant | null };
type Part = { page: ScreenProps<Page> };

export const day: Screen = {
  path: PATH,
  needs: 'readDay',
  live: ['settlement', 'refund'],
  reads({ params }, visitor) {
    const merchant = visitor.may('readMerchant') ? { operation: 'readMerchant' } : null;
    return { day: { operation: 'readDay', params }, merchant };
  },
  acts: {},
  documents: [
    {
      path: `${PATH}/pdf`,
      type: 'application/pdf',
      buildCall: ({ params }) => ({ operation: 'readDay', params }),
    },
  ],
  render(page: Part['page']) {
    const t = textsOf(page);
    const { day: shown, merchant } = page.data;
    const title = fill(t['day.title'], { day: showDay(shown.day) });
    const currencies = shown.sums.map(({ currency }) => currency);
    const content = (
      <>
        <Head title={title} back={{ href: BOOKS, text: t['books.settlements'] }}>
          <div class="papers">
            <a class="button plain" href={`${DAYS}/${shown.day}/pdf`}>
              {t['day.pdf']}
            </a>
            <button type="button" class="plain" data-print hidden>
              {t['day.print']}
            </button>
          </div>
        </Head>
        <p class="paper small">{merchant?.taxId && `NIF ${merchant.taxId}`}</p>
        {shown.sums.map((sums, nth) => (
          <Card key={sums.currency} title={t['settlement.expected']} live={`sums-${sums.currency}`}>
            <p class="amount huge">{money(sums.expectedCredit, sums.currency)}</p>
            {nth === 0 && (
              <p>
                <DayState page={page} status={shown.status} />
              </p>
            )}
            {sums.unexplainedDifference !== 0 && (
              <strong class="danger">{sayDifference(page, sums.unexplainedDifference, sums.currency)}</strong>
            )}
            <Sums page={page} sums={sums} />
          </Card>
        ))}
        <Accounts page={page} />
        {currencies.map((currency) => (
          <Tables key={currency} page={page} currency={currency} />
        ))}
        <p class="small quiet">
          {shown.closedAt ? fill(t['day.closed'], { at: whenOf(shown.closedAt) }) : t['day.running']}
        </p>
      </>
    );
    return { title, content };
  },
};

/** The calculation of the expected credit, and the parts of the difference. */
function Sums({ page, sums }: Part & { sums: Day['sums'][number] }) {
  const t = textsOf(page);
  const show = (amount: number) => amount !== 0 && money(amount, sums.currency);
  return (
    <Rows
      rows={[
        [t['settlement.taken'], money(sums.taken, sums.currency)],
        [t['settlement.fees'], show(-sums.fees)],
        [t['settlement.bankFees'], show(-sums.bankFees)],
        [t['settlement.refunded'], show(-sums.refunded)],
        [t['settlement.net'], <Money amount={sums.expectedCredit} currency={sums.currency} />],
        [t['settlement.credited'], money(sums.credited, sums.currency)],
        [t['day.awaited'], show(sums.awaitedCredit)],
        [t['day.difference'], show(sums.difference)],
        [t['day.difference.explained'], show(sums.explainedDifference)],
        [t['day.difference.unexplained'], show(sums.unexplainedDifference)],
        [t['settlement.manual'], show(sums.refundedByHand)],
        [t['books.movements'], sums.count],
      ]}
    />
  );
}

/** The settlements of the day, one for each contract, period and currency. */
function Accounts({ page }: Part) {
  const t = textsOf(page);
  return (
    <section class="stack" data-live-part="accounts">
      <h2>{t['day.accounts.title']}</h2>
      <ul class="card list">
        {page.data.day.settlements.map((settlement) => (
          <AccountLine key={settlement.id} page={page} settlement={settlement} />
        ))}
      </ul>
    </section>
  );
}

function AccountLine({ page, settlement }: Part & { settlement: ListedSettlement }) {
  const t = textsOf(page);
  const { id, day: ofDay, account, clearingPeriod, count, expectedCredit, currency, status, explanation } = settlement;
  const difference = differenceOf(page, settlement);
  return (
    <Line
      id={id}
      href={`${BOOKS}/${id}`}
      title={nameAccount(t, account)}
      about={
        <>
          {clearingPeriod !== ofDay && `${fill(t['settlement.period'], { period: clearingPeriod })} · `}
          {sayCount(page, count)}
          {explanation?.holds && <span class="explained"> {sayExplanation(page, explanation)}</span>}
        </>
      }
      end={
        <>
          <Money amount={expectedCredit} currency={currency} />
          <SettlementState page={page} settlement={settlement} />
          {difference && <span class={`small ${toneOf(status)}`}>{difference}</span>}
        </>
      }
    />
  );
}

type Sum = Day['methods'][number] | Day['cashiers'][number] | Day['shifts'][number];

/** The movements of one currency by method, by cashier, and by shift if there are shifts. */
function Tables({ page, currency }: Part & { currency: string }) {
  const t = textsOf(page);
  const { day: ofDay, methods, cashiers, shifts } = page.data.day;
  const of = <Row extends Sum>(rows: Row[]) => rows.filter((row) => row.currency === currency);
  const own = of(shifts);
  const nameCashier = ({ kind, name }: Day['cashiers'][number]['cashier']) =>
    name ?? (kind === 'payer' ? t['day.payer'] : t['day.unknown']);
  const nameShift = ({ cashier, shift, timing }: Day['shifts'][number]) => {
    const ends = shift && showSpanOn(ofDay, new Date(shift.openedAt), shift.closedAt ? new Date(shift.closedAt) : null);
    const part = shift?.isPartial ? ` · ${t['day.shift.part']}` : '';
    const times = ends ?? t[`day.timing.${timing === 'after_close' ? timing : 'no_shift'}`];
    return `${nameCashier(cashier)} · ${times}${part}`;
  };
  return (
    <>
      <SumTable
        {...{ page, currency }}
        title={t['day.methods']}
        head={t['day.method']}
        rows={of(methods)}
        nameOf={({ method }) => findText(t, `method.${method}`) ?? method}
      />
      <SumTable
        {...{ page, currency }}
        title={t['day.cashiers']}
        head={t['day.cashier']}
        rows={of(cashiers)}
        nameOf={({ cashier }) => nameCashier(cashier)}
      />
      {own.some(({ timing }) => timing !== 'no_shift') && (
        <SumTable {...{ page, currency }} title={t['day.shifts']} head={t['day.shift']} rows={own} nameOf={nameShift} />
      )}
    </>
  );
}

type SumTableProps<Row> = Part & {
  title: string;
  head: string;
  currency: string;
  rows: Row[];
  nameOf(row: Row): string;
};

function SumTable<Row extends Sum>({ page, title, head, currency, rows, nameOf }: SumTableProps<Row>) {
  const t = textsOf(page);
  const amount = (name: string, of: (row: Row) => number) => ({
    title: name,
    cell: (row: Row) => money(of(row), currency),
    isNumber: true,
    isZero: (row: Row) => of(row) === 0,
  });
  const hasManual = rows.some(({ refundedByHand }) => refundedByHand !== 0);
  const nth = new Map(rows.map((row, index) => [row, index]));
  return (
    <section class="stack" data-live-part={`${title}-${currency}`}>
      <h2>{title}</h2>
      <Table
        caption={title}
        rows={rows}
        keyOf={(row) => `${title} ${nth.get(row)}`}
        columns={[
          { title: head, cell: nameOf },
          { title: t['books.movements'], cell: ({ count }) => count, isNumber: true },
          amount(t['settlement.taken'], ({ taken }) => taken),
          amount(t['settlement.fees'], ({ fees }) => fees),
          amount(t['settlement.refunded'], ({ refunded }) => refunded),
          ...(hasManual ? [amount(t['settlement.manual'], ({ refundedByHand }) => refundedByHand)] : []),
        ]}
      />
    </section>
  );
}
