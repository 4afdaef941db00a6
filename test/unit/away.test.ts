// A database in trouble: which errors are its, and that the log says them together.
import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { gatherAway, isDatabaseAway } from '../../server/database/away.ts';
import { testClock } from '../support/clock.ts';

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
])('%s is the database’s trouble: %s', (code) => {
  expect(isDatabaseAway(errorOf(code))).toBe(true);
  expect(isDatabaseAway(new Error('outside', { cause: errorOf(code) }))).toBe(true);
});

test.each(['23505', '40001', '42P01', '55P03', '22003'])('%s is not', (code) => {
  expect(isDatabaseAway(errorOf(code))).toBe(false);
});

test('its errors are one line a second, without a stack, counted by what they stopped', async () => {
  const clock = testClock();
  const sink = new PassThrough();
  const log = gatherAway(pino(sink), clock);
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
});
