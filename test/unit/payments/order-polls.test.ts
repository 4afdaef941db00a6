// What is known of an order without an outcome: whether the rail may have it, when it is asked again, and when it surely never got there.
import { describe, expect, test } from 'vitest';
import type { AttemptKind, AttemptStatus } from '../../../../server/payments/core/entities.ts';
import { isAbandoned, nextPoll, nextPollAt } from '../../../../server/payments/core/schedule.ts';
import type { Via } from '../../../../server/payments/core/record-transaction.ts';
import { NOTHING_HEARD } from '../../../../server/providers/ask.ts';

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

describe('after its call ended', () => {
  test.each([
    ['unreachable', 'Unreached'],
    ['connection', 'Unsent'],
    ['timeout', 'Sent'],
    ['rail_error', 'Sent'],
    ['unreadable', 'Sent'],
  ])('by %s, it is %s', (reason, status) => {
    const heard = { outcome: unknown(reason), via: 'answer', at: after(1) } as const;
    expect(nextPoll(core, { attempt: attemptOf('Unsent'), ...heard })).toEqual({ status, dueAt: after(2) });
  });

  test.each<[string, Given & { via?: Via }]>([
    ['it was sent before', { sentS: 6 }],
    ['somebody else says so', { via: 'poll' }],
    ['it is a void, which goes out until the rail has it', { kind: 'void' }],
  ])('unreachable, but %s: nobody can tell', (_why, { via = 'answer', ...given }) => {
    const heard = { outcome: unknown('unreachable'), via, at: after(7) };
    expect(nextPoll(core, { attempt: attemptOf('Unsent', given), ...heard }).status).toBe('Unsent');
  });

  test('when its time to go out is over, it is looked at at once', () => {
    const heard = { outcome: unknown('unreachable'), via: 'answer', at: after(31) } as const;
    const look = nextPoll(core, { attempt: attemptOf('Unsent'), ...heard });
    expect(look).toEqual({ status: 'Unreached', dueAt: after(31) });
  });
});

test('sent again unreachable, after calls that found nobody, it is still nowhere', () => {
  const attempt = { ...attemptOf('Unsent', { sentS: 6, dueS: 21 }), wasUnreached: true };
  const look = nextPoll(core, { attempt, outcome: unknown('unreachable'), via: 'answer', at: after(7) });
  expect(look).toEqual({ status: 'Unreached', dueAt: after(15) });
});

describe('while it has reached nobody', () => {
  test.each([
    ['nothing', NOTHING_HEARD, 'Unreached'],
    ['no connection', unknown('unreachable'), 'Unreached'],
    ['a lost connection', unknown('connection'), 'Unreached'],
    ['no answer', unknown('timeout'), 'Unreached'],
    ['that the rail has none', NOT_FOUND, 'Unreached'],
    ['that the rail has it', PENDING, 'Sent'],
    ['something unreadable about it', unknown('unreadable'), 'Unsent'],
    ['an error of the rail, which is no word of the order', unknown('rail_error'), 'Unreached'],
    ['that the rail refuses the question', unknown('rail_refused'), 'Unsent'],
  ])('a question that hears %s', (_what, outcome, status) => {
    for (const via of ['poll', 'sync'] as const) {
      const look = nextPoll(core, { attempt: attemptOf('Unreached', { dueS: 5 }), outcome, via, at: after(5) });
      expect(look).toEqual({ status, dueAt: after(15) });
    }
  });

  test('the next look is never later than its end', () => {
    const look = nextPoll(core, {
      attempt: attemptOf('Unreached'),
      outcome: NOTHING_HEARD,
      via: 'poll',
      at: after(29.9),
    });
    expect(look.dueAt).toEqual(after(30));
  });
});

describe('when it is asked again', () => {
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
  ])(
    '%s, by %s, due after %i s: after %i s, so that nobody’s time to send it is shortened',
    (status, via, dueS, nextS) => {
      expect(lookAt(attemptOf(status, { dueS }), via, 1)).toEqual({ status, dueAt: after(nextS) });
    },
  );

  test('often while the payer may decide', () => {
    expect(lookAt(attemptOf('Sent'), 'poll', 60).dueAt).toEqual(nextPollAt(MADE_AT, after(60), 90_000));
  });

  test('an answer that never came does not undo that it was sent', () => {
    const attempt = attemptOf('Sent', { dueS: 2 });
    const look = nextPoll(core, { attempt, outcome: unknown('unreachable'), via: 'answer', at: after(1) });
    expect(look.status).toBe('Sent');
  });

  describe('after the last of its questions', () => {
    const LATE_S = 30 * 86_400;

    test.each<
      [string, AttemptKind, outcome: typeof NOT_FOUND | typeof PENDING | typeof NOTHING_HEARD, dueAt: Date | null]
    >([
      ['a purchase is asked about no more', 'purchase', NOT_FOUND, null],
      ['a void that the rail has not got is made again at once', 'void', NOT_FOUND, after(LATE_S)],
      ['a void under way is followed again', 'void', PENDING, nextPollAt(after(LATE_S - 1), after(LATE_S), 90_000)],
      ['a void of which nothing is heard rests', 'void', NOTHING_HEARD, null],
    ])('%s', (_what, kind, outcome, dueAt) => {
      expect(nextPollAt(MADE_AT, after(LATE_S), 90_000)).toBeNull();
      expect(lookAt(attemptOf('Sent', { kind, sentS: LATE_S - 1 }), 'sync', LATE_S, outcome).dueAt).toEqual(dueAt);
    });
  });
});

describe('is lost', () => {
  test.each([
    ['reached nobody', attemptOf('Unreached'), NOTHING_HEARD, 30],
    ['reached nobody, and the rail is still away', attemptOf('Unreached'), unknown('unreachable'), 30],
    ['reached nobody, and the rail has none', attemptOf('Unreached'), NOT_FOUND, 30],
    ['the rail has none', attemptOf('Unsent'), NOT_FOUND, 30],
    ['the rail has none, and its last call may be under way', attemptOf('Unsent', { sentS: 29 }), NOT_FOUND, 44],
    ['the rail has none any more', attemptOf('Sent', { sentS: 2 }), NOT_FOUND, 30],
  ])('when it %s: from then on, and not before', (_what, attempt, outcome, fromS) => {
    expect(isAbandoned(config, { attempt, outcome, at: after(fromS - 0.001) })).toBe(false);
    expect(isAbandoned(config, { attempt, outcome, at: after(fromS) })).toBe(true);
  });

  test.each([
    ['it may be there', attemptOf('Unsent'), unknown('unreachable')],
    ['it was there', attemptOf('Sent'), unknown('unreachable')],
    ['the rail has it after all', attemptOf('Unreached'), PENDING],
    ['the rail says something of it', attemptOf('Unreached'), unknown('unreadable')],
    ['it is a void', attemptOf('Unsent', { kind: 'void' }), NOT_FOUND],
  ])('never while %s', (_what, attempt, outcome) => {
    expect(isAbandoned(config, { attempt, outcome, at: after(3600) })).toBe(false);
  });
});
