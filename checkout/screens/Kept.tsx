// A receipt or a reference as a file: what it says and nothing that leads anywhere, for a phone without a network.
import { Receipt } from '../../shared/ui/Receipt.tsx';
import { ReferenceDetails } from '../../shared/ui/ReferenceDetails.tsx';
import { FailureCode, Sign, Words } from '../../shared/ui/Words.tsx';
import { Bill } from '../App.tsx';
import { NO_ACTS, type Page } from '../state.ts';
import { Ribbon } from '../ui/Page.tsx';

/** Whoever is sent the file is sent no way into the payment: no address is in it, neither ours nor the shop's. */
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
            <Words scene={page} />
            {screen.value.name === 'paid' && <Receipt scene={page} />}
            <ReferenceDetails scene={page} acts={NO_ACTS} />
            <FailureCode scene={page} />
          </section>
        </main>
      </div>
    </>
  );
}
