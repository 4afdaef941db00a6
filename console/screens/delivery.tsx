// One callback or webhook delivery: its body, every attempt with its response, and the replay form.
import type { Delivery, DeliveryAttempt } from '../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../shared/console.ts';
import { ActForm } from '../form.tsx';
import type { Screen } from '../layout.tsx';
import { Card, Head, Moment, Rows, textsOf } from '../parts.tsx';
import { fill, findText } from '../words.ts';
import { DeliveryState } from './webhook.tsx';

type Page = { delivery: Delivery };

const own = ({ params }: { params: Record<string, string> }) => ({ deliveryId: params['deliveryId'] ?? '' });

export const delivery: Screen = {
  path: '/console/deliveries/{deliveryId}',
  needs: 'readCallback',
  reads: (opened) => ({ delivery: { operation: 'readCallback', params: own(opened) } }),
  acts: { resend: { operation: 'replayCallback', buildCall: (_form, opened) => ({ params: own(opened) }) } },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { kind, type, status, endpointId, paymentId, createdAt, nextAttemptAt, url, body, attempts } =
      page.data.delivery;
    const back =
      kind === 'webhook' && endpointId
        ? { href: `/console/webhooks/${endpointId}`, text: t['webhook.title'] }
        : { href: '/console/developers', text: t['developers.title'] };
    const payment = paymentId && <a href={`/console/payments/${paymentId}`}>{t['delivery.payment']}</a>;
    const content = (
      <>
        <Head title={type} back={back}>
          <DeliveryState status={status} text={findText(t, `delivery.${status}`) ?? status} />
        </Head>
        <Card>
          <Rows
            rows={[
              [t['webhooks.url'], url && <code>{url}</code>],
              [t['delivery.created'], <Moment at={createdAt} />],
              [t['delivery.next'], nextAttemptAt && <Moment at={nextAttemptAt} />],
              [t['delivery.about'], payment],
            ]}
          />
          {page.visitor.may('replayCallback') && (
            <ActForm page={page} name="resend" button={t['delivery.resend']} tone="plain" />
          )}
        </Card>
        {body && (
          <Card title={t['delivery.body']}>
            <pre tabIndex={0}>{JSON.stringify(body, null, 2)}</pre>
          </Card>
        )}
        {attempts.map((attempt) => (
          <AttemptCard key={attempt.number} page={page} attempt={attempt} />
        ))}
      </>
    );
    return { title: type, content };
  },
};

function AttemptCard({ page, attempt }: { page: ScreenProps<Page>; attempt: DeliveryAttempt }) {
  const t = textsOf(page);
  const { number, startedAt, durationMs, outcome, status, answer, error } = attempt;
  return (
    <Card title={fill(t['attempt.title'], { n: number })}>
      <Rows
        rows={[
          [t['attempt.at'], <Moment at={startedAt} />],
          [t['attempt.took'], durationMs !== null && `${durationMs} ms`],
          [t['attempt.outcome'], findText(t, `outcome.${outcome}`) ?? outcome],
          ['HTTP', status],
          [t['attempt.error'], error],
        ]}
      />
      {answer && <pre tabIndex={0}>{answer}</pre>}
    </Card>
  );
}
