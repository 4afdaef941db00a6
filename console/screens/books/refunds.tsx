// Refunds, newest first: by the provider or by hand, finished or in progress.
import type { Refund } from '../../../packages/client/src/contract.ts';
import type { ScreenProps, ScreenLocation } from '../../../shared/console.ts';
import { REFUND_METHODS, REFUND_STATUSES } from '../../../shared/refund.ts';
import type { Screen } from '../../layout.tsx';
import { Chips, Head, Line, List, Moment, Money, NoResults, textsOf, type AnyScreenProps } from '../../parts.tsx';
import { addressOf, dayOf, fill, findText } from '../../words.ts';
import { RefundState } from '../payment-refunds-deliveries.tsx';
import { asMoments, Filter, filtersOf, LIMIT, REFUNDS, Tabs } from './parts.tsx';

type Page = { list: { data: Refund[]; next: string | null; totalItems: number } };

function shownOf(opened: ScreenLocation): Record<string, string> {
  const { status, method, ...days } = filtersOf(opened, ['status', 'method']);
  const [knownStatus, knownMethod] = [
    REFUND_STATUSES.find((each) => each === status),
    REFUND_METHODS.find((each) => each === method),
  ];
  return { ...days, ...(knownStatus && { status: knownStatus }), ...(knownMethod && { method: knownMethod }) };
}

const queryOf = (opened: ScreenLocation) => asMoments(shownOf(opened));

export const refunds: Screen = {
  path: REFUNDS,
  needs: 'listRefunds',
  live: ['refund'],
  reads(opened) {
    const { after } = opened.query;
    const query = { ...queryOf(opened), pageSize: LIMIT, ...(after && { after }) };
    return { list: { operation: 'listRefunds', query } };
  },
  acts: {},
  file: { path: `${REFUNDS}.csv`, buildCall: (opened) => ({ operation: 'listRefunds', query: queryOf(opened) }) },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const filters = shownOf(page.opened);
    const { data, next, totalItems } = page.data.list;
    const chipsOf = (name: 'status' | 'method', values: readonly string[]) =>
      ['', ...values].map((value) => ({
        href: addressOf(REFUNDS, { ...filters, [name]: value }),
        text: findText(t, `refunds.${value}`) ?? t['payments.all'],
        isOn: value === (filters[name] ?? ''),
      }));
    const content = (
      <>
        <Head title={t['books.refunds']}>
          <a href={addressOf(`${REFUNDS}.csv`, filters)} download>
            {t['payments.export']}
          </a>
        </Head>
        <Tabs page={page} here={REFUNDS} />
        <Chips label={t['payments.filter']} chips={chipsOf('status', REFUND_STATUSES)} />
        <Chips label={t['refunds.method']} chips={chipsOf('method', REFUND_METHODS)} />
        <Filter page={page} filters={filters} />
        {data.length > 0 ? (
          <List
            page={page}
            newest={addressOf(REFUNDS, filters)}
            foot={fill(t['list.total'], { n: totalItems })}
            more={next && addressOf(REFUNDS, { ...filters, after: next })}
          >
            {data.map((refund, nth) => (
              <RefundLine key={refund.id} page={page} refund={refund} before={data[nth - 1]} />
            ))}
          </List>
        ) : (
          <NoResults page={page} text={t['refunds.none']} isFiltered={Object.keys(filters).length > 0} at={REFUNDS} />
        )}
      </>
    );
    return { title: t['books.refunds'], content };
  },
};

type LineProps = { page: AnyScreenProps; refund: Refund; before: Refund | undefined };

/** One refund. The first entry of a day has the date above. */
function RefundLine({ page, refund, before }: LineProps) {
  const t = textsOf(page);
  const { id, amount, currency, status, method, reason, reference, createdAt } = refund;
  const day = dayOf(createdAt);
  return (
    <Line
      id={id}
      href={`${REFUNDS}/${id}`}
      day={before && dayOf(before.createdAt) === day ? null : day}
      title={reason ?? reference ?? t['refund.title']}
      about={
        <>
          <Moment at={createdAt} isShort /> · {t[`refund.${method}`]}
        </>
      }
      end={
        <>
          <Money amount={amount} currency={currency} />
          <RefundState page={page} status={status} />
        </>
      }
    />
  );
}
