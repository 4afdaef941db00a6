// What travels over a slow line: every screen of the page in one response, its script, the widget; compressed as served.
import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { LANGS } from '../shared/checkout.ts';
import { PAYMENT_STATUSES } from '../shared/status.ts';
import { everyState, withTexts } from '../test/support/checkout.ts';
import { consoleRender, drawnOf, listOf } from '../test/support/console-drawn.ts';
import { weigh, type Row } from './table.ts';

const DIST = new URL('../dist/', import.meta.url);
const TOKEN = 'AZbn1mHgcNqOv0xw7gHkYQ.q0m2Yx8v3R1ZpL6nT4uJ9sKdWfEbAhCiGoQlXyVzUwM';

export async function benchBytes(): Promise<Row[]> {
  const { renderCheckout } = await import(new URL('ssr/render.js', DIST).href);
  const manifest = JSON.parse(read('client/manifest.json').toString('utf8'));
  const script = `${manifest['checkout/main.tsx'].file}`;
  const pages = LANGS.flatMap((lang) =>
    everyState(lang).map(([, session]) =>
      compressedBytes(renderCheckout({ session: withTexts(session), token: TOKEN, script: `/${script}` }), 5),
    ),
  );
  const list = consoleRender.renderScreen('/console/payments', drawnOf(listOf(PAYMENT_STATUSES)), `/${script}`);
  const scripts = ['console/live.client.ts', 'console/islands/mount.tsx'].map((source) =>
    compressedBytes(read(`client/${manifest[source].file}`), 11),
  );
  return [
    weigh('list of 25 payments at the console, one response, brotli 5', compressedBytes(list, 5), 25_000),
    weigh(
      'script of the console with its islands, brotli 11',
      scripts.reduce((sum, bytes) => sum + bytes, 0),
      30_000,
    ),
    weigh(`largest of ${pages.length} checkout screens, one response, brotli 5`, Math.max(...pages), 5_000),
    weigh('script of the checkout page, brotli 11', compressedBytes(read(`client/${script}`), 11), 13_900),
    weigh('widget.js (both elements), brotli 11', compressedBytes(read('widget/widget.js'), 11), 16_500),
    weigh('loader.js of the widget, brotli 11', compressedBytes(read('widget/widget/loader.js'), 11), 1_500),
  ];
}

/** Pages are compressed for each request (5), files once in the build (11). */
function compressedBytes(content: string | Buffer, quality: number): number {
  return brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }).length;
}

function read(file: string): Buffer {
  return readFileSync(new URL(file, DIST));
}
