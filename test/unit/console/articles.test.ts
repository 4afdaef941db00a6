import { describe, expect, test } from 'vitest';
import { sumOfArticles, totalOf } from '../../../console/screens/articles/sum.ts';

const COFFEE = { 'article-a': '35000 Café', 'article-b': '15050 Pão' };

describe('sumOfArticles', () => {
  test('adds up prices by quantity, and lists the articles in the order of the form', () => {
    const typed = { ...COFFEE, 'qty-a': '2', 'qty-b': ' 1 ' };
    expect(sumOfArticles(typed)).toEqual({ minor: 85050, description: '2 × Café, 1 × Pão' });
  });

  test.each(['', '0', '00'])('leaves an article with the quantity “%s” out', (quantity) => {
    expect(sumOfArticles({ ...COFFEE, 'qty-a': quantity })).toEqual({ minor: 0, description: '' });
  });

  test.each(['-1', '1.5', '1,5', 'dois', '1000', '1e2', '٣'])('returns the field of the quantity %s', (quantity) => {
    expect(sumOfArticles({ ...COFFEE, 'qty-a': '1', 'qty-b': quantity })).toBe('qty-b');
  });

  test.each(['', 'Café', '-5 Café', '1.5 Café', '35000'])('ignores an article that reads “%s”', (shown) => {
    expect(sumOfArticles({ 'article-a': shown, 'qty-a': '2' })).toEqual({ minor: 0, description: '' });
  });

  test('cuts the description at 100 characters with an ellipsis', () => {
    const typed: Record<string, string> = {};
    for (let nth = 0; nth < 10; nth++) {
      typed[`article-${nth}`] = `100 Café com leite número ${nth}`;
      typed[`qty-${nth}`] = '1';
    }
    const sum = sumOfArticles(typed) as { description: string };
    expect([...sum.description]).toHaveLength(100);
    expect(sum.description).toMatch(/^1 × Café com leite número 0, .*…$/);
  });
});

describe('totalOf', () => {
  test.each<[string, Record<string, string>, number, string]>([
    ['the typed amount alone', { amount: '1.500', about: ' Corte ' }, 1500, 'Corte'],
    ['the articles alone', { amount: '', 'qty-a': '2' }, 700, '2 × Café'],
    ['the typed amount plus the articles', { amount: '99,5', 'qty-b': '1' }, 250, '1 × Pão'],
    [
      'the typed amount alone if it includes the articles',
      { amount: '700', included: '1', 'qty-a': '2' },
      700,
      '2 × Café',
    ],
    ['the typed description before the articles', { amount: '', about: 'Mesa 4', 'qty-a': '1' }, 350, 'Mesa 4'],
  ])('returns %s', (_, typed, amount, description) => {
    expect(totalOf({ ...COFFEE, ...typed })).toEqual({ amount, description });
  });

  test.each<[Record<string, string>, string]>([
    [{ amount: '' }, 'amount'],
    [{ amount: 'x', 'qty-a': '1' }, 'amount'],
    [{ amount: '', included: '1', 'qty-a': '1' }, 'amount'],
    [{ amount: '1500,255', 'qty-a': '1' }, 'amount'],
    [{ amount: '5', 'qty-a': 'x' }, 'qty-a'],
  ])('returns the wrong field of %j', (typed, field) => {
    expect(totalOf({ ...COFFEE, ...typed })).toBe(field);
  });
});
