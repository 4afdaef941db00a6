// The actions on a payment that its status allows and the visitor may use.
import type { Payment, Refundable as RefundableList } from '../../packages/client/src/contract.ts';
import type { Act } from '../../shared/console.ts';
import { dayOf } from '../../shared/luanda.ts';
import { addMinor, readMajor, toMajor, toReceivedMinor } from '../../shared/money.ts';
import { ActForm, Field, Folded, FoldedAct } from '../form.tsx';
import { CopyField, textsOf, type AnyScreenProps } from '../parts.tsx';
import { fill, money, whenOf, writeMajor } from '../words.ts';
import type { Part } from './payment.tsx';

type Refundable = RefundableList['data'][number];

/** Actions that stop an unpaid payment. One cancels pushes, pages and QR codes, the other withdraws references. */
export const STOP_ACTIONS: Record<'cancel' | 'withdraw', Act> = {
  cancel: {
    operation: 'cancelPayment',
    buildCall: (_, { params }) => ({ params: { internalPaymentId: params['paymentId'] ?? '' } }),
  },
  withdraw: {
    operation: 'cancelReference',
    buildCall: ({ reference = '' }) => ({ params: { pprReference: reference } }),
  },
};

export function Acts({ page }: Part) {
  const t = textsOf(page);
  const { may } = page.visitor;
  const { status, checkoutUrl, paymentType, paymentMethod, reference } = page.data.payment;
  const isReference = paymentType === 'PPR';
  const canCancel = status === 'Authorized' || (status === 'Pending' && !isReference);
  return (
    <section class="card pad stack" data-live-part="acts" aria-label={t['payment.acts']}>
      {status === 'Pending' && paymentMethod !== 'capture' && (
        <CopyField page={page} text={checkoutUrl} label={t['payment.link']} />
      )}
      {may('syncPayment') && !isReference && <ActForm page={page} name="sync" button={t['act.sync']} tone="plain" />}
      {status === 'Authorized' && may('createPayment') && <Capture page={page} />}
      <GiveBack page={page} />
      {canCancel && may('cancelPayment') && (
        <FoldedAct
          page={page}
          name="cancel"
          title={t['act.cancel']}
          sure={t['act.cancel.sure']}
          button={t['act.cancel']}
        />
      )}
      {isReference && status === 'Pending' && may('cancelReference') && (
        <FoldedAct
          page={page}
          name="withdraw"
          title={t['act.withdraw']}
          sure={t['act.cancel.sure']}
          button={t['act.withdraw']}
        >
          <input type="hidden" name="reference" value={reference} />
        </FoldedAct>
      )}
    </section>
  );
}

function Capture({ page }: Part) {
  const t = textsOf(page);
  const { amount, amountAuthorized, currency, reference } = page.data.payment;
  return (
    <FoldedAct
      page={page}
      name="capture"
      title={t['act.capture']}
      sure={t['act.capture.sure']}
      button={t['act.capture']}
    >
      <input type="hidden" name="reference" value={reference} />
      <input type="hidden" name="currency" value={currency} />
      <Field
        page={page}
        act="capture"
        name="amount"
        label={t['act.capture.amount']}
        inputmode="decimal"
        value={writeMajor(amountAuthorized ?? amount)}
        required
      />
    </FoldedAct>
  );
}

/** The daily refund limit of a cashier. Null for another role. Without a limit, a cashier refunds nothing. */
function limitOf({ visitor, data }: Part['page']): number | null {
  return visitor.role === 'Cashier' ? (data.merchant.cashierRefundLimit ?? 0) : null;
}

/** The refund form. It first states if the provider supports refunds, and its button shows the amount. */
function GiveBack({ page }: Part) {
  const t = textsOf(page);
  const { refundable } = page.data;
  if (!refundable || refundable.data.length === 0 || !page.visitor.may('createRefund')) return null;
  if (limitOf(page) === 0) return <p class="small quiet">{t['act.refund.limit.none']}</p>;
  const wanted = page.opened.query['money'] ?? page.refused?.typed['transactionId'];
  const [only, ...others] = refundable.data;
  const money =
    refundable.data.find(({ transactionId }) => transactionId === wanted) ?? (others.length > 0 ? null : only);
  if (!money) return <ChooseMoney page={page} />;
  const isOpen = wanted === money.transactionId;
  return (
    <>
      {money.byRail !== 'none' && (
        <Folded page={page} act="refund" title={t['act.refund']} isOpen={isOpen}>
          <RefundForm page={page} money={money} />
        </Folded>
      )}
      <Folded
        page={page}
        act="refundManual"
        title={money.byRail === 'none' ? t['act.refund'] : t['act.refund.manual']}
        isOpen={isOpen && money.byRail === 'none'}
      >
        <ManualForm page={page} money={money} />
      </Folded>
      {others.length > 0 && <a href={`/console/payments/${page.data.payment.internalId}`}>{t['act.refund.other']}</a>}
    </>
  );
}

/** The choice of the transaction to refund, if the payment has several. */
function ChooseMoney({ page }: Part) {
  const t = textsOf(page);
  const { payment, refundable } = page.data;
  return (
    <Folded page={page} act="refund" title={t['act.refund']}>
      <p>{t['act.refund.which']}</p>
      <ul class="plain-list">
        {(refundable?.data ?? []).map(({ transactionId, amount, currency, occurredAt }) => (
          <li key={transactionId}>
            <a href={`/console/payments/${payment.internalId}?money=${transactionId}`}>
              {money(amount, currency)} · {whenOf(occurredAt)}
            </a>
          </li>
        ))}
      </ul>
    </Folded>
  );
}

type OfMoney = Part & { money: Refundable };

/** Returns the default amount of a refund: the excess, or all that is left, and at most the cashier's limit. */
function proposalOf(page: Part['page'], { amount, currency }: Refundable): number {
  const { payment, refundable } = page.data;
  const isOverpaid = payment.attention === 'overpaid' && refundable?.data.length === 1;
  const excess = isOverpaid ? subtract(amount, payment.amount, currency) : 0;
  const limit = currency === 'AOA' ? limitOf(page) : null;
  return Math.min(excess > 0 ? excess : amount, limit ?? Infinity);
}

function subtract(amount: number, less: number, currency: string): number {
  const [left, taken] = [amount, less].map((each) => toReceivedMinor(String(each), currency));
  return 'minor' in left! && 'minor' in taken! ? toMajor(addMinor(left.minor, -taken.minor), currency) : 0;
}

function RefundForm({ page, money }: OfMoney) {
  const t = textsOf(page);
  const { transactionId, currency } = money;
  const field = { page, act: 'refund' } as const;
  const isWhole = money.byRail === 'whole';
  const amount = isWhole ? money.amount : proposalOf(page, money);
  return (
    <ActForm page={page} name="refund" button={sumOn(page, 'refund', t['act.refund.sum'], amount, currency)}>
      <p class="small quiet">
        {t['act.refund.sure']} {isWhole && t['act.refund.whole']}
      </p>
      <LimitNote page={page} />
      <input type="hidden" name="transactionId" value={transactionId} />
      {isWhole ? (
        <input type="hidden" name="amount" value={writeMajor(amount)} />
      ) : (
        <RefundAmount {...field} money={money} />
      )}
      <Field {...field} name="reason" label={t['act.refund.reason']} maxLength={200} />
    </ActForm>
  );
}

/** The form that records a refund which the merchant made by hand, with its proof. */
function ManualForm({ page, money }: OfMoney) {
  const t = textsOf(page);
  const { transactionId, currency, byRail } = money;
  const field = { page, act: 'refundManual' } as const;
  return (
    <ActForm
      page={page}
      name="refundManual"
      button={sumOn(page, 'refundManual', t['act.refund.manual.sum'], proposalOf(page, money), currency)}
    >
      <p class="small quiet">{byRail === 'none' ? t['act.refund.none'] : t['act.refund.manual.sure']}</p>
      <LimitNote page={page} />
      <input type="hidden" name="transactionId" value={transactionId} />
      <RefundAmount {...field} money={money} />
      <Field
        {...field}
        name="proof"
        label={t['act.refund.proof']}
        hint={t['act.refund.proof.hint']}
        maxLength={500}
        required
      />
      <Field {...field} name="refundedOn" label={t['act.refund.date']} type="date" value={dayOf(page.now)} required />
      <Field {...field} name="reason" label={t['act.refund.reason']} maxLength={200} />
    </ActForm>
  );
}

/** States the daily limit of a cashier. */
function LimitNote({ page }: Part) {
  const limit = limitOf(page);
  if (limit === null) return null;
  return <p class="small quiet">{fill(textsOf(page)['act.refund.limit'], { amount: money(limit, 'AOA') })}</p>;
}

function RefundAmount({ money: refundable, ...field }: OfMoney & { act: string }) {
  const t = textsOf(field.page);
  const { amount, currency } = refundable;
  return (
    <Field
      {...field}
      name="amount"
      label={t['act.refund.amount']}
      hint={fill(t['act.refund.left'], { amount: money(amount, currency) })}
      inputmode="decimal"
      value={writeMajor(proposalOf(field.page, refundable))}
      maxLength={16}
      required
    />
  );
}

/** The text of the refund button with the typed amount. A script keeps the amount current. */
function sumOn({ refused }: Part['page'], act: string, text: string, amount: number, currency: string) {
  const typed = refused?.act === act ? readMajor(refused.typed['amount'] ?? '') : amount;
  const [before = '', after = ''] = text.split('{amount}');
  return (
    <span data-sum={`${act}-amount`} data-currency={currency}>
      {before}
      <span>{typed === null ? '' : money(typed, currency)}</span>
      {after}
    </span>
  );
}

/** States why the payment's money needs a person. Receipts are printed without this note. */
export function AmountNote({ page, payment }: { page: AnyScreenProps; payment: Payment }) {
  const t = textsOf(page);
  const { attention, standing, amount, amountPaid, currency, maxTransactions, referenceType } = payment;
  if (!attention) return null;
  const isAmount = attention === 'overpaid' || attention === 'amount_mismatch';
  const isRepeated = (maxTransactions ?? 1) > 1 || referenceType === 'Charging';
  const isUnclear = isAmount && (isRepeated || amountPaid === 0);
  const text = isUnclear
    ? t['payment.odd']
    : standing === 'reserved_late'
      ? t['payment.reserved_late']
      : t[`payment.${attention}`];
  return (
    <p class="warning unprinted">{fill(text, { paid: money(amountPaid, currency), asked: money(amount, currency) })}</p>
  );
}
