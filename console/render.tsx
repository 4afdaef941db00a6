// The console's exports for the server: the screens with their rules, render functions, and the stylesheet.
import type { ScreenProps, Visitor } from '../shared/console.ts';
import type { Language } from '../shared/language.ts';
import { renderCard } from './card.tsx';
import { Icon } from './icons.tsx';
import { renderFrame, renderLayout, type Screen } from './layout.tsx';
import { barOf, menuOf } from './menu.ts';
import { account } from './screens/account/account.tsx';
import { articles } from './screens/articles/articles.tsx';
import { charge } from './screens/charge.tsx';
import { charging } from './screens/charging.tsx';
import { poster } from './screens/poster.tsx';
import { link } from './screens/link.tsx';
import { links } from './screens/links.tsx';
import { day } from './screens/books/day.tsx';
import { days } from './screens/books/days.tsx';
import { statementImport } from './screens/books/import.tsx';
import { movements } from './screens/books/movements.tsx';
import { refund } from './screens/books/refund.tsx';
import { refunds } from './screens/books/refunds.tsx';
import { settlement } from './screens/books/settlement.tsx';
import { receipt } from './screens/receipt.tsx';
import { reference } from './screens/references/reference.tsx';
import { referencesSms } from './screens/references/sms.tsx';
import { references } from './screens/references/references.tsx';
import { payment } from './screens/payment.tsx';
import { payments } from './screens/payments.tsx';
import { search } from './screens/search.tsx';
import { shift } from './screens/shifts/shift.tsx';
import { shifts } from './screens/shifts/shifts.tsx';
import { smsScreens } from './screens/sms/screens.ts';
import { start } from './screens/start.tsx';
import { today } from './screens/today.tsx';
import { developers } from './screens/developers.tsx';
import { wordpress } from './screens/wordpress.tsx';
import { webhook } from './screens/webhook.tsx';
import { delivery } from './screens/delivery.tsx';
import { errors } from './screens/errors.tsx';
import { team } from './screens/team.tsx';
import { audit } from './screens/office/audit.tsx';
import { invoice } from './screens/office/invoice.tsx';
import { notices } from './screens/office/notices.tsx';
import { plan } from './screens/office/plan.tsx';
import { rail } from './screens/rails/rail.tsx';
import { rails } from './screens/rails/rails.tsx';
import { settings } from './screens/settings.tsx';
import { fill, TEXTS } from './words.ts';

export { renderShell } from './shell.tsx';
export { renderSignIn } from './sign-in.tsx';
export { styles } from './styles.ts';

/** All screens, in the order of the menu's groups. Fixed paths come before paths with an id in the same position. */
export const screens: readonly Screen[] = [
  start,
  charge,
  charging,
  links,
  link,
  poster,
  references,
  referencesSms,
  reference,
  shifts,
  shift,
  today,
  payments,
  payment,
  receipt,
  search,
  days,
  day,
  movements,
  refunds,
  refund,
  statementImport,
  settlement,
  ...smsScreens,
  settings,
  articles,
  rails,
  rail,
  team,
  notices,
  plan,
  invoice,
  developers,
  wordpress,
  webhook,
  delivery,
  errors,
  audit,
  account,
];

/** The path of the screen that the console opens with, by the visitor's role. A new shop begins at its own screen. */
export function homeOf(visitor: Pick<Visitor, 'may' | 'role' | 'isNew' | 'isStarting'>): string {
  if (visitor.isNew && menuOf(screens, visitor).some(({ path }) => path === start.path)) return start.path;
  return barOf(screens, { ...visitor, isStarting: false })[0]?.path ?? account.path;
}

/** Renders the screen of this path as a whole document. */
export function renderScreen(path: string, page: ScreenProps<any>, script: string | null): string {
  const screen = screens.find((each) => each.path === path) as Screen;
  return renderLayout({ screens, screen, page, script });
}

/** Renders the page for a temporary failure. @param visitor null if no user is signed in */
export function renderTrouble(lang: Language, againUrl: string | null, visitor: Visitor | null = null): string {
  const t = TEXTS[lang];
  const link = againUrl === null ? null : { href: againUrl, text: t['trouble.again'] };
  return renderPlain({ lang, visitor, title: t['trouble.title'], line: t['trouble.line'], link });
}

/** Renders the page for an unknown outcome. It must not claim that the form had no effect. */
export function renderUnknownOutcome(lang: Language, requestId: string): string {
  const t = TEXTS[lang];
  const line = `${t['unknown.line']} ${fill(t['unknown.code'], { id: requestId })}`;
  const link = { href: '/console', text: t['missing.home'] };
  return renderPlain({ lang, visitor: null, title: t['unknown.title'], line, link });
}

/** Renders the page for an unknown path, or for a path that this user may not see. */
export function renderMissing(lang: Language, visitor: Visitor | null = null): string {
  const t = TEXTS[lang];
  const link = { href: '/console', text: t['missing.home'] };
  return renderPlain({ lang, visitor, title: t['missing.title'], line: t['missing.line'], link });
}

type Plain = {
  lang: Language;
  visitor: Visitor | null;
  title: string;
  line: string;
  link: { href: string; text: string } | null;
};

/** A page with one sentence and a link: in the frame for a signed-in user, otherwise on a card. */
function renderPlain({ lang, visitor, title, line, link }: Plain): string {
  const content = (
    <>
      <p class="center">{line}</p>
      {link && (
        <a class="button" href={link.href}>
          {link.text}
        </a>
      )}
    </>
  );
  if (!visitor) return renderCard({ lang, sandbox: false, title, content, hrefOf: (each) => `?lang=${each}` });
  const main = (
    <main id="content" tabIndex={-1}>
      <div class="card pad stack plain-page">
        <Icon name="stop" tone="sign quiet" />
        <h1 class="center">{title}</h1>
        {content}
      </div>
    </main>
  );
  return renderFrame({ screens, path: '', visitor, title, main });
}
