// One payment reference: its digits for the payer, its payments, its history, and the form to withdraw it.
import type { Api, Movement, PprReference } from '../../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../../shared/console.ts';
import { NO_END_DATE, showReference } from '../../../shared/reference.ts';
import { FoldedAct } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Card, Head, Rows, textsOf } from '../../parts.tsx';
import { Address, referenceMessage, ShareButtons } from '../../share.tsx';
import { fill, findText, money, whenOf } from '../../words.ts';
import { receiptAddressOf } from '../receipt.tsx';
import { MovementLine } from '../books/parts.tsx';
import { EventList } from '../payment.tsx';
import { REFERENCES } from './new.tsx';
import { priceOf, ReferenceState } from './references.tsx';
import { smsAddressOf } from './sms.tsx';

type Page = {
  reference: PprReference;
  history: Awaited<ReturnType<Api['references']['getHistory']>>;
  movements: { data: Movement[] };
};
type Part = { page: ScreenProps<Page> };

export const reference: Screen = {
  path: `${REFERENCES}/{pprReference}`,
  needs: 'readReference',
  live: ['reference', 'payment', 'refund'],
  reads: ({ params }) => ({
    reference: { operation: 'readReference', params },
    history: { operation: 'readReferenceHistory', params },
    movements: { operation: 'listTransactions', query: { reference: params['pprReference'] ?? '', limit: '100' } },
  }),
  acts: { referenceWithdraw: { operation: 'cancelReference', buildCall: (_, { params }) => ({ params }) } },
  render(page: Part['page']) {
    const t = textsOf(page);
    const { reference: shown } = page.data;
    const { reference: digits, referenceStatus, entity, payableUntil, registeredAt, checkoutUrl } = shown;
    const { of } = page.opened.query;
    const title = showReference(digits);
    const isOpen = referenceStatus === 'Pending';
    const content = (
      <>
        <Head title={title} back={{ href: REFERENCES, text: t['references.title'] }}>
          <a href={`/console/payments/${shown.internalId}`}>{t['charge.open']}</a>
        </Head>
        {of && of !== shown.internalId && (
          <p class="warning">
            {t['reference.reused']} <a href={`/console/payments/${encodeURIComponent(of)}`}>{t['charge.open']}</a>
          </p>
        )}
        <Card live="state">
          <p class="amount">{priceOf(page, shown)}</p>
          <p>
            <ReferenceState page={page} reference={shown} />
          </p>
          {isOpen && !registeredAt && <p class="quiet">{t['reference.unknown']}</p>}
          {payableUntil && <p class="warning">{fill(t['reference.late'], { when: whenOf(payableUntil) })}</p>}
        </Card>
        {isOpen && (
          <Card title={t['reference.give']}>
            <p class="quiet">{fill(t['reference.give.entity'], { entity })}</p>
            <p class="digits">{title}</p>
            <ShareButtons
              page={page}
              title={t['reference.give']}
              text={referenceMessage(page, shown)}
              phone={shown.customerTelephone}
            />
            {shown.customerTelephone && page.visitor.may('sendReferenceSms') && (
              <a class="button plain" href={smsAddressOf({ digits })}>
                {t['refsms.open']}
              </a>
            )}
            <Address page={page} url={checkoutUrl} />
          </Card>
        )}
        <Received page={page} />
        <div class="halves">
          <Card title={t['payment.timeline']} live="timeline">
            <Happened page={page} />
          </Card>
          <Card title={t['payment.details']} live="details">
            <Details page={page} />
          </Card>
        </div>
        {isOpen && page.visitor.may('cancelReference') && (
          <Card>
            <FoldedAct
              page={page}
              name="referenceWithdraw"
              title={t['act.withdraw']}
              sure={t['reference.withdraw.sure']}
              button={t['act.withdraw']}
              tone="plain danger"
            />
          </Card>
        )}
      </>
    );
    return { title, content };
  },
};

/** Payments and refunds of this reference. A later reference with the same digits has its own page. */
function Received({ page }: Part) {
  const t = textsOf(page);
  const { reference: shown, movements } = page.data;
  const own = movements.data.filter(({ paymentId }) => paymentId === shown.internalId);
  return (
    <section class="stack" data-live-part="received">
      {own.length > 0 && (
        <>
          <h2>{t['reference.received']}</h2>
          <a href={receiptAddressOf(shown.internalId)}>{t['receipt.open']}</a>
          <ul class="card list">
            {own.map((movement, nth) => (
              <MovementLine key={movement.id} page={page} movement={movement} before={own[nth - 1]} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Happened({ page }: Part) {
  const t = textsOf(page);
  const { history, reference: shown } = page.data;
  const events = history.data.flatMap(({ id, type, amount, occurredAt }) => {
    const text = findText(t, `event.${type}`);
    return text
      ? [{ id, occurredAt, text: amount === null ? text : `${text}${t['colon']}${money(amount, shown.currency)}` }]
      : [];
  });
  return <EventList events={events} />;
}

function Details({ page }: Part) {
  const t = textsOf(page);
  const { entity, referenceType, amountPaid, amountRefunded, currency, expiresAt, createdAt, ...shown } =
    page.data.reference;
  return (
    <Rows
      rows={[
        [t['payment.entity'], entity],
        [t['reference.kind'], t[`reference.kind.${referenceType}`]],
        [t['payment.paid'], amountPaid > 0 && money(amountPaid, currency)],
        [t['payment.refunded'], amountRefunded > 0 && money(amountRefunded, currency)],
        [t['payment.created'], whenOf(createdAt)],
        [t['payment.expires'], expiresAt < NO_END_DATE && whenOf(expiresAt)],
        [t['payment.description'], shown.description],
        [t['payment.customer'], shown.customerName],
        [t['payment.email'], shown.customerEmail],
        [t['payment.phone'], shown.customerTelephone],
        [t['payment.document'], shown.documentNumber],
      ]}
    />
  );
}
