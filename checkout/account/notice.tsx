// The privacy notice for payers: controller, purpose, retention, contacts, and the merchant's own text.
import type { Language } from '../../shared/language.ts';
import type { NoticeParty, NoticeView } from '../../shared/notice.ts';
import { Icon } from '../../shared/ui/Icon.tsx';
import { noticeTexts, type NoticeTexts } from '../text/notice.ts';
import { renderCard } from './card.tsx';

/** Renders the privacy notice at `/privacidade/{merchantId}`. */
export function renderNotice({ lang, sandbox, merchant, operator, keptDays, own }: NoticeView): string {
  const t = noticeTexts[lang];
  const values: Record<string, string> = {
    merchant: merchant.name,
    operator: operator.name,
    time: writeTime(keptDays, lang),
  };
  // Placeholders are replaced once, so that braces in a merchant's name stay text.
  const fill = (name: keyof NoticeTexts) => t[name].replace(/\{(\w+)\}/g, (_, key) => values[key] ?? '');
  const asked = [merchant, operator].filter(({ contact }) => contact !== null);
  const content = (
    <div class="notice">
      {(['who', 'why', 'long'] as const).map((part) => (
        <>
          <h2>{t[`${part}.title`]}</h2>
          <p>{fill(`${part}.line`)}</p>
        </>
      ))}
      <h2>{t['ask.title']}</h2>
      {asked.length > 0 ? asked.map((party) => <Contact {...party} />) : <p>{t['ask.none']}</p>}
      <h2>{t['rights.title']}</h2>
      <p>{t['rights.line']}</p>
      {own && (
        <>
          <h2>{fill('own.title')}</h2>
          <p class="own" lang={own.lang}>
            {own.text}
          </p>
        </>
      )}
    </div>
  );
  const hrefOf = (each: Language) => `?lang=${each}`;
  return renderCard({ lang, sandbox, title: t.title, content, hrefOf });
}

const YEAR_DAYS = 366;

/** The retention time in words. Years are rounded up, so that the text does not promise a shorter time. */
function writeTime(days: number, lang: Language): string {
  const [count, unit] = days < YEAR_DAYS ? [days, 'day'] : [Math.ceil(days / YEAR_DAYS), 'year'];
  return new Intl.NumberFormat(lang, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}

function Contact({ name, contact }: NoticeParty) {
  return (
    <p>
      {name}: {contact}
    </p>
  );
}

/** Renders the privacy notice's page for an unknown merchant id. */
export function renderNoticeMissing(lang: Language): string {
  const t = noticeTexts[lang];
  const content = <p class="center">{t['missing.line']}</p>;
  const sign = <Icon name="stop" look="sign quiet" />;
  return renderCard({ lang, sandbox: false, sign, title: t['missing.title'], content });
}
