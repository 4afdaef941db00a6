// Texts for people use one orthography, and one word for one thing. docs/glossary.md has the words.
import { describe, expect, test } from 'vitest';
import { findRefused, listTextFiles, readRules, readTerms, readTexts } from './texts.ts';

const rules = readRules();
const refuse = (text: string) => findRefused({ text, language: 'pt' }, rules);

describe('the list of words', () => {
  test('has a term in each language and a refused word in each row', () => {
    const terms = readTerms();
    expect(terms.length).toBeGreaterThan(20);
    for (const { pt, en, fr, refused } of terms) {
      expect([pt, en, fr].every(Boolean), pt).toBe(true);
      expect(Object.values(refused).flat().length, pt).toBeGreaterThan(0);
    }
  });

  test('refuses the orthography of 1990', () => {
    const wrong = 'Atualizado|os diretos|a ação|transações|eletrónico|faturas|extrato|inativa|ótimo|eles veem|em março';
    expect(wrong.split('|').filter((text) => refuse(text).length === 0)).toEqual([]);
    const right = 'Actualizado|directos|a acção|um contrato|o facto|negativo|criativa|a subtrair|em Março|saldoAtual';
    expect(right.split('|').flatMap(refuse)).toEqual([]);
  });

  test('refuses a second word for one thing, and the feminine of Balcão', () => {
    expect(refuse('O comerciante usa a Balcão.')).toEqual(['comerciante → loja', 'a Balcão → o Balcão']);
    expect(refuse('Na app Multicaixa Express: documento sem valor fiscal.')).toEqual([]);
  });
});

describe('the reader of texts', () => {
  const read = (code: string) => readTexts('console/text/x.tsx', code).map(({ text, language }) => [text, language]);

  test('finds strings, templates and JSX with their language, and neither keys nor imports', () => {
    expect(read(`import a from 'b'; const pt = { 'k.e': 'Conta' }; const fr = { k: \`Compte \${a}\` };`)).toEqual([
      ['Conta', 'pt'],
      ['Compte', 'fr'],
    ]);
    expect(read('const x = <p title="Não há">O que se paga</p>;')).toEqual([
      ['Não há', 'pt'],
      ['O que se paga', 'pt'],
    ]);
  });
});

test('no text has a refused word', () => {
  const texts = listTextFiles().flatMap((path) => readTexts(path));
  expect(texts.filter(({ language }) => language === 'pt').length).toBeGreaterThan(1500);
  const found = texts.flatMap((text) =>
    findRefused(text, rules).map((fault) => `${text.path}:${text.line} ${fault} in “${text.text}”`),
  );
  expect(found, 'use the words of docs/glossary.md').toEqual([]);
});
