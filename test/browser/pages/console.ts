// An owner of the demo shop in the console, on a phone.
import type { Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { addMember, PASSWORD } from '../../support/members.ts';
import type { BrowserFixture, VisitOptions } from '../../support/browser-fixture.ts';

export const PHONE = { width: 360, height: 740 };

export async function findDemoShop({ app }: BrowserFixture): Promise<string> {
  return (await app.sql<{ id: string }>(`select id from merchants where name = 'Loja da Ilha'`))[0]!.id;
}

/** Signs an owner in by the form, and returns the screen of today. */
export async function visitConsole(fixture: BrowserFixture, options: VisitOptions = {}): Promise<Page> {
  const { email } = await addMember(fixture.app, { merchantId: await findDemoShop(fixture) });
  const page = await signInToConsole(fixture, email, options);
  await page.goto(`${fixture.app.node.core.publicUrl}/console/today`);
  return page;
}

/** Signs a person in by the form, and returns the first screen of that person. */
export async function signInToConsole(
  fixture: BrowserFixture,
  email: string,
  options: VisitOptions = {},
): Promise<Page> {
  const page = await fixture.visit({ viewport: PHONE, cookies: ['balcao'], ...options });
  await page.goto(`${fixture.app.node.core.publicUrl}/console`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Palavra-passe').fill(PASSWORD);
  await page.getByRole('button', { name: 'Iniciar sessão' }).click();
  // A shop without a payment opens at its start, others at the screen of the role.
  await expect(page.locator('.desk').getByRole('heading', { level: 1 })).toBeVisible();
  return page;
}
