// What an error of the database says of a creation: that nothing was written, that another came first, or that nobody can tell.
import { describe, expect, test } from 'vitest';
import { isAnswerLost, isConflict, isFaultOfRows } from '../../server/payments/insert.ts';

const failure = (code: string | undefined, message = 'failed') => Object.assign(new Error(message), code && { code });

describe('a code of PostgreSQL', () => {
  test.each([
    // [code, a fault of the rows, a conflict with another]
    ['23505', true, true],
    ['40001', true, true],
    ['40P01', true, true],
    ['22001', true, false],
    ['23503', true, false],
    ['40002', true, false],
    ['42601', false, false],
    ['57P01', false, false],
    ['08006', false, false],
    ['22', false, false],
    ['220011', false, false],
    ['122001', false, false],
    ['22-01', false, false],
    ['235051', false, false],
    ['123505', false, false],
    [undefined, false, false],
  ])('%s', (code, isFault, isTaken) => {
    expect({ isFault: isFaultOfRows(failure(code)), isTaken: isConflict(failure(code)) }).toEqual({ isFault, isTaken });
    expect(isAnswerLost(failure(code))).toBe(false);
  });
});

test.each([
  ['ECONNRESET', 'read ECONNRESET', true],
  ['EPIPE', 'write EPIPE', true],
  [undefined, 'Connection terminated unexpectedly', true],
  [undefined, 'Query read timeout', true],
  [undefined, 'something else', false],
  ['ECONNREFUSED', 'connect ECONNREFUSED', false],
  ['ECONNRESETS', 'failed', false],
  ['XEPIPE', 'failed', false],
  // The server ended it by its own word: nothing was committed.
  ['57P01', 'terminating connection: terminated by an administrator', false],
  ['25P03', 'read timeout', false],
])('after %s, “%s” the answer is lost: %s', (code, message, isLost) => {
  expect(isAnswerLost(failure(code, message))).toBe(isLost);
});

test('an error without a message loses no answer', () => {
  expect(isAnswerLost({})).toBe(false);
});
