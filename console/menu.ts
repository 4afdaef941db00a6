// The menu: its groups, the entries that each role uses, and the entries that the phone's bottom bar shows.
import type { Visitor } from '../shared/console.ts';
import type { RoleName } from '../shared/roles.ts';
import type { Screen } from './layout.tsx';
import type { IconName } from './icons.tsx';
import type { ConsoleTextKey } from './words.ts';

/** The groups of the menu, in its order. `own` is the foot of the menu and has no heading. */
export const MENU_GROUPS = ['charge', 'money', 'customers', 'shop', 'own'] as const;
type MenuGroup = (typeof MENU_GROUPS)[number];

/** A screen's entry in the menu. */
export type ScreenMenu = {
  group: MenuGroup;
  text: ConsoleTextKey;
  icon: IconName;
  /** The number of objects that wait for the visitor on this screen. */
  count?(visitor: Visitor): number;
  /** False while the entry has no purpose for this merchant. While it has one, it is the first of the bottom bar. */
  isShown?(visitor: Pick<Visitor, 'isStarting'>): boolean;
};

const [TODAY, CHARGE, PAYMENTS, LINKS, BOOKS] = [
  '/console/today',
  '/console/charge',
  '/console/payments',
  '/console/links',
  '/console/books',
];
const [SETTINGS, ARTICLES] = ['/console/settings', '/console/articles'];
const [RAILS, TEAM, PLAN] = ['/console/rails', '/console/team', '/console/plan'];
const [DEVELOPERS, NOTICES, AUDIT] = ['/console/developers', '/console/notices', '/console/audit'];
const SMS = ['/console/sms', '/console/sms/contacts'];

/**
 * The menu of each role. The role opens the console at the first path of `bar`, and the bottom bar shows all three.
 * `hidden` are entries that the role has no use for. The API alone decides which screens a role may open by address.
 */
const ROLE_MENUS: Record<RoleName, { bar: readonly string[]; hidden: readonly string[] }> = {
  Owner: { bar: [TODAY, CHARGE, PAYMENTS], hidden: [] },
  Administrator: { bar: [TODAY, CHARGE, PAYMENTS], hidden: [] },
  Developer: { bar: [DEVELOPERS, PAYMENTS, LINKS], hidden: [CHARGE, TODAY, BOOKS, ARTICLES, TEAM, PLAN] },
  Cashier: {
    bar: [CHARGE, PAYMENTS, LINKS],
    hidden: [TODAY, BOOKS, ...SMS, SETTINGS, RAILS, TEAM, NOTICES, PLAN, DEVELOPERS, AUDIT],
  },
  Viewer: { bar: [TODAY, PAYMENTS, BOOKS], hidden: [...SMS, SETTINGS, RAILS, DEVELOPERS] },
};

type Person = Pick<Visitor, 'may' | 'role' | 'isStarting'>;
type Listed = Screen & { menu: ScreenMenu };

/** The screens in this person's menu, in the order of its groups. */
export function menuOf(screens: readonly Screen[], person: Person): Listed[] {
  const { may, role } = person;
  const hidden = role ? ROLE_MENUS[role].hidden : [];
  const listed = screens.filter(
    (each): each is Listed =>
      !!each.menu && may(each.needs) && !hidden.includes(each.path) && (each.menu.isShown?.(person) ?? true),
  );
  return MENU_GROUPS.flatMap((group) => listed.filter(({ menu }) => menu.group === group));
}

/** The number of entries in the bottom bar, without the one that opens the menu. */
const BAR = 3;

/** The screens in this person's bottom bar. The first one is the start of the console. */
export function barOf(screens: readonly Screen[], person: Person): Listed[] {
  const menu = menuOf(screens, person);
  const usual = (person.role ? ROLE_MENUS[person.role].bar : []).flatMap(
    (path) => menu.find((each) => each.path === path) ?? [],
  );
  const bar = [...menu.filter((each) => each.menu.isShown), ...usual].slice(0, BAR);
  return bar.length > 0 ? bar : menu.slice(0, 1);
}

/** The path that the installed console opens with: the role's start. */
export function startOf(screens: readonly Screen[], person: Person): string {
  return barOf(screens, { ...person, isStarting: false })[0]?.path ?? CHARGE;
}

/** The menu entry that a path belongs to: the one with the longest matching path. */
export function entryOf(menu: readonly Listed[], path: string): Listed | undefined {
  return menu
    .filter(({ path: own }) => path === own || path.startsWith(`${own}/`))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
}
