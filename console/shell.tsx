// The shell: pages without data, which the service worker keeps for a bad connection.
// The shell of the till has its form, without a token and without a key. Its script opens the real page.
import type { ComponentChildren } from 'preact';
import { renderDocument } from '../checkout/document.tsx';
import type { ShellPage } from '../shared/console.ts';
import type { Language } from '../shared/language.ts';
import { renderCard } from './card.tsx';
import { TillShell } from './screens/charge.tsx';
import { styles } from './styles.ts';
import { TEXTS } from './words.ts';

/** Renders a page of the shell. Every visitor gets the same page. */
export function renderShell(page: ShellPage, lang: Language, script: string): string {
  return page === 'till' ? renderTill(lang, script) : renderAway(lang, script);
}

function renderTill(lang: Language, script: string): string {
  const t = TEXTS[lang];
  const content = (
    <div class="desk">
      <header class="side">
        <p class="who">
          <strong>Balcão</strong>
        </p>
      </header>
      <main id="content">
        <div class="head">
          <h1>{t['charge.title']}</h1>
        </div>
        <Waiting text={t['shell.waiting']} />
        <TillShell lang={lang} />
      </main>
    </div>
  );
  return renderDocument({ lang, title: `${t['charge.title']} · Balcão`, content, css: styles, script });
}

function Waiting({ text }: { text: ComponentChildren }) {
  return (
    <p class="waiting" role="status">
      {text}
    </p>
  );
}

function renderAway(lang: Language, script: string): string {
  const t = TEXTS[lang];
  const content = (
    <>
      <p class="center">{t['away.line']}</p>
      {/* The address of the page that could not be opened. */}
      <a class="button" href="">
        {t['away.again']}
      </a>
      <a class="center" href="/console/charge">
        {t['charge.title']}
      </a>
    </>
  );
  return renderCard({ lang, sandbox: false, title: t['away.title'], content, script });
}
