// A payment at the counter: the customer's next step, the outcome, and the receipt.
import type { Payment, ReplacementOutlook } from '../../packages/client/src/contract.ts';
import type { Act, ScreenProps } from '../../shared/console.ts';
import { showPhone } from '../../shared/phone.ts';
import { isFinal } from '../../shared/status.ts';
import { ActForm, Field, Folded, FoldedAct } from '../form.tsx';
import { Icon } from '../icons.tsx';
import { Island } from '../islands/island.tsx';
import type { Screen } from '../layout.tsx';
import { Head, Rows, textsOf } from '../parts.tsx';
import { moneyLookOf, State, wordOf } from '../state.tsx';
import { fill, findText, hourOf, money, unbroken, whenOf } from '../words.ts';
import { Signals } from './signals.tsx';
import { API_METHODS, METHODS, type Method } from './ways.ts';
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

type Page = ReceiptPage & { outlook: ReplacementOutlook; first?: Payment };
type Part = { page: ScreenProps<Page> };

/** Charges the same money in another way, without typing anything again. */
const REPLACE: Act = {
  operation: 'replacePayment',
  buildCall: ({ way = '', phone = '' }, { params }) => ({
    params: { paymentId: params['paymentId'] ?? '' },
    body: { paymentMethod: API_METHODS[way as Method], ...(phone && { phoneNumber: phone }) },
  }),
  resultPath: ({ internalId }: { internalId: string }) => `/console/charge/${internalId}`,
};

export const charging: Screen = {
  path: PATH,
  needs: 'createPayment',
  live: ['payment', 'reference', 'refund'],
  reads: ({ params: { paymentId = '' } }) => ({
    payment: { operation: 'readPayment', params: { paymentId } },
    merchant: { operation: 'readMerchant' },
    outlook: { operation: 'readReplacement', params: { paymentId } },
  }),
  readsAfter: ({ payment }: Page) => ({
    ...readsOfReceipt({ payment }),
    ...(payment.replaces && { first: { operation: 'readPayment', params: { paymentId: payment.replaces } } }),
  }),
  acts: {
    ...STOP_ACTIONS,
    replace: REPLACE,
    ...RECEIPT_ACTIONS,
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { payment } = page.data;
    const title = titleOf(page);
    const { internalId, replaces, status } = payment;
    const content = (
      <div class="charging" data-now={page.now.toISOString()}>
        <div class="unprinted">
          <Head title={t['charge.title']} back={{ href: '/console/charge', text: t['charge.next'] }} />
        </div>
        <div data-live-part="charging" data-say={title} data-result={resultOf(payment)}>
          {isPaid(payment) ? <Receipt page={page} /> : <Waiting page={page} />}
        </div>
        <div data-live-part="receipt-send">{isPaid(payment) && <ReceiptSending page={page} />}</div>
        <div data-live-part="then">
          <Then page={page} />
        </div>
        <Signals page={page} />
      </div>
    );
    const follows = [internalId, replaces].filter(Boolean).join(' ');
    return { title, content, follows, ...(!isFinal(status) && { refresh: 4 }) };
  },
};

/** The result that the page signals by sound and vibration. A cashier's own cancellation is no result. */
function resultOf({ status }: Payment): 'paid' | 'refused' | undefined {
  if (status === 'Paid') return 'paid';
  return status === 'Failed' || status === 'Expired' ? 'refused' : undefined;
}

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
  const { status, amount, currency, entity, reference, clientToken, failure } = payment;
  const isOpen = !isFinal(status);
  const texts = { live: t['charge.untold'], asking: t['charge.asking'], away: t['charge.away'] };
  const way = wayOf(payment);
  return (
    <section class="card pad stack center">
      <p class="amount huge">{money(amount, currency)}</p>
      <p>
        <State page={page} payment={payment} />
        {failure && `: ${findText(t, `failure.${failure.code}`) ?? failure.code}`}
      </p>
      <AmountNote page={page} payment={payment} />
      <FirstPaid page={page} />
      <Sent page={page} />
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

const wayOf = ({ paymentMethod }: Payment): Method =>
  METHODS.find((way) => API_METHODS[way] === paymentMethod) ?? 'push';

/** The number of the push in full, so that a wrong digit is noticed, and the customer's time. */
function Sent({ page }: Part) {
  const t = textsOf(page);
  const { push } = page.data.outlook;
  if (!push) return null;
  const { phoneNumber, sentAt, expiresAt } = push;
  const texts = { label: t['charge.clock'], over: t['charge.clock.over'] };
  return (
    <>
      <p>
        {t['charge.sent']}
        <br />
        <strong class="digits" translate={false}>
          {showPhone(phoneNumber)}
        </strong>
      </p>
      {page.data.payment.status === 'Processing' && (
        <Island name="clock" props={{ sentAt, expiresAt, ...texts }} onServer={{ now: page.now.toISOString() }} />
      )}
    </>
  );
}

/** Warns if the payment that this one replaced was paid after all. */
function FirstPaid({ page }: Part) {
  const t = textsOf(page);
  const { first, payment } = page.data;
  if (!first || first.amountPaid === 0) return null;
  const isTwice = payment.amountPaid > 0;
  return (
    <p class="warning unprinted">
      {fill(t[isTwice ? 'charge.first.twice' : 'charge.first.paid'], {
        amount: money(first.amountPaid, first.currency),
      })}{' '}
      <a href={`/console/payments/${first.internalId}`}>{t['charge.first.open']}</a>
    </p>
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
        <FirstPaid page={page} />
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
      <AnotherWay page={page} />
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

/** The other ways to pay the same money, as soon as the first request can take no money any more. */
function AnotherWay({ page }: Part) {
  const t = textsOf(page);
  const { payment, outlook } = page.data;
  const { isReplaceable, payableUntil, push } = outlook;
  if (payment.replacedBy && !isPaid(payment))
    return (
      <>
        <p>{t['charge.replaced']}</p>
        <a class="button" href={`/console/charge/${payment.replacedBy}`}>
          {t['charge.replaced.open']}
        </a>
      </>
    );
  if (payment.status === 'Processing')
    return push && <p class="small quiet">{fill(t['charge.another.later'], { time: hourOf(push.expiresAt) })}</p>;
  if (payableUntil) return <p class="small quiet">{fill(t['charge.another.until'], { when: whenOf(payableUntil) })}</p>;
  if (!isReplaceable || !page.visitor.may('replacePayment')) return null;
  const others = METHODS.filter((way) => way !== 'push' && way !== wayOf(payment));
  return (
    <section class="stack" aria-labelledby="another">
      <h2 id="another">{t[isFinal(payment.status) ? 'charge.another.again' : 'charge.another']}</h2>
      {!isFinal(payment.status) && <p class="small quiet">{t['charge.another.instead']}</p>}
      <div class="another">
        {others.map((way) => (
          <ActForm key={way} page={page} name="replace" button={t[`charge.${way}`]} tone="plain">
            <input type="hidden" name="way" value={way} />
          </ActForm>
        ))}
        {push && (
          <ActForm
            page={page}
            name="replace"
            button={fill(t['charge.another.push'], { phone: unbroken(showPhone(push.phoneNumber)) })}
            tone="plain"
          >
            <input type="hidden" name="way" value="push" />
          </ActForm>
        )}
      </div>
      <Folded page={page} act="replace" title={t[push ? 'charge.another.number' : 'charge.push']}>
        <ActForm page={page} name="replace" button={t['charge.another.send']} tone="plain">
          <input type="hidden" name="way" value="push" />
          <Field
            page={page}
            act="replace"
            name="phone"
            pointer="phoneNumber"
            label={t['charge.phone']}
            type="tel"
            inputmode="tel"
            value={push ? showPhone(push.phoneNumber) : ''}
            maxLength={20}
            required
          />
        </ActForm>
      </Folded>
    </section>
  );
}
