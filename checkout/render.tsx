// What the server asks of the pages: whole documents as text, the stylesheet they carry, and the words of each language.
import type { ScreenName } from '../shared/screen.ts';
import { App } from './App.tsx';
import { renderDocument, writeJson } from './document.tsx';
import { describeFirstPage, type Page } from './state.ts';
import { stylesOf } from './styles.ts';
import { chooseTexts } from './text/choose.ts';
import { addressOf, CARRIED_ID, ROOT_ID, type CarriedView, type CheckoutView } from './view.ts';

export { renderMissing, renderProblem, renderTrouble } from './pages.tsx';
export { styles, stylesOf } from './styles.ts';
export { chooseTexts } from './text/choose.ts';
export { texts } from './text/languages.ts';

/** The checkout page of one payment, readable and usable before (or without) its script. */
export function renderCheckout({ script, ...view }: CheckoutView): string {
  const page = describeFirstPage(view);
  const { session } = view;
  return renderDocument({
    lang: session.lang,
    title: page.screen.title,
    script,
    frameScript: view.frame?.script ?? null,
    refresh: describeRefresh(page),
    css: stylesOf(session, view.frame?.theme),
    content: (
      <>
        <div id={ROOT_ID}>
          <App page={page} pay={() => {}} copy={() => {}} payByReference={() => {}} />
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

/** Screens that wait for their payer (never refreshed under a form that somebody is filling in), or for nobody. */
const STILL: ReadonlySet<ScreenName> = new Set(['pay', 'exhausted', 'authorized', 'short']);

/** Without a script: each few seconds while an answer is near, slowly while somebody goes to a machine. */
function describeRefresh(page: Page): string | null {
  const { session } = page.state;
  const { screen } = page;
  if (session.isFinal || STILL.has(screen.name)) return null;
  const isSlow = screen.details && screen.name !== 'activating';
  return `${isSlow ? 30 : 4};url=${addressOf(page, session.lang)}`;
}

/** The view with the texts its script can still need: a failure's words come with the failure, the brand is in the stylesheet. */
function carryView(view: CarriedView): CarriedView {
  const chosen = Object.entries(chooseTexts(view.session));
  const texts = Object.fromEntries(chosen.filter(([key]) => !key.startsWith('failure.')));
  const merchant = { ...view.session.merchant, brand: null };
  return { ...view, session: { ...view.session, merchant, texts } };
}
