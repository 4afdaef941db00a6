// The layout of the account pages: one card with an icon, a title and content, and the language links below.
import type { ComponentChildren } from 'preact';
import type { Language } from '../../shared/language.ts';
import { renderDocument } from '../document.tsx';
import { texts } from '../text/languages.ts';
import { Footer, Ribbon } from '../ui/Page.tsx';
import { styles } from './styles.ts';

type Card = {
  lang: Language;
  sandbox: boolean;
  sign?: ComponentChildren;
  title: string;
  /** The title of the browser's tab, if it differs from the heading. */
  tabTitle?: string;
  content: ComponentChildren;
  /** The URL of the page in another language. Undefined after a form, because its result has no URL. */
  hrefOf?: (lang: Language) => string;
  script?: string | null;
};

export function renderCard({ lang, sandbox, sign, title, tabTitle, content, hrefOf, script = null }: Card): string {
  const page = (
    <>
      {sandbox && <Ribbon text={texts[lang]['sandbox.ribbon']} />}
      <div class="page">
        <main class="card act stack">
          {sign}
          <h1 class="center">{title}</h1>
          {content}
        </main>
        {hrefOf ? (
          <Footer lang={lang} label={texts[lang]['note.language']} hrefOf={hrefOf} />
        ) : (
          <footer>
            <p class="house">Balcão</p>
          </footer>
        )}
      </div>
    </>
  );
  return renderDocument({ lang, title: `${tabTitle ?? title} · Balcão`, content: page, css: styles, script });
}
