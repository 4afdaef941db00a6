// A receipt or a reference as a file that a phone can show without a network.
import { Receipt } from '../../shared/ui/Receipt.tsx';
import { ReferenceDetails } from '../../shared/ui/ReferenceDetails.tsx';
import { FailureCode, Sign, ScreenTexts } from '../../shared/ui/ScreenTexts.tsx';
import { Bill } from '../App.tsx';
import { NO_ACTS, type Page } from '../state.ts';
import { Ribbon } from '../ui/Page.tsx';

/** The saved file contains no links. A person who receives the file therefore cannot open the payment. */
export function Kept({ page }: { page: Page }) {
  const { say, screen } = page;
  return (
    <>
      {page.state.value.session.sandbox && <Ribbon text={say('sandbox.ribbon')} />}
      <div class="page">
        <main class="card">
          <Bill page={page} />
          <section class="act stack">
            <Sign scene={page} />
            <ScreenTexts scene={page} />
            {screen.value.name === 'paid' && <Receipt scene={page} />}
            <ReferenceDetails scene={page} acts={NO_ACTS} />
            <FailureCode scene={page} />
          </section>
        </main>
      </div>
    </>
  );
}
