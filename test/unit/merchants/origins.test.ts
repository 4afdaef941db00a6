// The origins of a merchant: exact in production, and each loopback origin in a sandbox.
import { describe, expect, test } from 'vitest';
import { originsOf } from '../../../server/merchants/schemas.ts';
import { listsOrigin } from '../../../shared/origins.ts';

const OWN = ['https://loja.example'];
const listOf = (isSandbox: boolean) => originsOf({ config: { isSandbox } }, OWN);

describe('listsOrigin', () => {
  test.each([
    'http://localhost',
    'http://localhost:3000',
    'https://localhost:8443',
    'http://127.0.0.1:5173',
    'http://loja.localhost:3000',
  ])('finds %s in a sandbox, but not in production', (origin) => {
    expect([listsOrigin(listOf(true), origin), listsOrigin(listOf(false), origin)]).toEqual([true, false]);
  });

  test.each([
    'https://evil.example',
    'https://loja.example:8443',
    'http://localhost.evil.example',
    'http://localhost.evil.example:3000',
    'http://127.0.0.1.evil.example:3000',
    'http://evil.example/.localhost:3000',
    'http://evillocalhost:3000',
    'https://loja.example:*',
    'null',
    '',
  ])('does not find %j', (origin) => {
    expect([listsOrigin(listOf(true), origin), listsOrigin(listOf(false), origin)]).toEqual([false, false]);
  });

  test('finds an origin of the list in both', () => {
    expect([listsOrigin(listOf(true), OWN[0]!), listsOrigin(listOf(false), OWN[0]!)]).toEqual([true, true]);
  });
});
