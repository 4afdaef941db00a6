// The page of a payment link: the form that starts a payment, or the reason why the link cannot be paid.
import type { ComponentChildren } from 'preact';
import type { IconName } from '../../shared/icons.ts';
import type { Language } from '../../shared/language.ts';
import type { LinkState, LinkView } from '../../shared/link.ts';
import { Icon } from '../../shared/ui/Icon.tsx';
import { VERBATIM } from '../../shared/ui/scene.ts';
import { renderDocument, type Preview } from '../document.tsx';
import { linkTexts, type LinkTextKey } from '../text/link.ts';
import { pageTexts } from '../text/pages.ts';
import { texts } from '../text/languages.ts';
import { Footer, Ribbon } from '../ui/Page.tsx';
import { LinkForm, type Say } from './LinkForm.tsx';
import { styles, stylesOf } from './styles.ts';

/** Renders the page of a payment link at `/l/{slug}`. */
export function renderLink(view: LinkView): string {
  const { lang, sandbox, merchant, slug, title, state, wrong } = view;
  const isOpen = state === 'open';
  const say = sayOf(view);
  const words = state === 'busy' && view.continueUrl ? 'begun' : state;
  const heading = isOpen ? title : say(`${words}.title` as LinkTextKey);
  const content = (
    <main class="card">
      <header class="bill center">
        {merchant.hasLogo && (
          <p>
            <img class="logo" src={`/l/${slug}/logo`} alt="" decoding="async" />
          </p>
        )}
        <p class="whose" {...VERBATIM}>
          {merchant.name}
        </p>
        {isOpen && view.amountText && (
          <p class="amount" {...VERBATIM}>
            {view.amountText}
          </p>
        )}
        {isOpen ? <h1>{title}</h1> : <p class="whose small quiet">{title}</p>}
        {isOpen && <Limits view={view} say={say} />}
      </header>
      <section class="act stack">{isOpen ? <Open view={view} say={say} /> : <Closed view={view} say={say} />}</section>
    </main>
  );
  return renderPage({
    lang,
    sandbox,
    title: `${Object.keys(wrong).length > 0 ? say('wrong.title') : ''}${heading} · ${merchant.name}`,
    content,
    css: stylesOf(merchant.brand),
    noticePath: merchant.noticePath,
    preview: describePreview(view, heading),
  });
}

function describePreview({ lang, url, merchant, title, state, amountText }: LinkView, heading: string): Preview {
  const isOpen = state === 'open';
  const text = pageTexts[lang]['shared.line'].replace('{merchant}', () => merchant.name);
  return {
    title: [title, isOpen && amountText].filter(Boolean).join(' · '),
    text: isOpen ? text : heading,
    site: merchant.name,
    url,
  };
}

function Open({ view, say }: { view: LinkView; say: Say }) {
  return (
    <>
      {view.isChanged && (
        <p class="warning" role="status">
          {say('changed')}
        </p>
      )}
      <LinkForm view={view} say={say} />
      <p class="small quiet center">{say('next')}</p>
    </>
  );
}

/** The number of remaining uses of a payment link, and its end. */
function Limits({ view: { left, untilText }, say }: { view: LinkView; say: Say }) {
  const said = [left && say(left === 1 ? 'left.one' : 'left.many'), untilText && say('until')].filter(Boolean);
  return said.length > 0 ? <p class="small quiet">{said.join(' ')}</p> : null;
}

type Over = Exclude<LinkState, 'open'>;

const SIGNS: Record<Over, { icon: IconName; tone: string }> = {
  busy: { icon: 'clock', tone: 'brand' },
  soldout: { icon: 'stop', tone: 'quiet' },
  paid: { icon: 'check', tone: 'success' },
  expired: { icon: 'clock', tone: 'quiet' },
  withdrawn: { icon: 'stop', tone: 'quiet' },
  unavailable: { icon: 'broken', tone: 'warning' },
};

/** States of a payment link that may change, so that the page offers a reload. */
const PASSING: ReadonlySet<LinkState> = new Set(['busy', 'unavailable']);

function Closed({ view, say }: { view: LinkView; say: Say }) {
  const { lang, slug, continueUrl } = view;
  const state = view.state as Over;
  const words = state === 'busy' && continueUrl ? 'begun' : state;
  const { icon, tone } = SIGNS[state];
  return (
    <>
      <Icon name={icon} look={`sign ${tone}`} />
      <div class="center">
        <h1>{say(`${words}.title` as LinkTextKey)}</h1>
        <p>{say(`${words}.line` as LinkTextKey)}</p>
      </div>
      {continueUrl && (
        <a class="button" href={continueUrl}>
          {say('begun.button')}
        </a>
      )}
      {PASSING.has(state) && !continueUrl && (
        <a class="button plain" href={`/l/${slug}?lang=${lang}`}>
          {say('again')}
        </a>
      )}
    </>
  );
}

/** Returns the page's texts with their values. Placeholders are replaced once, so that braces in a name stay text. */
function sayOf({ lang, merchant, bounds, untilText, left }: LinkView): Say {
  const values: Record<string, string | null> = {
    merchant: merchant.name,
    min: bounds.min,
    max: bounds.max,
    time: untilText,
    count: String(left),
  };
  return (key) => linkTexts[lang][key].replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/** Renders the page for an unknown slug of a payment link. */
export function renderLinkMissing(lang: Language): string {
  return renderNotice(lang, 'stop', 'missing.title', <p class="center">{linkTexts[lang]['missing.line']}</p>);
}

/** Renders an error page while the link's page cannot be shown (413, 429, 5xx). */
export function renderLinkTrouble(lang: Language, againUrl: string | null): string {
  const t = linkTexts[lang];
  const content = (
    <>
      <p class="center">{againUrl ? t['trouble.line'] : t['trouble.form']}</p>
      {againUrl && (
        <a class="button" href={againUrl}>
          {t['again']}
        </a>
      )}
    </>
  );
  return renderNotice(lang, 'clock', 'trouble.title', content);
}

function renderNotice(lang: Language, icon: IconName, titleKey: LinkTextKey, said: ComponentChildren): string {
  const title = linkTexts[lang][titleKey];
  const content = (
    <main class="card act stack">
      <Icon name={icon} look="sign quiet" />
      <h1 class="center">{title}</h1>
      {said}
    </main>
  );
  return renderPage({ lang, sandbox: false, title: `${title} · Balcão`, content, css: styles });
}

type Page = {
  lang: Language;
  sandbox: boolean;
  title: string;
  content: ComponentChildren;
  css: string;
  /** The path of the privacy notice, on pages that belong to a merchant. */
  noticePath?: string;
  preview?: Preview;
};

function renderPage({ lang, sandbox, title, content, css, noticePath, preview }: Page): string {
  const page = (
    <>
      {sandbox && <Ribbon text={texts[lang]['sandbox.ribbon']} />}
      <div class="page">
        {content}
        <Footer
          lang={lang}
          label={texts[lang]['note.language']}
          hrefOf={(each) => `?lang=${each}`}
          {...(noticePath && { notice: { path: noticePath, text: texts[lang]['note.data'] } })}
        />
      </div>
    </>
  );
  return renderDocument({ lang, title, content: page, css, preview });
}
