import { describe, expect, test } from 'vitest';
import { normalizeIban, showIban } from '../../../shared/iban.ts';

describe('normalizeIban', () => {
  test.each(['AO83004000001234567810114', 'ao83 0040 0000 1234 5678 1011 4', ' AO83.0040.0000.1234.5678.1011.4 '])(
    'accepts %s',
    (text) => expect(normalizeIban(text)).toBe('AO83004000001234567810114'),
  );
  test.each(['', 'AO84004000001234567810114', 'AO83004000001234567810141', 'PT50000201231234567890154', 'AO83'])(
    'refuses %j',
    (text) => expect(normalizeIban(text)).toBeNull(),
  );
  test('refuses every other pair of check digits', () => {
    const pairs = Array.from({ length: 97 }, (_, nth) => String(nth + 2).padStart(2, '0'));
    expect(pairs.filter((pair) => normalizeIban(`AO${pair}004000001234567810114`))).toEqual(['83']);
  });
});

test('showIban writes groups of four', () => {
  expect(showIban('AO83004000001234567810114')).toBe('AO83 0040 0000 1234 5678 1011 4');
});
