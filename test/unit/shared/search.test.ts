import { describe, expect, test } from 'vitest';
import { matchesQuery, readQuery } from '../../../shared/search.ts';

describe('a query', () => {
  test.each([
    ['', 'Refund a payment'],
    ['refund PAYMENT', 'Refund a payment'],
    ['estorno', 'Refund a payment'],
    ['devolução pagamentos', 'Refund a payment'],
    ['devoluções', 'Refund a payment'],
    ['idempotência', 'The Idempotency-Key of a request'],
  ])('%j finds %j', (query, text) => {
    expect(matchesQuery(query, text)).toBe(true);
  });

  test('needs every one of its words', () => {
    expect(matchesQuery('estorno referência', 'Refund a payment')).toBe(false);
  });

  test('is trimmed and cut', () => {
    expect([readQuery(' a '), readQuery(['a']), readQuery('x'.repeat(200)).length]).toEqual(['a', '', 100]);
  });
});
