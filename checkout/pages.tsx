// The pages without a payment: a link that leads nowhere, a bad moment, and the problems the API can answer.
import type { ComponentChildren } from 'preact';
import type { Lang } from '../shared/checkout.ts';
import type { IconName } from '../shared/icons.ts';
import { renderDocument } from './document.tsx';
import { texts } from './text/languages.ts';
import { pageTexts } from './text/pages.ts';
import { Icon } from './ui/Icon.tsx';
import { Footer } from './ui/Page.tsx';
import { addressOf, type PlaceOfPage } from './view.ts';

export type Problem = { code: string; status: number; title: string; detail: string };

/** For a link that names no payment, or one that is over (404). */
export function renderMissing(lang: Lang, place: PlaceOfPage | null = null): string {
  const t = pageTexts[lang];
  return renderNotice(lang, 'stop', t['missing.title'], <p class="center">{t['missing.line']}</p>, place);
}

/** For a moment when the payment cannot be shown (500, 503): it says nothing about the payment itself. */
export function renderTrouble(lang: Lang, place: PlaceOfPage | null = null): string {
  const t = pageTexts[lang];
  const content = (
    <>
      <p class="center">{t['trouble.line']}</p>
      <a class="button" href={place ? addressOf(place, lang) : ''}>
        {t['trouble.again']}
      </a>
    </>
  );
  return renderNotice(lang, 'clock', t['trouble.title'], content, place);
}

/** `/problems/{code}` for one problem, `/problems` for all of them. */
export function renderProblem(problem: Problem | readonly Problem[], lang: Lang): string {
  const t = pageTexts[lang];
  const all = [problem].flat();
  const content = (
    <>
      <p>{t['problem.line']}</p>
      <dl class="problems" lang="en">
        {all.map(({ code, status, title, detail }) => (
          <div>
            <dt>
              <a href={`/problems/${code}`}>{code}</a>
            </dt>
            <dd>{`${status} · ${title}`}</dd>
            <dd class="quiet">{detail}</dd>
          </div>
        ))}
      </dl>
    </>
  );
  return renderNotice(lang, null, all.length === 1 ? (all[0]?.title ?? '') : t['problem.title'], content);
}

function renderNotice(
  lang: Lang,
  icon: IconName | null,
  title: string,
  content: ComponentChildren,
  place: PlaceOfPage | null = null,
): string {
  const hrefOf = (each: Lang) => (place ? addressOf(place, each) : `?lang=${each}`);
  const page = (
    <div class="page">
      <main class="card act stack">
        {icon && <Icon name={icon} look="sign quiet" />}
        <h1 class="center">{title}</h1>
        {content}
      </main>
      <Footer lang={lang} label={texts[lang]['note.language']} hrefOf={hrefOf} />
    </div>
  );
  return renderDocument({ lang, title, content: page });
}
