// The form for the phone number to which the push is sent. On the hosted page it works without a script.
import type { TargetedSubmitEvent } from 'preact';
import type { Acts, Scene } from './scene.ts';

export function PayForm({ scene, acts }: { scene: Scene; acts: Acts }) {
  const { say, screen, partOf } = scene;
  const { session, typed, error, step } = scene.state.value;
  const isSending = step === 'sending';

  async function submit(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const root = form.getRootNode() as Document | ShadowRoot;
    await acts.pay(form['phoneNumber'].value);
    if (scene.state.value.error) root.getElementById('phone')?.focus();
  }

  return (
    <form class="stack" {...scene.formOf('/pay')} onSubmit={submit}>
      <div class="field">
        <label for="phone">{say('pay.label')}</label>
        <div class={error ? 'input wrong' : 'input'}>
          <span aria-hidden="true">+244</span>
          <input
            id="phone"
            part={partOf('input')}
            name="phoneNumber"
            type="tel"
            autocomplete="tel-national"
            enterkeyhint="go"
            aria-invalid={error !== null}
            aria-describedby="phone-note"
            autofocus={error !== null && scene.isFocusing}
            defaultValue={typed}
          />
        </div>
        <p id="phone-note" class={error ? 'error' : 'small quiet'}>
          {error ?? say('pay.hint')}
        </p>
      </div>
      <button part={partOf('button')} aria-disabled={isSending}>
        {say(isSending ? 'pay.sending' : session.failure ? 'pay.again' : 'pay.button')}
      </button>
      <p class="small quiet">{`${say('pay.next')} ${screen.value.limits}`}</p>
    </form>
  );
}
