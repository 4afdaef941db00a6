// The account pages: forms that request a mail with a link, and the pages that such links open.
import type { AccountPage, AccountView } from '../../shared/account.ts';
import type { Language } from '../../shared/language.ts';
import { accountTexts, type AccountTextKey } from '../text/account.ts';
import { EnvelopeMark } from '../ui/Envelope.tsx';
import { Icon } from '../../shared/ui/Icon.tsx';
import { AccountForm, asksForPassword } from './AccountForm.tsx';
import { renderCard } from './card.tsx';

/** Renders an account page below `/account`. */
export function renderAccount(view: AccountView): string {
  return { form: renderForm, done: renderDone, invalid: renderInvalid }[view.state](view);
}

/** Renders an error page while the account page cannot be shown (413, 429, 5xx). */
export function renderAccountTrouble(lang: Language, againUrl: string | null): string {
  const t = accountTexts[lang];
  const content = (
    <>
      <p class="center">{againUrl ? t['trouble.line'] : t['trouble.form']}</p>
      {againUrl && (
        <a class="button" href={againUrl}>
          {t['trouble.again']}
        </a>
      )}
    </>
  );
  const sign = <Icon name="clock" look="sign quiet" />;
  return renderCard({ lang, sandbox: false, sign, title: t['trouble.title'], content });
}

/** Renders the page for an unknown URL below `/account`, because mail programs break long links. */
export function renderAccountMissing(lang: Language): string {
  const t = accountTexts[lang];
  const content = <p class="center">{t['missing.line']}</p>;
  const sign = <Icon name="stop" look="sign quiet" />;
  return renderCard({ lang, sandbox: false, sign, title: t['missing.title'], content });
}

function renderForm(view: AccountView): string {
  const { page, lang, sandbox, token, email, registrant, from, wrong, script } = view;
  const t = accountTexts[lang];
  const content = (
    <>
      <div class="about center">
        {from.length > 0 && (
          <p>
            {t['invitation.from']} <span class="whose">{from.join(' · ')}</span>
          </p>
        )}
        {registrant && <p class="whose">{registrant}</p>}
        {email && <p class="whose">{email}</p>}
        <p>{registrant === null ? t[`${page}.line`] : t['verify-email.known.line']}</p>
      </div>
      <AccountForm {...view} />
      {ASKS_FOR_MAIL.includes(page) && (
        <p class="center">
          <a href={signInUrl(lang)}>{t['known.door']}</a>
        </p>
      )}
    </>
  );
  const isWrong = Object.keys(wrong).length > 0;
  const title = t[`${page}.title`];
  const hrefOf = (each: Language) => `?${new URLSearchParams({ ...(token && { token }), lang: each })}`;
  return renderCard({
    lang,
    sandbox,
    title,
    tabTitle: isWrong ? `${t['wrong.title']}: ${title}` : title,
    content,
    hrefOf,
    // Only a page with a password loads the script.
    script: asksForPassword(view) ? script : null,
  });
}

/** The account pages that send a mail with a link. */
const ASKS_FOR_MAIL: readonly AccountPage[] = ['register', 'resend', 'recover'];

const signInUrl = (lang: Language) => `/console/sign-in?lang=${lang}`;

function renderDone(view: AccountView): string {
  const { page, lang, sandbox } = view;
  const t = accountTexts[lang];
  const isMailed = ASKS_FOR_MAIL.includes(page);
  const content = (
    <>
      <p class="center">{t[`${page}.done.line`]}</p>
      {isMailed ? (
        <Mailed {...view} />
      ) : (
        <a class="button" href={signInUrl(lang)}>
          {t['done.door']}
        </a>
      )}
    </>
  );
  const sign = isMailed ? <EnvelopeMark look="sign brand" /> : <Icon name="check" look="sign success" />;
  return renderCard({ lang, sandbox, sign, title: t[`${page}.done.title`], content });
}

/** The link to the sandbox's inbox, and the button that sends the mail again. */
function Mailed({ page, lang, sandbox, typed: { email = '' } }: AccountView) {
  const t = accountTexts[lang];
  return (
    <>
      {sandbox && (
        <a class="button" href="/sandbox/inbox">
          {t['sandbox.inbox']}
        </a>
      )}
      {page === 'register' && (
        <form method="post" action={`/account/resend?lang=${lang}`}>
          <input type="hidden" name="email" value={email} />
          <button class="plain">{t['resend.button']}</button>
        </form>
      )}
      <p class="center">
        <a href={signInUrl(lang)}>{t['known.door']}</a>
      </p>
    </>
  );
}

/** The text of the link to a new mail. Each account page shows it after an invalid link. */
const WAY_ON: Partial<Record<AccountView['page'], AccountTextKey>> = {
  'verify-email': 'invalid.recover',
  reset: 'invalid.recover',
};

function renderInvalid({ page, lang, sandbox }: AccountView): string {
  const t = accountTexts[lang];
  const wayOn = WAY_ON[page];
  const content = (
    <>
      <div class="about center">
        <p>{t['invalid.line']}</p>
        <p>{t[`${page}.invalid`]}</p>
      </div>
      {wayOn && (
        <a class="button" href={`/account/recover?lang=${lang}`}>
          {t[wayOn]}
        </a>
      )}
    </>
  );
  const hrefOf = (each: Language) => `?lang=${each}`;
  const sign = <Icon name="stop" look="sign quiet" />;
  return renderCard({ lang, sandbox, sign, title: t['invalid.title'], content, hrefOf });
}
