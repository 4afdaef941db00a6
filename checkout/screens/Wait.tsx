// While the payer's phone is being asked: what to do there, in steps, and the way to look again by hand.
import type { Page } from '../state.ts';
import { addressOf } from '../view.ts';

export function WaitSteps({ page }: { page: Page }) {
  const { say, screen } = page;
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
        <LookAgain page={page} />
      </p>
    </>
  );
}

/** For whom no script looks. */
export function LookAgain({ page }: { page: Page }) {
  return <a href={addressOf(page, page.state.session.lang)}>{page.say('wait.refresh')}</a>;
}
