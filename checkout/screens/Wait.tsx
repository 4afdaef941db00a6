// While the payer's phone is being asked: what to do there, in steps, and the way to look again by hand.
import type { Page } from '../state.ts';
import { addressOf } from '../view.ts';

export function WaitSteps({ page }: { page: Page }) {
  const { say, screen, state } = page;
  return (
    <>
      {screen.steps.length > 0 && (
        <ol class="steps">
          {screen.steps.map((step) => (
            <li>{step}</li>
          ))}
        </ol>
      )}
      <p class="small quiet center">
        {say('wait.keep') + ' '}
        <a href={addressOf(page, state.session.lang)}>{say('wait.refresh')}</a>
      </p>
    </>
  );
}
