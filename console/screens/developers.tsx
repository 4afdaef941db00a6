// The integration screen: API clients, the callback endpoint, webhooks, and refused requests.
import type { CallbackEndpoint, Client, Webhook } from '../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../shared/console.ts';
import { roleOf } from '../../shared/roles.ts';
import { SCOPE_PRESETS, SCOPES, type ScopePreset } from '../../shared/scopes.ts';
import { ActForm, Check, Field, firstWrong, Folded, FoldedAct } from '../form.tsx';
import type { Screen } from '../layout.tsx';
import { Badge, Card, Head, Moment, Rows, textsOf, type AnyScreenProps } from '../parts.tsx';
import { fill, findText, whenOf } from '../words.ts';

type Page = {
  clients: { data: Client[] };
  webhooks: { data: Webhook[] };
  callback: CallbackEndpoint | null;
} & { [deliveries: `delivered ${string}`]: { totalItems: number } };

/** The name of the result that says whether a delivery to this endpoint has ever succeeded. */
const deliveredTo = (id: string) => `delivered ${id}` as const;
const DELIVERED = { status: 'Delivered', pageSize: '1' };

const all = { pageSize: '100' };

/** The page of a test's delivery, with the answer of the endpoint. */
export const deliveryPath = ({ id }: { id: string }) => `/console/deliveries/${id}`;

export const developers: Screen = {
  path: '/console/developers',
  needs: 'listClients',
  menu: { group: 'shop', text: 'developers.title', icon: 'tools' },
  reads: () => ({
    clients: { operation: 'listClients', query: all },
    webhooks: { operation: 'listWebhooks', query: all },
    callback: { operation: 'readCallbackEndpoint', nullIfMissing: true },
  }),
  // An endpoint responds only after a delivery to it has succeeded.
  readsAfter({ webhooks, callback }: Page) {
    const query = DELIVERED;
    const calls = webhooks.data.map(({ id }) => [
      deliveredTo(id),
      { operation: 'listWebhookDeliveries', params: { webhookId: id }, query },
    ]);
    return {
      ...Object.fromEntries(calls),
      ...(callback && { [deliveredTo('callback')]: { operation: 'listCallbacks', query } }),
    };
  },
  acts: {
    createClient: {
      operation: 'createClient',
      buildCall({ name = '', preset = '', ...form }) {
        const isPreset = Object.hasOwn(SCOPE_PRESETS, preset);
        const scopes = isPreset ? SCOPE_PRESETS[preset as ScopePreset] : SCOPES.filter((scope) => form[scope]);
        return { body: { name, scopes } };
      },
      once: true,
      showsResultOnce: true,
    },
    rotateClient: {
      operation: 'rotateClientSecret',
      buildCall: ({ clientId = '', overlapHours = '' }) => ({
        params: { clientId },
        body: { overlapHours: Number(overlapHours) },
      }),
      once: true,
      showsResultOnce: true,
    },
    revokeClient: { operation: 'revokeClient', buildCall: ({ clientId = '' }) => ({ params: { clientId } }) },
    setCallback: {
      operation: 'setCallbackEndpoint',
      buildCall: ({ url = '', accessKey }) => ({ body: { url, accessKey: accessKey || null } }),
    },
    testCallback: {
      operation: 'testCallbackEndpoint',
      buildCall: () => ({ body: { type: 'PPR' } }),
      resultPath: deliveryPath,
    },
    createWebhook: {
      operation: 'createWebhook',
      buildCall: ({ url = '', description }) => ({ body: { url, description: description || null } }),
      once: true,
      showsResultOnce: true,
    },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { clients, webhooks } = page.data;
    const content = (
      <>
        <Head title={t['developers.title']}>
          {page.visitor.may('createClient') && <a href="/console/developers/wordpress">{t['wordpress.title']}</a>}
          <a href="/docs">{t['developers.docs']}</a>
          <a href="/console/errors">{t['errors.title']}</a>
        </Head>
        <Secret page={page} />
        <Card title={t['clients.title']}>
          <p class="quiet">{clients.data.length > 0 ? t['clients.about'] : t['clients.none']}</p>
          {clients.data.map((client) => (
            <ClientRows key={client.clientId} page={page} client={client} />
          ))}
          {page.visitor.may('createClient') && <NewClient page={page} />}
        </Card>
        <Callback page={page} />
        <Card title={t['webhooks.title']}>
          <p class="quiet">{webhooks.data.length > 0 ? t['webhooks.about'] : t['webhooks.none']}</p>
          <ul class="plain-list">
            {webhooks.data.map((webhook) => (
              <li key={webhook.id}>
                <a href={`/console/webhooks/${webhook.id}`}>{webhook.description ?? webhook.url}</a>
                <HealthBadge
                  page={page}
                  health={webhook}
                  hasDelivered={(page.data[deliveredTo(webhook.id)]?.totalItems ?? 0) > 0}
                />
              </li>
            ))}
          </ul>
          {page.visitor.may('createWebhook') && <NewWebhook page={page} />}
        </Card>
      </>
    );
    return { title: t['developers.title'], content };
  },
};

/** Shows a new secret, which the gateway never shows again. */
export function Secret({ page }: { page: AnyScreenProps }) {
  const t = textsOf(page);
  const { formResult } = page;
  if (!formResult) return null;
  const { clientId, clientSecret, secret, overlapUntil } = formResult.body as Record<string, string | undefined>;
  const texts: [name: string, label: string, text: string | undefined][] = [
    ['client_id', t['secret.clientId'], clientId],
    ['client_secret', t['secret.clientSecret'], clientSecret],
    ['whsec', t['secret.signing'], secret],
  ];
  return (
    <Card title={t['secret.title']}>
      <p>{t['secret.about']}</p>
      {texts.map(([name, label, text]) => text && <Copied key={name} page={page} {...{ name, label, text }} />)}
      {overlapUntil && <p class="quiet">{fill(t['secret.overlap'], { when: whenOf(overlapUntil) })}</p>}
    </Card>
  );
}

type CopiedProps = { page: AnyScreenProps; name: string; label: string; text: string };

/** A text for copying that is shown whole, however long it is. */
export function Copied({ page, name, label, text }: CopiedProps) {
  const t = textsOf(page);
  return (
    <div class="field">
      <p>
        <strong>{label}</strong>
      </p>
      <code data-name={name}>{text}</code>
      <button type="button" class="plain" data-copy={text} data-copied={t['act.copied']} hidden>
        {t['act.copy']}
      </button>
    </div>
  );
}

type HealthProps = {
  page: AnyScreenProps;
  health: Pick<Webhook, 'status' | 'failures'>;
  /** True if a delivery to the endpoint has ever succeeded. */
  hasDelivered: boolean;
};

export function HealthBadge({ page, health: { status, failures }, hasDelivered }: HealthProps) {
  const t = textsOf(page);
  if (status !== 'active') return <Badge icon="stop" tone="danger" text={t['health.failing']} />;
  if (failures > 0) return <Badge icon="clock" tone="warning" text={t['health.failed']} />;
  if (!hasDelivered) return <Badge icon="clock" tone="quiet" text={t['health.untried']} />;
  return <Badge icon="check" tone="success" text={t['health.active']} />;
}

function ClientRows({ page, client }: { page: ScreenProps<Page>; client: Client }) {
  const t = textsOf(page);
  const { clientId, name, scopes, createdAt, rotatedAt, overlapUntil } = client;
  const own = page.refused?.typed['clientId'] === clientId ? page : { ...page, refused: null };
  const kept = <input type="hidden" name="clientId" value={clientId} />;
  return (
    <section class="stack part">
      <h3>{name}</h3>
      <Rows
        rows={[
          ['client_id', <code>{clientId}</code>],
          [t['clients.created'], <Moment at={createdAt} />],
          [t['clients.rotated'], rotatedAt && <Moment at={rotatedAt} />],
          [t['clients.overlap'], overlapUntil && <Moment at={overlapUntil} />],
          [
            t['clients.scopes'],
            scopes.length === SCOPES.length
              ? t['clients.scopes.all']
              : scopes.map((scope) => findText(t, `scope.${scope}`) ?? scope).join('; '),
          ],
        ]}
      />
      {page.visitor.may('rotateClientSecret') && (
        <FoldedAct
          page={own}
          name="rotateClient"
          title={t['clients.rotate']}
          sure={t['clients.rotate.sure']}
          button={t['clients.rotate']}
          tone="plain"
        >
          {kept}
          <Overlap page={page} id={clientId} />
        </FoldedAct>
      )}
      {page.visitor.may('revokeClient') && (
        <FoldedAct
          page={own}
          name="revokeClient"
          title={t['clients.revoke']}
          sure={t['clients.revoke.sure']}
          button={t['clients.revoke']}
          tone="plain danger"
        >
          {kept}
        </FoldedAct>
      )}
    </section>
  );
}

/** The choice how long the old secret stays valid after the creation of the new one. */
export function Overlap({ page, id }: { page: AnyScreenProps; id: string }) {
  const t = textsOf(page);
  return (
    <div class="field">
      <label for={`overlap-${id}`}>{t['overlap.title']}</label>
      <div class="input">
        <select id={`overlap-${id}`} name="overlapHours">
          <option value="24">{t['overlap.day']}</option>
          <option value="168">{t['overlap.week']}</option>
          <option value="0">{t['overlap.none']}</option>
        </select>
      </div>
    </div>
  );
}

function NewClient({ page }: { page: ScreenProps<Page> }) {
  const t = textsOf(page);
  const act = 'createClient';
  const isScopeWrong = firstWrong(page, 'scopes') in (page.refused?.wrong ?? {});
  const { role } = page.visitor;
  const granted = role ? roleOf(role).scopes : [];
  const presets = (Object.keys(SCOPE_PRESETS) as ScopePreset[]).filter((preset) =>
    (SCOPE_PRESETS[preset] ?? []).every((scope) => granted.includes(scope)),
  );
  const typed = page.refused?.act === act ? page.refused.typed['preset'] : undefined;
  const chosen = typed ?? presets[0] ?? 'own';
  return (
    <Folded page={page} act={act} title={t['clients.create']}>
      <ActForm page={page} name={act} button={t['clients.create']}>
        <Field page={page} act={act} name="name" label={t['clients.name']} maxLength={100} required />
        <fieldset>
          <legend>{t['clients.scopes']}</legend>
          {presets.map((preset) => (
            <label key={preset} class="check">
              <input type="radio" name="preset" value={preset} defaultChecked={preset === chosen} />
              <span>
                <strong>{t[`preset.${preset}`]}</strong> <span class="small quiet">{t[`preset.${preset}.about`]}</span>
              </span>
            </label>
          ))}
          <label class="check">
            <input type="radio" name="preset" value="own" defaultChecked={chosen === 'own'} />
            <strong>{t['preset.own']}</strong>
          </label>
          <details class="act" open={chosen === 'own'}>
            <summary>{t['preset.own.list']}</summary>
            {granted.map((scope) => (
              <Check key={scope} page={page} act={act} name={scope} label={t[`scope.${scope}`]} />
            ))}
          </details>
          {isScopeWrong && <p class="error">{t['clients.scopes.choose']}</p>}
        </fieldset>
      </ActForm>
    </Folded>
  );
}

function NewWebhook({ page }: { page: ScreenProps<Page> }) {
  const t = textsOf(page);
  const about = { page, act: 'createWebhook' };
  return (
    <Folded {...about} title={t['webhooks.create']}>
      <ActForm page={page} name={about.act} button={t['webhooks.create']}>
        <Field {...about} name="url" type="url" label={t['webhooks.url']} hint={t['webhooks.url.hint']} required />
        <Field {...about} name="description" label={t['webhooks.description']} maxLength={500} />
      </ActForm>
    </Folded>
  );
}

function Callback({ page }: { page: ScreenProps<Page> }) {
  const t = textsOf(page);
  const { callback } = page.data;
  const hasDelivered = (page.data[deliveredTo('callback')]?.totalItems ?? 0) > 0;
  const about = { page, act: 'setCallback' };
  return (
    <Card title={t['callback.title']}>
      <p class="quiet">{callback ? t['callback.about'] : t['callback.none']}</p>
      {callback && (
        <p>
          <code>{callback.url}</code> <HealthBadge page={page} health={callback} hasDelivered={hasDelivered} />
        </p>
      )}
      {callback && page.visitor.may('testCallbackEndpoint') && (
        <ActForm page={page} name="testCallback" button={t['callback.test']} tone="plain" />
      )}
      {page.visitor.may('setCallbackEndpoint') && (
        <Folded {...about} title={t['callback.set']}>
          <ActForm page={page} name={about.act} button={t['callback.set']}>
            <Field {...about} name="url" type="url" label={t['webhooks.url']} value={callback?.url ?? ''} required />
            <Field
              {...about}
              name="accessKey"
              label={t['callback.key']}
              hint={t['callback.key.hint']}
              type="password"
            />
          </ActForm>
        </Folded>
      )}
    </Card>
  );
}
