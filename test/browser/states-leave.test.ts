// Leaving for the shop: it is told by the address alone whether its payer has paid or given up, so that must be the right one.
import { describe, test } from 'vitest';
import { NOTIFY_ENV } from '../support/notify.ts';
import { codes } from '../screens/codes.ts';
import { holds } from '../screens/holds.ts';
import { pushes } from '../screens/pushes.ts';
import { references } from '../screens/references.ts';
import { setStage } from './pages/stage.ts';

const stage = setStage({ env: NOTIFY_ENV });

describe.each([
  ['paid', pushes],
  ['authorized', holds],
  ['capturing', holds],
  ['code, some paid', codes],
  ['reference', references],
  ['received', references],
  ['another amount came', references],
])('%s', (name, states) => {
  test('leads to returnUrl', async () => {
    const { page, main } = await states[name]!(stage);
    await main.getByRole('link', { name: 'Voltar à loja', exact: true }).click();
    await page.waitForURL('**/demo?paid');
  });
});

describe.each([
  ['form', pushes, 'Voltar à loja sem pagar'],
  ['code', codes, 'Voltar à loja sem pagar'],
  ['canceled', pushes, 'Voltar à loja'],
  ['no tries left', pushes, 'Voltar à loja'],
  ['reference canceled', references, 'Voltar à loja'],
])('%s', (name, states, words) => {
  test('leads to cancelUrl', async () => {
    const { page, main } = await states[name]!(stage);
    await main.getByRole('link', { name: words, exact: true }).click();
    await page.waitForURL('**/demo?unpaid');
  });
});
