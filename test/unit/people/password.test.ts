import { argon2Sync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { checkPassword, findPasswordFaults, hashPassword } from '../../../server/people/password.ts';

const GOOD = 'mulemba kitanda roxo 57';

const encode = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

/** Makes a hash like one that another program or release has stored. */
function phcOf(password: string, { memory = 19_456, passes = 2, parallelism = 1, tagLength = 32 } = {}): string {
  const nonce = Buffer.from('a salt of 16 byt');
  const tag = argon2Sync('argon2id', { message: password, nonce, memory, passes, parallelism, tagLength });
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(nonce)}$${encode(tag)}`;
}

const KEPT = phcOf(GOOD);
/** A hash with the lowest cost, for checks that fail. */
const CHEAP = phcOf(GOOD, { memory: 8, passes: 1 });

describe('the hash of a password', () => {
  test('is argon2id with a salt of its own', async () => {
    const [one, other] = await Promise.all([hashPassword(GOOD), hashPassword(GOOD)]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(other).not.toBe(one);
    for (const phc of [one, other])
      expect(await checkPassword(GOOD, phc)).toEqual({ isRight: true, isOutdated: false });
  });

  test('is verified by other implementations', async () => {
    const [, , , , salt = '', tag = ''] = (await hashPassword(GOOD)).split('$');
    const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
    const nonce = Buffer.from(salt, 'base64');
    expect(encode(argon2Sync('argon2id', { message: GOOD, nonce, ...cost }))).toBe(tag);
  });

  test('waits for earlier hashes, and is refused if too many wait', async () => {
    const checks = Array.from({ length: 258 }, () => checkPassword(GOOD, CHEAP));
    const more = [checkPassword(GOOD, CHEAP), hashPassword(GOOD), checkPassword(GOOD, null)];
    const results = await Promise.allSettled([...checks, ...more]);
    expect(results.slice(0, 258).filter(({ status }) => status === 'rejected')).toEqual([]);
    const refused = { status: 'rejected', reason: { code: 'service_unavailable' } };
    expect(results.slice(258)).toMatchObject([refused, refused, refused]);
    expect((await checkPassword(GOOD, await hashPassword(GOOD))).isRight).toBe(true);
  });
});

describe('the check of a password', () => {
  test.each([GOOD.toUpperCase(), `${GOOD} `, '', GOOD.slice(1)])('refuses %j', async (wrong) => {
    expect(await checkPassword(wrong, CHEAP)).toEqual({ isRight: false, isOutdated: false });
  });

  test.each([{ memory: 8_192 }, { passes: 1 }, { parallelism: 2 }, { tagLength: 16 }, { memory: 65_536, passes: 3 }])(
    'accepts a hash with %j and reports that the hash must be renewed',
    async (cost) => {
      expect(await checkPassword(GOOD, phcOf(GOOD, cost))).toEqual({ isRight: true, isOutdated: true });
    },
  );

  test.each([
    null,
    '',
    'plain',
    GOOD,
    KEPT.replace('argon2id', 'argon2i'),
    KEPT.replace('v=19', 'v=16'),
    KEPT.replace('m=19456', 'm=9999999'),
    KEPT.replace('t=2', 't=99'),
    KEPT.replace('p=1', 'p=0'),
    '$2b$12$abcdefghijklmnopqrstuv',
    `$argon2id$v=19$m=19456,t=2,p=1$${encode(Buffer.alloc(16))}$${encode(Buffer.alloc(32))}`,
  ])('accepts no password for the hash %j', async (phc) => {
    expect(await checkPassword(GOOD, phc)).toEqual({ isRight: false, isOutdated: false });
  });

  test('accepts the same letters in another Unicode form', async () => {
    const composed = 'coração só meu 1975';
    const phc = await hashPassword(composed.normalize('NFD'));
    expect((await checkPassword(composed.normalize('NFC'), phc)).isRight).toBe(true);
    expect((await checkPassword('coracao so meu 1975', phc)).isRight).toBe(false);
  });
});

describe('a new password', () => {
  const codesOf = (password: string, about: string[] = []) =>
    findPasswordFaults(password, about, '/password').map(({ pointer, code }) => `${pointer} ${code}`);
  const ABOUT = ['kiala.fortunato@exemplo.ao', 'Kiala', 'Fortunato'];

  test.each([GOOD, 'kz7#vQ2!mLp9', 'Tr0ub4dour&3xyz', '🦜🌴🥭🛶🪘🧺🐢🌶️🪴🎋🪁🧿', 'x'.repeat(3) + GOOD.repeat(5)])(
    'may be %j',
    (password) => {
      expect(codesOf(password, ABOUT)).toEqual([]);
    },
  );

  test.each([
    ['', 0],
    ['kz7#vQ2!mLp', 11],
    ['🦜🌴🥭🛶🪘🧺', 6],
    ['áçãõéíóúâêô'.normalize('NFD'), 11],
    [`${GOOD} `.repeat(6), 144],
  ])('may not be %j, which has %i characters', (password) => {
    expect(codesOf(password)).toEqual(['/password password_length']);
  });

  test('of thousands of accents is refused as too long before Unicode normalization', async () => {
    // Unicode normalization sorts the accents, which would exceed the timeout of the test.
    const mountain = `a${'\u0301\u0316'.repeat(250_000)}`;
    expect(codesOf(mountain)).toEqual(['/password password_length']);
    expect((await checkPassword(mountain, CHEAP)).isRight).toBe(false);
  });

  test.each([
    'password1234',
    'qwertyuiop123',
    '123456789012',
    'abcdefghijkl',
    'aaaaaaaaaaaa',
    'P@ssw0rd1234',
    'iloveyou2024',
    'l'.repeat(128),
    'p@$$w0rd'.repeat(16),
    'luanda luanda',
    'balcao-balcao',
    'multicaixaexpress',
    'Angola123456',
  ])('may not be %j, which is easy to guess', (password) => {
    expect(codesOf(password)).toEqual(['/password password_common']);
  });

  test.each(['kiala.fortunato', 'Kiala Fortunato', 'fortunato.kiala@exemplo', 'KialaFortunato1', 'fortunato2024'])(
    'for %j is refused for a person with that name or address',
    (password) => {
      expect(codesOf(password, ABOUT)).toEqual(['/password password_common']);
    },
  );

  test('may contain the person’s name if the name is short or common', () => {
    expect(codesOf(GOOD, ['x@y.ao', 'A', 'mulemba'])).toEqual([]);
    expect(codesOf('$%&/()=?!#$%&', ABOUT)).toEqual([]);
  });
});
