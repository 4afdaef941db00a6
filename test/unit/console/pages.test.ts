import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { listConnectors } from '../../../server/rails/connectors.ts';
import type { SignInView } from '../../../shared/console.ts';
import { LANGUAGES, type Language } from '../../../shared/language.ts';
import { STANDINGS } from '../../../shared/standing.ts';
import { TEXT_GROUPS } from '../../../console/words.ts';
import { listFiles, readText } from '../../support/source.ts';
import { consoleRender, pageOf, dayOf, listOf, paymentOf, settlementOf, smsOf, smsSureOf } from './page-props.ts';

const brotli = (text: string | Buffer, quality: number) =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }).length;

const { renderScreen, renderSignIn, renderShell, renderMissing, renderTrouble, renderUnknownOutcome, styles, screens } =
  consoleRender;
const SCRIPT = '/assets/console-0a1b2c3d.js';
const signIn = {
  sandbox: true,
  email: 'ana@exemplo.ao',
  mfaToken: '',
  to: '/console',
  isCrossSite: true,
  wrong: 'password',
  kept: null,
  script: null,
} satisfies Partial<SignInView>;

const failed = {
  act: 'charge',
  code: 'internal_error',
  wrong: {},
  faults: [],
  extra: {},
  typed: { amount: '1500' },
  requestId: 'a1',
};

const renderSure = (text: string, lang: Language) => {
  const formResult = smsSureOf(text);
  return renderScreen('/console/sms/send', pageOf(smsOf(text)['/console/sms/send'], lang, { formResult }), SCRIPT);
};

/** The rail account form with the most fields, as its connector declares them. */
const contractOf = (lang: Language): Parameters<typeof pageOf> => {
  const connectors = { data: listConnectors() };
  const opened = { params: {}, query: { new: 'appypay.gpo' } };
  return [{ accounts: { data: [] }, connectors }, lang, { opened }];
};

describe.each(LANGUAGES)('the console in %s', (lang) => {
  const { visitor } = pageOf({}, lang);
  const pages: [name: string, html: string][] = [
    ['payments', renderScreen('/console/payments', pageOf(listOf(STANDINGS), lang), SCRIPT)],
    ['a payment', renderScreen('/console/payments/{paymentId}', pageOf(paymentOf('CAFE123'), lang), SCRIPT)],
    ['a settlement', renderScreen('/console/books/{settlementId}', pageOf(settlementOf('TRF 1'), lang), SCRIPT)],
    ['the close of a day', renderScreen('/console/books/days/{day}', pageOf(dayOf('TRF 1'), lang), SCRIPT)],
    ['a new contract', renderScreen('/console/rails', pageOf(...contractOf(lang)), SCRIPT)],
    ['the sign-in page', renderSignIn({ ...signIn, lang, step: 'password' })],
    ['the second step', renderSignIn({ ...signIn, lang, step: 'code', mfaToken: 'x', wrong: 'code' })],
    ['the page for a missing address', renderMissing(lang, visitor)],
    ['the page for a missing address without a session', renderMissing(lang)],
    ...Object.entries(smsOf('CAFE123')).map(([path, data]): [string, string] => [
      path,
      renderScreen(path, pageOf(data, lang), SCRIPT),
    ]),
    ['a message before it is sent', renderSure('CAFE123', lang)],
    ['the error page', renderTrouble(lang, '/console/payments', visitor)],
    ['a form that failed', renderScreen('/console/charge', pageOf({}, lang, { refused: failed }), SCRIPT)],
    ['the page for an unknown outcome', renderUnknownOutcome(lang, 'a1')],
    ['the till without a line', renderShell('till', lang, SCRIPT)],
    ['the page without a line', renderShell('away', lang, SCRIPT)],
  ];

  test.each(pages)('draws %s as one document of at most 25 kB with its styles and nothing inline', (_name, html) => {
    expect(html).toMatch(new RegExp(`^<!doctype html><html lang="${lang}">`));
    expect(html).not.toMatch(/ style="| on[a-z]+="|undefined|\[object|\{\w+\}</);
    expect(html.split('<style>')[1]?.split('</style>')[0]).toBe(styles);
    expect(html.match(/<h1/g)).toHaveLength(1);
    expect(brotli(html, 5)).toBeLessThanOrEqual(25_000);
  });
});

test('a list page loads one small script, and a page with islands one more: at most 30 kB in total', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../../dist/client/manifest.json', import.meta.url), 'utf8'));
  const entry = manifest['console/live.client.ts'];
  const { imports = [], ...islands } = manifest[entry.dynamicImports];
  expect([entry.imports ?? [], imports]).toEqual([[], []]);
  const read = ({ file }: { file: string }) => readFileSync(new URL(`../../../dist/client/${file}`, import.meta.url));
  const [list, more] = [read(entry), read(islands)];
  expect(brotli(list, 11)).toBeLessThanOrEqual(3_600);
  expect(brotli(list, 11) + brotli(more, 11)).toBeLessThanOrEqual(30_000);
  expect(`${list}${more}`).not.toMatch(/ZodError|invalid_type/);
});

test('the service worker is below 2 kB, and the script of its shell below 15 kB', () => {
  const folder = new URL('../../../dist/client/', import.meta.url);
  const manifest = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8'));
  const sizeOf = (entry: string) => {
    const { file, imports = [], dynamicImports = [] } = manifest[entry];
    expect([...imports, ...dynamicImports]).toEqual([]);
    return brotli(readFileSync(new URL(file, folder)), 11);
  };
  expect(sizeOf('console/worker.ts')).toBeLessThan(2_000);
  expect(sizeOf('console/shell.client.ts')).toBeLessThan(15_000);
});

test('no console text is in two groups of texts', () => {
  const keys = TEXT_GROUPS.flatMap(({ pt }) => Object.keys(pt));
  expect(keys.filter((key, nth) => keys.indexOf(key) !== nth)).toEqual([]);
});

test('every console action has a confirmation text', () => {
  const texts = new Set(TEXT_GROUPS.flatMap(({ pt }) => Object.keys(pt)));
  const silent = screens.flatMap(({ path, acts }) =>
    Object.entries(acts).flatMap(([act, { resultPath }]) =>
      texts.has(`done.${act}`) || resultPath ? [] : [`${path} ${act}`],
    ),
  );
  expect(silent).toEqual([]);
});

test('no console screen writes raw HTML', () => {
  const files = listFiles('console/**/*.tsx');
  expect(files.length).toBeGreaterThan(30);
  expect(files.filter((path) => readText(path).includes('dangerouslySetInnerHTML'))).toEqual([]);
});

test('the close of a day marks a shift that also has movements of other days', () => {
  const html = renderScreen('/console/books/days/{day}', pageOf(dayOf('Ana')), SCRIPT);
  expect(html).toContain('Ana · 09:00 – … · parte deste dia');
});

test('an SMS opt-out whose phone number was erased shows no number', () => {
  const row = { id: pageOf({}).key, phone: null, source: 'reply', createdAt: '2026-03-02T09:00:00.000Z' };
  const data = { list: { data: [row], totalItems: 1, next: null } };
  expect(renderScreen('/console/sms/opt-outs', pageOf(data), SCRIPT)).toContain('Número apagado');
});

test.each(['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '</style><script>'])(
  'text of others is escaped: %s',
  (text) => {
    const drawn = pageOf(paymentOf(text));
    const visitor = { ...drawn.visitor, name: text, merchant: { id: drawn.key, name: text } };
    const opened = { params: {}, query: { q: text, done: text } };
    const html = renderScreen('/console/payments/{paymentId}', { ...drawn, visitor, opened, done: text }, SCRIPT);
    const list = renderScreen('/console/payments', { ...pageOf(listOf(['paid'])), visitor, opened }, SCRIPT);
    const entry = renderSignIn({ ...signIn, lang: 'pt', step: 'password', email: text, to: text });
    const sms = Object.entries(smsOf(text)).map(([path, data]) => renderScreen(path, pageOf(data), SCRIPT));
    const books = renderScreen('/console/books/{settlementId}', pageOf(settlementOf(text)), SCRIPT);
    for (const page of [html, list, entry, ...sms, books, renderSure(text, 'pt')]) {
      expect(page.match(/<script/g) ?? []).toHaveLength(page === entry ? 0 : 1);
      expect(page).not.toMatch(/<img/);
      expect(page).not.toContain(`="${text}`);
    }
  },
);
