// Every state of the checkout and of the widget, held to WCAG 2.2 AA and to what axe cannot see; `npm run screenshots` takes their pictures instead.
import { afterAll, describe, expect, test } from 'vitest';
import { NOTIFY_ENV } from '../support/notify.ts';
import { expectForcedColors, expectTargets } from '../screens/legible.ts';
import { writeBooks } from '../screens/books.ts';
import { takePictures, writeSheets } from '../screens/pictures.ts';
import { STATES } from '../screens/states.ts';
import { isRichest, nameState, TEMPLATES } from '../screens/templates.ts';
import type { BasePage } from './pages/base.ts';
import { setStage } from './pages/stage.ts';

const stage = setStage({ env: NOTIFY_ENV });
const folder = process.env['SCREENS'];

describe.each(Object.entries(STATES))('%s', (method, states) => {
  test.each(Object.entries(states))('%s', async (name, open) => {
    const shown = await open(stage);
    if (folder) return takePictures(shown.page, method, name);
    if (isRichest(method, name)) await expectEverything(shown);
    else await expectOwnWords(shown);
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

test('each state is of one template', () => {
  const all = Object.entries(STATES).flatMap(([method, states]) =>
    Object.keys(states).map((state) => nameState(method, state)),
  );
  expect(Object.values(TEMPLATES).flat().toSorted()).toEqual(all.toSorted());
});

afterAll(async () => {
  if (!folder) return;
  await writeSheets(stage, folder);
  await writeBooks(stage, folder);
}, 300_000);
