// Pages outside the console's frame: one card with a title, and the language links below.
import type { ComponentChildren } from 'preact';
import { renderDocument } from '../checkout/document.tsx';
import { Footer, Ribbon } from '../checkout/ui/Page.tsx';
import type { Language } from '../shared/language.ts';
import { styles } from './styles.ts';
import { TEXTS } from './words.ts';

type CardParts = {
  lang: Language;
  sandbox: boolean;
  title: string;
  content: ComponentChildren;
  /** The address of the page in another language. Without it, the page has no language links. */
  hrefOf?(lang: Language): string;
  script?: string | null;
};

/** Renders a card page as a whole HTML document. */
export function renderCard({ lang, sandbox, title, content, hrefOf, script = null }: CardParts): string {
  const t = TEXTS[lang];
  const page = (
    <>
      {sandbox && <Ribbon text={t['sandbox.ribbon']} />}
      <div class="page">
        <main class="card pad stack">
          <h1 class="center">{title}</h1>
          {content}
        </main>
        {hrefOf && <Footer lang={lang} label={t['nav.language']} hrefOf={hrefOf} />}
      </div>
    </>
  );
  return renderDocument({ lang, title: `${title} · Balcão`, content: page, css: styles, script });
}
