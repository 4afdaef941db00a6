// The places of a node: how many attempts are under way where, and how many more there is room for.
import { PER_ENDPOINT, type Claimed } from './claim.ts';

/** So many at once keep both sides busy; beyond it endpoints share what there is. */
const AT_EASE = 256;
/** However many others hang: one slow call does not hold up a merchant's other payments. */
const LEAST_ROOM = 4;
/** Attempts under way on this node at most, whatever the number of endpoints. */
const MAX_AT_ONCE = 2_000;

export type Places = {
  /** Attempts until they are recorded: longer than they have a place. */
  running: Set<Promise<void>>;
  /** How many have a place, by endpoint. */
  busy: Map<string, number>;
  /** First attempts that have one, by payment: later callbacks of it wait for them. */
  first: Map<string, number>;
  /** Endpoints that got all they had room for: there may be more. */
  crowded: Set<string>;
};

export function createPlaces(): Places {
  return { running: new Set(), busy: new Map(), first: new Map(), crowded: new Set() };
}

/** Gives an attempt its place; false: its endpoint has none left. */
export function takePlace(places: Places, claimed: Claimed): boolean {
  const { busy, crowded } = places;
  const { id } = claimed.endpoint;
  if ((busy.get(id) ?? 0) >= PER_ENDPOINT) {
    crowded.add(id);
    return false;
  }
  countPlace(places, claimed, 1);
  return true;
}

export function leavePlace(places: Places, claimed: Claimed): void {
  countPlace(places, claimed, -1);
}

function countPlace({ busy, first }: Places, { endpoint, kind, paymentId, number }: Claimed, by: 1 | -1): void {
  count(busy, endpoint.id, by);
  if (kind === 'callback' && paymentId && number === 1) count(first, paymentId, by);
}

/** Whether a first callback of the payment is under way here. */
export function isUnderWay({ first }: Places, paymentId: string | null | undefined): boolean {
  return !!paymentId && first.has(paymentId);
}

/** Whether an endpoint may have more than it was given, and by now the room for it. */
export function wantsMore({ busy, crowded }: Places, endpointId: string): boolean {
  return crowded.has(endpointId) && (busy.get(endpointId) ?? 0) <= PER_ENDPOINT / 2;
}

/** How many may be under way at one endpoint now, where up to so many share what there is. */
export function shareRoom({ running }: Places, sharers: number): number {
  const share = Math.floor((AT_EASE - running.size) / sharers);
  return Math.min(PER_ENDPOINT, Math.max(LEAST_ROOM, share));
}

/** @param claims what endpoints were given of this room, and have no place yet */
export function noteCrowded({ busy, crowded }: Places, claims: Claimed[], room: number): void {
  for (const [id, { length }] of Map.groupBy(claims, ({ endpoint }) => endpoint.id)) {
    if (length + (busy.get(id) ?? 0) >= room) crowded.add(id);
    else crowded.delete(id);
  }
}

/** Until there is room for any attempt at all. */
export async function awaitRoom({ running }: Places): Promise<void> {
  while (running.size >= MAX_AT_ONCE) await Promise.race(running);
}

function count(counts: Map<string, number>, id: string, by: 1 | -1): void {
  const now = (counts.get(id) ?? 0) + by;
  if (now > 0) counts.set(id, now);
  else counts.delete(id);
}
