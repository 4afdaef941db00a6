// A payment at the counter: the customer's next step, the outcome, and the receipt.
import type { Payment } from '../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../shared/console.ts';
import { isFinal } from '../../shared/status.ts';
import { FoldedAct } from '../form.tsx';
import { Icon } from '../icons.tsx';
import { Island } from '../islands/island.tsx';
import type { Screen } from '../layout.tsx';
import { Head, Rows, textsOf } from '../parts.tsx';
import { moneyLookOf, State, wordOf } from '../state.tsx';
import { findText, money } from '../words.ts';
import { AmountNote, STOP_ACTIONS } from './payment-actions.tsx';
import {
  readsOfReceipt,
  RECEIPT_ACTIONS,
  ReceiptPrinting,
  ReceiptSending,
  ReceiptSheet,
  type ReceiptPage,
} from './receipt.tsx';

const PATH = '/console/charge/{paymentId}';

type Page = ReceiptPage;
type Part = { page: ScreenProps<Page> };

export const charging: Screen = {
  path: PATH,
  needs: 'createPayment',
  live: ['payment', 'reference', 'refund'],
  reads: ({ params: { paymentId = '' } }) => ({
    payment: { operation: 'readPayment', params: { paymentId } },
    merchant: { operation: 'readMerchant' },
    outlook: { operation: 'readReplacement', params: { paymentId } },
  }),
  readsAfter: readsOfReceipt,
  acts: {
    ...STOP_ACTIONS,
    ...RECEIPT_ACTIONS,
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { payment } = page.data;
    const title = titleOf(page);
    const content = (
      <>
        <div class="unprinted">
          <Head title={t['charge.title']} back={{ href: '/console/charge', text: t['charge.next'] }} />
        </div>
        <div data-live-part="charging" data-say={title}>
          {isPaid(payment) ? <Receipt page={page} /> : <Waiting page={page} />}
        </div>
        <div data-live-part="receipt-send">{isPaid(payment) && <ReceiptSending page={page} />}</div>
        <div data-live-part="then">
          <Then page={page} />
        </div>
      </>
    );
    return { title, content, ...(!isFinal(payment.status) && { refresh: 4 }) };
  },
};

/** The title of the browser tab, such as `Pago · 1 500,00 Kz`. Screen readers announce its changes. */
function titleOf(page: ScreenProps<Page>): string {
  const t = textsOf(page);
  const { amount, amountPaid, currency, failure } = page.data.payment;
  const reason = failure && (findText(t, `failure.${failure.code}`) ?? failure.code);
  const sum = money(isPaid(page.data.payment) ? amountPaid : amount, currency);
  return [wordOf(page, page.data.payment), reason, sum].filter(Boolean).join(' · ');
}

const isPaid = ({ status }: Payment) => status === 'Paid';

function Waiting({ page }: Part) {
  const t = textsOf(page);
  const { payment } = page.data;
  const { status, amount, currency, paymentMethod, entity, reference, clientToken, failure } = payment;
  const isOpen = !isFinal(status);
  const texts = { live: t['charge.untold'], asking: t['charge.asking'], away: t['charge.away'] };
  const way = { onetimepurchase: 'push', qrcode: 'qrcode', reference: 'reference' }[paymentMethod] ?? 'push';
  return (
    <section class="card pad stack center">
      <p class="amount huge">{money(amount, currency)}</p>
      <p>
        <State page={page} payment={payment} />
        {failure && `: ${findText(t, `failure.${failure.code}`) ?? failure.code}`}
      </p>
      <AmountNote page={page} payment={payment} />
      {isOpen && <p>{findText(t, `charge.wait.${way}`)}</p>}
      {isOpen && way === 'qrcode' && (
        <img
          class="code"
          src={`/checkout/${clientToken}/qrcode.svg`}
          alt={t['charge.qrcode.alt']}
          width="320"
          height="320"
        />
      )}
      {isOpen && way === 'reference' && (
        <Rows
          rows={[
            [t['charge.entity'], <span class="digits">{entity}</span>],
            [t['charge.reference'], <span class="digits">{reference.replace(/(\d{3})(?=\d)/g, '$1 ')}</span>],
          ]}
        />
      )}
      {isOpen && <Island name="connection" props={{ texts }} />}
    </section>
  );
}

/** The outcome, and the receipt. Only the receipt is printed. */
function Receipt({ page }: Part) {
  const { payment } = page.data;
  const look = moneyLookOf(payment);
  return (
    <div class="stack">
      <section class="card pad center stack unprinted">
        <Icon name={look?.icon ?? 'check'} tone={`sign ${look?.tone ?? 'success'}`} />
        <p class="amount huge">{money(payment.amountPaid, payment.currency)}</p>
        <p>
          <State page={page} payment={payment} />
        </p>
        <AmountNote page={page} payment={payment} />
      </section>
      <ReceiptPrinting page={page} />
      <ReceiptSheet page={page} />
    </div>
  );
}

function Then({ page }: Part) {
  const t = textsOf(page);
  const { may } = page.visitor;
  const { payment } = page.data;
  const { status, internalId, paymentType, reference } = payment;
  const isReference = paymentType === 'PPR';
  const stop = isReference ? 'withdraw' : 'cancel';
  return (
    <section class="card pad stack unprinted">
      {status === 'Pending' && may(isReference ? 'cancelReference' : 'cancelPayment') && (
        <FoldedAct
          page={page}
          name={stop}
          title={t['charge.cancel']}
          sure={t['charge.cancel.sure']}
          button={t['charge.cancel']}
        >
          {isReference && <input type="hidden" name="reference" value={reference} />}
        </FoldedAct>
      )}
      {isFinal(status) && (
        <a class="button" href="/console/charge">
          {t['charge.next']}
        </a>
      )}
      <a href={`/console/payments/${internalId}`}>{t['charge.open']}</a>
    </section>
  );
}
