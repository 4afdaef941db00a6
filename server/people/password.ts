// Passwords: kept as argon2id in PHC strings, compared in the same time whoever asks, and refused when easy to guess.
import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs as graphs, dictionary } from '@zxcvbn-ts/language-common';
import type { PasswordCost } from '../core.ts';
import { tryLater, type Fault } from '../http/problem.ts';
import { equalsSecret } from '../secrets.ts';

/** OWASP's least for argon2id: 19 MiB, two passes. Raised here, it is raised for everybody who signs in. */
export const COST: PasswordCost = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** What a stored string may ask of us at most, so that no row of the table takes the machine with it. */
const MAX_COST = { memory: 262_144, passes: 16, parallelism: 4 };

/** Each takes its memory and a thread of Node's four, which files and names need too. */
const MAX_AT_ONCE = 2;
/** Those behind would wait for longer than callers do. */
const MAX_WAITING = 256;

const MIN_LENGTH = 12;
const MAX_LENGTH = 128;
/** zxcvbn's 0 to 4: 3 stands 10^8 guesses. */
const MIN_SCORE = 3;
/**
 * How far into a password guessing looks, and how many ways to read `p@$$w0rd` it tries: anybody may ask for this work,
 * and it must not keep others waiting (some 10 ms at worst; ten times as many by the library's own bounds).
 */
const GUESSING = { maxLength: 32, l33tMaxSubstitutions: 8 };
/** Letters and digits that must be left of a password without what others know of the person. */
const MIN_OWN = 5;
/** Words of this house and place, which no general dictionary has. */
const LOCAL_WORDS = ['balcao', 'balcão', 'multicaixa', 'express', 'angola', 'luanda', 'kwanza', 'senha', 'palavra'];

type Stored = { cost: PasswordCost; salt: Buffer; tag: Buffer };

/** The password's PHC string, `$argon2id$v=19$m=…,t=…,p=…$salt$tag`. @throws Problem service_unavailable when too many wait */
export async function hashPassword(password: string, cost = COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await derive(password, salt, TAG_BYTES, cost);
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(salt)}$${encode(tag)}`;
}

/**
 * Compares with what is stored. Of nobody (null), and of what cannot be read, it says no after the same work.
 * `isOutdated`: right, and to be hashed anew as we do it now. @throws Problem service_unavailable when too many wait
 */
export async function checkPassword(
  password: string,
  phc: string | null,
  ours = COST,
): Promise<{ isRight: boolean; isOutdated: boolean }> {
  const stored = phc === null ? null : readPhc(phc);
  const { cost, salt, tag } = stored ?? nobody(ours);
  const isSame = equalsSecret(await derive(password, salt, tag.length, cost), tag);
  const isRight = isSame && stored !== null;
  const isOurs = cost.memory === ours.memory && cost.passes === ours.passes && cost.parallelism === ours.parallelism;
  return { isRight, isOutdated: isRight && !(isOurs && tag.length === TAG_BYTES) };
}

const nobody = (cost: PasswordCost): Stored => ({ cost, salt: Buffer.alloc(SALT_BYTES), tag: Buffer.alloc(TAG_BYTES) });

/** Why a password cannot be taken; `about` is what others know of the person: address, names. Asks nobody outside. */
export function findPasswordFaults(password: string, about: string[], pointer: string): Fault[] {
  const plain = normalize(password);
  const length = [...plain].length;
  if (length < MIN_LENGTH || length > MAX_LENGTH) return [{ pointer, code: 'password_length' }];
  // Created at first use, because its dictionaries take a moment of the start.
  guessing ??= new ZxcvbnFactory({ dictionary, graphs, ...GUESSING });
  const words = [...LOCAL_WORDS, ...about, ...about.flatMap((value) => value.split(/[^\p{L}\p{N}]+/u))];
  const known = [...new Set(words.map((word) => word.toLowerCase()))].filter((word) => word.length > 1);
  const { score } = guessing.check(plain, known);
  return score < MIN_SCORE || isMadeOf(plain, known) ? [{ pointer, code: 'password_common' }] : [];
}

/** Known words with signs between them, which the guessing takes for letters of anybody's choice. */
function isMadeOf(plain: string, known: string[]): boolean {
  const longestFirst = known.filter((word) => word.length > 2).sort((a, b) => b.length - a.length);
  const rest = longestFirst.reduce((left, word) => left.replaceAll(word, ' '), plain.toLowerCase());
  return rest !== plain.toLowerCase() && rest.replace(/[^\p{L}\p{N}]/gu, '').length < MIN_OWN;
}

let guessing: ZxcvbnFactory | undefined;

/** The same keys on another keyboard may give other bytes for the same letters. */
function normalize(password: string): string {
  // One so long is no password, however it is written; to put its accents in order takes the square of their number.
  return password.length > 8 * MAX_LENGTH ? password.slice(0, 8 * MAX_LENGTH) : password.normalize('NFKC');
}

const runArgon2 = promisify(argon2);

async function derive(password: string, nonce: Buffer, tagLength: number, cost: PasswordCost): Promise<Buffer> {
  await takePlace();
  try {
    return await runArgon2('argon2id', { message: normalize(password), nonce, tagLength, ...cost });
  } finally {
    leavePlace();
  }
}

let running = 0;
const waiting: (() => void)[] = [];

async function takePlace(): Promise<void> {
  if (running < MAX_AT_ONCE) running += 1;
  else if (waiting.length >= MAX_WAITING) throw tryLater('service_unavailable', 2);
  else await new Promise<void>((resolve) => waiting.push(resolve));
}

/** The place goes on to the next, who was first to wait. */
function leavePlace(): void {
  const next = waiting.shift();
  if (next) next();
  else running -= 1;
}

const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/;

function readPhc(phc: string): Stored | null {
  const [, memory, passes, parallelism, salt = '', tag = ''] = PHC.exec(phc) ?? [];
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const isPossible =
    cost.parallelism >= 1 &&
    cost.passes >= 1 &&
    cost.memory >= 8 * cost.parallelism &&
    cost.memory <= MAX_COST.memory &&
    cost.passes <= MAX_COST.passes &&
    cost.parallelism <= MAX_COST.parallelism;
  return isPossible ? { cost, salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') } : null;
}

/** Base64 without padding, as PHC strings have it. */
const encode = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
