// Screenshots of states on a phone and a desktop, light and dark, combined to contact sheets in docs/screens.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import type { BrowserFixture } from '../support/browser-fixture.ts';
import { shrinkPng } from './png.ts';

const DEVICES = {
  phone: { width: 360, height: 740, scale: 0.5, columns: 4 },
  desktop: { width: 1280, height: 800, scale: 0.35, columns: 2 },
} as const;

type Device = keyof typeof DEVICES;

const SCHEMES = ['light', 'dark'] as const;

type Picture = { method: string; state: string; device: Device; scheme: (typeof SCHEMES)[number]; src: string };

/** The screenshots that were taken so far. The contact sheets need all of them. */
const taken: Picture[] = [];

/** Takes the four screenshots of a state, and restores the page. */
export async function takePictures(page: Page, method: string, state: string): Promise<void> {
  const usual = page.viewportSize()!;
  for (const device of Object.keys(DEVICES) as Device[]) {
    const { width, height } = DEVICES[device];
    await page.setViewportSize({ width, height });
    await page.evaluate(() => scrollTo(0, 0));
    for (const scheme of SCHEMES) {
      await page.emulateMedia({ colorScheme: scheme });
      // A dialog covers the rest of its page.
      const png = await page.screenshot({ fullPage: device === 'phone' && method !== 'dialog' });
      taken.push({ method, state, device, scheme, src: `data:image/png;base64,${png.toString('base64')}` });
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(usual);
}

/** The screenshots at the top of the README, from several payment methods. */
const FIRST: [state: string, scheme: Picture['scheme']][] = [
  ['form', 'light'],
  ['waiting', 'light'],
  ['code', 'dark'],
  ['reference', 'light'],
  ['paid', 'dark'],
];

/** Writes a contact sheet for each method and device, and the sheet of the README. */
export async function writeSheets(fixture: BrowserFixture, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const method of new Set(taken.map((each) => each.method)))
    for (const device of Object.keys(DEVICES) as Device[]) {
      const pictures = taken.filter((each) => each.method === method && each.device === device);
      const { width, scale, columns } = DEVICES[device];
      const html = drawSheet(pictures, width * scale, columns);
      writeFileSync(join(folder, `${method}-${device}.png`), await print(fixture, html));
    }
  const onPhone = taken.filter(({ device }) => device === 'phone');
  const first = FIRST.map(([state, scheme]) => onPhone.find((each) => each.state === state && each.scheme === scheme));
  if (!first.every((each) => each !== undefined)) return;
  const phones = first.map(({ src }) => `<img src="${src}" width="226">`).join('');
  writeFileSync(join(folder, 'checkout.png'), await print(fixture, `<div class="phones">${phones}</div>`));
}

const CSS = `
  body { margin: 0; width: max-content; background: #ece8df; font: 13px system-ui, sans-serif; color: #1b1a17 }
  main { display: grid; gap: 20px 16px; padding: 16px }
  figure { margin: 0 } figcaption { padding-bottom: 4px; font-weight: 600 }
  .pair { display: flex; gap: 4px; align-items: flex-start }
  img { display: block; border-radius: 6px }
  .phones { display: flex; gap: 12px; padding: 16px; height: 464px; overflow: hidden }
  .phones img { align-self: flex-start }`;

function drawSheet(pictures: Picture[], width: number, columns: number): string {
  const states = [...new Set(pictures.map(({ state }) => state))];
  const figures = states.map((state) => {
    const pair = pictures.filter((each) => each.state === state);
    const images = pair.map(({ src }) => `<img src="${src}" width="${width}">`);
    return `<figure><figcaption>${state}</figcaption><div class="pair">${images.join('')}</div></figure>`;
  });
  const fitting = Math.min(columns, states.length);
  return `<main style="grid-template-columns: repeat(${fitting}, max-content)">${figures.join('')}</main>`;
}

/** A long timeout, because a large sheet has a hundred screenshots. */
const SHEET_MS = 60_000;

/** Renders HTML in a new page and takes a screenshot of the last element. */
export async function print(fixture: BrowserFixture, content: string): Promise<Buffer> {
  const page = await fixture.visit();
  await page.setContent(`<style>${CSS}</style>${content}`);
  const png = await page.locator('body > :last-child').screenshot({ timeout: SHEET_MS });
  await page.close();
  return shrinkPng(png);
}
