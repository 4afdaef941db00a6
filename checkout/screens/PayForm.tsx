// The one thing to do: type the phone's number and ask for the push. A plain form too.
import type { TargetedSubmitEvent } from 'preact';
import type { Page } from '../state.ts';
import { addressOf } from '../view.ts';

export function PayForm({ page, pay }: { page: Page; pay: (typed: string) => void }) {
  const { say, screen } = page;
  const { session, typed, error, step } = page.state;
  const isSending = step === 'sending';
  const action = session.failure ? say('pay.again') : say('pay.button');

  function submit(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    pay(String(new FormData(event.currentTarget).get('phoneNumber')));
  }

  return (
    <form class="stack" method="post" action={addressOf(page, session.lang, '/pay')} onSubmit={submit}>
      <div class="field">
        <label for="phone">{say('pay.label')}</label>
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
            // Browsers refuse it to a frame, and say so.
            autofocus={error !== null && !page.theme}
            defaultValue={typed}
          />
        </div>
        <p id="phone-note" class={error ? 'error' : 'small quiet'}>
          {error ?? say('pay.hint')}
        </p>
      </div>
      <button aria-disabled={isSending}>{isSending ? say('pay.sending') : action}</button>
      <p class="small quiet">{`${say('pay.next')} ${screen.limits}`}</p>
    </form>
  );
}
