// The sign-in page: the password, then the code of the second step, and the reason of a refusal.
import type { ComponentChildren } from 'preact';
import type { SignInView } from '../shared/console.ts';
import { RevealButton } from '../checkout/account/RevealButton.tsx';
import { renderCard } from './card.tsx';
import { TEXTS, type ConsoleTexts } from './words.ts';

/** Renders the sign-in page at `/console/sign-in`. */
export function renderSignIn(view: SignInView): string {
  const { lang, sandbox, step, to, wrong, isCrossSite, kept, script } = view;
  const t = TEXTS[lang];
  const hrefOf = (each: string) => `/console/sign-in?${new URLSearchParams({ to, lang: each })}`;
  const content = (
    <>
      <p class="center">{t[step === 'code' ? 'door.code.line' : 'door.line']}</p>
      {isCrossSite && (
        <a class="button plain" href={to}>
          {t['door.onward']}
        </a>
      )}
      {wrong && (
        <p class="notice danger" role="alert">
          {t[`door.wrong.${wrong}`]}
        </p>
      )}
      {/* Without an action the form goes to the URL of the kept form, whose screen shows that form again. */}
      <form method="post" action={kept === null ? `/console/sign-in?lang=${lang}` : undefined} class="stack">
        {kept === null ? (
          <input type="hidden" name="to" value={to} />
        ) : (
          <input type="hidden" name="kept" value={kept} />
        )}
        {step === 'code' ? <CodeFields t={t} view={view} /> : <PasswordFields t={t} view={view} />}
        <button>{t['door.button']}</button>
      </form>
      {step === 'code' ? (
        <p class="center">
          <a href={hrefOf(lang)}>{t['door.again']}</a>
        </p>
      ) : (
        <>
          <p class="center">
            <a href={`/account/recover?lang=${lang}`}>{t['door.forgot']}</a>
          </p>
          <a class="button plain" href={`/account/register?lang=${lang}`}>
            {t['door.register']}
          </a>
        </>
      )}
    </>
  );
  const title = t[step === 'code' ? 'door.code.title' : 'door.title'];
  return renderCard({ lang, sandbox, title, content, hrefOf, script });
}

type Fields = { t: ConsoleTexts; view: SignInView };

function PasswordFields({ t, view: { email } }: Fields) {
  return (
    <>
      <Labelled name="email" label={t['door.email']}>
        <input id="email" name="email" type="email" autocomplete="username" required defaultValue={email} />
      </Labelled>
      <Labelled name="password" label={t['door.password']}>
        <input id="password" name="password" type="password" autocomplete="current-password" required />
        <RevealButton show={t['door.reveal']} hide={t['door.conceal']} />
      </Labelled>
    </>
  );
}

function CodeFields({ t, view: { mfaToken } }: Fields) {
  return (
    <>
      <input type="hidden" name="mfaToken" value={mfaToken} />
      <Labelled name="code" label={t['door.code']}>
        <input id="code" name="code" inputMode="text" autocomplete="one-time-code" required maxLength={40} autofocus />
      </Labelled>
    </>
  );
}

function Labelled({ name, label, children }: { name: string; label: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <div class="input">{children}</div>
    </div>
  );
}
