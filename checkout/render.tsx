// What the server asks of the pages: whole documents as text, the stylesheet they carry, and the words of each language.
import type { CheckoutSessionWithTexts } from '../shared/checkout.ts';
import type { ScreenName } from '../shared/screen.ts';
import { App } from './App.tsx';
import { renderDocument, writeJson } from './document.tsx';
import { Kept } from './screens/Kept.tsx';
import { NO_ACTS, openPage, type Page } from './state.ts';
import { stylesOf } from './styles.ts';
import { chooseTexts } from './text/choose.ts';
import { pageTexts } from './text/pages.ts';
import { addressOf, CARRIED_ID, ROOT_ID, type CarriedView, type CheckoutView } from './view.ts';

export { renderMissing, renderProblem, renderRefused, renderTrouble, renderUnlisted } from './pages.tsx';
export { problemStyles, styles, stylesOf } from './styles.ts';
export { chooseTexts } from './text/choose.ts';
export { texts } from './text/languages.ts';

/** The checkout page of one payment, readable and usable before (or without) its script. */
export function renderCheckout({ script, url, ...view }: CheckoutView): string {
  const page = openPage(view);
  const { session } = view;
  return renderDocument({
    lang: session.lang,
    title: describeTitle(page),
    script,
    frameScript: view.frame?.script ?? null,
    refresh: describeRefresh(page),
    preview: url && describePreview(page, url),
    css: stylesOf(session, view.frame?.theme),
    content: (
      <>
        <div id={ROOT_ID}>
          <App page={page} acts={NO_ACTS} />
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

/** The payment as a file to be kept, with neither its token nor its merchant's logo, which may be larger than all the rest. */
export function renderKept(session: CheckoutSessionWithTexts): string {
  const merchant = { ...session.merchant, hasLogo: false };
  const page = openPage({ session: { ...session, merchant }, token: '' });
  const { title } = page.screen.value;
  return renderDocument({ lang: session.lang, title, css: stylesOf(session), content: <Kept page={page} /> });
}

/** A link is shared before it is paid. What the payment is for may name a person, and a chat shows it to others. */
function describePreview({ screen, state }: Page, url: string) {
  const { status, lang, merchant } = state.value.session;
  if (status !== 'Pending') return false;
  const text = pageTexts[lang]['shared.line'].replace('{merchant}', () => merchant.name);
  return { title: `${screen.value.amount} · ${merchant.name}`, text, site: merchant.name, url };
}

/** Said first where no script tells what is wrong. */
function describeTitle({ state, screen }: Page): string {
  const { session, error } = state.value;
  const { name, title } = screen.value;
  return (name === 'pay' && error ? pageTexts[session.lang]['wrong.title'] : '') + title;
}

/**
 * Without a script, seconds between two looks: few while an answer is near, more while a bank or a merchant takes its time,
 * or somebody goes to a machine. Screens that wait for their payer, or for nobody, are left alone: a form may be half typed.
 */
const REFRESH_S: Partial<Record<ScreenName, number>> = {
  preparing: 4,
  wait: 4,
  activating: 4,
  bank: 15,
  capturing: 15,
  scan: 30,
  reference: 30,
  received: 30,
};

function describeRefresh(page: Page): string | null {
  const seconds = REFRESH_S[page.screen.value.name];
  return seconds ? `${seconds};url=${addressOf(page, page.state.value.session.lang)}` : null;
}

/**
 * The view with the texts its script can still need: a failure's words come with the failure, the brand is in the stylesheet.
 * What is null or false is left out: to the script it is the same, and on the line some ninety bytes.
 */
function carryView(view: CarriedView): CarriedView {
  const chosen = Object.entries(chooseTexts(view.session));
  const texts = Object.fromEntries(chosen.filter(([key]) => !key.startsWith('failure.')));
  const merchant = { ...view.session.merchant, brand: null };
  // Only the details of a reference have the amount as a number, to be copied.
  const unused = { currency: null, ...(!view.session.ppr && { amount: null }) };
  const session = Object.entries({ ...view.session, ...unused, merchant, texts }).filter(
    ([, value]) => value !== null && value !== false,
  );
  return { ...view, session: Object.fromEntries(session) as CheckoutSessionWithTexts };
}
