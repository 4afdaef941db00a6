// After a refusal: going on by reference, as one tap. A plain form too.
import type { Page } from '../state.ts';
import { addressOf } from '../view.ts';

export function Instead({ page, payByReference }: { page: Page; payByReference: () => void }) {
  const { say, screen } = page;
  const { session, step, trouble } = page.state;
  // The only way on is the button of the screen; beside another one it is the second.
  const isAlone = screen.name === 'exhausted';

  function submit(event: Event) {
    event.preventDefault();
    payByReference();
  }

  return (
    <form class="stack" method="post" action={addressOf(page, session.lang, '/reference')} onSubmit={submit}>
      <button class={isAlone ? '' : 'plain'} aria-disabled={step === 'switching'}>
        {say(step === 'switching' ? 'preparing.title' : 'instead.button')}
      </button>
      {trouble ? (
        <p class="error" role="alert">
          {trouble}
        </p>
      ) : (
        !isAlone && <p class="small quiet">{say('instead.line')}</p>
      )}
    </form>
  );
}
