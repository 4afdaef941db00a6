// One payment: its amount, status, history, payer, refunds, deliveries and actions.
import type {
  Api,
  ListedDelivery,
  Merchant,
  Payment,
  Refund,
  Refundable,
  ReplacementOutlook,
  Webhook,
} from '../../packages/client/src/contract.ts';
import type { OperationCall, ScreenProps } from '../../shared/console.ts';
import { readMajor } from '../../shared/money.ts';
import { NO_END_DATE } from '../../shared/reference.ts';
import { hasReceipt } from '../../shared/receipt.ts';
import { isFinal } from '../../shared/status.ts';
import type { Screen } from '../layout.tsx';
import { Card, Head, Moment, Rows, textsOf } from '../parts.tsx';
import { creatorNameOf, type Cashiers } from '../search.tsx';
import { State } from '../state.tsx';
import { dayOf, fill, findText, money, whenOf } from '../words.ts';
import { Acts, AmountNote, STOP_ACTIONS } from './payment-actions.tsx';
import { Resolution, Resolve, resolveCall } from './payment-resolve.tsx';
import { phoneOf, receiptAddressOf } from './receipt.tsx';
import { Deliveries, Refunds } from './payment-refunds-deliveries.tsx';

const PATH = '/console/payments/{paymentId}';

const MOST_WEBHOOKS = 5;

type PaymentData = {
  payment: Payment;
  history: Awaited<ReturnType<Api['payments']['getHistory']>>;
  refunds: { data: Refund[] };
  refundable: Refundable | null;
  merchant: Merchant;
  outlook: ReplacementOutlook;
  cashiers: Cashiers;
  callbacks: { data: ListedDelivery[] } | null;
  /** The merchant's callback endpoint. Null without one, or if the visitor may not read it. */
  endpoint: object | null;
  webhooks: { data: Webhook[] } | null;
};
/** The data of the payment screen. `webhook-0` has the deliveries of the first webhook. */
type Page = PaymentData & Record<`webhook-${number}`, { data: ListedDelivery[] }>;

export type Part = { page: ScreenProps<Page> };

export const payment: Screen = {
  path: PATH,
  needs: 'readPayment',
  live: ['payment', 'reference', 'refund', 'callback'],
  reads({ params: { paymentId = '' } }, { may }) {
    const ofPayment = { params: { internalPaymentId: paymentId } };
    const deliveries: OperationCall = { operation: 'listCallbacks', query: { paymentId, pageSize: '20' } };
    return {
      payment: { operation: 'readPayment', params: { paymentId } },
      history: { operation: 'readPaymentHistory', params: { paymentId } },
      refunds: { operation: 'listPaymentRefunds', ...ofPayment },
      refundable: may('createRefund') ? { operation: 'listRefundable', params: ofPayment.params } : null,
      merchant: { operation: 'readMerchant' },
      outlook: { operation: 'readReplacement', params: { paymentId } },
      cashiers: { operation: 'listCashiers' },
      callbacks: may('listCallbacks') ? deliveries : null,
      endpoint: may('readCallbackEndpoint') ? { operation: 'readCallbackEndpoint', nullIfMissing: true } : null,
      webhooks: may('listWebhooks') ? { operation: 'listWebhooks' } : null,
    };
  },
  readsAfter({ webhooks }: PaymentData, { params: { paymentId = '' } }) {
    const asks = (webhooks?.data ?? [])
      .slice(0, MOST_WEBHOOKS)
      .map(({ id: webhookId }, nth): [string, OperationCall] => [
        `webhook-${nth}`,
        { operation: 'listWebhookDeliveries', params: { webhookId }, query: { paymentId, pageSize: '20' } },
      ]);
    return Object.fromEntries(asks);
  },
  acts: {
    sync: { operation: 'syncPayment', buildCall: (_, { params }) => ({ params }) },
    ...STOP_ACTIONS,
    resolve: { operation: 'resolvePayment', buildCall: resolveCall },
    capture: {
      operation: 'createPayment',
      buildCall({ amount: typed = '', reference, currency }, { params }) {
        const amount = readMajor(typed);
        if (amount === null) return 'amount';
        const metadata = { paymentMethod: 'capture', authorizationId: params['paymentId'] };
        return { body: { paymentType: 'GPO', amount, currency, reference, metadata } };
      },
      resultPath: ({ internalId }: { internalId: string }) => `/console/payments/${internalId}`,
    },
    refund: { operation: 'createRefund', buildCall: (form, { params }) => refundCall(form, params) },
    refundManual: {
      operation: 'createRefund',
      buildCall: ({ proof = '', refundedOn, ...form }, { params }) =>
        refundCall(form, params, { method: 'manual', proof, ...(refundedOn && { refundedOn }) }),
    },
    replay: { operation: 'replayCallback', buildCall: ({ deliveryId = '' }) => ({ params: { deliveryId } }) },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { payment } = page.data;
    const { reference, status, amount, currency, failure } = payment;
    const content = (
      <>
        <Head title={reference} back={{ href: '/console/payments', text: t['payment.back'] }} />
        <Card live="state">
          <p class="amount">{money(amount, currency)}</p>
          <p>
            <State page={page} payment={payment} />
            {failure && status !== 'Paid' && `${t['colon']}${findText(t, `failure.${failure.code}`) ?? failure.code}`}
          </p>
          <AmountNote page={page} payment={payment} />
          {payment.late && !payment.attention && <p class="quiet">{t['payment.late']}</p>}
          <Resolution page={page} />
        </Card>
        <Resolve page={page} />
        <Acts page={page} />
        <div data-live-part="receipt">
          {hasReceipt(payment) && (
            <Card title={t['receipt.title']}>
              <a class="button plain" href={receiptAddressOf(payment.internalId)}>
                {t['receipt.open']}
              </a>
            </Card>
          )}
        </div>
        <div class="halves">
          <Card title={t['payment.timeline']} live="timeline">
            <Timeline page={page} />
          </Card>
          <Card title={t['payment.details']} live="details">
            <Details page={page} />
          </Card>
        </div>
        <Refunds page={page} />
        <Deliveries page={page} />
        {payment.customMetadata && (
          <Card title={t['payment.metadata']}>
            <pre tabIndex={0}>{JSON.stringify(payment.customMetadata, null, 2)}</pre>
          </Card>
        )}
      </>
    );
    return { title: reference, content, ...(!isFinal(status) && { refresh: 10 }) };
  },
};

/** The API call of a refund. An empty amount is refused, because it does not mean the whole amount. */
function refundCall(
  { amount: typed = '', reason, transactionId }: Record<string, string>,
  { paymentId = '' }: Record<string, string>,
  also: object = {},
) {
  const amount = readMajor(typed);
  if (amount === null) return 'amount';
  const body = { amount, ...(transactionId && { transactionId }), ...(reason && { reason }), ...also };
  return { params: { internalPaymentId: paymentId }, body };
}

/** The payment's events as text. Events without a text are omitted, because they concern only programs. */
function Timeline({ page }: Part) {
  const t = textsOf(page);
  const { history, payment } = page.data;
  const events = history.data.flatMap(({ id, type, occurredAt, actor, details: { failureCode, note } }) => {
    const text = findText(t, `event.${type}.${payment.paymentMethod}`) ?? findText(t, `event.${type}`);
    // Each event type has its own details, so the API contract leaves their fields open.
    const reason = typeof failureCode === 'string' && (findText(t, `failure.${failureCode}`) ?? failureCode);
    const why = reason || (typeof note === 'string' && note);
    if (!text) return [];
    const by = actor?.name ? fill(t['payment.event.by'], { event: text, name: actor.name }) : text;
    return [{ id, occurredAt, text: why ? `${by}${t['colon']}${why}` : by }];
  });
  return <EventList events={events} />;
}

/** A list of events. The first event of a day has the date. */
export function EventList({ events }: { events: { id: string; occurredAt: string; text: string }[] }) {
  return (
    <ol class="timeline">
      {events.map(({ id, occurredAt, text }, nth) => {
        const before = events[nth - 1];
        const day = dayOf(occurredAt);
        return (
          <li key={id}>
            {(!before || dayOf(before.occurredAt) !== day) && <span class="day">{day}</span>}
            <Moment at={occurredAt} isShort />
            <span>{text}</span>
          </li>
        );
      })}
    </ol>
  );
}

/** The name of the person or client that caused the newest event of this type. Null without one. */
function actorNameOf({ data }: Page['history'], type: string): string | null {
  return data.findLast((event) => event.type === type)?.actor?.name ?? null;
}

function Details({ page }: Part) {
  const t = textsOf(page);
  const { payment } = page.data;
  const { amountPaid, amountRefunded, currency, expiresAt } = payment;
  const when = (at: string | null) => at && whenOf(at);
  return (
    <Rows
      rows={[
        [t['payment.method'], findText(t, `method.${payment.paymentMethod}`) ?? payment.paymentMethod],
        [t['search.cashier'], creatorNameOf(page, payment, page.data.cashiers)],
        [t['payment.canceledBy'], actorNameOf(page.data.history, 'payment.canceled')],
        [t['payment.entity'], payment.entity],
        [t['payment.paid'], amountPaid > 0 && money(amountPaid, currency)],
        [t['payment.refunded'], amountRefunded > 0 && money(amountRefunded, currency)],
        [t['payment.created'], whenOf(payment.createdAt)],
        [t['payment.completed'], when(payment.completedAt)],
        [t['payment.expires'], !isFinal(payment.status) && expiresAt && expiresAt < NO_END_DATE && whenOf(expiresAt)],
        [t['payment.description'], payment.description],
        [t['payment.customer'], payment.customerName],
        [t['payment.email'], payment.customerEmail],
        [t['payment.phone'], phoneOf(page.data)],
        [t['payment.document'], payment.documentNumber],
        [t['payment.id'], <span class="small">{payment.internalId}</span>],
      ]}
    />
  );
}
