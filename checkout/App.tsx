// The card of the checkout page: merchant and amount at the top, and the current screen below the dashed line.
import { STATUS_LINE_ID } from '../shared/announce.ts';
import type { ScreenName } from '../shared/screen.ts';
import type { Acts } from '../shared/ui/scene.ts';
import { Screen } from '../shared/ui/Screen.tsx';
import { Offline, Payee } from '../shared/ui/ScreenTexts.tsx';
import { Keep } from './screens/Keep.tsx';
import { Ways } from './screens/Ways.tsx';
import type { Page } from './state.ts';
import { Footer, Ribbon } from './ui/Page.tsx';
import { addressOf } from './view.ts';

export function App({ page, acts }: { page: Page; acts: Acts }) {
  const { say, screen } = page;
  const { session } = page.state.value;
  return (
    <>
      {session.sandbox && <Ribbon text={say('sandbox.ribbon')} />}
      <div class="page">
        <Offline scene={page} />
        <main class="card">
          <Bill page={page} />
          <section class="act stack">
            <Screen scene={page} acts={acts} keep={<Keep page={page} />} again={<ReloadLink page={page} />} />
            <Ways page={page} />
            {!page.isLive.value && WITH_RELOAD_LINK.has(screen.value.name) && (
              <p class="way small center">
                <ReloadLink page={page} />
              </p>
            )}
          </section>
        </main>
        <p id={STATUS_LINE_ID} class="unseen" role="status" />
        <Footer
          lang={session.lang}
          label={say('note.language')}
          hrefOf={(lang) => addressOf(page, lang)}
          notice={{ path: session.merchant.noticePath, text: say('note.data') }}
        />
      </div>
    </>
  );
}

/** Screens that change without an action of the payer. Without a script they show a link that reloads the page. */
const WITH_RELOAD_LINK: ReadonlySet<ScreenName> = new Set([
  'scan',
  'reference',
  'activating',
  'received',
  'short',
  'authorized',
  'capturing',
]);

/** A link that reloads the page, for browsers without a script. */
function ReloadLink({ page }: { page: Page }) {
  return <a href={addressOf(page, page.state.value.session.lang)}>{page.say('wait.refresh')}</a>;
}

export function Bill({ page }: { page: Page }) {
  const { name, details, reference } = page.screen.value;
  // These screens show the payment's reference in a separate line.
  const hasReference = details || name === 'paid';
  return (
    <header class="bill center">
      <Payee scene={page} />
      {!hasReference && <p class="small quiet">{`${page.say('row.reference')} ${reference}`}</p>}
    </header>
  );
}
