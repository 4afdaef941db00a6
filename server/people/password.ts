// Passwords: argon2id hashes as PHC strings, and the check that refuses easy passwords.
import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs as graphs, dictionary } from '@zxcvbn-ts/language-common';
import type { PasswordCost } from '../core.ts';
import { tryLater, type Fault } from '../http/problem.ts';
import { equalsSecret } from '../secrets.ts';

/** Cost of password hashes: OWASP's minimum for argon2id. A higher cost slows every sign-in. */
export const COST: PasswordCost = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;
/** Pattern of a PHC string. Its digits limit the work that a stored hash can cause. */
const PHC = /^\$argon2id\$v=19\$m=(\d{1,6}),t=([1-9]),p=([1-4])\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Maximum concurrent hashes: each takes memory and one of Node's four threads, which files and DNS need too. */
const MAX_AT_ONCE = 2;
/** Maximum callers in the queue. A caller further back would time out. */
const MAX_WAITING = 256;

const MIN_LENGTH = 12;
const MAX_LENGTH = 128;
/** Minimum score of a password: 3 of zxcvbn's 4 withstands 10^8 guesses. */
const MIN_SCORE = 3;
/** Limits of zxcvbn's work to 10 ms, since any visitor can cause it. The library's own limits allow ten times more. */
const GUESSING = { maxLength: 32, l33tMaxSubstitutions: 8 };
/** Minimum letters and digits of a password in addition to words that others know about the person. */
const MIN_OTHER_CHARACTERS = 5;
/** Common words of this product and country, which no general dictionary has. */
const LOCAL_WORDS = ['balcao', 'balcão', 'multicaixa', 'express', 'angola', 'luanda', 'kwanza', 'senha', 'palavra'];

/** Hashes a password to a PHC string `$argon2id$v=19$m=…,t=…,p=…$salt$tag`. @throws Problem service_unavailable */
export async function hashPassword(password: string, cost = COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await derive(password, salt, TAG_BYTES, cost);
  const [saltText, tagText] = [salt, tag].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `${parametersOf(cost)}${saltText}$${tagText}`;
}

const parametersOf = ({ memory, passes, parallelism }: PasswordCost) =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$`;

/**
 * Compares a password with its stored hash. Without a readable hash it does the same work and returns false.
 * `isOutdated` is true for a correct password whose hash has another cost than `ours`.
 * @throws Problem service_unavailable if too many callers wait
 */
export async function checkPassword(
  password: string,
  phc: string | null,
  currentCost = COST,
): Promise<{ isRight: boolean; isOutdated: boolean }> {
  const [, memory, passes, parallelism, saltText = '', tagText = ''] = PHC.exec(phc ?? '') ?? [];
  const salt = memory ? Buffer.from(saltText, 'base64') : Buffer.alloc(SALT_BYTES);
  const tag = memory ? Buffer.from(tagText, 'base64') : Buffer.alloc(TAG_BYTES);
  const cost = memory ? { memory: +memory, passes: Number(passes), parallelism: Number(parallelism) } : currentCost;
  const isSame = equalsSecret(await derive(password, salt, tag.length, cost), tag);
  const isRight = isSame && memory !== undefined;
  return {
    isRight,
    isOutdated: isRight && !(parametersOf(cost) === parametersOf(currentCost) && tag.length === TAG_BYTES),
  };
}

/** Returns why a password is refused. @param about names and address, which others know about the person */
export function findPasswordFaults(password: string, about: string[], pointer: string): Fault[] {
  const plain = normalize(password);
  const length = [...plain].length;
  if (length < MIN_LENGTH || length > MAX_LENGTH) return [{ pointer, code: 'password_length' }];
  // The estimator is created at first use, because loading its dictionaries would slow down the start.
  estimator ??= new ZxcvbnFactory({ dictionary, graphs, ...GUESSING });
  const words = [...LOCAL_WORDS, ...about, ...about.flatMap((value) => value.split(/[^\p{L}\p{N}]+/u))];
  const known = [...new Set(words.map((word) => word.toLowerCase()))].filter((word) => word.length > 1);
  const { score } = estimator.check(plain, known);
  return score < MIN_SCORE || isMadeOf(plain, known) ? [{ pointer, code: 'password_common' }] : [];
}

/** True for a password of known words with signs between them, which zxcvbn takes for random letters. */
function isMadeOf(plain: string, known: string[]): boolean {
  const longestFirst = known.filter((word) => word.length > 2).sort((a, b) => b.length - a.length);
  const rest = longestFirst.reduce((left, word) => left.replaceAll(word, ' '), plain.toLowerCase());
  return rest !== plain.toLowerCase() && rest.replace(/[^\p{L}\p{N}]/gu, '').length < MIN_OTHER_CHARACTERS;
}

let estimator: ZxcvbnFactory | undefined;

/** Normalizes a password's Unicode, because two keyboards may encode the same letters in different bytes. */
function normalize(password: string): string {
  // NFKC takes quadratic time in the number of accents. A password of this length is refused anyway.
  return password.length > 8 * MAX_LENGTH ? password.slice(0, 8 * MAX_LENGTH) : password.normalize('NFKC');
}

const runArgon2 = promisify(argon2);

let running = 0;
const waiting: (() => void)[] = [];

async function derive(password: string, nonce: Buffer, tagLength: number, cost: PasswordCost): Promise<Buffer> {
  if (running >= MAX_AT_ONCE) {
    if (waiting.length >= MAX_WAITING) throw tryLater('service_unavailable', 2);
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await runArgon2('argon2id', { message: normalize(password), nonce, tagLength, ...cost });
  } finally {
    // A caller in the queue takes over the slot of a finished hash.
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
