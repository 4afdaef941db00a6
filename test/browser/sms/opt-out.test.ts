import { test } from 'vitest';
import { addUnits, listSent, MERCHANT, sendText } from '../../support/sms.ts';
import { expect } from '../../support/expect.ts';
import { BasePage } from '../pages/base.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();

async function findLink(to: string): Promise<string> {
  await addUnits(fixture.app, MERCHANT, 10);
  const body = { nomeremetenteSms: null, optOutText: 'link' };
  await fixture.app.call('/api/ContaSms/AtualizarRemetente', { method: 'PUT', body });
  await sendText(fixture.app, [to]);
  const [sent] = await listSent(fixture.app, `&numeroDestino=${to}`);
  return /http\S+$/.exec(sent.conteudo)![0];
}

test('the SMS opt-out page stops and restarts messages without JavaScript', async () => {
  const link = await findLink('923456701');
  const page = await fixture.visit({ javaScriptEnabled: false });
  const { heading } = new BasePage(page);
  await page.goto(link);
  await expect(heading).toHaveText('Deixar de receber SMS de Loja da Ilha?');
  await page.getByRole('button', { name: 'Deixar de receber' }).click();
  await expect(heading).toHaveText('Já não recebe SMS de Loja da Ilha');
  await page.reload();
  await expect(heading).toHaveText('Já não recebe SMS de Loja da Ilha');
  await page.getByRole('link', { name: 'English' }).click();
  await page.getByRole('button', { name: 'Receive them again' }).click();
  await expect(heading).toHaveText('Stop receiving SMS from Loja da Ilha?');
});

test('the SMS opt-out page is accessible in both states and for an unknown link', async () => {
  const link = await findLink('923456702');
  const page = new BasePage(await fixture.visit({ expected: /404/ }));
  await page.page.goto(link);
  await page.expectAccessible();
  await page.expectReadableEnlarged();
  await page.expectFocusVisible();
  await page.page.getByRole('button').click();
  await expect(page.heading).toHaveText(/^Já não recebe/);
  await page.expectAccessible();
  await page.page.goto(`${link.slice(0, -8)}22222222`);
  await expect(page.heading).toHaveText('Esta página não existe');
  await page.expectAccessible();
});
