import { describe, expect, test } from 'vitest';
import {
  ACTIONS,
  REPORTED_EVENT,
  TRANSITIONS,
  UNDERWAY,
  type TerminalEvent,
} from '../../../server/terminals/states.ts';
import type { TerminalStatus } from '../../../server/providers/provider.ts';

const STATUSES = ['Closed', 'Opening', 'Open', 'Closing'] as const satisfies readonly TerminalStatus[];

/** The table of transitions, written by hand. `null` means that the event does not apply. */
const LEADS: Record<TerminalEvent, Record<TerminalStatus, TerminalStatus | null>> = {
  open: { Closed: 'Opening', Opening: null, Open: null, Closing: null },
  close: { Closed: null, Opening: null, Open: 'Closing', Closing: null },
  undoOpen: { Closed: null, Opening: 'Closed', Open: null, Closing: null },
  undoClose: { Closed: null, Opening: null, Open: null, Closing: 'Open' },
  reportOpening: { Closed: 'Opening', Opening: null, Open: 'Opening', Closing: 'Opening' },
  reportOpen: { Closed: 'Open', Opening: 'Open', Open: null, Closing: 'Open' },
  reportClosing: { Closed: 'Closing', Opening: 'Closing', Open: 'Closing', Closing: null },
  reportClosed: { Closed: null, Opening: 'Closed', Open: 'Closed', Closing: 'Closed' },
};
const EVENTS = Object.keys(LEADS) as TerminalEvent[];
const PAIRS = STATUSES.flatMap((status) => EVENTS.map((event) => [status, event, LEADS[event][status]] as const));

test('the expected table of this test has every event and every pair of statuses', () => {
  expect(Object.keys(TRANSITIONS).sort()).toEqual([...EVENTS].sort());
  expect(PAIRS).toHaveLength(32);
});

test.each(PAIRS)('a terminal that is %s changes by the event %s to %s', (status, event, to) => {
  const { from, to: target }: { from: readonly TerminalStatus[]; to: TerminalStatus } = TRANSITIONS[event];
  expect(from.includes(status) ? target : null).toBe(to);
});

describe('the table of transitions', () => {
  test.each(['open', 'close'] as const)(
    'leads by the operation %s to its final status, or back to the former status',
    (action) => {
      const { goal, underway } = ACTIONS[action];
      const origin = TRANSITIONS[action].from[0];
      expect(TRANSITIONS[action].to).toBe(underway);
      const { undo, goal: end } = UNDERWAY[underway]!;
      expect(end).toBe(goal);
      expect(TRANSITIONS[undo]).toMatchObject({ from: [underway], to: origin });
      expect(LEADS[REPORTED_EVENT[goal]][underway]).toBe(goal);
    },
  );

  test('has no running operation in Open and Closed', () => {
    expect(UNDERWAY.Open).toBeNull();
    expect(UNDERWAY.Closed).toBeNull();
  });

  test('accepts every status that the rail reports', () => {
    for (const told of STATUSES)
      for (const status of STATUSES) expect(LEADS[REPORTED_EVENT[told]][status]).toBe(status === told ? null : told);
  });
});
