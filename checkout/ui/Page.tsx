// The parts around the card of every page: above, the sandbox ribbon. Below, the languages and the product's name.
import { LANGS, type Lang } from '../../shared/checkout.ts';

const NAMES: Record<Lang, string> = { pt: 'Português', en: 'English', fr: 'Français' };

export function Ribbon({ text }: { text: string }) {
  return <header class="ribbon">{text}</header>;
}

type Footing = {
  lang: Lang;
  label: string;
  hrefOf: (lang: Lang) => string;
  /** The privacy notice for payers. It opens in a new tab, so that the payer keeps the payment's page. */
  notice?: { path: string; text: string };
};

export function Footer({ lang, label, hrefOf, notice }: Footing) {
  return (
    <footer>
      <nav aria-label={label}>
        {LANGS.map((each) => (
          <a href={hrefOf(each)} lang={each} aria-current={each === lang ? 'true' : undefined}>
            {NAMES[each]}
          </a>
        ))}
      </nav>
      {notice && (
        <a href={`${notice.path}?lang=${lang}`} target="_blank" rel="noopener">
          {notice.text}
        </a>
      )}
      <p class="house quiet">Balcão</p>
    </footer>
  );
}
