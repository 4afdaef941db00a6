import { describe, expect, test } from 'vitest';
import { drawLetter } from '../../../server/mail/write.ts';
import { composeLetter, type NewLetter } from '../../../server/mail/texts.ts';
import { LANGUAGES, type Language } from '../../../shared/language.ts';
import { describeReceipt } from '../../../shared/receipt.ts';
import { receiptData } from '../../support/receipts.ts';
import { readText } from '../../support/source.ts';

const link = 'https://pay.example/account/reset?token=abc&lang=pt';
const LETTERS: NewLetter[] = [
  { template: 'verify', values: { firstName: 'Ana', link } },
  { template: 'registered', values: { firstName: 'Ana', link } },
  { template: 'reset', values: { firstName: 'Ana', link } },
  { template: 'passwordChanged', values: { firstName: 'Ana' } },
  { template: 'invite', values: { merchant: 'Loja da Ilha, Lda.', role: 'Cashier', link } },
  { template: 'granted', values: { merchant: 'Loja da Ilha, Lda.', role: 'Owner', link } },
  { template: 'mfaEnabled', values: { firstName: 'Ana' } },
  { template: 'mfaDisabled', values: { firstName: 'Ana' } },
  { template: 'recoveryCodeUsed', values: { firstName: 'Ana', left: 3 } },
  {
    template: 'notices',
    values: {
      merchant: 'Loja da Ilha, Lda.',
      title: 'Pagamento recebido fora de tempo',
      messages: ['Chegaram 1 500,00 Kz.', 'Chegaram 2 500,00 Kz.'],
      more: 3,
      link,
      settingsLink: 'https://pay.example/console/account#notices',
    },
  },
];
LETTERS.push({ template: 'receipt', values: { receipt: describeReceipt('pt', receiptData()) } });
const EACH = LANGUAGES.flatMap((language) => LETTERS.map((letter) => [language, letter.template, letter] as const));

const drawn = (language: Language, letter: NewLetter) => {
  const composed = composeLetter(language, letter);
  return { ...composed, ...drawLetter(composed, language) };
};
const unescape = (html: string) =>
  html.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[name] ?? "'",
  );

describe.each(EACH)('the mail in %s from template %s', (language, _template, letter) => {
  const { subject, text, html, greeting, paragraphs, button, closing } = drawn(language, letter);

  test('has the same text in plain text and HTML', () => {
    for (const part of [greeting, ...paragraphs, ...closing, ...(button ? [button.label, button.link] : [])]) {
      expect(text).toContain(part);
      expect(unescape(html)).toContain(part);
    }
    expect(unescape(html)).toContain(`<h1 `);
    expect(unescape(html)).toContain(subject);
    expect(html).toContain(`<html lang="${language}">`);
  });

  test('has a short subject and no unfilled placeholder', () => {
    expect(subject.length).toBeGreaterThan(8);
    expect(subject.length).toBeLessThanOrEqual(60);
    expect(text).not.toMatch(/undefined|null|\{|\}|\$| {2}|\n{3}/);
  });

  test('has each link alone on its line and in the button', () => {
    const links = 'link' in letter.values ? [link] : [];
    const settings = 'settingsLink' in letter.values ? [letter.values.settingsLink] : [];
    expect(text.split('\n').filter((line) => /https?:/.test(line))).toEqual([...links, ...settings]);
    const hrefs = [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => unescape(href as string));
    expect(hrefs).toEqual([...links, ...links, ...settings]);
  });

  test('loads nothing and has no script', () => {
    expect(html).not.toMatch(/<(img|script|link|iframe|form|style)|src=|url\(|@import|javascript:/i);
  });

  test('uses colours of the design tokens', () => {
    const tokens = readText('shared/tokens.css') + readText('checkout/ui/tokens.css');
    const colors = [...html.matchAll(/(?<!&)#[0-9a-f]{3,8}\b/gi)].map(([color]) => color);
    expect(colors.length).toBeGreaterThan(4);
    for (const color of colors) expect(tokens).toContain(color);
  });
});

test('each mail template has a different text in each language', () => {
  for (const letter of LETTERS) {
    const texts = LANGUAGES.map((language) => drawn(language, letter).text);
    expect(new Set(texts).size).toBe(LANGUAGES.length);
  }
});

test.each(LANGUAGES)('the mail texts in %s have singular and plural for recovery codes', (language) => {
  const say = (left: number) => drawn(language, { template: 'recoveryCodeUsed', values: { firstName: '', left } }).text;
  expect(say(0)).not.toContain('0');
  expect(say(1)).toMatch(/\b1\b/);
  expect(say(9)).toMatch(/\b9\b/);
  expect(new Set([say(0), say(1), say(2)]).size).toBe(3);
});

describe('user input in a mail', () => {
  const reset = (firstName: string) => drawn('pt', { template: 'verify', values: { firstName, link } });
  const invite = (merchant: string) => drawn('pt', { template: 'invite', values: { merchant, role: 'Viewer', link } });

  test.each(['Ana', 'José António', 'N’Zinga', "M'Bala", 'Ana-Maria', '安'])(
    'appears in the greeting if it is the name %s',
    (name) => {
      expect(reset(` ${name} `).greeting).toBe(`Olá, ${name}.`);
    },
  );

  test.each([
    'Ganhou 1 milhão, veja evil.example',
    'https://evil.example',
    'a@evil.example',
    'evil.example',
    '<b>Ana</b>',
    'x'.repeat(41),
    '',
  ])('is omitted from the greeting if it is %j', (name) => {
    const { greeting, text } = reset(name);
    expect(greeting).toBe('Olá.');
    if (name) expect(text).not.toContain(name);
  });

  test('is escaped in the merchant’s name', () => {
    const { subject, html, text } = invite('<img src=x onerror=alert(1)>\r\nBcc: x@evil.example "&\'');
    expect(html).not.toContain('<img');
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(subject).not.toMatch(/[\r\n]/);
    for (const part of [text, html]) expect(part).not.toContain('x@evil.example');
    expect(invite('evil.example').text).not.toContain('evil.example');
    expect(invite('Loja da Ilha, Lda.').text).toContain('acesso a Loja da Ilha, Lda. no Balcão');
    expect(invite('x'.repeat(300)).subject.length).toBeLessThan(100);
  });
});
