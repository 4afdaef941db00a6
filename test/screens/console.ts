// Screenshots of the console for docs/console.md: a merchant's day on a phone and on a desktop.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { addMoney, addRefund, SETTLEMENTS, inOneTransaction, untilSettlements } from '../support/books.ts';
import { openCallbackFixture, type CallbackFixture } from '../support/callbacks.ts';
import { addPlan, choose } from '../support/billing.ts';
import { addMember, PASSWORD, type Member } from '../support/members.ts';
import { purchase, travelUntil } from '../support/payments.ts';
import { addRail, idleBody, openProxypay, railPath } from '../support/rail-accounts.ts';
import { addUnits } from '../support/sms.ts';
import { createReference } from '../support/ppr.ts';
import { byHand } from '../support/refunds.ts';
import type { BrowserFixture } from '../support/browser-fixture.ts';
import { print } from './pictures.ts';
import { HOUR_MS } from '../../shared/durations.ts';

/** Test numbers whose pushes are approved, refused, or refused for insufficient funds. */
const DAY: [phone: string, status: string, amount: number, reference: string][] = [
  ['900000000', 'Paid', 4_500, 'Pano samakaka'],
  ['900000001', 'Failed', 12_500, 'Vestido'],
  ['900000000', 'Paid', 12_500, 'Vestido, outra vez'],
  ['900000000', 'Paid', 1_500, 'Pulseira'],
  ['900000002', 'Failed', 7_800, 'Sandálias'],
  ['900000000', 'Paid', 7_800, 'Sandálias, outra vez'],
];

/** The day whose credit differs from the expected one. */
const DIFFERS = '2026-02-25';

/** Screens by the name of their image file, which shows a row of phones or one desktop. */
const SCREENS: Record<string, { phones: string[]; desk?: string }> = {
  start: { phones: ['/start'], desk: '/start' },
  today: { phones: ['/today', '/payments'], desk: '/today' },
  till: { phones: ['/charge', '/charge/{push}', '/shifts/{shift}', '/payments/{id}/receipt'], desk: '/charge' },
  payments: { phones: ['/payments/{id}', '/search?q=Vestido'], desk: '/payments/{id}' },
  books: {
    phones: ['/books', `/books/days/${DIFFERS}`, '/books/{settlementId}', '/books/import'],
    desk: `/books/days/${DIFFERS}`,
  },
  references: { phones: ['/references', '/references/{reference}'] },
  sms: { phones: ['/sms', '/sms/send?list={list}', '/sms/history', '/sms/lists/{list}'], desk: '/sms' },
  share: { phones: ['/links/{link}', '/links/{link}/poster', '/references/{reference}'], desk: '/links/{link}' },
  shop: { phones: ['/links', '/team', '/developers', '/settings'] },
  house: { phones: ['/notices', '/rails', '/plan', '/account'] },
};

/** Creates a merchant's day, and takes a screenshot of each screen. */
export async function writeConsole(fixture: BrowserFixture, folder: string): Promise<void> {
  const { app } = fixture;
  const shop = await openCallbackFixture(app);
  await app.sql(`update merchants set name = 'Panos da Ilha' where id = $1`, [shop.merchantId]);
  const settlementId = await closeDays(fixture, shop);
  const reference = await writeReferences(fixture, shop);
  const id = await liveDay(fixture, shop);
  const [link, list] = [await writeLink(shop), await writeSms(fixture, shop)];
  const owner = await addMember(app, { merchantId: shop.merchantId });
  const till = await writeTill(fixture, shop, owner);
  const ids: Record<string, string> = { id, settlementId, reference, link, list, ...till };
  // This step is last, because its SMS account delivers no messages.
  await furnish(fixture, shop);
  const nameIn = (path: string) => path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] as string);
  const empty = await openCallbackFixture(app);
  await app.sql(`update merchants set name = 'Café Central' where id = $1`, [empty.merchantId]);
  const newcomer = await addMember(app, { merchantId: empty.merchantId });
  for (const [name, { phones, desk }] of Object.entries(SCREENS)) {
    const taken: string[] = [];
    const person = name === 'start' ? newcomer.email : owner.email;
    for (const [nth, path] of phones.entries())
      taken.push(await take(fixture, { email: person, path: nameIn(path), colorScheme: nth % 2 ? 'dark' : 'light' }));
    const html = taken.map((src) => `<img src="${src}" width="226">`).join('');
    writeFileSync(join(folder, `console-${name}-phone.png`), await print(fixture, `<div class="phones">${html}</div>`));
    if (!desk) continue;
    const src = await take(fixture, { email: person, path: nameIn(desk), colorScheme: 'light', isDesk: true });
    writeFileSync(
      join(folder, `console-${name}.png`),
      await print(fixture, `<div class="phones"><img src="${src}" width="720"></div>`),
    );
  }
}

/** Creates pushes over three hours, and a partial refund. Returns the id of the first payment. */
async function liveDay({ app }: BrowserFixture, shop: CallbackFixture): Promise<string> {
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

/** Closes three days: a correct one, one without a credit, and one that differs. Returns the id of the last. */
async function closeDays({ app }: BrowserFixture, shop: CallbackFixture): Promise<string> {
  const days = [DIFFERS, '2026-02-26', '2026-02-27'];
  await inOneTransaction(app, async (books) => {
    for (const day of days) {
      const at = (hour: string) => `${day}T${hour}:00:00.000Z`;
      const money = await addMoney(books, shop, {
        at: at('09'),
        minor: 1_250_000,
        feeMinor: 12_500,
        reference: 'Vestido',
      });
      await addMoney(books, shop, { at: at('12'), minor: 780_000, method: 'qrcode', reference: 'Sandálias' });
      await addRefund(books, shop, money, { at: at('15') });
    }
  });
  const closed = (found: any[]) => days.every((day) => found.some((one) => one.day === day && one.closedAt));
  const settlements = await untilSettlements(app, shop, closed, 'the days being closed');
  const [differs, right] = days.map((day) => settlements.find((one) => one.day === day));
  for (const [{ id, expectedCredit }, less] of [[right, 0] as const, [differs, 7_800] as const]) {
    const body = { amount: expectedCredit - less, date: '2026-02-28', reference: 'TRF EMIS' };
    await shop.call(`${SETTLEMENTS}/${id}/credits`, { body });
  }
  return differs.id;
}

/** Opens a shift with articles and cash. Returns the ids of the shift and of a push that waits for its customer. */
async function writeTill(
  { app }: BrowserFixture,
  { merchantId }: CallbackFixture,
  owner: Member,
): Promise<Record<'shift' | 'push', string>> {
  const token = await owner.token();
  await app.call(`/api/merchants/${merchantId}`, { method: 'PUT', token, body: { takesCash: true } });
  for (const [name, price] of Object.entries({ Pulseira: 1_500, 'Pano samakaka': 4_500, Lenço: 900 }))
    await app.call('/api/articles', { token, body: { name, price, currency: 'AOA' } });
  const { json: shift } = await app.call('/api/shifts', { token, body: { openingCash: 5_000 } });
  const charge = async (phone: string, amount: number, reference: string) =>
    (await app.call('/api/payments', { token, body: purchase(phone, { amount, reference }) })).json.id;
  const paid = await charge('900000000', 6_000, 'FT 130');
  const isPaid = async () => (await app.call(`/api/payments/${paid}`, { token })).json.status === 'Paid';
  await travelUntil(app, isPaid, 'the charge being paid');
  await app.call(`/api/shifts/${shift.id}/cash`, { token, body: { kind: 'sale', amount: 2_500 } });
  return { shift: shift.id, push: await charge('900000003', 1_500, 'FT 131') };
}

/** Creates three references, and returns the digits of one. */
async function writeReferences({ app }: BrowserFixture, shop: CallbackFixture): Promise<string> {
  const made = [];
  for (const customerName of ['Ana Domingos', 'Rui Manuel', 'Luísa Neto'])
    made.push(
      await createReference(
        app,
        { amount: 15_000, customerName, description: 'Propina de Março' },
        { token: shop.token },
      ),
    );
  return made[0].reference;
}

/** Creates a payment link, and returns its id. */
async function writeLink({ call }: CallbackFixture): Promise<string> {
  const body = { title: 'Bilhete de Sábado', amount: 1_500, currency: 'AOA', stock: 40 };
  const { json } = await call('/api/links', { body });
  return json.id;
}

/** Adds a plan and two rail accounts: a tested and an untested one. */
async function furnish({ app }: BrowserFixture, shop: CallbackFixture): Promise<void> {
  await choose(shop, await addPlan(app, { name: 'Loja', includedPayments: 100 }));
  const { body } = await openProxypay(app.clock);
  // The merchant's first access token has expired at this point.
  const owner = { merchantId: shop.merchantId, token: await shop.tokenFor({}) };
  const { id } = await addRail(app, owner, body);
  await shop.call(`${railPath(shop.merchantId, id)}/test`, { method: 'POST' });
  await addRail(app, owner, idleBody({ label: 'Mensagens' }));
}

const CUSTOMERS = ['Ana Paulo', 'Rui Domingos', 'Zita Neto', 'Filomena Conceição'];

/** Sends an SMS to a list of customers. Returns the id of the list. */
async function writeSms({ app }: BrowserFixture, { merchantId, call }: CallbackFixture): Promise<string> {
  await addUnits(app, merchantId, 500);
  const contactos = CUSTOMERS.map((nome, nth) => ({ nome, telefone: String(900_000_000 + nth * 2) }));
  const { json } = await call('/api/Contactos/ImportarContactos', { body: { contactos, novaLista: 'Clientes' } });
  const { listaId } = json.lista;
  const body = { listaId, conteudo: 'Chegaram panos novos. Venha ver ate sabado.' };
  await call('/api/Envio/enviarSmsParaLista', { body });
  const isOver = async () => (await call('/api/Envio/ListarSmsEnviadas?estado=Entregue')).json.totalItems === 2;
  await travelUntil(app, isOver, 'the messages having arrived');
  return listaId;
}

type Wanted = { email: string; path: string; colorScheme: 'light' | 'dark'; isDesk?: boolean };

async function take(fixture: BrowserFixture, { email, path, colorScheme, isDesk = false }: Wanted): Promise<string> {
  const viewport = isDesk ? { width: 1280, height: 800 } : { width: 360, height: 740 };
  const page = await fixture.visit({ viewport, colorScheme, cookies: ['balcao'] });
  await signIn(page, `${fixture.app.node.core.publicUrl}/console`, email);
  await page.goto(`${fixture.app.node.core.publicUrl}/console${path}`);
  const png = await page.screenshot();
  await page.close();
  return `data:image/png;base64,${png.toString('base64')}`;
}

async function signIn(page: Page, console: string, email: string): Promise<void> {
  await page.goto(console);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Palavra-passe').fill(PASSWORD);
  await page.getByRole('button', { name: 'Iniciar sessão' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith('/sign-in'));
}
