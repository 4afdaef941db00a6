// The list of payments, newest first, with filters and a search by any identifier.
import type { ListedPayment, PaymentSums } from '../../packages/client/src/contract.ts';
import type { ScreenProps, ScreenLocation } from '../../shared/console.ts';
import { ATTENTION_FLAGS, PAYMENT_STATUSES } from '../../shared/status.ts';
import { UUID } from '../../shared/uuid.ts';
import type { Screen } from '../layout.tsx';
import { Chips, Empty, Head, Line, List, Moment, Money, Search, textsOf } from '../parts.tsx';
import { PaymentFilters, paymentFiltersOf, paymentQueryOf, Sums, totalOf, type Cashiers } from '../search.tsx';
import { State } from '../state.tsx';
import { addressOf, dayOf, findText } from '../words.ts';

const PATH = '/console/payments';

/** The filter chips of the list: one status each, or payments whose money differs from the requested amount. */
const CHOICES: Record<string, Record<string, string>> = {
  ...Object.fromEntries(PAYMENT_STATUSES.map((status) => [status, { status }])),
  ...Object.fromEntries(ATTENTION_FLAGS.map((attention) => [attention, { attention }])),
  late: { late: 'true' },
};

const choiceOf = ({ query: { status = '' } }: ScreenLocation) => (Object.hasOwn(CHOICES, status) ? status : '');

function filtersOf(opened: ScreenLocation): Record<string, string> {
  return { ...paymentQueryOf(opened), ...CHOICES[choiceOf(opened)] };
}

type Page = {
  list: { data: ListedPayment[]; next: string | null; totalItems: number; isTotalExact: boolean };
  sums: PaymentSums;
  cashiers: Cashiers;
};

export const payments: Screen = {
  path: PATH,
  needs: 'listPayments',
  menu: { group: 'money', text: 'payments.title', icon: 'slip' },
  live: ['payment', 'reference', 'refund'],
  redirectTo: ({ query }) => (UUID.test(query['q']?.trim() ?? '') ? `${PATH}/${query['q']?.trim()}` : null),
  reads(opened) {
    const { after } = opened.query;
    const query = { ...filtersOf(opened), pageSize: '25', ...(after && { after }) };
    return {
      list: { operation: 'listPayments', query },
      sums: { operation: 'sumPayments', query: filtersOf(opened) },
      cashiers: { operation: 'listCashiers' },
    };
  },
  acts: {},
  file: { path: `${PATH}.csv`, buildCall: (opened) => ({ operation: 'listPayments', query: filtersOf(opened) }) },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { opened, data } = page;
    const status = choiceOf(opened);
    const chips = ['', ...Object.keys(CHOICES)].map((each) => ({
      href: listAt(opened, { status: each }),
      text: findText(t, `status.${each}`) ?? t['payments.all'],
      isOn: each === status,
    }));
    const content = (
      <>
        <Head title={t['payments.title']}>
          <a href={listAt(opened, {}, `${PATH}.csv`)} download>
            {t['payments.export']}
          </a>
        </Head>
        <Search page={page} hint={t['payments.search.hint']} keeps={{ ...paymentFiltersOf(opened), status }} />
        <Chips label={t['payments.filter']} chips={chips} />
        <PaymentFilters page={page} cashiers={data.cashiers} keeps={{ q: opened.query['q'] ?? '', status }} />
        <Sums page={page} sums={data.sums} isFiltered={isFiltered(opened)} />
        {data.list.data.length > 0 ? <Found page={page} /> : <Nothing page={page} />}
      </>
    );
    return { title: t['payments.title'], content };
  },
};

/** The URL of the list with changed filters or another page. */
function listAt(opened: ScreenLocation, changes: Record<string, string>, path = PATH): string {
  const { q, status } = opened.query;
  return addressOf(path, { q, ...paymentFiltersOf(opened), status, ...changes });
}

const isFiltered = (opened: ScreenLocation): boolean => Object.keys(filtersOf(opened)).length > 0;

function Nothing({ page }: { page: ScreenProps<Page> }) {
  const t = textsOf(page);
  if (!isFiltered(page.opened)) return <Empty text={t['payments.none']} />;
  return (
    <Empty text={t['payments.none.found']}>
      <a href={PATH}>{t['list.clear']}</a>
    </Empty>
  );
}

function Found({ page }: { page: ScreenProps<Page> }) {
  const { opened, data } = page;
  const { data: listed, next, totalItems, isTotalExact } = data.list;
  const foot = totalOf(page, totalItems, isTotalExact);
  const more = next && listAt(opened, { after: next });
  return (
    <List page={page} newest={listAt(opened, {})} foot={foot} more={more}>
      {listed.map((payment, nth) => (
        <PaymentLine key={payment.internalId} page={page} payment={payment} before={listed[nth - 1]} />
      ))}
    </List>
  );
}

type LineProps = {
  page: ScreenProps<any>;
  payment: ListedPayment;
  before?: ListedPayment | undefined;
  hasDate?: boolean;
};

/** One payment. The first entry of a day has the date above. @param hasDate each entry has its own date instead */
export function PaymentLine({ page, payment, before, hasDate = false }: LineProps) {
  const { internalId, reference, createdAt, paymentMethod, amount, currency } = payment;
  const day = dayOf(createdAt);
  return (
    <Line
      id={internalId}
      href={`${PATH}/${internalId}`}
      day={hasDate || (before && dayOf(before.createdAt) === day) ? null : day}
      title={reference}
      about={
        <>
          <Moment at={createdAt} isShort={!hasDate} /> ·{' '}
          {findText(textsOf(page), `method.${paymentMethod}`) ?? paymentMethod}
        </>
      }
      end={
        <>
          <Money amount={amount} currency={currency} />
          <State page={page} payment={payment} />
        </>
      }
    />
  );
}
