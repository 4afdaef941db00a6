// The checkout page's one card: the bill on top, below the tear line what is to be done about it.
import type { ComponentChildren } from 'preact';
import { HEADING_ID, NEWS_ID } from '../shared/announce.ts';
import type { ScreenName } from '../shared/screen.ts';
import type { Detail } from '../shared/details.ts';
import { Instead } from './screens/Instead.tsx';
import { Keep } from './screens/Keep.tsx';
import { PayForm } from './screens/PayForm.tsx';
import { Receipt } from './screens/Receipt.tsx';
import { ReferenceDetails } from './screens/ReferenceDetails.tsx';
import { ScanCode } from './screens/ScanCode.tsx';
import { LookAgain, WaitSteps } from './screens/Wait.tsx';
import { Ways } from './screens/Ways.tsx';
import type { Page } from './state.ts';
import { Icon } from './ui/Icon.tsx';
import { Footer, Ribbon } from './ui/Page.tsx';
import { Ring } from './ui/Ring.tsx';
import { addressOf } from './view.ts';

export type AppProps = {
  page: Page;
  pay: (typed: string) => void;
  copy: (row: Detail, shown: Element) => void;
  payByReference: () => void;
};

export function App(props: AppProps) {
  const { page } = props;
  const { say, screen } = page;
  const { session, isOffline } = page.state;
  return (
    <>
      {session.sandbox && <Ribbon text={say('sandbox.ribbon')} />}
      <div class="page">
        <p class="offline small warning" role="status">
          {isOffline && <Icon name="broken" />}
          {isOffline && say('note.offline')}
        </p>
        <main class="card">
          <Bill page={page} />
          <section class="act stack">
            <Sign page={page} />
            <Words page={page} />
            {BODIES[screen.name]?.(props)}
            {(screen.name === 'paid' || screen.details?.places[0]) && <Keep page={page} />}
            {screen.isReplaceable && <Instead {...props} />}
            <Ways page={page} />
            {!page.isLive && LOOKED_AT.has(screen.name) && (
              <p class="way small center">
                <LookAgain page={page} />
              </p>
            )}
          </section>
        </main>
        <p id={NEWS_ID} class="unseen" role="status" />
        <Footer lang={session.lang} label={say('note.language')} hrefOf={(lang) => addressOf(page, lang)} />
      </div>
    </>
  );
}

/** What a screen has besides its words. */
const BODIES: Partial<Record<ScreenName, (props: AppProps) => ComponentChildren>> = {
  pay: PayForm,
  scan: ScanCode,
  reference: ReferenceDetails,
  activating: ReferenceDetails,
  received: ReferenceDetails,
  preparing: WaitSteps,
  wait: WaitSteps,
  bank: WaitSteps,
  paid: Receipt,
};

/** Besides those whose steps lead to another look anyway: what goes on by itself, and stands still where no script comes. */
const LOOKED_AT: ReadonlySet<ScreenName> = new Set([
  'scan',
  'reference',
  'activating',
  'received',
  'short',
  'authorized',
  'capturing',
]);

export function Bill({ page }: { page: Page }) {
  const { state, screen, say } = page;
  const { merchant, description, lang } = state.session;
  // Where it is a line of its own, once is enough.
  const hasReference = screen.details || screen.name === 'paid';
  return (
    <header class="bill center">
      {merchant.hasLogo && (
        <img class="logo" src={addressOf({ token: page.token }, lang, '/logo')} alt="" decoding="async" />
      )}
      <p>{merchant.name}</p>
      <p class="amount">{screen.amount}</p>
      {description && <p class="small quiet">{description}</p>}
      {!hasReference && <p class="small quiet">{`${say('row.reference')} ${screen.reference}`}</p>}
    </header>
  );
}

/** Screens that need no picture of their state: what is to be filled in or typed elsewhere, and the code, which is one. */
const PLAIN: ReadonlySet<ScreenName> = new Set(['pay', 'scan', 'reference']);

export function Sign({ page: { screen, say } }: { page: Page }) {
  if (PLAIN.has(screen.name)) return null;
  if (screen.name === 'wait' && screen.countdown)
    return <Ring countdown={screen.countdown} label={say('wait.timer')} />;
  return <Icon name={screen.icon} look={`sign ${screen.tone}`} />;
}

/** What the screen says, the title first. */
export function Words({ page: { screen } }: { page: Page }) {
  return (
    <div class="center">
      <h1 id={HEADING_ID} tabIndex={-1} class={screen.name === 'pay' ? screen.tone : ''}>
        {screen.title}
      </h1>
      {screen.name === 'received' && <p role="status">{screen.count}</p>}
      {screen.lines.map((line) => (
        <p>{line}</p>
      ))}
    </div>
  );
}
