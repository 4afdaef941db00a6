// Renders the HTML document around a page's content: one inlined stylesheet, and the scripts.
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Lang } from '../shared/checkout.ts';
import { styles } from './styles.ts';

/** The link preview that chats show for the page. */
export type Preview = { title: string; text: string; site: string; url: string };

type DocumentParts = {
  lang: Lang;
  title: string;
  content: ComponentChildren;
  script?: string | null;
  /** The script of a page in the widget's frame. The browser runs it before `script`. */
  frameScript?: string | null;
  /** The refresh for browsers without a script: seconds and address, such as `4;url=/checkout`. */
  refresh?: string | null;
  preview?: Preview | false | '' | undefined;
  /** The stylesheet of the page. Default: the checkout's stylesheet. */
  css?: string;
  /** Further elements of the head. */
  head?: ComponentChildren;
};

const LOCALES: Record<Lang, string> = { pt: 'pt_AO', en: 'en_US', fr: 'fr_FR' };
const PAPER = { light: '#faf8f4', dark: '#141311' };
/** The favicon, 16 × 16 pixels, as a PNG. An SVG would be three times as large. */
const MARK =
  'data:image/gif;base64,R0lGODlhEAAQAIAAAAtdW////ywAAAAAEAAQAAACHoSPqcvtD1OYtKqKw5qIb314F2iIEgmYHapG7gsnBQA7';

/** Renders the document. Its styles are inlined, so that the browser needs no further request to show the page. */
export function renderDocument({
  lang,
  title,
  content,
  script,
  frameScript,
  refresh,
  preview,
  css = styles,
  head,
}: DocumentParts): string {
  const html = renderToString(
    <html lang={lang}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" content={PAPER.light} />
        <meta name="theme-color" content={PAPER.dark} media="(prefers-color-scheme:dark)" />
        <meta name="format-detection" content="telephone=no" />
        <meta name="robots" content="noindex" />
        <title>{title}</title>
        {preview && <Shared lang={lang} {...preview} />}
        {!frameScript && <link rel="icon" href={MARK} />}
        {head}
        <style dangerouslySetInnerHTML={{ __html: css }} />
        {frameScript && <script type="module" src={frameScript} />}
        {script && <script type="module" src={script} />}
        {refresh && (
          <noscript>
            <meta http-equiv="refresh" content={refresh} />
          </noscript>
        )}
      </head>
      <body>{content}</body>
    </html>,
  );
  return `<!doctype html>${html}`;
}

/** The Open Graph tags of a page. Chats read them for a link preview. */
function Shared({ lang, title, text, site, url }: Preview & { lang: Lang }) {
  const properties = {
    title,
    description: text,
    image: `${url}/preview.png`,
    url,
    site_name: site,
    locale: LOCALES[lang],
    type: 'website',
  };
  return (
    <>
      {Object.entries(properties).map(([name, content]) => (
        <meta key={name} property={`og:${name}`} content={content} />
      ))}
      <meta name="twitter:card" content="summary" />
    </>
  );
}

/** Writes JSON that cannot close the script element around it. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value).replace(/</g, '\\u003c');
}

/** Renders content without a document around it. */
export const renderContent = (content: ComponentChildren): string => renderToString(<>{content}</>);
