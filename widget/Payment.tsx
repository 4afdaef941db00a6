// What the widget draws: the same screens as the checkout page, in the room a merchant's page leaves.
// The classic JSX calls are smaller than the automatic runtime's, and every merchant's page carries them.
/** @jsxRuntime classic */
/** @jsx h */
import { h, type TargetedSubmitEvent } from 'preact';
import { HEADING_ID, NEWS_ID } from '../shared/announce.ts';
import type { Lang } from '../shared/checkout.ts';
import type { Countdown } from '../shared/countdown.ts';
import { ICONS, type IconName } from '../shared/icons.ts';
import type { PayerState } from '../shared/payer.ts';
import { fillText, type Screen } from '../shared/screen.ts';
import { NOTICES, type NoticeName } from './notices.ts';

type PaymentProps = { state: PayerState; screen: Screen; base: string; pay: (typed: string) => void };

export function Payment({ state, screen, base, pay }: PaymentProps) {
  const { session, texts, isOffline } = state;
  return (
    <div class="card stack" lang={session.lang}>
      {session.sandbox && (
        <p class="small warning center">
          {texts['sandbox.ribbon']}
          <br />
          <a href={`${base}/sandbox/phone`} target="_blank" rel="noopener">
            {texts['sandbox.phone']}
          </a>
        </p>
      )}
      <div class="center">
        <p class="small quiet">{session.merchant.name}</p>
        <p class="amount">{session.amountText}</p>
      </div>
      <Sign screen={screen} label={texts['wait.timer']} />
      <div class="center">
        <h2 id={HEADING_ID} tabIndex={-1} class={screen.name === 'pay' ? screen.tone : ''}>
          {screen.title}
        </h2>
        {screen.lines.map((line) => (
          <p>{line}</p>
        ))}
      </div>
      {screen.name === 'pay' && <PayForm state={state} limits={screen.limits} pay={pay} />}
      {screen.steps.length > 0 && (
        <ol class="steps">
          {screen.steps.map((step) => (
            <li>{step}</li>
          ))}
        </ol>
      )}
      {screen.rows.length > 0 && <Rows rows={screen.rows} />}
      {screen.code && <p class="small quiet center">{fillText(texts['note.code'] ?? '', { code: screen.code })}</p>}
      <p id={NEWS_ID} class="unseen" role="status" />
      <p class="offline small warning" role="status">
        {isOffline && <Icon name="broken" />}
        {isOffline && texts['note.offline']}
      </p>
    </div>
  );
}

/** The widget before its first session, when it has no words but its own. */
export function Notice({ lang, about }: { lang: Lang; about: NoticeName }) {
  return (
    <div class="card center quiet" lang={lang} role="status">
      {NOTICES[lang][about]}
    </div>
  );
}

function PayForm({ state, limits, pay }: { state: PayerState; limits: string; pay: (typed: string) => void }) {
  const { session, texts, typed, error, step } = state;
  const isSending = step === 'sending';
  const action = session.failure
    ? texts['pay.again']
    : fillText(texts['pay.button'] ?? '', { amount: session.amountText });

  function submit(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    pay(String(new FormData(event.currentTarget).get('phoneNumber')));
  }

  return (
    <form class="stack" onSubmit={submit}>
      <div class="field">
        <label for="phone">{texts['pay.label']}</label>
        <div class={error ? 'input wrong' : 'input'}>
          <span aria-hidden="true">+244</span>
          <input
            id="phone"
            name="phoneNumber"
            type="tel"
            autocomplete="tel-national"
            enterkeyhint="go"
            aria-invalid={error !== null}
            aria-describedby="phone-note"
            defaultValue={typed}
          />
        </div>
        <p id="phone-note" class={error ? 'error' : 'small quiet'}>
          {error ?? texts['pay.hint']}
        </p>
      </div>
      <button aria-disabled={isSending}>{isSending ? texts['pay.sending'] : action}</button>
      <p class="small quiet">{`${texts['pay.next']} ${limits}`}</p>
    </form>
  );
}

function Sign({ screen, label }: { screen: Screen; label: string | undefined }) {
  if (screen.name === 'pay') return null;
  if (screen.name === 'wait' && screen.countdown) return <Ring countdown={screen.countdown} label={label} />;
  return <Icon name={screen.icon} look={`sign ${screen.tone}`} />;
}

/** Circumference of the ring's circle, in its own units. */
const LENGTH = 290;

function Ring({ countdown, label }: { countdown: Countdown; label: string | undefined }) {
  const left = `${Math.round(countdown.share * LENGTH)} ${LENGTH}`;
  return (
    <div class="ring" role="timer" aria-label={label}>
      <svg viewBox="0 0 100 100" aria-hidden="true">
        <circle cx="50" cy="50" r="46.2" />
        <circle class="left" cx="50" cy="50" r="46.2" stroke-dasharray={left} />
      </svg>
      <Icon name="phone" />
      <span>{countdown.text}</span>
    </div>
  );
}

function Rows({ rows }: { rows: Screen['rows'] }) {
  return (
    <dl class="rows">
      {rows.map(([label, value]) => (
        <div>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Icon({ name, look = '' }: { name: IconName; look?: string }) {
  return (
    <svg class={`icon ${look}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}
