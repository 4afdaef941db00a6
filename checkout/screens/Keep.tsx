// The links to keep a receipt or reference: print it, or save it as a file.
import type { Page } from '../state.ts';
import { addressOf } from '../view.ts';

/** The server renders the saved file (Kept.tsx) and sets its name. */
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
