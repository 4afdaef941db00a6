// Every state of the checkout and of the widget, held to WCAG 2.2 AA and to what axe cannot see; `npm run screenshots` takes their pictures instead.
import { afterAll, describe, test } from 'vitest';
import { NOTIFY_ENV } from '../support/notify.ts';
import { expectForcedColors, expectTargets } from '../screens/legible.ts';
import { takePictures, writeSheets } from '../screens/pictures.ts';
import { STATES } from '../screens/states.ts';
import { setStage } from './pages/stage.ts';

const stage = setStage({ env: NOTIFY_ENV });
const folder = process.env['SCREENS'];

describe.each(Object.entries(STATES))('%s', (method, states) => {
  test.each(Object.entries(states))('%s', async (name, open) => {
    const checkout = await open(stage);
    if (folder) return takePictures(checkout.page, method, name);
    await checkout.expectAccessible();
    await checkout.expectReadableEnlarged();
    await expectTargets(checkout.page);
    await expectForcedColors(checkout.page);
  });
});

afterAll(async () => {
  if (folder) await writeSheets(stage, folder);
}, 300_000);
