import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttemptKind, AttemptStatus } from '../../../server/payments/core/entities.ts';
import type { Via } from '../../../server/payments/core/record-transaction.ts';
import { isAbandoned, nextPoll, nextPollAt, nextCodePollAt } from '../../../server/payments/core/schedule.ts';
import { UNKNOWN_OUTCOME } from '../../../server/providers/rail-call.ts';

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
const unknown = (reason: string) => ({ ...UNKNOWN_OUTCOME, details: { reason } });
const NOT_FOUND = { ...UNKNOWN_OUTCOME, result: 'not_found' } as const;
const PENDING = { ...UNKNOWN_OUTCOME, result: 'pending' } as const;

describe('an order whose call to the rail ended', () => {
  test.each([
    ['unreachable', 'Unreached'],
    ['connection', 'Unsent'],
    ['timeout', 'Sent'],
    ['rail_error', 'Sent'],
    ['unreadable', 'Sent'],
  ])('with the error %s has the status %s', (reason, status) => {
    const heard = { outcome: unknown(reason), via: 'answer', at: after(1) } as const;
    expect(nextPoll(core, { attempt: attemptOf('Unsent'), ...heard })).toEqual({ status, dueAt: after(2) });
  });

  test.each<[string, Given & { via?: Via }]>([
    ['it was sent before', { sentS: 6 }],
    ['a poll reports it', { via: 'poll' }],
    ['it is a void', { kind: 'void' }],
  ])('with the error unreachable stays Unsent if %s', (_why, { via = 'answer', ...given }) => {
    const heard = { outcome: unknown('unreachable'), via, at: after(7) };
    expect(nextPoll(core, { attempt: attemptOf('Unsent', given), ...heard }).status).toBe('Unsent');
  });

  test('is polled immediately if it is too late to send the order again', () => {
    const heard = { outcome: unknown('unreachable'), via: 'answer', at: after(31) } as const;
    const look = nextPoll(core, { attempt: attemptOf('Unsent'), ...heard });
    expect(look).toEqual({ status: 'Unreached', dueAt: after(31) });
  });
});

test('an order that is sent again without reaching the rail stays Unreached', () => {
  const attempt = { ...attemptOf('Unsent', { sentS: 6, dueS: 21 }), wasUnreached: true };
  const look = nextPoll(core, { attempt, outcome: unknown('unreachable'), via: 'answer', at: after(7) });
  expect(look).toEqual({ status: 'Unreached', dueAt: after(15) });
});

describe('an order that never reached the rail', () => {
  test.each([
    ['nothing', UNKNOWN_OUTCOME, 'Unreached'],
    ['no connection', unknown('unreachable'), 'Unreached'],
    ['a lost connection', unknown('connection'), 'Unreached'],
    ['no answer', unknown('timeout'), 'Unreached'],
    ['not_found', NOT_FOUND, 'Unreached'],
    ['pending', PENDING, 'Sent'],
    ['an unreadable answer', unknown('unreadable'), 'Unsent'],
    ['an error of the rail', unknown('rail_error'), 'Unreached'],
    ['a refused query', unknown('rail_refused'), 'Unsent'],
  ])('has after a poll that returns %s the status %s', (_what, outcome, status) => {
    for (const via of ['poll', 'sync'] as const) {
      const look = nextPoll(core, { attempt: attemptOf('Unreached', { dueS: 5 }), outcome, via, at: after(5) });
      expect(look).toEqual({ status, dueAt: after(15) });
    }
  });

  test('is polled at the latest when its time to be sent ends', () => {
    const look = nextPoll(core, {
      attempt: attemptOf('Unreached'),
      outcome: UNKNOWN_OUTCOME,
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
    outcome: typeof NOT_FOUND | typeof PENDING | typeof UNKNOWN_OUTCOME = UNKNOWN_OUTCOME,
  ) => nextPoll(core, { attempt, outcome, via, at: after(atS) });

  test.each<[AttemptStatus, Via, dueS: number, nextS: number]>([
    ['Unsent', 'sync', 15, 15],
    ['Unsent', 'notification', 15, 15],
    ['Unsent', 'sync', 1, 2],
    ['Unsent', 'poll', 15, 2],
    ['Sent', 'sync', 15, 2],
    ['Sent', 'notification', 15, 2],
  ])('that is %s, was updated by %s and was due after %i s, happens after %i s', (status, via, dueS, nextS) => {
    expect(lookAt(attemptOf(status, { dueS }), via, 1)).toEqual({ status, dueAt: after(nextS) });
  });

  test('follows the schedule during the payer’s window', () => {
    expect(lookAt(attemptOf('Sent'), 'poll', 60).dueAt).toEqual(nextPollAt(MADE_AT, after(60), 90_000));
  });

  test('does not change the status Sent after a lost response', () => {
    const attempt = attemptOf('Sent', { dueS: 2 });
    const look = nextPoll(core, { attempt, outcome: unknown('unreachable'), via: 'answer', at: after(1) });
    expect(look.status).toBe('Sent');
  });

  describe('after the end of the schedule', () => {
    const LATE_S = 30 * 86_400;

    test.each<
      [string, AttemptKind, outcome: typeof NOT_FOUND | typeof PENDING | typeof UNKNOWN_OUTCOME, dueAt: Date | null]
    >([
      ['a purchase is not polled again', 'purchase', NOT_FOUND, null],
      ['a void that the rail does not know is sent again at once', 'void', NOT_FOUND, after(LATE_S)],
      ['a pending void is polled again', 'void', PENDING, nextPollAt(after(LATE_S - 1), after(LATE_S), 90_000)],
      ['a void without an answer is not polled again', 'void', UNKNOWN_OUTCOME, null],
    ])('%s', (_what, kind, outcome, dueAt) => {
      expect(nextPollAt(MADE_AT, after(LATE_S), 90_000)).toBeNull();
      expect(lookAt(attemptOf('Sent', { kind, sentS: LATE_S - 1 }), 'sync', LATE_S, outcome).dueAt).toEqual(dueAt);
    });
  });
});

describe('an order is given up', () => {
  test.each([
    ['it never reached the rail', attemptOf('Unreached'), UNKNOWN_OUTCOME, 30],
    ['it never reached the rail, which is still unreachable', attemptOf('Unreached'), unknown('unreachable'), 30],
    ['it never reached the rail, which does not know it', attemptOf('Unreached'), NOT_FOUND, 30],
    ['the rail does not know it', attemptOf('Unsent'), NOT_FOUND, 30],
    ['the rail does not know it and its last call may be in flight', attemptOf('Unsent', { sentS: 29 }), NOT_FOUND, 44],
    ['the rail no longer knows it', attemptOf('Sent', { sentS: 2 }), NOT_FOUND, 30],
  ])('after its timeout if %s', (_what, attempt, outcome, fromS) => {
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

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const PUSHED_AT = new Date('2026-03-02T09:00:00.000Z');

function nextAge(ageMs: number, windowMs: number): number | null {
  const next = nextPollAt(PUSHED_AT, new Date(PUSHED_AT.getTime() + ageMs), windowMs);
  return next && next.getTime() - PUSHED_AT.getTime();
}

/** The ages of all polls of a push without an outcome. */
function listPolls(windowMs: number): number[] {
  const ages: number[] = [];
  for (let age = nextAge(0, windowMs); age !== null; age = nextAge(age, windowMs)) ages.push(age);
  return ages;
}

describe('the polls of a push', () => {
  test('come after 2, 5, 15, 30 s, after its 90 s window, then each minute for an hour and hourly for 3 days', () => {
    const ages = listPolls(90 * SECOND);
    expect(ages.slice(0, 6)).toEqual([2, 5, 15, 30, 92, 152].map((s) => s * SECOND));
    const minutes = ages.slice(5).filter((age) => age < HOUR);
    expect(minutes).toEqual(minutes.map((_, i) => 152 * SECOND + i * MINUTE));
    const hours = ages.filter((age) => age >= HOUR);
    expect(hours.map((age, i) => (hours[i + 1] ?? age + HOUR) - age)).toEqual(hours.map(() => HOUR));
    expect(ages.at(-1)).toBeGreaterThanOrEqual(72 * HOUR);
    expect(ages.at(-1)).toBeLessThan(73 * HOUR);
    expect(ages).toHaveLength(4 + 59 + 72);
  });

  test.each([
    [5 * SECOND, [2, 5, 7, 15, 30, 90]],
    [20 * SECOND, [2, 5, 15, 22, 30, 90]],
    [600 * SECOND, [2, 5, 15, 30, 602, 662]],
  ])('include one just after the payer’s window of %i ms', (windowMs, seconds) => {
    expect(listPolls(windowMs).slice(0, 6)).toEqual(seconds.map((s) => s * SECOND));
  });
});

const windows = fc.integer({ min: SECOND, max: 24 * HOUR });

test('the next poll lies in the future, at most one hour or the payer’s window ahead', () => {
  fc.assert(
    fc.property(fc.nat(72 * HOUR - 1), windows, (ageMs, windowMs) => {
      const next = nextAge(ageMs, windowMs);
      expect(next).toBeGreaterThan(ageMs);
      expect(Number(next) - ageMs).toBeLessThanOrEqual(Math.max(HOUR, windowMs + 2 * SECOND));
    }),
  );
});

test('a node polls once after an outage, not once for each missed poll', () => {
  const ageMs = 20 * MINUTE + 17;
  expect(nextAge(ageMs, 90 * SECOND)).toBe(ageMs + MINUTE);
});

test('the polls of an order end after three days', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 72 * HOUR, max: 1_000 * HOUR }),
      fc.integer({ min: SECOND, max: HOUR }),
      (ageMs, windowMs) => {
        expect(nextAge(ageMs, windowMs)).toBeNull();
      },
    ),
  );
});

describe('the polls of a QR code', () => {
  const at = (ageMs: number) => new Date(PUSHED_AT.getTime() + ageMs);
  /** The ages of a QR code at its polls, up to this number of polls. */
  function listCodePolls(count: number, endMs: number | null, closedMs: number | null = null): number[] {
    const ages: number[] = [];
    const times = { createdAt: PUSHED_AT, endsAt: endMs === null ? null : at(endMs) };
    for (let age = closedMs ?? 0; ages.length < count;) {
      const next = nextCodePollAt({ ...times, closedAt: closedMs === null ? null : at(closedMs) }, at(age));
      if (!next) break;
      ages.push((age = next.getTime() - PUSHED_AT.getTime()));
    }
    return ages;
  }

  test('come after 2, 5, 15, 30 s, each minute for an hour, then each ten minutes', () => {
    const ages = listCodePolls(70, 24 * HOUR);
    expect(ages.slice(0, 6)).toEqual([2, 5, 15, 30, 90, 150].map((s) => s * SECOND));
    const minutes = ages.slice(4).filter((age) => age < HOUR);
    expect(minutes).toEqual(minutes.map((_, nth) => 90 * SECOND + nth * MINUTE));
    const tens = ages.filter((age) => age >= HOUR);
    expect(tens.length).toBeGreaterThan(3);
    expect(tens.slice(1).map((age, nth) => age - tens[nth]!)).toEqual(tens.slice(1).map(() => 10 * MINUTE));
  });

  test.each([
    ['between two polls', 20 * MINUTE + 1],
    ['after a day', 24 * HOUR + 3 * MINUTE],
  ])('include one at the code’s expiry %s', (_name, endMs) => {
    const ages = listCodePolls(500, endMs);
    expect(ages).toContain(endMs);
    expect(ages[ages.indexOf(endMs) - 1]).toBeLessThan(endMs);
  });

  test('come a minute, an hour and a day after the code was closed, and then end', () => {
    const closedMs = 20 * MINUTE;
    expect(listCodePolls(10, 24 * HOUR, closedMs)).toEqual([MINUTE, HOUR, 24 * HOUR].map((ms) => closedMs + ms));
    const long = { createdAt: PUSHED_AT, endsAt: null, closedAt: PUSHED_AT };
    expect(nextCodePollAt(long, at(24 * HOUR))).toBeNull();
    expect(nextCodePollAt(long, at(9_000 * HOUR))).toBeNull();
  });

  test('come within ten minutes while the code is open, and never lie in the past', () => {
    fc.assert(
      fc.property(fc.nat(10_000 * HOUR), fc.option(fc.nat(10_000 * HOUR)), (ageMs, endMs) => {
        const endsAt = endMs === null ? null : at(endMs);
        const next = nextCodePollAt({ createdAt: PUSHED_AT, endsAt, closedAt: null }, at(ageMs));
        const waitMs = Number(next) - PUSHED_AT.getTime() - ageMs;
        expect(waitMs).toBeGreaterThan(0);
        expect(waitMs).toBeLessThanOrEqual(10 * MINUTE);
      }),
    );
  });

  test('come once after an outage of the node, not once for each missed poll', () => {
    const times = { createdAt: PUSHED_AT, endsAt: at(24 * HOUR), closedAt: null };
    expect(nextCodePollAt(times, at(40 * MINUTE + 7))).toEqual(at(41 * MINUTE + 7));
  });
});
