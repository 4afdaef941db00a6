// The files of the installed console, which need no session, and a charge that the page's script sends.
import { createHash } from 'node:crypto';
import { PNG } from 'pngjs';
import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { MANIFEST, TOUCH_ICON, WORKER } from '../../../shared/install.ts';
import { LANGUAGES } from '../../../shared/language.ts';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { enterConsole, formTokenIn, type Visit } from '../../support/console.ts';
import { addMember } from '../../support/members.ts';
import { create, webframe } from '../../support/payments.ts';

let app: TestApp;
let cashier: Visit;
beforeAll(async () => {
  app = await startTestApp();
  cashier = await enterConsole(app, await addMember(app, { merchantId: DEMO.merchantId, role: 'Cashier' }));
});

const open = (path: string, headers: Record<string, string> = {}) => app.call(path, { token: null, headers });
const readBytes = async (path: string) => Buffer.from(await (await fetch(app.url + path)).arrayBuffer());
const policyOf = ({ headers }: Reply) => headers.get('content-security-policy');

describe('the manifest', () => {
  test('names the console, its start and its icons, each of its size', async () => {
    const { status, headers, json } = await open(MANIFEST);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/manifest+json; charset=utf-8']);
    const { icons, ...about } = json;
    expect(about).toMatchObject({
      name: 'Balcão',
      short_name: 'Balcão',
      lang: 'pt',
      id: '/console/',
      scope: '/console/',
      start_url: '/console/charge',
      display: 'standalone',
    });
    const shapes = icons.map(({ type, sizes, purpose = 'any' }: Record<string, string>) => [type, sizes, purpose]);
    expect(shapes).toEqual([
      ['image/svg+xml', 'any', 'any'],
      ['image/png', '192x192', 'any'],
      ['image/png', '512x512', 'any'],
      ['image/png', '512x512', 'maskable'],
      ['image/png', '180x180', 'maskable'],
    ]);
    for (const { src, type, sizes } of icons.slice(1)) {
      expect((await open(src)).headers.get('content-type')).toBe(type);
      const { width, height } = PNG.sync.read(await readBytes(src));
      expect(`${width}x${height}`).toBe(sizes);
    }
  });

  test.each([
    ['/console/today', '/console/today'],
    ['https://evil.example/', '/console/charge'],
    ['/console/../api', '/console/charge'],
  ])('starts at a screen of the console only: %s', async (start, expected) => {
    expect((await open(`${MANIFEST}?start=${encodeURIComponent(start)}`)).json.start_url).toBe(expected);
  });

  test('is on the pages of a signed-in person, with the start of the role', async () => {
    const { text } = await cashier.open('/console/payments');
    expect(text).toContain(`<link rel="manifest" href="${MANIFEST}?start=/console/charge"/>`);
    expect(text).toContain(`<link rel="apple-touch-icon" href="${TOUCH_ICON}"/>`);
  });
});

/** The addresses that the worker keeps, from its first line. */
async function readShell(): Promise<{ version: string; till: string; away: string; script: string }> {
  const [, names = ''] = /^const SHELL=(.*);\n/.exec((await open(WORKER)).text) ?? [];
  return JSON.parse(names);
}

describe('the worker', () => {
  test('is kept by no cache without a check, and may ask only this gateway', async () => {
    const reply = await open(WORKER);
    expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    expect(policyOf(reply)).toBe("default-src 'none'; connect-src 'self'");
  });

  test('keeps pages that are equal for every visitor and have no form token', async () => {
    const { till, away, script } = await readShell();
    expect((await open(script)).status).toBe(200);
    for (const lang of LANGUAGES)
      for (const path of [till, away]) {
        const [stranger, visitor] = [await open(`${path}?lang=${lang}`), await cashier.open(`${path}?lang=${lang}`)];
        expect([stranger.status, stranger.text]).toEqual([200, visitor.text]);
        expect(stranger.text).toContain(`<html lang="${lang}">`);
        expect(formTokenIn(stranger)).toBe('');
        expect(stranger.text).not.toContain('Loja da Ilha');
        expect(stranger.text.split('<script')).toHaveLength(2);
        expect(stranger.text).toContain(`src="${script}"`);
      }
  });

  test('finds no shell of another build', async () => {
    const { version, till } = await readShell();
    const other = createHash('sha256').update(version).digest('base64url').slice(0, 16);
    expect((await open(till.replace(version, other))).status).toBe(404);
  });
});

test('pages of the console may have a worker and a manifest, and pages of payers may not', async () => {
  expect(policyOf(await cashier.open('/console/charge'))).toContain("manifest-src 'self'; worker-src 'self'");
  const { clientToken } = await create(app, webframe());
  expect(policyOf(await open(`/checkout/${clientToken}`, { accept: 'text/html' }))).not.toMatch(
    /manifest-src|worker-src/,
  );
});

describe('a charge that the page’s script sends', () => {
  const AT = '/console/charge';
  const byScript = { 'x-balcao-sent': '1' };
  const fieldsOf = async (amount: string) => {
    const token = formTokenIn(await cashier.open(AT));
    return { act: 'charge', token, key: crypto.randomUUID(), amount, way: 'push', phone: '900000000' };
  };

  test('answers 201 with the address of the payment, and the same address to a repeat', async () => {
    const fields = await fieldsOf('12');
    const [first, again] = [await cashier.post(AT, fields, byScript), await cashier.post(AT, fields)];
    expect([first.status, again.status]).toEqual([201, 303]);
    expect(first.headers.get('location')).toMatch(/^\/console\/charge\/[0-9a-f-]{36}\?done=charge$/);
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
  });

  test('is refused like the form itself', async () => {
    const wrong = await cashier.post(AT, await fieldsOf('0'), byScript);
    expect([wrong.status, wrong.headers.get('location')]).toEqual([400, null]);
    expect(wrong.headers.get('x-balcao-refused')).toBe('amount_out_of_range');
    const foreign = await cashier.post(AT, await fieldsOf('12'), { ...byScript, origin: 'https://evil.example' });
    expect([foreign.status, foreign.headers.get('location')]).toEqual([403, null]);
  });
});
