import { PassThrough } from 'node:stream';
import pg from 'pg';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import {
  AnswerLost,
  errorOfWrite,
  limitUnavailableLog,
  isDatabaseUnavailable,
  markUnreached,
  repeatLost,
} from '../../../server/database/unavailable.ts';
import { testClock } from '../../support/clock.ts';

const errorOf = (code: string, message = 'no') => Object.assign(new Error(message), { code });

test.each([
  ['53100', 'a full disk'],
  ['53200', 'no memory'],
  ['53300', 'too many connections'],
  ['58030', 'a disk that fails'],
  ['25006', 'a server that may only be read'],
  ['57P01', 'a server that stops'],
  ['08006', 'a broken connection'],
  ['ECONNREFUSED', 'nobody there'],
])('the PostgreSQL error %s means an unavailable database: %s', (code) => {
  expect(isDatabaseUnavailable(errorOf(code))).toBe(true);
  expect(isDatabaseUnavailable(new Error('outside', { cause: errorOf(code) }))).toBe(true);
});

test.each(['23505', '40001', '42P01', '55P03', '22003'])(
  'the PostgreSQL error %s does not mean an unavailable database',
  (code) => {
    expect(isDatabaseUnavailable(errorOf(code))).toBe(false);
  },
);

const refusalOf = (code: string) => Object.assign(new pg.DatabaseError('no', 2, 'error'), { code });

describe('errorOfWrite', () => {
  test.each<[string, Error]>([
    ['a reset', errorOf('ECONNRESET')],
    ['a closed connection', new Error('Connection terminated unexpectedly')],
    ['silence', new Error('Query read timeout')],
    ['an error of TLS', errorOf('ERR_SSL_WRONG_VERSION_NUMBER')],
    ['a pooler whose server crashed', refusalOf('08P01')],
  ])('returns AnswerLost (unknown outcome) for %s', (_name, error) => {
    const lost = errorOfWrite(error);
    expect(lost).toBeInstanceOf(AnswerLost);
    expect(lost).toHaveProperty('cause', error);
    expect(isDatabaseUnavailable(lost)).toBe(false);
  });

  test.each<[string, Error]>([
    ['an administrator’s stop', refusalOf('57P01')],
    ['a broken constraint', refusalOf('23505')],
    [
      'a connection that was closed before',
      new Error('Client has encountered a connection error and is not queryable'),
    ],
    ['a client that has ended', new Error('Client was closed and is not queryable')],
  ])('returns the same error for %s', (_name, error) => {
    expect(errorOfWrite(error)).toBe(error);
  });
});

describe('markUnreached', () => {
  test('marks every failed attempt to get a connection, by promise, callback and query', async () => {
    const pool = new pg.Pool({
      host: '127.0.0.1',
      port: 9,
      user: 'u',
      password: () => Promise.reject(new Error('odd')),
    });
    markUnreached(pool);
    const errors = [
      await pool.connect().catch((error: unknown) => error),
      await pool.query('select 1').catch((error: unknown) => error),
      await new Promise((resolve) => pool.connect((error) => resolve(error))),
    ];
    await pool.end();
    errors.push(await pool.connect().catch((error: unknown) => error));
    for (const error of errors) {
      expect(isDatabaseUnavailable(error)).toBe(true);
      expect(errorOfWrite(error)).toBe(error);
    }
  });
});

describe('repeatLost', () => {
  const lost = new AnswerLost(errorOf('ECONNRESET'));
  const script = (...outcomes: unknown[]) => {
    const run = async () => {
      const outcome = outcomes.shift();
      if (outcome instanceof Error) throw outcome;
      return outcome;
    };
    return Object.assign(run, { left: outcomes });
  };

  test('runs a write again only after AnswerLost', async () => {
    expect(await repeatLost(script(lost, 'found'))).toBe('found');
    const refused = script(errorOf('57P01'), 'never');
    await expect(repeatLost(refused)).rejects.toMatchObject({ code: '57P01' });
    expect(refused.left).toEqual(['never']);
  });

  test('throws the first AnswerLost if the second run finds no database', async () => {
    await expect(repeatLost(script(lost, errorOf('ECONNREFUSED')))).rejects.toBe(lost);
    await expect(repeatLost(script(lost, new AnswerLost(errorOf('EPIPE'))))).rejects.toBe(lost);
    await expect(repeatLost(script(lost, errorOf('23505')))).rejects.toMatchObject({ code: '23505' });
  });
});

test('errors of an unavailable database are one log line a second, without a stack, counted by effect', async () => {
  const clock = testClock();
  const sink = new PassThrough();
  const log = limitUnavailableLog(pino(sink), clock);
  const readLines = () => {
    const text = sink.read();
    return text === null ? [] : String(text).trim().split('\n').map((line) => JSON.parse(line)); // prettier-ignore
  };
  const full = errorOf('53100', 'could not extend file\nHINT: check free disk space');
  const fail = (msg: string, err: Error) => log.error({ err, requestId: 'r' }, msg);
  for (let nth = 0; nth < 5; nth++) fail('request failed', full);
  log.child({ of: 'a child' }).info('a line of another kind');
  const first = { level: 50, code: '53100', reason: 'could not extend file', said: { 'request failed': 1 } };
  const [said, child, ...none] = readLines();
  expect(said).toMatchObject(first);
  expect(JSON.stringify(said)).not.toMatch(/stack|HINT/);
  expect(child).toMatchObject({ of: 'a child' });
  expect(none).toEqual([]);

  log.warn({ err: full }, 'could not poll events');
  await clock.advance(1_000);
  expect(readLines()).toMatchObject([{ said: { 'request failed': 4, 'could not poll events': 1 } }]);
  await clock.advance(2_000);
  expect(readLines()).toEqual([]);
  fail('request failed', full);
  fail('request failed', errorOf('42P01'));
  expect(readLines()).toMatchObject([first, { err: { code: '42P01' }, msg: 'request failed' }]);
  // Each error with an unknown outcome has its own log line.
  fail('request failed', new AnswerLost(full));
  fail('request failed', new AnswerLost(full));
  expect(readLines()).toMatchObject([{ err: { type: 'AnswerLost' } }, { err: { type: 'AnswerLost' } }]);
});
