// The page at `/`, and the page for an address that does not exist. Both lead to the console and the documentation.
import type { Language } from '../../shared/language.ts';
import { Icon } from '../../shared/ui/Icon.tsx';
import { frontTexts } from '../text/front.ts';
import { renderCard } from './card.tsx';

export function renderFront(lang: Language): string {
  const tabTitle = frontTexts[lang]['front.line'];
  const content = [<p class="center">{tabTitle}</p>, <Ways lang={lang} />];
  return renderCard({ lang, sandbox: false, title: 'Balcão', tabTitle, content, hrefOf });
}

export function renderNowhere(lang: Language): string {
  const t = frontTexts[lang];
  const line = <p class="center">{t['nowhere.line']}</p>;
  const sign = <Icon name="stop" look="sign quiet" />;
  const content = [line, <Ways lang={lang} />];
  return renderCard({ lang, sandbox: false, sign, title: t['nowhere.title'], content, hrefOf });
}

const hrefOf = (lang: Language) => `?lang=${lang}`;

function Ways({ lang }: { lang: Language }) {
  const t = frontTexts[lang];
  return (
    <>
      <p class="center quiet">{t['front.payer']}</p>
      <a class="button" href={`/console/sign-in?lang=${lang}`}>
        {t['front.signIn']}
      </a>
      <p class="center">
        <a href="/docs">{t['front.docs']}</a>
      </p>
    </>
  );
}
