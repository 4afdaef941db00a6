// One refund: its status, its payment, and the actions that its status allows.
import type { Refund } from '../../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../../shared/console.ts';
import { showDay } from '../../../shared/luanda.ts';
import { ActForm, FoldedAct } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Card, Head, Rows, textsOf } from '../../parts.tsx';
import { findText, money, whenOf } from '../../words.ts';
import { RefundState } from '../payment-refunds-deliveries.tsx';
import { REFUNDS } from './parts.tsx';

type Part = { page: ScreenProps<{ refund: Refund }> };

export const refund: Screen = {
  path: `${REFUNDS}/{refundId}`,
  needs: 'readRefund',
  live: ['refund'],
  reads: ({ params }) => ({ refund: { operation: 'readRefund', params } }),
  acts: {
    refundSync: { operation: 'syncRefund', buildCall: (_, { params }) => ({ params }) },
    refundCancel: { operation: 'cancelRefund', buildCall: (_, { params }) => ({ params }) },
  },
  render(page: Part['page']) {
    const t = textsOf(page);
    const { amount, currency, status, failureCode, paymentId } = page.data.refund;
    const content = (
      <>
        <Head title={t['refund.title']} back={{ href: REFUNDS, text: t['books.refunds'] }}>
          <a href={`/console/payments/${paymentId}`}>{t['charge.open']}</a>
        </Head>
        <Card live="state">
          <p class="amount huge">{money(amount, currency)}</p>
          <p>
            <RefundState page={page} status={status} />
            {failureCode && `: ${findText(t, `failure.${failureCode}`) ?? failureCode}`}
          </p>
        </Card>
        <Acts page={page} />
        <Card title={t['payment.details']} live="details">
          <Details page={page} />
        </Card>
      </>
    );
    return { title: t['refund.title'], content };
  },
};

/** Actions for a refund whose outcome the rail has not reported. A manual refund is final from the start. */
function Acts({ page }: Part) {
  const t = textsOf(page);
  const { status } = page.data.refund;
  const isOpen = status === 'Pending' || status === 'Processing';
  return (
    <div data-live-part="acts">
      {isOpen && (
        <Card>
          <p class="quiet">{t['refund.waits']}</p>
          {page.visitor.may('syncRefund') && (
            <ActForm page={page} name="refundSync" button={t['act.sync']} tone="plain" />
          )}
          {status === 'Pending' && page.visitor.may('cancelRefund') && (
            <FoldedAct
              page={page}
              name="refundCancel"
              title={t['refund.cancel']}
              sure={t['refund.cancel.sure']}
              button={t['refund.cancel']}
              tone="plain danger"
            />
          )}
        </Card>
      )}
    </div>
  );
}

function Details({ page }: Part) {
  const t = textsOf(page);
  const {
    method,
    reason,
    reference,
    proof,
    refundedOn,
    late,
    transactionNumber,
    clearingPeriod,
    createdAt,
    completedAt,
    id,
  } = page.data.refund;
  return (
    <Rows
      rows={[
        [t['refunds.method'], t[`refund.${method}`]],
        [t['refund.reason'], reason],
        [t['refund.reference'], reference],
        [t['refund.proof'], proof],
        [t['act.refund.date'], refundedOn && showDay(refundedOn)],
        [t['refund.number'], transactionNumber],
        [t['movements.period'], clearingPeriod],
        [t['payment.created'], whenOf(createdAt)],
        [t['payment.completed'], completedAt && whenOf(completedAt)],
        [t['refund.late'], late && t['refund.late.text']],
        [t['payment.id'], <span class="small">{id}</span>],
      ]}
    />
  );
}
