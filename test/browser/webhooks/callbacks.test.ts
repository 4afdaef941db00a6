import { expect } from '../../support/expect.ts';
import { beforeEach, describe, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { until } from '../../support/app.ts';
import { creepUntil } from '../../support/payments.ts';
import { createCode, scanCode } from '../../support/qrcodes.ts';
import { AtmPage } from '../pages/atm.ts';
import { CallbacksPage } from '../pages/callbacks.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
const PLAIN: VisitOptions = { javaScriptEnabled: false };
const BOTH: [string, VisitOptions][] = [
  ['with JavaScript', {}],
  ['without', PLAIN],
];

beforeEach(async () => {
  await setMode({ mode: 'ok' });
  await fixture.app.call('/sandbox/callbacks', { method: 'DELETE', token: null });
});

describe('the sandbox page of the demo shop’s server', () => {
  test('shows the callback of a reference and the sale without a reload', async () => {
    const made = await createReference();
    const shop = await openShop();
    await expect(shop.page.getByText('Ainda não chegou nada')).toBeVisible();
    let loads = 0;
    shop.page.on('load', () => loads++);
    const atm = new AtmPage(await shop.page.context().newPage());
    await atm.open(fixture.app, made);
    await atm.pay('1 500,00 Kz');
    await atm.expectOutcome('Pagamento feito');
    await shop.page.bringToFront();
    await shop.lookFor(1);
    const firstArrival = shop.arrivals.first();
    for (const text of ['Referência paga', '1 500,00 Kz', 'Venda feita: VENDA‑1.'])
      await expect(firstArrival).toContainText(text);
    await expect(shop.count).toContainText('1 callback · 1 venda feita');
    await expect(shop.page.getByText('Ainda não chegou nada')).toHaveCount(0);
    expect(loads).toBe(0);
  });

  test('shows repeated callbacks of a QR code and one sale', async () => {
    const shop = await openShop();
    await shop.choose('Responde lixo');
    const { content, reference } = await createCode(fixture.app);
    await scanCode(fixture.app, content);
    await shop.lookFor(1);
    const latest = shop.arrivals.first();
    await expect(latest).toContainText('Código QR pago');
    await expect(latest).toContainText(reference);
    await expect(latest).toContainText('Venda feita: VENDA‑1, mas a resposta foi lixo.');
    await shop.choose('Erro 500');
    await creepUntil(fixture.app, async () => (await countArrived()) === 2, 'the second attempt');
    await shop.lookFor(2);
    await expect(latest).toContainText('2.ª tentativa');
    await expect(latest).toContainText('Não foi tratado: a loja respondeu 500.');
    await shop.way('Voltar a responder bem').click();
    await expect(shop.conduct).toContainText('Responde bem');
    fixture.app.clock.leap(40_000);
    await creepUntil(fixture.app, async () => (await countArrived()) === 3, 'the third attempt');
    await shop.lookFor(3);
    await expect(latest).toContainText('Repetido: VENDA‑1 já estava feita.');
    await expect(shop.count).toContainText('3 callbacks · 1 venda feita');
  });
});

describe.each(BOTH)('the sandbox page of the demo shop’s server %s', (_, options) => {
  test('sets the response mode of the shop, and clears the list of callbacks', async () => {
    const shop = await openShop(options);
    await expect(shop.way('Responde bem')).toHaveAttribute('aria-pressed', 'true');
    for (const [way, mode, status] of WAYS) {
      await shop.choose(way);
      expect([(await readDesk()).mode, await callShop(mode)]).toEqual([mode, status]);
    }
    await shop.way('Voltar a responder bem').click();
    await expect(shop.conduct).toContainText('Confirma logo cada callback');
    await shop.refresh();
    await expect(shop.arrivals).toHaveCount(WAYS.length);
    await shop.openExchange(shop.arrivals.first());
    for (const text of ['access-key: •••', '"refPagamento": "017756991"', '429', '"Success": false'])
      await expect(shop.arrivals.first()).toContainText(text);
    await expect(shop.arrivals.first()).not.toContainText(DEMO.accessKey);
    await shop.way('Esquecer tudo').click();
    await expect(shop.arrivals).toHaveCount(0);
    await expect(shop.count).toContainText('0 callbacks · 0 vendas feitas');
    await shop.way('Enviar um teste').click();
    await expect(shop.arrivals).toContainText('Teste recebido: não é uma venda.');
  });

  test('sets the delay of the shop’s responses in seconds', async () => {
    const shop = await openShop(options);
    await shop.seconds.fill('12');
    await shop.choose('Demora');
    await expect(shop.conduct).toContainText('Demora 12 s');
    expect(await readDesk()).toMatchObject({ mode: 'slow', delaySeconds: 12 });
    await expect(shop.seconds).toHaveValue('12');
    await shop.seconds.fill('500');
    await shop.way('Demora').click();
    expect(await shop.seconds.evaluate((input: HTMLInputElement) => input.validity.rangeOverflow)).toBe(true);
    await shop.seconds.fill('7');
    await shop.seconds.press('Enter');
    await expect(shop.conduct).toContainText('Demora 7 s');
  });
});

test('a test callback that cannot be sent shows the reason', async () => {
  await fixture.app.sql('update endpoints set deleted_at = created_at');
  const shop = await openShop({ expected: /409/ });
  await shop.way('Enviar um teste').click();
  await expect(shop.heading).toHaveText('A loja não tem endereço para callbacks');
  await shop.expectAccessible();
  await fixture.app.sql('update endpoints set deleted_at = null');
  await shop.page.getByRole('link', { name: 'Voltar ao servidor da loja' }).click();
  await shop.way('Enviar um teste').click();
  await expect(shop.arrivals).toHaveCount(1);
});

test('the page of received callbacks keeps open details and the focus when a callback arrives', async () => {
  const shop = await openShop();
  await callShop('first');
  await shop.lookFor(1);
  const first = shop.arrivals.first();
  await shop.openExchange(first);
  await shop.way('Fica calada').focus();
  await callShop('second');
  await shop.lookFor(2);
  await expect(shop.arrivals.last().getByRole('group', { name: 'Resposta' })).toBeVisible();
  await expect(shop.arrivals.first().getByRole('group', { name: 'Resposta' })).toBeHidden();
  await expect(shop.way('Fica calada')).toBeFocused();
});

test('the page of received callbacks shows a callback without a response, and one whose sender gave up', async () => {
  await setMode({ mode: 'slow', delaySeconds: 8 });
  const shop = await openShop();
  const slowCall = callShop('slowly');
  await shop.lookFor(1);
  await expect(shop.arrivals).toContainText('Venda feita: VENDA‑1, mas ainda não há resposta.');
  await fixture.app.clock.advance(8_000);
  expect(await slowCall).toBe(200);
  await shop.look();
  await expect(shop.arrivals).toContainText('Venda feita: VENDA‑1.');
  await shop.choose('Fica calada');
  const patience = new AbortController();
  const vain = callShop('in vain', {}, patience.signal).catch(() => null);
  await shop.lookFor(2);
  await expect(shop.arrivals.first()).toContainText('Ainda não há resposta.');
  patience.abort();
  await vain;
  await shop.look();
  await expect(shop.arrivals.first()).toContainText('O Balcão desistiu de esperar.');
});

test('the page of received callbacks shows that the sandbox is unreachable, and recovers', async () => {
  const shop = await openShop({ expected: /ERR_FAILED/ });
  await shop.page.route('**/sandbox/callbacks', (route) => route.abort());
  await shop.look();
  await expect(shop.offlineNote).toBeVisible();
  await shop.page.unroute('**/sandbox/callbacks');
  await shop.look();
  await expect(shop.offlineNote).toHaveCount(0);
});

test('the script of the page of received callbacks hydrates without a change, also during a poll', async () => {
  await callShop('before');
  const shop = new CallbacksPage(await fixture.visit());
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await shop.page.route('**/assets/*.js', (route) => released.then(() => route.continue()));
  await shop.page.goto(`${fixture.app.node.core.publicUrl}/sandbox/callbacks`, { waitUntil: 'commit' });
  await shop.page.waitForFunction(() => document.readyState === 'interactive');
  await shop.page.evaluate(() => {
    const changes: string[] = [];
    new MutationObserver((records) => changes.push(...records.map(({ type }) => type))).observe(document, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
    Object.assign(window, { changes });
  });
  const news = shop.page.waitForResponse((answer) => answer.request().headers()['accept'] === 'application/json');
  release();
  await news;
  await shop.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(await shop.page.evaluate(() => (window as unknown as { changes: string[] }).changes)).toEqual([]);
});

test('the page of received callbacks is accessible when it is empty and with every kind of callback', async () => {
  const shop = await openShop();
  await shop.expectAccessible();
  for (const [, mode] of WAYS) {
    await setMode({ mode });
    await callShop(mode, { montantePago: 9_999_999.99, refPagamento: '123456789012345' });
  }
  await setMode({ mode: 'ok' });
  await callShop('garbage');
  await callShop('wrong', {}, undefined, { 'access-key': 'wrong' });
  await callShop('test', {}, undefined, { 'balcao-test': 'true', 'balcao-attempt': '3' });
  await callShop('event', { type: 'payment.paid' }, undefined, { 'webhook-id': 'evt_1' });
  await setMode({ mode: 'gone' });
  await shop.refresh();
  await expect(shop.arrivals).toHaveCount(WAYS.length + 4);
  await shop.expectFocusVisible();
  await shop.openExchange(shop.arrivals.first());
  await shop.page.getByText('Endereço e chave').click();
  await shop.expectAccessible();
  await shop.expectReadableEnlarged();
});

/** The response modes without a delay, with their status. */
const WAYS = [
  ['Não confirma', 'refuse', 200],
  ['Erro 500', 'error', 500],
  ['Responde lixo', 'garbage', 200],
  ['410 Fechada', 'gone', 410],
  ['429 Ocupada', 'busy', 429],
] as const;

async function openShop(options: VisitOptions = {}): Promise<CallbacksPage> {
  const shop = new CallbacksPage(await fixture.visit(options));
  if (options.javaScriptEnabled !== false) await shop.page.clock.install();
  await shop.open(fixture.app);
  return shop;
}

async function createReference(): Promise<{ entity: string; reference: string }> {
  const { json } = await fixture.app.call('/api/references/ppr', { body: { amount: 1500, description: 'Propina' } });
  return until(async () => {
    const read = await fixture.app.call(`/api/references/ppr/${json.reference}`);
    return read.json.registeredAt ? read.json : null;
  }, 'the reference being registered');
}

/** Sends a callback like the gateway, and returns the status of the shop's response. */
async function callShop(
  id: string,
  changes: object = {},
  signal: AbortSignal | null = null,
  more: Record<string, string> = {},
): Promise<number> {
  const headers = { 'content-type': 'application/json', 'access-key': DEMO.accessKey, ...more };
  const body = JSON.stringify({ refPagamento: '017756991', montantePago: 1500, Id: id, ...changes });
  const { status } = await fetch(`${fixture.app.url}/sandbox/callbacks/hook`, {
    method: 'POST',
    headers,
    body,
    signal,
  });
  return status;
}

async function setMode(body: object): Promise<void> {
  const { status } = await fixture.app.call('/sandbox/callbacks/mode', { method: 'PUT', body, token: null });
  expect(status).toBe(200);
}

const countArrived = async () => (await readDesk()).arrivals.length;

async function readDesk(): Promise<any> {
  return (await fixture.app.call('/sandbox/callbacks', { token: null, headers: { accept: 'application/json' } })).json;
}
