// The actions on a payment that its status allows and the visitor may use.
import type { Payment, Refundable as RefundableList } from '../../packages/client/src/contract.ts';
import type { Act } from '../../shared/console.ts';
import { readMajor } from '../../shared/money.ts';
import { ActForm, Field, Folded, FoldedAct } from '../form.tsx';
import { Copy, textsOf, type AnyDrawn } from '../parts.tsx';
import { fill, money, whenOf, writeMajor } from '../words.ts';
import type { Part } from './payment.tsx';

type Refundable = RefundableList['data'][number];

/** Actions that stop an unpaid payment: one cancels pushes, pages and codes, the other withdraws references. */
export const STOPS: Record<'cancel' | 'withdraw', Act> = {
  cancel: {
    operation: 'cancelPayment',
    ask: (_, { params }) => ({ params: { internalPaymentId: params['paymentId'] ?? '' } }),
  },
  withdraw: {
    operation: 'cancelReference',
    ask: ({ reference = '' }) => ({ params: { pprReference: reference } }),
  },
};

export function Acts({ drawn }: Part) {
  const t = textsOf(drawn);
  const { may } = drawn.visitor;
  const { status, checkoutUrl, paymentType, paymentMethod, reference } = drawn.data.payment;
  const isReference = paymentType === 'PPR';
  const canCancel = status === 'Authorized' || (status === 'Pending' && !isReference);
  return (
    <section class="card pad stack" data-live-part="acts" aria-label={t['payment.acts']}>
      {status === 'Pending' && paymentMethod !== 'capture' && (
        <Copy drawn={drawn} text={checkoutUrl} label={t['payment.link']} />
      )}
      {may('syncPayment') && !isReference && <ActForm drawn={drawn} name="sync" button={t['act.sync']} look="plain" />}
      {status === 'Authorized' && may('createPayment') && <Capture drawn={drawn} />}
      <GiveBack drawn={drawn} />
      {canCancel && may('cancelPayment') && (
        <FoldedAct
          drawn={drawn}
          name="cancel"
          title={t['act.cancel']}
          sure={t['act.cancel.sure']}
          button={t['act.cancel']}
        />
      )}
      {isReference && status === 'Pending' && may('cancelReference') && (
        <FoldedAct
          drawn={drawn}
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

function Capture({ drawn }: Part) {
  const t = textsOf(drawn);
  const { amount, amountAuthorized, currency, reference } = drawn.data.payment;
  return (
    <FoldedAct
      drawn={drawn}
      name="capture"
      title={t['act.capture']}
      sure={t['act.capture.sure']}
      button={t['act.capture']}
    >
      <input type="hidden" name="reference" value={reference} />
      <input type="hidden" name="currency" value={currency} />
      <Field
        drawn={drawn}
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

/** A cashier may refund only if the merchant has set a refund limit for cashiers. */
function mayGiveBack({ visitor, data }: Part['drawn']): boolean {
  return visitor.may('createRefund') && (visitor.role !== 'Cashier' || !!data.merchant.cashierRefundLimit);
}

/** The form says first whether the provider gives money back, and its button names the sum. */
function GiveBack({ drawn }: Part) {
  const t = textsOf(drawn);
  const { refundable } = drawn.data;
  if (!refundable || refundable.data.length === 0 || !mayGiveBack(drawn)) return null;
  const wanted = drawn.opened.query['money'] ?? drawn.refused?.typed['transactionId'];
  const [only, ...others] = refundable.data;
  const money =
    refundable.data.find(({ transactionId }) => transactionId === wanted) ?? (others.length > 0 ? null : only);
  if (!money) return <ChooseMoney drawn={drawn} />;
  const isOpen = wanted === money.transactionId;
  return (
    <>
      {money.byRail !== 'none' && (
        <Folded drawn={drawn} act="refund" title={t['act.refund']} isOpen={isOpen}>
          <RefundForm drawn={drawn} money={money} />
        </Folded>
      )}
      <Folded
        drawn={drawn}
        act="refundManual"
        title={money.byRail === 'none' ? t['act.refund'] : t['act.refund.manual']}
        isOpen={isOpen && money.byRail === 'none'}
      >
        <ManualForm drawn={drawn} money={money} />
      </Folded>
      {others.length > 0 && <a href={`/console/payments/${drawn.data.payment.internalId}`}>{t['act.refund.other']}</a>}
    </>
  );
}

/** Lets a person choose the transaction, where a payment has several. */
function ChooseMoney({ drawn }: Part) {
  const t = textsOf(drawn);
  const { payment, refundable } = drawn.data;
  return (
    <Folded drawn={drawn} act="refund" title={t['act.refund']}>
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

function RefundForm({ drawn, money: { transactionId, amount, currency, byRail } }: OfMoney) {
  const t = textsOf(drawn);
  const field = { drawn, act: 'refund' } as const;
  const isWhole = byRail === 'whole';
  return (
    <ActForm drawn={drawn} name="refund" button={sumOn(drawn, 'refund', t['act.refund.sum'], amount, currency)}>
      <p class="small quiet">
        {t['act.refund.sure']} {isWhole && t['act.refund.whole']}
      </p>
      <input type="hidden" name="transactionId" value={transactionId} />
      {isWhole ? (
        <input type="hidden" name="amount" value={writeMajor(amount)} />
      ) : (
        <RefundAmount {...field} amount={amount} currency={currency} />
      )}
      <Field {...field} name="reason" label={t['act.refund.reason']} maxLength={200} />
    </ActForm>
  );
}

/** Records money that the merchant gave back itself, with its proof. */
function ManualForm({ drawn, money: { transactionId, amount, currency, byRail } }: OfMoney) {
  const t = textsOf(drawn);
  const field = { drawn, act: 'refundManual' } as const;
  return (
    <ActForm
      drawn={drawn}
      name="refundManual"
      button={sumOn(drawn, 'refundManual', t['act.refund.manual.sum'], amount, currency)}
    >
      <p class="small quiet">{byRail === 'none' ? t['act.refund.none'] : t['act.refund.manual.sure']}</p>
      <input type="hidden" name="transactionId" value={transactionId} />
      <RefundAmount {...field} amount={amount} currency={currency} />
      <Field
        {...field}
        name="proof"
        label={t['act.refund.proof']}
        hint={t['act.refund.proof.hint']}
        maxLength={500}
        required
      />
      <Field {...field} name="reason" label={t['act.refund.reason']} maxLength={200} />
    </ActForm>
  );
}

type AmountProps = { drawn: Part['drawn']; act: string; amount: number; currency: string };

function RefundAmount({ amount, currency, ...field }: AmountProps) {
  const t = textsOf(field.drawn);
  return (
    <Field
      {...field}
      name="amount"
      label={t['act.refund.amount']}
      hint={fill(t['act.refund.left'], { amount: money(amount, currency) })}
      inputmode="decimal"
      value={writeMajor(amount)}
      maxLength={12}
      required
    />
  );
}

/** The button's text with the typed sum, which a script keeps up to date. */
function sumOn({ refused }: Part['drawn'], act: string, text: string, amount: number, currency: string) {
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

/** Says how the money differs from the request. Receipts are printed without it. */
export function AmountNote({ drawn, payment }: { drawn: AnyDrawn; payment: Payment }) {
  const t = textsOf(drawn);
  const { attention, amount, amountPaid, currency, maxTransactions, referenceType } = payment;
  if (!attention) return null;
  const isRepeated = (maxTransactions ?? 1) > 1 || referenceType === 'Charging';
  const text = isRepeated || amountPaid === 0 ? t['payment.odd'] : t[`payment.${attention}`];
  return (
    <p class="warning unprinted">{fill(text, { paid: money(amountPaid, currency), asked: money(amount, currency) })}</p>
  );
}
