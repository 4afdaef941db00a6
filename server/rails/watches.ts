// Limits how much each rail account's host may use: answer bytes per minute, and job slots while it is silent.
import type { Clock } from '../clock.ts';
import type { AnswerWatch } from '../http/client/outgoing.ts';
import type { DueWork } from '../jobs/due.ts';
import { MINUTE_MS } from '../../shared/durations.ts';

export type Watches = {
  /** Returns the watch of one rail account. A changed account keeps its watch. */
  of(railId: string): AnswerWatch;
  /** True if a rail account's lists may be read: its answers in this minute use less than half of the byte budget. */
  hasBudget(railId: string): boolean;
  /** Slot limits for a job queue with a column `rail`. Silent rails share a quarter of the slots, one slot each. */
  turns: Required<Pick<DueWork, 'turns' | 'limit'>>;
};

/** The byte budget of a rail account's answers per minute. A node reads so many bytes in less than a second. */
export const BYTES_A_MINUTE = 16 * 1024 * 1024;
/** Size of small answers, which are always allowed and do not count against the byte budget. */
export const SMALL_BYTES = 4 * 1024;

/** A call that is slower than this counts as silent, since it occupies its slot as long. */
const SLOW_MS = 5_000;
/** Minimum consecutive silent calls after which the node pauses between two calls to the host. */
const MIN_SILENT_CALLS = 3;
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 60_000;

type AccountWatch = {
  /** `minuteStartMs`: the start of the current minute of the byte budget. */
  minuteStartMs: number;
  /** `bytes`: the size of all larger answers in this minute. */
  bytes: number;
  /** `consecutiveSilent`: the number of silent or slow calls since the last prompt answer. */
  consecutiveSilent: number;
  /** `pausedUntilMs`: the end of the pause after silent calls. Before it, no job calls the host. */
  pausedUntilMs: number;
};

/** Creates the watches of this node. Other nodes have watches of their own. */
export function createWatches(clock: Clock): Watches {
  const byRail = new Map<string, AccountWatch>();
  const nowMs = () => clock.now().getTime();
  const find = (railId: string): AccountWatch => {
    let one = byRail.get(railId);
    if (!one) byRail.set(railId, (one = { minuteStartMs: nowMs(), bytes: 0, consecutiveSilent: 0, pausedUntilMs: 0 }));
    if (nowMs() - one.minuteStartMs >= MINUTE_MS) Object.assign(one, { minuteStartMs: nowMs(), bytes: 0 });
    return one;
  };
  return {
    of: (railId) => ({
      limit: (maxBytes) => Math.min(maxBytes, Math.max(SMALL_BYTES, BYTES_A_MINUTE - find(railId).bytes)),
      note({ bytes, tookMs, isAnswered }) {
        const one = find(railId);
        if (bytes > SMALL_BYTES) one.bytes += bytes;
        one.consecutiveSilent = isAnswered && tookMs < SLOW_MS ? 0 : one.consecutiveSilent + 1;
        one.pausedUntilMs = nowMs() + pauseAfter(one.consecutiveSilent);
      },
    }),
    // The other half is for answers about orders. Pictures of QR codes, for example, are not small.
    hasBudget: (railId) => find(railId).bytes < BYTES_A_MINUTE / 2,
    turns: { turns: 'rail', limit: (busy, slots) => limitSilent(byRail, { busy, slots, nowMs: nowMs() }) },
  };
}

type Slots = { busy: ReadonlyMap<string, number>; slots: number; nowMs: number };

/** Returns the silent rails with the number of slots that each may use now. */
function limitSilent(byRail: ReadonlyMap<string, AccountWatch>, { busy, slots, nowMs }: Slots): Map<string, number> {
  const silent = [...byRail].filter(([, { consecutiveSilent }]) => consecutiveSilent > 0);
  // The silent host with the earliest end of its pause gets the first slot.
  silent.sort(([, one], [, other]) => one.pausedUntilMs - other.pausedUntilMs);
  const taken = silent.reduce((sum, [railId]) => sum + (busy.get(railId) ?? 0), 0);
  let left = Math.floor(slots / 4) - taken;
  return new Map(
    silent.map(([railId, { pausedUntilMs }]) => {
      const mayCall = !busy.has(railId) && pausedUntilMs <= nowMs && left-- > 0;
      return [railId, mayCall ? 1 : 0];
    }),
  );
}

/** Returns the pause of an account's jobs after a number of consecutive silent calls. */
function pauseAfter(consecutiveSilent: number): number {
  if (consecutiveSilent < MIN_SILENT_CALLS) return 0;
  return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (consecutiveSilent - MIN_SILENT_CALLS));
}
