// The frame around every screen: the merchant, the menu, and the content.
// Phones show a bottom bar and the menu as a page of its own, larger displays a sidebar.
import type { ComponentChildren } from 'preact';
import { renderContent, renderDocument } from '../checkout/document.tsx';
import { Ribbon } from '../checkout/ui/Page.tsx';
import type { ScreenProps, ScreenRules, Visitor } from '../shared/console.ts';
import { MANIFEST, TOUCH_ICON } from '../shared/install.ts';
import { Icon } from './icons.tsx';
import { barOf, entryOf, MENU_GROUPS, menuOf, startOf, type ScreenMenu } from './menu.ts';
import { Notice } from './parts.tsx';
import { FrameSearch } from './search.tsx';
import { styles } from './styles.ts';
import { fill, TEXTS } from './words.ts';

/** A screen's rules with its render function, and its menu entry if it has one. */
export type Screen = ScreenRules & {
  menu?: ScreenMenu;
  /** A sheet of paper, without the frame around it. */
  isSheet?: true;
  render(page: ScreenProps<any>): {
    title: string;
    content: ComponentChildren;
    /** The screen without JavaScript reloads after this many seconds. */
    refresh?: number;
    /** The ids of the payments whose events redraw the screen. Default: the payment of the path. */
    follows?: string;
  };
};

type Layout = { screens: readonly Screen[]; screen: Screen; page: ScreenProps<any>; script: string | null };

/** Renders the whole HTML document of a screen. */
export function renderLayout({ screens, screen, page, script }: Layout): string {
  const { visitor, opened, refused, feedCursor } = page;
  const { title, content, refresh, follows } = screen.render(page);
  if (screen.isSheet) {
    const sheet = (
      <main id="content" class="sheet">
        {content}
      </main>
    );
    return renderDocument({ lang: visitor.lang, title, content: sheet, css: styles, script });
  }
  // The summary of a refused form stands above the form, and links to the fields that the form reports.
  if (refused) renderContent(content);
  const main = (
    <main
      id="content"
      tabIndex={-1}
      data-live={feedCursor === null ? undefined : screen.live?.join(' ')}
      data-live-after={feedCursor}
      data-live-payment={follows ?? opened.params['paymentId']}
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
  const menu = menuOf(screens, visitor);
  const here = entryOf(menu, path)?.path;
  const bar = barOf(screens, visitor);
  const name = visitor.merchant?.name ?? 'Balcão';
  const content = (
    <>
      <a class="skip" href="#content">
        {t['nav.skip']}
      </a>
      {visitor.sandbox && <Ribbon text={t['sandbox.ribbon']} />}
      <p id="said" class="unseen" aria-live="polite" />
      <p id="said-result" class="unseen" aria-live="assertive" />
      <div class="desk">
        <nav aria-label={t['nav.label']} class="side">
          <a href={bar[0]?.path ?? '/console'} class="who">
            <strong>{name}</strong>
            <span class="small quiet">
              {visitor.name}
              {visitor.role && ` · ${t[`role.${visitor.role}`]}`}
            </span>
          </a>
          <FrameSearch visitor={visitor} />
          <div class="menu" id="menu" tabIndex={-1}>
            <div class="menu-title">
              <p>{t['nav.menu']}</p>
              <a class="shut" href="#content">
                <Icon name="close" />
                {t['nav.close']}
              </a>
            </div>
            {MENU_GROUPS.map((group) => (
              <MenuPart key={group} entries={menu.filter((each) => each.menu.group === group)} {...{ visitor, here }} />
            ))}
          </div>
        </nav>
        {main}
        <nav aria-label={t['nav.thumb']} class="thumb">
          {bar.map((each) => (
            <Entry key={each.path} screen={each} {...{ visitor, here }} />
          ))}
          {menu.length > bar.length && (
            <a href="#menu" aria-current={here && !bar.some((each) => each.path === here) ? 'true' : undefined}>
              <Icon name="menu" />
              {t['nav.menu']}
              {menu.map(({ path: own, menu: { count } }) => (
                <Count key={own} n={count?.(visitor)} visitor={visitor} />
              ))}
            </a>
          )}
        </nav>
      </div>
    </>
  );
  const parts = { lang: visitor.lang, title: `${title} · ${name}`, content, css: styles };
  const head = <InstallLinks start={startOf(screens, visitor)} />;
  return renderDocument({ ...parts, head, script: script ?? null, refresh: refresh ?? null });
}

/** The manifest and the icon of the installed console. @param start the path that the installed console opens with */
function InstallLinks({ start }: { start: string }) {
  return (
    <>
      <link rel="manifest" href={`${MANIFEST}?start=${start}`} />
      <link rel="apple-touch-icon" href={TOUCH_ICON} />
    </>
  );
}

type Listed = ReturnType<typeof menuOf>[number];
type PartProps = { entries: Listed[]; visitor: Visitor; here: string | undefined };

/** A group of the menu below its heading. */
function MenuPart({ entries, visitor, here }: PartProps) {
  const group = entries[0]?.menu.group;
  if (!group) return null;
  const heading = group === 'own' ? null : TEXTS[visitor.lang][`nav.${group}`];
  return (
    <div class={heading ? 'menu-part' : 'menu-part own'}>
      {heading && <p id={`menu-${group}`}>{heading}</p>}
      <ul aria-labelledby={heading ? `menu-${group}` : undefined}>
        {entries.map((screen) => (
          <li key={screen.path}>
            <Entry {...{ screen, visitor, here }} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A link to a screen. @param here the path of the entry that the open screen belongs to */
function Entry({ screen, visitor, here }: { screen: Listed; visitor: Visitor; here: string | undefined }) {
  const { text, icon, count } = screen.menu;
  return (
    <a href={screen.path} aria-current={screen.path === here ? 'page' : undefined}>
      <Icon name={icon} />
      {TEXTS[visitor.lang][text]}
      <Count n={count?.(visitor)} visitor={visitor} />
    </a>
  );
}

/** The number beside an entry. Above 99 the exact number has no use. */
function Count({ n = 0, visitor }: { n: number | undefined; visitor: Visitor }) {
  if (n === 0) return null;
  const shown = n > 99 ? '99+' : String(n);
  return (
    <span class="count">
      <span aria-hidden="true">{shown}</span>
      <span class="unseen">{fill(TEXTS[visitor.lang]['nav.unread'], { n: shown })}</span>
    </span>
  );
}
