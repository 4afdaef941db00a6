// The frame around every screen: the merchant, the menu, and the content.
// Phones show the menu as a bottom bar, larger displays as a sidebar.
import type { ComponentChildren } from 'preact';
import { renderDocument } from '../checkout/document.tsx';
import { Ribbon } from '../checkout/ui/Page.tsx';
import type { ScreenProps, ScreenRules, Visitor } from '../shared/console.ts';
import { Icon, type IconName } from './icons.tsx';
import { Notice } from './parts.tsx';
import { styles } from './styles.ts';
import { TEXTS, type ConsoleTextKey } from './words.ts';

/** A screen's rules with its render function, and its menu entry if it has one. */
export type Screen = ScreenRules & {
  menu?: { text: ConsoleTextKey; icon: IconName };
  /** A sheet of paper, without the frame around it. */
  isSheet?: true;
  render(page: ScreenProps<any>): {
    title: string;
    content: ComponentChildren;
    /** The screen without JavaScript reloads after this many seconds. */
    refresh?: number;
  };
};

type Layout = { screens: readonly Screen[]; screen: Screen; page: ScreenProps<any>; script: string | null };

/** Renders the whole HTML document of a screen. */
export function renderLayout({ screens, screen, page, script }: Layout): string {
  const { visitor, opened, refused, feedCursor } = page;
  const { title, content, refresh } = screen.render(page);
  if (screen.isSheet) {
    const sheet = (
      <main id="content" class="sheet">
        {content}
      </main>
    );
    return renderDocument({ lang: visitor.lang, title, content: sheet, css: styles, script });
  }
  const main = (
    <main
      id="content"
      tabIndex={-1}
      data-live={feedCursor === null ? undefined : screen.live?.join(' ')}
      data-live-after={feedCursor}
      data-live-payment={opened.params['paymentId']}
    >
      <Notice page={page} />
      {content}
    </main>
  );
  const t = TEXTS[visitor.lang];
  const announcedFirst = refused ? `${t[refused.requestId ? 'unknown.title' : 'wrong.title']}${t.colon}` : '';
  const framed = { screens, path: screen.path, visitor, title: announcedFirst + title };
  return renderFrame({ ...framed, main, script, refresh: refresh ? String(refresh) : null });
}

type Frame = {
  screens: readonly Screen[];
  path: string;
  visitor: Visitor;
  title: string;
  main: ComponentChildren;
  script?: string | null;
  refresh?: string | null;
};

/** The console's frame around a screen, or around an error page. */
export function renderFrame({ screens, path, visitor, title, main, script, refresh }: Frame): string {
  const t = TEXTS[visitor.lang];
  const entries = screens.flatMap(({ menu, path: href, needs }) =>
    menu && visitor.may(needs)
      ? [{ href, icon: menu.icon, text: t[menu.text], isHere: path === href || path.startsWith(`${href}/`) }]
      : [],
  );
  const name = visitor.merchant?.name ?? 'Balcão';
  const content = (
    <>
      <a class="skip" href="#content">
        {t['nav.skip']}
      </a>
      {visitor.sandbox && <Ribbon text={t['sandbox.ribbon']} />}
      <p id="said" class="unseen" aria-live="polite" />
      <div class="desk">
        <nav aria-label={t['nav.label']} class="side">
          <a href="/console/account" class="who">
            <strong>{name}</strong>
            <span class="small quiet">
              {visitor.name}
              {visitor.role && ` · ${t[`role.${visitor.role}`]}`}
            </span>
          </a>
          <div class="menu" id="menu">
            {entries.map((entry) => (
              <Entry key={entry.href} {...entry} />
            ))}
            <a class="shut" href="#content">
              <Icon name="close" />
              {t['nav.close']}
            </a>
          </div>
        </nav>
        {main}
        <nav aria-label={t['nav.thumb']} class="thumb">
          {entries.slice(0, THUMB).map((entry) => (
            <Entry key={entry.href} {...entry} />
          ))}
          {entries.length > THUMB && <Entry href="#menu" icon="menu" text={t['nav.menu']} isHere={false} />}
        </nav>
      </div>
    </>
  );
  const parts = { lang: visitor.lang, title: `${title} · ${name}`, content, css: styles };
  return renderDocument({ ...parts, script: script ?? null, refresh: refresh ?? null });
}

/** The number of menu entries in the phone's bottom bar. Other screens take two presses. */
const THUMB = 3;

type EntryProps = { href: string; icon: IconName; text: string; isHere: boolean };

function Entry({ href, icon, text, isHere }: EntryProps) {
  return (
    <a href={href} aria-current={isHere ? 'page' : undefined}>
      <Icon name={icon} />
      {text}
    </a>
  );
}
