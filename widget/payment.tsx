// What the widget draws: the same screens as the checkout page, in the room a merchant's page leaves.
/** @jsxRuntime classic */
/** @jsx h */
import type { TargetedSubmitEvent } from 'preact';
import { HEADING_ID, NEWS_ID } from '../shared/announce.ts';
import type { CheckoutSession } from '../shared/checkout.ts';
import { LOW_MS, type Countdown } from '../shared/countdown.ts';
import type { Gateway } from '../shared/gateway.ts';
import { ICONS, type IconName } from '../shared/icons.ts';
import type { Payer, PayerState } from '../shared/payer.ts';
import { speak, type Screen } from '../shared/screen.ts';
import { atmAddress } from '../shared/details.ts';
import { h } from './draw.ts';
import { drawDetails } from './details.tsx';

type PaymentProps = {
  state: PayerState;
  screen: Screen;
  gateway: Gateway;
  pay: (typed: string) => void;
  copy: Payer['copy'];
  payByReference: Payer['payByReference'];
};

type Say = (key: string) => string;

export function drawPayment({ state, screen, gateway, pay, copy, payByReference }: PaymentProps) {
  const { session, texts, isOffline } = state;
  const { name, tone, countdown } = screen;
  const say = speak(texts, screen.places);
  const isForm = name === 'pay';
  const isScan = name === 'scan';
  return (
    <div class="card stack" part="card" lang={session.lang}>
      {session.sandbox && drawTest(session, say, gateway.base)}
      <div class="center">
        {session.merchant.hasLogo && <img class="logo" src={gateway.addressOf('logo')} alt="" decoding="async" />}
        <p class="small quiet">{session.merchant.name}</p>
        <p class="amount" part="amount">
          {screen.amount}
        </p>
        {session.description && <p class="small quiet">{session.description}</p>}
      </div>
      {name === 'wait' && countdown
        ? drawRing(countdown, say('wait.timer'))
        : !isForm && !isScan && name !== 'reference' && drawIcon(screen.icon, `sign ${tone}`)}
      <div class="center">
        <h2 id={HEADING_ID} tabIndex={-1} class={isForm ? tone : ''} part="title">
          {screen.title}
        </h2>
        {name === 'received' && <p role="status">{screen.count}</p>}
        {screen.lines.map((line) => (
          <p>{line}</p>
        ))}
      </div>
      {isForm && drawForm(state, screen, say, pay)}
      {screen.isReplaceable && drawInstead(state, isForm, say, payByReference)}
      {isScan && drawCode(screen, say, gateway.addressOf('qrcode.svg'), session.qr?.link)}
      {screen.details && drawDetails(screen.details, state.copied, say, copy)}
      {screen.steps[0] && (
        <ol class="steps">
          {screen.steps.map((step) => (
            <li>{step}</li>
          ))}
        </ol>
      )}
      {screen.rows[0] && (
        <dl class="rows">
          {screen.rows.map(([label, value]) => (
            <div>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {(screen.rows[0] || screen.details?.places[0]) && drawKeep(say, gateway.addressOf(''))}
      {(name === 'wait' || name === 'bank') && <p class="small quiet center">{say('wait.keep')}</p>}
      {screen.code && <p class="small quiet center">{say('note.code')}</p>}
      <p id={NEWS_ID} class="unseen" role="status" />
      <p class="offline small warning" role="status">
        {isOffline && drawIcon('broken')}
        {isOffline && say('note.offline')}
      </p>
    </div>
  );
}

/** In the sandbox, the way to whoever pays there. */
function drawTest({ qr, ppr }: CheckoutSession, say: Say, base: string) {
  return (
    <p class="small warning center">
      {say('sandbox.ribbon')}
      <br />
      <a href={qr?.link ?? base + (ppr ? atmAddress(ppr) : '/sandbox/phone')} target="_blank" rel="noopener">
        {say(`sandbox.${qr ? 'scan' : ppr ? 'atm' : 'phone'}`)}
      </a>
    </p>
  );
}

/** What is to be kept is printed and saved from the page by itself. */
function drawKeep(say: Say, address: string) {
  return (
    <a class="button plain" part="keep" href={address.replace('/?', '?')} target="_blank" rel="noreferrer">
      {say('paid.print')}
    </a>
  );
}

function drawForm({ session, typed, error, step }: PayerState, { limits }: Screen, say: Say, pay: PaymentProps['pay']) {
  const isSending = step === 'sending';

  function submit(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    pay(event.currentTarget['phoneNumber'].value);
  }

  return (
    <form class="stack" onSubmit={submit}>
      <div class="field">
        <label for="phone">{say('pay.label')}</label>
        <div class={error ? 'input wrong' : 'input'}>
          <span aria-hidden="true">+244</span>
          <input
            id="phone"
            part="input"
            name="phoneNumber"
            type="tel"
            autocomplete="tel-national"
            enterkeyhint="go"
            aria-invalid={error !== null}
            aria-describedby="phone-note"
            value={typed}
          />
        </div>
        <p id="phone-note" class={error ? 'error' : 'small quiet'}>
          {error ?? say('pay.hint')}
        </p>
      </div>
      <button part="button" aria-disabled={isSending}>
        {say(isSending ? 'pay.sending' : session.failure ? 'pay.again' : 'pay.button')}
      </button>
      <p class="small quiet">{`${say('pay.next')} ${limits}`}</p>
    </form>
  );
}

/** After a refusal: going on by reference. Where that is the only way on it is the button of the screen. */
function drawInstead({ step, trouble }: PayerState, isSecond: boolean, say: Say, payByReference: () => void) {
  const isSwitching = step === 'switching';
  return (
    <div class="stack">
      <button part="button" class={isSecond ? 'plain' : ''} aria-disabled={isSwitching} onClick={payByReference}>
        {say(isSwitching ? 'preparing.title' : 'instead.button')}
      </button>
      {isSecond && <p class="small quiet">{say('instead.line')}</p>}
      {trouble && (
        <p class="error" role="alert">
          {trouble}
        </p>
      )}
    </div>
  );
}

/** The code, how many have paid, the way into the app, and until when. */
function drawCode({ count, limits }: Screen, say: Say, image: string, link = '') {
  return (
    <div class="stack center">
      <img class="qr" src={image} width="260" height="260" alt={say('scan.alt')} />
      {count && (
        <p class="count" role="status">
          {count}
        </p>
      )}
      <a class="button app" part="button" href={link}>
        {say('scan.open')}
      </a>
      <p class="small quiet" role="timer">
        {limits}
      </p>
    </div>
  );
}

function drawRing({ share, text, remainingMs }: Countdown, label: string) {
  return (
    <div class={remainingMs < LOW_MS ? 'ring low' : 'ring'} role="timer" aria-label={label}>
      <svg viewBox="0 0 100 100" aria-hidden="true">
        <circle cx="50" cy="50" r="46.2" />
        <circle class="left" cx="50" cy="50" r="46.2" pathLength="1" stroke-dasharray={`${share} 1`} />
      </svg>
      {drawIcon('phone')}
      <span>{text}</span>
    </div>
  );
}

function drawIcon(name: IconName, look = '') {
  return (
    <svg class={`icon ${look}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}
