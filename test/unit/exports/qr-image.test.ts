import { PNG } from 'pngjs';
import decodeQR from 'qr/decode.js';
import { describe, expect, test } from 'vitest';
import { QR_SIZES } from '../../../shared/methods.ts';
import { drawQrPng, drawQrSvg } from '../../../server/exports/qr-image.ts';

const CONTENT = '00020101021226400014ao.emis.gpo0118demo-merchant-00012520454995303973540715000.005802AO6304ABCD';

describe('the PNG of a QR code', () => {
  test.each(Object.entries(QR_SIZES))('of size %s is %i px wide, and decodes to its content', (_, sizePx) => {
    const { width, height, data } = PNG.sync.read(drawQrPng(CONTENT, sizePx));
    expect([width, height]).toEqual([sizePx, sizePx]);
    expect(decodeQR({ width, height, data })).toBe(CONTENT);
  });
  test('has white margins, dark modules and modules of equal size', () => {
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
  test('is larger than its size if the content does not fit, and has the same bytes each time', () => {
    const long = 'https://balcao.example/'.padEnd(1_500, 'x');
    const png = drawQrPng(long, 150);
    expect(drawQrPng(long, 150)).toEqual(png);
    const { width } = PNG.sync.read(png);
    expect(width).toBeGreaterThan(150);
    expect(width).toBeLessThan(200);
  });
});

describe('the SVG of a QR code', () => {
  test('decodes to the same content as the PNG', async () => {
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
  test('contains no style, size or script', () => {
    const svg = drawQrSvg(CONTENT);
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 (\d+) \1" /);
    expect(svg).not.toMatch(/style|script|width|height|&/);
    expect(svg).toContain('fill="#ffffff"');
  });
});
