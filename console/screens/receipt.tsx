// The receipt of a payment: on paper of three widths, by SMS, mail and messengers, at any time after the payment.
import type { Merchant, Payment, Refund, ReplacementOutlook, SmsBalance } from '../../packages/client/src/contract.ts';
import type { Act, OperationCall, ScreenProps } from '../../shared/console.ts';
import { showPhone } from '../../shared/phone.ts';
import {
  describeReceipt,
  hasReceipt,
  isForMany,
  writeReceipt,
  writeReceiptSms,
  type Receipt,
  type ReceiptData,
} from '../../shared/receipt.ts';
import { measureText } from '../../shared/sms-parts.ts';
import { ActForm, Field, Folded } from '../form.tsx';
import type { Screen } from '../layout.tsx';
import { Chips, Empty, Head, Rows, textsOf, type AnyScreenProps } from '../parts.tsx';
import type { Cashiers } from '../search.tsx';
import { ShareButtons } from '../share.tsx';
import { fill, grouped, money, whenOf } from '../words.ts';

const PAYMENT = '/console/payments/{paymentId}';

/** The address of a payment's receipt. @param transactionId the only transaction of the receipt */
export function receiptAddressOf(paymentId: string, transactionId?: string): string {
  const address = `${PAYMENT.replace('{paymentId}', encodeURIComponent(paymentId))}/receipt`;
  return transactionId ? `${address}?transaction=${encodeURIComponent(transactionId)}` : address;
}

/** The data that a screen with a receipt reads. */
export type ReceiptPage = {
  payment: Payment;
  merchant: Merchant;
  /** The push of the payment, with the number that received it. */
  outlook: ReplacementOutlook;
  /** Absent while the payment has no money. */
  refunds?: { data: Refund[] };
  cashiers?: Cashiers;
  /** Null if the visitor may not read the balance. */
  smsBalance?: SmsBalance | null;
};
type Part = { page: ScreenProps<ReceiptPage> };

/** The reads of a receipt that follow the payment. A payment without money has no further reads. */
export function readsOfReceipt({ payment }: Pick<ReceiptPage, 'payment'>): Record<string, OperationCall> {
  if (!hasReceipt(payment)) return {};
  return {
    refunds: { operation: 'listPaymentRefunds', params: { internalPaymentId: payment.internalId } },
    cashiers: { operation: 'listCashiers' },
    smsBalance: { operation: 'readSmsBalance' },
  };
}

const sendBy = (channel: 'sms' | 'mail'): Act => ({
  operation: 'sendReceipt',
  buildCall: ({ to = '', transactionId }, { params: { paymentId = '' } }) => ({
    params: { paymentId },
    body: { channel, to, ...(transactionId && { transactionId }) },
  }),
});

/** The forms that send a receipt. */
export const RECEIPT_ACTIONS: Record<'receiptSms' | 'receiptMail', Act> = {
  receiptSms: sendBy('sms'),
  receiptMail: sendBy('mail'),
};

/** The receipt of the same transaction. */
const resultPath: Act['resultPath'] = (_, { params: { paymentId = '' }, query }) =>
  receiptAddressOf(paymentId, query['transaction']);

export const receipt: Screen = {
  path: `${PAYMENT}/receipt`,
  needs: 'readPayment',
  live: ['payment', 'reference', 'refund'],
  reads: ({ params: { paymentId = '' } }) => ({
    payment: { operation: 'readPayment', params: { paymentId } },
    merchant: { operation: 'readMerchant' },
    outlook: { operation: 'readReplacement', params: { paymentId } },
  }),
  readsAfter: readsOfReceipt,
  acts: {
    receiptSms: { ...RECEIPT_ACTIONS.receiptSms, resultPath },
    receiptMail: { ...RECEIPT_ACTIONS.receiptMail, resultPath },
  },
  render(page: ScreenProps<ReceiptPage>) {
    const t = textsOf(page);
    const { payment } = page.data;
    const { reference, internalId } = payment;
    const back = { href: PAYMENT.replace('{paymentId}', internalId), text: reference };
    const content = (
      <>
        <div class="unprinted">
          <Head title={t['receipt.title']} back={back} />
        </div>
        {hasReceipt(payment) ? (
          <>
            <Choice page={page} />
            <ReceiptPrinting page={page} />
            <div data-live-part="receipt">
              <ReceiptSheet page={page} />
            </div>
            <div data-live-part="receipt-send">
              <ReceiptSending page={page} />
            </div>
          </>
        ) : (
          <Empty text={t['receipt.none']} />
        )}
      </>
    );
    return { title: `${t['receipt.title']} · ${reference}`, content };
  },
};

/** The chosen transaction, for a payment that several customers pay. */
function chosenOf({ data: { payment }, opened }: Part['page']): string | undefined {
  const wanted = opened.query['transaction'];
  return payment.transactions.find(({ id }) => id === wanted && isForMany(payment))?.id;
}

function dataOf(page: Part['page']): ReceiptData {
  const { payment, merchant, refunds, cashiers } = page.data;
  return {
    payment,
    refunds: refunds?.data ?? [],
    shop: { name: merchant.name, taxId: merchant.taxId },
    servedBy: cashiers?.data.find(({ id }) => id === payment.createdBy)?.name ?? null,
    transactionId: chosenOf(page),
  };
}

/** The receipt in the shop's language, because the customer reads it. */
const receiptOf = (page: Part['page']): Receipt => describeReceipt(page.data.merchant.defaultLanguage, dataOf(page));

/** The most single transactions that a receipt links to. */
const MAX_CHOICES = 20;

/** Links to the receipts of the newest transactions, for a payment that several customers pay. */
function Choice({ page }: Part) {
  const t = textsOf(page);
  const { payment } = page.data;
  const { internalId, transactions } = payment;
  if (!isForMany(payment) || transactions.length < 2) return null;
  const chosen = chosenOf(page);
  const chips = transactions
    .slice(-MAX_CHOICES)
    .toReversed()
    .map(({ id, amount, currency, occurredAt }) => ({
      href: receiptAddressOf(internalId, id),
      text: `${money(amount, currency)} · ${whenOf(occurredAt)}`,
      isOn: id === chosen,
    }));
  const all = { href: receiptAddressOf(internalId), text: t['receipt.all'], isOn: !chosen };
  return <Chips label={t['receipt.one']} chips={[all, ...chips]} />;
}

const PAPERS = ['58', '80', 'a4'] as const;
const USUAL_PAPER = '80';

/** The choice of the paper, which works by CSS alone, and the print button. The script remembers the choice. */
export function ReceiptPrinting({ page }: { page: AnyScreenProps }) {
  const t = textsOf(page);
  return (
    <div class="printing unprinted">
      <fieldset class="papers">
        <legend>{t['receipt.paper']}</legend>
        {PAPERS.map((paper) => (
          <label key={paper} class="check">
            <input
              type="radio"
              name="paper"
              value={paper}
              defaultChecked={paper === USUAL_PAPER}
              autocomplete="off"
              data-paper
            />
            {t[`receipt.paper.${paper}`]}
          </label>
        ))}
      </fieldset>
      <button type="button" data-print hidden>
        {t['receipt.print']}
      </button>
      <p class="small quiet">{t['receipt.print.hint']}</p>
    </div>
  );
}

/** The sheet of paper. Of the whole page, only this part is printed. */
export function ReceiptSheet({ page }: Part) {
  const { title, shop, taxId, received, refunded, lines, note } = receiptOf(page);
  return (
    <article class="slip" lang={page.data.merchant.defaultLanguage}>
      <header>
        <p class="shop">{shop}</p>
        {taxId && (
          <p>
            {taxId.label} {taxId.value}
          </p>
        )}
        <h2>{title}</h2>
      </header>
      {[received, refunded].map(
        (sum) =>
          sum && (
            <p key={sum.label} class="sum">
              <span>{sum.label}</span> <strong>{sum.value}</strong>
            </p>
          ),
      )}
      <Rows rows={lines.map(({ label, value }) => [label, value])} />
      <p class="note">{note}</p>
      {page.visitor.sandbox && <p class="test">{textsOf(page)['poster.sandbox']}</p>}
    </article>
  );
}

/** The payer's number: the customer's number of a reference or link, or the number of the push. */
export function phoneOf({ payment, outlook }: Pick<ReceiptPage, 'payment' | 'outlook'>): string | null {
  const phone = payment.customerTelephone ?? outlook.push?.phoneNumber;
  return phone ? showPhone(phone) : null;
}

/** The buttons and forms that send the receipt. */
export function ReceiptSending({ page }: Part) {
  const { merchant } = page.data;
  const shown = receiptOf(page);
  const canSend = page.visitor.may('sendReceipt');
  return (
    <section class="card pad stack unprinted">
      <ShareButtons page={page} title={shown.title} text={writeReceipt(shown)} phone={phoneOf(page.data)} />
      {canSend && <SmsForm page={page} text={writeReceiptSms(merchant.defaultLanguage, dataOf(page))} />}
      {canSend && <MailForm page={page} />}
    </section>
  );
}

/** The transaction of the receipt, which the form sends too. */
function Chosen({ page }: Part) {
  const chosen = chosenOf(page);
  return chosen ? <input type="hidden" name="transactionId" value={chosen} /> : null;
}

function SmsForm({ page, text }: Part & { text: string }) {
  const t = textsOf(page);
  const { smsBalance } = page.data;
  const { parts } = measureText(text);
  const balance = smsBalance?.saldoAtual ?? null;
  return (
    <Folded page={page} act="receiptSms" title={t['receipt.sms']}>
      {balance !== null && balance < parts ? (
        <p>{fill(t['receipt.sms.empty'], { n: parts })}</p>
      ) : (
        <ActForm page={page} name="receiptSms" button={t['receipt.sms']}>
          <Chosen page={page} />
          <Field
            page={page}
            act="receiptSms"
            name="to"
            label={t['receipt.sms.phone']}
            type="tel"
            inputmode="tel"
            value={phoneOf(page.data) ?? ''}
            maxLength={20}
            required
          />
          <p class="bubble">{text}</p>
          {balance !== null && (
            <p class="small quiet">{fill(t['receipt.sms.cost'], { n: parts, balance: grouped(balance) })}</p>
          )}
        </ActForm>
      )}
    </Folded>
  );
}

function MailForm({ page }: Part) {
  const t = textsOf(page);
  return (
    <Folded page={page} act="receiptMail" title={t['receipt.mail']}>
      <ActForm page={page} name="receiptMail" button={t['receipt.mail']}>
        <Chosen page={page} />
        <Field
          page={page}
          act="receiptMail"
          name="to"
          label={t['receipt.mail.address']}
          hint={t['receipt.mail.hint']}
          type="email"
          value={page.data.payment.customerEmail ?? ''}
          maxLength={254}
          required
        />
      </ActForm>
    </Folded>
  );
}
