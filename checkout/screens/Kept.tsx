// A receipt or a reference as a file: what it says and nothing that leads anywhere, for a phone without a network.
import { Bill, Sign, Words } from '../App.tsx';
import type { Page } from '../state.ts';
import { Ribbon } from '../ui/Page.tsx';
import { Receipt } from './Receipt.tsx';
import { ReferenceDetails } from './ReferenceDetails.tsx';

/** Whoever is sent the file is sent no way into the payment: no address is in it, neither ours nor the shop's. */
export function Kept({ page }: { page: Page }) {
  const { say, screen } = page;
  return (
    <>
      {page.state.session.sandbox && <Ribbon text={say('sandbox.ribbon')} />}
      <div class="page">
        <main class="card">
          <Bill page={page} />
          <section class="act stack">
            <Sign page={page} />
            <Words page={page} />
            {screen.name === 'paid' && <Receipt page={page} />}
            <ReferenceDetails page={page} copy={() => {}} />
            {screen.code && <p class="small quiet center">{say('note.code')}</p>}
          </section>
        </main>
      </div>
    </>
  );
}
