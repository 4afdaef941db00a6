// The screen that connects a WordPress shop: the plug-in to download, and credentials with the scopes that it needs.
import { PLUGIN_FILE, PLUGIN_PATH, PLUGIN_SCOPES } from '../../shared/woocommerce.ts';
import type { ScreenProps } from '../../shared/console.ts';
import { roleOf } from '../../shared/roles.ts';
import { ActForm } from '../form.tsx';
import type { Screen } from '../layout.tsx';
import { Card, Head, textsOf } from '../parts.tsx';
import { findText } from '../words.ts';
import { Copied } from './developers.tsx';

type Page = Record<string, never>;

export const wordpress: Screen = {
  path: '/console/developers/wordpress',
  needs: 'createClient',
  reads: () => ({}),
  acts: {
    connectWordpress: {
      operation: 'createClient',
      buildCall: () => ({ body: { name: 'WordPress', scopes: PLUGIN_SCOPES } }),
      once: true,
      showsResultOnce: true,
    },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { role, gatewayUrl } = page.visitor;
    const made = page.formResult?.body as { clientId: string; clientSecret: string } | undefined;
    const isAllowed = !!role && PLUGIN_SCOPES.every((scope) => roleOf(role).scopes.includes(scope));
    const content = (
      <>
        <Head title={t['wordpress.title']}>
          <a href="/console/developers">{t['developers.title']}</a>
        </Head>
        <p class="quiet">{t['wordpress.about']}</p>
        {made && (
          <Card title={t['wordpress.values']}>
            <p>{t['wordpress.values.about']}</p>
            <Copied page={page} name="url" label={t['wordpress.url']} text={gatewayUrl} />
            <Copied page={page} name="client_id" label={t['secret.clientId']} text={made.clientId} />
            <Copied page={page} name="client_secret" label={t['secret.clientSecret']} text={made.clientSecret} />
          </Card>
        )}
        <Card title={`1. ${t['wordpress.install']}`}>
          <p>{t['wordpress.install.about']}</p>
          <p>
            <a class="button" href={PLUGIN_PATH} download={PLUGIN_FILE}>
              {t['wordpress.download']}
            </a>
          </p>
        </Card>
        {!made && (
          <Card title={`2. ${t['wordpress.connect']}`}>
            <p>{isAllowed ? t['wordpress.connect.about'] : t['wordpress.connect.role']}</p>
            <ul class="bullets">
              {PLUGIN_SCOPES.map((scope) => (
                <li key={scope}>{findText(t, `scope.${scope}`) ?? scope}</li>
              ))}
            </ul>
            {isAllowed && <ActForm page={page} name="connectWordpress" button={t['wordpress.connect']} />}
          </Card>
        )}
      </>
    );
    return { title: t['wordpress.title'], content };
  },
};
