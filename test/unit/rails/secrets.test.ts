// The keyring: secrets at rest, keyed digests, and rotation of keys.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { createKeyring, equalsSecret, openKeyring } from '../../../server/secrets.ts';

const keyText = (id: string, fill: number) => `${id}:${Buffer.alloc(32, fill).toString('base64')}`;
const OLD = keyText('old', 1);
const NEW = keyText('new', 2);
const ring = createKeyring(OLD);

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('a sealed value', () => {
  test('is decrypted to its plain text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (plain, purpose) => {
        expect(ring.open(ring.seal(plain, purpose), purpose)).toBe(plain);
      }),
    );
  });

  test('differs each time it is encrypted, and does not contain the plain text', () => {
    const sealed = Array.from({ length: 50 }, () => ring.seal('the secret', 'p'));
    expect(new Set(sealed).size).toBe(50);
    expect(sealed.join()).not.toContain(Buffer.from('the secret').toString('base64url'));
  });

  test('cannot be decrypted after a change of one character', () => {
    const sealed = ring.seal('{"d":"a private key"}', 'signing-key');
    const bytesOf = (text: string) => text.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex'));
    let tried = 0;
    for (let i = 0; i < sealed.length; i++) {
      for (const char of `${BASE64URL}.`) {
        const changed = sealed.slice(0, i) + char + sealed.slice(i + 1);
        // The last character of base64 has unused bits, so two spellings of equal bytes exist.
        const isSame = String(bytesOf(changed)) === String(bytesOf(sealed)) && changed.startsWith('v1.old.');
        if (isSame) continue;
        tried++;
        expect(() => ring.open(changed, 'signing-key'), changed).toThrow();
      }
    }
    expect(tried).toBeGreaterThan(sealed.length * 60);
  });

  test('cannot be decrypted after a cut at either end', () => {
    for (const plain of ['', 'x', 'a longer value']) {
      const sealed = ring.seal(plain, 'p');
      const [version, id, iv, body = ''] = sealed.split('.');
      const bytes = Buffer.from(body, 'base64url');
      for (let length = 0; length < bytes.length; length++) {
        for (const cut of [bytes.subarray(0, length), bytes.subarray(bytes.length - length)]) {
          const shorter = [version, id, iv, cut.toString('base64url')].join('.');
          expect(() => ring.open(shorter, 'p'), shorter).toThrow();
        }
      }
      expect(() => ring.open([version, id, '', body].join('.'), 'p')).toThrow();
    }
  });

  test('can be decrypted only for the purpose that it was sealed for', () => {
    const sealed = ring.seal('secret', 'callback-key');
    expect(() => ring.open(sealed, 'signing-key')).toThrow();
    expect(() => ring.open(sealed, '')).toThrow();
  });

  test.each(['', 'plain text', 'v1', 'v1.old', 'v1.old..', 'v2.old.AAAA.BBBB'])('is never %j', (sealed) => {
    expect(() => ring.open(sealed, 'p')).toThrow();
  });
});

describe('a rotated keyring', () => {
  const rotated = createKeyring(`${NEW},${OLD}`);

  test('encrypts with its first key, and decrypts with every key', () => {
    expect(rotated.open(ring.seal('kept', 'p'), 'p')).toBe('kept');
    const sealed = rotated.seal('fresh', 'p');
    expect(createKeyring(NEW).open(sealed, 'p')).toBe('fresh');
    expect(() => ring.open(sealed, 'p')).toThrow('new');
  });

  test('names the missing key of a value that it cannot decrypt', () => {
    expect(() => createKeyring(NEW).open(ring.seal('kept', 'p'), 'p')).toThrow(/no key named old in SECRETS_KEYS/);
  });

  test('does not decrypt with a different key of the same name', () => {
    const other = createKeyring(keyText('old', 9));
    expect(() => other.open(ring.seal('kept', 'p'), 'p')).toThrow();
  });

  test('lists the digest of its first key first', () => {
    const [byNew, byOld] = rotated.digests('data', 'p');
    expect(createKeyring(NEW).digests('data', 'p')).toEqual([byNew]);
    expect(ring.digests('data', 'p')).toEqual([byOld]);
    expect(byNew).not.toEqual(byOld);
  });
});

describe('a digest or a derived key of the keyring', () => {
  test('depends on its data and purpose, and is equal on every node', () => {
    const again = createKeyring(OLD);
    expect(again.digests('data', 'p')).toEqual(ring.digests('data', 'p'));
    expect(again.derive('rail:gpo')).toEqual(ring.derive('rail:gpo'));
    expect(ring.digests('data', 'p')).not.toEqual(ring.digests('Data', 'p'));
    expect(ring.digests('data', 'p')).not.toEqual(ring.digests('data', 'q'));
    expect(ring.derive('rail:gpo')).not.toEqual(ring.derive('rail:ppr'));
    expect(ring.derive('p')).toHaveLength(32);
  });

  test('cannot decrypt values that the keyring sealed for the same purpose', () => {
    // Without this separation the holder of a rail's key could decrypt stored secrets.
    const sealed = ring.seal('x', 'rail:gpo');
    const handedOut = createKeyring(`old:${ring.derive('rail:gpo').toString('base64')}`);
    expect(() => handedOut.open(sealed, 'rail:gpo')).toThrow();
    expect(ring.derive('rail:gpo')).not.toEqual(ring.derive('seal:rail:gpo'));
  });
});

describe('equalsSecret', () => {
  test('is true for equal texts only', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(equalsSecret(a, a)).toBe(true);
        expect(equalsSecret(a, Buffer.from(a))).toBe(true);
        expect(equalsSecret(a, b)).toBe(a === b);
        expect(equalsSecret(a, `${a}x`)).toBe(false);
      }),
    );
  });
});

describe('openKeyring', () => {
  const folders: string[] = [];
  const makeFolder = () => {
    const folder = mkdtempSync(join(tmpdir(), 'balcao-secrets-'));
    folders.push(folder);
    return folder;
  };
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  test('uses SECRETS_KEYS if set, and writes no file', () => {
    const folder = makeFolder();
    const opened = openKeyring({ SECRETS_KEYS: OLD, DATA_DIR: join(folder, 'data') });
    expect(opened.open(ring.seal('x', 'p'), 'p')).toBe('x');
    expect(() => statSync(join(folder, 'data'))).toThrow();
  });

  test('creates one key file that only its owner can read', () => {
    const folder = join(makeFolder(), 'not yet', 'data');
    const config = { SECRETS_KEYS: undefined, DATA_DIR: folder };
    const sealed = openKeyring(config).seal('x', 'p');
    const file = join(folder, 'secrets.key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(openKeyring(config).open(sealed, 'p')).toBe('x');
    expect(readFileSync(file, 'utf8')).toMatch(/^sandbox:[A-Za-z0-9+/]{43}=\n$/);
    const other = openKeyring({ SECRETS_KEYS: undefined, DATA_DIR: makeFolder() });
    expect(() => other.open(sealed, 'p')).toThrow();
  });
});
