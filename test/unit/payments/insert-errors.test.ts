import { describe, expect, test } from 'vitest';
import { isConflict, isFaultOfRows } from '../../../server/payments/core/insert.ts';

const failure = (code: string | undefined, message = 'failed') => Object.assign(new Error(message), code && { code });

describe('the PostgreSQL error code', () => {
  test.each([
    // [error code, caused by the inserted rows, conflict with an existing row]
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
  ])('%s is caused by the inserted rows (%s) and by a conflict with an existing row (%s)', (code, isFault, isTaken) => {
    expect({ isFault: isFaultOfRows(failure(code)), isTaken: isConflict(failure(code)) }).toEqual({ isFault, isTaken });
  });
});
