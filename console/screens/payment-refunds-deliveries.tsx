// Two parts of the payment screen: its refunds, and its deliveries to the merchant's systems.
import type { ListedDelivery } from '../../packages/client/src/contract.ts';
import type { RefundStatus } from '../../shared/refund.ts';
import { ActForm } from '../form.tsx';
import { Badge, Card, Moment, Money, textsOf, type AnyScreenProps, type Tone } from '../parts.tsx';
import { fill, findText } from '../words.ts';
import type { Part } from './payment.tsx';

const REFUND_LOOKS: Record<RefundStatus, Tone> = {
  Pending: 'quiet',
  Processing: 'brand',
  Succeeded: 'success',
  Failed: 'danger',
  Canceled: 'quiet',
};

export function RefundState({ page, status }: { page: AnyScreenProps; status: RefundStatus }) {
  const icon = status === 'Succeeded' ? 'check' : 'clock';
  return <Badge icon={icon} tone={REFUND_LOOKS[status]} text={textsOf(page)[`refund.${status}`]} />;
}

export function Refunds({ page }: Part) {
  const t = textsOf(page);
  const { data } = page.data.refunds;
  const requesterOf = (refundId: string) =>
    page.data.history.data.find(({ type, details }) => type === 'refund.created' && details['refundId'] === refundId)
      ?.actor?.name;
  return (
    <section data-live-part="refunds">
      {data.length > 0 && (
        <Card title={t['payment.refunds']}>
          <ul class="plain-list">
            {data.map(({ id, amount, currency, status, createdAt }) => {
              const name = requesterOf(id);
              return (
                <li key={id}>
                  <span>
                    <Money amount={amount} currency={currency} />
                    <span class="small quiet">
                      <Moment at={createdAt} />
                    </span>
                    {name && <span class="small quiet">{fill(t['payment.refundedBy'], { name })}</span>}
                  </span>
                  <RefundState page={page} status={status} />
                </li>
              );
            })}
          </ul>
        </Card>
      )}
    </section>
  );
}

const DELIVERY_LOOKS = { Pending: 'brand', Delivered: 'success', Abandoned: 'danger', Skipped: 'quiet' } as const;

/** True if a finished delivery can be sent again. A callback that had no endpoint needs one now. */
function isSendable({ visitor, data }: Part['page'], { status, kind }: Pick<ListedDelivery, 'status' | 'kind'>) {
  const hasEndpoint = status !== 'Skipped' || kind === 'webhook' || data.endpoint !== null;
  return status !== 'Pending' && visitor.may('replayCallback') && hasEndpoint;
}

/** The callback and webhook deliveries about the payment. */
export function Deliveries({ page }: Part) {
  const t = textsOf(page);
  const { callbacks, webhooks } = page.data;
  const webhookDeliveries = (webhooks?.data ?? []).flatMap((_, nth) => page.data[`webhook-${nth}`]?.data ?? []);
  const all = [...(callbacks?.data ?? []), ...webhookDeliveries];
  return (
    <section data-live-part="deliveries">
      {all.length > 0 && (
        <Card title={t['payment.callbacks']}>
          <ul class="plain-list">
            {all.map(({ id, type, kind, status, createdAt }) => (
              <li key={id}>
                <span>
                  <span>{findText(t, `event.${type}`) ?? type}</span>
                  <span class="small quiet">
                    <Moment at={createdAt} />
                  </span>
                  <Badge
                    icon={status === 'Delivered' ? 'check' : 'clock'}
                    tone={DELIVERY_LOOKS[status]}
                    text={t[`delivery.${status}`]}
                  />
                </span>
                {isSendable(page, { status, kind }) && (
                  <ActForm page={page} name="replay" button={t['act.replay']} tone="plain">
                    <input type="hidden" name="deliveryId" value={id} />
                  </ActForm>
                )}
              </li>
            ))}
          </ul>
        </Card>
      )}
    </section>
  );
}
