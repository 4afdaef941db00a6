// A terminal's table, status by status and event by event, held against the same table written by hand.
import { describe, expect, test } from 'vitest';
import { ACTIONS, TELL, TRANSITIONS, UNDERWAY, type TerminalEvent } from '../../../server/terminals/states.ts';
import type { TerminalStatus } from '../../../server/providers/provider.ts';

const STATUSES = ['Closed', 'Opening', 'Open', 'Closing'] as const satisfies readonly TerminalStatus[];

/** decisions §6 once more, by hand: where each event leads from each status; `null`: it does not apply. */
const LEADS: Record<TerminalEvent, Record<TerminalStatus, TerminalStatus | null>> = {
  open: { Closed: 'Opening', Opening: null, Open: null, Closing: null },
  close: { Closed: null, Opening: null, Open: 'Closing', Closing: null },
  undoOpen: { Closed: null, Opening: 'Closed', Open: null, Closing: null },
  undoClose: { Closed: null, Opening: null, Open: null, Closing: 'Open' },
  tellOpening: { Closed: 'Opening', Opening: null, Open: 'Opening', Closing: 'Opening' },
  tellOpen: { Closed: 'Open', Opening: 'Open', Open: null, Closing: 'Open' },
  tellClosing: { Closed: 'Closing', Opening: 'Closing', Open: 'Closing', Closing: null },
  tellClosed: { Closed: null, Opening: 'Closed', Open: 'Closed', Closing: 'Closed' },
};
const EVENTS = Object.keys(LEADS) as TerminalEvent[];
const PAIRS = STATUSES.flatMap((status) => EVENTS.map((event) => [status, event, LEADS[event][status]] as const));

test('the table by hand knows every event of the table in the code, and every pair', () => {
  expect(Object.keys(TRANSITIONS).sort()).toEqual([...EVENTS].sort());
  expect(PAIRS).toHaveLength(32);
});

test.each(PAIRS)('%s, %s: %s', (status, event, to) => {
  const { from, to: target }: { from: readonly TerminalStatus[]; to: TerminalStatus } = TRANSITIONS[event];
  expect(from.includes(status) ? target : null).toBe(to);
});

describe('what is said of the table', () => {
  test.each(['open', 'close'] as const)('%s leads on its way, and its way has its goal and one way back', (action) => {
    const { goal, underway } = ACTIONS[action];
    const origin = TRANSITIONS[action].from[0];
    expect(TRANSITIONS[action].to).toBe(underway);
    const { undo, goal: end } = UNDERWAY[underway]!;
    expect(end).toBe(goal);
    expect(TRANSITIONS[undo]).toMatchObject({ from: [underway], to: origin });
    expect(LEADS[TELL[goal]][underway]).toBe(goal);
  });

  test('open and closed are at rest', () => {
    expect(UNDERWAY.Open).toBeNull();
    expect(UNDERWAY.Closed).toBeNull();
  });

  test('whatever the rail tells can be recorded from anywhere else', () => {
    for (const told of STATUSES)
      for (const status of STATUSES) expect(LEADS[TELL[told]][status]).toBe(status === told ? null : told);
  });
});
