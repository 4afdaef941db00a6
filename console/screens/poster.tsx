// The poster of a payment link: one A4 sheet without the console's frame. It needs no script to print.
import type { Link, Merchant } from '../../packages/client/src/contract.ts';
import { readBrand } from '../../shared/brand.ts';
import type { ScreenProps } from '../../shared/console.ts';
import type { Screen } from '../layout.tsx';
import { textsOf } from '../parts.tsx';
import { fill, money, untilOf, type ConsoleTexts } from '../words.ts';
import { boundsOf } from './links.tsx';

const LINK = '/console/links/{linkId}';

type Page = {
  link: Link;
  merchant: Merchant;
  /** The link's QR code as a `data:` URL. */
  svg: string;
};
type Part = { page: ScreenProps<Page> };

export const posterAddressOf = ({ id }: Link) => `${LINK.replace('{linkId}', id)}/poster`;

export const poster: Screen = {
  path: `${LINK}/poster`,
  needs: 'readLink',
  isSheet: true,
  reads: ({ params }) => ({
    link: { operation: 'readLink', params },
    merchant: { operation: 'readMerchant' },
    svg: { operation: 'readLinkQrSvg', params },
  }),
  acts: {},
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { link } = page.data;
    const content = (
      <>
        <div class="page unprinted">
          <a class="back" href={LINK.replace('{linkId}', link.id)}>
            ‹ {link.title}
          </a>
          <p>{t['poster.hint']}</p>
          {link.status !== 'Active' && <p class="warning">{t['poster.ended']}</p>}
          <button type="button" data-print hidden>
            {t['poster.print']}
          </button>
        </div>
        <Sheet page={page} />
      </>
    );
    return { title: `${t['poster.title']} · ${link.title}`, content };
  },
};

/** The colours of a shop without its own colour (checkout/ui/tokens.css). */
const DEFAULT_BRAND = { fill: '#0b5d5b', letters: '#ffffff' };

/** Texts with more characters than these get the next smaller letters, so that the sheet stays one page. */
const LONG = 26;
const VERY_LONG = 60;
const sizeOf = ({ length }: string) => (length > VERY_LONG ? 'tiny' : length > LONG ? 'small' : 'large');

function Sheet({ page }: Part) {
  const t = textsOf(page);
  const { link, merchant, svg } = page.data;
  const { title, amount, currency, url, expiresAt } = link;
  const ways = link.methods ?? merchant.checkoutMethods;
  const bounds = boundsOf(page, link);
  return (
    <article class="poster">
      <header>
        {merchant.brandLogo && <img class="mark" src={merchant.brandLogo} alt="" />}
        <p class={`shop ${sizeOf(merchant.name)}`}>{merchant.name}</p>
      </header>
      <div>
        <h1 class={sizeOf(title)}>{title}</h1>
        <p class="price">{amount === null ? t['poster.amount.open'] : money(amount, currency)}</p>
        {bounds && <p>{bounds}</p>}
      </div>
      <img class="square" src={svg} alt={t['link.qr']} />
      <div>
        <Banner {...(readBrand(merchant.brandColor) ?? DEFAULT_BRAND)} text={callOf(t, ways)} />
        <p class="also">{alsoOf(t, ways)}</p>
      </div>
      <div>
        <p>{t['poster.scan']}</p>
        <p>
          {t['poster.type']} <strong>{url.replace(/^https?:\/\//, '')}</strong>
        </p>
        {expiresAt && <p>{fill(t['poster.until'], { when: untilOf(expiresAt) })}</p>}
        {page.visitor.sandbox && <p class="test">{t['poster.sandbox']}</p>}
      </div>
    </article>
  );
}

type Way = 'push' | 'qrcode' | 'reference';

const callOf = (t: ConsoleTexts, ways: readonly Way[]) => (ways.includes('push') ? t['poster.push'] : t['poster.pay']);

/** The other methods that the link offers, such as `Também por código QR e referência`. */
function alsoOf(t: ConsoleTexts, ways: readonly Way[]): string | null {
  const others = (['qrcode', 'reference'] as const).filter((way) => ways.includes(way));
  if (others.length === 0) return null;
  const list = others.map((way) => t[`poster.way.${way}`]).join(` ${t['poster.and']} `);
  return fill(ways.includes('push') ? t['poster.also'] : t['poster.only'], { ways: list });
}

/**
 * A text in the shop's colour. The colour is an SVG attribute, because the page's CSP has the hash of one stylesheet.
 * Printers also print SVG shapes without the option for backgrounds.
 */
function Banner({ fill, letters, text }: { fill: string; letters: string; text: string }) {
  return (
    <>
      <h2 class="unseen">{text}</h2>
      <svg class="banner" viewBox="0 0 186 18" aria-hidden="true">
        <rect width="186" height="18" rx="3" fill={fill} />
        <text x="93" y="12.200" text-anchor="middle" font-size="9" font-weight="700" fill={letters}>
          {text}
        </text>
      </svg>
    </>
  );
}
