// The day of a shop with two cashiers, from opening to the printed close. The line is cut at each step.
import type { Page } from 'playwright';
import { beforeAll, expect as expectValue, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { until } from '../../support/app.ts';
import { openBrowserFixture } from '../../support/browser-fixture.ts';
import { expectDayAddsUp, type ReadApi } from '../../support/day-sums.ts';
import { expect } from '../../support/expect.ts';
import { addMember, PASSWORD, type Member } from '../../support/members.ts';
import { travelToStatus } from '../../support/payments.ts';
import { pay, untilReceived, untilRegistered } from '../../support/ppr.ts';
import { scanCode } from '../../support/qrcodes.ts';
import { travelToRefund } from '../../support/refunds.ts';
import { PHONE } from '../pages/console.ts';

const fixture = openBrowserFixture();
const DESK = { width: 1280, height: 800 };
const APPROVES = '900000000';
const REFUSES = '900000001';
const IS_SILENT = '900000003';

let owner: Member;
let read: ReadApi;
beforeAll(async () => {
  const changes = { cashierRefundLimit: 1_000, takesCash: true };
  await fixture.app.call(`/api/merchants/${DEMO.merchantId}`, { method: 'PUT', body: changes });
  owner = await addMember(fixture.app, { merchantId: DEMO.merchantId });
  const token = await owner.token();
  await fixture.app.call('/api/articles', { token, body: { name: 'Pano samakaka', price: 4_500, currency: 'AOA' } });
  read = (path, headers = {}) => fixture.app.call(path, { token, headers });
});

const addressOf = (path: string) => `${fixture.app.node.core.publicUrl}${path}`;

/** Opens a page. The refresh of a page without a script may interrupt the navigation. */
const open = (page: Page, path: string) =>
  until(
    () =>
      page.goto(addressOf(path)).then(
        () => true,
        () => false,
      ),
    `the page ${path}`,
  );

async function addCashier(firstName: string): Promise<Member> {
  const cashier = await addMember(fixture.app, { merchantId: DEMO.merchantId, role: 'Cashier' });
  await fixture.app.sql('update users set first_name = $1 where id = $2', [firstName, cashier.userId]);
  return cashier;
}

type Device = { page: Page; hasScript: boolean };

async function signIn({ email }: Member, viewport: typeof PHONE, hasScript: boolean): Promise<Device> {
  const options = { viewport, javaScriptEnabled: hasScript, cookies: ['balcao'] };
  const page = await fixture.visit({ ...options, expected: /net::ERR|Failed to load|\b4\d\d\b/ });
  await open(page, '/console');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Palavra-passe').fill(PASSWORD);
  await page.getByRole('button', { name: 'Iniciar sessão' }).click();
  await expect(page.locator('.desk').getByRole('heading', { level: 1 })).toBeVisible();
  return { page, hasScript };
}

/** The next form reaches the gateway, but the line is cut before the answer. Then the browser sends it again. */
async function loseNextAnswer({ page }: Device): Promise<void> {
  let isLost = false;
  await page.unrouteAll();
  await page.route('**/console/**', async (route) => {
    if (isLost || route.request().method() !== 'POST') return route.fallback();
    isLost = true;
    await route.fetch({ maxRedirects: 0 });
    await route.continue();
  });
}

/** Sends a form of a screen. The first answer is lost. */
async function send(device: Device, button: string | RegExp): Promise<void> {
  await loseNextAnswer(device);
  await device.page.locator('form').getByRole('button', { name: button }).click();
  await expect(device.page).toHaveURL(/[?&]done=/);
}

const CHARGING = /\/console\/charge\/([\w-]{36})/;
const chargedOn = (page: Page) => CHARGING.exec(page.url())?.[1] ?? '';

type Charge = { amount: string; way: 'push' | 'qrcode' | 'reference'; phone?: string };

/** Charges at the till, and returns the payment's id. With a script, the line is also away before the request. */
async function charge(device: Device, { amount, way, phone }: Charge): Promise<string> {
  const { page, hasScript } = device;
  await open(page, '/console/charge');
  await page.getByLabel('Montante em kwanzas').fill(amount);
  await page.locator(`input[value="${way}"]`).check();
  if (phone) await page.getByLabel('Telemóvel do cliente').fill(phone);
  const button = page.locator('form').getByRole('button', { name: 'Cobrar' });
  if (hasScript) {
    // The browser sends a form itself until the script arrives, which also shows the keys.
    await expect(page.getByRole('group', { name: 'Teclas' })).toBeVisible();
    await page.context().setOffline(true);
    await button.click();
    await expect(page.getByText('Ainda não pedido.').first()).toBeVisible();
    await page.context().setOffline(false);
    // Playwright may return before the network process is online.
    await page.waitForFunction(() =>
      fetch('/healthz').then(
        () => true,
        () => false,
      ),
    );
  }
  await loseNextAnswer(device);
  await button.click();
  await expect(page).toHaveURL(CHARGING);
  return chargedOn(page);
}

/** Without a script the waiting page refreshes itself every four seconds, which closes its opened parts. */
async function cancelCharge(device: Device): Promise<void> {
  const { page } = device;
  const button = page.locator('form').getByRole('button', { name: 'Cancelar a cobrança' });
  await loseNextAnswer(device);
  await expect(async () => {
    if ((await page.title()).startsWith('Cancelado')) return;
    if (!(await button.isVisible()))
      await page.locator('summary', { hasText: 'Cancelar a cobrança' }).click({ timeout: 2_000 });
    await button.click({ timeout: 2_000 });
  }).toPass();
  await expect(page).toHaveTitle(/^Cancelado/);
}

/** Expects the outcome on the page of the payment, which the cashier opens again after a lost line. */
async function expectOutcome({ page }: Device, id: string, word: RegExp): Promise<void> {
  await open(page, `/console/charge/${id}`);
  await expect(page).toHaveTitle(word);
}

async function whileAway({ page, hasScript }: Device, work: () => Promise<unknown>): Promise<void> {
  if (hasScript) await page.context().setOffline(true);
  await work();
  if (hasScript) await page.context().setOffline(false);
}

async function pushTo(device: Device, amount: string, phone: string, status: string, word: RegExp): Promise<string> {
  const id = await charge(device, { amount, way: 'push', phone });
  await whileAway(device, () => travelToStatus(fixture.app, id, status));
  await expectOutcome(device, id, word);
  return id;
}

const rowOf = async (id: string) => (await fixture.app.sql('select * from payments where id = $1', [id]))[0];

async function payReference(id: string, amount: number): Promise<void> {
  const { reference } = await rowOf(id);
  const { entity } = await untilRegistered(fixture.app, reference);
  await pay(fixture.app, { entity, reference });
  await untilReceived(fixture.app, reference, amount);
}

async function openShift(device: Device, openingCash: string): Promise<void> {
  await open(device.page, '/console/shifts');
  await device.page.getByLabel('Fundo de caixa').fill(openingCash);
  await send(device, 'Abrir turno');
}

async function openOwnShift({ page }: Device): Promise<void> {
  await open(page, '/console/shifts');
  await page.getByRole('link', { name: 'Ver e fechar' }).click();
  await expect(page.locator('summary', { hasText: 'Fechar turno' })).toBeVisible();
}

async function recordCash(device: Device, kind: string, amount: string): Promise<void> {
  await openOwnShift(device);
  await device.page.locator('summary', { hasText: 'Registar dinheiro' }).click();
  await device.page.getByLabel('O que aconteceu').selectOption({ label: kind });
  await device.page.getByLabel('Montante em kwanzas').fill(amount);
  await send(device, 'Registar dinheiro');
}

async function closeShift(device: Device, counted: string): Promise<void> {
  await openOwnShift(device);
  await device.page.locator('summary', { hasText: 'Fechar turno' }).click();
  await device.page.getByLabel('Conte o dinheiro').fill(counted);
  await send(device, 'Fechar turno de vez');
}

/** Expects these texts on the printed close of the shift. */
async function expectPrinted({ page }: Device, texts: string[]): Promise<void> {
  await page.emulateMedia({ media: 'print' });
  const sheet = page.locator('.slip');
  for (const text of texts) await expect(sheet).toContainText(text);
  await expect(page.locator('.thumb')).toBeHidden();
  await page.emulateMedia({ media: null });
}

/** Opens the close of the shop's day from its list, and expects these texts on its printed page. */
async function expectDayPrinted({ page }: Device, texts: string[]): Promise<void> {
  const { json } = await read('/api/days');
  const day = json.data[0].day;
  await open(page, '/console/books');
  await page.locator(`main a[href="/console/books/days/${day}"]`).click();
  await expect(page).toHaveURL(new RegExp(`/days/${day}$`));
  await page.emulateMedia({ media: 'print' });
  for (const text of texts) await expect(page.locator('main')).toContainText(text);
  await expect(page.locator('.thumb')).toBeHidden();
  await page.emulateMedia({ media: null });
}

/** Expects the button above the phone's bottom bar, beside articles and four ways to pay. */
async function expectWholeTill({ page }: Device): Promise<void> {
  await open(page, '/console/charge');
  await page.locator('input[value="cash"]').waitFor();
  await page.getByRole('button', { name: 'Pano samakaka' }).waitFor();
  const bar = (await page.locator('.thumb').boundingBox())!;
  const button = (await page.locator('form').getByRole('button', { name: 'Cobrar' }).boundingBox())!;
  expectValue(button.y + button.height).toBeLessThanOrEqual(bar.y);
}

test.each([true, false])(
  'the sums per cashier, shift, way and day of a shop equal its movements (script: %s)',
  async (hasScript) => {
    const [rosa, bento] = [await addCashier('Rosa'), await addCashier('Bento')];
    const phone = await signIn(rosa, PHONE, hasScript);
    const second = await signIn(rosa, PHONE, hasScript);
    const desk = await signIn(bento, DESK, hasScript);

    // Both open their shifts. Rosa's second device shows the same shift.
    await openShift(phone, '5.000');
    await openShift(desk, '2000,50');
    await openOwnShift(second);
    if (hasScript) await expectWholeTill(phone);

    await pushTo(phone, '1500,50', APPROVES, 'Paid', /^Pago/);
    const coffee = await pushTo(second, '800', APPROVES, 'Paid', /^Pago/);
    await pushTo(phone, '70,07', IS_SILENT, 'Failed', /^Tempo esgotado/);

    // After a refusal, the customer pays the same amount by reference.
    const refused = await pushTo(phone, '640,25', REFUSES, 'Failed', /^Recusado/);
    await loseNextAnswer(phone);
    await phone.page.locator('.another').getByRole('button', { name: 'Referência' }).click();
    await expect(phone.page).not.toHaveURL(new RegExp(refused));
    const instead = chargedOn(phone.page);
    await whileAway(phone, () => payReference(instead, 640.25));
    await expectOutcome(phone, instead, /^Pago/);

    const code = await charge(desk, { amount: '12,34', way: 'qrcode' });
    await whileAway(desk, async () => {
      await scanCode(fixture.app, (await rowOf(code)).qr_content);
      await travelToStatus(fixture.app, code, 'Paid');
    });
    await expectOutcome(desk, code, /^Pago/);
    const machine = await charge(desk, { amount: '9999,99', way: 'reference' });
    await whileAway(desk, () => payReference(machine, 9_999.99));
    await expectOutcome(desk, machine, /^Pago/);

    // A reference that the customer did not want is withdrawn.
    await charge(desk, { amount: '55', way: 'reference' });
    await cancelCharge(desk);

    // Rosa refunds a part within the limit of a cashier.
    await open(second.page, `/console/payments/${coffee}`);
    await second.page.locator('summary', { hasText: 'Devolver' }).first().click();
    await second.page.locator('#refund-amount').fill('300,10');
    await send(second, /^Devolver/);
    const refunds = await fixture.app.sql('select id from refunds where payment_id = $1', [coffee]);
    expectValue(refunds).toHaveLength(1);
    await travelToRefund(fixture.app, refunds[0].id, 'Succeeded');

    await recordCash(phone, 'Venda em dinheiro', '2500');
    await recordCash(second, 'Saída da caixa', '1000');

    // This reference is paid only after the close of the shift.
    const late = await charge(phone, { amount: '4321', way: 'reference' });
    await fixture.app.clock.advance(1_000);
    await closeShift(second, '6.499,50');
    await expectPrinted(second, ['Rosa Neto', '2 640,65 Kz', '6 500,00 Kz', '6 499,50 Kz', '−0,50 Kz']);
    await openOwnShift(desk);
    await closeShift(desk, '2000,50');
    await expectPrinted(desk, ['Bento Neto', '10 012,33 Kz', 'Confere']);
    await fixture.app.clock.advance(1_000);
    await payReference(late, 4_321);

    const office = await signIn(owner, DESK, hasScript);
    const total = '7 261,75 Kz';
    await expectDayPrinted(office, [
      'Rosa Neto',
      total,
      'Bento Neto',
      '10 012,33 Kz',
      'depois do fecho',
      '4 321,00 Kz',
    ]);

    const shifts = await expectDayAddsUp(read);
    const own = ({ userId }: Member) => shifts.filter(({ cashier }) => cashier.id === userId);
    expectValue(own(rosa)).toMatchObject([
      { status: 'closed', totals: { taken: 2_940.75, refunded: 300.1, net: 2_640.65 }, pending: { count: 1 } },
    ]);
    expectValue(own(bento)).toMatchObject([
      { status: 'closed', totals: { taken: 10_012.33, refunded: 0 }, canceled: { count: 1, amount: 55 } },
    ]);
    const charged = await fixture.app.sql('select count(*)::int as n from payments where created_by_id = any($1)', [
      [rosa.userId, bento.userId],
    ]);
    expectValue(charged[0].n).toBe(9);
  },
);
