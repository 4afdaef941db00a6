// The results of the search field on every screen: payments, references, links and contacts.
import type { ComponentChildren } from 'preact';
import type { Link, ListedPayment, SmsContact } from '../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../shared/console.ts';
import { showPhone } from '../../shared/phone.ts';
import type { Screen } from '../layout.tsx';
import { Card, Empty, Head, Line, Search, textsOf, type AnyScreenProps } from '../parts.tsx';
import { SEARCH_PATH } from '../search.tsx';
import { addressOf, fill, grouped } from '../words.ts';
import { LinkState, paidUsesOf, priceOf } from './links.tsx';
import { PaymentLine } from './payments.tsx';
import type { Numbered } from './sms/parts.tsx';

type PaymentPage = { data: ListedPayment[]; totalItems: number; isTotalExact: boolean };
type Page = {
  payments?: PaymentPage;
  references?: PaymentPage;
  links?: { data: Link[]; totalItems: number } | null;
  contacts?: Numbered<SmsContact> | null;
};

/** The first results of each group. */
const MOST = '5';

const textOf = ({ query }: { query: Record<string, string> }) => (query['q'] ?? '').trim();

export const search: Screen = {
  path: SEARCH_PATH,
  needs: 'listPayments',
  reads(opened, { may }) {
    const text = textOf(opened);
    if (!text) return {};
    const query = { search: text, pageSize: MOST };
    return {
      payments: { operation: 'listPayments', query: { ...query, paymentType: 'GPO' } },
      references: { operation: 'listPayments', query: { ...query, paymentType: 'PPR' } },
      links: may('listLinks') ? { operation: 'listLinks', query } : null,
      contacts: may('listSmsContacts')
        ? { operation: 'listSmsContacts', query: { pesquisa: text, pageSize: MOST } }
        : null,
    };
  },
  acts: {},
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const q = textOf(page.opened);
    const groups = groupsOf(page, q).filter(({ lines }) => lines.length > 0);
    const content = (
      <>
        <Head title={t['search.title']} />
        <Search page={page} hint={t['search.label']} />
        {!q && <p class="quiet">{t['search.start']}</p>}
        {groups.map(({ title, lines, all, at }) => (
          <Card key={title} title={title}>
            <ul class="list found">{lines}</ul>
            <p>
              <a href={at}>{all}</a>
            </p>
          </Card>
        ))}
        {q && groups.length === 0 && (
          <Empty text={fill(t['search.none'], { q })}>
            <p class="small">{t['search.none.help']}</p>
          </Empty>
        )}
      </>
    );
    return { title: q ? `${q} · ${t['search.title']}` : t['search.title'], content };
  },
};

type Group = { title: string; lines: ComponentChildren[]; all: string; at: string };

function groupsOf(page: ScreenProps<Page>, q: string): Group[] {
  const t = textsOf(page);
  const { payments, references, links, contacts } = page.data;
  const count = ({ totalItems, isTotalExact = true }: { totalItems: number; isTotalExact?: boolean }) => ({
    n: isTotalExact ? grouped(totalItems) : fill(t['search.more'], { n: grouped(totalItems) }),
  });
  const groups: (Group | null | undefined)[] = [
    payments && {
      title: t['payments.title'],
      lines: payments.data.map((payment) => <PaymentHit key={payment.internalId} page={page} payment={payment} />),
      all: fill(t['search.all.payments'], count(payments)),
      at: addressOf('/console/payments', { q, type: 'GPO' }),
    },
    references && {
      title: t['search.references'],
      lines: references.data.map((payment) => <PaymentHit key={payment.internalId} page={page} payment={payment} />),
      all: fill(t['search.all.references'], count(references)),
      at: addressOf('/console/payments', { q, way: 'reference' }),
    },
    links && {
      title: t['search.links'],
      lines: links.data.map((link) => <LinkHit key={link.id} page={page} link={link} />),
      all: fill(t['search.all.links'], count(links)),
      at: addressOf('/console/links', { q }),
    },
    contacts && {
      title: t['search.contacts'],
      lines: contacts.data.map(({ contactoId, nome, telefone }) => (
        <Line
          key={contactoId}
          id={contactoId}
          href={`/console/sms/contacts/${contactoId}`}
          title={nome}
          about={showPhone(telefone)}
          end={null}
        />
      )),
      all: fill(t['search.all.contacts'], count(contacts)),
      at: addressOf('/console/sms/contacts', { q }),
    },
  ];
  return groups.filter((group) => group != null);
}

/** A payment with its date, because the results of a group are not grouped by days. */
function PaymentHit({ page, payment }: { page: AnyScreenProps; payment: ListedPayment }) {
  return <PaymentLine page={page} payment={payment} hasDate />;
}

function LinkHit({ page, link }: { page: AnyScreenProps; link: Link }) {
  return (
    <Line
      id={link.id}
      href={`/console/links/${link.id}`}
      title={link.title}
      about={`${priceOf(page, link)} · ${paidUsesOf(page, link)}`}
      end={<LinkState page={page} link={link} />}
    />
  );
}
