// Every state of the checkout and of the widget, held to WCAG 2.2 AA, to what axe cannot see, and to where it leads back; `npm run screenshots` takes their pictures instead.
import { afterAll, describe, expect, test } from 'vitest';
import { NOTIFY_ENV } from '../../support/notify.ts';
import { expectForcedColors, expectTargets } from '../../screens/legible.ts';
import { writeBooks } from '../../screens/books.ts';
import { writeConsole } from '../../screens/console.ts';
import { takePictures, writeSheets } from '../../screens/pictures.ts';
import { STATES } from '../../screens/states.ts';
import { isRichest, nameState, TEMPLATES } from '../../screens/templates.ts';
import type { BasePage } from '../pages/base.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture({ env: NOTIFY_ENV });
const folder = process.env['SCREENS'];

describe.each(Object.entries(STATES))('%s', (method, states) => {
  test.each(Object.entries(states))('%s', async (name, open) => {
    const shown = await open(fixture);
    if (folder) return takePictures(shown.page, method, name);
    if (isRichest(method, name)) await expectEverything(shown);
    else await expectOwnWords(shown);
    const way = WAYS_BACK[nameState(method, name)];
    if (way) await expectLeadsBack(shown, way);
  });
});

/** What a template's richest state is held to: its colours, its sizes and its places are those of all its states. */
async function expectEverything(shown: BasePage) {
  await shown.expectAccessible();
  await shown.expectReadableEnlarged();
  await expectTargets(shown.page);
  await expectForcedColors(shown.page);
}

/** What another state of a template can still break: by what it says, and by what it leads to. */
async function expectOwnWords(shown: BasePage) {
  await shown.expectNoViolations();
  await shown.expectFitsNarrow();
  await expectTargets(shown.page);
}

/** The shop is told by the address alone whether its payer has paid or given up: it must be the right one. */
const PAID = ['Voltar à loja', '**/demo?paid'] as const;
const UNPAID = ['Voltar à loja', '**/demo?unpaid'] as const;
const GIVEN_UP = ['Voltar à loja sem pagar', '**/demo?unpaid'] as const;

const WAYS_BACK: Record<string, readonly [words: string, address: string]> = {
  'push: paid': PAID,
  'hold: authorized': PAID,
  'hold: capturing': PAID,
  'code: code, some paid': PAID,
  'reference: reference': PAID,
  'reference: received': PAID,
  'reference: another amount came': PAID,
  'push: form': GIVEN_UP,
  'code: code': GIVEN_UP,
  'push: canceled': UNPAID,
  'push: no tries left': UNPAID,
  'reference: reference canceled': UNPAID,
};

async function expectLeadsBack({ page }: BasePage, [words, address]: readonly [string, string]) {
  await page.getByRole('main').getByRole('link', { name: words, exact: true }).click();
  await page.waitForURL(address);
}

test('each state is of one template', () => {
  const all = Object.entries(STATES).flatMap(([method, states]) =>
    Object.keys(states).map((state) => nameState(method, state)),
  );
  expect(Object.values(TEMPLATES).flat().toSorted()).toEqual(all.toSorted());
  expect(all).toEqual(expect.arrayContaining(Object.keys(WAYS_BACK)));
});

afterAll(async () => {
  if (!folder) return;
  await writeSheets(fixture, folder);
  await writeBooks(fixture, folder);
  await writeConsole(fixture, folder);
}, 300_000);
