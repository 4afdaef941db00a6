// Ways to keep what a page says: on paper, and as a file that needs neither a network nor a printer.
import type { Page } from '../state.ts';
import { addressOf } from '../view.ts';

/** What is kept is the page by itself, not as it looks in a frame. */
export function Keep({ page: { say, token, state, screen, isLive } }: { page: Page }) {
  return (
    <>
      {isLive && (
        <button type="button" class="plain" onClick={() => print()}>
          {say('paid.print')}
        </button>
      )}
      <p class="way small center">
        <a href={addressOf({ token }, state.session.lang)} download={`${screen.reference}.html`}>
          {say('paid.save')}
        </a>
      </p>
    </>
  );
}
