// What surrounds the card on every page: the sandbox ribbon above, languages and the house's name below.
import { LANGS, type Lang } from '../../shared/checkout.ts';

const NAMES: Record<Lang, string> = { pt: 'Português', en: 'English', fr: 'Français' };

export function Ribbon({ text }: { text: string }) {
  return <header class="ribbon">{text}</header>;
}

export function Footer({ lang, label, hrefOf }: { lang: Lang; label: string; hrefOf: (lang: Lang) => string }) {
  return (
    <footer>
      <nav aria-label={label}>
        {LANGS.map((each) => (
          <a href={hrefOf(each)} lang={each} aria-current={each === lang ? 'true' : undefined}>
            {NAMES[each]}
          </a>
        ))}
      </nav>
      <p class="house quiet">Balcão</p>
    </footer>
  );
}
