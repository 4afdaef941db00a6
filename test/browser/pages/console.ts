// Somebody of the demo shop's at the console, on a phone.
import type { Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { addMember, PASSWORD } from '../../support/members.ts';
import type { Stage, VisitOptions } from './stage.ts';

export const PHONE = { width: 360, height: 740 };

export async function findDemoShop({ app }: Stage): Promise<string> {
  return (await app.sql<{ id: string }>(`select id from merchants where name = 'Loja da Ilha'`))[0]!.id;
}

/** The first screen, of an owner who signed in by the form. */
export async function visitConsole(stage: Stage, options: VisitOptions = {}): Promise<Page> {
  const { email } = await addMember(stage.app, { merchantId: await findDemoShop(stage) });
  const page = await stage.visit({ viewport: PHONE, cookies: ['balcao'], ...options });
  await page.goto(`${stage.app.node.core.publicUrl}/console`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Palavra-passe').fill(PASSWORD);
  await page.getByRole('button', { name: 'Entrar' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Hoje' })).toBeVisible();
  return page;
}
