// One webhook: its URL and events, its health, its secret, and its deliveries.
import type { ListedDelivery, Webhook } from '../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../shared/console.ts';
import { ActForm, Field, firstWrong, FoldedAct } from '../form.tsx';
import type { Screen } from '../layout.tsx';
import { Badge, Card, Empty, Head, Line, List, Moment, textsOf, type Tone } from '../parts.tsx';
import { fill, findText } from '../words.ts';
import { HealthBadge, Overlap, Secret } from './developers.tsx';

type Page = { webhook: Webhook; deliveries: { data: ListedDelivery[]; totalItems: number } };

const PATH = '/console/webhooks/{webhookId}';
const own = ({ params }: { params: Record<string, string> }) => ({ webhookId: params['webhookId'] ?? '' });

export const webhook: Screen = {
  path: PATH,
  needs: 'readWebhook',
  reads: (opened) => ({
    webhook: { operation: 'readWebhook', params: own(opened) },
    deliveries: {
      operation: 'listWebhookDeliveries',
      params: own(opened),
      query: { pageSize: '25', page: opened.query['page'] ?? '1' },
    },
  }),
  acts: {
    saveWebhook: {
      operation: 'replaceWebhook',
      buildCall: ({ url = '', description, types = '' }, opened) => {
        const chosen = types.split(/[\s,]+/).filter((type) => type !== '');
        const body = { url, description: description || null, types: chosen.length > 0 ? chosen : null };
        return { params: own(opened), body };
      },
    },
    testWebhook: { operation: 'testWebhook', buildCall: (_form, opened) => ({ params: own(opened) }) },
    rotateWebhook: {
      operation: 'rotateWebhookSecret',
      buildCall: ({ overlapHours = '' }, opened) => ({
        params: own(opened),
        body: { overlapHours: Number(overlapHours) },
      }),
      once: true,
      showsResultOnce: true,
    },
    removeWebhook: {
      operation: 'removeWebhook',
      buildCall: (_form, opened) => ({ params: own(opened) }),
      resultPath: () => '/console/developers',
    },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { webhook: shown, deliveries } = page.data;
    const current = Number(page.opened.query['page'] ?? '1');
    const hasMore = current * 25 < deliveries.totalItems;
    const at = PATH.replace('{webhookId}', shown.id);
    const content = (
      <>
        <Head
          title={shown.description ?? t['webhook.title']}
          back={{ href: '/console/developers', text: t['developers.title'] }}
        >
          <HealthBadge page={page} health={shown} />
        </Head>
        <Secret page={page} />
        {page.visitor.may('replaceWebhook') ? <Forms page={page} /> : <p>{shown.url}</p>}
        <h2>{t['deliveries.title']}</h2>
        {deliveries.data.length > 0 ? (
          <List
            page={page}
            newest={at}
            foot={fill(t['list.total'], { n: deliveries.totalItems })}
            more={hasMore ? `${at}?page=${current + 1}` : null}
          >
            {deliveries.data.map((delivery) => (
              <DeliveryLine key={delivery.id} page={page} delivery={delivery} />
            ))}
          </List>
        ) : (
          <Empty text={t['deliveries.none']} />
        )}
      </>
    );
    return { title: shown.description ?? t['webhook.title'], content };
  },
};

function Forms({ page }: { page: ScreenProps<Page> }) {
  const t = textsOf(page);
  const { webhook: shown } = page.data;
  const about = { page, act: 'saveWebhook' };
  return (
    <Card>
      <ActForm page={page} name={about.act} button={t['webhook.save']} tag={page.tags['webhook']}>
        <Field {...about} name="url" type="url" label={t['webhooks.url']} value={shown.url} />
        <Field {...about} name="description" label={t['webhooks.description']} value={shown.description ?? ''} />
        <Field
          {...about}
          name="types"
          pointer={firstWrong(page, 'types')}
          label={t['webhook.types']}
          hint={t['webhook.types.hint']}
          value={shown.types?.join('\n') ?? ''}
          lines={3}
        />
      </ActForm>
      <ActForm page={page} name="testWebhook" button={t['webhook.test']} tone="plain" />
      <FoldedAct
        page={page}
        name="rotateWebhook"
        title={t['clients.rotate']}
        sure={t['webhook.rotate.sure']}
        button={t['clients.rotate']}
        tone="plain"
      >
        <Overlap page={page} id="webhook" />
      </FoldedAct>
      <FoldedAct
        page={page}
        name="removeWebhook"
        title={t['webhook.remove']}
        sure={t['webhook.remove.sure']}
        button={t['webhook.remove']}
        tone="plain danger"
      />
    </Card>
  );
}

const LOOKS: Record<string, Tone> = { Delivered: 'success', Abandoned: 'danger', Skipped: 'quiet' };

function DeliveryLine({ page, delivery }: { page: ScreenProps<Page>; delivery: ListedDelivery }) {
  const t = textsOf(page);
  const { id, type, status, attemptsMade, createdAt, lastAttempt } = delivery;
  return (
    <Line
      id={id}
      href={`/console/deliveries/${id}`}
      title={type}
      about={
        <>
          <Moment at={createdAt} /> · {fill(t['deliveries.attempts'], { n: attemptsMade })}
          {lastAttempt?.status && ` · HTTP ${lastAttempt.status}`}
        </>
      }
      end={<DeliveryState text={findText(t, `delivery.${status}`) ?? status} status={status} />}
    />
  );
}

export function DeliveryState({ text, status }: { text: string; status: string }) {
  return <Badge icon={status === 'Delivered' ? 'check' : 'clock'} tone={LOOKS[status] ?? 'warning'} text={text} />;
}
