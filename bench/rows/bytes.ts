// Compressed size of the page, its script and the widget, as the gateway sends them. The floor is a limit.
import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { LANGS } from '../../shared/checkout.ts';
import { everyState, withTexts } from '../../test/support/checkout.ts';
import type { Row } from '../kit/table.ts';

const DIST = new URL('../../dist/', import.meta.url);
const TOKEN = 'AZbn1mHgcNqOv0xw7gHkYQ.q0m2Yx8v3R1ZpL6nT4uJ9sKdWfEbAhCiGoQlXyVzUwM';
/** Compression levels. Responses are compressed for each request, files only once in the build. */
const QUALITY = { response: 5, file: 11 };

export async function openBytes(): Promise<Row[]> {
  const { renderCheckout } = await import(new URL('ssr/render.js', DIST).href);
  const manifest = JSON.parse(readDist('client/manifest.json').toString('utf8'));
  const script = `${manifest['checkout/main.tsx'].file}`;
  const screens = LANGS.flatMap((lang) =>
    everyState(lang).map(([, session]) =>
      sizeOf(renderCheckout({ session: withTexts(session), token: TOKEN, script: `/${script}` }), QUALITY.response),
    ),
  );
  const fileSize = (path: string) => sizeOf(readDist(path), QUALITY.file);
  return [
    rowOf(`largest of ${screens.length} checkout screens, one response ÷ its limit`, Math.max(...screens), 5_000),
    rowOf('script of the checkout page ÷ its limit', fileSize(`client/${script}`), 13_900),
    rowOf('widget.js, both elements ÷ its limit', fileSize('widget/widget.js'), 16_500),
    rowOf('loader.js of the widget ÷ its limit', fileSize('widget/widget/loader.js'), 1_500),
  ];
}

function rowOf(name: string, size: number, limit: number): Row {
  return { name, unit: 'B', target: { atMost: 1 }, rounds: 1, measure: () => size, floor: () => limit };
}

function sizeOf(content: string | Buffer, quality: number): number {
  return brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }).length;
}

function readDist(file: string): Buffer {
  return readFileSync(new URL(file, DIST));
}
