// The merchant's payment links, each with its number of payments, and the form for a new link.
import type { Link } from '../../packages/client/src/contract.ts';
import type { ScreenProps, ScreenLocation } from '../../shared/console.ts';
import { LINK_STATUSES, type LinkStatus } from '../../shared/link.ts';
import { ActForm } from '../form.tsx';
import type { IconName } from '../icons.tsx';
import type { Screen } from '../layout.tsx';
import {
  Badge,
  Card,
  Chips,
  Empty,
  Head,
  Line,
  List,
  Moment,
  Search,
  textsOf,
  type AnyScreenProps,
  type Tone,
} from '../parts.tsx';
import { addressOf, fill, findText, money } from '../words.ts';
import { LinkFields, readLinkForm } from './link-form.tsx';

const PATH = '/console/links';
const NEW = `${PATH}?new=1`;

/** `copied`: the link whose fields the new form starts with. Null for an empty form. */
type Page = { list: { data: Link[]; next: string | null; totalItems: number }; copied: Link | null };

/** The address of the new-link form that starts with the fields of this link. */
export const copyAddressOf = ({ id }: Link) => addressOf(PATH, { new: '1', copy: id });

const textOf = ({ query }: ScreenLocation) => (query['q'] ?? '').trim();
const statusOf = ({ query }: ScreenLocation) => LINK_STATUSES.find((status) => status === query['status']);

export const links: Screen = {
  path: PATH,
  needs: 'listLinks',
  menu: { group: 'charge', text: 'links.title', icon: 'link' },
  live: ['link'],
  reads(opened) {
    const { after, copy } = opened.query;
    const status = statusOf(opened);
    const search = textOf(opened);
    const query = { pageSize: '25', ...(search && { search }), ...(status && { status }), ...(after && { after }) };
    return {
      list: { operation: 'listLinks', query },
      copied: copy ? { operation: 'readLink', params: { linkId: copy }, nullIfMissing: true } : null,
    };
  },
  acts: {
    linkCreate: {
      operation: 'createLink',
      buildCall: (form) => ({ body: readLinkForm(form) }),
      resultPath: ({ id }: { id: string }) => `${PATH}/${id}`,
    },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { opened, refused, visitor } = page;
    const canMake = visitor.may('createLink');
    if (canMake && ('new' in opened.query || refused)) return drawNew(page);
    const { data, next, totalItems } = page.data.list;
    const status = statusOf(opened) ?? '';
    const q = textOf(opened);
    const chips = ['', ...LINK_STATUSES].map((each) => ({
      href: addressOf(PATH, { q, status: each }),
      text: findText(t, `link.status.${each}`) ?? t['links.all'],
      isOn: each === status,
    }));
    const isFiltered = status !== '' || q !== '';
    const isAny = data.length > 0 || isFiltered;
    const content = (
      <>
        <Head title={t['links.title']}>{isAny && <MakeNew page={page} />}</Head>
        {q && <Search page={page} hint={t['search.label']} keeps={{ status }} />}
        {isAny && <Chips label={t['links.filter']} chips={chips} />}
        {data.length === 0 ? (
          <Empty text={isFiltered ? t['links.none.found'] : t['links.none']}>
            {isFiltered ? <a href={PATH}>{t['list.clear']}</a> : <MakeNew page={page} />}
          </Empty>
        ) : (
          <List
            page={page}
            newest={addressOf(PATH, { q, status })}
            foot={fill(t['list.total'], { n: totalItems })}
            more={next && addressOf(PATH, { q, status, after: next })}
          >
            {data.map((link) => (
              <LinkLine key={link.id} page={page} link={link} />
            ))}
          </List>
        )}
      </>
    );
    return { title: t['links.title'], content };
  },
};

function MakeNew({ page }: { page: AnyScreenProps }) {
  if (!page.visitor.may('createLink')) return null;
  return (
    <a class="button" href={NEW}>
      {textsOf(page)['links.new']}
    </a>
  );
}

function drawNew(page: ScreenProps<Page>) {
  const t = textsOf(page);
  const { copied } = page.data;
  const isOver = copied?.expiresAt ? new Date(copied.expiresAt) <= page.now : false;
  const content = (
    <>
      <Head title={t['links.new']} back={{ href: PATH, text: t['links.title'] }} />
      <Card>
        {copied && (
          <p class="quiet">
            {fill(t['link.copy.of'], { title: copied.title })} {isOver && t['link.copy.expired']}
          </p>
        )}
        <ActForm page={page} name="linkCreate" button={t['links.create']}>
          <LinkFields page={page} act="linkCreate" {...(copied && { copied: withoutPast(copied, isOver) })} />
        </ActForm>
      </Card>
    </>
  );
  return { title: t['links.new'], content };
}

/** The copied fields. An end in the past is left out, because the API would refuse it. */
const withoutPast = (link: Link, isOver: boolean): Link => (isOver ? { ...link, expiresAt: null } : link);

const SIGNS: Record<LinkStatus, [IconName, Tone]> = {
  Active: ['link', 'brand'],
  SoldOut: ['check', 'success'],
  Expired: ['clock', 'quiet'],
  Withdrawn: ['close', 'quiet'],
};

export function LinkState({ page, link: { status } }: { page: AnyScreenProps; link: Link }) {
  const [icon, tone] = SIGNS[status];
  return <Badge icon={icon} tone={tone} text={textsOf(page)[`link.status.${status}`]} />;
}

/** The price of a link, such as `1 500,00 Kz`, or the bounds for the amount that the payer chooses. */
export function priceOf(page: AnyScreenProps, link: Link): string {
  if (link.amount !== null) return money(link.amount, link.currency);
  return [textsOf(page)['link.open'], boundsOf(page, link)].filter(Boolean).join(' ');
}

/** The bounds of the amount that the payer chooses, such as `a partir de 100,00 Kz`. Empty without bounds. */
export function boundsOf(page: AnyScreenProps, { minAmount, maxAmount, currency }: Link): string {
  const t = textsOf(page);
  const bounds = [
    minAmount !== null && fill(t['link.from'], { amount: money(minAmount, currency) }),
    maxAmount !== null && fill(t['link.to'], { amount: money(maxAmount, currency) }),
  ];
  return bounds.filter(Boolean).join(' ');
}

/** The paid uses of a link, such as `12 de 50`, or only their number if the uses are unlimited. */
export function paidUsesOf(page: AnyScreenProps, { paidPayments, stock }: Link): string {
  const t = textsOf(page);
  const some = paidPayments === 1 ? t['link.paid.one'] : t['link.paid.many'];
  return fill(stock === null ? some : t['link.paid.of'], { n: paidPayments, all: stock ?? '' });
}

function LinkLine({ page, link }: { page: AnyScreenProps; link: Link }) {
  return (
    <Line
      id={link.id}
      href={`${PATH}/${link.id}`}
      title={link.title}
      about={
        <>
          <Moment at={link.createdAt} /> · {paidUsesOf(page, link)}
        </>
      }
      end={
        <>
          <span class="money">
            {link.amount === null ? textsOf(page)['link.open'] : money(link.amount, link.currency)}
          </span>
          <LinkState page={page} link={link} />
        </>
      }
    />
  );
}
