import { expect, test } from 'vitest';
import { normalizeEmail } from '../../../shared/email.ts';

test.each([
  ['ana@loja.example', 'ana@loja.example'],
  ['  Ana@LOJA.Example ', 'ana@loja.example'],
  ['jose\u0301@loja.example', 'josé@loja.example'],
  [`${'a'.repeat(64)}@${'b'.repeat(180)}.example`, `${'a'.repeat(64)}@${'b'.repeat(180)}.example`],
])('an e-mail address typed as %j is stored as %j', (typed, kept) => {
  expect(normalizeEmail(typed)).toBe(kept);
});

test.each([
  '',
  'ana',
  'ana@loja',
  'ana@loja..example',
  'a na@loja.example',
  'ana@loja.example@x.example',
  'ana\u200b@loja.example',
  `${'a'.repeat(65)}@loja.example`,
  `${'a'.repeat(64)}@${'b'.repeat(190)}.example`,
])('%j is not an e-mail address', (typed) => {
  expect(normalizeEmail(typed)).toBe(null);
});

test('an e-mail address of thousands of accents is refused before Unicode normalization', () => {
  // Unicode normalization sorts the accents, which would exceed the timeout of the test.
  expect(normalizeEmail(`a${'\u0301\u0316'.repeat(250_000)}@loja.example`)).toBe(null);
});
