// Checks the state with the most elements of each template for WCAG 2.2 AA. every-state.test.ts checks the others.
// `npm run screenshots` also runs this file, and takes screenshots of all states instead.
import { afterAll, describe, expect, test } from 'vitest';
import { writeBooks } from '../../screens/books.ts';
import { writeConsole } from '../../screens/console.ts';
import { expectForcedColors, expectTargets } from '../../screens/legible.ts';
import { takePictures, writeSheets } from '../../screens/pictures.ts';
import { STATES } from '../../screens/states.ts';
import { isRichest, nameState, TEMPLATES } from '../../screens/templates.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { NOTIFY_ENV } from '../../support/notify.ts';

const fixture = openBrowserFixture({ env: NOTIFY_ENV });
const folder = process.env['SCREENS'];

const ALL = Object.entries(STATES).flatMap(([method, states]) =>
  Object.entries(states).map(([state, open]) => ({ method, state, open })),
);

describe('a state of the checkout', () => {
  test.each(ALL.filter(({ method, state }) => folder || isRichest(method, state)))(
    'meets WCAG 2.2 AA, with targets of 44 px and legible forced colours ($method: $state)',
    async ({ method, state, open }) => {
      const shown = await open(fixture);
      if (folder) return takePictures(shown.page, method, state);
      await shown.expectAccessible();
      await shown.expectReadableEnlarged();
      await expectTargets(shown.page);
      await expectForcedColors(shown.page);
    },
  );

  test('belongs to exactly one template', () => {
    const names = ALL.map(({ method, state }) => nameState(method, state));
    expect(Object.values(TEMPLATES).flat().toSorted()).toEqual(names.toSorted());
  });
});

afterAll(async () => {
  if (!folder) return;
  await writeSheets(fixture, folder);
  await writeBooks(fixture, folder);
  await writeConsole(fixture, folder);
}, 300_000);
