// The checkout bundle's exports for the server: documents as text, their stylesheets, and the texts of each language.
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

/** Renders the checkout page of one payment. The page works before its script has loaded, and without a script. */
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

/** Renders the page of a payment that does not exist. Its forms and links lead nowhere. @param logo a `data:` URL */
export function renderSpecimen(session: CheckoutSessionWithTexts, logo: string): string {
  const page = { ...openPage({ session, token: '' }), formOf: () => undefined, imageOf: () => logo };
  const { title } = page.screen.value;
  const content = <App page={page} acts={NO_ACTS} />;
  return renderDocument({ lang: session.lang, title, css: stylesOf(session), content });
}

/** Renders the payment as a file to save. The file has no token, and no logo because a logo may be large. */
export function renderKept(session: CheckoutSessionWithTexts): string {
  const merchant = { ...session.merchant, hasLogo: false };
  const page = openPage({ session: { ...session, merchant }, token: '' });
  const { title } = page.screen.value;
  return renderDocument({ lang: session.lang, title, css: stylesOf(session), content: <Kept page={page} /> });
}

/** The link preview of a pending payment. It has no description, because that may contain personal data. */
function describePreview({ screen, state }: Page, url: string) {
  const { status, lang, merchant } = state.value.session;
  if (status !== 'Pending') return false;
  const text = pageTexts[lang]['shared.line'].replace('{merchant}', () => merchant.name);
  return { title: `${screen.value.amount} · ${merchant.name}`, text, site: merchant.name, url };
}

/** The page's title. After a refused form it starts with the error, so that screen readers read the error first. */
function describeTitle({ state, screen }: Page): string {
  const { session, error } = state.value;
  const { name, title } = screen.value;
  return (name === 'pay' && error ? pageTexts[session.lang]['wrong.title'] : '') + title;
}

/**
 * Seconds between two reloads of a page without a script: few while the payer approves a push,
 * and more while a bank or a merchant works, or while the payer goes to a cash machine.
 * Screens with a form are not reloaded, because the payer may be typing.
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
 * The data for the page's script, with only those texts that the script can still need.
 * The session already contains the text of a failure, and the stylesheet contains the brand's colour.
 * Fields that are null or false are omitted. That saves about 90 bytes, and the script treats a missing field as null.
 */
function carryView(view: CarriedView): CarriedView {
  const chosen = Object.entries(chooseTexts(view.session));
  const texts = Object.fromEntries(chosen.filter(([key]) => !key.startsWith('failure.')));
  const { brand: _, hasLogo, ...payee } = view.session.merchant;
  const merchant = hasLogo ? { ...payee, hasLogo } : payee;
  // Only the details of a reference need the amount as a number, for their copy button.
  const unused = { currency: null, ...(!view.session.ppr && { amount: null }) };
  const session = Object.entries({ ...view.session, ...unused, merchant, texts }).filter(
    ([, value]) => value !== null && value !== false,
  );
  return { ...view, session: Object.fromEntries(session) as CheckoutSessionWithTexts };
}
