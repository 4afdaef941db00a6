// The person's own page: their merchants, security, language, sessions, and sign-out.
import type { Profile, Session } from '../../../packages/client/src/contract.ts';
import type { ComponentChildren } from 'preact';
import type { ScreenProps } from '../../../shared/console.ts';
import { LANGUAGES } from '../../../shared/language.ts';
import { ActForm, Field, Folded } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Card, Head, Moment, textsOf } from '../../parts.tsx';
import { CREATE, CreateForm } from '../start.tsx';
import { NOTICE_MAIL, NoticeMail } from './notice-mail.tsx';
import { Safety, SECURITY_FORMS, OneTimeAnswers } from './safety.tsx';

type Page = { profile: Profile; sessions: { data: Session[] } };

export const account: Screen = {
  path: '/console/account',
  needs: 'readProfile',
  menu: { group: 'own', text: 'account.title', icon: 'person' },
  reads: () => ({
    profile: { operation: 'readProfile' },
    sessions: { operation: 'listSessions', query: { pageSize: '100' } },
  }),
  acts: {
    profile: {
      operation: 'changeProfile',
      buildCall({ phoneNumber, ...form }) {
        const names = (['firstName', 'lastName', 'language'] as const).filter((name) => form[name] !== undefined);
        const body = Object.fromEntries(names.map((name) => [name, form[name]]));
        return { body: { ...body, ...(phoneNumber !== undefined && { phoneNumber: phoneNumber.trim() || null }) } };
      },
    },
    noticeMail: NOTICE_MAIL,
    ...SECURITY_FORMS,
    end: { operation: 'endSession', buildCall: ({ sessionId = '' }) => ({ params: { sessionId } }) },
    endOthers: { operation: 'endOtherSessions', buildCall: () => ({}) },
    create: CREATE,
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { profile, sessions } = page.data;
    const others = sessions.data.filter(({ isCurrent }) => !isCurrent);
    const content = (
      <>
        <Head title={t['account.title']} />
        <OneTimeAnswers page={page} />
        <p class="quiet">{profile.email}</p>
        {profile.merchants.length > 0 && <Merchants page={page} />}
        <AboutMe page={page} />
        {profile.merchants.length > 0 && <NoticeMail page={page} />}
        <Safety page={page} />
        <Card title={t['account.sessions']}>
          <ul class="plain-list">
            {sessions.data.map((session) => (
              <SessionLine key={session.id} page={page} session={session} />
            ))}
          </ul>
          {others.length > 0 && (
            <ActForm page={page} name="endOthers" button={t['account.endOthers']} tone="plain danger" />
          )}
        </Card>
        <SessionForm page={page} action="/console/sign-out" button={t['account.out']} />
      </>
    );
    return { title: t['account.title'], content };
  },
};

function AboutMe({ page }: { page: ScreenProps<Page> }) {
  const t = textsOf(page);
  const { firstName, lastName, phoneNumber, language } = page.data.profile;
  const field = { page, act: 'profile' } as const;
  return (
    <Card title={t['profile.title']}>
      <ActForm page={page} name={field.act} button={t['profile.save']} tone="plain" tag={page.tags['profile']}>
        <Field {...field} name="firstName" label={t['profile.firstName']} value={firstName} maxLength={100} required />
        <Field {...field} name="lastName" label={t['profile.lastName']} value={lastName} maxLength={100} required />
        <Field
          {...field}
          name="phoneNumber"
          label={t['profile.phoneNumber']}
          value={phoneNumber ?? ''}
          type="tel"
          inputmode="tel"
          autocomplete="tel"
          maxLength={20}
        />
        <Field
          {...field}
          name="language"
          label={t['account.language']}
          value={language}
          choices={LANGUAGES.map((each) => [each, NAMES[each]])}
        />
      </ActForm>
    </Card>
  );
}

const NAMES = { pt: 'Português', en: 'English', fr: 'Français' };

function Merchants({ page }: { page: ScreenProps<Page> }) {
  const t = textsOf(page);
  const { merchants } = page.data.profile;
  const here = page.visitor.merchant?.id;
  return (
    <Card title={t['account.merchants']}>
      <ul class="plain-list">
        {merchants.map(({ merchantId: id, name, role }) => (
          <li key={id}>
            <span>
              <strong>{name}</strong>
              <span class="small quiet">{t[`role.${role}`]}</span>
            </span>
            {id === here ? (
              <span class="small quiet">{t['account.here']}</span>
            ) : (
              <SessionForm page={page} action="/console/merchant" button={t['account.enter']}>
                <input type="hidden" name="merchantId" value={id} />
              </SessionForm>
            )}
          </li>
        ))}
      </ul>
      <Folded page={page} act="create" title={t['account.create.more']}>
        <CreateForm page={page} />
      </Folded>
    </Card>
  );
}

type SessionLineProps = { page: ScreenProps<Page>; session: Session };

function SessionLine({ page, session: { id, isCurrent, userAgent, address, lastUsedAt } }: SessionLineProps) {
  const t = textsOf(page);
  return (
    <li>
      <span>
        <strong>{nameBrowser(userAgent ?? '')}</strong>
        <span class="small quiet">
          {address} · <Moment at={lastUsedAt} />
        </span>
      </span>
      {isCurrent ? (
        <span class="small quiet">{t['account.session.now']}</span>
      ) : (
        <ActForm page={page} name="end" button={t['account.end']} tone="plain">
          <input type="hidden" name="sessionId" value={id} />
        </ActForm>
      )}
    </li>
  );
}

const BROWSERS = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'] as const;
const SYSTEMS = ['Android', 'iPhone', 'Windows', 'Macintosh', 'Linux'] as const;

/** Names a browser, such as `Chrome · Android`. The name of any other program is the first word of its user agent. */
function nameBrowser(userAgent: string): string {
  const find = (names: readonly string[]) => names.find((name) => userAgent.includes(name));
  return [find(BROWSERS) ?? userAgent.split(/[/ ]/)[0], find(SYSTEMS)].filter(Boolean).join(' · ') || '?';
}

type SessionFormProps = { page: ScreenProps<Page>; action: string; button: string; children?: ComponentChildren };

/** A form that changes the session itself. It posts to its own route, because the API has no such operation. */
function SessionForm({ page, action, button, children }: SessionFormProps) {
  return (
    <form method="post" action={action}>
      <input type="hidden" name="token" value={page.visitor.formToken} />
      {children}
      <button class="plain">{button}</button>
    </form>
  );
}
