// One payment link: its payments, its sharing and printing, and the forms to change and end it.
import type { Link, LinkPayment, SmsContactList } from '../../packages/client/src/contract.ts';
import type { ScreenLocation, ScreenProps } from '../../shared/console.ts';
import { NOT_CONNECTED } from '../../shared/errors.ts';
import { isFinal } from '../../shared/status.ts';
import type { Screen } from '../layout.tsx';
import { FoldedAct } from '../form.tsx';
import { Icon } from '../icons.tsx';
import { Card, Chips, ConnectHint, Empty, Head, Line, List, Moment, Money, Rows, textsOf } from '../parts.tsx';
import { Address, linkMessage, ShareButtons } from '../share.tsx';
import { State } from '../state.tsx';
import { addressOf, fill, findText, whenOf } from '../words.ts';
import { LinkFields, readLinkForm } from './link-form.tsx';
import { LINK_SMS_ACTS, LinkSms, renderLinkSmsPreview } from './link-sms.tsx';
import { posterAddressOf } from './poster.tsx';
import { boundsOf, copyAddressOf, LinkState, priceOf, paidUsesOf } from './links.tsx';

const LIST = '/console/links';
const PATH = `${LIST}/{linkId}`;

type Page = {
  link: Link;
  payments: { data: LinkPayment[]; next: string | null; totalItems: number };
  /** The link's QR code as `data:` URLs. */
  svg: string;
  png: string;
  lists: { data: SmsContactList[] } | null;
};
type Part = { page: ScreenProps<Page> };

/** The groups of a link's payments. The first one is shown by default. */
const GROUPS = ['Paid', 'Open', 'Released', 'all'] as const;
type Group = (typeof GROUPS)[number];

const groupOf = ({ query }: ScreenLocation): Group => GROUPS.find((each) => each === query['show']) ?? GROUPS[0];
const statusQuery = (group: Group) => (group === 'all' ? {} : { status: group });

export const link: Screen = {
  path: PATH,
  needs: 'readLink',
  live: ['link', 'payment', 'refund'],
  reads(opened, { may }) {
    const { params } = opened;
    const { after } = opened.query;
    const query = { ...statusQuery(groupOf(opened)), pageSize: '25', ...(after && { after }) };
    return {
      link: { operation: 'readLink', params },
      payments: { operation: 'listLinkPayments', params, query },
      svg: { operation: 'readLinkQrSvg', params },
      png: { operation: 'readLinkQrPng', params },
      lists: may('sendLinkSms') ? { operation: 'listSmsContactLists', query: { pageSize: '100' } } : null,
    };
  },
  acts: {
    linkChange: {
      operation: 'replaceLink',
      buildCall: (form, { params }) => ({
        params,
        body: { ...readLinkForm(form), revision: Number(form['revision']) },
      }),
    },
    linkWithdraw: { operation: 'withdrawLink', buildCall: (_, { params }) => ({ params }) },
    ...LINK_SMS_ACTS,
  },
  file: {
    path: `${PATH}/payments.csv`,
    buildCall: (opened) => ({
      operation: 'listLinkPayments',
      params: opened.params,
      query: statusQuery(groupOf(opened)),
    }),
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { link: shown } = page.data;
    if (page.formResult) return renderLinkSmsPreview(page, `${LIST}/${shown.id}`);
    const content = (
      <>
        <Head title={shown.title} back={{ href: LIST, text: t['links.title'] }} />
        <div data-live-part="obstacles">
          <Obstacles page={page} />
        </div>
        <Card live="state">
          <p class="amount">{shown.amount === null ? t['link.open'] : priceOf(page, shown)}</p>
          {shown.amount === null && <p class="quiet">{boundsOf(page, shown)}</p>}
          <p>
            <LinkState page={page} link={shown} /> · {paidUsesOf(page, shown)}
          </p>
        </Card>
        {shown.status !== 'Withdrawn' && (
          <div class="halves">
            <Share page={page} />
            <Print page={page} />
          </div>
        )}
        <Payers page={page} />
        <Card title={t['link.details']} live="details">
          <Details page={page} />
        </Card>
        {page.visitor.may('createLink') && <Changes page={page} />}
      </>
    );
    return { title: shown.title, content };
  },
};

/** The reasons why payers cannot use the link, shown before the merchant sends it. */
function Obstacles({ page }: Part) {
  const t = textsOf(page);
  const { status, obstacles } = page.data.link;
  const [first] = obstacles;
  if (!first || status !== 'Active') return null;
  return (
    <div class="notice warning" role="status">
      <Icon name="stop" />
      <div>
        <p>
          <strong>{t['link.unpayable']}.</strong> {findText(t, `refused.${first}`) ?? findText(t, `wrong.${first}`)}
        </p>
        {NOT_CONNECTED.has(first) && <ConnectHint page={page} />}
      </div>
    </div>
  );
}

function Share({ page }: Part) {
  const t = textsOf(page);
  const { link: shown } = page.data;
  const price = priceOf(page, shown);
  const body = fill(t['link.mail.text'], { title: shown.title, price, url: shown.url });
  // RFC 6068: a space is %20, and a line ends in CRLF.
  const subject = encodeURIComponent(shown.title);
  const mail = `mailto:?subject=${subject}&body=${encodeURIComponent(body.replaceAll('\n', '\r\n'))}`;
  return (
    <Card title={t['link.share']}>
      <Address page={page} url={shown.url} />
      <ShareButtons page={page} title={shown.title} text={linkMessage(page, shown, boundsOf(page, shown))} />
      <p>
        <a href={mail}>{t['link.mail']}</a>
      </p>
      <LinkSms page={page} />
    </Card>
  );
}

/** The link's QR code as files, and its poster for the counter. */
function Print({ page }: Part) {
  const t = textsOf(page);
  const { link: shown, svg, png } = page.data;
  return (
    <Card title={t['link.print']}>
      <a class="button plain" href={posterAddressOf(shown)}>
        {t['poster.open']}
      </a>
      <img class="qr" src={svg} alt={t['link.qr']} width={200} height={200} />
      <p class="center">
        <a href={png} download="qr.png">
          PNG
        </a>{' '}
        ·{' '}
        <a href={svg} download="qr.svg">
          SVG
        </a>
      </p>
    </Card>
  );
}

function Payers({ page }: Part) {
  const t = textsOf(page);
  const { id } = page.data.link;
  const { data, next, totalItems } = page.data.payments;
  const group = groupOf(page.opened);
  const at = (path: string, query: Record<string, string | undefined> = {}) =>
    addressOf(path, { show: group === GROUPS[0] ? undefined : group, ...query });
  const chips = GROUPS.map((each) => ({
    href: addressOf(`${LIST}/${id}`, { show: each === GROUPS[0] ? undefined : each }),
    text: t[`link.payers.${each}`],
    isOn: each === group,
  }));
  return (
    <section class="stack" aria-label={t['link.payers']}>
      <h2>{t['link.payers']}</h2>
      <Chips label={t['link.payers.filter']} chips={chips} />
      {data.length === 0 ? (
        <Empty text={group === GROUPS[0] ? t['link.payers.none'] : t['link.payers.none.found']} />
      ) : (
        <List
          page={page}
          newest={at(`${LIST}/${id}`)}
          foot={
            <>
              {fill(t['list.total'], { n: totalItems })} ·{' '}
              <a href={at(`${LIST}/${id}/payments.csv`)} download>
                {t['link.export']}
              </a>
            </>
          }
          more={next && at(`${LIST}/${id}`, { after: next })}
        >
          {data.map((payment) => (
            <PayerLine key={payment.internalId} page={page} payment={payment} />
          ))}
        </List>
      )}
    </section>
  );
}

function PayerLine({ page, payment }: Part & { payment: LinkPayment }) {
  const { internalId, reference, status, amount, amountPaid, currency, createdAt } = payment;
  const { customerName, customerTelephone, customerEmail, documentNumber } = payment;
  const said = [customerName, customerTelephone, customerEmail, documentNumber].filter(Boolean);
  return (
    <Line
      id={internalId}
      href={`/console/payments/${internalId}`}
      title={said[0] ?? reference}
      about={
        <>
          <Moment at={createdAt} /> {said.slice(1).join(' · ')}
        </>
      }
      end={
        <>
          <Money amount={isFinal(status) ? amountPaid || amount : amount} currency={currency} />
          <State page={page} payment={payment} />
        </>
      }
    />
  );
}

function Details({ page }: Part) {
  const t = textsOf(page);
  const { openPayments, stock, expiresAt, asks, methods, thanks, returnUrl, createdAt } = page.data.link;
  return (
    <Rows
      rows={[
        [t['link.stock'], stock ?? t['link.stock.none']],
        [t['link.opened'], openPayments > 0 && openPayments],
        [t['link.until'], expiresAt && whenOf(expiresAt)],
        [t['link.asks'], asks.map((each) => t[`link.ask.${each}`]).join(', ')],
        [t['link.ways'], (methods ?? []).map((each) => t[`link.way.${each}`]).join(', ')],
        [t['link.thanks'], thanks],
        [t['link.return'], returnUrl],
        [t['link.created'], whenOf(createdAt)],
      ]}
    />
  );
}

function Changes({ page }: Part) {
  const t = textsOf(page);
  const { link: shown } = page.data;
  const { may } = page.visitor;
  return (
    <section class="card pad stack" aria-label={t['link.change']}>
      {may('createLink') && (
        <>
          <div class="buttons">
            <a class="button plain" href={copyAddressOf(shown)}>
              {t['link.copy']}
            </a>
          </div>
          <p class="small quiet">{t['link.copy.hint']}</p>
        </>
      )}
      {shown.status !== 'Withdrawn' && may('replaceLink') && (
        <>
          <FoldedAct
            page={page}
            name="linkChange"
            title={t['link.change']}
            sure={t['link.change.sure']}
            button={t['link.change.save']}
          >
            <LinkFields page={page} act="linkChange" link={shown} />
          </FoldedAct>
          <FoldedAct
            page={page}
            name="linkWithdraw"
            title={t['link.end']}
            sure={t['link.end.sure']}
            button={t['link.end']}
            tone="plain danger"
          />
        </>
      )}
    </section>
  );
}
