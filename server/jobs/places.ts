// The places of a queue on this node: how many jobs are under way of each key, and how many more there is room for.

export type Limits = {
  /** Jobs of one key under way. */
  perKey: number;
  /** So many at once keep both sides busy: beyond it keys share what there is; default: no such number. */
  atEase?: number;
  /** Jobs under way at most, whatever the number of keys; those count that are being recorded, and have no place any more. */
  atOnce: number;
};

/** However many other keys there are, and however slow they are: one slow job does not hold up all others of its key. */
const LEAST_ROOM = 4;

export type Places = {
  limits: Limits;
  /** Jobs until they are recorded: longer than they have a place. */
  running: Set<Promise<void>>;
  /** How many have a place, by key. */
  busy: Map<string, number>;
  /** Keys that got all they had room for: there may be more. */
  crowded: Set<string>;
};

export function createPlaces(limits: Limits, busy: Map<string, number>): Places {
  return { limits, running: new Set(), busy, crowded: new Set() };
}

export function takePlace({ busy }: Places, key: string): void {
  busy.set(key, (busy.get(key) ?? 0) + 1);
}

export function leavePlace({ busy }: Places, key: string): void {
  const left = (busy.get(key) ?? 0) - 1;
  if (left > 0) busy.set(key, left);
  else busy.delete(key);
}

/** Whether a key may have more jobs than it was given, and by now the room for them. */
export function wantsMore({ busy, crowded, limits }: Places, key: string): boolean {
  return crowded.has(key) && (busy.get(key) ?? 0) <= limits.perKey / 2;
}

/** How many may be under way of one key now, where up to so many share what there is. */
export function shareRoom({ running, limits: { perKey, atEase = Infinity } }: Places, sharers: number): number {
  const share = Math.floor((atEase - running.size) / sharers);
  return Math.min(perKey, Math.max(LEAST_ROOM, share));
}

/** @param taken how many of the key were under way, with those that it was given of this room */
export function noteCrowded({ crowded }: Places, key: string, taken: number, room: number): void {
  if (taken >= room) crowded.add(key);
  else crowded.delete(key);
}

/** Until there is room for any job at all. */
export async function awaitRoom({ running, limits }: Places): Promise<void> {
  while (running.size >= limits.atOnce) await Promise.race(running);
}
