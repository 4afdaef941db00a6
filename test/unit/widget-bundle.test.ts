// The built widget: one small script, and one small module with its types.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';

const dist = (file: string) => fileURLToPath(new URL(`../../dist/widget/${file}`, import.meta.url));

describe.each(['widget.js', 'widget.mjs'])('%s', (name) => {
  const code = readFileSync(dist(name), 'utf8');
  test('is at most 10 kB', () => {
    expect(brotliCompressSync(code).length).toBeLessThanOrEqual(10_000);
  });
  test('holds no validation library, and fetches nothing of its own', () => {
    expect(code).not.toMatch(/zod|ZodError|invalid_type/i);
    expect(code).not.toMatch(/\bimport\(|@import|url\(/);
  });
});

test('the module can be imported where there is no page', async () => {
  const widget = await import(dist('widget.mjs'));
  expect(Object.keys(widget)).toEqual(['mount']);
  expect(existsSync(dist('widget.d.ts'))).toBe(true);
});
