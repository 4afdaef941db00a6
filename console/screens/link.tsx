// One payment link: its payments, its sharing and printing, and the forms to change and end it.
import type { Link, LinkPayment, SmsContactList } from '../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../shared/console.ts';
import { NOT_CONNECTED } from '../../shared/errors.ts';
import { isFinal } from '../../shared/status.ts';
import type { Screen } from '../layout.tsx';
import { ActForm, Field, Folded, FoldedAct } from '../form.tsx';
import { Icon } from '../icons.tsx';
import { Card, CopyField, Empty, Head, Line, List, Moment, Money, Rows, textsOf, ConnectHint } from '../parts.tsx';
import { State } from '../state.tsx';
import { fill, findText, whenOf } from '../words.ts';
import { LinkFields, readLinkForm } from './link-form.tsx';
import { LinkState, priceOf, paidUsesOf } from './links.tsx';
import { splitPhones, WrongLines } from './pasted.tsx';

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

export const link: Screen = {
  path: PATH,
  needs: 'readLink',
  live: ['link', 'payment', 'refund'],
  reads({ params, query: { after } }, { may }) {
    const query = { pageSize: '25', ...(after && { after }) };
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
    linkSms: {
      operation: 'sendLinkSms',
      buildCall({ numbers = '', listaId, conteudo }, { params }) {
        const numerosDestino = splitPhones(numbers);
        const to = { ...(numerosDestino.length > 0 && { numerosDestino }), ...(listaId && { listaId }) };
        return { params, body: { ...to, ...(conteudo && { conteudo }) } };
      },
    },
  },
  file: {
    path: `${PATH}/payments.csv`,
    buildCall: ({ params }) => ({ operation: 'listLinkPayments', params }),
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { link: shown } = page.data;
    const content = (
      <>
        <Head title={shown.title} back={{ href: LIST, text: t['links.title'] }} />
        <div data-live-part="obstacles">
          <Obstacles page={page} />
        </div>
        <Card live="state">
          <p class="amount">{priceOf(page, shown)}</p>
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
        <Changes page={page} />
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
  const { link: shown, lists } = page.data;
  const body = fill(t['link.mail.text'], { title: shown.title, price: priceOf(page, shown), url: shown.url });
  // RFC 6068: a space is %20, and a line ends in CRLF.
  const subject = encodeURIComponent(shown.title);
  const mail = `mailto:?subject=${subject}&body=${encodeURIComponent(body.replaceAll('\n', '\r\n'))}`;
  return (
    <Card title={t['link.share']}>
      <CopyField page={page} text={shown.url} label={t['link.address']} />
      <p>
        <a href={mail}>{t['link.mail']}</a>
      </p>
      {page.visitor.may('sendLinkSms') && (
        <Folded page={page} act="linkSms" title={t['link.sms']}>
          <ActForm page={page} name="linkSms" button={t['link.sms.send']}>
            <Field
              page={page}
              act="linkSms"
              name="numbers"
              pointer="numerosDestino"
              label={t['link.sms.numbers']}
              hint={t['link.sms.numbers.hint']}
              lines={3}
            />
            <WrongLines page={page} act="linkSms" field="numbers" pointer="numerosDestino" split={splitPhones} />
            {lists && lists.data.length > 0 && (
              <Field
                page={page}
                act="linkSms"
                name="listaId"
                label={t['link.sms.list']}
                choices={[
                  ['', '—'],
                  ...lists.data.map(({ listaId, nome, totalContactos }): [string, string] => [
                    listaId,
                    `${nome} (${totalContactos})`,
                  ]),
                ]}
              />
            )}
            <Field
              page={page}
              act="linkSms"
              name="conteudo"
              label={t['link.sms.text']}
              hint={t['link.sms.text.hint']}
              value={`${shown.title}:`}
              lines={2}
            />
          </ActForm>
        </Folded>
      )}
    </Card>
  );
}

/** The link's QR code to print for a counter or a poster. */
function Print({ page }: Part) {
  const t = textsOf(page);
  const { svg, png } = page.data;
  return (
    <Card title={t['link.print']}>
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
  return (
    <section class="stack" aria-label={t['link.payers']}>
      <h2>{t['link.payers']}</h2>
      {data.length === 0 ? (
        <Empty text={t['link.payers.none']} />
      ) : (
        <List
          page={page}
          newest={`${LIST}/${id}`}
          foot={
            <>
              {fill(t['list.total'], { n: totalItems })} ·{' '}
              <a href={`${LIST}/${id}/payments.csv`} download>
                {t['link.export']}
              </a>
            </>
          }
          more={next && `${LIST}/${id}?${new URLSearchParams({ after: next })}`}
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
  if (shown.status === 'Withdrawn' || !may('replaceLink')) return null;
  return (
    <section class="card pad stack" aria-label={t['link.change']}>
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
    </section>
  );
}
