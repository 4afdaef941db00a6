// The list of payment references, newest first, with filters and a search by digits.
import type { PprReference } from '../../../packages/client/src/contract.ts';
import type { ScreenProps, ScreenLocation } from '../../../shared/console.ts';
import { REFERENCE_STATUSES, REFERENCE_TYPES, showReference, type ReferenceStatus } from '../../../shared/reference.ts';
import type { IconName } from '../../icons.tsx';
import type { Screen } from '../../layout.tsx';
import {
  Badge,
  Chips,
  Head,
  Line,
  List,
  Moment,
  NoResults,
  Search,
  textsOf,
  type AnyScreenProps,
  type Tone,
} from '../../parts.tsx';
import { moneyLookOf, State } from '../../state.tsx';
import { addressOf, dayOf, fill, findText, money } from '../../words.ts';
import { smsAddressOf } from './sms.tsx';
import { renderNew, NEW_ACTS, NEW_MANY, NEW_ONE, REFERENCES } from './new.tsx';

/** The data of the list. A search for digits reads one reference instead of the list. */
type Page = {
  list: { data: PprReference[]; next: string | null; totalItems: number } | null;
  found: PprReference | null;
};

function filtersOf({ query }: ScreenLocation): Record<string, string> {
  const status = REFERENCE_STATUSES.find((each) => each === query['status']);
  const type = REFERENCE_TYPES.find((each) => each === query['type']);
  return { ...(status && { status }), ...(type && { type }) };
}

/** The searched digits without the spaces that slips print. Empty without a search. */
const searchedOf = ({ query }: ScreenLocation) => (query['q'] ?? '').replace(/\s/g, '');

export const references: Screen = {
  path: REFERENCES,
  needs: 'listReferences',
  menu: { group: 'charge', text: 'references.title', icon: 'hash' },
  live: ['reference', 'payment', 'refund'],
  reads(opened) {
    const { after } = opened.query;
    const searched = searchedOf(opened);
    const query = { ...filtersOf(opened), pageSize: '25', ...(after && { after }) };
    return {
      list: searched ? null : { operation: 'listReferences', query },
      found: searched ? { operation: 'readReference', params: { pprReference: searched }, nullIfMissing: true } : null,
    };
  },
  acts: NEW_ACTS,
  file: {
    path: `${REFERENCES}.csv`,
    buildCall: (opened) => ({ operation: 'listReferences', query: filtersOf(opened) }),
  },
  render(page: ScreenProps<Page>) {
    const form = renderNew(page);
    if (form) return form;
    const t = textsOf(page);
    const { opened } = page;
    const filters = filtersOf(opened);
    const chipsOf = (name: 'status' | 'type', values: readonly string[]) =>
      ['', ...values].map((value) => ({
        href: addressOf(REFERENCES, { ...filters, [name]: value }),
        text: findText(t, `references.${value}`) ?? t['references.all'],
        isOn: value === (filters[name] ?? '') && !searchedOf(opened),
      }));
    const content = (
      <>
        <Head title={t['references.title']}>
          <a href={addressOf(`${REFERENCES}.csv`, filters)} download>
            {t['payments.export']}
          </a>
        </Head>
        <BySms page={page} />
        <MakeNew page={page} />
        <Search page={page} hint={t['references.search']} />
        <Chips label={t['payments.filter']} chips={chipsOf('status', REFERENCE_STATUSES)} />
        <Chips label={t['reference.kind']} chips={chipsOf('type', REFERENCE_TYPES)} />
        <ReferenceList page={page} />
      </>
    );
    return { title: t['references.title'], content };
  },
};

function MakeNew({ page }: { page: AnyScreenProps }) {
  const t = textsOf(page);
  if (!page.visitor.may('createReference')) return null;
  return (
    <div class="halves">
      <a class="button" href={NEW_ONE}>
        {t['references.new']}
      </a>
      <a class="button plain" href={NEW_MANY}>
        {t['references.many']}
      </a>
    </div>
  );
}

/** The link that sends the listed payable references, or those that were just created, by SMS. */
function BySms({ page }: { page: ScreenProps<Page> }) {
  const t = textsOf(page);
  const { from, to } = page.opened.query;
  const { status, ...filters } = filtersOf(page.opened);
  const isCreated = page.done === 'referencesCreate';
  const isPayable = status === 'Pending' && (page.data.list?.data.length ?? 0) > 0;
  if (!isPayable || !page.visitor.may('sendReferenceSms')) return null;
  return (
    <a
      class={isCreated ? 'button' : 'button plain'}
      href={smsAddressOf({ ...filters, ...(isCreated && { from, to }) })}
    >
      {isCreated ? t['refsms.created'] : t['refsms.open']}
    </a>
  );
}

function ReferenceList({ page }: { page: ScreenProps<Page> }) {
  const t = textsOf(page);
  const { list, found } = page.data;
  const filters = filtersOf(page.opened);
  const rows = list?.data ?? (found ? [found] : []);
  if (rows.length === 0) {
    const isFiltered = searchedOf(page.opened) !== '' || Object.keys(filters).length > 0;
    return <NoResults page={page} text={t['references.none']} isFiltered={isFiltered} at={REFERENCES} />;
  }
  return (
    <List
      page={page}
      newest={addressOf(REFERENCES, filters)}
      foot={fill(t['list.total'], { n: list?.totalItems ?? rows.length })}
      more={list?.next ? addressOf(REFERENCES, { ...filters, after: list.next }) : null}
    >
      {rows.map((reference, nth) => (
        <ReferenceLine key={reference.internalId} page={page} reference={reference} before={rows[nth - 1]} />
      ))}
    </List>
  );
}

const SIGNS: Record<ReferenceStatus, [IconName, Tone]> = {
  Pending: ['clock', 'brand'],
  Paid: ['check', 'success'],
  Canceled: ['close', 'quiet'],
  Expired: ['clock', 'quiet'],
};

/** The badge of a reference. A Charging reference accepts many payments, so it shows as open instead of pending. */
export function ReferenceState({ page, reference }: { page: AnyScreenProps; reference: PprReference }) {
  const t = textsOf(page);
  const { referenceStatus: status, referenceType } = reference;
  const [icon, tone] = SIGNS[status];
  const isOpen = referenceType === 'Charging' && status === 'Pending';
  const isAboutMoney = moneyLookOf(reference) !== null;
  return (
    <>
      {(isOpen || !isAboutMoney) && (
        <Badge icon={icon} tone={tone} text={isOpen ? t['reference.open'] : t[`reference.${status}`]} />
      )}{' '}
      {isAboutMoney && <State page={page} payment={reference} />}
    </>
  );
}

/** The fixed amount of a reference, or a note that the payer chooses the amount. */
export const priceOf = (page: AnyScreenProps, { amount, currency }: PprReference) =>
  amount === 0 ? textsOf(page)['link.open'] : money(amount, currency);

type LineProps = { page: AnyScreenProps; reference: PprReference; before: PprReference | undefined };

/** One payment reference. The first entry of a day has the date above. */
function ReferenceLine({ page, reference: shown, before }: LineProps) {
  const { internalId, reference, createdAt, referenceStatus, description, customerName } = shown;
  const t = textsOf(page);
  const day = dayOf(createdAt);
  // Digits are reused after a reference has ended, so the URL of an ended reference contains its id.
  const of = referenceStatus === 'Pending' ? undefined : internalId;
  const paid = shown.referenceType === 'Charging' && shown.amountPaid > 0 && money(shown.amountPaid, shown.currency);
  return (
    <Line
      id={internalId}
      href={addressOf(`${REFERENCES}/${reference}`, { of })}
      day={before && dayOf(before.createdAt) === day ? null : day}
      title={showReference(reference)}
      about={
        <>
          <Moment at={createdAt} isShort /> {[customerName, description].filter(Boolean).join(' · ')}
        </>
      }
      end={
        <>
          <span class="money">{priceOf(page, shown)}</span>
          <ReferenceState page={page} reference={shown} />
          {paid && <span class="small quiet">{fill(t['reference.paid.so'], { amount: paid })}</span>}
        </>
      }
    />
  );
}
