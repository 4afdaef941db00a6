import fc from 'fast-check';
import { v7 as uuid } from 'uuid';
import { describe, expect, test } from 'vitest';
import { clientTokenOf, readClientToken } from '../../../server/payments/core/token.ts';
import { createKeyring } from '../../../server/secrets.ts';

const keyText = (id: string, fill: number) => `${id}:${Buffer.alloc(32, fill).toString('base64')}`;
const ring = createKeyring(keyText('one', 1));
const otherRing = createKeyring(keyText('one', 2));
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

test('a client token reads back as the payment that it was made for', () => {
  fc.assert(
    fc.property(fc.uuid({ version: [4, 7] }), (id) => {
      const token = clientTokenOf(ring, id);
      expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(readClientToken(ring, token)).toBe(id);
    }),
  );
});

test('a client token is the same each time and different for each payment', () => {
  const id = uuid();
  expect(clientTokenOf(ring, id)).toBe(clientTokenOf(createKeyring(keyText('one', 1)), id));
  expect(clientTokenOf(ring, id)).not.toBe(clientTokenOf(ring, uuid()));
});

describe('readClientToken rejects', () => {
  const token = clientTokenOf(ring, uuid());

  test('a token with any character changed', () => {
    for (let i = 0; i < token.length; i++) {
      for (const char of BASE64URL.replace(token[i] as string, '')) {
        expect(readClientToken(ring, token.slice(0, i) + char + token.slice(i + 1))).toBeNull();
      }
    }
  });

  test('a token whose payment id was replaced by another', () => {
    const bytes = (text: string) => Buffer.from(text, 'base64url');
    const other = clientTokenOf(ring, uuid());
    const mixed = Buffer.concat([bytes(other).subarray(0, 16), bytes(token).subarray(16)]).toString('base64url');
    expect(readClientToken(ring, mixed)).toBeNull();
  });

  test('a token that another key signed for the same payment', () => {
    expect(readClientToken(otherRing, token)).toBeNull();
  });

  test.each([
    ['nothing', ''],
    ['shorter', token.slice(0, -1)],
    ['longer', `${token}A`],
    ['padded', `${token}=`],
    ['with a line break', `${token}\n`],
    ['with a space', ` ${token}`],
    ['in the other base64 alphabet', `${token.slice(0, 42)}+`],
    ['zeros', 'A'.repeat(43)],
    ['not ASCII', 'é'.repeat(43)],
    ['an id', uuid()],
  ])('a token that is %s', (_what, forged) => {
    expect(readClientToken(ring, forged)).toBeNull();
  });

  test('any text that is not a token', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[A-Za-z0-9_-]{43}$/)), (text) => {
        expect(readClientToken(ring, text)).toBeNull();
      }),
    );
  });
});

describe('after a key rotation', () => {
  const id = uuid();

  test('old tokens stay valid and new tokens use the new key', () => {
    const rotated = createKeyring(`${keyText('two', 2)},${keyText('one', 1)}`);
    expect(readClientToken(rotated, clientTokenOf(ring, id))).toBe(id);
    expect(readClientToken(createKeyring(keyText('two', 2)), clientTokenOf(rotated, id))).toBe(id);
    expect(readClientToken(ring, clientTokenOf(rotated, id))).toBeNull();
  });

  test('the tokens of a removed key are invalid', () => {
    expect(readClientToken(createKeyring(keyText('two', 2)), clientTokenOf(ring, id))).toBeNull();
  });
});
