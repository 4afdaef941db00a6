// QR images: read back by another library, as a camera would, and drawn so that every screen and printer shows them.
import { PNG } from 'pngjs';
import decodeQR from 'qr/decode.js';
import { describe, expect, test } from 'vitest';
import { QR_SIZES } from '../../../../shared/methods.ts';
import { drawQrPng, drawQrSvg } from '../../../../server/payments/qr/image.ts';

const CONTENT = '00020101021226400014ao.emis.gpo0118demo-merchant-00012520454995303973540715000.005802AO6304ABCD';

describe('the PNG', () => {
  test.each(Object.entries(QR_SIZES))('%s is %i px wide and reads back', (_, sizePx) => {
    const { width, height, data } = PNG.sync.read(drawQrPng(CONTENT, sizePx));
    expect([width, height]).toEqual([sizePx, sizePx]);
    expect(decodeQR({ width, height, data })).toBe(CONTENT);
  });
  test('is white at the edges and dark inside, module by module alike', () => {
    const { width, data } = PNG.sync.read(drawQrPng('https://balcao.example/1', 300));
    const colourAt = (x: number, y: number) =>
      data.subarray((y * width + x) * 4, (y * width + x) * 4 + 3).toString('hex');
    const row = Array.from({ length: width }, (_, x) => colourAt(x, width / 2));
    expect(new Set(row)).toEqual(new Set(['ffffff', '1b1b1b']));
    const runs = row
      .join(' ')
      .match(/([0-9a-f]{6})( \1)*/g)!
      .map((run) => run.split(' ').length);
    const [first, ...inner] = runs.slice(0, -1);
    const scale = Math.min(...inner);
    expect(inner.every((run) => run % scale === 0)).toBe(true);
    expect(first).toBeGreaterThanOrEqual(4 * scale);
  });
  test('is larger than asked where the code would not fit, and the same bytes each time', () => {
    const long = 'https://balcao.example/'.padEnd(1_500, 'x');
    const png = drawQrPng(long, 150);
    expect(drawQrPng(long, 150)).toEqual(png);
    const { width } = PNG.sync.read(png);
    expect(width).toBeGreaterThan(150);
    expect(width).toBeLessThan(200);
  });
});

describe('the SVG', () => {
  test('draws what the PNG draws', async () => {
    const svg = drawQrSvg(CONTENT);
    const [, edge] = /viewBox="0 0 (\d+) \1"/.exec(svg) ?? [];
    const scale = 8;
    const width = Number(edge) * scale;
    const data = new Uint8Array(width * width * 4).fill(255);
    for (const [, x, y, run] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g))
      for (let row = Number(y) * scale; row < (Number(y) + 1) * scale; row++)
        data.fill(0, (row * width + Number(x) * scale) * 4, (row * width + (Number(x) + Number(run)) * scale) * 4);
    expect(decodeQR({ width, height: width, data })).toBe(CONTENT);
  });
  test('carries no style, no size and no script', () => {
    const svg = drawQrSvg(CONTENT);
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 (\d+) \1" /);
    expect(svg).not.toMatch(/style|script|width|height|&/);
    expect(svg).toContain('fill="#ffffff"');
  });
});
