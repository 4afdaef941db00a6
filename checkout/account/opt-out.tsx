// The opt-out page that an SMS links to: the current state, and a button that changes it.
import type { OPT_OUT_WISHES, OptOutView } from '../../shared/opt-out.ts';
import type { Language } from '../../shared/language.ts';
import { Icon } from '../../shared/ui/Icon.tsx';
import { optOutTexts } from '../text/opt-out.ts';
import { renderCard } from './card.tsx';

/** Renders the SMS opt-out page at `/parar/{code}`. */
export function renderOptOut({ lang, sandbox, merchant, phoneEnd, isRefused }: OptOutView): string {
  const t = optOutTexts[lang];
  const state = isRefused ? 'refused' : 'open';
  const wish: (typeof OPT_OUT_WISHES)[number] = isRefused ? 'start' : 'stop';
  // Placeholders are replaced once, so that braces in a merchant's name stay text.
  const fill = (text: string) =>
    text.replace(/\{(merchant|end)\}/g, (_, name) => (name === 'end' ? phoneEnd : merchant));
  const content = (
    <>
      <p class="center">{fill(t[`${state}.line`])}</p>
      <form class="stack" method="post">
        <button name="wish" value={wish} class={isRefused ? 'plain' : undefined}>
          {t[`${state}.button`]}
        </button>
      </form>
    </>
  );
  const sign = isRefused ? <Icon name="check" look="sign success" /> : null;
  const hrefOf = (each: Language) => `?lang=${each}`;
  return renderCard({ lang, sandbox, sign, title: fill(t[`${state}.title`]), content, hrefOf });
}

/** Renders the opt-out page for an unknown code. */
export function renderOptOutMissing(lang: Language): string {
  const t = optOutTexts[lang];
  const content = <p class="center">{t['missing.line']}</p>;
  const sign = <Icon name="stop" look="sign quiet" />;
  return renderCard({ lang, sandbox: false, sign, title: t['missing.title'], content });
}
