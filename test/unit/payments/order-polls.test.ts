import { describe, expect, test } from 'vitest';
import type { AttemptKind, AttemptStatus } from '../../../server/payments/core/entities.ts';
import { isAbandoned, nextPoll, nextPollAt } from '../../../server/payments/core/schedule.ts';
import type { Via } from '../../../server/payments/core/record-transaction.ts';
import { NOTHING_HEARD } from '../../../server/providers/ask.ts';

const MADE_AT = new Date('2026-03-02T09:00:00.000Z');
const after = (seconds: number) => new Date(MADE_AT.getTime() + seconds * 1000);
const config = { GPO_TIMEOUT_S: 10, GPO_PUSH_WINDOW_S: 90 } as never;
const core = { config, log: { warn: () => {} } as never };

type Given = { kind?: AttemptKind; sentS?: number; dueS?: number };
const attemptOf = (status: AttemptStatus, { kind = 'purchase', sentS = 0, dueS = 15 }: Given = {}) => ({
  id: 'one',
  kind,
  status,
  createdAt: MADE_AT,
  sentAt: after(sentS),
  dueAt: after(dueS),
});
const unknown = (reason: string) => ({ ...NOTHING_HEARD, details: { reason } });
const NOT_FOUND = { ...NOTHING_HEARD, result: 'not_found' } as const;
const PENDING = { ...NOTHING_HEARD, result: 'pending' } as const;

describe('an order whose call ended', () => {
  test.each([
    ['unreachable', 'Unreached'],
    ['connection', 'Unsent'],
    ['timeout', 'Sent'],
    ['rail_error', 'Sent'],
    ['unreadable', 'Sent'],
  ])('by %s is %s', (reason, status) => {
    const heard = { outcome: unknown(reason), via: 'answer', at: after(1) } as const;
    expect(nextPoll(core, { attempt: attemptOf('Unsent'), ...heard })).toEqual({ status, dueAt: after(2) });
  });

  test.each<[string, Given & { via?: Via }]>([
    ['it was sent before', { sentS: 6 }],
    ['a poll reports it', { via: 'poll' }],
    ['it is a void', { kind: 'void' }],
  ])('unreachable stays Unsent if %s', (_why, { via = 'answer', ...given }) => {
    const heard = { outcome: unknown('unreachable'), via, at: after(7) };
    expect(nextPoll(core, { attempt: attemptOf('Unsent', given), ...heard }).status).toBe('Unsent');
  });

  test('after its time to go out is polled at once', () => {
    const heard = { outcome: unknown('unreachable'), via: 'answer', at: after(31) } as const;
    const look = nextPoll(core, { attempt: attemptOf('Unsent'), ...heard });
    expect(look).toEqual({ status: 'Unreached', dueAt: after(31) });
  });
});

test('an order that is sent again and reaches nothing stays Unreached', () => {
  const attempt = { ...attemptOf('Unsent', { sentS: 6, dueS: 21 }), wasUnreached: true };
  const look = nextPoll(core, { attempt, outcome: unknown('unreachable'), via: 'answer', at: after(7) });
  expect(look).toEqual({ status: 'Unreached', dueAt: after(15) });
});

describe('an order that never reached the rail', () => {
  test.each([
    ['nothing', NOTHING_HEARD, 'Unreached'],
    ['no connection', unknown('unreachable'), 'Unreached'],
    ['a lost connection', unknown('connection'), 'Unreached'],
    ['no answer', unknown('timeout'), 'Unreached'],
    ['not_found', NOT_FOUND, 'Unreached'],
    ['pending', PENDING, 'Sent'],
    ['an unreadable answer', unknown('unreadable'), 'Unsent'],
    ['an error of the rail', unknown('rail_error'), 'Unreached'],
    ['a refused query', unknown('rail_refused'), 'Unsent'],
  ])('after a poll that returns %s is %s', (_what, outcome, status) => {
    for (const via of ['poll', 'sync'] as const) {
      const look = nextPoll(core, { attempt: attemptOf('Unreached', { dueS: 5 }), outcome, via, at: after(5) });
      expect(look).toEqual({ status, dueAt: after(15) });
    }
  });

  test('is polled at its end at the latest', () => {
    const look = nextPoll(core, {
      attempt: attemptOf('Unreached'),
      outcome: NOTHING_HEARD,
      via: 'poll',
      at: after(29.9),
    });
    expect(look.dueAt).toEqual(after(30));
  });
});

describe('the next poll of an order', () => {
  const lookAt = (
    attempt: ReturnType<typeof attemptOf>,
    via: Via,
    atS: number,
    outcome: typeof NOT_FOUND | typeof PENDING | typeof NOTHING_HEARD = NOTHING_HEARD,
  ) => nextPoll(core, { attempt, outcome, via, at: after(atS) });

  test.each<[AttemptStatus, Via, dueS: number, nextS: number]>([
    ['Unsent', 'sync', 15, 15],
    ['Unsent', 'notification', 15, 15],
    ['Unsent', 'sync', 1, 2],
    ['Unsent', 'poll', 15, 2],
    ['Sent', 'sync', 15, 2],
    ['Sent', 'notification', 15, 2],
  ])('that is %s, seen by %s and due after %i s, comes after %i s', (status, via, dueS, nextS) => {
    expect(lookAt(attemptOf(status, { dueS }), via, 1)).toEqual({ status, dueAt: after(nextS) });
  });

  test('follows the schedule during the payer’s window', () => {
    expect(lookAt(attemptOf('Sent'), 'poll', 60).dueAt).toEqual(nextPollAt(MADE_AT, after(60), 90_000));
  });

  test('leaves a sent order Sent after a lost answer', () => {
    const attempt = attemptOf('Sent', { dueS: 2 });
    const look = nextPoll(core, { attempt, outcome: unknown('unreachable'), via: 'answer', at: after(1) });
    expect(look.status).toBe('Sent');
  });

  describe('after the end of the schedule:', () => {
    const LATE_S = 30 * 86_400;

    test.each<
      [string, AttemptKind, outcome: typeof NOT_FOUND | typeof PENDING | typeof NOTHING_HEARD, dueAt: Date | null]
    >([
      ['a purchase is not polled again', 'purchase', NOT_FOUND, null],
      ['a void that the rail does not know is sent again at once', 'void', NOT_FOUND, after(LATE_S)],
      ['a pending void is polled again', 'void', PENDING, nextPollAt(after(LATE_S - 1), after(LATE_S), 90_000)],
      ['a void without an answer is not polled again', 'void', NOTHING_HEARD, null],
    ])('%s', (_what, kind, outcome, dueAt) => {
      expect(nextPollAt(MADE_AT, after(LATE_S), 90_000)).toBeNull();
      expect(lookAt(attemptOf('Sent', { kind, sentS: LATE_S - 1 }), 'sync', LATE_S, outcome).dueAt).toEqual(dueAt);
    });
  });
});

describe('an order is abandoned', () => {
  test.each([
    ['it never reached the rail', attemptOf('Unreached'), NOTHING_HEARD, 30],
    ['it never reached the rail, which is still unreachable', attemptOf('Unreached'), unknown('unreachable'), 30],
    ['it never reached the rail, which does not know it', attemptOf('Unreached'), NOT_FOUND, 30],
    ['the rail does not know it', attemptOf('Unsent'), NOT_FOUND, 30],
    ['the rail does not know it and its last call may be in flight', attemptOf('Unsent', { sentS: 29 }), NOT_FOUND, 44],
    ['the rail no longer knows it', attemptOf('Sent', { sentS: 2 }), NOT_FOUND, 30],
  ])('from its time on if %s', (_what, attempt, outcome, fromS) => {
    expect(isAbandoned(config, { attempt, outcome, at: after(fromS - 0.001) })).toBe(false);
    expect(isAbandoned(config, { attempt, outcome, at: after(fromS) })).toBe(true);
  });

  test.each([
    ['it may have arrived', attemptOf('Unsent'), unknown('unreachable')],
    ['it has arrived', attemptOf('Sent'), unknown('unreachable')],
    ['the rail knows it', attemptOf('Unreached'), PENDING],
    ['the rail answers unreadably', attemptOf('Unreached'), unknown('unreadable')],
    ['it is a void', attemptOf('Unsent', { kind: 'void' }), NOT_FOUND],
  ])('never while %s', (_what, attempt, outcome) => {
    expect(isAbandoned(config, { attempt, outcome, at: after(3600) })).toBe(false);
  });
});
