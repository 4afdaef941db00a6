// What the server asks of the pages: whole documents as text, the stylesheet they carry, and the words of each language.
import type { ScreenName } from '../shared/screen.ts';
import { App } from './App.tsx';
import { renderDocument, writeJson } from './document.tsx';
import { describeFirstPage } from './state.ts';
import { addressOf, CARRIED_ID, ROOT_ID, type CarriedView, type CheckoutView } from './view.ts';

export { renderMissing, renderProblem, renderTrouble } from './pages.tsx';
export { styles } from './styles.ts';
export { texts } from './text/languages.ts';

/** The checkout page of one payment, readable and usable before (or without) its script. */
export function renderCheckout({ script, ...view }: CheckoutView): string {
  const page = describeFirstPage(view);
  const { session, token } = view;
  return renderDocument({
    lang: session.lang,
    title: page.screen.title,
    script,
    // Never under a form that somebody is filling in.
    refreshTo: session.isFinal || STILL.has(page.screen.name) ? null : addressOf(token, session.lang),
    content: (
      <>
        <div id={ROOT_ID}>
          <App page={page} pay={() => {}} />
        </div>
        {script && (
          <script
            type="application/json"
            id={CARRIED_ID}
            dangerouslySetInnerHTML={{ __html: writeJson(carryView(view)) }}
          />
        )}
      </>
    ),
  });
}

/** Screens that wait for their payer, or for nobody. */
const STILL: ReadonlySet<ScreenName> = new Set(['pay', 'exhausted', 'authorized']);

/** What only a push, or only a code, needs words for. */
const ONLY_PUSH = /^(pay|exhausted|checking|wait|advice|error|authorization|authorized|released|capture|capturing)\./;
const ONLY_CODE = /^scan\.|^paid\.count|^sandbox\.scan/;

/** The view with the texts its script can still need: a failure's words come with the failure. */
function carryView(view: CarriedView): CarriedView {
  const { session } = view;
  const isNeeded = (key: string) =>
    !key.startsWith('failure.') &&
    (session.sandbox || !key.startsWith('sandbox.')) &&
    !(session.method === 'qrcode' ? ONLY_PUSH.test(key) && !NEEDED_BY_CODE.has(key) : ONLY_CODE.test(key));
  const kept = Object.fromEntries(Object.entries(session.texts).filter(([key]) => isNeeded(key)));
  return { ...view, session: { ...session, texts: kept } };
}

const NEEDED_BY_CODE = new Set(['pay.until', 'pay.left', 'wait.keep', 'wait.refresh']);
