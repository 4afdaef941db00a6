// Ways to keep what a page says: on paper, and as a file that needs neither a network nor a printer.
import type { Page } from '../state.ts';
import { addressOf } from '../view.ts';

/** What is kept is a file of its own (Kept.tsx), named by the server. */
export function Keep({ page: { say, token, state, isLive } }: { page: Page }) {
  return (
    <>
      {isLive.value && (
        <button type="button" class="plain" onClick={() => print()}>
          {say('paid.print')}
        </button>
      )}
      <p class="way small center">
        <a href={`${addressOf({ token }, state.value.session.lang)}&keep=1`} download>
          {say('paid.save')}
        </a>
      </p>
    </>
  );
}
