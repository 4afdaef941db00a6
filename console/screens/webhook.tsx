// One webhook: its URL and events, its health, its secret, and its deliveries.
import type { ListedDelivery, Webhook } from '../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../shared/console.ts';
import { EVENT_SUBJECTS } from '../../shared/event-subjects.ts';
import { ActForm, Check, Field, firstWrong, FoldedAct } from '../form.tsx';
import type { Screen } from '../layout.tsx';
import { Badge, Card, Empty, Head, Line, List, Moment, textsOf, type Tone } from '../parts.tsx';
import { fill, findText } from '../words.ts';
import { deliveryPath, HealthBadge, Overlap, Secret } from './developers.tsx';

type Page = {
  webhook: Webhook;
  deliveries: { data: ListedDelivery[]; totalItems: number };
  delivered: { totalItems: number };
};

const PATH = '/console/webhooks/{webhookId}';
/** The prefix of the checkboxes of event types in the form. */
const EVENT = 'event ';

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
    delivered: {
      operation: 'listWebhookDeliveries',
      params: own(opened),
      query: { status: 'Delivered', pageSize: '1' },
    },
  }),
  acts: {
    saveWebhook: {
      operation: 'replaceWebhook',
      buildCall: ({ url = '', description, ...form }, opened) => {
        const chosen = Object.keys(form).flatMap((name) => (name.startsWith(EVENT) ? [name.slice(EVENT.length)] : []));
        const body = { url, description: description || null, types: chosen.length > 0 ? chosen : null };
        return { params: own(opened), body };
      },
    },
    testWebhook: {
      operation: 'testWebhook',
      buildCall: (_form, opened) => ({ params: own(opened) }),
      resultPath: deliveryPath,
    },
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
          <HealthBadge page={page} health={shown} hasDelivered={page.data.delivered.totalItems > 0} />
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
  const types = shown.types ?? [];
  const isTypeWrong = firstWrong(page, 'types') in (page.refused?.wrong ?? {});
  return (
    <Card>
      <ActForm page={page} name={about.act} button={t['webhook.save']} tag={page.tags['webhook']}>
        <Field {...about} name="url" type="url" label={t['webhooks.url']} value={shown.url} />
        <Field {...about} name="description" label={t['webhooks.description']} value={shown.description ?? ''} />
        <fieldset>
          <legend>{t['webhook.types']}</legend>
          <p class="small quiet">{t['webhook.types.hint']}</p>
          {EVENT_SUBJECTS.map((subject) => (
            <Check
              key={subject}
              {...about}
              name={`${EVENT}${subject}.*`}
              label={t[`events.${subject}`]}
              isOn={types.includes(`${subject}.*`)}
            />
          ))}
          {/* The API can also choose single event types. They stay chosen until their box is cleared. */}
          {types
            .filter((type) => !type.endsWith('.*'))
            .map((type) => (
              <Check key={type} {...about} name={`${EVENT}${type}`} label={type} isOn />
            ))}
          {isTypeWrong && <p class="error">{t['wrong.unknown_event_type']}</p>}
        </fieldset>
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
