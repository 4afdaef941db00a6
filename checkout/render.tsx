// What the server asks of the pages: whole documents as text, the stylesheet they carry, and the words of each language.
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
    refreshTo: session.status === 'Processing' ? addressOf(token, session.lang) : null,
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

/** The view with the texts its script can still need: a failure's words come with the failure. */
function carryView(view: CarriedView): CarriedView {
  const isNeeded = (key: string) =>
    !key.startsWith('failure.') && (view.session.sandbox || !key.startsWith('sandbox.'));
  const kept = Object.fromEntries(Object.entries(view.session.texts).filter(([key]) => isNeeded(key)));
  return { ...view, session: { ...view.session, texts: kept } };
}
