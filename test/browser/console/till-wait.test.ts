// A charge while it waits: its number, its clock, other ways, and the announcement, sound and vibration of its result.
import type { Page } from 'playwright';
import { describe, expect as expectValue, test } from 'vitest';
import { expect } from '../../support/expect.ts';
import { travelToStatus } from '../../support/payments.ts';
import { visitConsole } from '../pages/console.ts';
import { answerPush, ownNumber } from '../pages/phone.ts';
import { openBrowserFixture, type VisitOptions } from '../../support/browser-fixture.ts';

const fixture = openBrowserFixture();
const VIEWS = [
  ['360 × 740', { viewport: { width: 360, height: 740 } }],
  ['1280 × 800', { viewport: { width: 1280, height: 800 } }],
] as const;

/** A slow machine opens the page seconds after the charge. */
const TIME_LEFT = /^(1:[0-3]|0:[1-5])\d$/;

const idOf = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) as string;
const grouped = (number: string) => number.replace(/(\d{3})(?=\d)/g, '$1 ');

/** Charges 300 Kz by push, and waits for the live connection. */
async function charge(options: VisitOptions = {}) {
  const page = await visitConsole(fixture, options);
  const number = ownNumber();
  await countSignals(page);
  await page.goto(`${fixture.app.node.core.publicUrl}/console/charge`);
  await page.getByLabel('Montante em kwanzas').fill('300');
  await page.getByLabel('Telemóvel do cliente').fill(number);
  await page.locator('.till form > button').click();
  if (options.javaScriptEnabled !== false) await expect(page.locator('.heard')).toHaveClass(/live/);
  const approve = async () => {
    await answerPush(fixture.app, number, 'approve');
    await travelToStatus(fixture.app, idOf(page), 'Paid');
  };
  const decline = async () => {
    await answerPush(fixture.app, number, 'decline');
    await travelToStatus(fixture.app, idOf(page), 'Failed');
  };
  return { page, number, approve, decline };
}

/** Records the browser's vibrations and tones. */
async function countSignals(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const signals: string[] = [];
    const sound = { isAllowed: true, calls: [] as string[] };
    Object.assign(window, { signals, sound });
    navigator.vibrate = (pattern) => signals.push(`vibrate ${String(pattern)}`) > 0;
    class Context {
      currentTime = 0;
      destination = {};
      createGain = () => ({ gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} }, connect() {} });
      createOscillator = () => {
        const frequency = { value: 0 };
        return { frequency, connect() {}, stop() {}, start: () => signals.push(`tone ${frequency.value}`) };
      };
      resume() {
        sound.calls.push('resume');
        return sound.isAllowed ? Promise.resolve() : new Promise(() => {});
      }
      close() {
        sound.calls.push('close');
        return Promise.resolve();
      }
    }
    Object.assign(window, { AudioContext: Context });
  });
}

type Recorded = { signals: string[]; sound: { isAllowed: boolean; calls: string[] } };

const readSignals = (page: Page) => page.evaluate(() => (window as unknown as Recorded).signals);
const readSoundCalls = (page: Page) => page.evaluate(() => (window as unknown as Recorded).sound.calls);

describe.each(VIEWS)('a charge that waits at %s', (_view, options) => {
  test('shows the number in full and the time that the customer has', async () => {
    const { page, number } = await charge(options);
    await expect(page.locator('main')).toContainText(grouped(number));
    await expect(page.getByRole('timer')).toHaveText(TIME_LEFT);
    await expect(page.locator('main')).toContainText('O cliente ainda pode aprovar este pedido');
    await expect(page.getByRole('button', { name: 'Código QR' })).toHaveCount(0);
    expectValue(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  });

  test('offers the same money in another way after a refusal, without typing', async () => {
    const { page, number, decline } = await charge(options);
    await decline();
    await expect(page.locator('main')).toContainText('o cliente recusou');
    await expect(page.getByRole('button', { name: `Enviar de novo para ${grouped(number)}` })).toBeVisible();
    const first = idOf(page);
    await page.getByRole('button', { name: 'Código QR' }).click();
    await expect(page.getByAltText('Código QR do pagamento')).toBeVisible();
    await expect(page.locator('.amount')).toHaveText('300,00 Kz');
    expectValue(idOf(page)).not.toBe(first);
    await expect(page.locator('.notice')).toHaveCount(0);
    await page.getByRole('button', { name: 'Referência' }).click();
    await expect(page.locator('main')).toContainText('Entidade');
    // A device that still shows the first request leads to the request that is valid now.
    await page.goto(`${fixture.app.node.core.publicUrl}/console/charge/${first}`);
    await page.getByRole('link', { name: 'Ver o novo pedido' }).click();
    await expect(page.locator('main')).toContainText('Este montante já está a ser cobrado de outra forma.');
  });
});

test('a charge without JavaScript shows its number and time, and another way after a refusal', async () => {
  const { page, number, decline } = await charge({ javaScriptEnabled: false });
  await expect(page.locator('main')).toContainText(grouped(number));
  await expect(page.getByRole('timer')).toHaveText(TIME_LEFT);
  await decline();
  await page.reload();
  await page.getByRole('button', { name: 'Referência' }).click();
  await expect(page.locator('main')).toContainText('Entidade');
});

describe('the result of a charge', () => {
  test('changes an assertive region and the title, and causes one sound and one vibration', async () => {
    const { page, approve } = await charge();
    const region = page.locator('#said-result');
    await expect(region).toHaveAttribute('aria-live', 'assertive');
    await expect(region).toHaveText('');
    await approve();
    await expect(region).toHaveText(/^Pago · 300,00.Kz$/);
    await expect(page).toHaveTitle(/^Pago · 300,00.Kz/);
    const once = ['vibrate 150', 'tone 880', 'tone 1320'];
    await expect.poll(() => readSignals(page)).toEqual(once);
    const isLive = page.waitForResponse((response) => response.request().headers()['x-balcao-live'] === '1');
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await isLive;
    expectValue(await readSignals(page)).toEqual(once);
  });

  test('sounds different for a refusal, without a green notice', async () => {
    const { page, decline } = await charge();
    await decline();
    await expect(page.locator('#said-result')).toHaveText(/^Recusado · o cliente recusou · 300,00.Kz$/);
    await expect.poll(() => readSignals(page)).toEqual(['vibrate 200,120,200', 'tone 196']);
    await expect(page.locator('.notice')).toHaveCount(0);
  });

  test('sounds by the context that the first touch of the page has started', async () => {
    const { page, approve } = await charge();
    expectValue(await readSoundCalls(page)).toEqual([]);
    await page.locator('.amount').click();
    expectValue(await readSoundCalls(page)).toEqual(['resume']);
    await approve();
    await expect.poll(() => readSignals(page)).toEqual(['vibrate 150', 'tone 880', 'tone 1320']);
    expectValue(await readSoundCalls(page)).toEqual(['resume', 'resume']);
  });

  test('closes a sound that the browser does not allow', async () => {
    const { page, approve } = await charge();
    await page.evaluate(() => void ((window as unknown as Recorded).sound.isAllowed = false));
    await approve();
    await expect.poll(() => readSoundCalls(page)).toEqual(['resume', 'close']);
    expectValue(await readSignals(page)).toEqual(['vibrate 150']);
  });

  test('is silent on a device that has switched the signals off', async () => {
    const { page, approve } = await charge();
    const box = page.getByLabel('Som e vibração no resultado');
    await expect(box).toBeChecked();
    await box.uncheck();
    await page.goto(`${fixture.app.node.core.publicUrl}/console/charge`);
    await expect(page.getByLabel('Som e vibração no resultado')).not.toBeChecked();
    await page.goBack();
    await expect(page.locator('.heard')).toHaveClass(/live/);
    await approve();
    await expect(page.locator('#said-result')).toHaveText(/^Pago/);
    expectValue(await readSignals(page)).toEqual([]);
  });
});
