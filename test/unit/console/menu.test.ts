import { describe, expect, test } from 'vitest';
import { barOf, menuOf } from '../../../console/menu.ts';
import type { Screen } from '../../../console/layout.tsx';
import { ROLE_NAMES, roleOf, type RoleName } from '../../../shared/roles.ts';
import { consoleRender, listOf, pageOf, smsOf } from './page-props.ts';

const screens = consoleRender.screens as readonly Screen[];
/** The operations of the menu's screens that a role may not call: till, articles and notices differ. */
const SCOPES: Record<string, 'payments:write' | 'merchant:write' | 'notifications'> = {
  createPayment: 'payments:write',
  createArticle: 'merchant:write',
  openShift: 'payments:write',
  listNotifications: 'notifications',
};
const personOf = (role: RoleName) => ({
  role,
  isNew: false,
  isStarting: false,
  may: (operation: string) => !SCOPES[operation] || roleOf(role).scopes.includes(SCOPES[operation]),
});
const namesIn = (found: readonly Screen[]) => found.map(({ path }) => path.replace('/console/', ''));

const draw = (path: string, data: object, changes: object = {}) => {
  const page = pageOf(data);
  return consoleRender.renderScreen(path, { ...page, visitor: { ...page.visitor, ...changes } }, null);
};
const menuIn = (html: string) => html.split('id="menu"')[1]!.split('</nav>')[0]!;
const barIn = (html: string) => html.split('class="thumb"')[1]!.split('</nav>')[0]!;

describe('the menu of the console', () => {
  test.each<[RoleName, string[], string[]]>([
    ['Cashier', ['charge', 'links', 'references', 'shifts', 'payments', 'account'], ['charge', 'payments', 'links']],
    [
      'Viewer',
      ['links', 'references', 'today', 'payments', 'books', 'team', 'plan', 'audit', 'account'],
      ['today', 'payments', 'books'],
    ],
    [
      'Developer',
      ['links', 'references', 'payments', 'sms', 'sms/contacts', 'settings', 'rails', 'notices', 'developers', 'audit'],
      ['developers', 'payments', 'links'],
    ],
  ])('shows a %s only the screens that the role uses, and its three most used in the bar', (role, menu, bar) => {
    expect(namesIn(menuOf(screens, personOf(role)))).toEqual([...new Set([...menu, 'account'])]);
    expect(namesIn(barOf(screens, personOf(role)))).toEqual(bar);
    expect(consoleRender.homeOf(personOf(role))).toBe(`/console/${bar[0]}`);
  });

  test('shows an owner every screen with an entry, once, in four groups and a foot', () => {
    const html = draw('/console/payments', listOf(['paid']), { isStarting: true });
    const hrefs = [...menuIn(html).matchAll(/href="(\/console[^"]*)"/g)].map(([, href]) => href);
    expect(hrefs.toSorted()).toEqual(screens.flatMap(({ menu, path }) => (menu ? [path] : [])).toSorted());
    const headings = [...menuIn(html).matchAll(/<p id="menu-\w+">([^<]+)</g)].map(([, text]) => text);
    expect(headings).toEqual(['Cobrar', 'Dinheiro', 'Clientes', 'Loja']);
  });

  test('has a different icon for each entry', () => {
    const icons = screens.flatMap(({ menu }) => menu?.icon ?? []);
    expect(icons.filter((icon, nth) => icons.indexOf(icon) !== nth)).toEqual([]);
  });

  test('has three entries in the bar of each role', () => {
    expect(ROLE_NAMES.map((role) => barOf(screens, personOf(role)).length)).toEqual([3, 3, 3, 3, 3]);
  });

  test('shows the start screen to a new shop alone, as the first entry and as its home', () => {
    const owner = personOf('Owner');
    expect(namesIn(menuOf(screens, owner))).not.toContain('start');
    const starting = { ...owner, isStarting: true };
    expect(namesIn(menuOf(screens, starting))[0]).toBe('start');
    expect(namesIn(barOf(screens, starting))).toEqual(['start', 'today', 'charge']);
    expect(consoleRender.homeOf({ ...starting, isNew: true })).toBe('/console/start');
    expect(consoleRender.homeOf({ ...starting, isNew: false })).toBe('/console/today');
  });

  test('marks one entry for the open screen, the one with the longest path', () => {
    const html = draw('/console/sms/contacts', smsOf('CAFE')['/console/sms/contacts']!);
    expect(menuIn(html).match(/<a href="[^"]+" aria-current="page"/g)).toEqual([
      '<a href="/console/sms/contacts" aria-current="page"',
    ]);
  });

  test('marks “Menu” in the bar if the open screen is not in the bar', () => {
    expect(barIn(draw('/console/payments', listOf(['paid'])))).toContain('<a href="#menu"><svg');
    expect(barIn(draw('/console/sms/contacts', smsOf('CAFE')['/console/sms/contacts']!))).toContain(
      '<a href="#menu" aria-current="true">',
    );
  });

  test.each([
    [0, []],
    [3, ['(3 por ler)']],
    [100, ['(99+ por ler)']],
  ])('with %i unread notices shows %j', (unread, shown) => {
    const html = draw('/console/payments', listOf(['paid']), { unread });
    expect(menuIn(html).match(/\([\d+]+ por ler\)/g) ?? []).toEqual(shown);
    expect(barIn(html).match(/\([\d+]+ por ler\)/g) ?? []).toEqual(shown);
  });
});
