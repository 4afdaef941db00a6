// The one card that a page behind a link is: a sign, a title, what there is to say or fill in, and the languages below.
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
  /** In the tab, where it says more. */
  tabTitle?: string;
  content: ComponentChildren;
  /** Absent where another language would have to be told again what was done. */
  hrefOf?: (lang: Language) => string;
};

/** The whole document. */
export function renderCard({ lang, sandbox, sign, title, tabTitle, content, hrefOf }: Card): string {
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
  return renderDocument({ lang, title: `${tabTitle ?? title} · Balcão`, content: page, css: styles });
}
