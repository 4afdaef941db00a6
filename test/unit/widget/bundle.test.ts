// The built widget: size, contents, hashes, and the page for frames.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import config from '../../../vite.config.ts';
import { everyState, sessionWith, withTexts } from '../../support/checkout.ts';

const dist = (file: string) => fileURLToPath(new URL(`../../../dist/${file}`, import.meta.url));
const read = (name: string) => readFileSync(dist(`widget/${name}`), 'utf8');
const latest = JSON.parse(read('widget/latest.json')) as Record<string, { url: string; integrity: string }> & {
  version: string;
};
const VERSIONED = { script: '.js', module: '.mjs', loader: '.loader.js' };

describe.each(['widget.js', 'widget.mjs'])('the built %s', (name) => {
  const code = read(name);
  // Support for translated pages and the limit of open streams cost some 700 bytes, the page's color-scheme 100.
  test('is at most 17.4 kB', () => {
    expect(brotliCompressSync(code).length).toBeLessThanOrEqual(17_400);
  });
  test('has no validation library and no dynamic import', () => {
    expect(code).not.toMatch(/zod|ZodError|invalid_type/i);
    expect(code).not.toMatch(/\bimport\(|@import|url\(/);
  });
});

describe('the built loader', () => {
  const code = read('widget/loader.js');
  test('is at most 1.5 kB', () => {
    expect(brotliCompressSync(code).length).toBeLessThanOrEqual(1_500);
  });
  test('contains the hash of the widget’s script', () => {
    expect(code).toContain(latest['script']!.url);
    expect(code).toContain(latest['script']!.integrity);
    expect(code).not.toContain('__');
  });
});

describe('latest.json', () => {
  test.each(Object.entries(VERSIONED))('has the versioned URL and the hash of the %s', (part, ending) => {
    const { url, integrity } = latest[part]!;
    expect(url).toBe(`/widget/${latest.version}${ending}`);
    expect(integrity).toBe(
      `sha384-${createHash('sha384')
        .update(read(url.slice(1)))
        .digest('base64')}`,
    );
  });
  test('describes the newest files', () => {
    const newest = { script: 'widget.js', module: 'widget.mjs', loader: 'widget/loader.js' };
    for (const [part, file] of Object.entries(newest)) expect(read(latest[part]!.url.slice(1))).toBe(read(file));
    const { version } = JSON.parse(readFileSync(dist('../package.json'), 'utf8'));
    expect(latest.version).toMatch(new RegExp(`^${version}-[0-9a-f]{8}$`));
    expect(readdirSync(dist('widget/widget')).filter((name) => !/\.(br|gz)$/.test(name))).toHaveLength(6);
  });
});

test('the build adds the JSX element factory to component files only, in any folder', () => {
  const maker = config.plugins![0] as { transform(code: string, id: string): string | null };
  for (const drawn of ['checkout/screens/Ways.tsx', 'shared/ui/Screen.tsx', 'widget/dialog.tsx'])
    expect(maker.transform('', dist(`../${drawn}`))).toContain("from 'preact'");
  expect(maker.transform('', dist('../checkout/main.ts'))).toBe(null);
  for (const clone of [dist('../'), '/srv/checkout/balcao/'])
    expect(maker.transform('', `${clone}server/dialog.tsx`)).toBe(null);
});

test('the widget module can be imported without a DOM document', async () => {
  const widget = await import(dist('widget/widget.mjs'));
  expect(Object.keys(widget)).toEqual(['mount']);
  expect(existsSync(dist('widget/widget.d.ts'))).toBe(true);
});

describe('the checkout page in a frame', async () => {
  const { renderCheckout, stylesOf } = (await import(
    dist('ssr/render.js')
  )) as typeof import('../../../checkout/render.tsx');
  const origins = ['https://loja.example', 'https://www.loja.example'];
  const frame = { theme: 'dark', origins, script: '/assets/frame-0a1b2c3d.js' } as const;
  const render = (session = sessionWith()) =>
    renderCheckout({ session: withTexts(session), token: 'token', script: '/assets/checkout-0a1b2c3d.js', frame });

  test.each(everyState('fr'))('has at most 5 kB (%s)', (_, session) => {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
    expect(brotliCompressSync(render(session), { params }).length).toBeLessThanOrEqual(5_000);
  });
  test('contains the styles of its theme and the allowed origins', () => {
    const html = render();
    expect(html).toContain(`<style>${stylesOf(sessionWith(), 'dark')}</style>`);
    expect(html).toContain(JSON.stringify(frame));
    expect(stylesOf(sessionWith(), 'auto').startsWith(stylesOf(sessionWith()))).toBe(true);
  });
  test.each(everyState('fr'))(
    'has only links to itself in the frame, or links that open in the whole window (%s)',
    (_, session) => {
      const shown = sessionWith({ ...session, returnUrl: 'https://loja.example/', cancelUrl: 'https://loja.example/' });
      const html = render(shown).replaceAll('&amp;', '&');
      const tags = [...html.matchAll(/<(?:a|form) [^>]*>/g)].map(([tag]) => tag);
      const outside = tags.filter((tag) => !/ (href|action)="\/checkout\/token[^"]*&embed=1&theme=dark"/.test(tag));
      expect(tags.length - outside.length).toBeGreaterThan(2);
      for (const tag of outside) expect(tag).toMatch(/ target="_(top|blank)"| href="[^"?]*\?lang=fr&keep=1" download/);
      for (const [, refreshed] of html.matchAll(/;url=([^"]*)"/g))
        expect(refreshed).toBe('/checkout/token?lang=fr&embed=1&theme=dark');
    },
  );
  test.each(['light', 'dark'] as const)('has the chosen theme on any device (%s)', (theme) => {
    expect(stylesOf(sessionWith())).toContain('prefers-color-scheme');
    expect(stylesOf(sessionWith(), theme)).not.toContain('prefers-color-scheme');
    expect(stylesOf(sessionWith(), theme)).toContain(`:root{color-scheme:${theme}}`);
  });
});
