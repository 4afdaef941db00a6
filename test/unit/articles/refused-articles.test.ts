import { describe, expect, test } from 'vitest';
import { refuseBody, refuseQuery } from '../../support/declared.ts';

const GOOD = { name: 'Café', price: 350, currency: 'AOA' };

const WRONG: [object, string[]][] = [
  [{ name: '' }, ['/name too_short']],
  [{ name: 'x'.repeat(61) }, ['/name too_long']],
  [{ name: 'a\nb' }, ['/name invalid_format']],
  [{ price: 0 }, ['/price amount_out_of_range']],
  [{ price: -1 }, ['/price amount_out_of_range']],
  [{ price: 10_000_001 }, ['/price amount_out_of_range']],
  [{ price: 1.005 }, ['/price amount_precision']],
  [{ price: '350' }, ['/price invalid_type']],
  [{ currency: 'kz' }, ['/currency invalid_format']],
  [{ position: 0 }, ['/position too_small']],
  [{ position: 201 }, ['/position too_big']],
  [{ isActive: 'yes' }, ['/isActive invalid_type']],
];

describe('createArticle', () => {
  test('accepts an article', () => {
    expect(refuseBody('createArticle', GOOD).code).toBeNull();
  });

  test.each(WRONG)('refuses %j', (changes, faults) => {
    expect(refuseBody('createArticle', { ...GOOD, ...changes }).faults).toEqual(faults);
  });

  test('requires name, price and currency', () => {
    const faults = ['/currency required', '/name required', '/price required'];
    expect(refuseBody('createArticle', {}).faults.toSorted()).toEqual(faults);
  });
});

describe('changeArticle', () => {
  test('accepts every field alone', () => {
    for (const body of [{ name: 'Pão' }, { price: 100.5 }, { position: 3 }, { isActive: false }, {}])
      expect(refuseBody('changeArticle', body).code).toBeNull();
  });

  test.each([
    [{ name: null }, ['/name invalid_type']],
    [{ price: null }, ['/price invalid_type']],
    [{ position: 1.5 }, ['/position invalid_type']],
  ])('refuses %j', (body, faults) => {
    expect(refuseBody('changeArticle', body).faults).toEqual(faults);
  });
});

test.each([
  ['isActive=1', '/query/isActive invalid_value'],
  ['isActive=', '/query/isActive invalid_value'],
  ['page=1', '/query/page unknown_parameter'],
])('listArticles refuses ?%s', (query, fault) => {
  expect(refuseQuery('listArticles', query).faults).toContain(fault);
});
