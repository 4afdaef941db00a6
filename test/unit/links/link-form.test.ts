// The form of a payment link: amounts as people write them, phone numbers, e-mail addresses and tax ids.
import { describe, expect, test } from 'vitest';
import type { Link } from '../../../server/links/entities.ts';
import { readForm } from '../../../server/links/form.ts';
import { drawReference, drawSlug, readSlug } from '../../../server/links/slug.ts';
import { merchantReference } from '../../../server/payments/core/fields.ts';

const link = (changes: Partial<Link>) => ({ amountMinor: 100, currency: 'AOA', asks: [], ...changes }) as Link;

describe('readForm', () => {
  test.each([
    ['nif', '5417 123 456', '5417123456'],
    ['nif', '006151112la041', '006151112LA041'],
    ['nif', '54171234567', null],
    ['nif', '006151112LA04', null],
    ['phone', '+244 923 456 789', '+244923456789'],
    ['phone', '222 123 456', null],
    ['email', ' Ana@Exemplo.ao ', 'ana@exemplo.ao'],
    ['email', 'ana@exemplo', null],
    ['name', '  Ana Domingos ', 'Ana Domingos'],
    ['name', 'a'.repeat(101), null],
    ['name', 'Ana\u202e', null],
  ] as const)('reads the %s %j as %j', (field, typed, kept) => {
    const { payer, wrong } = readForm(link({ asks: [field] }), { [field]: typed });
    expect([Object.values(payer), wrong]).toEqual([[kept], kept === null ? { [field]: field } : {}]);
  });

  test('reports an empty required field', () => {
    const asked = link({ asks: ['name', 'nif'], amountMinor: null });
    expect(readForm(asked, { name: ' ' }).wrong).toEqual({ amount: 'required', name: 'required', nif: 'required' });
  });
});

test.each([
  ['499,99', 'amount.min'],
  ['500', undefined],
  ['1 000,01', 'amount.max'],
  ['10 000 000,01', 'amount'],
  ['mil', 'amount'],
])('readForm checks the amount %s against the link’s bounds: %s', (amount, wrong) => {
  const bounded = link({ amountMinor: null, minMinor: 50_000, maxMinor: 100_000 });
  expect(readForm(bounded, { amount }).wrong.amount).toBe(wrong);
});

test('readSlug accepts a slug in capitals, and drawReference makes a valid reference from the slug', () => {
  const slug = drawSlug();
  expect(readSlug(slug.toUpperCase())).toBe(slug);
  expect([readSlug(''), readSlug('ilo0000000'), readSlug(`${slug}2`)]).toEqual([null, null, null]);
  expect(merchantReference.safeParse(drawReference(slug)).success).toBe(true);
});
