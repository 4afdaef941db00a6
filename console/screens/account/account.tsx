// The person's own page: their merchants, security, language, sessions, and sign-out.
import type { Profile, Session } from '../../../packages/client/src/contract.ts';
import type { ComponentChildren } from 'preact';
import type { Drawn } from '../../../shared/console.ts';
import { LANGUAGES } from '../../../shared/language.ts';
import { ActForm, Field, Folded } from '../../form.tsx';
import type { DrawnScreen } from '../../layout.tsx';
import { Card, Head, Moment, textsOf } from '../../parts.tsx';
import { Safety, SAFETY, Told } from './safety.tsx';

type Page = { profile: Profile; sessions: { data: Session[] } };

export const account: DrawnScreen = {
  path: '/console/account',
  needs: 'readProfile',
  menu: { text: 'account.title', icon: 'person' },
  reads: () => ({
    profile: { operation: 'readProfile' },
    sessions: { operation: 'listSessions', query: { pageSize: '100' } },
  }),
  acts: {
    profile: {
      operation: 'changeProfile',
      ask({ phoneNumber, ...form }) {
        const names = (['firstName', 'lastName', 'language'] as const).filter((name) => form[name] !== undefined);
        const body = Object.fromEntries(names.map((name) => [name, form[name]]));
        return { body: { ...body, ...(phoneNumber !== undefined && { phoneNumber: phoneNumber.trim() || null }) } };
      },
    },
    ...SAFETY,
    end: { operation: 'endSession', ask: ({ sessionId = '' }) => ({ params: { sessionId } }) },
    endOthers: { operation: 'endOtherSessions', ask: () => ({}) },
    create: {
      operation: 'createMerchant',
      ask: ({ name = '' }) => ({ body: { name } }),
      once: true,
      enters: ({ merchant }: { merchant: { id: string } }) => merchant.id,
      leadsTo: () => '/console/today',
    },
  },
  draw(drawn: Drawn<Page>) {
    const t = textsOf(drawn);
    const { profile, sessions } = drawn.data;
    const others = sessions.data.filter(({ isCurrent }) => !isCurrent);
    const content = (
      <>
        <Head title={t['account.title']} />
        <Told drawn={drawn} />
        <p class="quiet">{profile.email}</p>
        {profile.merchants.length > 0 ? <Merchants drawn={drawn} /> : <FirstMerchant drawn={drawn} />}
        <AboutMe drawn={drawn} />
        <Safety drawn={drawn} />
        <Card title={t['account.sessions']}>
          <ul class="plain-list">
            {sessions.data.map((session) => (
              <SessionLine key={session.id} drawn={drawn} session={session} />
            ))}
          </ul>
          {others.length > 0 && (
            <ActForm drawn={drawn} name="endOthers" button={t['account.endOthers']} look="plain danger" />
          )}
        </Card>
        <DoorForm drawn={drawn} action="/console/sign-out" button={t['account.out']} />
      </>
    );
    return { title: t['account.title'], content };
  },
};

function AboutMe({ drawn }: { drawn: Drawn<Page> }) {
  const t = textsOf(drawn);
  const { firstName, lastName, phoneNumber, language } = drawn.data.profile;
  const field = { drawn, act: 'profile' } as const;
  return (
    <Card title={t['profile.title']}>
      <ActForm drawn={drawn} name={field.act} button={t['profile.save']} look="plain" tag={drawn.tags['profile']}>
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

function Merchants({ drawn }: { drawn: Drawn<Page> }) {
  const t = textsOf(drawn);
  const { merchants } = drawn.data.profile;
  const here = drawn.visitor.merchant?.id;
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
              <DoorForm drawn={drawn} action="/console/merchant" button={t['account.enter']}>
                <input type="hidden" name="merchantId" value={id} />
              </DoorForm>
            )}
          </li>
        ))}
      </ul>
      <Folded drawn={drawn} act="create" title={t['account.create.more']}>
        <CreateForm drawn={drawn} />
      </Folded>
    </Card>
  );
}

/** The first step for a newly registered person. */
function FirstMerchant({ drawn }: { drawn: Drawn<Page> }) {
  const t = textsOf(drawn);
  return (
    <Card title={t['account.first']}>
      <p>{t['account.first.about']}</p>
      <CreateForm drawn={drawn} />
      <p class="small quiet">{t['account.first.invited']}</p>
    </Card>
  );
}

function CreateForm({ drawn }: { drawn: Drawn<Page> }) {
  const t = textsOf(drawn);
  return (
    <ActForm drawn={drawn} name="create" button={t['account.create']}>
      <Field drawn={drawn} act="create" name="name" label={t['account.create.name']} maxLength={100} required />
    </ActForm>
  );
}

type SessionLineProps = { drawn: Drawn<Page>; session: Session };

function SessionLine({ drawn, session: { id, isCurrent, userAgent, address, lastUsedAt } }: SessionLineProps) {
  const t = textsOf(drawn);
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
        <ActForm drawn={drawn} name="end" button={t['account.end']} look="plain">
          <input type="hidden" name="sessionId" value={id} />
        </ActForm>
      )}
    </li>
  );
}

const BROWSERS = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'] as const;
const SYSTEMS = ['Android', 'iPhone', 'Windows', 'Macintosh', 'Linux'] as const;

/** Names a browser, such as `Chrome · Android`. Any other program gets the first word of its user agent. */
function nameBrowser(userAgent: string): string {
  const find = (names: readonly string[]) => names.find((name) => userAgent.includes(name));
  return [find(BROWSERS) ?? userAgent.split(/[/ ]/)[0], find(SYSTEMS)].filter(Boolean).join(' · ') || '?';
}

type DoorFormProps = { drawn: Drawn<Page>; action: string; button: string; children?: ComponentChildren };

/** A form that changes the session itself. It posts to its own route, because the API has no operation for it. */
function DoorForm({ drawn, action, button, children }: DoorFormProps) {
  return (
    <form method="post" action={action}>
      <input type="hidden" name="token" value={drawn.visitor.formToken} />
      {children}
      <button class="plain">{button}</button>
    </form>
  );
}
