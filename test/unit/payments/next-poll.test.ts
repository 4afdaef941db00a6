// nextPoll() schedules the next poll of an order without an outcome: the columns to write and the log line.
import { expect, test } from 'vitest';
import type { AttemptKind, AttemptStatus } from '../../../server/payments/core/entities.ts';
import { isInstruction, nextPoll } from '../../../server/payments/core/schedule.ts';
import { UNKNOWN_OUTCOME } from '../../../server/providers/rail-call.ts';

const CREATED_AT = new Date('2026-03-02T09:00:00.000Z');
const after = (seconds: number) => new Date(CREATED_AT.getTime() + seconds * 1_000);
const config = { GPO_TIMEOUT_S: 10, GPO_PUSH_WINDOW_S: 90 } as never;
const core = { config, log: { warn: () => {} } as never };
const PENDING = { ...UNKNOWN_OUTCOME, result: 'pending' } as const;

const unknown = (reason: string) => ({ ...UNKNOWN_OUTCOME, details: { reason } });
const attemptOf = (status: AttemptStatus, kind: AttemptKind = 'purchase') => ({
  id: 'one',
  kind,
  status,
  createdAt: CREATED_AT,
  sentAt: CREATED_AT,
  dueAt: after(15),
});

test('nextPoll keeps the id that the rail gave to the order', () => {
  const about = { attempt: attemptOf('Sent'), via: 'poll', at: after(1) } as const;
  const next = { status: 'Sent', dueAt: after(2) };
  expect(nextPoll(core, { ...about, outcome: { ...PENDING, railOrderId: 'R-1' } })).toStrictEqual({
    ...next,
    railOrderId: 'R-1',
  });
  expect(nextPoll(core, { ...about, outcome: PENDING })).toStrictEqual(next);
});

test('nextPoll logs the reason why the outcome is still open', () => {
  const logged: unknown[] = [];
  const log = { warn: (...line: unknown[]) => logged.push(line) } as never;
  const about = { attempt: attemptOf('Sent'), via: 'poll', at: after(1) } as const;
  nextPoll({ config, log }, { ...about, outcome: PENDING });
  expect(logged).toEqual([]);
  nextPoll({ config, log }, { ...about, outcome: unknown('timeout') });
  const line = { attemptId: 'one', result: 'unknown', reason: 'timeout', via: 'poll' };
  expect(logged).toEqual([[line, 'rail outcome open']]);
});

test('nextPoll sets a refund to Unreached if no connection was made, and continues to poll', () => {
  const attempt = attemptOf('Unsent', 'refund');
  const said = { outcome: unknown('unreachable'), via: 'answer', at: after(31) } as const;
  expect(nextPoll(core, { attempt, ...said })).toEqual({ status: 'Unreached', dueAt: after(92) });
});

test.each([
  ['purchase', false],
  ['authorization', false],
  ['capture', false],
  ['void', true],
  ['refund', true],
] as const)('an order of kind %s is an instruction: %s', (kind, expected) => {
  expect(isInstruction({ kind })).toBe(expected);
});
