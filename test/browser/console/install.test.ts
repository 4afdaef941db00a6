// The installed console: the worker and its shell, a charge over a bad connection, and an upgrade.
import type { Page } from 'playwright';
import { afterAll, beforeAll, beforeEach, describe, expect as expectValue, onTestFinished, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';
import { expect } from '../../support/expect.ts';
import { makeNextBuild } from '../../support/next-build.ts';
import { startProxy } from '../../support/proxy.ts';
import { setTakesCash } from '../../support/shifts.ts';
import { travelToStatus } from '../../support/payments.ts';
import { BasePage } from '../pages/base.ts';
import { visitConsole } from '../pages/console.ts';
import { answerPush, ownNumber } from '../pages/phone.ts';

let target = () => fixture.app.url;
/** The line between the browser and the gateway. A test cuts it, holds it, or leads it to another release. */
const line = await startProxy(() => target());
afterAll(line.stop);
const fixture = openBrowserFixture({ env: { PUBLIC_URL: line.url } });

beforeEach(() => {
  target = () => fixture.app.url;
});

const NO_LINE = /ERR_(CONNECTION_|INTERNET_DISCONNECTED|EMPTY_RESPONSE|FAILED|ABORTED)/;
const NUMBER = '923456789';

const field = (page: Page) => page.getByLabel('Montante em kwanzas');
const chargeButton = (page: Page) => page.locator('form').getByRole('button', { name: 'Cobrar' });
const note = (page: Page) => page.locator('[data-connection] .notice:visible');
const waiting = (page: Page) => page.locator('.waiting');
const isControlled = () => !!navigator.serviceWorker.controller;

/** Signs in, and opens the till with a worker that controls it. */
async function openTill(options: VisitOptions = {}): Promise<Page> {
  const page = await visitConsole(fixture, { serviceWorkers: 'allow', expected: NO_LINE, ...options });
  // A page that opens while the worker starts has no worker. The next page has.
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await page.goto(`${line.url}/console/charge`);
  // If the answer takes a second, the worker shows its shell, which then opens the real till.
  await expect(page.locator('[name=token]').first()).toBeAttached();
  // The browser sends a form itself until the script arrives, which also shows the keys.
  await expect(page.getByRole('group', { name: 'Teclas' })).toBeVisible();
  expectValue(await page.evaluate(isControlled)).toBe(true);
  return page;
}

/** Cuts the line until the test ends, or calls the returned function. */
async function cutLine(): Promise<() => Promise<void>> {
  await line.stop();
  let isCut = true;
  const repair = async () => {
    if (isCut) await line.start();
    isCut = false;
  };
  onTestFinished(repair);
  return repair;
}

async function typeCharge(page: Page, amount: string, number = NUMBER): Promise<void> {
  await field(page).fill(amount);
  await page.getByLabel(/Telemóvel do cliente/).fill(number);
}

const countPayments = async () => (await fixture.app.sql<{ n: number }>('select count(*)::int n from payments'))[0]!.n;

/** Every address and text in the caches of the browser. */
const readCaches = (page: Page) =>
  page.evaluate(async () => {
    const found: { cache: string; path: string; text: string }[] = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        const { pathname, search } = new URL(request.url);
        found.push({ cache: name, path: pathname + search, text: await (await cache.match(request))!.text() });
      }
    }
    return found;
  });

test('Chromium finds no fault in the manifest of the console', async () => {
  const page = await openTill();
  const devtools = await page.context().newCDPSession(page);
  const { errors, data, url } = await devtools.send('Page.getAppManifest');
  expectValue(errors).toEqual([]);
  expectValue(url).toBe(`${line.url}/console/manifest.webmanifest?start=/console/today`);
  expectValue(JSON.parse(data!)).toMatchObject({ scope: '/console/', start_url: '/console/today' });
});

test('the worker keeps two pages and one script of one build, without data of the visitor', async () => {
  const page = await openTill();
  const secrets = await page.evaluate(() => [
    document.querySelector<HTMLInputElement>('[name=token]')!.value,
    document.querySelector<HTMLInputElement>('[name=key]')!.value,
    ...[...document.querySelectorAll('.who > *')].map(({ textContent }) => textContent!),
  ]);
  expectValue(secrets.length).toBe(4);
  await typeCharge(page, '7351');
  await chargeButton(page).click();
  await expect(page.locator('.amount')).toHaveText(/7.351,00.Kz/);
  const kept = await readCaches(page);
  const [{ cache } = { cache: '' }] = kept;
  const version = /^balcao-([\w-]+)\?lang=pt$/.exec(cache)?.[1];
  expectValue(kept.map((each) => each.cache)).toEqual([cache, cache, cache]);
  expectValue(kept.map(({ path }) => path.replace(/-[\w-]+\.js$/, '.js')).sort()).toEqual([
    '/assets/shell.js',
    `/console/shell/${version}/away?lang=pt`,
    `/console/shell/${version}/till?lang=pt`,
  ]);
  for (const { path, text } of kept)
    for (const secret of [...secrets, NUMBER, '7351', 'name="token"'])
      expectValue([path, secret, text.includes(secret)]).toEqual([path, secret, false]);
});

test('a till without a line opens and reports an unsent charge, which one press sends after the line is back', async () => {
  const page = await openTill();
  const before = await countPayments();
  const repair = await cutLine();
  await page.goto(`${line.url}/console/charge`);
  await expect(waiting(page)).toBeVisible();
  await page.getByRole('button', { name: '4', exact: true }).click();
  await page.getByRole('button', { name: '2', exact: true }).click();
  await page.getByLabel(/Telemóvel do cliente/).fill(NUMBER);
  await chargeButton(page).click();
  await expect(note(page)).toContainText('Ainda não pedido.');
  await repair();
  await expect(waiting(page)).toHaveCount(0);
  await expect(field(page)).toHaveValue('42');
  await expect(page.getByLabel(/Telemóvel do cliente/)).toHaveValue(NUMBER);
  await expect(note(page)).toContainText('Ainda não pedido. Já há rede');
  expectValue(await countPayments()).toBe(before);
  expectValue(new URL(page.url()).search).toBe('');
  await chargeButton(page).click();
  await expect(page.locator('.amount')).toHaveText('42,00 Kz');
  expectValue(await countPayments()).toBe(before + 1);
});

test('an open till reports an unsent charge without a line, and one press sends it after the line is back', async () => {
  const page = await openTill();
  const before = await countPayments();
  await typeCharge(page, '43');
  await page.context().setOffline(true);
  await chargeButton(page).click();
  await expect(note(page)).toContainText('Ainda não pedido. Sem rede');
  await page.context().setOffline(false);
  await expect(note(page)).toContainText('Já há rede');
  expectValue(await countPayments()).toBe(before);
  await chargeButton(page).click();
  await expect(page.locator('.amount')).toHaveText('43,00 Kz');
  expectValue(await countPayments()).toBe(before + 1);
});

describe('a charge whose answer is lost', () => {
  /** Sends a charge, and cuts the line after the gateway has answered. */
  async function loseAnswer(amount: string, options: VisitOptions = {}) {
    const page = await openTill(options);
    await typeCharge(page, amount);
    const count = (wanted: string) => line.seen.filter(({ method }) => method === wanted).length;
    const [asked, sent] = [count('HEAD'), count('POST')];
    line.holdAt('answer');
    await chargeButton(page).click();
    // The page tries the line first.
    await expect.poll(() => count('HEAD') > asked && line.held() > 0).toBe(true);
    line.release();
    await expect.poll(() => count('POST') > sent && line.held() > 0).toBe(true);
    line.holdAt(null);
    // Browsers repeat a request whose connection broke, so that a single broken connection would lose no answer.
    const repair = await cutLine();
    await expect(note(page)).toContainText('Não se sabe se foi pedido.');
    return { page, repair };
  }

  test('is found by the next press, which asks for no second payment', async () => {
    const before = await countPayments();
    const { page, repair } = await loseAnswer('44');
    await repair();
    expectValue(await countPayments()).toBe(before + 1);
    await chargeButton(page).click();
    await expect(page.locator('.amount')).toHaveText('44,00 Kz');
    expectValue(await countPayments()).toBe(before + 1);
  });

  test('is found after the page was opened again without a line', async () => {
    const before = await countPayments();
    const { page, repair } = await loseAnswer('45');
    await page.reload();
    await expect(waiting(page)).toBeVisible();
    await expect(note(page)).toContainText('Não se sabe se foi pedido.');
    await repair();
    await expect(waiting(page)).toHaveCount(0);
    await expect(note(page)).toContainText('Não se sabe se foi pedido.');
    await chargeButton(page).click();
    await expect(page.locator('.amount')).toHaveText('45,00 Kz');
    expectValue(await countPayments()).toBe(before + 1);
  });

  test('is found although the browser ended the page twice without `pagehide`', async () => {
    const before = await countPayments();
    const { page, repair } = await loseAnswer('57');
    await repair();
    const stopEvent = () => addEventListener('pagehide', (event) => event.stopImmediatePropagation(), true);
    await page.evaluate(stopEvent);
    await page.addInitScript(stopEvent);
    for (let nth = 0; nth < 2; nth++) {
      await page.reload();
      await expect(page.locator('[name=token]').first()).toBeAttached();
      await expect(note(page)).toContainText('Não se sabe se foi pedido.');
    }
    await chargeButton(page).click();
    await expect(page.locator('.amount')).toHaveText('57,00 Kz');
    expectValue(await countPayments()).toBe(before + 1);
  });

  test('refuses another amount under its key', async () => {
    const { page, repair } = await loseAnswer('46', { expected: /\b422\b|ERR_/ });
    await repair();
    const before = await countPayments();
    await field(page).fill('47');
    await chargeButton(page).click();
    await expect(page.locator('.notice.danger')).toContainText('já foi enviado com outros dados');
    expectValue(await countPayments()).toBe(before);
  });
});

test.each([429, 502, 503])('a charge that a proxy answers with %i is found by the next press', async (status) => {
  const page = await openTill({ expected: new RegExp(`\\b${status}\\b`) });
  const before = await countPayments();
  onTestFinished(() => line.spoil(null));
  line.spoil(({ method }) => {
    const answer = { status, headers: { 'content-type': 'text/html' }, body: '<h1>Bad Gateway</h1>' };
    return method === 'POST' ? { answer, isForwarded: true } : null;
  });
  await typeCharge(page, String(status));
  await chargeButton(page).click();
  await expect(note(page)).toContainText('Não se sabe se foi pedido.');
  expectValue(await countPayments()).toBe(before + 1);
  line.spoil(null);
  await chargeButton(page).click();
  await expect(page.locator('.amount')).toHaveText(`${status},00 Kz`);
  expectValue(await countPayments()).toBe(before + 1);
});

test('a refusal of the gateway with 503 comes from the form that the browser sends', async () => {
  const page = await openTill({ expected: /\b503\b/ });
  onTestFinished(() => line.spoil(null));
  line.spoil(({ method }, nth) => {
    const answer = { status: 503, headers: { 'x-balcao-refused': 'rail_unavailable' } };
    return method === 'POST' && nth === 1 ? { answer } : null;
  });
  await typeCharge(page, '504');
  await chargeButton(page).click();
  await expect(page.locator('.amount')).toHaveText('504,00 Kz');
});

describe('a till with articles and cash', () => {
  beforeAll(async () => {
    await setTakesCash(fixture.app, DEMO.merchantId, true);
    await fixture.app.call('/api/articles', { body: { name: 'Café', price: 350, currency: 'AOA' } });
  });

  test('keeps its articles while the line is away, and charges them once', async () => {
    const page = await openTill();
    const before = await countPayments();
    const coffee = page.getByRole('button', { name: /Café/ }).first();
    await coffee.click();
    await coffee.click();
    await page.getByLabel('Referência').check();
    await page.context().setOffline(true);
    await chargeButton(page).click();
    await expect(note(page)).toContainText('Ainda não pedido.');
    await page.reload();
    await expect(waiting(page)).toBeVisible();
    await expect(field(page)).toHaveValue('700');
    await page.context().setOffline(false);
    await expect(waiting(page)).toHaveCount(0);
    await expect(field(page)).toHaveValue('700');
    await chargeButton(page).click();
    await expect(page.locator('.amount')).toHaveText('700,00 Kz');
    expectValue(await countPayments()).toBe(before + 1);
    const described = await fixture.app.sql(`select id from payments where description = '2 × Café'`);
    expectValue(described.length).toBe(1);
  });

  test('records a cash sale once, although the script and the browser both send it', async () => {
    const page = await openTill();
    await page.goto(`${line.url}/console/shifts`);
    await page.getByLabel('Fundo de caixa').fill('0');
    await page.getByRole('button', { name: 'Abrir turno' }).click();
    await page.goto(`${line.url}/console/charge`);
    await field(page).fill('53');
    await page.locator('input[value=cash]').check();
    await chargeButton(page).click();
    await expect(page.locator('main')).toContainText(/53,00.Kz/);
    await expect(field(page)).toHaveCount(0);
    const rows = await fixture.app.sql(`select * from cash_entries where amount_minor = 5300`);
    expectValue(rows.length).toBe(1);
  });
});

test('a slow connection shows the shell after a second, then the real till with the typed amount', async () => {
  const page = await openTill();
  line.holdAt('request');
  await page.goto(`${line.url}/console/charge`);
  await expect(waiting(page)).toBeVisible();
  await field(page).fill('48');
  line.holdAt(null);
  line.release();
  await expect(page.locator('[name=token]').first()).toBeAttached();
  await expect(field(page)).toHaveValue('48');
  await expect(note(page)).toHaveCount(0);
});

test('another screen without a line says so, and opens when the line is back', async () => {
  const page = await openTill();
  const repair = await cutLine();
  await page.goto(`${line.url}/console/payments`);
  await expect(page.getByRole('heading', { name: 'Sem rede' })).toBeVisible();
  await repair();
  await expect(page.getByRole('heading', { name: 'Pagamentos' })).toBeVisible();
});

test('a form that the server refuses shows the refusal at its field', async () => {
  const page = await openTill({ expected: /\b400\b/ });
  await field(page).fill('0');
  await chargeButton(page).click();
  await expect(page.locator('#charge-amount-error')).toBeVisible();
});

test('the till works as before without a worker', async () => {
  const page = await visitConsole(fixture);
  await page.goto(`${line.url}/console/charge`);
  await typeCharge(page, '49');
  await chargeButton(page).click();
  await expect(page.locator('.amount')).toHaveText('49,00 Kz');
  expectValue(await page.evaluate(isControlled)).toBe(false);
});

describe('an upgrade', () => {
  const OLD = 'Montante em kwanzas';
  const NEW = 'Montante da nova versão';

  test('shows the new release, deletes the old shell, and keeps the charge of an open till', async () => {
    const page = await openTill();
    const number = ownNumber();
    await typeCharge(page, '50', number);
    await chargeButton(page).click();
    await expect(page.locator('.amount')).toHaveText('50,00 Kz');
    const open = await page.context().newPage();
    await open.goto(`${line.url}/console/charge`);
    await open.getByLabel(OLD).fill('51');
    const [old] = await readCaches(page);
    const next = await fixture.app.startTwin({ distDir: makeNextBuild([OLD, NEW]) });
    target = () => next.url;
    // The page of the old build charges at the new one.
    await open.getByLabel(/Telemóvel do cliente/).fill(NUMBER);
    await chargeButton(open).click();
    await expect(open.locator('.amount')).toHaveText('51,00 Kz');
    await open.goto(`${line.url}/console/charge`);
    await expect(open.getByLabel(NEW)).toBeVisible();
    await expect.poll(async () => (await readCaches(open)).map(({ cache }) => cache)).not.toContain(old!.cache);
    await expect.poll(async () => (await readCaches(open)).length).toBe(3);
    const id = new URL(page.url()).pathname.split('/').at(-1)!;
    await answerPush(fixture.app, number, 'approve');
    await travelToStatus(fixture.app, id, 'Paid');
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Comprovativo' })).toBeVisible();
    await expect(page.locator('.amount')).toHaveText('50,00 Kz');
    await cutLine();
    await open.goto(`${line.url}/console/charge`);
    await expect(waiting(open)).toBeVisible();
    await expect(open.getByLabel(NEW)).toBeVisible();
  });
});

test('the sign-out deletes the worker, its shell and an unsent charge, and no setting of the device', async () => {
  const page = await openTill();
  expectValue((await readCaches(page)).length).toBe(3);
  await page.evaluate(() => localStorage.setItem('setting', 'kept'));
  await typeCharge(page, '52');
  await page.context().setOffline(true);
  await chargeButton(page).click();
  await expect(note(page)).toContainText('Ainda não pedido.');
  await page.context().setOffline(false);
  await page.goto(`${line.url}/console/account`);
  await page.getByRole('button', { name: 'Terminar sessão' }).click();
  await expect(page.getByLabel('Palavra-passe')).toBeVisible();
  await expect.poll(() => readCaches(page)).toEqual([]);
  const left = () => navigator.serviceWorker.getRegistrations().then((each) => [each.length, sessionStorage.length]);
  expectValue(await page.evaluate(left)).toEqual([0, 0]);
  expectValue(await page.evaluate(() => localStorage.getItem('setting'))).toBe('kept');
});

test.each(['till', 'away'])('the shell’s page %s has no axe violations and no sideways scrolling', async (name) => {
  const page = await openTill();
  const found = (await readCaches(page)).find(({ path }) => path.includes(`/${name}?`))!;
  await cutLine();
  await page.goto(`${line.url}/console/${name === 'till' ? 'charge' : 'payments'}`);
  expectValue(found.text).toContain('<h1');
  await new BasePage(page).expectAccessible();
});
