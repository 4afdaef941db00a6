// The console as docs/console.md shows it: a shop's day, on a phone and on a desk.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { openShop, type Shop } from '../support/callbacks.ts';
import { addMember, PASSWORD } from '../support/members.ts';
import { purchase, travelUntil } from '../support/payments.ts';
import { byHand } from '../support/refunds.ts';
import type { Stage } from '../browser/pages/stage.ts';
import { print } from './pictures.ts';

const HOUR_MS = 3_600_000;

/** By the test numbers: approved, refused on the phone, without funds. */
const DAY: [phone: string, status: string, amount: number, reference: string][] = [
  ['900000000', 'Paid', 4_500, 'Pano samakaka'],
  ['900000001', 'Failed', 12_500, 'Vestido'],
  ['900000000', 'Paid', 12_500, 'Vestido, outra vez'],
  ['900000000', 'Paid', 1_500, 'Pulseira'],
  ['900000002', 'Failed', 7_800, 'Sandálias'],
  ['900000000', 'Paid', 7_800, 'Sandálias, outra vez'],
];

/** Screens by the name of their picture: two phones beside each other, or one desk. */
const SCREENS: Record<string, { phones: string[]; desk?: string }> = {
  today: { phones: ['/today', '/charge'], desk: '/today' },
  payments: { phones: ['/payments', '/payments/{id}'], desk: '/payments/{id}' },
  shop: { phones: ['/links', '/team', '/developers', '/settings'] },
};

/** Lets a shop have its day, and takes a picture of each screen. */
export async function writeConsole(stage: Stage, folder: string): Promise<void> {
  const { app } = stage;
  const shop = await openShop(app);
  await app.sql(`update merchants set name = 'Panos da Ilha' where id = $1`, [shop.merchantId]);
  const id = await liveDay(stage, shop);
  const { email } = await addMember(app, { merchantId: shop.merchantId });
  for (const [name, { phones, desk }] of Object.entries(SCREENS)) {
    const taken: string[] = [];
    for (const [nth, path] of phones.entries())
      taken.push(await take(stage, { email, path: path.replace('{id}', id), colorScheme: nth % 2 ? 'dark' : 'light' }));
    const html = taken.map((src) => `<img src="${src}" width="226">`).join('');
    writeFileSync(join(folder, `console-${name}-phone.png`), await print(stage, `<div class="phones">${html}</div>`));
    if (!desk) continue;
    const src = await take(stage, { email, path: desk.replace('{id}', id), colorScheme: 'light', isDesk: true });
    writeFileSync(
      join(folder, `console-${name}.png`),
      await print(stage, `<div class="phones"><img src="${src}" width="720"></div>`),
    );
  }
}

/** Pushes, some of them refused, over three hours, and a part given back; answers the first one's id. */
async function liveDay({ app }: Stage, shop: Shop): Promise<string> {
  const ids: string[] = [];
  for (const [nth, [phone, status, amount, description]] of DAY.entries()) {
    const body = purchase(phone, { amount, description, reference: `FT ${117 + nth}` });
    const { json } = await shop.call('/api/payments', { body });
    const isOver = async () => (await shop.call(`/api/payments/${json.id}`)).json.status === status;
    await travelUntil(app, isOver, `${description} being ${status}`);
    ids.push(json.id);
    app.clock.leap(HOUR_MS / 2);
  }
  await shop.call(`/api/payments/${ids[0]}/refunds`, { body: byHand({ amount: 500, reason: 'Metro a menos' }) });
  return ids[0] as string;
}

type Wanted = { email: string; path: string; colorScheme: 'light' | 'dark'; isDesk?: boolean };

async function take(stage: Stage, { email, path, colorScheme, isDesk = false }: Wanted): Promise<string> {
  const viewport = isDesk ? { width: 1280, height: 800 } : { width: 360, height: 740 };
  const page = await stage.visit({ viewport, colorScheme, cookies: ['balcao'] });
  await signIn(page, `${stage.app.node.core.publicUrl}/console`, email);
  await page.goto(`${stage.app.node.core.publicUrl}/console${path}`);
  const png = await page.screenshot();
  await page.close();
  return `data:image/png;base64,${png.toString('base64')}`;
}

async function signIn(page: Page, console: string, email: string): Promise<void> {
  await page.goto(console);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Palavra-passe').fill(PASSWORD);
  await page.getByRole('button', { name: 'Entrar' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith('/sign-in'));
}
