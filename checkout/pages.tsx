// The pages without a payment: wrong link, temporary error, unreadable form, and the API's problems.
import type { ComponentChildren } from 'preact';
import type { Lang } from '../shared/checkout.ts';
import type { Theme } from '../shared/frame.ts';
import type { IconName } from '../shared/icons.ts';
import { matchesQuery } from '../shared/search.ts';
import { renderDocument } from './document.tsx';
import { problemStyles } from './styles.ts';
import { texts } from './text/languages.ts';
import { pageTexts } from './text/pages.ts';
import { Icon } from '../shared/ui/Icon.tsx';
import { Footer } from './ui/Page.tsx';
import { addressOf, targetOf, type PlaceOfPage } from './view.ts';

export type Problem = { code: string; status: number; title: string; detail: string };

/** Renders the page for a link without a payment, or for a payment whose checkout has closed (404). */
export function renderMissing(lang: Lang, place: PlaceOfPage | null = null): string {
  const t = pageTexts[lang];
  return renderNotice(lang, 'stop', t['missing.title'], <p class="center">{t['missing.line']}</p>, place);
}

/** Renders an error page while the payment cannot be shown (500, 503). It does not mention the payment's status. */
export function renderTrouble(lang: Lang, place: PlaceOfPage | null = null): string {
  const t = pageTexts[lang];
  return renderDetour(lang, 'clock', t['trouble.title'], t['trouble.line'], t['trouble.again'], place);
}

/** Renders the page for a form that could not be read (400, 405, 413, 415). The form had no effect. */
export function renderRefused(lang: Lang, place: PlaceOfPage | null = null): string {
  const t = pageTexts[lang];
  return renderDetour(lang, 'broken', t['refused.title'], t['refused.line'], t['refused.open'], place);
}

/** Renders a notice with a link back to the payment. */
function renderDetour(
  lang: Lang,
  icon: IconName,
  title: string,
  line: string,
  open: string,
  place: PlaceOfPage | null,
): string {
  const content = (
    <>
      <p class="center">{line}</p>
      <a class="button" href={place ? addressOf(place, lang) : ''}>
        {open}
      </a>
    </>
  );
  return renderNotice(lang, icon, title, content, place);
}

export type UnlistedPlace = { token: string; theme: Theme; origin: string; script: string | null };

/** Renders a frame's page for an origin that is not the merchant's (403). Its script reports that to the widget. */
export function renderUnlisted(lang: Lang, { script, origin, ...place }: UnlistedPlace): string {
  const t = pageTexts[lang];
  const line = (
    <>
      <p class="center">{t['unlisted.line']}</p>
      <a class="button" href={addressOf({ token: place.token }, lang)} target={targetOf(place.theme)}>
        {t['refused.open']}
      </a>
    </>
  );
  const hrefOf = (each: Lang) => `${addressOf(place, each)}&origin=${encodeURIComponent(origin)}`;
  const content = layOut(lang, t['unlisted.title'], line, { icon: 'stop', hrefOf });
  return renderDocument({ lang, title: t['unlisted.title'], content, frameScript: script });
}

/**
 * Renders `/problems/{code}` for one problem and `/problems` for all. The texts are in English, as in the API.
 * A query leaves the problems that have its words.
 */
export function renderProblem(problem: Problem | readonly Problem[], lang: Lang, query = ''): string {
  const t = pageTexts[lang];
  const all = [problem].flat();
  const only = Array.isArray(problem) ? null : all[0];
  const shown = all.filter(({ code, status, title, detail }) =>
    matchesQuery(query, [code, status, title, detail].join(' ')),
  );
  const content = (
    <>
      <p>{t['problem.line']}</p>
      {!only && (
        <form role="search" class="field" action="/problems">
          <input type="hidden" name="lang" value={lang} />
          <label for="q">{t['problem.search']}</label>
          <div class="search">
            <div class="input">
              <input id="q" name="q" type="search" defaultValue={query} autocomplete="off" spellcheck={false} />
            </div>
            <button>{t['problem.search.button']}</button>
          </div>
          {shown.length === 0 && <p role="status">{t['problem.none']}</p>}
        </form>
      )}
      <dl class="problems" lang="en">
        {shown.map(({ code, status, title, detail }) => (
          <div>
            <dt>{only ? code : <a href={`/problems/${code}`}>{code}</a>}</dt>
            <dd>{`${status} · ${title}`}</dd>
            <dd class="quiet">{detail}</dd>
          </div>
        ))}
      </dl>
      <p class="on">
        {(only || query) && <a href={`/problems?lang=${lang}`}>{t['problem.all']}</a>}
        <a href="/docs">{t['problem.docs']}</a>
      </p>
    </>
  );
  const heading = only ? <span lang="en">{only.title}</span> : t['problem.title'];
  const title = only ? `${only.code} · ${t['problem.title']}` : t['problem.title'];
  return renderDocument({ lang, title, content: layOut(lang, heading, content), css: problemStyles });
}

function renderNotice(
  lang: Lang,
  icon: IconName,
  title: string,
  line: ComponentChildren,
  place: PlaceOfPage | null,
): string {
  const content = layOut(lang, title, line, { icon, ...(place && { hrefOf: (each: Lang) => addressOf(place, each) }) });
  return renderDocument({ lang, title, content });
}

type Beside = { icon?: IconName; hrefOf?: (lang: Lang) => string };

function layOut(
  lang: Lang,
  heading: ComponentChildren,
  content: ComponentChildren,
  { icon, hrefOf = (each) => `?lang=${each}` }: Beside = {},
) {
  return (
    <div class="page">
      <main class="card act stack">
        {icon && <Icon name={icon} look="sign quiet" />}
        <h1 class="center">{heading}</h1>
        {content}
      </main>
      <Footer lang={lang} label={texts[lang]['note.language']} hrefOf={hrefOf} />
    </div>
  );
}
