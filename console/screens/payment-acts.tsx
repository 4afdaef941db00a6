// What can be done with a payment now, by whoever looks at it.
import type { Act } from '../../shared/console.ts';
import { ActForm, Field, FoldedAct } from '../form.tsx';
import { Copy, textsOf } from '../parts.tsx';
import { money, writeMajor } from '../words.ts';
import type { Part } from './payment-data.ts';

/** The acts that keep a payment from being paid: of a push, a page or a code, and of a reference. */
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

/** Of cashiers only those whom the merchant lets give something back. */
function mayGiveBack({ visitor, data }: Part['drawn']): boolean {
  return visitor.may('createRefund') && (visitor.role !== 'Cashier' || !!data.merchant.cashierRefundLimit);
}

function GiveBack({ drawn }: Part) {
  const t = textsOf(drawn);
  const { amountPaid, amountCaptured, amountRefunded, currency } = drawn.data.payment;
  const taken = amountCaptured ?? amountPaid;
  if (taken <= amountRefunded || !mayGiveBack(drawn)) return null;
  return (
    <FoldedAct drawn={drawn} name="refund" title={t['act.refund']} sure={t['act.refund.sure']} button={t['act.refund']}>
      <Field
        drawn={drawn}
        act="refund"
        name="amount"
        label={t['act.refund.amount']}
        hint={`${t['act.refund.all']} ${t['payment.paid']}${t['colon']}${money(taken, currency)}.`}
        inputmode="decimal"
      />
      <Field drawn={drawn} act="refund" name="reason" label={t['act.refund.reason']} maxLength={200} />
    </FoldedAct>
  );
}
