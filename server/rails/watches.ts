// The share of a node that each account's host may take: bytes a minute, and job slots while it is silent.
import type { Clock } from '../clock.ts';
import type { AnswerWatch } from '../http/client/outgoing.ts';
import type { DueWork } from '../jobs/due.ts';
import { MINUTE_MS } from '../../shared/durations.ts';

export type Watches = {
  /** The watch of one account. It outlives changes of the account. */
  of(railId: string): AnswerWatch;
  /** True while the account's answers of this minute are within the budget. */
  hasBudget(railId: string): boolean;
  /** For a queue with a column `rail`. Rails whose last call was silent share a quarter of its slots, one each at most. */
  turns: Required<Pick<DueWork, 'turns' | 'limit'>>;
};

/** The answers of one account in one minute. Reading them takes less than a second. */
export const BYTES_A_MINUTE = 16 * 1024 * 1024;
/** Every answer may have this much. The usual answer about one order is shorter and does not count. */
export const SMALL_BYTES = 4 * 1024;

/** A call that takes so long holds its slot as a silent one does. */
const SLOW_MS = 5_000;
/** From this many silent calls in a row on, the host rests between two calls. Fewer may be chance. */
const CHANCE = 3;
const FIRST_REST_MS = 5_000;
const MAX_REST_MS = 60_000;

type Known = { minuteAt: number; bytes: number; silentInARow: number; restsUntil: number };

/** Each node watches for itself. */
export function createWatches(clock: Clock): Watches {
  const known = new Map<string, Known>();
  const nowMs = () => clock.now().getTime();
  const find = (railId: string): Known => {
    let one = known.get(railId);
    if (!one) known.set(railId, (one = { minuteAt: nowMs(), bytes: 0, silentInARow: 0, restsUntil: 0 }));
    if (nowMs() - one.minuteAt >= MINUTE_MS) Object.assign(one, { minuteAt: nowMs(), bytes: 0 });
    return one;
  };
  return {
    of: (railId) => ({
      limit: (maxBytes) => Math.min(maxBytes, Math.max(SMALL_BYTES, BYTES_A_MINUTE - find(railId).bytes)),
      note({ bytes, tookMs, isAnswered }) {
        const one = find(railId);
        if (bytes > SMALL_BYTES) one.bytes += bytes;
        one.silentInARow = isAnswered && tookMs < SLOW_MS ? 0 : one.silentInARow + 1;
        one.restsUntil = nowMs() + restAfter(one.silentInARow);
      },
    }),
    hasBudget: (railId) => find(railId).bytes < BYTES_A_MINUTE,
    turns: { turns: 'rail', limit: (busy, slots) => limitSilent(known, { busy, slots, nowMs: nowMs() }) },
  };
}

type Slots = { busy: ReadonlyMap<string, number>; slots: number; nowMs: number };

/** The silent rails, with the slots that each may take now. */
function limitSilent(known: ReadonlyMap<string, Known>, { busy, slots, nowMs }: Slots): Map<string, number> {
  const silent = [...known].filter(([, { silentInARow }]) => silentInARow > 0);
  // The host that rests longest is tried first.
  silent.sort(([, one], [, other]) => one.restsUntil - other.restsUntil);
  const taken = silent.reduce((sum, [railId]) => sum + (busy.get(railId) ?? 0), 0);
  let left = Math.floor(slots / 4) - taken;
  return new Map(
    silent.map(([railId, { restsUntil }]) => {
      const isTried = !busy.has(railId) && restsUntil <= nowMs && left-- > 0;
      return [railId, isTried ? 1 : 0];
    }),
  );
}

/** How long an account's jobs wait after so many silent calls in a row. */
function restAfter(silentInARow: number): number {
  if (silentInARow < CHANCE) return 0;
  return Math.min(MAX_REST_MS, FIRST_REST_MS * 2 ** (silentInARow - CHANCE));
}
